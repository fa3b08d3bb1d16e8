"""What people type into forms: numbers, and items as lines or as a table."""

import csv
import io
import math
from typing import Any

from winnerstays.errors import WinnerstaysError

COLUMNS = ("id", "title", "picture", "text", "link")


def number(form: dict[str, str], name: str, low: float, high: float, default: float) -> float:
    """Return a number of a form; the default if the field is empty."""
    text = form.get(name, "").strip()
    try:
        value = float(text) if text else default
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise WinnerstaysError(f"{name} is {text[:40]!r}, but it must be a number from {low:g} to {high:g}.")
    return value


def read_items(text: str) -> list[dict[str, Any]]:
    """Return the items in a text: one a line, or a CSV table whose first line names columns of COLUMNS.

    >>> read_items("ramen\\n\\n tacos ")
    [{'id': 'ramen'}, {'id': 'tacos'}]
    >>> read_items("title,picture\\nRamen,/a.png\\nPho,")
    [{'id': 'Ramen', 'title': 'Ramen', 'picture': '/a.png'}, {'id': 'Pho', 'title': 'Pho'}]
    """
    lines = [line.strip() for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    if not lines:
        raise WinnerstaysError("There are no items yet; write one in each line.")
    table = "," in lines[0] or ";" in lines[0] or "\t" in lines[0]
    delimiter = max(",;\t", key=lines[0].count)
    heading = [name.strip().strip('"').lower() for name in lines[0].split(delimiter)]
    if not (table and set(heading) & {"id", "title"}):
        return [{"id": line} for line in lines]
    return _read_table(text.lstrip("\ufeff"), delimiter, heading)


def _read_table(text: str, delimiter: str, heading: list[str]) -> list[dict[str, Any]]:
    unknown = next((name for name in heading if name not in COLUMNS), None)
    if unknown is not None:
        raise WinnerstaysError(f"The table has a column {unknown!r}, but columns are {', '.join(COLUMNS)}.")
    items = []
    try:
        rows = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
        for row in list(rows)[1:]:
            item = {name: cell.strip() for name, cell in zip(heading, row, strict=False) if cell.strip()}
            if item:
                items.append({"id": item.get("id") or item.get("title", ""), **item})
    except csv.Error as error:
        raise WinnerstaysError(f"The table cannot be read as CSV: {error}.") from None
    return items
