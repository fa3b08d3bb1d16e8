"""Singleton bandit machines: the UCB bandits out of which Sparring, MultiSBM and Doubler are built.

A machine plays one arm at a time and is told a reward of 0 or 1. It picks the arm with the largest
mean + sqrt(alpha ln t / plays), t its own plays so far; arms it never played come first, ties are random.
Many machines share the rows of a few matrices. Per arm only `mean` and `width` = sqrt(alpha / plays) are kept ready,
so that a pick costs one logarithm, one root and K multiplications.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays.algorithms.contract import Floats, Ints, Number
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below

ALPHA = Number(2.5, "width of the confidence bounds: the index is mean + sqrt(alpha ln t / plays)", above=0.0)


class Machines(NamedTuple):
    """One machine a row, one arm a column."""

    mean: Floats  # infinite before the first play
    width: Floats
    plays: Ints
    wins: Ints
    total: Ints  # t of each machine
    alpha: float


def machines(count: int, n_arms: int, alpha: float) -> Machines:
    shape = count, n_arms
    plays, wins, total = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(count, np.int64)
    return Machines(np.full(shape, math.inf), np.zeros(shape), plays, wins, total, alpha)


@kernel
def pick(machines: Machines, row: int, rng: Rng) -> int:
    """The arm that the machine wants to play."""
    mean, width = machines.mean, machines.width
    spread = math.sqrt(math.log(machines.total[row])) if machines.total[row] > 0 else 0.0
    chosen, ties, largest = 0, 1, mean[row, 0] + spread * width[row, 0]
    for arm in range(1, mean.shape[1]):
        index = mean[row, arm] + spread * width[row, arm]
        if index > largest:
            chosen, ties, largest = arm, 1, index
        elif index == largest:
            ties += 1
            if below(rng, ties) == 0:
                chosen = arm
    return chosen


@kernel
def feed(machines: Machines, row: int, arm: int, won: bool) -> None:
    """Tell the machine what its play brought."""
    plays = machines.plays[row, arm] + 1
    wins = machines.wins[row, arm] + (1 if won else 0)
    machines.plays[row, arm], machines.wins[row, arm] = plays, wins
    machines.mean[row, arm] = wins / plays
    machines.width[row, arm] = math.sqrt(machines.alpha / plays)
    machines.total[row] += 1


@kernel
def reset(machines: Machines, row: int) -> None:
    """Forget everything."""
    machines.total[row] = 0
    for arm in range(machines.mean.shape[1]):
        machines.mean[row, arm], machines.width[row, arm] = math.inf, 0.0
        machines.plays[row, arm], machines.wins[row, arm] = 0, 0


@kernel
def most_played(machines: Machines) -> int:
    """The arm that all machines together played most."""
    chosen, most = 0, -1
    for arm in range(machines.plays.shape[1]):
        plays = 0
        for row in range(machines.plays.shape[0]):
            plays += machines.plays[row, arm]
        if plays > most:
            chosen, most = arm, plays
    return chosen
