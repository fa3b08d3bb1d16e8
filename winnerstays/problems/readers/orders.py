"""Rankings by the names of the items, other than PrefLib's files.

- text, one ranking per line: `a > b > c`, `a = b > c`, with a count in front where several say the same, `12: a > b`;
- a table with a column of such rankings, and optionally one of counts;
- a table with the columns `1st`, `2nd`, `3rd`, or `rank 1`, `rank 2`, that name the items;
- JSON: a list of lists of names, the best first.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.columns import count_column
from winnerstays.problems.readers.opening import Source
from winnerstays.problems.readers.preflib import Rankings
from winnerstays.problems.readers.table import Table, number_or_none

LINE = re.compile(r"(?:(\d+)\s*[:;,x*]\s*)?([^>]+>.+)")
PLACE = re.compile(
    r"(?:(?:rank|choice|place|preference|pref|position)\W*_*(\d+)|(\d+)(?:st|nd|rd|th)\W*_*[a-z]*)", re.I
)
SAMPLE = 300
"""Lines or rows that are looked at."""
Groups = Sequence[Sequence[str]]
"""Names from the best to the last; those in one group are tied."""


def text_orders(source: Source) -> Rankings | None:
    """Return the rankings of a text file whose every line is one; None if it holds anything else."""

    def lines() -> Iterator[tuple[int, str]]:
        with source.text() as file:
            stripped = ((number, line.strip()) for number, line in enumerate(file, start=1))
            yield from ((number, line) for number, line in stripped if line and not line.startswith("#"))

    found = [LINE.fullmatch(line) for _, line in islice(lines(), SAMPLE)]
    if not found or not all(one and is_order(one[2]) for one in found):
        return None
    return _rankings((number, *_counted(line)) for number, line in lines())


def _counted(line: str) -> tuple[str, Groups]:
    found = LINE.fullmatch(line)
    count, order = found.groups() if found else ("", line)
    return count or "1", groups_of(order)


def groups_of(order: str) -> Groups:
    """Return the groups of a ranking.

    >>> groups_of("a > b = c > d")
    [['a'], ['b', 'c'], ['d']]
    """
    return [[name.strip() for name in group.split("=")] for group in order.split(">")]


def is_order(cell: str) -> bool:
    """Tell a ranking from other text with a `>` in it, such as HTML."""
    return ">" in cell and "<" not in cell and all(name for group in groups_of(cell) for name in group)


def table_orders(table: Table) -> Rankings | None:
    """Return the rankings of a table, from one column of them or from a column for each place; None if it has none."""
    rows = [row for _, row in islice(table.rows(), SAMPLE) if any(row)]
    if not rows:
        return None
    ordered = [k for k in range(len(table.header)) if all(map(is_order, (_cell(row, k) for row in rows)))]
    if len(ordered) == 1:
        column, count = ordered[0], count_column(table.header, set(ordered)).get("count")
        return _rankings(
            (number, _cell(row, count, "1"), groups_of(_cell(row, column))) for number, row in table.rows()
        )
    places = _place_columns(table.header)
    named = any(number_or_none(_cell(row, k, "0")) is None for row in rows for k in places)
    if len(places) < 2 or not named:
        return None
    count = count_column(table.header, set(places)).get("count")
    return _rankings(
        (number, _cell(row, count, "1"), [[_cell(row, k)] for k in places if _cell(row, k)])
        for number, row in table.rows()
    )


def _cell(row: Sequence[str], place: int | None, nothing: str = "") -> str:
    return row[place] if place is not None and place < len(row) and row[place] else nothing


def _place_columns(header: Sequence[str]) -> list[int]:
    """Return the columns of the places from the first on, such as 1st, 2nd, 3rd; none if one is missing."""
    found = [(PLACE.fullmatch(name.strip()), k) for k, name in enumerate(header)]
    places = sorted((int(match[1] or match[2]), k) for match, k in found if match)
    return [k for _, k in places] if [place for place, _ in places] == [*range(1, len(places) + 1)] else []


def json_orders(data: Any) -> Rankings | None:
    """Return the rankings of a list of lists of names; None if it is none."""
    if not (isinstance(data, list) and data and all(isinstance(order, list) and order for order in data)):
        return None
    if not all(isinstance(name, str) for order in data for name in order):
        return None
    return _rankings((number, "1", [[name] for name in order]) for number, order in enumerate(data, start=1))


def _rankings(orders: Iterable[tuple[int, str, Groups]]) -> Rankings:
    """Number the items, and write each ranking as PrefLib does."""
    numbers: dict[str, int] = {}
    written = []
    for line, count, groups in orders:
        for group in groups:
            for name in group:
                numbers.setdefault(name, len(numbers) + 1)
        names = [name for group in groups for name in group if name]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise WinnerstaysError(f"line {line} ranks {twice!r} twice.")
        cells = [",".join(str(numbers[name]) for name in group if name) for group in groups]
        written.append((line, count, ",".join(f"{{{cell}}}" for cell in cells)))
    numbers.pop("", None)
    return Rankings({number: name for name, number in numbers.items()}, None, written)
