"""Preference-based racing for the best arm, PBR (Busa-Fekete, Szörényi, Weng, Cheng & Hüllermeier, ICML 2013).

Every pair that still matters meets once a sweep. `copeland`: a pair whose interval excludes 1/2 is decided; an arm is
discarded once it cannot win as many pairs as another surely wins. `borda`: an arm is discarded once its mean chance
against all others surely is below another's. A pair of two discarded arms matters no more. The paper selects the k
best arms; here k = 1, and the selected arm then plays itself, which makes it a baseline for strong regret.
With probability at least 1 - delta the right arm is selected; no bound on regret.

The radius is sqrt(ln(2 N^2 n_max / delta) / (2 n)). Not checked against the paper: that radius, that both orders of a
pair count as one, that intervals are looked at after every duel (`copeland`), and that the leading arm is selected when
pairs have met n_max times. The paper's third rule, a random walk over arms, is not here.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms._shared.counts import no_wins, record_margin
from winnerstays.algorithms._shared.pair_sweeps import (
    Pairs,
    all_pairs,
    best,
    certain,
    choose,
    draw,
    drop,
    leader,
)
from winnerstays.algorithms.base import FOREVER, NOBODY, Algorithm, Facts
from winnerstays.algorithms.parameters import Choice, Number, Whole
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng


class State(NamedTuple):
    pairs: Pairs
    margin: Ints  # duels i won - lost against j
    total: Ints  # duels i won - lost
    above: Ints  # o_i: arms that i surely beats
    below: Ints  # z_i: arms that surely beat i
    active: Ints  # 0: discarded
    log_term: float
    n_max: int
    borda: bool
    winner: int  # NOBODY until it is selected


def init(n_arms: int, rng: Rng, *, rule: str, delta: float, n_max: int) -> State:
    total, above, below = (np.zeros(n_arms, np.int64) for _ in range(3))
    return State(
        pairs=all_pairs(n_arms, rng),
        margin=no_wins(n_arms),
        total=total,
        above=above,
        below=below,
        active=np.ones(n_arms, np.int64),
        log_term=math.log(2.0 * n_arms * n_arms * n_max / delta),
        n_max=n_max,
        borda=rule == "borda",
        winner=NOBODY,
    )


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if state.winner != NOBODY:
        return state
    margin = record_margin(state.margin, first, second, first_won)
    state.total[first] += 1 if first_won else NOBODY
    state.total[second] -= 1 if first_won else NOBODY
    pairs = state.pairs._replace(left=state.pairs.left - 1)
    n, winner = pairs.sweeps + 1, NOBODY
    if not state.borda and margin * margin > 2.0 * state.log_term * n:
        pairs = drop(pairs, pairs.left)
        ahead, behind = (first, second) if margin > 0 else (second, first)
        state.above[ahead] += 1
        state.below[behind] += 1
        pairs = discard_by_copeland(state, pairs)
        winner = selected(state, pairs, n)
    elif pairs.left == 0:
        if state.borda:
            pairs = discard_by_borda(state, pairs, n)
        winner = selected(state, pairs, n)
    return state._replace(pairs=draw(pairs, rng), winner=winner)


@kernel
def discard_by_copeland(state: State, pairs: Pairs) -> Pairs:
    """Discard arms that cannot win as many pairs as another surely wins."""
    n_arms, most = state.active.size, 0
    for arm in range(n_arms):
        most = max(most, state.above[arm])
    for arm in range(n_arms):
        if n_arms - 1 - state.below[arm] < most:
            state.active[arm] = 0
    return drop_discarded(state, pairs)


@kernel
def discard_by_borda(state: State, pairs: Pairs, n: int) -> Pairs:
    """Discard arms by their mean chance; all pairs of an active arm have met n times, so one radius holds for all."""
    n_arms, most = state.active.size, -FOREVER
    for arm in range(n_arms):
        if state.active[arm]:
            most = max(most, state.total[arm])
    needed = 4.0 * n * (n_arms - 1) * math.sqrt(state.log_term / (2.0 * n))
    discarded = False
    for arm in range(n_arms):
        if state.active[arm] and most - state.total[arm] > needed:
            state.active[arm] = 0
            discarded = True
    return drop_discarded(state, pairs) if discarded else pairs


@kernel
def drop_discarded(state: State, pairs: Pairs) -> Pairs:
    """Drop the pairs of two discarded arms."""
    for place in range(pairs.size - 1, -1, -1):
        if not state.active[pairs.firsts[place]] and not state.active[pairs.seconds[place]]:
            pairs = drop(pairs, place)
    return pairs


@kernel
def selected(state: State, pairs: Pairs, n: int) -> int:
    """Return the only arm that is not discarded, or the leading one where nothing more may be asked; else NOBODY."""
    if pairs.size == 0 or (pairs.left == 0 and n >= state.n_max):
        return leader(state.margin, state.active)
    remaining = 0
    for arm in range(state.active.size):
        remaining += state.active[arm]
    return leader(state.margin, state.active) if remaining == 1 else NOBODY


racing = register(
    Algorithm(
        name="racing",
        title="Preference-based racing for one arm",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        parameters={
            "rule": Choice(("copeland", "borda"), "what the best arm is: it wins most pairs, or most duels on average"),
            "delta": Number(0.05, "probability of selecting a wrong arm", above=0.0, below=1.0),
            "n_max": Whole(1_000_000, "duels of a pair after which the leading arm is selected"),
        },
        facts=Facts(
            winner="copeland",
            assumes="Condorcet winner, or the arm of largest mean for rule=borda",
            guarantee="right arm with probability 1 - delta; no regret bound",
            cost="O(1) on average",
            paper="Busa-Fekete et al., ICML 2013",
        ),
    )
)
