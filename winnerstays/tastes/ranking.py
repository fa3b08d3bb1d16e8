"""How likely each item is the best, and which rank it has, when utilities are a mixture of Gaussians."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from winnerstays._types import Floats, Ints
from winnerstays.compiling import entry
from winnerstays.probit import cholesky

MAX_RATED = 200
"""Chances are computed among so many items, those with the highest upper limits; the others have none."""
INTERVAL = 0.9
"""Share of draws within the interval of a rank."""


class Likely(NamedTuple):
    """What is expected of one item."""

    item: str
    best: float
    """The chance that it is the best of all."""
    top: float
    """The chance that it is among the best so many."""
    rank: float
    """The rank to expect; the best has rank 1."""
    low: int
    high: int
    """Its rank is from `low` to `high` with chance 90 %."""


class Standing(NamedTuple):
    """The items in the order of their chances to be the best."""

    items: tuple[Likely, ...]

    @property
    def favourite(self) -> str:
        return self.items[0].item

    @property
    def likely(self) -> float:
        """How likely the favourite is the best."""
        return self.items[0].best


def draws_for(n_items: int) -> int:
    """Return how many draws are made: for few items more, since they take less time."""
    return min(max(2_500_000 // n_items**2, 1024), 8192)


@lru_cache(maxsize=8)
def normals(draws: int, size: int) -> Floats:
    """Return always the same normal numbers, so that what is computed from them is the same every time.

    It is a Latin hypercube: each column has one number in each of `draws` parts of equal chance, in random order.
    """
    rng = np.random.default_rng(20170806)
    places = rng.permuted(np.tile(np.arange(draws), (size, 1)), axis=1).T
    return np.ascontiguousarray(ndtri((places + 0.5) / draws))


@entry
def ranks_of(mean: Floats, columns: Floats, numbers: Floats, first: int, last: int, u: Floats, counts: Ints) -> None:
    """Count in counts[item, rank] the ranks in some of the draws; `columns` are those of the covariance's root."""
    n = mean.size
    for draw in range(first, last):
        for i in range(n):
            u[i] = mean[i]
        for j in range(n):
            number = numbers[draw, j]
            for i in range(j, n):
                u[i] += columns[j, i] * number
        for i in range(n):
            rank = 0
            for j in range(n):
                rank += u[j] > u[i]
            counts[i, rank] += 1


def contenders(mean: Floats, variance: Floats) -> Ints:
    """Return the places of the items whose chances are computed."""
    upper = mean + 2 * np.sqrt(np.maximum(variance, 0))
    return np.sort(np.argsort(-upper, kind="stable")[:MAX_RATED])


@entry
def root_of(covariance: Floats, root: Floats) -> None:
    cholesky(covariance, root)


def rank_chances(means: Floats, covariances: Floats, weights: Floats) -> Floats:
    """Return the chance of each item (row) to have each rank (column): shares of always the same draws."""
    n = means.shape[1]
    counts, u, root = np.zeros((n, n), np.int64), np.zeros(n), np.zeros((n, n))
    draws = draws_for(n)
    numbers = normals(draws, n)
    ends = np.rint(np.cumsum(weights / weights.sum()) * draws).astype(np.int64).tolist()
    first = 0
    for k, last in enumerate(ends):
        if last > first:
            root_of(covariances[k], root)
            ranks_of(means[k], np.ascontiguousarray(root.T), numbers, first, last, u, counts)
        first = last
    return counts / draws


def standing(items: Sequence[str], means: Floats, covariances: Floats, weights: Floats, top: int) -> Standing:
    """Return what is expected of each item under a mixture of Gaussians."""
    return standing_of(items, rank_chances(means, covariances, weights), weights @ means / weights.sum(), top)


def standing_of(items: Sequence[str], chances: Floats, mean: Floats, top: int) -> Standing:
    """Return what is expected of each item, by the chances of its ranks; means decide between equal chances."""
    n = len(items)
    up_to = chances.cumsum(axis=1)
    tail = (1 - INTERVAL) / 2
    low, high = (up_to <= tail).sum(axis=1) + 1, np.minimum((up_to < 1 - tail).sum(axis=1) + 1, n)
    rank = chances @ np.arange(1, n + 1)
    order = np.lexsort((-mean, -chances[:, 0]))
    return Standing(
        tuple(
            Likely(items[i], float(chances[i, 0]), float(up_to[i, min(top, n) - 1]), float(rank[i]),
                   int(low[i]), int(high[i]))
            for i in order.tolist()
        )
    )  # fmt: skip
