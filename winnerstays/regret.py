"""What a duel costs, in the seed paper's four senses and in the literature's average sense.

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

from winnerstays.compiling import kernel
from winnerstays.problems.problem import Floats, Problem

REGRETS = ("weak-binary", "strong-binary", "weak-utility", "strong-utility", "strong-average")


class Stakes(NamedTuple):
    """What is lost by showing each arm instead of the best one, in the form that kernels read."""

    best_arm: int  # b
    loss: Floats  # u_b - u_i
    gap: Floats  # g_i


def stakes(problem: Problem) -> Stakes:
    """Raises an error if the problem has no Condorcet winner."""
    utilities = problem.utilities
    return Stakes(problem.winner, utilities[problem.winner] - utilities, np.ascontiguousarray(problem.gaps))


@kernel
def charge(at_stake: Stakes, first: int, second: int, duels: float, total: Floats) -> None:
    """Add the cost of that many duels of two arms to the five totals, in the order of REGRETS."""
    best_arm, loss, gap = at_stake.best_arm, at_stake.loss, at_stake.gap
    if first != best_arm or second != best_arm:
        total[1] += duels
        if first != best_arm and second != best_arm:
            total[0] += duels
            total[2] += duels * min(loss[first], loss[second])
        total[3] += duels * (loss[first] + loss[second]) / 2.0
        total[4] += duels * (gap[first] + gap[second]) / 2.0


def regret_of_duel(problem: Problem, first: int, second: int) -> dict[str, float]:
    """The cost of one duel by name.

    >>> from winnerstays.problems import mslr
    >>> regret_of_duel(mslr(), 0, 1)["weak-binary"], round(regret_of_duel(mslr(), 1, 2)["strong-average"], 4)
    (0.0, 0.074)
    """
    total = np.zeros(len(REGRETS))
    charge(stakes(problem), first, second, 1, total)
    return dict(zip(REGRETS, total.tolist(), strict=True))
