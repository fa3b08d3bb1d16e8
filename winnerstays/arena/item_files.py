"""Items from a file."""

import csv
import io
from pathlib import Path
from typing import Any

from winnerstays.arena.items import EDITABLE
from winnerstays.arena.settings import Item
from winnerstays.errors import WinnerstaysError
from winnerstays.item_names import check_list
from winnerstays.listings import JSON_ENDINGS, read_json, read_lines, read_text


def read_items(file: Path) -> list[Item]:
    """Return the items of a file: one a line; a JSON list, or JSON lines, of ids or of objects with the fields of an
    Item; or CSV, a line of names (id, and title, picture, link, text as far as wished), then one line for each item.
    A field whose column is missing is not given.
    """
    if file.suffix.lower() in JSON_ENDINGS:
        return [_item(file, value) for value in check_list(read_json(file), f"a list in {file}")]
    text = read_text(file)
    first = next(iter(text.splitlines()), "")
    if file.suffix.lower() == ".csv" or "id" in next(csv.reader([first]), ()):
        return _read_csv(file, text)
    return [_item(file, line) for line in read_lines(file)]


def _item(file: Path, value: Any) -> Item:
    try:
        return Item.of(value)
    except WinnerstaysError as error:
        raise WinnerstaysError(f"{file}: {error}") from None


def _read_csv(file: Path, text: str) -> list[Item]:
    try:
        lines = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        names = [str(name) for name in lines.fieldnames or ()]
        wrong = next((name for name in names if name not in ("id", *EDITABLE)), None)
        if "id" not in names or wrong is not None:
            what = f"a column {wrong!r}" if wrong is not None else "no column 'id'"
            raise WinnerstaysError(
                f"{file} has {what}; it must have id, and may have {', '.join(EDITABLE)}. A list of one item a line "
                "has another ending, such as .txt."
            )
        found = []
        for line in lines:
            if None in line or None in line.values():
                raise WinnerstaysError(f"{file}, line {lines.line_num}: there must be {len(names)} values.")
            found.append(_item(file, line))
        return found
    except csv.Error as error:
        raise WinnerstaysError(f"{file} is not a CSV file: {error}.") from None
