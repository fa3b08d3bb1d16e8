"""Beat the Winner Reset, BtWR (Kolpaczki, Hüllermeier & Bengs, 2022).

Beat the Winner, except that the rounds start again at one duel whenever the incumbent loses. An arm that was good once
is thus soon unseated when people change their minds; while they do not, weak regret is O(N log N / gap^2).

The mechanics are those of the authors' public code. Not checked against the paper: that bound.
"""

from winnerstays.algorithms import btw
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng

State = btw.State


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    race = btw.count(state.race, first, first_won)
    if not btw.decided(race):
        return state._replace(race=race)
    return btw.next_round(state, race, race.target + 1 if btw.incumbent_stays(race) else 1)


def init(n_arms: int, rng: Rng) -> State:
    return btw.init(n_arms, rng)


btwr = register(
    Algorithm(
        name="btwr",
        title="Beat the Winner Reset",
        init=init,
        choose=btw.choose,
        update=update,
        best=btw.best,
        regret="weak",
        assumes="Condorcet winner, may change",
        guarantee="O(N log N / gap^2) weak regret between changes",
        paper="Kolpaczki, Hüllermeier & Bengs 2022",
    )
)
