"""Beat the Winner, BTW (Peköz, Ross & Zhang, 2020).

Arms queue up. In round r the incumbent meets the first in the queue until one of them has won r duels of this round;
the winner is the next incumbent and the loser goes to the back. Rounds become longer, so errors become rare fast
enough: weak regret is bounded for ever if one arm beats every other one with a probability of at least p > 1/2.
"""

from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import Algorithm, Facts
from winnerstays.algorithms.btw.race import Race, count, incumbent_won, is_over, new_race
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, shuffle


class State(NamedTuple):
    """`waiting` is a ring: the arm at `head` is next, and the loser takes its place, which is then the last."""

    race: Race
    waiting: Ints  # the queue
    head: int


def init(n_arms: int, rng: Rng) -> State:
    arms = np.arange(n_arms)
    shuffle(arms, rng)
    return State(race=new_race(int(arms[0]), int(arms[1])), waiting=arms[2:].copy(), head=0)


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return state.race.incumbent, state.race.challenger


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    race = count(state.race, first, first_won)
    if not is_over(race):
        return state._replace(race=race)
    return next_round(state, race, race.target + 1)


@kernel
def best(state: State) -> int:
    return state.race.incumbent


@kernel
def next_round(state: State, race: Race, target: int) -> State:
    """Send the loser to the back of the queue; the winner meets the arm at its front in a race for `target` wins."""
    winner, loser = race.challenger, race.incumbent
    if incumbent_won(race):
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
        facts=Facts(
            regret="weak",
            guarantee="weak regret bounded for ever",
            paper="Peköz, Ross & Zhang 2020",
        ),
    )
)
