"""Dvoretzky-Kiefer-Wolfowitz tournament, DKWT (Haddenhorst, Bengs & Hüllermeier, NeurIPS 2021), for duels of two.

The arms come in random order. The first is the champion; it meets each other arm in one match, and the winner of a
match is the next champion. The last champion then plays itself, which makes it a baseline for strong regret. It is the
Condorcet winner with probability at least 1 - delta; no bound on regret.

A match of two arms has stages r = 1, 2, ... of T_r = ceil(8 ln(4 / gamma_r) / h_r^2) fresh duels, with h_r = 2^-(r+1)
and gamma_r = 6 delta / (N pi^2 r^2). It ends with the first stage in which the share that one arm won is more than h_r
above the share of the other. This is the rule of the authors' code.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import FOREVER, Algorithm, Facts
from winnerstays.algorithms.parameters import Number
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, shuffle


class State(NamedTuple):
    order: Ints
    champion: int
    place: int  # of the other arm in the order; N after the last match
    r: int
    left: int  # duels of this stage to come
    total: int  # T_r
    lead: int  # duels of this stage that the champion won - lost
    delta: float


def init(n_arms: int, rng: Rng, *, delta: float) -> State:
    order = np.arange(n_arms)
    shuffle(order, rng)
    state = State(order=order, champion=int(order[0]), place=1, r=0, left=0, total=0, lead=0, delta=delta)
    return stage(state, 1)


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    if state.place == state.order.size:
        return state.champion, state.champion
    return state.champion, state.order[state.place]


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if state.place == state.order.size:
        return state
    lead = state.lead + (1 if (first == state.champion) == first_won else -1)
    state = state._replace(left=state.left - 1, lead=lead)
    if state.left > 0:
        return state
    if abs(lead) <= width(state.r) * state.total:
        return stage(state, state.r + 1)
    winner = state.champion if lead > 0 else state.order[state.place]
    return stage(state._replace(champion=winner, place=state.place + 1), 1)


@kernel
def best(state: State) -> int:
    return state.champion


@kernel
def certain(state: State) -> int:
    return FOREVER if state.place == state.order.size else 0


@kernel
def width(r: int) -> float:
    """Return h_r."""
    return 0.5 ** (r + 1)


@kernel
def stage(state: State, r: int) -> State:
    """Begin a stage of a match."""
    log_term = math.log(4.0 * state.order.size * math.pi**2 * r * r / (6.0 * state.delta))
    total = math.ceil(8.0 * log_term / width(r) ** 2)
    return state._replace(r=r, left=total, total=total, lead=0)


dkwt = register(
    Algorithm(
        name="dkwt",
        title="Dvoretzky-Kiefer-Wolfowitz tournament",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        parameters={"delta": Number(0.05, "probability of a wrong arm", above=0.0, below=1.0)},
        facts=Facts(
            assumes="Condorcet winner, no two arms equal",
            guarantee="right arm with probability 1 - delta; no regret bound",
            paper="Haddenhorst, Bengs & Hüllermeier, NeurIPS 2021",
        ),
    )
)
