"""Relative Confidence Sampling, RCS (Zoghi, Whiteson, de Rijke & Munos, WSDM 2014).

A whole tournament is sampled from the posteriors Beta(w_ij + 1, w_ji + 1). An arm that wins all its games in it is the
champion; if there is none, the arm that was champion least often. The champion meets the arm that could be strongest
against it, as in RUCB. Good in experiments; no bound on its regret is proved.

The literal rule draws N^2/2 beta numbers a duel, yet only uses on which side of 1/2 they fall. That is a coin whose
chance, P(Bin(n + 1, 1/2) <= w_ij), changes only when the two meet. And only the games of arms that may still be
champion are played: the previous champion plays until it loses, then who beat it, and so on; the last one must also
win against those that were out before it came. The champion has the same law as with all games played.

[M] that every champion counts for "least often", not only those chosen for that reason.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays.algorithms import confidence
from winnerstays.algorithms.contract import Algorithm, Floats, Ints, register
from winnerstays.algorithms.rucb import ALPHA
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, uniform

NOBODY = -1


class State(NamedTuple):
    tally: Ints  # w_ij and w_ji
    chance: Floats  # P(theta_ij > 1/2)
    reigns: Ints  # how often each arm was champion
    champion: int  # the last one
    t: int
    alpha: float


def init(n_arms: int, rng: Rng, *, alpha: float = 0.51) -> State:
    chance = np.full((n_arms, n_arms), 0.5)
    return State(confidence.no_duels(n_arms), chance, np.zeros(n_arms, np.int64), 0, 1, alpha)


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    arm = sampled_champion(state.chance, state.champion, rng)
    if arm == NOBODY:
        arm = least_often(state.reigns, rng)
    budget = confidence.budget_at(state.alpha, state.t)
    return arm, confidence.strongest(state.tally, arm, budget, confidence.UNVISITED, rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if first != second:
        winner, loser = (first, second) if first_won else (second, first)
        won, lost = state.tally[winner, loser, 0], state.tally[winner, loser, 1]
        gain = 0.5 * half_binomial(won + lost + 1, won + 1)
        state.chance[winner, loser] += gain
        state.chance[loser, winner] = max(state.chance[loser, winner] - gain, 0.0)
        confidence.enter(state.tally, first, second, first_won)
    state.reigns[first] += 1
    return state._replace(champion=first, t=state.t + 1)


@kernel
def best(state: State) -> int:
    return confidence.favourite(state.tally)


@kernel
def sampled_champion(chance: Floats, start: int, rng: Rng) -> int:
    """Who wins all games of a sampled tournament, or nobody. `start` plays first; that does not change the law."""
    n_arms = chance.shape[0]
    arm, came, beaten, j = start, 0, NOBODY, start
    luck, survival = uniform(rng), 1.0
    for k in range(1, n_arms):
        j = j + 1 if j + 1 < n_arms else 0
        survival *= chance[arm, j]
        if luck >= survival:
            arm, came, beaten = j, k, arm
            luck, survival = uniform(rng), 1.0
    for _ in range(came):  # those that were out before it came
        j = j + 1 if j + 1 < n_arms else 0
        if j != beaten:
            survival *= chance[arm, j]
            if luck >= survival:
                return NOBODY
    return arm


@kernel
def least_often(reigns: Ints, rng: Rng) -> int:
    chosen, ties = 0, 0
    for arm in range(reigns.size):
        if ties == 0 or reigns[arm] < reigns[chosen]:
            chosen, ties = arm, 1
        elif reigns[arm] == reigns[chosen]:
            ties += 1
    left, fewest = below(rng, ties) if ties > 1 else 0, reigns[chosen]
    while left > 0:
        chosen += 1
        if reigns[chosen] == fewest:
            left -= 1
    return chosen


@kernel
def half_binomial(n: int, k: int) -> float:
    """P(Bin(n, 1/2) = k).

    >>> half_binomial(4, 2)
    0.375
    """
    return math.exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) - n * math.log(2.0))


@kernel
def log_factorial(n: int) -> float:
    """ln n!, by Stirling's series where that is as exact as a double is."""
    if n < 16:
        product = 1.0
        for factor in range(2, n + 1):
            product *= factor
        return math.log(product)
    inverse = 1.0 / n
    square = inverse * inverse
    series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)))
    return (n + 0.5) * math.log(n) - n + 0.5 * math.log(2.0 * math.pi) + series


rcs = register(
    Algorithm(
        name="rcs",
        title="Relative Confidence Sampling",
        init=init,
        choose=choose,
        update=update,
        best=best,
        parameters={"alpha": ALPHA},
        regret="strong",
        cost="O(N)",
        paper="Zoghi, Whiteson, de Rijke & Munos, WSDM 2014",
    )
)
