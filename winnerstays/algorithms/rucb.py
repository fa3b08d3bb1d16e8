"""Relative Upper Confidence Bound, RUCB (Zoghi, Whiteson, Munos & de Rijke, ICML 2014).

An arm is a candidate while no other arm beats it with confidence, U[c, j] >= 1/2 for all j. A candidate c meets the arm
that could be strongest against it, argmax over j of U[j, c]; when that is c itself, c meets itself.
Strong regret O(N^2 + N log T), in expectation and with high probability.

The literal rule costs O(N^2) a duel. Here an arm's `barrier` is the strongest evidence against it, so that it is a
candidate exactly while barrier <= alpha ln t; the list of candidates is renewed only when a barrier is crossed. A sole
candidate that beats everybody meets itself until a moment known in advance. The duels are those of the literal rule:
only a bound that equals 1/2, or another bound, up to the last bit could be rounded differently.

Two arms that never met have U = 2 in the paper and, as the numbers show, in Chen & Frazier's figures of weak regret
(2017). The library that seems to be behind their figures of strong regret takes 1, which ends the tour of all pairs
earlier and costs a tenth less on `sushi`: `unvisited=1`.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms._shared import confidence
from winnerstays.algorithms._shared.confidence import ALPHA
from winnerstays.algorithms._shared.counts import no_tally, record_tally
from winnerstays.algorithms.base import NOBODY, Algorithm, Facts
from winnerstays.algorithms.parameters import Number
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, uniform


class State(NamedTuple):
    tally: Ints  # w_ij and w_ji
    barrier: Floats  # the alpha ln t from which on each arm is a candidate
    candidates: Ints  # C, in ascending order; the first `size` count
    size: int
    champion: int  # B: one arm or nobody
    next_barrier: float  # no barrier lies between alpha ln t and this
    t: int
    self_duels: int  # coming duels of the sole candidate with itself
    alpha: float
    unvisited: float  # U of two arms that never met


def init(n_arms: int, rng: Rng, *, alpha: float, unvisited: float) -> State:
    return State(
        tally=no_tally(n_arms),
        barrier=np.zeros(n_arms),
        candidates=np.arange(n_arms),
        size=n_arms,
        champion=NOBODY,
        next_barrier=math.inf,
        t=1,
        self_duels=0,
        alpha=alpha,
        unvisited=unvisited,
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    if state.self_duels > 0:
        return state.candidates[0], state.candidates[0]
    arm = candidate(state, rng)
    budget = confidence.budget_at(state.alpha, state.t)
    return arm, confidence.strongest_rival(state.tally, arm, budget, state.unvisited, rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if first == second:
        return advance(state, 1, first)
    budget = confidence.budget_at(state.alpha, state.t)
    winner, loser = (first, second) if first_won else (second, first)
    tally, barrier = state.tally, state.barrier
    winner_was_in, loser_was_in = barrier[winner] <= budget, barrier[loser] <= budget
    was_highest = confidence.evidence(tally, loser, winner) == barrier[winner]
    record_tally(tally, winner, loser, True)
    if was_highest and barrier[winner] > 0.0:
        barrier[winner] = highest_evidence_against(tally, winner)
    barrier[loser] = max(barrier[loser], confidence.evidence(tally, winner, loser))
    next_barrier = state.next_barrier
    if winner_was_in != (barrier[winner] <= budget) or loser_was_in != (barrier[loser] <= budget):
        next_barrier = 0.0
    elif not winner_was_in:
        next_barrier = min(next_barrier, barrier[winner])
    return advance(state._replace(next_barrier=next_barrier), 1, second)


@kernel
def best(state: State) -> int:
    return state.champion if state.champion != NOBODY else confidence.favourite(state.tally)


@kernel
def certain(state: State) -> int:
    return state.self_duels


@kernel
def leap(state: State, duels: int) -> State:
    return advance(state, duels, state.candidates[0])


@kernel
def candidate(state: State, rng: Rng) -> int:
    """Return the champion with probability 1/2 if others are candidates too, otherwise one of them (steps 7-11)."""
    candidates, size, champion = state.candidates, state.size, state.champion
    if size == 0:
        return below(rng, candidates.size)
    if size == 1:
        return candidates[0]  # type: ignore[no-any-return]
    if champion == NOBODY:
        return candidates[below(rng, size)]  # type: ignore[no-any-return]
    if uniform(rng) < 0.5:
        return champion
    pick = below(rng, size - 1) if size > 2 else 0
    for k in range(pick + 1):
        if candidates[k] == champion:
            pick += 1
            break
    return candidates[pick]  # type: ignore[no-any-return]


@kernel
def advance(state: State, duels: int, hint: int) -> State:
    """Let time pass: renew the candidates and the champion, and count the duels in which nothing will change."""
    t = state.t + duels
    budget = confidence.budget_at(state.alpha, t)
    size, champion, next_barrier = state.size, state.champion, state.next_barrier
    self_duels = max(state.self_duels - duels, 0)
    if budget >= next_barrier:
        size, next_barrier = list_candidates(state, budget)
        if champion != NOBODY and state.barrier[champion] > budget:
            champion = NOBODY
        if size == 1:
            champion = state.candidates[0]
    if size == 1 and self_duels == 0:
        weakest = confidence.weakest_win(state.tally, state.candidates[0], budget, hint)
        if weakest > 0.0:
            self_duels = confidence.first_time(state.alpha, weakest) - t
    return state._replace(size=size, champion=champion, next_barrier=next_barrier, t=t, self_duels=self_duels)


@kernel
def list_candidates(state: State, budget: float) -> tuple[int, float]:
    """Renew the list of candidates; return its length and the next barrier that time will cross."""
    size, next_barrier = 0, math.inf
    for arm in range(state.barrier.size):
        if state.barrier[arm] <= budget:
            state.candidates[size] = arm
            size += 1
        else:
            next_barrier = min(next_barrier, state.barrier[arm])
    return size, next_barrier


@kernel
def highest_evidence_against(tally: Ints, arm: int) -> float:
    """Return the barrier of an arm."""
    highest = 0.0
    for j in range(tally.shape[0]):
        if tally[arm, j, 1] > tally[arm, j, 0]:
            highest = max(highest, confidence.evidence(tally, j, arm))
    return highest


rucb = register(
    Algorithm(
        name="rucb",
        title="Relative Upper Confidence Bound",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        leap=leap,
        parameters={
            "alpha": ALPHA,
            "unvisited": Number(
                confidence.UNVISITED, "U of two arms that never met: 2 in the paper, elsewhere 1", above=0.5
            ),
        },
        facts=Facts(
            regret="strong",
            guarantee="O(N^2 + N log T), in expectation and with high probability",
            cost="O(N), O(1) while the best arm meets itself",
            paper="Zoghi, Whiteson, Munos & de Rijke, ICML 2014",
        ),
    )
)
