"""Rankings as duels, however they were written.

- a voter who ranks i above j counts as one duel that i won;
- items tied by a voter count as half a win for both;
- items a voter leaves out are not compared with anything: the voter may never have seen them. With
  `unranked="below"` they are below all that the voter ranks, but not compared with each other: right where voters
  saw everything and named what they liked best.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.errors import WinnerstaysError
from winnerstays.problems.likeness import distinct_names, odd_names
from winnerstays.problems.pair_counts import PairCounts, PairCountsBuilder
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.duels import BAD_SHOWN, skipped, way_out
from winnerstays.problems.readers.selection import check_items, check_selection, select
from winnerstays.wording import counted

Unranked = Literal["unknown", "below"]
Groups = Sequence[Sequence[str]]
"""Items from the best to the last; those in one group are tied."""
LARGEST_TABLE = 1000
"""Items up to which the wins of all pairs are counted in one table; of more, once a voter ranks half of them."""
ORDERS_AT_ONCE, SHORT = 500, 0.25
"""Orders of more than this share of the items are counted so many at once, shorter ones one by one."""


class Order(NamedTuple):
    """What so many voters say, and where; a sentence in place of it where it cannot be read."""

    line: int
    times: str  # how many voters
    groups: Groups
    wrong: str = ""


class Rankings(NamedTuple):
    """The name of each label by which orders call an alternative, and the orders that voters gave."""

    names: dict[str, str]
    orders: Iterable[Order]
    kind: str  # how they are written
    voters: int | None = None  # as the file declares
    note: str = ""
    unit: str = "line"


def check_unranked(unranked: str) -> None:
    if unranked not in ("below", "unknown"):
        raise WinnerstaysError(f"unranked is {unranked!r}, but it must be 'unknown' or 'below'.")


def rankings_problem(
    rankings: Rankings,
    *,
    unranked: Unranked = "unknown",
    items: int | None = None,
    min_duels: int = 0,
    skip_bad: bool = False,
    prior: float = 1.0,
    fit: str | None = None,
) -> Problem:
    """The problem of rankings by the rules above."""
    check_unranked(unranked)
    check_selection(items, min_duels)
    votes = _Votes(list(rankings.names), unranked)
    bad: list[str] = []
    orders = iter(rankings.orders)
    for order in orders:
        wrong = order.wrong or votes.add(order)
        if wrong and not skip_bad:
            others = votes.voters > 0 or any(not (one.wrong or votes.add(one)) for one in orders)
            raise WinnerstaysError(f"{rankings.unit} {order.line} {wrong}; {way_out(others)}.")
        if wrong:
            bad.append(f"{rankings.unit} {order.line} {wrong}" if len(bad) < BAD_SHOWN else "")
    if not votes.voters:
        raise WinnerstaysError(
            f"no ranking can be read: {skipped(len(bad), bad[:BAD_SHOWN])}." if bad else "the file holds no orders."
        )
    pairs, names, chosen = select(votes.counts(), distinct_names(rankings.names), items, min_duels)
    cut = f", but the file declares {rankings.voters}" if rankings.voters not in (None, votes.voters) else ""
    said = skipped(len(bad), bad[:BAD_SHOWN]) if bad else ""
    parts = [
        f"{counted(votes.voters, 'voter')} ({rankings.kind}){cut}",
        "ties are half a win",
        votes.rule,
        said,
        chosen,
    ]
    note = "; ".join(filter(None, [*parts, odd_names(names), rankings.note]))
    return Problem.from_counts(pairs, prior=prior, fit=fit, items=names, note=note)


class _Votes:
    """Counts what voters decide: in a table where there are few items, else pair by pair."""

    def __init__(self, labels: Sequence[str], unranked: Unranked) -> None:
        check_items(len(labels))
        self.arms = {label: arm for arm, label in enumerate(labels)}
        self.unranked, self.voters, self.left_out = unranked, 0, 0
        n_arms = len(labels)
        self.table = np.zeros((n_arms, n_arms)) if n_arms <= LARGEST_TABLE else None
        self.pairs = PairCountsBuilder()
        self.long: list[tuple[int, Ints, Ints]] = []

    def add(self, order: Order) -> str:
        """Count an order, and return nothing; or what is wrong with it."""
        if not order.times.strip().isdecimal():
            return f"has {order.times.strip()[:40]!r} as count of voters, but it must be a whole number"
        labels = [label for group in order.groups for label in group]
        try:
            arms = np.array([self.arms[label] for label in labels], dtype=np.int64)
        except KeyError as unknown:
            return f"ranks alternative {unknown.args[0]}, which the file does not name"
        if len(set(labels)) < len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            return f"ranks {twice!r} twice"
        place = np.repeat(np.arange(len(order.groups)), [len(group) for group in order.groups])
        times, n_arms = int(order.times), len(self.arms)
        self.voters += times
        self.left_out += times * (n_arms > arms.size)
        if self.table is None and 2 * arms.size > n_arms:
            self.table = np.zeros((n_arms, n_arms))
        if self.table is not None and arms.size > SHORT * n_arms:
            self.long.append((times, arms, place))
            if len(self.long) == ORDERS_AT_ONCE:
                self._add_long()
        else:
            self._add_short(times, arms, place)
        return ""

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

    def counts(self) -> PairCounts:
        if self.table is None:
            return self.pairs.result(len(self.arms))
        self._add_long()
        self.table += self.pairs.result(len(self.arms)).table()
        np.fill_diagonal(self.table, 0)
        return PairCounts.from_table(self.table)

    @property
    def rule(self) -> str:
        """What was assumed of items that voters left out, if they did."""
        if not self.left_out:
            return ""
        share = f"{counted(self.left_out, 'voter')} left items out"
        if self.unranked == "below":
            return f"{share}, which count as beaten by those they ranked (unranked=below)"
        return f"{share}, which are not compared (unranked=below would count them as beaten)"
