"""Self-Sparring (Sui, Zhuang, Burdick & Yue, UAI 2017), for two arms at a time and independent arms.

Every arm has one Beta posterior of winning, whoever the other arm is. Two independent Thompson samples each name their
largest arm, and these two meet. Once one arm wins clearly, both samples name it.

Not checked against the paper: that a posterior gains a whole duel from each outcome, without a learning rate. An arm
that meets itself teaches nothing here: the outcome is a coin. So once an arm has met itself PATIENCE times in a row,
how often it does so again before its samples need a closer look is a geometric number, drawn at once (bar.py). The law
of the duels is that of drawing every sample.
"""

import math

import numpy as np

from winnerstays.algorithms._shared.sampling import beta
from winnerstays.algorithms.base import FOREVER, Algorithm, Facts, Serving
from winnerstays.algorithms.registry import register
from winnerstays.algorithms.self_sparring.bar import loud_sample, set_bar
from winnerstays.algorithms.self_sparring.state import State
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, uniform

PATIENCE = 12
"""A bar costs about as much as this many duels."""


def init(n_arms: int, rng: Rng) -> State:
    return State(
        won=np.zeros(n_arms, np.int64),
        lost=np.zeros(n_arms, np.int64),
        t=0,
        calm=0,
        leader=0,
        bar=0.0,
        log_quiet=0.0,
        until=0,
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    if state.calm < PATIENCE:
        return largest_sample(state, rng), largest_sample(state, rng)
    first, second = state.leader, state.leader
    if state.t < state.until:
        return first, second
    # of the two draws at least one is not quiet
    loud = uniform(rng) * (1.0 + math.exp(state.log_quiet)) < 1.0
    if loud:
        first = loud_sample(state, rng)
    if not loud or uniform(rng) < -math.expm1(state.log_quiet):
        second = loud_sample(state, rng)
    return first, second


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    t = state.t + 1
    if first != second:
        winner, loser = (first, second) if first_won else (second, first)
        state.won[winner] += 1
        state.lost[loser] += 1
        return state._replace(t=t, calm=0, until=t)
    if state.calm + 1 < PATIENCE:
        return state._replace(t=t, calm=state.calm + 1)
    if state.calm < PATIENCE:
        state = set_bar(state, first)._replace(calm=PATIENCE)
    elif t <= state.until:
        return state._replace(t=t)
    return state._replace(t=t, until=t + quiet_duels(state, rng))


@kernel
def best(state: State) -> int:
    """Return the arm with the largest posterior mean."""
    leader, leading = 0, 0.0
    for arm in range(state.won.size):
        mean = (state.won[arm] + 1.0) / (state.won[arm] + state.lost[arm] + 2.0)
        if mean > leading:
            leader, leading = arm, mean
    return leader


@kernel
def certain(state: State) -> int:
    return max(state.until - state.t, 0)


@kernel
def leap(state: State, duels: int) -> State:
    return state._replace(t=state.t + duels)


@kernel
def quiet_duels(state: State, rng: Rng) -> int:
    """Draw how many duels there are before one of whose two samples one is not quiet."""
    rest, a_duel = math.log(1.0 - uniform(rng)), 2.0 * state.log_quiet
    return int(rest / a_duel) if rest > a_duel * (FOREVER - state.t) else FOREVER - state.t


@kernel
def largest_sample(state: State, rng: Rng) -> int:
    """Draw a sample for every arm; return the arm of the largest."""
    leader, leading = 0, -1.0
    for arm in range(state.won.size):
        sample = beta(rng, state.won[arm] + 1.0, state.lost[arm] + 1.0)
        if sample > leading:
            leader, leading = arm, sample
    return leader


self_sparring = register(
    Algorithm(
        name="self-sparring",
        title="Self-Sparring",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        leap=leap,
        version=2,
        serving=Serving(
            any_pair=True,
        ),
        facts=Facts(
            assumes="approximately linear utilities",
            guarantee="converges to the best arm; O(N log T) asymptotically",
            cost="O(N), self-duels of a leader O(1)",
            paper="Sui, Zhuang, Burdick & Yue, UAI 2017",
        ),
    )
)
