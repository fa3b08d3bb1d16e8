"""Beat the Winner, BTW (Peköz, Ross & Zhang, 2020).

Arms queue up. In round r the incumbent meets the first in the queue until one of them has won r duels of this round;
the winner is the next incumbent and the loser goes to the back. Rounds become longer, so errors become rare fast
enough: weak regret is bounded for ever if one arm beats every other one with a probability of at least p > 1/2.
"""

from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, shuffle


class Race(NamedTuple):
    """One round, as BTW and its relatives play it: the first to win `target` duels takes it."""

    incumbent: int
    challenger: int
    target: int  # r
    incumbent_wins: int
    challenger_wins: int


class State(NamedTuple):
    """`waiting` is a ring: the arm at `head` is next, and the loser takes its place, which is then the last."""

    race: Race
    waiting: Ints
    head: int


def init(n_arms: int, rng: Rng) -> State:
    arms = np.arange(n_arms)
    shuffle(arms, rng)
    return State(Race(int(arms[0]), int(arms[1]), 1, 0, 0), arms[2:].copy(), 0)


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return state.race.incumbent, state.race.challenger


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    race = count(state.race, first, first_won)
    if not decided(race):
        return state._replace(race=race)
    return next_round(state, race, race.target + 1)


@kernel
def best(state: State) -> int:
    return state.race.incumbent


@kernel
def count(race: Race, first: int, first_won: bool) -> Race:
    if (first == race.incumbent) == first_won:
        return race._replace(incumbent_wins=race.incumbent_wins + 1)
    return race._replace(challenger_wins=race.challenger_wins + 1)


@kernel
def decided(race: Race) -> bool:
    return race.incumbent_wins == race.target or race.challenger_wins == race.target


@kernel
def incumbent_stays(race: Race) -> bool:
    """Who won a race that is decided."""
    return race.incumbent_wins == race.target


@kernel
def next_round(state: State, race: Race, target: int) -> State:
    winner, loser = race.challenger, race.incumbent
    if incumbent_stays(race):
        winner, loser = loser, winner
    waiting, head = state.waiting, state.head
    if waiting.size > 0:  # of two arms, the loser returns at once
        loser, waiting[head] = waiting[head], loser
        head = head + 1 if head + 1 < waiting.size else 0
    race = race._replace(incumbent=winner, challenger=loser, target=target, incumbent_wins=0, challenger_wins=0)
    return state._replace(race=race, head=head)


btw = register(
    Algorithm(
        name="btw",
        title="Beat the Winner",
        init=init,
        choose=choose,
        update=update,
        best=best,
        regret="weak",
        guarantee="weak regret bounded for ever",
        paper="Peköz, Ross & Zhang 2020",
    )
)
