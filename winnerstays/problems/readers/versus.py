"""Columns that name both sides of a duel in one cell, as `Ann vs Bob`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from winnerstays.problems.readers.column_pairs import pairs_of
from winnerstays.problems.readers.dialect import Row
from winnerstays.problems.readers.table import Table
from winnerstays.problems.readers.vocabulary import FAMILIES

BOTH = re.compile(r"(.+?)\s+(?:vs?\.?|versus|gegen|contre|contra|tegen|@)\s+(.+)", re.IGNORECASE)
SAMPLE = 1000
"""Rows that are looked at."""


def with_sides_apart(table: Table) -> Table | None:
    """Return the table with a column for each side in place of the one that names both; None if there is none."""
    rows = [row for _, row in islice(table.rows(), SAMPLE)]
    width = len(table.header)
    found = [k for k in range(width) if rows and all(len(row) > k and BOTH.fullmatch(row[k]) for row in rows)]
    if len(found) != 1:
        return None
    place = found[0]

    def apart() -> Iterator[Row]:
        for number, row in table.rows():
            both = BOTH.fullmatch(row[place]) if place < len(row) else None
            yield number, [*row[:place], *(both.groups() if both else ("", "")), *row[place + 1 :]]

    header = [*table.header[:place], *_sides(table.header), *table.header[place + 1 :]]
    note = "; ".join(filter(None, [f"{table.header[place]} names both sides", table.note]))
    remarks = {k + (k > place): remark for k, remark in table.remarks.items()}
    return replace(table, header=header, rows=apart, note=note, remarks=remarks)


def _sides(header: Sequence[str]) -> tuple[str, str]:
    """Return what two sides are called: as in the columns about them, `votes_a` and `votes_b`, if there are any."""
    found = {pair.words for pair in pairs_of(header, FAMILIES)}
    return found.pop() if len(found) == 1 else ("left", "right")
