"""Items from a file."""

import csv
from pathlib import Path

from winnerstays.arena.items import EDITABLE
from winnerstays.arena.settings import Item
from winnerstays.errors import WinnerstaysError


def read_items(file: Path) -> list[Item]:
    """Return the items of a CSV file: a line of names (id, and title, picture, link, text as far as wished), then one
    line for each item. A field whose column is missing is not given.
    """
    try:
        with file.open(newline="", encoding="utf-8-sig") as opened:
            lines = csv.DictReader(opened, strict=True)
            names = [str(name) for name in lines.fieldnames or ()]
            wrong = next((name for name in names if name not in ("id", *EDITABLE)), None)
            if "id" not in names or wrong is not None:
                what = f"a column {wrong!r}" if wrong is not None else "no column 'id'"
                raise WinnerstaysError(f"{file} has {what}; it must have id, and may have {', '.join(EDITABLE)}.")
            found = []
            for line in lines:
                if None in line or None in line.values():
                    raise WinnerstaysError(f"{file}, line {lines.line_num}: there must be {len(names)} values.")
                found.append(Item.of(line))
            return found
    except OSError as error:
        raise WinnerstaysError(f"{file} cannot be read: {error.strerror}.") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise WinnerstaysError(f"{file} is not a CSV file in UTF-8: {error}.") from None
