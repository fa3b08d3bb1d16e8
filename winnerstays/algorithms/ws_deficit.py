"""Deficit Winner Stays: show the two arms with the smallest deficits (weak regret; docs/frontier.md).

Algorithm 1 of Chen & Frazier shows the two arms with the most duels won - lost, where a lead over a weak opponent
hides a deficit to another. Here deficits count in full, and the whole score by its root only. The two arms of the
lowest key are shown:

key_i = sum over j of max(0, duels i lost to j - won against j) - 2 sign(C_i) sqrt(|C_i|), C_i the duels i won - lost.

A tiny random number in each key settles ties. There is no parameter. Weak regret is bounded for ever with a Condorcet
winner (docs/proofs/ws-deficit.md).
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms._shared.counts import no_wins, record_margin
from winnerstays.algorithms.base import Algorithm, Facts, Serving
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, uniform

LUCK = 1e-9
"""Small enough to decide between equal keys only."""


class State(NamedTuple):
    margin: Ints  # duels i won - lost against j
    deficit: Ints  # the sum of what i is behind others
    score: Ints  # C
    key: Floats


def init(n_arms: int, rng: Rng) -> State:
    return State(
        margin=no_wins(n_arms),
        deficit=np.zeros(n_arms, np.int64),
        score=np.zeros(n_arms, np.int64),
        key=np.array([LUCK * uniform(rng) for _ in range(n_arms)]),
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return two_lowest(state.key)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if first == second:
        return state
    winner, loser = (first, second) if first_won else (second, first)
    if record_margin(state.margin, winner, loser, True) > 0:
        state.deficit[loser] += 1
    else:
        state.deficit[winner] -= 1
    state.score[winner] += 1
    state.score[loser] -= 1
    for arm in (first, second):
        root = math.copysign(math.sqrt(abs(state.score[arm])), state.score[arm])
        state.key[arm] = state.deficit[arm] - 2.0 * root + LUCK * uniform(rng)
    return state


@kernel
def best(state: State) -> int:
    return two_lowest(state.key)[0]


@kernel
def tie(state: State, first: int, second: int) -> State:
    """Half a win of each changes no margin."""
    return state


@kernel
def two_lowest(key: Floats) -> tuple[int, int]:
    """Return the arms of the two lowest keys, the lowest first."""
    first, second, low, behind = 0, 0, math.inf, math.inf
    for arm in range(key.size):
        if key[arm] < behind:
            if key[arm] < low:
                first, second, low, behind = arm, first, key[arm], low
            else:
                second, behind = arm, key[arm]
    return first, second


ws_deficit = register(
    Algorithm(
        name="ws-deficit",
        title="Deficit Winner Stays",
        init=init,
        choose=choose,
        update=update,
        best=best,
        serving=Serving(
            any_pair=True,
            tie=tie,
        ),
        facts=Facts(
            regret="weak",
            guarantee="weak regret bounded for ever (docs/frontier.md)",
            cost="O(N)",
            paper="docs/frontier.md",
        ),
    )
)
