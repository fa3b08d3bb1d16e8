"""Relative Confidence Sampling, RCS (Zoghi, Whiteson, de Rijke & Munos, WSDM 2014).

A whole tournament is sampled from the posteriors Beta(w_ij + 1, w_ji + 1). An arm that wins all its games in it is the
champion; if there is none, the arm that was champion least often. The champion meets the arm that could be strongest
against it, as in RUCB. Good in experiments; no bound on its regret is proved.

The literal rule draws N^2/2 beta numbers a duel, yet uses only on which side of 1/2 they fall. That is a coin whose
chance, P(Bin(n + 1, 1/2) <= w_ij), changes only when the two meet. And only the games of arms that may still be
champion are played: the previous champion plays until it loses, then who beat it, and so on; the last one must also
win against those that were out before it came. The champion has the same law as with all games played. While it beats
all others with confidence and so meets itself, nothing is learned, and how many tournaments it will win in a row is
drawn at once.

Not certain: that every champion counts for "least often", not only those chosen for that reason.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms._shared import confidence
from winnerstays.algorithms._shared.confidence import ALPHA
from winnerstays.algorithms._shared.counts import no_tally, record_tally
from winnerstays.algorithms._shared.posterior import binomial, even_chances
from winnerstays.algorithms.base import NOBODY, Algorithm, Facts
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, uniform


class State(NamedTuple):
    tally: Ints  # w_ij and w_ji
    chance: Floats  # P(theta_ij > 1/2)
    times_champion: Ints  # how often each arm was champion
    champion: int  # the last one
    t: int
    self_duels: int  # coming duels of the champion with itself
    min_luck: float  # the luck of the next tournament is at least this, 0 unless the champion is known to lose
    alpha: float


def init(n_arms: int, rng: Rng, *, alpha: float) -> State:
    return State(
        tally=no_tally(n_arms),
        chance=even_chances(n_arms),
        times_champion=np.zeros(n_arms, np.int64),
        champion=0,
        t=1,
        self_duels=0,
        min_luck=0.0,
        alpha=alpha,
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    if state.self_duels > 0:
        return state.champion, state.champion
    arm = sampled_champion(state.chance, state.champion, state.min_luck, rng)
    if arm == NOBODY:
        arm = rarest_champion(state.times_champion, rng)
    budget = confidence.budget_at(state.alpha, state.t)
    return arm, confidence.strongest_rival(state.tally, arm, budget, confidence.UNVISITED, rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if state.self_duels > 0:
        return leap(state, 1)
    if first != second:
        winner, loser = (first, second) if first_won else (second, first)
        won, lost = state.tally[winner, loser, 0], state.tally[winner, loser, 1]
        gain = 0.5 * binomial(won + lost + 1, won + 1)
        state.chance[winner, loser] += gain
        state.chance[loser, winner] = max(state.chance[loser, winner] - gain, 0.0)
        record_tally(state.tally, first, second, first_won)
    state.times_champion[first] += 1
    t = state.t + 1
    weakest = confidence.weakest_win(state.tally, first, confidence.budget_at(state.alpha, t), second)
    self_duels, min_luck = 0, 0.0
    if weakest > 0.0:
        self_duels, min_luck = winning_streak(state.chance, first, confidence.first_time(state.alpha, weakest) - t, rng)
    return state._replace(champion=first, t=t, self_duels=self_duels, min_luck=min_luck)


@kernel
def best(state: State) -> int:
    return confidence.favourite(state.tally)


@kernel
def certain(state: State) -> int:
    return state.self_duels


@kernel
def leap(state: State, duels: int) -> State:
    state.times_champion[state.champion] += duels
    return state._replace(t=state.t + duels, self_duels=state.self_duels - duels)


@kernel
def sampled_champion(chance: Floats, start: int, min_luck: float, rng: Rng) -> int:
    """Return who wins all games of a sampled tournament, or NOBODY. `start` plays first; that does not change the law.

    An arm stays in while the product of its chances exceeds its luck. Luck of at least the whole product is a loss.
    """
    n_arms = chance.shape[0]
    arm, came, beaten, j = start, 0, NOBODY, start
    luck, survival = min_luck + (1.0 - min_luck) * uniform(rng), 1.0
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
def winning_streak(chance: Floats, arm: int, limit: int, rng: Rng) -> tuple[int, float]:
    """Draw how many tournaments in a row the arm wins, at most `limit`; and return the `min_luck` of the next."""
    n_arms, survival, j = chance.shape[0], 1.0, arm
    for _ in range(1, n_arms):
        j = j + 1 if j + 1 < n_arms else 0
        survival *= chance[arm, j]
    if survival >= 1.0:
        return limit, 0.0
    streak = math.log(1.0 - uniform(rng)) / math.log(survival) if survival > 0.0 else 0.0
    return (int(streak), survival) if streak < limit else (limit, 0.0)


@kernel
def rarest_champion(times_champion: Ints, rng: Rng) -> int:
    """Return the arm that was champion least often, ties broken fairly."""
    chosen, ties = 0, 0
    for arm in range(times_champion.size):
        if ties == 0 or times_champion[arm] < times_champion[chosen]:
            chosen, ties = arm, 1
        elif times_champion[arm] == times_champion[chosen]:
            ties += 1
    left, fewest = below(rng, ties) if ties > 1 else 0, times_champion[chosen]
    while left > 0:
        chosen += 1
        if times_champion[chosen] == fewest:
            left -= 1
    return chosen


rcs = register(
    Algorithm(
        name="rcs",
        title="Relative Confidence Sampling",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        leap=leap,
        parameters={"alpha": ALPHA},
        facts=Facts(
            regret="strong",
            cost="O(N), O(1) while the best arm meets itself",
            paper="Zoghi, Whiteson, de Rijke & Munos, WSDM 2014",
        ),
    )
)
