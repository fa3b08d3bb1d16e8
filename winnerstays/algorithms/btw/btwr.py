"""Beat the Winner Reset, BtWR (Kolpaczki, Hüllermeier & Bengs, 2022).

Beat the Winner, except that the rounds start again at one duel whenever the incumbent loses. An arm that was good once
is thus soon unseated when people change their minds; while they do not, weak regret is O(N log N / gap^2).

The mechanics are those of the authors' public code. Not checked against the paper: that bound.
"""

from winnerstays.algorithms.base import Algorithm, Facts
from winnerstays.algorithms.btw import btw
from winnerstays.algorithms.btw.btw import State
from winnerstays.algorithms.btw.race import count, incumbent_won, is_over
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng


def init(n_arms: int, rng: Rng) -> State:
    return btw.init(n_arms, rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    race = count(state.race, first, first_won)
    if not is_over(race):
        return state._replace(race=race)
    return btw.next_round(state, race, race.target + 1 if incumbent_won(race) else 1)


btwr = register(
    Algorithm(
        name="btwr",
        title="Beat the Winner Reset",
        init=init,
        choose=btw.choose,
        update=update,
        best=btw.best,
        facts=Facts(
            regret="weak",
            assumes="Condorcet winner, may change",
            guarantee="O(N log N / gap^2) weak regret between changes",
            paper="Kolpaczki, Hüllermeier & Bengs 2022",
        ),
    )
)
