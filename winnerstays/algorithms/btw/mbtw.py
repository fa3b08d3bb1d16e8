"""Modified Beat the Winner, MBTW (Peköz, Ross & Zhang, 2020, as in Kolpaczki's public code).

Every arm has a standing, 1 at first. The incumbent sets the length of a round: the first to win as many duels as its
standing takes it. The winner's standing grows by 1, the loser's shrinks by 1 (never below 1), and the next challenger
is drawn with a probability proportional to its standing, so that good arms come back sooner than bad ones.

The mechanics are certain only for that code; whether the paper has them word for word is not.
"""

from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import Algorithm, Facts
from winnerstays.algorithms.btw.btw import best, choose
from winnerstays.algorithms.btw.race import Race, count, incumbent_won, is_over, new_race
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, shuffle


class State(NamedTuple):
    race: Race
    standing: Ints  # r_a
    total: int  # the sum of all standings


def init(n_arms: int, rng: Rng) -> State:
    arms = np.arange(n_arms)
    shuffle(arms, rng)
    return State(race=new_race(int(arms[0]), int(arms[1])), standing=np.ones(n_arms, np.int64), total=n_arms)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    race = count(state.race, first, first_won)
    if not is_over(race):
        return state._replace(race=race)
    winner, loser = race.challenger, race.incumbent
    if incumbent_won(race):
        winner, loser = loser, winner
    standing, total = state.standing, state.total + 1
    standing[winner] += 1
    if standing[loser] > 1:
        standing[loser] -= 1
        total -= 1
    race = race._replace(
        incumbent=winner,
        challenger=draw_other(standing, total, winner, rng),
        target=standing[winner],
        incumbent_wins=0,
        challenger_wins=0,
    )
    return state._replace(race=race, total=total)


@kernel
def draw_other(standing: Ints, total: int, winner: int, rng: Rng) -> int:
    """Draw an arm other than the winner with a probability proportional to its standing."""
    left, arm = below(rng, total - standing[winner]), -1
    while left >= 0:
        arm += 1
        if arm != winner:
            left -= standing[arm]
    return arm


mbtw = register(
    Algorithm(
        name="mbtw",
        title="Modified Beat the Winner",
        init=init,
        choose=choose,
        update=update,
        best=best,
        facts=Facts(
            regret="weak",
            cost="O(1), O(N) a round",
            paper="Peköz, Ross & Zhang 2020",
        ),
    )
)
