"""Relative Exponential-weight algorithm for Exploration and Exploitation, REX3 (Gajane, Urvoy & Clérot, ICML 2015).

Both arms are drawn from one distribution of exponential weights, mixed with a share gamma of pure chance; a duel moves
the weights of its arms in opposite directions. Utility regret is O(sqrt(N ln N T)) even if an adversary sets the
utilities. gamma depends on the horizon T, which must be known.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats
from winnerstays.algorithms._shared.sampling import pick_proportional
from winnerstays.algorithms.base import Algorithm, Facts
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, uniform

HUGE = 1e100
"""Weights are computed anew when their sum is above this, or below its inverse."""


class State(NamedTuple):
    """`weights` are exp(log_weights - base), so that a duel costs two exponentials, not one for every arm."""

    log_weights: Floats  # ln w_i
    weights: Floats
    total: float  # the sum of the weights
    base: float
    gamma: float


def init(n_arms: int, rng: Rng, *, horizon: int) -> State:
    gamma = min(0.5, math.sqrt(n_arms * math.log(n_arms) / horizon))
    return State(log_weights=np.zeros(n_arms), weights=np.ones(n_arms), total=float(n_arms), base=0.0, gamma=gamma)


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return draw(state, rng), draw(state, rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if first == second:
        return state
    psi = 1.0 if first_won else -1.0
    step = state.gamma * psi / (2.0 * state.weights.size)
    gain, loss = step / probability(state, first), step / probability(state, second)
    move(state, first, gain)
    move(state, second, -loss)
    total = sum_of(state.weights)
    if 1.0 / HUGE < total < HUGE:
        return state._replace(total=total)
    return rebase(state)


@kernel
def best(state: State) -> int:
    leader = 0
    for arm in range(state.weights.size):
        if state.log_weights[arm] > state.log_weights[leader]:
            leader = arm
    return leader


@kernel
def draw(state: State, rng: Rng) -> int:
    """Draw an arm from p."""
    if uniform(rng) < state.gamma:
        return below(rng, state.weights.size)
    return pick_proportional(state.weights, state.total, rng)


@kernel
def probability(state: State, arm: int) -> float:
    """Return p_i = (1 - gamma) w_i / sum w + gamma / N."""
    return (1.0 - state.gamma) * state.weights[arm] / state.total + state.gamma / state.weights.size  # type: ignore[no-any-return]


@kernel
def move(state: State, arm: int, step: float) -> None:
    """Add a step to ln w_i."""
    state.log_weights[arm] += step
    state.weights[arm] = math.exp(state.log_weights[arm] - state.base)


@kernel
def sum_of(weights: Floats) -> float:
    """Return the sum of the weights."""
    total = 0.0
    for weight in weights:
        total += weight
    return total


@kernel
def rebase(state: State) -> State:
    """Compute the weights anew relative to the largest."""
    base = state.log_weights[best(state)]
    for arm in range(state.weights.size):
        state.weights[arm] = math.exp(state.log_weights[arm] - base)
    return state._replace(base=base, total=sum_of(state.weights))


rex3 = register(
    Algorithm(
        name="rex3",
        title="REX3",
        init=init,
        choose=choose,
        update=update,
        best=best,
        needs=frozenset({"horizon"}),
        facts=Facts(
            assumes="utilities, may change",
            guarantee="O(sqrt(N ln N T)) strong utility regret",
            cost="O(N)",
            paper="Gajane, Urvoy & Clérot, ICML 2015",
        ),
    )
)
