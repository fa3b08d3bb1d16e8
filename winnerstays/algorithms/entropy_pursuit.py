"""Entropy Pursuit (Pallone, Frazier & Henderson 2017): ask for the pair whose answer tells most about the utilities.

Utilities have a Gaussian prior, independent from arm to arm; an answer is a probit choice between two of them, and a
share of answers are slips. The posterior is Gaussian by moment matching. Each duel is the pair of the largest mutual
information of its answer and the utilities. That learns the whole order, and does not show the favourite in between.
"""

from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms.base import Algorithm, Facts, Serving
from winnerstays.algorithms.parameters import Number
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.probit import LOST, TIED, WON, chance_of, entropy, entropy_left, learn
from winnerstays.randomness import Rng, shuffle


class State(NamedTuple):
    order: Ints  # in which pairs are looked at: the first of those that tell as much
    mean: Floats
    covariance: Floats
    slips: float
    column: Floats  # for the computation of an update


def init(n_arms: int, rng: Rng, *, spread: float, slips: float) -> State:
    order = np.arange(n_arms)
    shuffle(order, rng)
    return State(
        order=order,
        mean=np.zeros(n_arms),
        covariance=spread**2 * np.eye(n_arms),
        slips=slips,
        column=np.zeros(n_arms),
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    first, second, most = 0, 1, -1.0
    for a in range(state.order.size):
        for b in range(a + 1, state.order.size):
            told = information(state, state.order[a], state.order[b])
            if told > most:
                first, second, most = state.order[a], state.order[b], told
    return first, second


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    learn(state.mean, state.covariance, first, second, WON if first_won else LOST, state.slips, state.column)
    return state


@kernel
def best(state: State) -> int:
    """Return the arm of the highest mean, the first in the order if there are several."""
    leader = 0
    for place in range(1, state.order.size):
        if state.mean[state.order[place]] > state.mean[state.order[leader]]:
            leader = place
    return int(state.order[leader])


@kernel
def tie(state: State, first: int, second: int) -> State:
    learn(state.mean, state.covariance, first, second, TIED, state.slips, state.column)
    return state


@kernel
def information(state: State, first: int, second: int) -> float:
    """Return the mutual information of the answer about a pair and the utilities."""
    covariance = state.covariance
    variance = max(covariance[first, first] + covariance[second, second] - 2.0 * covariance[first, second], 0.0)
    gap = state.mean[first] - state.mean[second]
    return entropy(chance_of(gap, variance, state.slips)) - entropy_left(gap, variance, state.slips)


entropy_pursuit = register(
    Algorithm(
        name="entropy-pursuit",
        title="Entropy Pursuit",
        init=init,
        choose=choose,
        update=update,
        best=best,
        parameters={
            "spread": Number(2.0, "standard deviation of utilities, in log-odds", above=0.0),
            "slips": Number(0.1, "share of answers at random", minimum=0.0, below=1.0),
        },
        serving=Serving(
            any_pair=True,
            tie=tie,
        ),
        facts=Facts(
            regret="weak",
            winner="none",
            assumes="utilities",
            guarantee="none for regret: it learns the utilities",
            cost="O(N^2)",
            paper="Pallone, Frazier & Henderson 2017",
        ),
    )
)
