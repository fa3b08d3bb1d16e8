"""Votes: which of two was chosen, from tuples, a table of duels, a pick's store or the log of an arena."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.picking.judging import SHARES
from winnerstays.picking.store import answers_of, is_pick
from winnerstays.problems.readers.columns import DUELS, layout_of
from winnerstays.problems.readers.duels import LOG, Tally, is_log, parse_codes, read_duels
from winnerstays.problems.readers.files import content_of, opened
from winnerstays.problems.readers.limits import LOCAL
from winnerstays.problems.readers.table import BadRows, Table


class Votes(NamedTuple):
    """One row for each vote."""

    items: tuple[str, ...]
    left: Ints
    right: Ints
    share: Floats  # of the point that the left one won: 1, 1/2 for a tie, 0
    weight: Floats
    sided: bool  # whether left and right are where the items stood
    group: Ints | None  # the example or the person of each vote, if they are known


class Collected(Tally):
    """Keeps the votes that a reader counts, in their order."""

    def __init__(self) -> None:
        super().__init__(LOCAL)
        self.rows: list[tuple[Any, Any, Any, Any]] = []

    def add(self, left: Any, right: Any, share: Floats, weight: Floats) -> None:
        """Keep the votes of a block."""
        super().add(left, right, share, weight)
        self.rows.append((left, right, share, weight))


def votes_of(
    source: Any, *, by: str | None = None, columns: Any = None, codes: Any = None, skip_bad: bool = False
) -> Votes:
    """Return the votes in a file, a pick's store, or tuples: (winner, loser) or (left, right, outcome)."""
    if not isinstance(source, str | Path):
        if by is not None or columns is not None or codes is not None:
            raise WinnerstaysError("by, columns and codes say how a file is read, but these votes are in memory.")
        return _from_tuples(source)
    if is_pick(source):
        rows = answers_of(str(source))
        group = None if not rows or rows[0].example is None else [row.example for row in rows]
        return _from_tuples([(row.left, row.right, str(row.outcome)) for row in rows], group)
    with opened(Path(source), None, LOCAL) as file:
        table = content_of(file, None)
        if not isinstance(table, Table):
            raise WinnerstaysError("there are no votes in it; it must be a table of duels.")
        return _from_table(table, by, columns, codes, skip_bad)


def _from_table(table: Table, by: str | None, columns: Any, codes: Any, skip_bad: bool) -> Votes:
    log = is_log(table.header) and columns is None
    places = {name: table.header.index(name) for name in LOG} if log else layout_of(table.header, columns, DUELS).places
    tally = Collected()
    read_duels(table, places, parse_codes(codes), tally, BadRows(skip_bad))
    if not tally.rows:
        raise WinnerstaysError("there are no votes in it.")
    left, right, share, weight = (np.concatenate(part) for part in zip(*tally.rows, strict=True))
    group = None
    if by is not None:
        if by not in table.header:
            raise unknown("column", by, table.header)
        cells = [cell for block in table.blocks([table.header.index(by)], BadRows(skip_bad)) for cell in block.cells[0]]
        if len(cells) != left.size:
            raise WinnerstaysError(f"the column {by!r} has {len(cells)} rows, but {left.size} of them are votes.")
        group = np.unique(np.array(cells), return_inverse=True)[1]
    return _kept(Votes(tuple(tally.items), left, right, share, weight, "left" in places, group))


def _from_tuples(rows: Iterable[Sequence[Any]], group: Sequence[int | None] | None = None) -> Votes:
    number: dict[str, int] = {}
    found, sided = [], True
    for row in rows:
        if isinstance(row, str) or len(row) not in (2, 3):
            raise WinnerstaysError(f"A vote is {row!r}, but it must be (winner, loser) or (left, right, outcome).")
        sided = sided and len(row) == 3
        outcome = row[2] if len(row) == 3 else "left"
        if outcome not in SHARES:
            raise WinnerstaysError(f"A vote is {row!r}, but its outcome must be 'left', 'right' or 'tie'.")
        left, right = (number.setdefault(str(item), len(number)) for item in row[:2])
        found.append((left, right, SHARES[outcome]))
    if not found:
        raise WinnerstaysError("There are no votes.")
    table = np.array(found, np.float64)
    pairs, groups = table[:, :2].astype(np.int64), None if group is None else np.array(group, np.int64)
    return _kept(Votes(tuple(number), pairs[:, 0], pairs[:, 1], table[:, 2], np.ones(len(found)), sided, groups))


def _kept(votes: Votes) -> Votes:
    """Leave out what says nothing: votes without a decision, and of an item with itself."""
    kept = ~np.isnan(votes.share) & (votes.left != votes.right)
    if kept.all():
        return votes
    group = None if votes.group is None else votes.group[kept]
    return votes._replace(
        left=votes.left[kept], right=votes.right[kept], share=votes.share[kept], weight=votes.weight[kept], group=group
    )
