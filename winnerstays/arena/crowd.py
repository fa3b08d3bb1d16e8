"""What the others taught: with which points the learner of a new user starts.

The latest learners of the arena are looked at: which items each has shown, and which is its favourite. The rate of an
item is the share of those who saw it whose favourite it is, (fans + 1) / (viewers + 2), so that an item nobody has seen
yet is tried soon. An item starts with half the binary logarithm of how many of all of them would be its fans.

How much the crowd is worth is learned, too. If tastes had nothing in common, the fans of an item would be a share of
its viewers that is the same for all items, and their numbers would scatter as by chance: the mean of
(fans - expected)^2 / expected over the n items that were seen would be 1, give or take sqrt(2 / n). All points are
multiplied by the share of the scatter that is not chance, 1 - (1 + 3 sqrt(2 / n)) / scatter, or by 0 below it.
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


def crowd(tastes: Collection[Taste], there: Collection[int]) -> Crowd:
    """Return what these tastes teach about the items that are there.

    >>> agreeing = [Taste(0, range(4))] * 40
    >>> crowd(agreeing, range(4)).points[0][0], round(crowd(agreeing, range(4)).worth, 2)
    (0, 0.92)
    >>> crowd([Taste(k % 4, range(4)) for k in range(40)], range(4)).points
    ()
    """
    nothing = Crowd((), 0.0, len(tastes))
    if len(tastes) < MIN_LEARNERS or not there:
        return nothing
    items = np.array(sorted(there))
    size = 1 + max(int(items[-1]), *(max(taste.favourite, *taste.seen) for taste in tastes))
    fans, viewers = np.zeros(size), np.zeros(size)
    for taste in tastes:
        fans[taste.favourite] += 1
        viewers[list(taste.seen)] += 1
    worth = _worth(fans[viewers > 0], viewers[viewers > 0])
    if worth <= 0:
        return nothing
    rates = (fans[items] + 1) / (viewers[items] + 2)
    points = POINT * worth * np.log2(1 + len(tastes) * rates) / 2
    least = np.sort(points)[-min(MAX_ITEMS, items.size)]
    order = np.argsort(-points, kind="stable")[:MAX_ITEMS]
    found = ((int(items[k]), int(points[k] - least)) for k in order)
    return Crowd(tuple((item, given) for item, given in found if given > 0), worth, len(tastes))


def _worth(fans: Floats, viewers: Floats) -> float:
    """Return the share of the scatter of fans that is not chance."""
    expected = viewers * (fans.sum() / viewers.sum())
    scatter = float((((fans - expected) ** 2) / expected).sum()) / max(1, fans.size - 1)
    chance = 1 + 3 * float(np.sqrt(2 / fans.size))
    return max(0.0, 1 - chance / scatter) if scatter > 0 else 0.0
