"""Two different arms at random, every time: the floor that every algorithm should be above.

It learns only who won most, and never acts on it; both regrets grow linearly.
"""

from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import Algorithm, Facts, Serving
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below


class State(NamedTuple):
    score: Ints  # duels won - lost
    favourite: int


def init(n_arms: int, rng: Rng) -> State:
    return State(score=np.zeros(n_arms, np.int64), favourite=below(rng, n_arms))


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    first = below(rng, state.score.size)
    second = below(rng, state.score.size - 1)
    return first, second + 1 if second >= first else second


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    winner, loser = (first, second) if first_won else (second, first)
    state.score[winner] += 1
    state.score[loser] -= 1
    favourite = state.favourite
    if loser == favourite:
        for arm in range(state.score.size):
            if state.score[arm] > state.score[favourite]:
                favourite = arm
    elif state.score[winner] > state.score[favourite]:
        favourite = winner
    return state._replace(favourite=favourite)


@kernel
def best(state: State) -> int:
    return state.favourite


random = register(
    Algorithm(
        name="random",
        title="Random pairs",
        init=init,
        choose=choose,
        update=update,
        best=best,
        serving=Serving(
            any_pair=True,
        ),
        facts=Facts(
            regret="weak",
            winner="none",
            assumes="nothing",
            guarantee="none: linear regret, the floor",
            paper="folklore",
        ),
    )
)
