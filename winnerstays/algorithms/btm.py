"""Beat the Mean, BTM (Yue & Joachims, ICML 2011).

The arm with the fewest plays meets a random other one, and only it learns from the duel: its share of wins says how it
does against the mean arm. When the worst share is surely below the best, the worst arm is dropped, and with it every
duel against it. The last arm plays itself.
Strong regret of the kind O(gamma^7 N log T / eps), eps the gap of the two best arms, under gamma-relaxed stochastic
transitivity. Not checked against the paper: the exact form of that bound.

The radius is factor gamma^2 sqrt(ln(1/delta) / n). The paper has factor 3; the defaults, factor 1 and gamma 1.2, are
those of the published baseline library and reproduce the figures of Chen & Frazier (2017). The paper lets an arm meet
itself; here, as in that library, it does not.

Between two drops the shares of one arm at a time move, so bounds on the lowest and highest share are kept, and the arms
are only looked through when those bounds are wide enough for a drop: a duel costs O(1) on average.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import FOREVER, Algorithm, Facts
from winnerstays.algorithms.parameters import Number
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below

NEARLY = 1.0 - 1e-12
"""Rounding must not hide a drop: a look through all arms decides by the paper's own inequality."""


class State(NamedTuple):
    arms: Ints  # W: the first `size` are active; of those the first `low` have n* plays, and the last of these is next
    plays: Ints  # n_b
    wins: Ints  # w_b
    met: Ints  # duels of b, chosen first, against each arm
    won: Ints  # those that b won
    size: int
    low: int
    lowest: float  # at most the smallest share of an active arm
    highest: float  # at least the largest
    scale: float  # factor gamma^2 sqrt(ln(1/delta))
    radius: float  # c_delta(n*)


def init(n_arms: int, rng: Rng, *, horizon: int, gamma: float, factor: float) -> State:
    scale = factor * gamma * gamma * math.sqrt(math.log(2.0 * horizon * n_arms))
    plays, wins = np.zeros((2, n_arms), np.int64)
    met, won = np.zeros((2, n_arms, n_arms), np.int64)
    state = State(
        arms=np.arange(n_arms),
        plays=plays,
        wins=wins,
        met=met,
        won=won,
        size=n_arms,
        low=n_arms,
        lowest=0.0,
        highest=1.0,
        scale=scale,
        radius=1.0,
    )
    return draw(state, rng)


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    if state.size == 1:
        return state.arms[0], state.arms[0]
    next_place = state.low - 1
    other = below(rng, state.size - 1)
    return state.arms[next_place], state.arms[other + 1 if other >= next_place else other]


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if state.size == 1:
        return state
    state.plays[first] += 1
    state.met[first, second] += 1
    if first_won:
        state.wins[first] += 1
        state.won[first, second] += 1
    share = state.wins[first] / state.plays[first]
    state = state._replace(low=state.low - 1, lowest=min(state.lowest, share), highest=max(state.highest, share))
    if state.low == 0:
        state = next_level(state)
    if state.highest - state.lowest >= 2.0 * NEARLY * state.radius:
        state = drop_worst(state, rng)
    return draw(state, rng)


@kernel
def best(state: State) -> int:
    chosen = state.arms[0]
    for place in range(1, state.size):
        if share_of(state, state.arms[place]) > share_of(state, chosen):
            chosen = state.arms[place]
    return int(chosen)


@kernel
def certain(state: State) -> int:
    return FOREVER if state.size == 1 else 0


@kernel
def share_of(state: State, arm: int) -> float:
    """Return the share of duels that the arm won, 1/2 if it was never chosen first."""
    return state.wins[arm] / state.plays[arm] if state.plays[arm] > 0 else 0.5


@kernel
def draw(state: State, rng: Rng) -> State:
    """Draw which of the least played arms is next."""
    arms, place = state.arms, below(rng, state.low)
    arms[place], arms[state.low - 1] = arms[state.low - 1], arms[place]
    return state


@kernel
def next_level(state: State) -> State:
    """Find n*, the fewest plays of an active arm, and the arms that have it."""
    arms, plays, low = state.arms, state.plays, 0
    least = plays[arms[0]]
    for place in range(1, state.size):
        least = min(least, plays[arms[place]])
    for place in range(state.size):
        if plays[arms[place]] == least:
            arms[low], arms[place] = arms[place], arms[low]
            low += 1
    return state._replace(low=low, radius=state.scale / math.sqrt(least) if least > 0 else 1.0)


@kernel
def drop_worst(state: State, rng: Rng) -> State:
    """Drop the worst arm if it is surely worse than the best; compute the bounds on the shares anew."""
    lowest, highest, worst, ties = math.inf, -math.inf, 0, 0
    for place in range(state.size):
        share = share_of(state, state.arms[place])
        highest = max(highest, share)
        if share < lowest:
            lowest, worst, ties = share, place, 1
        elif share == lowest:
            ties += 1
            if below(rng, ties) == 0:
                worst = place
    if lowest + state.radius > highest - state.radius:
        return state._replace(lowest=lowest, highest=highest)
    arms, size = state.arms, state.size - 1
    arms[worst], arms[size] = arms[size], arms[worst]
    for place in range(size):
        state.plays[arms[place]] -= state.met[arms[place], arms[size]]
        state.wins[arms[place]] -= state.won[arms[place], arms[size]]
    return next_level(state._replace(size=size, lowest=0.0, highest=1.0))


btm = register(
    Algorithm(
        name="btm",
        title="Beat the Mean",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        parameters={
            "gamma": Number(
                1.2, "how far from strong stochastic transitivity the arms may be; 1: not at all", minimum=1
            ),
            "factor": Number(1.0, "of the confidence radius: 3 in the paper, 1 in Chen & Frazier's figures", above=0),
        },
        needs=frozenset({"horizon"}),
        facts=Facts(
            assumes="total order, gamma-relaxed stochastic transitivity, stochastic triangle inequality",
            guarantee="O(gamma^7 N log T / eps)",
            cost="O(1) on average",
            paper="Yue & Joachims, ICML 2011",
        ),
    )
)
