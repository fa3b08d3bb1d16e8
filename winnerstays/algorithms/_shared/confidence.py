"""Confidence bounds U, L = mean +- sqrt(alpha ln t / n) on winning probabilities, without computing most of them.

The confidence radius is sqrt(alpha ln t / n). An arm that won d duels of n more than it lost has L > 1/2, and its
opponent U < 1/2, exactly if d^2 / (4 n) > alpha ln t. The left side (`evidence`) changes only when the two meet. The
right side (`budget`) grows slowly and is the same for all pairs, so it is known in advance when a decided pair becomes
open again (`first_time`). Counts are kept as a tally (counts.py).
"""

import math
from typing import NamedTuple

from winnerstays._types import Ints
from winnerstays.algorithms.base import FOREVER
from winnerstays.algorithms.parameters import Number
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below

UNVISITED = 2.0
"""U of two arms that never met: x/0 := 1 both in the mean and in the radius (Zoghi et al. 2014)."""
ALPHA = Number(0.51, "width of the confidence bounds; the theory wants it above 1/2", above=0.5)


class Strongest(NamedTuple):
    """The strongest rival of an arm among those looked at so far."""

    arm: int
    bound: float  # U[rival, arm]
    ties: int  # how many have this bound; 0 before any arm was looked at


@kernel
def budget_at(alpha: float, t: int) -> float:
    """Return how much evidence can still be chance at time t: alpha ln t."""
    return alpha * math.log(t)


@kernel
def evidence(tally: Ints, better: int, worse: int) -> float:
    """Return the evidence that `better` is better than `worse`: (won - lost)^2 / (4 n), or 0 if it does not lead."""
    won, lost = tally[better, worse, 0], tally[better, worse, 1]
    lead = won - lost
    return lead * lead / (4.0 * (won + lost)) if lead > 0 else 0.0


@kernel
def beats(won: int, lost: int, budget: float) -> bool:
    """Whether the arm with that record beats its opponent with confidence: L > 1/2, and U < 1/2 for the opponent."""
    lead = won - lost
    return lead > 0 and lead * lead / (4.0 * (won + lost)) > budget


@kernel
def first_time(alpha: float, amount: float) -> int:
    """Return the first t at which alpha ln t is at least that amount of evidence."""
    if amount >= 35.0 * alpha:
        return FOREVER
    t = max(1, int(math.exp(amount / alpha)) - 1)
    while budget_at(alpha, t) < amount:
        t += 1
    return t


@kernel
def upper(won: int, lost: int, root: float, unvisited: float) -> float:
    """Return U of the arm with that record; `root` is the square root of the budget."""
    n = won + lost
    return (won + root * math.sqrt(n)) / n if n > 0 else unvisited


@kernel
def may_exceed(won: int, lost: int, mark: float, budget: float) -> bool:
    """Whether U of the arm with that record may be above the mark, or the two never met; no root and no division."""
    n = won + lost
    short = mark * n - won
    return short <= 0.0 or short * short <= budget * n


@kernel
def same_record(tally: Ints, arm: int, one: int, other: int) -> bool:
    """Whether two arms did equally well against `arm`; their bounds tie exactly then (ln t is irrational)."""
    return tally[arm, one, 0] == tally[arm, other, 0] and tally[arm, one, 1] == tally[arm, other, 1]  # type: ignore[no-any-return]


@kernel
def stronger(
    strongest: Strongest, tally: Ints, arm: int, j: int, budget: float, root: float, unvisited: float
) -> Strongest:
    """Return the strongest rival of `arm` after looking at arm j; `root` is the square root of the budget."""
    won, lost = tally[arm, j, 0], tally[arm, j, 1]
    if strongest.ties > 0 and same_record(tally, arm, j, strongest.arm):
        return strongest._replace(ties=strongest.ties + 1)
    if may_exceed(lost, won, strongest.bound, budget):
        bound = upper(lost, won, root, unvisited)
        if bound > strongest.bound or strongest.ties == 0:
            return strongest._replace(arm=j, bound=bound, ties=1)
    return strongest


@kernel
def tie_to_take(strongest: Strongest, rng: Rng) -> int:
    """Draw which of the tied rivals to take: this many after the first."""
    return below(rng, strongest.ties) if strongest.ties > 1 else 0


@kernel
def strongest_rival(tally: Ints, arm: int, budget: float, unvisited: float, rng: Rng) -> int:
    """Return argmax over j of U[j, arm], ties broken fairly; `arm` itself (U = 1/2) only if it beats all others."""
    root, strongest = math.sqrt(budget), Strongest(arm, 0.5, 0)
    for j in range(tally.shape[0]):
        if j != arm:
            strongest = stronger(strongest, tally, arm, j, budget, root, unvisited)
    chosen, left = strongest.arm, tie_to_take(strongest, rng)
    while left > 0:
        chosen += 1
        if chosen != arm and same_record(tally, arm, chosen, strongest.arm):
            left -= 1
    return chosen


@kernel
def weakest_win(tally: Ints, arm: int, budget: float, hint: int) -> float:
    """Return the least evidence of `arm` against any other if it beats all of them, else 0; `hint` is tried first."""
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
    """Return the arm that leads most others; among those with as many, the one with the most duels won - lost."""
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
