"""Self-Sparring (Sui, Zhuang, Burdick & Yue, UAI 2017), for two arms at a time and independent arms (Algorithm 3).

Every arm has one Beta posterior of winning, whoever the other arm is. Two independent Thompson samples each name their
largest arm, and these two meet. Every entry of the feedback matrix counts, with the default learning rate of 1: so an
arm that meets itself gains a win and a loss. Its posterior moves towards 1/2, and other arms are tried again.
"""

from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import Algorithm, Facts, Serving
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, beta


class State(NamedTuple):
    won: Ints  # S_i
    lost: Ints  # F_i


def init(n_arms: int, rng: Rng) -> State:
    return State(won=np.zeros(n_arms, np.int64), lost=np.zeros(n_arms, np.int64))


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return largest_sample(state, rng), largest_sample(state, rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    winner, loser = (first, second) if first_won else (second, first)
    state.won[winner] += 1
    state.lost[loser] += 1
    return state


@kernel
def best(state: State) -> int:
    """Return the arm with most wins; means say little, as a favourite that meets itself moves towards 1/2."""
    leader = 0
    for arm in range(state.won.size):
        if state.won[arm] > state.won[leader]:
            leader = arm
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
        version=3,
        serving=Serving(
            any_pair=True,
        ),
        facts=Facts(
            assumes="approximately linear utilities",
            guarantee="converges to the best arm; O(N log T) asymptotically",
            cost="O(N)",
            paper="Sui, Zhuang, Burdick & Yue, UAI 2017",
        ),
    )
)
