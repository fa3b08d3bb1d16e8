"""Self-Sparring (Sui, Zhuang, Burdick & Yue, UAI 2017), for two arms at a time and independent arms.

Every arm has one Beta posterior of winning, whoever the other arm is. Two independent Thompson samples each name their
largest arm, and these two meet. Once one arm wins clearly, both samples name it.

Not checked against the paper: that a posterior gains a whole duel from each outcome, without a learning rate. An arm
that meets itself teaches nothing here: the outcome is a coin.
"""

from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms._shared.sampling import beta
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng


class State(NamedTuple):
    won: Ints  # a_i - 1
    lost: Ints  # b_i - 1


def init(n_arms: int, rng: Rng) -> State:
    return State(won=np.zeros(n_arms, np.int64), lost=np.zeros(n_arms, np.int64))


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return largest_sample(state, rng), largest_sample(state, rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if first != second:
        winner, loser = (first, second) if first_won else (second, first)
        state.won[winner] += 1
        state.lost[loser] += 1
    return state


@kernel
def best(state: State) -> int:
    """Return the arm with the largest posterior mean."""
    leader, leading = 0, 0.0
    for arm in range(state.won.size):
        mean = (state.won[arm] + 1.0) / (state.won[arm] + state.lost[arm] + 2.0)
        if mean > leading:
            leader, leading = arm, mean
    return leader


@kernel
def largest_sample(state: State, rng: Rng) -> int:
    """Draw a sample for every arm; return the arm of the largest."""
    leader, leading = 0, -1.0
    for arm in range(state.won.size):
        sample = beta(rng, state.won[arm] + 1.0, state.lost[arm] + 1.0)
        if sample > leading:
            leader, leading = arm, sample
    return leader


self_sparring = register(
    Algorithm(
        name="self-sparring",
        title="Self-Sparring",
        init=init,
        choose=choose,
        update=update,
        best=best,
        assumes="approximately linear utilities",
        any_pair=True,
        guarantee="converges to the best arm; O(N log T) asymptotically",
        cost="O(N)",
        paper="Sui, Zhuang, Burdick & Yue, UAI 2017",
    )
)
