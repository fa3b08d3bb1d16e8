"""MultiSBM (Ailon, Karnin & Joachims, ICML 2014).

One UCB bandit per arm. The second arm of a duel is the first of the next, and that arm's own bandit picks its opponent
and gets reward 1 if the opponent wins.
Strong regret O(N log T / gap) where win probabilities follow utilities.

The time in a machine's index is its own number of plays, as in the published baseline library; another public
implementation uses the global time, and the paper's text allows both readings.
"""

from typing import NamedTuple

from winnerstays.algorithms._shared import ucb
from winnerstays.algorithms.base import Algorithm, Facts
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below


class State(NamedTuple):
    machines: ucb.Machines
    first: int  # x_t
    second: int  # y_t


def init(n_arms: int, rng: Rng, *, alpha: float) -> State:
    machines = ucb.new_machines(n_arms, n_arms, alpha)
    return State(machines=machines, first=below(rng, n_arms), second=below(rng, n_arms))


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return state.first, state.second


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    ucb.reward(state.machines, first, second, not first_won)
    return state._replace(first=second, second=ucb.pick(state.machines, second, rng))


@kernel
def best(state: State) -> int:
    return ucb.most_played(state.machines)


multisbm = register(
    Algorithm(
        name="multisbm",
        title="MultiSBM with UCB",
        init=init,
        choose=choose,
        update=update,
        best=best,
        parameters={"alpha": ucb.ALPHA},
        facts=Facts(
            assumes="utilities",
            guarantee="O(N log T / gap) with utilities",
            cost="O(sqrt N)",
            paper=ucb.PAPER,
        ),
    )
)
