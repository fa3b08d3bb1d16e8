"""Potential Copeland winner stays, POCOWISTA (Bengs, Haddenhorst & Hüllermeier, AISTATS 2024), without indifference.

The arm that lost the fewest matches has the largest potential Copeland score. Among the arms that it has not yet met,
it meets the one that won the most matches. A match ends when the posterior density at 1/2 of winning, from a uniform
prior, is at most delta' / 2, with delta' = delta / (N (N-1) / 2). An arm that won as many matches as any other can
still win is selected, and then plays itself, which makes it a baseline for strong regret. It is a Copeland winner
with probability at least 1 - delta; no bound on regret.

This is the rule of the authors' code, but for ties, which are random here.
"""

from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import FOREVER, NOBODY, Algorithm, Facts
from winnerstays.algorithms.parameters import Number
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below


class State(NamedTuple):
    met: Ints  # D: 1 for pairs whose match is over, and for an arm and itself
    won: Ints  # matches, the Copeland score so far
    potential: Ints  # the score if all other matches are won
    first: int
    second: int  # as first when an arm is selected
    wins: int  # duels of this match that `first` won
    losses: int
    density: float  # of the posterior at 1/2
    end: float  # the density at which a match ends


def init(n_arms: int, rng: Rng, *, delta: float) -> State:
    state = State(
        met=np.eye(n_arms, dtype=np.int64),
        won=np.zeros(n_arms, np.int64),
        potential=np.full(n_arms, n_arms - 1),
        first=0,
        second=0,
        wins=0,
        losses=0,
        density=1.0,
        end=delta / (n_arms * (n_arms - 1)),
    )
    return next_match(state, rng)


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return state.first, state.second


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if state.first == state.second:
        return state
    wins, losses, i, j = state.wins, state.losses, state.first, state.second
    if first_won == (first == i):
        wins += 1
    else:
        losses += 1
    density = state.density * (wins + losses + 1) / (2.0 * (wins if first_won == (first == i) else losses))
    state = state._replace(wins=wins, losses=losses, density=density)
    if density > state.end:
        return state
    winner, loser = (i, j) if wins > losses else (j, i)
    state.met[i, j] = state.met[j, i] = 1
    state.won[winner] += 1
    state.potential[loser] -= 1
    return next_match(state, rng)


@kernel
def best(state: State) -> int:
    return state.first


@kernel
def certain(state: State) -> int:
    return FOREVER if state.first == state.second else 0


@kernel
def next_match(state: State, rng: Rng) -> State:
    """Select an arm if no other can still win more matches, or find the next two arms."""
    first = second = largest(state.won, state.met, NOBODY, rng)
    for arm in range(state.won.size):
        if arm != first and state.potential[arm] > state.won[first]:
            first = largest(state.potential, state.met, NOBODY, rng)
            second = largest(state.won, state.met, first, rng)
            break
    return state._replace(first=first, second=second, wins=0, losses=0, density=1.0)


@kernel
def largest(values: Ints, met: Ints, met_by: int, rng: Rng) -> int:
    """Return the arm of the largest value, a random one of equals, out of those that `met_by` has not met."""
    chosen, ties = NOBODY, 0
    for arm in range(values.size):
        if met_by != NOBODY and met[met_by, arm]:
            continue
        if chosen == NOBODY or values[arm] > values[chosen]:
            chosen, ties = arm, 1
        elif values[arm] == values[chosen]:
            ties += 1
            if below(rng, ties) == 0:
                chosen = arm
    return chosen


pocowista = register(
    Algorithm(
        name="pocowista",
        title="Potential Copeland winner stays",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        parameters={"delta": Number(0.05, "probability of a wrong arm", above=0.0, below=1.0)},
        facts=Facts(
            winner="copeland",
            assumes="no two arms equal",
            guarantee="a Copeland winner with probability 1 - delta; no regret bound",
            paper="Bengs, Haddenhorst & Hüllermeier, AISTATS 2024",
        ),
    )
)
