"""PrefLib's files of rankings: `.soc`, `.soi` (strict orders), `.toc`, `.toi` (with ties), complete or incomplete.

The rules by which rankings become duels:

- a voter who ranks i above j counts as one duel that i won;
- items tied by a voter (in braces) count as half a win for both;
- items a voter leaves out are not compared with anything: the voter may never have seen them. With
  `unranked="below"` they are below all that the voter ranks, but not compared with each other: right where voters
  saw everything and named what they liked best.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.errors import WinnerstaysError
from winnerstays.problems.item_names import distinct_names
from winnerstays.problems.pair_counts import PairCounts, PairCountsBuilder
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.opening import Source, file_errors
from winnerstays.problems.readers.selection import check_items, check_selection, select

SUFFIXES = (".soc", ".soi", ".toc", ".toi")
Unranked = Literal["unknown", "below"]
LARGEST_TABLE = 1000
"""Items up to which the wins of all pairs are counted in one table."""
ORDERS_AT_ONCE, SHORT = 500, 0.25
"""Orders of more than this share of the items are counted so many at once, shorter ones one by one."""

_HEADER = re.compile(r"#\s*(?:ALTERNATIVE NAME (?P<number>\d+)|(?P<key>[A-Z ]+?))\s*:\s*(?P<value>.*)")
_GROUP = re.compile(r"\{([^{}]*)\}|([^,{}]+)")


def read_preflib(
    path: str | Path,
    *,
    unranked: Unranked = "unknown",
    items: int | None = None,
    min_duels: int = 0,
    prior: float = 1.0,
    fit: str | None = None,
) -> Problem:
    """The problem of a random voter's choices between two alternatives; see the rules above.

    `items`, `min_duels`, `prior` and `fit` are as of `read_duels`.
    """
    _check_unranked(unranked)
    path = Path(path)
    with file_errors(path):
        source = Source(path)
        with source.text() as file:
            lines = ((number, line.strip()) for number, line in enumerate(file, start=1) if line.strip())
            problem = rankings_problem(
                _open(lines), "PrefLib", unranked=unranked, items=items, min_duels=min_duels, prior=prior, fit=fit
            )
        problem.name = source.stem
    return problem


def rankings_problem(
    rankings: "Rankings",
    kind: str,
    *,
    unranked: Unranked = "unknown",
    items: int | None = None,
    min_duels: int = 0,
    prior: float = 1.0,
    fit: str | None = None,
) -> Problem:
    """The problem of rankings by the rules above; `kind` says how they are written."""
    _check_unranked(unranked)
    check_selection(items, min_duels)
    votes = _Votes(rankings.names, unranked)
    for number, count, order in rankings.orders:
        votes.add(number, count, order)
    if not votes.voters:
        raise WinnerstaysError("the file holds no orders.")
    pairs, names, chosen = select(votes.counts(), distinct_names(rankings.names), items, min_duels)
    cut = f", but the file declares {rankings.voters}" if rankings.voters not in (None, votes.voters) else ""
    parts = [f"{votes.voters} voters ({kind}){cut}", "ties are half a win", votes.rule, chosen]
    note = "; ".join(filter(None, parts))
    return Problem.from_counts(pairs, prior=prior, fit=fit, items=names, note=note)


def _check_unranked(unranked: str) -> None:
    if unranked not in ("below", "unknown"):
        raise WinnerstaysError(f"unranked is {unranked!r}, but it must be 'unknown' or 'below'.")


class Rankings(NamedTuple):
    """The names of the alternatives by their numbers, and the orders that voters gave."""

    names: dict[int, str]
    voters: int | None  # as the file declares
    orders: Iterable[tuple[int, str, str]]  # (line, count, order)


def _open(lines: Iterator[tuple[int, str]]) -> Rankings:
    first = next(lines, None)
    if first is None:
        raise WinnerstaysError("the file is empty.")
    return _present(chain([first], lines)) if first[1].startswith("#") else _older(*first, lines)


def _present(lines: Iterator[tuple[int, str]]) -> Rankings:
    """`# KEY: value` lines, then `count: order` lines."""
    names: dict[int, str] = {}
    said = {"NUMBER ALTERNATIVES": 0, "NUMBER VOTERS": 0}
    for number, text in lines:
        header = _HEADER.match(text)
        if header and header["number"]:
            names[int(header["number"])] = header["value"]
        elif header and header["key"] in said:
            said[header["key"]] = _whole(number, header["value"], header["key"].lower())
        elif not text.startswith("#"):
            lines = chain([(number, text)], lines)
            break
    declared = said["NUMBER ALTERNATIVES"]
    check_items(max(declared, len(names)))
    named = {arm: names.get(arm, str(arm)) for arm in range(1, declared + 1)} | names
    orders = ((number, *_halves(number, text, ":")) for number, text in lines if not text.startswith("#"))
    return Rankings(named, said["NUMBER VOTERS"] or None, orders)


def _older(number: int, text: str, lines: Iterator[tuple[int, str]]) -> Rankings:
    """The number of alternatives, a line for each, a line of totals, then `count,order` lines."""
    declared = _whole(number, text, "number of alternatives")
    check_items(declared)
    names: dict[int, str] = {}
    for _ in range(declared):
        number, text = next(lines, (0, ""))
        label, comma, name = text.partition(",")
        if not comma:
            raise WinnerstaysError("the file ends before all its alternatives are named.")
        names[_whole(number, label, "alternative")] = name.strip()
    number, totals = next(lines, (0, "0"))
    voters = _whole(number, totals.partition(",")[0], "number of voters")
    return Rankings(names, voters or None, ((number, *_halves(number, text, ",")) for number, text in lines))


def _halves(number: int, text: str, mark: str) -> tuple[str, str]:
    count, found, order = text.partition(mark)
    if not found:
        raise WinnerstaysError(f"line {number} is {text[:40]!r}, but it must be a count, {mark!r} and an order.")
    return count, order


class _Votes:
    """Counts what voters decide: in a table where there are few items, else pair by pair."""

    def __init__(self, names: dict[int, str], unranked: Unranked) -> None:
        check_items(len(names))
        self.arms = {label: arm for arm, label in enumerate(names)}
        self.unranked, self.voters, self.left_out = unranked, 0, 0
        self.table = np.zeros((len(names), len(names))) if len(names) <= LARGEST_TABLE else None
        self.pairs = PairCountsBuilder()
        self.long: list[tuple[int, Ints, Ints]] = []

    def add(self, number: int, count: str, order: str) -> None:
        times = _whole(number, count, "count of voters")
        arms, place = self._places(number, order)
        self.voters += times
        self.left_out += times * (len(self.arms) > arms.size)
        if self.table is not None and arms.size > SHORT * len(self.arms):
            self.long.append((times, arms, place))
            if len(self.long) == ORDERS_AT_ONCE:
                self._add_long()
        else:
            self._add_short(times, arms, place)

    def _add_short(self, times: int, arms: Ints, place: Ints) -> None:
        """Count one order, by the table of its own items."""
        ranked = arms.size
        if self.unranked == "below" and ranked < len(self.arms):
            rest = np.setdiff1d(np.arange(len(self.arms)), arms)
            arms, place = np.concatenate([arms, rest]), np.concatenate([place, np.full(rest.size, len(self.arms))])
        wins = (place[:ranked, None] < place) * float(times) + (place[:ranked, None] == place) * (times / 2)
        if self.table is not None:
            self.table[np.ix_(arms[:ranked], arms)] += wins
        else:
            self.pairs.add_block(arms, np.vstack([wins, np.zeros((arms.size - ranked, arms.size))]))

    def _add_long(self) -> None:
        """Count many orders together, item by item."""
        n_arms = len(self.arms)
        own = np.full((len(self.long), n_arms), 2 * n_arms, np.int32)  # an item that is left out beats nothing
        other = np.full_like(own, n_arms if self.unranked == "below" else -1)
        for row, (_, arms, place) in enumerate(self.long):
            own[row, arms] = other[row, arms] = place
        times = np.array([times for times, _, _ in self.long], np.float64)
        tied = any((np.diff(place) == 0).any() for _, _, place in self.long)
        assert self.table is not None
        for arm in range(n_arms):
            self.table[arm] += times @ (own[:, arm : arm + 1] < other)
            if tied:
                self.table[arm] += times @ (own[:, arm : arm + 1] == other) / 2
        self.long = []

    def _places(self, number: int, order: str) -> tuple[Ints, Ints]:
        """The arms that a voter ranks, and the place of each; tied arms have the same."""
        if "{" in order:
            groups = [(braced or single).split(",") for braced, single in _GROUP.findall(order)]
        else:
            groups = [[cell] for cell in order.split(",")]
        try:
            labels = [(int(cell), place) for place, group in enumerate(groups) for cell in group if cell.strip()]
        except ValueError:
            for cell in order.replace("{", "").replace("}", "").split(","):
                if cell.strip():
                    _whole(number, cell, "alternative")
            raise
        for label, _ in labels:
            if label not in self.arms:
                raise WinnerstaysError(f"line {number} ranks alternative {label}, which the file does not name.")
        arms = np.array([self.arms[label] for label, _ in labels], dtype=np.int64)
        if np.unique(arms).size < arms.size:
            raise WinnerstaysError(f"line {number} ranks an alternative twice: {order.strip()[:40]!r}.")
        return arms, np.array([place for _, place in labels], dtype=np.int64)

    def counts(self) -> PairCounts:
        if self.table is None:
            return self.pairs.result(len(self.arms))
        self._add_long()
        np.fill_diagonal(self.table, 0)
        return PairCounts.from_table(self.table)

    @property
    def rule(self) -> str:
        """What was assumed of items that voters left out, if they did."""
        if not self.left_out:
            return ""
        share = f"{self.left_out} voters left items out"
        if self.unranked == "below":
            return f"{share}, which count as beaten by those they ranked (unranked=below)"
        return f"{share}, which are not compared (unranked=below would count them as beaten)"


def _whole(number: int, text: str, what: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise WinnerstaysError(f"line {number} has {text.strip()[:40]!r} as {what}, but it must be a whole number.")
    return value
