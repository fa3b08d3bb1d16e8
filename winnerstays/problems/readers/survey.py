"""Tables with a row for each voter and a column for each item, which holds its rank or its rating.

`cells=` says which of the two (`--cells ranks`, 1 is the best; `--cells ratings`, the higher, the better), and whether
each row is an item and each column a voter instead (`ranks-of-rows`, `ratings-of-rows`). Without it
they are ranks where every row is an order of 1, 2, 3, ... and no column is called a rating; all else is asked about.
An item is what the column is called, or what stands there in square brackets.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems.readers.columns import count_column
from winnerstays.problems.readers.order_tables import (
    GROUPS,
    REMARKS,
    SAMPLE,
    UNPLACED,
    in_order,
    rank_of,
    ranked,
)
from winnerstays.problems.readers.orders import is_running
from winnerstays.problems.readers.table import Table, number_or_none
from winnerstays.problems.readers.vocabulary import RATINGS, WHEN, words_of
from winnerstays.problems.readers.voting import Groups, Rankings
from winnerstays.wording import listed

OF_ROWS = "-of-rows"
KINDS = ("ranks", "ratings", "ranks-of-rows", "ratings-of-rows")
"""Each row is a voter and each column an item, or the other way round."""
BRACKETS = re.compile(r".*\[(.+)\]\W*")
WHO = GROUPS | REMARKS | WHEN | {
    "name", "age", "gender", "sex", "response", "start", "end", "recorded", "duration", "progress", "finished",
    "status", "latitude", "longitude", "ip", "number", "no", "nr", "index", "total", "sum", "weight", "country",
}  # fmt: skip
"""Words of columns that say something of the voter or of the answers as a whole."""
SHOWN = 5
FEWEST = 3
"""With fewer items, an order of 1 and 2 may be anything."""
MOSTLY = 0.8
"""This share of the cells below an item must be numbers; others are mistakes."""


def survey_orders(table: Table, cells: str) -> Rankings:
    """Return what each row says, whose cells are known to be ranks or ratings."""
    if cells not in KINDS:
        raise unknown("kind of cells", cells, KINDS)
    if cells.endswith(OF_ROWS):
        turned = _turned(table)
        return _orders(turned, dict(enumerate(turned.header[1:], start=1)), cells.removesuffix(OF_ROWS))
    items = item_columns(table)
    if len(items) < 2:
        raise WinnerstaysError(
            f"the columns are {', '.join(filter(None, table.header))}; with cells (--cells {cells}) at least two of "
            "them must be items, and hold numbers."
        )
    return _orders(table, items, cells)


def orders_for_sure(table: Table) -> Rankings | None:
    """Return the rankings of a table in which every row is an order of 1, 2, 3, ...; None if it is none."""
    items = item_columns(table)
    words = {word for k in items for word in words_of(table.header[k])}
    numbered = [name for name in table.header if number_or_none(name) is not None]
    if len(items) < FEWEST or words & (RATINGS | {"rate", "rated", "scores"}) or numbered:
        return None
    rows = [[number_or_none(row[k]) if k < len(row) else None for k in items] for _, row in table.rows()]
    places = [float(place) for place in range(1, len(items) + 1)]
    if len(rows) < 2 or any(None in row or sorted(filter(None, row)) != places for row in rows):
        return None
    if len(items) == len(table.header) == len(rows):
        return None
    _check_turned(table, items, rows)
    return _orders(table, items, "ranks")


def _check_turned(table: Table, items: dict[int, str], rows: Sequence[Sequence[float | None]]) -> None:
    """Ask whether rows or columns are the items, where both are orders and no name says which."""
    places = {float(place) for place in range(1, len(items) + 1)}
    names = _name_column(table)
    if len(rows) != len(items) or names is None or GROUPS.intersection(words_of(table.header[names])):
        return
    if all({*column} == places for column in zip(*rows, strict=True)):
        raise WinnerstaysError(
            f"every row is an order of {', '.join(items.values())}, and every column one of {table.header[names]}; say "
            "which are the items: --cells ranks (cells= in Python) if the columns are, --cells ranks-of-rows if the "
            "rows are."
        )


def _name_column(table: Table) -> int | None:
    """Return the first column that names each row differently; None if there is none."""
    rows = [row for _, row in table.rows()]
    for k in range(len(table.header)):
        cells = [row[k] if k < len(row) else "" for row in rows]
        if all(cell and _value(cell) is None for cell in cells) and len({*cells}) == len(cells) > 1:
            return k
    return None


def has_judges(table: Table) -> bool:
    """Tell a table with a column of numbers for each of several judges, and names of the rows."""
    judges = [name for name in table.header if GROUPS.intersection(words_of(name)) and re.search(r"\d", name)]
    return len(judges) > 1 and _name_column(table) is not None


def _turned(table: Table) -> Table:
    """Return the table with a row for each of its columns of numbers, and a column for each of its rows."""
    names = _name_column(table)
    rows = [row for _, row in table.rows()]
    if names is None:
        raise WinnerstaysError("no column names each row differently; with cells ...-of-rows, one must name the items.")
    header = ["", *(row[names] for row in rows)]
    turned = []
    for k, voter in enumerate(table.header):
        cells = [row[k] if k < len(row) else "" for row in rows]
        known = [cell for cell in cells if cell.lower() not in UNPLACED]
        about = not words_of(voter) or (WHO - GROUPS).intersection(words_of(voter))
        if (
            k != names
            and known
            and not about
            and sum(_value(cell) is not None for cell in known) >= MOSTLY * len(known)
        ):
            turned.append((k + 1, [voter, *cells]))
    if not turned:
        raise WinnerstaysError("no column holds numbers; with cells ...-of-rows each voter has one.")
    said = f"the items are in {table.header[names]}, the voters are {listed([row[0] for _, row in turned], SHOWN)}"
    note = "; ".join(filter(None, [said, table.note]))
    return replace(table, header=header, rows=lambda: iter(turned), unit="column", note=note, remarks={})


def is_survey(table: Table) -> bool:
    """Tell a table whose columns are a voter, or a time, and items with numbers."""
    voters = [name for name in table.header if {*words_of(name)} & (GROUPS | WHEN | {"id"})]
    return bool(voters) and len(item_columns(table)) >= 2


def item_columns(table: Table) -> dict[int, str]:
    """Return the columns that may be items, and what these are called."""
    rows = [row for _, row in islice(table.rows(), SAMPLE)]
    taken = count_column(table.header, set()).values()
    found = {}
    for k, name in enumerate(table.header):
        cells = [row[k] for row in rows if k < len(row) and row[k].lower() not in UNPLACED]
        numbers = sum(_value(cell) is not None for cell in cells)
        bracketed = BRACKETS.fullmatch(name)
        numbered = k == 0 and len(cells) > len(table.header) and is_running(cells)
        about_voters = not bracketed and (numbered or bool(WHO.intersection(words_of(name))))
        if name and cells and k not in taken and not about_voters and numbers >= MOSTLY * len(cells):
            found[k] = bracketed[1].strip() if bracketed else name
    return found if len({*found.values()}) == len(found) else {}


def _value(cell: str) -> float | None:
    place = rank_of(cell)
    return number_or_none(cell) if place is None else place


def _orders(table: Table, items: dict[int, str], cells: str) -> Rankings:
    sign = 1 if cells == "ranks" else -1

    def read(row: list[str]) -> Groups | str:
        places: dict[str, float] = {}
        for k, item in items.items():
            cell = row[k] if k < len(row) else ""
            value = _value(cell)
            if value is not None:
                places[item] = sign * value
            elif cell.lower() not in UNPLACED:
                return f"has {cell[:40]!r} in {table.header[k]}, but it must be a number"
        return in_order(places)

    beside = [name for k, name in enumerate(table.header) if k not in items and name]
    best = "1 is the best place" if sign > 0 else "the higher rating wins"
    notes = [f"{best} ({listed([*items.values()], SHOWN)})", f"{listed(beside, SHOWN)} left out" if beside else ""]
    return ranked(table, read, {*items}, "; ".join(filter(None, notes)))
