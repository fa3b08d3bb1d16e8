"""Items as people write them: in files for the command line, in forms on pages."""

import csv
import io
from pathlib import Path
from typing import Any

from winnerstays.arena.items import EDITABLE
from winnerstays.arena.settings import Item
from winnerstays.errors import WinnerstaysError
from winnerstays.item_names import check_list
from winnerstays.listings import JSON_ENDINGS, read_json, read_text

COLUMNS = ("id", *EDITABLE)


def read_items(file: Path) -> list[Item]:
    """Return the items of a file: a JSON list, or JSON lines, of ids or of objects with the fields of an Item; or else
    the items of its text. A `.csv` file is a table.
    """
    try:
        if file.suffix.lower() in JSON_ENDINGS:
            return list(map(Item.of, check_list(read_json(file), f"a list in {file}")))
        return parse_items(read_text(file), table=file.suffix.lower() == ".csv")
    except WinnerstaysError as error:
        named = str(file) in str(error)
        raise error if named else WinnerstaysError(f"{file}: {error}") from None


def parse_items(text: str, *, table: bool = False) -> list[Item]:
    """Return the items in a text: one a line; or a table, if its first line names columns.

    The columns of a table are separated by commas, semicolons or tabs; it has an id or a title, which is then the id,
    too. A field whose column is missing is not given.

    >>> [item.id for item in parse_items("ramen\\n\\n salt, pepper ")]
    ['ramen', 'salt, pepper']
    >>> [(item.id, item.picture) for item in parse_items("title;picture\\nRamen;/a.png\\nPho;")]
    [('Ramen', '/a.png'), ('Pho', '')]
    """
    lines = [line.strip() for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    if not lines:
        return []
    delimiter = max(",;\t", key=lines[0].count)
    heading = [name.strip().strip('"').lower() for name in lines[0].split(delimiter)]
    if table or heading == ["id"] or (len(heading) > 1 and {"id", "title"} & set(heading)):
        return _parse_table(text.lstrip("\ufeff"), delimiter, heading)
    return list(map(Item.of, lines))


def _parse_table(text: str, delimiter: str, heading: list[str]) -> list[Item]:
    wrong = next((name for name in heading if name not in COLUMNS), None)
    if wrong is not None or not {"id", "title"} & set(heading):
        what = f"has a column {wrong!r}" if wrong is not None else "has no column 'id'"
        raise WinnerstaysError(
            f"The table {what}; it must have id or title, and may have {', '.join(EDITABLE)}. A list with one item per "
            "line has another ending, such as .txt."
        )
    items = []
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        for row in rows:
            cells = [cell.strip() for cell in row]
            if not any(cells) or [cell.lower() for cell in cells] == heading:
                continue
            if len(cells) != len(heading):
                raise WinnerstaysError(
                    f"In line {rows.line_num} there must be {len(heading)} values, not {len(cells)}."
                )
            fields: dict[str, Any] = dict(zip(heading, cells, strict=True))
            items.append(Item.of({**fields, "id": fields.get("id") or fields.get("title", "")}))
    except csv.Error as error:
        raise WinnerstaysError(f"The table cannot be read as CSV: {error}.") from None
    return items
