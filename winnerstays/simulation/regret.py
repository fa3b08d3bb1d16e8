"""The cost of a duel: the four regrets of the paper (Chen & Frazier 2017), and the average regret of the literature.

With b the best arm, u utilities and g_i = p_bi - 1/2, a duel of i and j costs

| name             | cost                                     |
|------------------|------------------------------------------|
| `weak-binary`    | 1 unless b is one of the two             |
| `strong-binary`  | 1 unless both are b                      |
| `weak-utility`   | u_b - max(u_i, u_j)                      |
| `strong-utility` | u_b - (u_i + u_j) / 2                    |
| `strong-average` | (g_i + g_j) / 2                          |

Without a Condorcet winner (an arm that beats all others) these are not defined. Then the costs below are. Let c_i be
the share of the other arms that i beats, a tie counting half (the Copeland score), and b_i the mean chance that i beats
another arm drawn at random (the Borda score).

| name              | cost                                              |
|-------------------|---------------------------------------------------|
| `weak-copeland`   | 1 unless an arm of the highest c is one of the two |
| `strong-copeland` | max c - (c_i + c_j) / 2                           |
| `weak-borda`      | 1 unless an arm of the highest b is one of the two |
| `strong-borda`    | max b - (b_i + b_j) / 2                           |

With the paper's default utilities u_i = 2 (1 - p_bi), `strong-utility` is exactly twice `strong-average`;
the paper's own figures mix the two (docs/paper.md, F1).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.compiling import kernel
from winnerstays.errors import WinnerstaysError
from winnerstays.problems.problem import Problem
from winnerstays.problems.winners import largest
from winnerstays.regret_names import ALL_REGRETS, COPELAND_REGRETS, REGRETS

NOBODY = -1


class ArmLosses(NamedTuple):
    """The loss of showing each arm instead of the best one, in the form that kernels read."""

    best_arm: int  # b; NOBODY if there is none, then loss and gap are 0
    loss: Floats  # u_b - u_i
    gap: Floats  # g_i
    copeland: Floats  # max c - c_i
    borda: Floats  # max b - b_i


def arm_losses(problem: Problem, regrets: Sequence[str] = ALL_REGRETS) -> ArmLosses:
    """Return the losses of every arm; losses that no regret needs are 0."""
    best = NOBODY if problem.best_arm is None else problem.best_arm
    none = np.zeros(problem.n_arms)
    return ArmLosses(
        best_arm=best,
        loss=none if best == NOBODY else problem.utilities[best] - problem.utilities,
        gap=none if best == NOBODY else np.ascontiguousarray(problem.gaps),
        copeland=_lack(problem.copeland_scores) if {"weak-copeland", "strong-copeland"} & {*regrets} else none,
        borda=_lack(problem.borda_scores) if {"weak-borda", "strong-borda"} & {*regrets} else none,
    )


def _lack(scores: Floats) -> Floats:
    """Return how far each score lies below the highest; exactly 0 if only rounding makes the difference."""
    lack = scores.max() - scores
    lack[largest(scores)] = 0.0
    return np.asarray(lack)


def check_defined(problem: Problem, regrets: Sequence[str]) -> None:
    """Refuse a regret that a problem without a Condorcet winner does not define."""
    if problem.best_arm is None:
        for name in regrets:
            if name in REGRETS:
                raise WinnerstaysError(
                    f"{problem.name}: no arm beats every other arm (no Condorcet winner), so {name} regret is not "
                    f"defined; {', '.join(COPELAND_REGRETS)} are."
                )
    elif set(regrets) & set(REGRETS):
        problem.utilities  # noqa: B018  (an error if they contradict the preferences)


class Tally(NamedTuple):
    """Counts of what was shown so far. They are integers, so no sum depends on the order of addition."""

    shown: Ints  # times each arm was shown
    missed: Ints  # duels without the best arm, by the better of the two
    perfect: Ints  # one number: duels of the best arm with itself
    missed_winners: Ints  # two numbers: duels without a Copeland winner, without a Borda winner


def no_duels(n_arms: int) -> Tally:
    return Tally(np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64), np.zeros(1, np.int64), np.zeros(2, np.int64))


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
    if losses.copeland[first] > 0.0 and losses.copeland[second] > 0.0:
        tally.missed_winners[0] += duels
    if losses.borda[first] > 0.0 and losses.borda[second] > 0.0:
        tally.missed_winners[1] += duels


@kernel
def write_regrets(tally: Tally, losses: ArmLosses, total: Floats) -> None:
    """Write the cumulative regrets, in the order of ALL_REGRETS."""
    missed, shown, weak, strong, gap, copeland, borda = 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0
    for arm in range(tally.shown.size):
        missed += tally.missed[arm]
        shown += tally.shown[arm]
        weak += tally.missed[arm] * losses.loss[arm]
        strong += tally.shown[arm] * losses.loss[arm]
        gap += tally.shown[arm] * losses.gap[arm]
        copeland += tally.shown[arm] * losses.copeland[arm]
        borda += tally.shown[arm] * losses.borda[arm]
    total[0] = missed
    total[1] = shown // 2 - tally.perfect[0]
    total[2] = weak
    total[3] = strong / 2.0
    total[4] = gap / 2.0
    total[5] = tally.missed_winners[0]
    total[6] = copeland / 2.0
    total[7] = tally.missed_winners[1]
    total[8] = borda / 2.0


def regret_of_duel(problem: Problem, first: int, second: int) -> dict[str, float]:
    """The cost of one duel by name, of the regrets that the problem defines.

    >>> from winnerstays.problems import mslr
    >>> regret_of_duel(mslr(), 0, 1)["weak-binary"], round(regret_of_duel(mslr(), 1, 2)["strong-average"], 4)
    (0.0, 0.074)
    """
    total, tally, losses = np.zeros(len(ALL_REGRETS)), no_duels(problem.n_arms), arm_losses(problem)
    add_duels(tally, losses, first, second, 1)
    write_regrets(tally, losses, total)
    costs = dict(zip(ALL_REGRETS, total.tolist(), strict=True))
    return {name: costs[name] for name in (ALL_REGRETS if problem.best_arm is not None else COPELAND_REGRETS)}
