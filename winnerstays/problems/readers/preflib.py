"""PrefLib's rankings: `.soc`, `.soi` (strict orders), `.toc`, `.toi` (with ties), complete or incomplete.

- A voter who ranks i above j counts as one duel that i won; items that a voter ties are half a win for both.
- Items that a voter leaves out are not compared with anything: the voter may never have seen them. With
  `unranked="below"` they lose to all that the voter ranks, and are not compared with each other.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.item_names import distinct_names
from winnerstays.problems.pair_counts import PairCounts, PairCountsBuilder
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.limits import Limits
from winnerstays.problems.readers.selection import check_items, check_selection, select
from winnerstays.problems.readers.source import Source
from winnerstays.problems.readers.table import BadRows
from winnerstays.wording import counted

SUFFIXES = (".soc", ".soi", ".toc", ".toi")
OTHER_SUFFIXES = (".cat", ".wmd")
"""PrefLib's files that hold no rankings: categories and graphs."""
UNRANKED = ("unknown", "below")
LARGEST_TABLE = 1000
"""Items up to which the wins of all pairs are counted in one table."""
GROUP = re.compile(r"\{([^{}]*)\}|([^,{}]+)")

Line = tuple[int, str]


class Rankings(NamedTuple):
    """What a file says before its orders, and the lines of these."""

    names: dict[int, str]
    voters: int
    mark: str  # between the count of an order and its alternatives
    orders: Iterator[Line]


def rankings_problem(
    source: Source,
    *,
    unranked: str = "unknown",
    items: int | None = None,
    min_duels: int = 0,
    skip_bad: bool = False,
    prior: float = 1.0,
    fit: str | None = None,
) -> Problem:
    """Return the problem of a random voter's choices between two alternatives."""
    if unranked not in UNRANKED:
        raise unknown("value of unranked", unranked, UNRANKED)
    check_selection(items, min_duels)
    if source.suffix in OTHER_SUFFIXES:
        raise WinnerstaysError(f"{source.suffix} files of PrefLib hold no rankings; {', '.join(SUFFIXES)} do.")
    bad = BadRows(skip_bad)
    rankings = _opened((number, line.strip()) for number, line in enumerate(source.text(), start=1) if line.strip())
    numbers = sorted(rankings.names)
    check_items(len(numbers))
    source.limits.check("items", len(numbers))
    votes = Votes({number: arm for arm, number in enumerate(numbers)}, unranked == "below", source.limits)
    for line, text in rankings.orders:
        if text.startswith("#"):
            continue
        source.check_time()
        wrong = votes.add(text, rankings.mark)
        if wrong:
            bad.add(f"line {line} {wrong}")
    if not votes.voters:
        raise WinnerstaysError(f"no ranking can be read: {bad.note}." if bad.number else "the file holds no orders.")
    labels = distinct_names({number: rankings.names[number] for number in numbers})
    pairs, names, chosen = select(votes.counts(), labels, items, min_duels)
    cut = f", but the file declares {rankings.voters}" if rankings.voters not in (0, votes.voters) else ""
    said = [f"{counted(votes.voters, 'voter')} (PrefLib){cut}", "ties are half a win", votes.rule, bad.note, chosen]
    note = "; ".join(filter(None, said))
    return Problem.from_counts(pairs, prior=prior, fit=fit, items=names, note=note)


def _opened(lines: Iterator[Line]) -> Rankings:
    """Read what stands before the orders: `# KEY: value` lines, or in older files the alternatives and totals."""
    first = next(lines, None)
    if first is None:
        raise WinnerstaysError("the file is empty.")
    if not first[1].startswith("#"):
        return _older(first, lines)
    names: dict[int, str] = {}
    said = {"NUMBER ALTERNATIVES": 0, "NUMBER VOTERS": 0}
    for number, text in chain([first], lines):
        if not text.startswith("#"):
            lines = chain([(number, text)], lines)
            break
        key, _, value = text[1:].partition(":")
        key, value = key.strip(), value.strip()
        if key in said:
            said[key] = _whole(number, value, key.lower())
            check_items(max(said["NUMBER ALTERNATIVES"], 2))
        elif key.startswith("ALTERNATIVE NAME "):
            names[_whole(number, key.removeprefix("ALTERNATIVE NAME "), "alternative")] = value
    return Rankings(dict.fromkeys(range(1, said["NUMBER ALTERNATIVES"] + 1), "") | names, said["NUMBER VOTERS"], ":", lines)


def _older(first: Line, lines: Iterator[Line]) -> Rankings:
    """The number of alternatives, a line for each, a line of totals, then `count,order` lines."""
    declared = _whole(*first, "number of alternatives")
    check_items(declared)
    names: dict[int, str] = {}
    for _ in range(declared):
        number, text = next(lines, (0, ""))
        label, comma, name = text.partition(",")
        if not comma:
            raise WinnerstaysError("the file ends before all its alternatives are named.")
        names[_whole(number, label, "alternative")] = name.strip()
    number, totals = next(lines, (0, "0"))
    return Rankings(names, _whole(number, totals.partition(",")[0], "number of voters"), ",", lines)


def _whole(number: int, text: str, what: str) -> int:
    if not (text.strip().isdecimal() and len(text) < 18):
        raise WinnerstaysError(f"line {number} has {text.strip()[:40]!r} as {what}, but it must be a whole number.")
    return int(text)


class Votes:
    """Counts what voters decide: in a table where there are few items, else pair by pair."""

    def __init__(self, arms: dict[int, int], below: bool, limits: Limits) -> None:
        self.arms, self.below, self.limits = arms, below, limits
        self.voters = self.left_out = 0
        self._table = np.zeros((len(arms), len(arms))) if len(arms) <= LARGEST_TABLE else None
        self._pairs = PairCountsBuilder()

    def add(self, text: str, mark: str) -> str:
        """Count an order such as `12: 1,{2,3}`, and return nothing; or return what is wrong with it."""
        count, found, order = text.partition(mark)
        if not found:
            return f"is {text[:40]!r}, but it must be a count, {mark!r} and an order"
        if not (count.strip().isdecimal() and len(count) < 18):
            return f"has {count.strip()[:40]!r} as count of voters, but it must be a whole number"
        cells = [(braced or single).split(",") for braced, single in GROUP.findall(order)]
        groups = [[cell.strip() for cell in group if cell.strip()] for group in cells]
        labels = [label for group in groups for label in group]
        self.limits.check("ranked", len(self.arms) if self.below else len(labels))
        wrong = next((label for label in labels if not (label.isdecimal() and len(label) < 18)), None)
        if wrong is not None:
            return f"has {wrong[:40]!r} as alternative, but it must be a whole number"
        strange = next((label for label in labels if int(label) not in self.arms), None)
        if strange is not None:
            return f"ranks alternative {strange}, which the file does not name"
        arms = np.array([self.arms[int(label)] for label in labels], dtype=np.int64)
        if np.unique(arms).size < arms.size:
            return f"ranks an alternative twice: {order.strip()[:40]!r}"
        self._count(int(count), arms, np.repeat(np.arange(len(groups)), [len(group) for group in groups]))
        return ""

    def _count(self, times: int, arms: Ints, place: Ints) -> None:
        self.voters += times
        self.left_out += times * (len(self.arms) > arms.size)
        ranked = arms.size
        if self.below and ranked < len(self.arms):
            rest = np.setdiff1d(np.arange(len(self.arms)), arms)
            arms, place = np.concatenate([arms, rest]), np.concatenate([place, np.full(rest.size, len(self.arms))])
        wins = (place[:ranked, None] < place) * float(times) + (place[:ranked, None] == place) * (times / 2)
        np.fill_diagonal(wins, 0)
        if self._table is not None:
            self._table[np.ix_(arms[:ranked], arms)] += wins
        else:
            self._pairs.add_block(arms, np.vstack([wins, np.zeros((arms.size - ranked, arms.size))]))

    def counts(self) -> PairCounts:
        """Return the duels of all voters."""
        return self._pairs.result(len(self.arms)) if self._table is None else PairCounts.from_table(self._table)

    @property
    def rule(self) -> str:
        """What was assumed of items that voters left out, if they did."""
        if not self.left_out:
            return ""
        share = f"{counted(self.left_out, 'voter')} left items out"
        if self.below:
            return f"{share}, which count as beaten by those they ranked (unranked=below)"
        return f"{share}, which are not compared (unranked=below would count them as beaten)"
