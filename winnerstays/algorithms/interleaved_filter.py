"""Interleaved Filter, IF1 and IF2 (Yue, Broder, Kleinberg & Joachims, COLT 2009, JCSS 2012).

A random champion meets every other arm once a sweep. Arms it surely beats are dropped; an arm that surely beats it
becomes the champion, and IF2 then also drops every arm that was behind the old one. The last arm plays itself.
Strong regret O(N log T / eps) for IF2 and O(N log N log T / eps) for IF1, eps the gap of the two best arms, if the arms
are strictly ordered with strong stochastic transitivity and the stochastic triangle inequality.

All arms in play have met the champion equally often, n times after n sweeps, so with margin = duels the champion
won - lost, "p - sqrt(4 ln(1/delta) / n) > 1/2" is margin > 0 and margin^2 > 16 n ln(1/delta).
Where several arms surely beat the champion, the first of the sweep succeeds it; the paper leaves that open.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import FOREVER, NOBODY, Algorithm, Facts
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, shuffle


class State(NamedTuple):
    others: Ints  # W: arms in play but the champion, in the first `size` places
    margin: Ints  # by place: duels the champion won - lost
    champion: int  # b hat
    size: int
    turn: int  # place of the arm that the champion meets next
    sweeps: int  # finished ones of this champion
    widest: int  # largest |margin| of this sweep
    log_term: float  # ln(1/delta)
    prunes: bool  # IF2


def init_if2(n_arms: int, rng: Rng, *, horizon: int) -> State:
    return init_variant(n_arms, rng, horizon, True)


def init_if1(n_arms: int, rng: Rng, *, horizon: int) -> State:
    return init_variant(n_arms, rng, horizon, False)


def init_variant(n_arms: int, rng: Rng, horizon: int, prunes: bool) -> State:
    """Return the State of IF1 or IF2 before its first duel."""
    arms = np.arange(n_arms)
    shuffle(arms, rng)
    return State(
        others=arms[1:].copy(),
        margin=np.zeros(n_arms - 1, np.int64),
        champion=int(arms[0]),
        size=n_arms - 1,
        turn=0,
        sweeps=0,
        widest=0,
        log_term=math.log(float(horizon) * n_arms * n_arms),
        prunes=prunes,
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return state.champion, state.others[state.turn] if state.size > 0 else state.champion


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if state.size == 0:
        return state
    margin = state.margin[state.turn] + (1 if (first == state.champion) == first_won else -1)
    state.margin[state.turn] = margin
    widest = max(state.widest, abs(margin))
    if state.turn + 1 < state.size:
        return state._replace(turn=state.turn + 1, widest=widest)
    state = state._replace(turn=0, sweeps=state.sweeps + 1, widest=0)
    return end_sweep(state) if excludes_half(state, widest) else state


@kernel
def best(state: State) -> int:
    return state.champion


@kernel
def certain(state: State) -> int:
    return FOREVER if state.size == 0 else 0


@kernel
def excludes_half(state: State, margin: int) -> bool:
    """Whether 1/2 lies outside the confidence interval of an arm with that margin."""
    return margin * margin > 16.0 * state.log_term * state.sweeps


@kernel
def end_sweep(state: State) -> State:
    """Drop the arms that are surely worse (step 1), and make one that is surely better the champion (step 2)."""
    others, margin, size = state.others, state.margin, 0
    successor = NOBODY
    for place in range(state.size):
        if margin[place] < 0 and excludes_half(state, margin[place]) and successor == NOBODY:
            successor = others[place]
    succeeded = successor != NOBODY
    for place in range(state.size):
        behind = margin[place] > 0 and (excludes_half(state, margin[place]) or (succeeded and state.prunes))
        if not behind and others[place] != successor:
            others[size], margin[size] = others[place], margin[place]
            size += 1
    if not succeeded:
        return state._replace(size=size)
    for place in range(size):
        margin[place] = 0
    return state._replace(champion=successor, size=size, sweeps=0)


if2 = register(
    Algorithm(
        name="if2",
        title="Interleaved Filter 2",
        init=init_if2,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        needs=frozenset({"horizon"}),
        facts=Facts(
            assumes="total order, strong stochastic transitivity, stochastic triangle inequality",
            guarantee="O(N log T / eps)",
            paper="Yue, Broder, Kleinberg & Joachims, COLT 2009",
        ),
    )
)
if1 = register(
    Algorithm(
        name="if1",
        title="Interleaved Filter 1",
        init=init_if1,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        needs=frozenset({"horizon"}),
        facts=Facts(
            assumes=if2.facts.assumes,
            guarantee="O(N log N log T / eps)",
            paper=if2.facts.paper,
        ),
    )
)
