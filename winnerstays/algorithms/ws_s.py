"""Winner Stays for strong regret, WS-S (Chen & Frazier, ICML 2017, Algorithm 2).

Round l is (a) a round of WS-W, and (b) floor(beta**l) duels of its winner with itself, whose outcomes are ignored.
Strong regret O(N log T + N log N) with a total order, O(N log T + N^2) with a Condorcet winner, if beta < p/(1-p).

When arms join, rounds are counted from 1 again, with the incumbent in its seat: a newcomer would otherwise wait beta**l
duels between its hearings.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from winnerstays.algorithms import ws_w
from winnerstays.algorithms.base import FOREVER, Algorithm, Facts, Serving
from winnerstays.algorithms.parameters import Number
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng

BETA = 1.1
"""The paper's choice in its experiments."""


class State(NamedTuple):
    walk: ws_w.State  # of the exploration
    beta: float
    exploit: int  # duels left in which Z(l) meets itself


def init(n_arms: int, rng: Rng, *, beta: float, first_challenger: str) -> State:
    return State(walk=ws_w.init(n_arms, rng, first_challenger=first_challenger), beta=beta, exploit=0)


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    if state.exploit > 0:
        return best(state), best(state)  # (b) exploitation
    return ws_w.choose(state.walk, rng)  # (a) a round of WS-W


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if state.exploit > 0:
        return leap(state, 1)
    walk = ws_w.update(state.walk, first, second, first_won, rng)
    exploit = 0
    if walk.round > state.walk.round:
        exploit = phase(state.beta, state.walk.round)
    return state._replace(walk=walk, exploit=exploit)


@kernel
def best(state: State) -> int:
    return ws_w.best(state.walk)


@kernel
def certain(state: State) -> int:
    return state.exploit


@kernel
def leap(state: State, duels: int) -> State:
    return state._replace(exploit=state.exploit - duels)


def round_of(state: State) -> int:
    return ws_w.round_of(state.walk)


@kernel
def tie(state: State, first: int, second: int) -> State:
    """Half a win to each leaves the scores as they are; a duel of an arm with itself is over."""
    return leap(state, 1) if state.exploit > 0 else state


def join(state: State, arms: Sequence[int], rng: Rng) -> State:
    walk = ws_w.join(ws_w.from_seat(state.walk, rng), arms, rng)
    return state._replace(walk=walk, exploit=0)


def leave(state: State, arms: Sequence[int], rng: Rng) -> State:
    exploit = 0 if best(state) in arms else state.exploit
    return state._replace(walk=ws_w.leave(state.walk, arms, rng), exploit=exploit)


def present(state: State) -> Sequence[int]:
    return ws_w.present(state.walk)


@kernel
def phase(beta: float, l: int) -> int:
    """Return floor(beta**l), or FOREVER where that is too large for a whole number."""
    return int(math.pow(beta, float(l))) if l * math.log(beta) < 62 * math.log(2.0) else FOREVER


ws_s = register(
    Algorithm(
        name="ws-s",
        title="Winner Stays, strong regret",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        leap=leap,
        round=round_of,
        parameters={
            "beta": Number(BETA, "growth of the exploitation phases; the theory wants it below p/(1-p)", above=1.0),
            "first_challenger": ws_w.FIRST_CHALLENGER,
        },
        serving=Serving(
            tie=tie,
            join=join,
            leave=leave,
            present=present,
        ),
        facts=Facts(
            regret="strong",
            guarantee="O(N log T + N log N) total order, O(N log T + N^2) Condorcet, if beta < p/(1-p)",
            paper="Chen & Frazier, ICML 2017",
        ),
    )
)
