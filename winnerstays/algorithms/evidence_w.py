"""Evidence-W: show the two arms that are least likely to be bad (weak regret; docs/frontier.md).

Algorithm 1 of Chen & Frazier shows the two arms with the most duels won - lost, C_i. Here the root of that score is
taken from the evidence against the arm, and the two arms of the lowest key are shown:

key_i = S_i - sign(C_i) sqrt(|C_i|), with S_i the sum of n_ik kl(p_ik, 1/2) over the arms k that lead i in their n_ik
duels. p_ik is the share that i won, with half a win and half a loss added.

There is no parameter. Weak regret is bounded for ever if no two arms are exactly equal (docs/proofs/evidence-w.md).
It is long where many bad arms are almost equal, as the evidence between them grows slowly.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms._shared.counts import kl_half, no_wins, played, record
from winnerstays.algorithms.base import NOBODY, Algorithm, Facts, Serving
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below

UNIT = 2.0**-32
"""The unit in which S_i is kept, so that replacing the evidence of a pair leaves no rounding behind."""
ADDED = 0.5
"""The wins and losses added to a record."""


class State(NamedTuple):
    wins: Ints  # W
    against: Ints  # S in units of 2**-32
    score: Ints  # C
    key: Floats


def init(n_arms: int, rng: Rng) -> State:
    return State(
        wins=no_wins(n_arms),
        against=np.zeros(n_arms, np.int64),
        score=np.zeros(n_arms, np.int64),
        key=np.zeros(n_arms),
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    first = lowest(state.key, NOBODY, rng)
    return first, lowest(state.key, first, rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if first == second:
        return state
    count(state, first, second, -1)
    record(state.wins, first, second, first_won)
    count(state, first, second, 1)
    won = 1 if first_won else -1
    for arm, change in ((first, won), (second, -won)):
        state.score[arm] += change
        root = math.copysign(math.sqrt(abs(state.score[arm])), state.score[arm])
        state.key[arm] = state.against[arm] * UNIT - root
    return state


@kernel
def best(state: State) -> int:
    leader = 0
    for arm in range(state.key.size):
        if state.key[arm] < state.key[leader]:
            leader = arm
    return leader


@kernel
def lowest(key: Floats, but: int, rng: Rng) -> int:
    """Return the arm of the lowest key, a random one of equals, leaving one out."""
    chosen, ties = NOBODY, 0
    for arm in range(key.size):
        if arm == but:
            continue
        if chosen == NOBODY or key[arm] < key[chosen]:
            chosen, ties = arm, 1
        elif key[arm] == key[chosen]:
            ties += 1
            if below(rng, ties) == 0:
                chosen = arm
    return chosen


@kernel
def count(state: State, i: int, k: int, sign: int) -> None:
    """Add to S what the pair says, or take it away."""
    lead = state.wins[i, k] - state.wins[k, i]
    if lead != 0:
        n = played(state.wins, i, k)
        evidence = n * kl_half((state.wins[i, k] + ADDED) / (n + 2.0 * ADDED))
        state.against[k if lead > 0 else i] += sign * int(evidence / UNIT + 0.5)


evidence_w = register(
    Algorithm(
        name="evidence-w",
        title="Evidence-W",
        init=init,
        choose=choose,
        update=update,
        best=best,
        serving=Serving(
            any_pair=True,
        ),
        facts=Facts(
            regret="weak",
            guarantee="weak regret bounded for ever if no two arms are equal (docs/proofs/evidence-w.md)",
            cost="O(N)",
            paper="docs/frontier.md",
        ),
    )
)
