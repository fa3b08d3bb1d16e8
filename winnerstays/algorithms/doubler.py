"""Doubler (Ailon, Karnin & Joachims, ICML 2014).

Epochs of 1, 2, 4, ... duels. The first arm is drawn from the multiset of second arms of the previous epoch (a random
arm in the first); the second is picked by one UCB bandit that starts afresh in every epoch and gets reward 1 if its
arm wins. Strong regret O(N log^2 T / gap) with finitely many arms and utilities.

A multiset is kept as how often each arm is in it, so the state does not grow.
"""

from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms._shared import ucb
from winnerstays.algorithms.base import Algorithm, Facts
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below


class State(NamedTuple):
    machines: ucb.Machines
    up_to: Ints  # how many members of the multiset L are arms 0, ..., i
    second: int  # y_t
    left: int  # duels left in this epoch
    length: int  # of this epoch


def init(n_arms: int, rng: Rng, *, alpha: float) -> State:
    up_to = np.zeros(n_arms, np.int64)
    up_to[below(rng, n_arms) :] = 1
    machines = ucb.new_machines(1, n_arms, alpha)
    return State(machines=machines, up_to=up_to, second=below(rng, n_arms), left=1, length=1)


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    member = below(rng, state.up_to[-1])
    low, high = 0, state.up_to.size - 1
    while low < high:
        middle = (low + high) // 2
        if state.up_to[middle] > member:
            high = middle
        else:
            low = middle + 1
    return low, state.second


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    ucb.reward(state.machines, 0, second, not first_won)
    state = next_epoch(state) if state.left == 1 else state._replace(left=state.left - 1)
    return state._replace(second=ucb.pick(state.machines, 0, rng))


@kernel
def best(state: State) -> int:
    """Return the most frequent arm of the multiset."""
    chosen, most = 0, state.up_to[0]
    for arm in range(1, state.up_to.size):
        times = state.up_to[arm] - state.up_to[arm - 1]
        if times > most:
            chosen, most = arm, times
    return chosen


@kernel
def next_epoch(state: State) -> State:
    """Begin an epoch twice as long; the second arms of the last one are the new multiset."""
    total = 0
    for arm in range(state.up_to.size):
        total += state.machines.plays[0, arm]
        state.up_to[arm] = total
    ucb.reset(state.machines, 0)
    return state._replace(left=2 * state.length, length=2 * state.length)


doubler = register(
    Algorithm(
        name="doubler",
        title="Doubler with UCB",
        init=init,
        choose=choose,
        update=update,
        best=best,
        parameters={"alpha": ucb.ALPHA},
        facts=Facts(
            assumes="utilities",
            guarantee="O(N log^2 T / gap) with utilities",
            cost="O(sqrt N)",
            paper=ucb.PAPER,
        ),
    )
)
