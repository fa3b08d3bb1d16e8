"""Tables of duels, one a row, as people keep them: who met whom, and who won.

A table is known by its header, whatever other columns there are (`winnerstays.problems.readers.columns`):

- the winner and the loser: `winner`, `loser`; `winner_name`, `loser_name`; `WTeamID`, `LTeamID`; `chosen`, `rejected`;
  and optionally `tie`;
- two sides and who won: `model_a`, `model_b`, `winner`; `home`, `away`, `result`; `White`, `Black`, `Result`. Who won
  is an item's name, a side, a number that stands for a side, a score such as 1-0, or a tie;
- two sides and their scores (`home_score`, `away_score`), how often each won (`wins_a`, `wins_b`), or flags
  (`winner_model_a`, `winner_model_b`, `winner_tie`; `home_win`);
- the log of an arena as `winnerstays arena export` writes it: accepted answers count, everything else does not.

A row counts `n`, `count`, `weight`, `times` or `votes` times where there is such a column. A tie is half a win for
both. Duels of an item with itself say nothing and are left out; the problem's note says so, and what else was assumed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.estimation import SMALL
from winnerstays.problems.likeness import odd_names
from winnerstays.problems.pair_counts import PairCounts, PairCountsBuilder
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.columns import duel_columns
from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.dialect import Row
from winnerstays.problems.readers.given import Given, by_number, parse_columns
from winnerstays.problems.readers.opening import Source, file_errors
from winnerstays.problems.readers.outcomes import layout_of
from winnerstays.problems.readers.rows import NoDuelError, Outcome, Reader, RowError, cell
from winnerstays.problems.readers.selection import check_selection, select
from winnerstays.problems.readers.table import Table, read_table
from winnerstays.wording import counted

EVENT = {"seq", "arena", "kind", "duel", "left", "right", "outcome", "winner"}
"""Columns of an arena's log."""
ACCEPTED = {"learned", "noted"}
BAD_SHOWN = 5
SINGLE = {"byes": "bye", "rows of headers": "row of headers"}


@dataclass
class Tally:
    """What was found in the rows."""

    arms: dict[str, int] = field(default_factory=dict)
    pairs: PairCountsBuilder = field(default_factory=PairCountsBuilder)
    tied: PairCountsBuilder = field(default_factory=PairCountsBuilder)
    duels: float = 0.0
    ties: float = 0.0
    alone: int = 0
    undecided: int = 0
    agreed: int = 0
    contradicted: int = 0
    opposed: int = 0
    """By scores that say that the other one won, and not that nobody did."""
    contradiction: int = 0
    """The first line where the score says otherwise."""
    left_out: Counter[str] = field(default_factory=Counter)
    bad: int = 0
    shown: list[str] = field(default_factory=list)

    def add(self, number: int, outcome: Outcome) -> None:
        first, second, won, lost, tied, by_score = outcome
        if by_score is not None and won + lost > 0:
            share = won / (won + lost)
            self.agreed += by_score == share
            self.contradicted += by_score != share
            self.opposed += abs(by_score - share) == 1
            self.contradiction = self.contradiction or number * (by_score != share)
        one, other = self.arms.setdefault(first, len(self.arms)), self.arms.setdefault(second, len(self.arms))
        if one == other:
            self.alone += 1
        elif won + lost == 0:
            self.undecided += 1
        else:
            self.duels += won + lost
            self.pairs.add(one, other, won, lost)
            if tied:
                self.ties += tied
                self.tied.add(one, other, tied / 2, tied / 2)

    def spoil(self, sentence: str) -> None:
        self.bad += 1
        if len(self.shown) < BAD_SHOWN:
            self.shown.append(sentence)

    def counts(self) -> PairCounts:
        return self.pairs.result(len(self.arms))

    @property
    def note(self) -> str:
        parts = [
            counted(self.duels, "duel")
            + (f", {self.ties:.15g} of them ties (half a win for both)" if self.ties else "")
        ]
        parts += [f"{self.alone} of an item with itself left out"] if self.alone else []
        parts += [f"{self.undecided} without a decision left out"] if self.undecided else []
        parts += [
            f"{number} {what if number > 1 else SINGLE.get(what, what)} left out"
            for what, number in self.left_out.items()
            if number
        ]
        parts += [skipped(self.bad, self.shown)] if self.bad else []
        return "; ".join(parts)

    def contradictions(self, unit: str) -> str:
        """Say in how many rows the score contradicts the winner that is named."""
        if not self.contradicted:
            return ""
        low = ", as all scores here (perhaps fewer points win)" if self.opposed and not self.agreed else ""
        return (
            f"in {counted(self.contradicted, 'row')}, first in {unit} {self.contradiction}, the score says otherwise"
            f"{low}, but who is named as the winner counts"
        )


def skipped(bad: int, shown: list[str]) -> str:
    """Say how many bad rows were left out, and which came first."""
    more = ", ..." if bad > len(shown) else ""
    return f"{counted(bad, 'bad row')} left out ({', '.join(shown)}{more})"


def way_out(others: bool) -> str:
    """Say what can be done about a bad row; `others`: whether other rows can be read."""
    return "skip_bad (--skip-bad) leaves such rows out" if others else "no row can be read so"


def read_duels(
    path: str | Path,
    *,
    columns: Given = None,
    codes: Given = None,
    items: int | None = None,
    min_duels: int = 0,
    skip_bad: bool = False,
    prior: float = 1.0,
    fit: str | None = None,
    encoding: str | None = None,
) -> Problem:
    """Preferences estimated from a table of duels: text, JSON, Parquet; see the layouts and rules above.

    - `columns`: which column is what, where the header leaves that open: `{"left": "team_a", "right": "team_b"}`, or
      the same as text, `"left=team_a,right=team_b"`. Numbers mean that the table has no header.
    - `codes`: what stands in the winner's column, where that is open: `"1=left,2=right,0=tie"`; `none` leaves out.
    - `items`: this many, those that met most; of more than 5000, the 5000 that met most by default.
    - `min_duels`: only items that took part in at least this many duels.
    - `skip_bad`: leave out rows that cannot be read, and count them, instead of refusing the file.
    - `prior`, `fit`: as of `Problem.from_counts`.
    - `encoding`: how letters are written where it is not UTF-8, such as "cp1251".
    """
    path = Path(path)
    check_selection(items, min_duels)
    with file_errors(path):
        source = Source(path, encoding)
        problem = duels_of(
            read_table(source),
            columns,
            codes,
            items=items,
            min_duels=min_duels,
            skip_bad=skip_bad,
            prior=prior,
            fit=fit,
        )
        problem.name = source.stem
    return problem


def duels_of(
    table: Table,
    columns: Given = None,
    codes: Given = None,
    *,
    items: int | None = None,
    min_duels: int = 0,
    skip_bad: bool = False,
    prior: float = 1.0,
    fit: str | None = None,
) -> Problem:
    """Preferences estimated from a table of duels."""
    table = table.holding(columns)
    names = table.header
    if by_number(columns):
        table = table.without_header()
        names = names if _is_header(names) else table.header
    tally = Tally()
    table = _without_headers(table, names, tally.left_out)
    read, assumed = _reader(table, columns, codes)
    rows, number_read = table.rows(), 0
    for number, row in rows:
        try:
            check_width(row, table.header)
            found = read(row)
            number_read += 1
            if found is not None:
                tally.add(number, found)
        except NoDuelError as why:
            tally.left_out[str(why)] += 1
        except RowError as wrong:
            sentence = explain(table, number, wrong)
            if not skip_bad:
                others = sum(_can_be_read(read, row) for _, row in rows)  # damage of the rows themselves comes first
                can = way_out(bool(number_read or others))
                raise WinnerstaysError(f"{sentence}; {can}{wrong.way_out}.") from None
            tally.spoil(sentence)
    if tally.bad and not tally.duels:
        raise WinnerstaysError(f"no row can be read: {skipped(tally.bad, tally.shown)}.")
    pairs, names, chosen = select(tally.counts(), list(tally.arms), items, min_duels)
    against = tally.contradictions(table.unit)
    note = "; ".join(filter(None, [tally.note, assumed, against, chosen, odd_names(names), table.note]))
    problem = Problem.from_counts(pairs, prior=prior, fit=fit, items=names, note=note)
    if len(names) <= SMALL:
        kept = np.array([tally.arms[name] for name in names])
        problem.ties = 2 * tally.tied.result(len(tally.arms)).among(kept).table()
    return problem


def _can_be_read(read: Reader, row: list[str]) -> bool:
    try:
        read(row)
    except NoDuelError:
        return True
    except RowError:
        return False
    return True


def _is_header(cells: list[str]) -> bool:
    """Tell whether these cells are the names of columns."""
    try:
        return duel_columns(cells) is not None
    except WinnerstaysError:  # which asks what is what among them
        return True


def _without_headers(table: Table, names: Sequence[str], left_out: Counter[str]) -> Table:
    """Return the table without rows that hold the names of its columns, which are counted each time it is read."""
    header = [name.lower() for name in names]

    def rows() -> Iterator[Row]:
        left_out["rows of headers"] = 0
        for number, row in table.rows():
            if row and row[0].lower() == header[0] and [text.lower() for text in row] == header:
                left_out["rows of headers"] += 1
            else:
                yield number, row

    return replace(table, rows=rows)


def check_width(row: Sequence[str], header: Sequence[str]) -> None:
    """Refuse a row with more cells than the header: a name that holds the delimiter was cut in two."""
    if len(row) > len(header) and any(row[len(header) :]):
        raise RowError(
            len(header) - 1,
            f"has {len(row)} cells ({', '.join(map(repr, row))[:60]}), but the header has {len(header)}; "
            "write a name that holds the delimiter in quotes",
        )


def explain(table: Table, number: int, wrong: RowError) -> str:
    """Say what is wrong with a row, beginning with its place in the file."""
    if str(wrong).startswith("has "):
        return f"{table.unit} {number} {wrong}"
    return f"{table.unit} {number}, column {wrong.column + 1} ({table.header[wrong.column]}) {wrong}"


def is_log(header: list[str]) -> bool:
    """Tell whether a table is the log of an arena."""
    return {name.lower() for name in header} >= EVENT


def _reader(table: Table, columns: Given, codes: Given) -> tuple[Reader, str]:
    if columns is None and is_log(table.header):
        return _log_reader(table), "an arena's log: accepted answers"
    roles = duel_columns(table.header, columns, Contents(table))
    if roles is None:
        raise WinnerstaysError(
            f"the columns are {', '.join(filter(None, table.header)) or 'none'}; a table of duels has winner and "
            "loser, or two sides and who won, such as model_a, model_b and winner; columns (--columns left=...,"
            "right=...,winner=..., or left_score=...,right_score=... in place of the winner) says which is which."
        )
    layout = layout_of(table, roles, parse_columns(columns, table.header).keys(), codes)
    main = {role: table.header[place] for role, place in roles.items() if role in ("winner", "loser", "left", "right")}
    unusual = {role: name for role, name in main.items() if name.lower() != role}
    said = "columns: " + ", ".join(f"{role} {name}" for role, name in unusual.items()) if unusual else ""
    remarks = [table.remarks[place] for place in sorted({*roles.values()}) if place in table.remarks]
    return layout.read, "; ".join(filter(None, [said, layout.assumed, *remarks]))


def _log_reader(table: Table) -> Reader:
    header = [name.lower() for name in table.header]
    kind, left, right, outcome, winner = map(header.index, ("kind", "left", "right", "outcome", "winner"))

    def read(row: list[str]) -> Outcome | None:
        if cell(row, kind, table.header) not in ACCEPTED:
            return None
        first, second = cell(row, left, table.header), cell(row, right, table.header)
        share = {"tie": 0.5, "winner": float(row[winner] == first)}.get(row[outcome])
        if share is None:
            return Outcome(first, second, 0.0, 0.0)
        return Outcome(first, second, share, 1 - share, float(share == 0.5))

    return read
