"""Exact expected weak regret of Beat the Winner and of its version with resets, after any number of duels.

A round leads from one queue to another and takes a random number of duels. The times at which a queue starts a round
thus have a generating function, which a round multiplies by that of its length. All are kept as values on a circle;
one Fourier transform at the end gives, for every duel, the probability that the best arm is not in it. What comes after
the horizon folds back onto it, but the circle is so much smaller than the unit circle that only 1e-9 of it does.
"""

from collections import defaultdict
from itertools import permutations
from typing import NamedTuple

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.stats import nbinom


class Place(NamedTuple):
    """A state of the queue: who meets, and which state follows."""

    chance: float  # that the incumbent wins a duel
    best_meets: bool
    stays: int  # the state after a round that the incumbent wins
    falls: int


def queues(preferences):
    """All orders of the arms, of which arm 0 is best."""
    orders = list(permutations(range(len(preferences))))
    number = {order: k for k, order in enumerate(orders)}
    return [
        Place(preferences[one, two], 0 in (one, two), number[(one, *rest, two)], number[(two, *rest, one)])
        for one, two, *rest in orders
    ]


def queue_positions(n_arms, p):
    """Where the best arm is, if a better arm always wins with p: how long others race does not depend on who they are.

    Who of them wins does, and Reset asks for it, so this is for Beat the Winner alone.
    """
    last = n_arms - 1
    others = [Place(p, False, position - 1, position - 1) for position in range(2, n_arms)]
    return [Place(p, True, 0, last), Place(1 - p, True, last, 0), *others]


class Circle:
    """Generating functions by their values at the points of a circle."""

    def __init__(self, horizon):
        self.size = next_fast_len(horizon + 1, real=True)
        self.points = self.size // 2 + 1
        self.radius = np.power(1e-9, np.arange(self.size) / self.size)

    def values(self, chances, start):
        damped = np.zeros(self.size)
        inside = min(start + len(chances), self.size)
        damped[start:inside] = chances[: inside - start] * self.radius[start:inside]
        return rfft(damped)

    def coefficients(self, values):
        return irfft(values, self.size) / self.radius

    def races(self, places, r):
        """For each chance: races to r wins that the incumbent wins, those it loses, and whether they still go on."""
        lost = np.arange(r)
        found = {}
        for chance in {place.chance for place in places}:
            stays, falls = nbinom.pmf(lost, r, chance), nbinom.pmf(lost, r, 1 - chance)
            goes_on = np.concatenate([np.ones(r), 1 - np.cumsum(stays + falls)[:-1]])
            found[chance] = self.values(stays, r), self.values(falls, r), self.values(goes_on, 0)
        return found


def targets(horizon):
    """The r that a race can have before the horizon, if it began at 1: races take r duels or more."""
    r, earliest = 1, 0
    while earliest < horizon:
        yield r
        earliest, r = earliest + r, r + 1


def btw_weak_regret(places, horizon):
    """After 1, 2, ..., horizon duels, from places that are equally likely at first."""
    circle = Circle(horizon)
    starts = np.full((len(places), circle.points), 1 / len(places), complex)
    missed = np.zeros(circle.points, complex)
    for r in targets(horizon):
        races, after = circle.races(places, r), np.zeros_like(starts)
        for start, place in zip(starts, places, strict=True):
            stays, falls, goes_on = races[place.chance]
            if not place.best_meets:
                missed += start * goes_on
            after[place.stays] += start * stays
            after[place.falls] += start * falls
        starts = after
    return np.cumsum(circle.coefficients(missed)[:horizon])


def btwr_weak_regret(places, horizon):
    """The same with resets: from the queue in which an incumbent begins, only its own series of wins goes on.

    Incumbents begin as often as renewals occur, which linear equations tell at every point of the circle.
    """
    circle = Circle(horizon)
    size = len(places)
    series, now = np.ones((size, circle.points), complex), list(range(size))
    missed = np.zeros((size, circle.points), complex)
    ends = defaultdict(lambda: np.zeros(circle.points, complex))
    for r in targets(horizon):
        races = circle.races(places, r)
        for begun in range(size):
            place = places[now[begun]]
            stays, falls, goes_on = races[place.chance]
            if not place.best_meets:
                missed[begun] += series[begun] * goes_on
            ends[place.falls, begun] += series[begun] * falls
            series[begun] *= stays
            now[begun] = place.stays
    first, found = np.full((size, 1), 1 / size), np.zeros(circle.points, complex)
    for some in np.array_split(np.arange(circle.points), 1 + circle.points // 100):
        equations = np.tile(np.eye(size, dtype=complex), (some.size, 1, 1))
        for (after, begun), values in ends.items():
            equations[:, after, begun] -= values[some]
        begins = np.linalg.solve(equations, first)[..., 0]
        found[some] = (begins * missed[:, some].T).sum(axis=1)
    return np.cumsum(circle.coefficients(found)[:horizon])
