"""Singleton bandit machines: the UCB bandits out of which Sparring, MultiSBM and Doubler are built.

A machine plays one arm at a time and is told a reward of 0 or 1. It picks the arm with the largest
mean + sqrt(alpha ln t / plays), t its own plays so far; arms it never played come first, ties are random.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms.parameters import Number
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below

ALPHA = Number(2.5, "width of the confidence bounds: the index is mean + sqrt(alpha ln t / plays)", above=0.0)
PAPER = "Ailon, Karnin & Joachims, ICML 2014"


class Machines(NamedTuple):
    """One row per machine, one column per arm."""

    mean: Floats  # infinite before the first play
    width: Floats  # sqrt(alpha / plays)
    plays: Ints
    wins: Ints
    total: Ints  # t of each machine
    alpha: float


def new_machines(count: int, n_arms: int, alpha: float) -> Machines:
    """Return this many machines before their first play."""
    plays, wins = np.zeros((2, count, n_arms), np.int64)
    mean, width, total = np.full((count, n_arms), math.inf), np.zeros((count, n_arms)), np.zeros(count, np.int64)
    return Machines(mean=mean, width=width, plays=plays, wins=wins, total=total, alpha=alpha)


@kernel
def pick(machines: Machines, row: int, rng: Rng) -> int:
    """Return the arm that the machine wants to play."""
    mean, width, s = machines.mean[row], machines.width[row], 0.0
    if machines.total[row] > 0:
        s = math.sqrt(math.log(machines.total[row]))
    chosen, ties, most = 0, 1, mean[0] + s * width[0]
    for arm in range(1, mean.size):
        index = mean[arm] + s * width[arm]
        if index > most:
            chosen, ties, most = arm, 1, index
        elif index == most:
            ties += 1
            if below(rng, ties) == 0:
                chosen = arm
    return chosen


@kernel
def reward(machines: Machines, row: int, arm: int, won: bool) -> None:
    """Give the machine the reward of its play: 1 if its arm won, else 0."""
    plays = machines.plays[row, arm] + 1
    wins = machines.wins[row, arm] + (1 if won else 0)
    machines.plays[row, arm], machines.wins[row, arm] = plays, wins
    machines.mean[row, arm] = wins / plays
    machines.width[row, arm] = math.sqrt(machines.alpha / plays)
    machines.total[row] += 1


@kernel
def reset(machines: Machines, row: int) -> None:
    """Set a machine back to before its first play."""
    machines.total[row] = 0
    machines.mean[row], machines.width[row] = math.inf, 0.0
    machines.plays[row], machines.wins[row] = 0, 0


@kernel
def most_played(machines: Machines) -> int:
    """Return the arm that all machines together played most."""
    return int(machines.plays.sum(axis=0).argmax())
