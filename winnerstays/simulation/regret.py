"""What a duel costs, in the paper's four senses (Chen & Frazier 2017) and in the literature's average sense.

With b the best arm, u utilities and g_i = p_bi - 1/2, a duel of i and j costs

| name             | cost                                     |
|------------------|------------------------------------------|
| `weak-binary`    | 1 unless b is one of the two             |
| `strong-binary`  | 1 unless both are b                      |
| `weak-utility`   | u_b - max(u_i, u_j)                      |
| `strong-utility` | u_b - (u_i + u_j) / 2                    |
| `strong-average` | (g_i + g_j) / 2                          |

With the paper's default utilities u_i = 2 (1 - p_bi), `strong-utility` is exactly twice `strong-average`;
the paper's own figures mix the two (docs/errata.md, F1).
"""

from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.compiling import kernel
from winnerstays.problems.problem import Problem

REGRETS = ("weak-binary", "strong-binary", "weak-utility", "strong-utility", "strong-average")


class ArmLosses(NamedTuple):
    """What is lost by showing each arm instead of the best one, in the form that kernels read."""

    best_arm: int  # b
    loss: Floats  # u_b - u_i
    gap: Floats  # g_i


def arm_losses(problem: Problem) -> ArmLosses:
    """Return the losses of every arm; an error if the problem has no Condorcet winner."""
    utilities = problem.utilities
    return ArmLosses(problem.winner, utilities[problem.winner] - utilities, np.ascontiguousarray(problem.gaps))


class Tally(NamedTuple):
    """What was shown so far, in whole numbers, so that no sum depends on the order of adding up."""

    shown: Ints  # times each arm was shown
    missed: Ints  # duels without the best arm, by the better of the two
    perfect: Ints  # one number: duels of the best arm with itself


def no_duels(n_arms: int) -> Tally:
    return Tally(np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64), np.zeros(1, np.int64))


@kernel
def add_duels(tally: Tally, losses: ArmLosses, first: int, second: int, duels: int) -> None:
    """Count that many duels of two arms."""
    tally.shown[first] += duels
    tally.shown[second] += duels
    if first != losses.best_arm and second != losses.best_arm:
        better = first if losses.loss[first] <= losses.loss[second] else second
        tally.missed[better] += duels
    elif first == second:
        tally.perfect[0] += duels


@kernel
def write_regrets(tally: Tally, losses: ArmLosses, total: Floats) -> None:
    """Write the five cumulative regrets, in the order of REGRETS."""
    missed, shown, weak, strong, gap = 0, 0, 0.0, 0.0, 0.0
    for arm in range(tally.shown.size):
        missed += tally.missed[arm]
        shown += tally.shown[arm]
        weak += tally.missed[arm] * losses.loss[arm]
        strong += tally.shown[arm] * losses.loss[arm]
        gap += tally.shown[arm] * losses.gap[arm]
    total[0] = missed
    total[1] = shown // 2 - tally.perfect[0]
    total[2] = weak
    total[3] = strong / 2.0
    total[4] = gap / 2.0


def regret_of_duel(problem: Problem, first: int, second: int) -> dict[str, float]:
    """The cost of one duel by name.

    >>> from winnerstays.problems import mslr
    >>> regret_of_duel(mslr(), 0, 1)["weak-binary"], round(regret_of_duel(mslr(), 1, 2)["strong-average"], 4)
    (0.0, 0.074)
    """
    total, tally, losses = np.zeros(len(REGRETS)), no_duels(problem.n_arms), arm_losses(problem)
    add_duels(tally, losses, first, second, 1)
    write_regrets(tally, losses, total)
    return dict(zip(REGRETS, total.tolist(), strict=True))
