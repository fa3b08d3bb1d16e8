"""Sparring (Ailon, Karnin & Joachims, ICML 2014).

Two UCB bandits, left and right, each pick one arm of the duel; the one whose arm wins gets reward 1, the other 0.
No bound is proved for Sparring with UCB machines in that paper; it works well where arms have utilities.

The paper leaves the bandit open. The index coefficient 2.5, t counted by each machine, and unplayed arms first are the
choices of the published baseline library, whose curves Chen & Frazier (2017) show; there the lowest index comes first,
here order and ties are random.
"""

from typing import NamedTuple

from winnerstays.algorithms._shared import ucb
from winnerstays.algorithms.base import Algorithm, Facts
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below

LEFT, RIGHT = 0, 1


class State(NamedTuple):
    machines: ucb.Machines
    left: int  # what the machines play next
    right: int


def init(n_arms: int, rng: Rng, *, alpha: float) -> State:
    machines = ucb.new_machines(2, n_arms, alpha)
    return State(machines=machines, left=below(rng, n_arms), right=below(rng, n_arms))


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return state.left, state.right


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    machines = state.machines
    ucb.reward(machines, LEFT, first, first_won)
    ucb.reward(machines, RIGHT, second, not first_won)
    return state._replace(left=ucb.pick(machines, LEFT, rng), right=ucb.pick(machines, RIGHT, rng))


@kernel
def best(state: State) -> int:
    return ucb.most_played(state.machines)


sparring = register(
    Algorithm(
        name="sparring",
        title="Sparring with UCB",
        init=init,
        choose=choose,
        update=update,
        best=best,
        parameters={"alpha": ucb.ALPHA},
        facts=Facts(
            assumes="utilities",
            guarantee="none proved for UCB machines",
            cost="O(sqrt N)",
            paper=ucb.PAPER,
        ),
    )
)
