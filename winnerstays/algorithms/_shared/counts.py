"""Counts of duels, and the divergence and evidence that follow from them.

Three layouts are kept, each for what its algorithms look up most often; each has one function that counts a duel:
- wins[i, j] = duels that i won against j (`record`);
- tally[i, j] = (duels i won against j, duels i lost to j), so that all an arm needs lies in one row (`record_tally`);
- margin[i, j] = duels i won - lost against j (`record_margin`).
An arm against itself teaches nothing: it is never counted.
"""

import math

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import FOREVER
from winnerstays.compiling import kernel

SAFELY = 1.0 - 1e-9
"""Rounding moves exp(log_t) by a smaller factor than this."""


def no_wins(n_arms: int) -> Ints:
    """Return the wins, or the margins, before the first duel."""
    return np.zeros((n_arms, n_arms), np.int64)


def no_tally(n_arms: int) -> Ints:
    """Return the tally before the first duel."""
    return np.zeros((n_arms, n_arms, 2), np.int64)


@kernel
def record(wins: Ints, first: int, second: int, first_won: bool) -> None:
    """Count a duel in wins."""
    if first != second:
        if first_won:
            wins[first, second] += 1
        else:
            wins[second, first] += 1


@kernel
def record_tally(tally: Ints, first: int, second: int, first_won: bool) -> None:
    """Count a duel in a tally."""
    if first != second:
        side = 0 if first_won else 1
        tally[first, second, side] += 1
        tally[second, first, 1 - side] += 1


@kernel
def record_margin(margin: Ints, first: int, second: int, first_won: bool) -> int:
    """Count a duel in margins; return the new margin of `first`."""
    margin[first, second] += 1 if first_won else -1
    margin[second, first] = -margin[first, second]
    return margin[first, second]  # type: ignore[no-any-return]


@kernel
def played(wins: Ints, first: int, second: int) -> int:
    """Return how often the two have met."""
    return wins[first, second] + wins[second, first]  # type: ignore[no-any-return]


@kernel
def mean(wins: Ints, first: int, second: int) -> float:
    """Return the share of their duels that `first` won; 1/2 if they never met."""
    duels = played(wins, first, second)
    return wins[first, second] / duels if duels > 0 else 0.5


@kernel
def kl_half(p: float) -> float:
    """Return the Bernoulli divergence kl(p, 1/2) = ln 2 + p ln p + (1-p) ln(1-p).

    >>> kl_half(0.0) == math.log(2.0), kl_half(0.5)
    (True, 0.0)
    """
    total = math.log(2.0)
    if p > 0.0:
        total += p * math.log(p)
    if p < 1.0:
        total += (1.0 - p) * math.log(1.0 - p)
    return max(total, 0.0)


@kernel
def kl_evidence(wins: Ints, first: int, second: int) -> float:
    """Return n kl(p, 1/2) of a pair: the evidence against the arm that lost more of the duels being the better."""
    return played(wins, first, second) * kl_half(mean(wins, first, second))


@kernel
def time_before(log_t: float) -> int:
    """Return a time shortly before exp(log_t), whose exact value rounding hides; near it, exact tests must decide."""
    return int(math.exp(log_t) * SAFELY) if log_t < 42.0 else FOREVER
