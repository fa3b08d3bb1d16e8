"""What the others taught: with which points the learner of a new user starts.

The latest learners of the arena are looked at: which items each has shown, and which is its favourite. The rate of an
item is the share of those who saw it whose favourite it is, (fans + 1) / (viewers + 2), so that an item nobody has seen
yet is tried soon. An item starts with half the binary logarithm of how many of all of them would be its fans.

How much the crowd is worth is learned, too. If tastes had nothing in common, the fans of an item would be a share of
its viewers that is the same for all items, and their numbers would scatter as by chance. All points are multiplied by
the share of the scatter that is not chance, or by 0 if it may be chance (`not_chance`).

Where the user is of a group, the latest learners of that group are looked at in the same way, and it is learned how far
the group differs from the crowd: the share of the scatter of its fans around what the crowd would lead one to expect
that is not chance. The points are the group's to that share, and the crowd's for the rest.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats

POINT = 1024
"""What an algorithm's scores are counted in."""
MIN_LEARNERS = 10
MAX_LEARNERS = 300
"""The latest learners that are looked at."""
MIN_OUTCOMES = 5
"""Learners with fewer outcomes are not."""
MAX_ITEMS = 100
"""So many items get points at most: those that are shown to a new user first."""
NEW_LEARNERS = 10
"""The crowd is looked at again after so many new learners of this process, or a twentieth of the learners looked at."""


class Taste(NamedTuple):
    """What is known of one learner."""

    favourite: int
    seen: Sequence[int]


class Crowd(NamedTuple):
    """What a new learner starts with."""

    points: tuple[tuple[int, int], ...]
    """(item, points)"""
    worth: float
    """From 0, tastes have nothing in common, to 1."""
    learners: int
    """How many were looked at."""
    differs: float = 0.0
    """From 0, the group is like the crowd, to 1: only the group counts."""


class Tally:
    """How many of some people saw each item, and of how many it is the favourite."""

    def __init__(self, tastes: Collection[Taste], size: int) -> None:
        self.learners = len(tastes)
        self.fans, self.viewers = np.zeros(size), np.zeros(size)
        for taste in tastes:
            self.fans[taste.favourite] += 1
            self.viewers[list(taste.seen)] += 1
        self.worth = not_chance(self.fans, self.viewers) if self.learners >= MIN_LEARNERS else 0.0

    @property
    def rates(self) -> Floats:
        """The chance that whoever sees an item will like it best."""
        return (self.fans + 1) / (self.viewers + 2)

    def points(self, worth: float) -> Floats:
        """Return the points of each item, if the tastes of these people are worth so much to another one."""
        return POINT * worth * np.log2(1 + self.learners * self.rates) / 2

    def differs(self, others: "Tally") -> float:
        """Return how far these people differ from others, from 0 to 1, as far as chance does not explain it."""
        if self.learners < MIN_LEARNERS:
            return 0.0
        believed = others.worth * others.rates + (1 - others.worth) * others.rates.mean()
        return not_like(self.fans, self.viewers * believed)


def crowd(tastes: Collection[Taste], there: Collection[int], of_group: Collection[Taste] = ()) -> Crowd:
    """Return what the tastes of all, and of those in the new user's group, teach about the items that are there.

    >>> agreeing = [Taste(0, range(4))] * 40
    >>> crowd(agreeing, range(4)).points[0][0], round(crowd(agreeing, range(4)).worth, 2)
    (0, 0.92)
    >>> crowd([Taste(k % 4, range(4)) for k in range(40)], range(4)).points
    ()
    >>> group = [Taste(1, range(4))] * 40
    >>> crowd(agreeing + group, range(4), group).points[0][0]
    1
    """
    if not there or not (tastes or of_group):
        return Crowd((), 0.0, len(tastes))
    items = np.array(sorted(there))
    size = 1 + max(int(items[-1]), *(max(taste.favourite, *taste.seen) for taste in (*tastes, *of_group)))
    everyone, group = Tally(tastes, size), Tally(of_group, size)
    differs = group.differs(everyone)
    points = (1 - differs) * everyone.points(everyone.worth) + differs * group.points(group.worth)
    return Crowd(as_points(points[items], items), everyone.worth, len(tastes), differs)


def as_points(points: Floats, items: Floats) -> tuple[tuple[int, int], ...]:
    """Return (item, points) of those items that get any, the most first: how far they are above the others."""
    least = np.sort(points)[-min(MAX_ITEMS, items.size)]
    order = np.argsort(-points, kind="stable")[:MAX_ITEMS]
    placed = ((int(items[k]), int(points[k] - least)) for k in order)
    return tuple((item, given) for item, given in placed if given > 0)


def not_chance(fans: Floats, viewers: Floats) -> float:
    """Return the share of the scatter of fans that is not chance, if by chance they were a share of the viewers.

    With e fans to be expected of an item, (fans - e)^2 / e is 1 on average by chance; its mean over n items may be
    3 sqrt(2 / n) more.
    """
    expected = _shared_out(fans, viewers)
    seen = expected > 0
    scatter = float(((fans - expected)[seen] ** 2 / expected[seen]).sum()) / max(1, int(seen.sum()) - 1)
    return _beyond(scatter, 1 + 3 * float(np.sqrt(2 / seen.sum())))


def not_like(fans: Floats, weights: Floats) -> float:
    """Return the share of the scatter of fans around what others lead one to expect that is not chance.

    Of few items much is expected, of many next to nothing: so sum (fans - e)^2 / sum e is taken, 1 on average by
    chance with a variance of (2 sum e^2 + sum e) / (sum e)^2, of which 3 standard deviations may be chance.
    """
    expected = _shared_out(fans, weights)
    total = float(expected.sum())
    scatter = float(((fans - expected) ** 2).sum()) / total
    return _beyond(scatter, 1 + 3 * float(np.sqrt(2 * (expected**2).sum() + total)) / total)


def _shared_out(fans: Floats, weights: Floats) -> Floats:
    """Return how many fans each item would have if they were shared out by these weights."""
    return weights * float(fans.sum() / weights.sum())


def _beyond(scatter: float, chance: float) -> float:
    return max(0.0, 1 - chance / scatter) if scatter > 0 else 0.0
