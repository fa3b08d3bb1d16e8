"""Rows of duels, counted for each pair of items.

- `winner`, `loser`: an item each. A `tie` column, where one is mapped, holds 1 or 0, true or false.
- `left`, `right`, `winner`: the winner is one of the two items, a word of `WORDS`, or what `codes` says.
- `left`, `right`, `left_score`, `right_score`: the higher score wins, equal ones are a tie.
- The log of an arena, as `winnerstays arena export` writes it: its accepted answers.

A tie is half a win for both. A duel of an item with itself says nothing; the note counts those that were left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems.estimation import SMALL
from winnerstays.problems.pair_counts import Arms, PairCountsBuilder
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.columns import Mapped, as_option, parse
from winnerstays.problems.readers.limits import LOCAL, Limits
from winnerstays.problems.readers.table import BadRows, Block, Table, number
from winnerstays.problems.selection import check_selection, select
from winnerstays.wording import counted

Mask = npt.NDArray[np.bool_]
SIDES = {"left": 1.0, "right": 0.0, "tie": 0.5}
"""What the left item wins of a duel."""
WORDS = SIDES | {"model_a": 1.0, "model_b": 0.0, "tie (bothbad)": 0.5, "both_bad": 0.5}
NONE = "none"
"""The code of rows that say nothing."""
FLAGS = {"1": True, "true": True, "True": True, "0": False, "false": False, "False": False, "": False}
LOG = ("seq", "arena", "kind", "duel", "left", "right", "outcome", "winner")
ACCEPTED = ("learned", "noted")
MOST_CODES = 6
"""Unknown values of a winner's column up to which codes for them are proposed."""


class Numbers(dict[str, int]):
    """The number of each item, in the order in which they come."""

    def __missing__(self, item: str) -> int:
        self[item] = number = len(self)
        return number

    def of(self, left: Sequence[str], right: Sequence[str]) -> tuple[Arms, Arms]:
        """Return the numbers of the items of some duels."""
        cells = chain.from_iterable(zip(left, right, strict=True))
        both = np.fromiter(map(self.__getitem__, cells), np.int32, 2 * len(left))
        return both[::2], both[1::2]


@dataclass
class Tally:
    """What the rows said."""

    limits: Limits
    items: Numbers = field(default_factory=Numbers)
    pairs: PairCountsBuilder = field(default_factory=PairCountsBuilder)
    tied: PairCountsBuilder = field(default_factory=PairCountsBuilder)
    duels: float = 0.0
    ties: float = 0.0
    alone: int = 0
    undecided: int = 0

    def add(self, left: Arms, right: Arms, share: Floats, weight: Floats) -> None:
        """Count duels of which the left item won these shares; NaN where nothing was decided."""
        self.limits.check("items", len(self.items))
        alone, undecided = left == right, np.isnan(share)
        self.alone += int(alone.sum())
        self.undecided += int((undecided & ~alone).sum())
        decided = ~(alone | undecided) & (weight > 0)
        if not decided.all():
            left, right, share, weight = left[decided], right[decided], share[decided], weight[decided]
        self.duels += float(weight.sum())
        self.pairs.add(left, right, share * weight, (1 - share) * weight)
        half = share == 0.5
        if half.any():
            self.ties += float(weight[half].sum())
            self.tied.add(left[half], right[half], weight[half], weight[half])

    @property
    def note(self) -> str:
        """Say what was counted, and what was left out."""
        ties = f", {self.ties:.15g} of them ties (half a win for both)" if self.ties else ""
        parts = [counted(self.duels, "duel") + ties]
        parts += [f"{self.alone} of an item with itself left out"] if self.alone else []
        parts += [f"{self.undecided} without a decision left out"] if self.undecided else []
        return "; ".join(parts)


def is_log(header: Sequence[str]) -> bool:
    """Tell whether a table is the log of an arena."""
    return {*header} >= {*LOG}


def duels_problem(
    table: Table,
    places: Mapping[str, int],
    note: str,
    *,
    codes: Mapped = None,
    items: int | None = None,
    min_duels: int = 0,
    skip_bad: bool = False,
    prior: float = 1.0,
    fit: str | None = None,
    limits: Limits = LOCAL,
) -> Problem:
    """Return the problem whose chances are estimated from duels; `places` are those of `LOG`'s columns or of roles."""
    check_selection(items, min_duels)
    tally, bad = Tally(limits), BadRows(skip_bad)
    read_duels(table, places, parse_codes(codes), tally, bad)
    if bad.number and not tally.duels:
        raise WinnerstaysError(f"no row can be read: {bad.note}.")
    pairs, names, chosen = select(tally.pairs.result(len(tally.items)), list(tally.items), items, min_duels)
    summary = "; ".join(filter(None, [tally.note, bad.note, note, chosen]))
    problem = Problem.from_counts(pairs, prior=prior, fit=fit, items=names, note=summary)
    if len(names) <= SMALL:
        arms = np.array([tally.items[name] for name in names])
        problem.ties = tally.tied.result(len(tally.items)).among(arms).table()
    return problem


def read_duels(table: Table, places: Mapping[str, int], codes: Mapping[str, float], tally: Tally, bad: BadRows) -> None:
    """Tell a tally each duel of a table."""
    if is_log([*places]):
        _read_log(table, places, tally)
    else:
        _read_rows(table, places, codes, tally, bad)


def parse_codes(codes: Mapped) -> dict[str, float]:
    """Return what the left item wins by each code.

    >>> parse_codes("1=left,2=right,-=none")
    {'1': 1.0, '2': 0.0, '-': nan}
    """
    meanings = SIDES | {NONE: np.nan}
    pairs = {code: meaning.strip() for code, meaning in parse(codes, "codes").items()}
    for meaning in pairs.values():
        if meaning not in meanings:
            raise unknown("meaning of a code", meaning, meanings)
    return {code: meanings[meaning] for code, meaning in pairs.items()}


def _read_log(table: Table, places: Mapping[str, int], tally: Tally) -> None:
    columns = [places[name] for name in ("kind", "left", "right", "outcome", "winner")]
    for block in table.blocks(columns, BadRows(skip=False)):
        answers = [row[1:] for row in zip(*block.cells, strict=True) if row[0] in ACCEPTED]
        share = [
            0.5 if outcome == "tie" else float(winner == left) if outcome == "winner" else np.nan
            for left, _, outcome, winner in answers
        ]
        names = ([answer[side] for answer in answers] for side in (0, 1))
        tally.add(*tally.items.of(*names), np.array(share, np.float64), np.ones(len(answers)))


def _read_rows(table: Table, places: Mapping[str, int], codes: Mapping[str, float], tally: Tally, bad: BadRows) -> None:
    sides = ("left", "right") if "left" in places else ("winner", "loser")
    if codes and not {"left", "winner"} <= places.keys():
        raise WinnerstaysError("codes explains a winner column beside left and right, but this table has none.")
    for block in table.blocks([*places.values()], bad):
        rows = Rows(table.header, places, block, bad)
        for side in sides:
            if "" in rows.cells[side]:
                rows.refuse([not cell for cell in rows.cells[side]], side, "but it must name an item")
        share = np.ones(len(rows.fine))
        if "left_score" in places:
            left_score, right_score = rows.numbers("left_score"), rows.numbers("right_score")
            share = (np.sign(left_score - right_score) + 1) / 2
        if "tie" in places:
            tied = np.array([FLAGS.get(cell, -1) for cell in rows.cells["tie"]])
            rows.refuse(tied == -1, "tie", "but a tie is 1 or 0, true or false")
        else:
            tied = np.zeros(share.size)
        if "left" in places and "winner" in places:
            share = _shares(rows, codes, tied == 1)
        share = np.where(tied == 1, 0.5, share)
        weight = rows.numbers("count") if "count" in places else np.ones(share.size)
        rows.refuse(weight < 0, "count", "but it must be at least 0")
        left, right = (rows.kept(rows.cells[side]) for side in sides)
        tally.add(*tally.items.of(left, right), share[rows.fine], weight[rows.fine])


class Rows:
    """The rows of a block by their roles, and which of them can be read."""

    def __init__(self, header: Sequence[str], places: Mapping[str, int], block: Block, bad: BadRows) -> None:
        self.cells = dict(zip(places, block.cells, strict=True))
        self.fine = np.ones(len(block.cells[0]), bool)
        self._names = {role: header[place] for role, place in places.items()}
        self._block, self._bad = block, bad

    def refuse(self, wrong: Sequence[bool] | Mask, role: str, why: str) -> None:
        """Leave out the rows whose cell of a role is wrong, or say which is the first of them."""
        mask = np.asarray(wrong, bool)
        if not mask.any():
            return
        for k in np.flatnonzero(mask & self.fine).tolist():
            cell = self.cells[role][k]
            shown = repr(cell[:40]) if cell else "nothing"
            where = "" if self._bad.full else self._block.where(k)
            self._bad.add(f"{where} has {shown} in the column {self._names[role]!r}, {why}")
        self.fine &= ~mask

    def numbers(self, role: str) -> Floats:
        """Return the cells of a role as numbers; refuse rows where one is none."""
        cells = self.cells[role]
        try:
            values = np.array(list(map(float, cells)))
        except ValueError:
            values = np.array(list(map(number, cells)))
        wrong = ~np.isfinite(values)
        self.refuse(wrong, role, "but it must be a number")
        return np.where(wrong, 0.0, values)

    def kept(self, cells: list[str]) -> list[str]:
        """Return the cells of the rows that can be read."""
        return cells if self.fine.all() else [cells[k] for k in np.flatnonzero(self.fine)]


def _shares(rows: Rows, codes: Mapping[str, float], tied: Mask) -> Floats:
    """Return what the left item wins of each duel, by the winner's column."""
    left, right, winner = (rows.cells[role] for role in ("left", "right", "winner"))
    unknown_word = -1.0
    words = codes or WORDS
    by_word = np.array([words.get(cell, unknown_word) for cell in winner])
    first = np.array([one == won for one, won in zip(left, winner, strict=True)], bool)
    second = np.array([other == won for other, won in zip(right, winner, strict=True)], bool)
    named = np.where(first, 1.0, np.where(second, 0.0, unknown_word))
    is_word, is_named = by_word != unknown_word, first | second
    if codes:
        share = np.where(is_word, by_word, named)
    else:
        double = is_word & is_named & (named != by_word) & ~(first & second) & ~tied
        sides = as_option("codes", {word: word for word in SIDES})
        rows.refuse(
            double,
            "winner",
            f"which is both an item and a word for a side; if the word is meant, say {sides} (codes= in Python)",
        )
        share = np.where(is_named, named, by_word)
    missing = ~(is_word | is_named | tied) & rows.fine
    if missing.any():
        values = list(dict.fromkeys(winner[k] for k in np.flatnonzero(missing)))
        meanings = ("left", "right", "tie", *[NONE] * MOST_CODES)
        meant = {word: {1.0: "left", 0.0: "right", 0.5: "tie"}.get(share, NONE) for word, share in codes.items()}
        proposed = as_option("codes", meant | dict(zip(values, meanings, strict=False)))
        way = f"; codes say what else there is, such as {proposed} (codes= in Python)" * (len(values) <= MOST_CODES)
        rows.refuse(missing, "winner", f"but it must be an item of its row, left, right or tie{way}")
    return np.where(missing, 0.0, share)
