"""SAVAGE, Condorcet version (Urvoy, Clérot, Féraud & Naamane, ICML 2013).

Of the pairs that can still matter the least sampled one is drawn; an arm that surely loses to some other cannot be the
Condorcet winner and takes all its pairs out. The last arm plays itself. Strong regret O(N^2 log T).

The radius is sqrt(ln(eta / delta) / (2 n)), with eta = 2 M T for M = N (N-1) / 2 pairs and, as in the paper's
experiments, delta = 1 / T. With margin = duels won - lost that is: margin^2 > 2 n ln(2 M T^2).
Only the pair that has just met can be newly decided, so a duel costs O(1), and dropping an arm O(N^2).
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms._shared.counts import no_wins, record_margin
from winnerstays.algorithms._shared.pair_sweeps import Pairs, all_pairs, best, certain, choose, draw, drop
from winnerstays.algorithms.base import NOBODY, Algorithm, Facts
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng


class State(NamedTuple):
    pairs: Pairs
    margin: Ints  # duels i won - lost against j
    active: Ints  # 1: may be the Condorcet winner
    log_term: float  # ln(eta / delta)
    winner: int  # NOBODY until it is known


def init(n_arms: int, rng: Rng, *, horizon: int) -> State:
    log_term = math.log(float(n_arms * (n_arms - 1)) * horizon * horizon)
    return State(
        pairs=all_pairs(n_arms, rng),
        margin=no_wins(n_arms),
        active=np.ones(n_arms, np.int64),
        log_term=log_term,
        winner=NOBODY,
    )


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if state.winner != NOBODY:
        return state
    margin = record_margin(state.margin, first, second, first_won)
    pairs, winner = state.pairs._replace(left=state.pairs.left - 1), NOBODY
    if margin * margin > 2.0 * state.log_term * (pairs.sweeps + 1):
        loser = second if margin > 0 else first
        state.active[loser] = 0
        for place in range(pairs.size - 1, -1, -1):
            if pairs.firsts[place] == loser or pairs.seconds[place] == loser:
                pairs = drop(pairs, place)
        if pairs.size == 0:
            winner = first + second - loser
    return state._replace(pairs=draw(pairs, rng), winner=winner)


savage = register(
    Algorithm(
        name="savage",
        title="SAVAGE, Condorcet version",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        needs=frozenset({"horizon"}),
        facts=Facts(
            guarantee="O(N^2 log T)",
            paper="Urvoy, Clérot, Féraud & Naamane, ICML 2013",
        ),
    )
)
