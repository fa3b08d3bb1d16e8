"""Confidence bounds U, L = mean +- sqrt(alpha ln t / n) on winning probabilities, without computing most of them.

Who leads an opponent by d won duels of n has L > 1/2, and the opponent U < 1/2, exactly if d^2 / (4 n) > alpha ln t.
The left side (`evidence`) changes only when the two meet, the right side (`budget`) grows slowly and is the same for
all pairs, so it is known in advance when a decided pair becomes open again (`first_time`).

Counts are kept as tally[i, j] = (won by i against j, lost by i to j), so that what an arm's duels need lies in a row.
"""

import math

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import FOREVER
from winnerstays.algorithms.parameters import Number
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below

UNVISITED = 2.0
"""U of two arms that never met: x/0 := 1 both in the mean and in the radius (Zoghi et al. 2014)."""
ALPHA = Number(0.51, "width of the confidence bounds; the theory wants it above 1/2", above=0.5)
NOBODY = -1


def no_duels(n_arms: int) -> Ints:
    return np.zeros((n_arms, n_arms, 2), np.int64)


@kernel
def enter(tally: Ints, first: int, second: int, first_won: bool) -> None:
    """Count a duel. An arm against itself teaches nothing and is never counted."""
    if first != second:
        side = 0 if first_won else 1
        tally[first, second, side] += 1
        tally[second, first, 1 - side] += 1


@kernel
def budget_at(alpha: float, t: int) -> float:
    """How much evidence can still be chance at time t: alpha ln t."""
    return alpha * math.log(t)


@kernel
def evidence(tally: Ints, better: int, worse: int) -> float:
    """For `better` being better than `worse`: (won - lost)^2 / (4 n), or 0 if it does not lead."""
    won, lost = tally[better, worse, 0], tally[better, worse, 1]
    lead = won - lost
    return lead * lead / (4.0 * (won + lost)) if lead > 0 else 0.0


@kernel
def beats(won: int, lost: int, budget: float) -> bool:
    """Whether that record is decided: L > 1/2 for the arm that won these, U < 1/2 for the one that lost them."""
    lead = won - lost
    return lead > 0 and lead * lead / (4.0 * (won + lost)) > budget


@kernel
def first_time(alpha: float, amount: float) -> int:
    """The first t at which alpha ln t is at least that amount of evidence."""
    if amount >= 35.0 * alpha:
        return FOREVER
    t = max(1, int(math.exp(amount / alpha)) - 1)
    while budget_at(alpha, t) < amount:
        t += 1
    return t


@kernel
def upper(won: int, lost: int, root: float, unvisited: float) -> float:
    """U of the arm with that record; `root` is the square root of the budget."""
    n = won + lost
    return (won + root * math.sqrt(n)) / n if n > 0 else unvisited


@kernel
def may_exceed(won: int, lost: int, mark: float, budget: float) -> bool:
    """Whether U of the arm with that record can be above the mark (or they never met); no root and no division."""
    n = won + lost
    short = mark * n - won
    return short <= 0.0 or short * short <= budget * n


@kernel
def same_record(tally: Ints, arm: int, one: int, other: int) -> bool:
    """Whether two arms did equally well against `arm`; their bounds tie exactly then (ln t is irrational)."""
    return tally[arm, one, 0] == tally[arm, other, 0] and tally[arm, one, 1] == tally[arm, other, 1]  # type: ignore[no-any-return]


@kernel
def strongest(tally: Ints, arm: int, budget: float, unvisited: float, rng: Rng) -> int:
    """argmax over j of U[j, arm], ties broken fairly; `arm` itself (U = 1/2) only if it beats all others."""
    root = math.sqrt(budget)
    highest, chosen, ties = 0.5, arm, 0
    for j in range(tally.shape[0]):
        if j == arm:
            continue
        won, lost = tally[arm, j, 0], tally[arm, j, 1]
        if ties > 0 and same_record(tally, arm, j, chosen):
            ties += 1
        elif may_exceed(lost, won, highest, budget):
            bound = upper(lost, won, root, unvisited)
            if bound > highest or ties == 0:
                highest, chosen, ties = bound, j, 1
    left, first_tied = below(rng, ties) if ties > 1 else 0, chosen
    while left > 0:
        chosen += 1
        if chosen != arm and same_record(tally, arm, chosen, first_tied):
            left -= 1
    return chosen


@kernel
def beaten_by(tally: Ints, arm: int, budget: float, hint: int) -> float:
    """The weakest evidence against any other arm if `arm` beats them all, else 0; `hint` is looked at first."""
    if hint != arm and not beats(tally[arm, hint, 0], tally[arm, hint, 1], budget):
        return 0.0
    weakest = math.inf
    for j in range(tally.shape[0]):
        if j != arm:
            if not beats(tally[arm, j, 0], tally[arm, j, 1], budget):
                return 0.0
            weakest = min(weakest, evidence(tally, arm, j))
    return weakest


@kernel
def favourite(tally: Ints) -> int:
    """Who leads the largest number of others; among those with as many, who won most duels more than it lost."""
    chosen, leads, margin = 0, -1, 0
    for arm in range(tally.shape[0]):
        ahead, score = 0, 0
        for j in range(tally.shape[0]):
            lead = tally[arm, j, 0] - tally[arm, j, 1]
            score += lead
            if lead > 0:
                ahead += 1
        if ahead > leads or (ahead == leads and score > margin):
            chosen, leads, margin = arm, ahead, score
    return chosen
