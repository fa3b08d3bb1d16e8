"""Copeland Confidence Bound, CCB (Zoghi, Karnin, Whiteson & de Rijke, NeurIPS 2015, Algorithm 1).

Looks for a Copeland winner, an arm that beats most others, and so needs no Condorcet winner. An optimistic score counts
the opponents that do not yet beat an arm with confidence; optimistic leaders meet who could be strongest against them.
Hypotheses save duels: B, who may still win, and for each other arm a few that are thought to beat it.
Regret O((N^2 + (C + L_C) N log T) / gap^2), C Copeland winners that each lose to L_C arms.

The literal rule costs O(N^2) a duel. All of its decisions follow from which pairs are decided, so steps A-C are done
only when that changes (decided.py): by the duel just played, or when alpha ln t overtakes the evidence on a decided
pair, which is known in advance. Random numbers are drawn only where the choice matters.

Not certain: that two arms that never met have U = 2, as in RUCB. Any value of at least 1 decides the same pairs, but
values below 2 meet fewer new arms in step 11 and cost less at first.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats, Ints
from winnerstays.algorithms._shared import confidence
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.decided import decision, expire, learn
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, uniform

Flags = npt.NDArray[np.bool_]


class State(NamedTuple):
    """`decided` means with confidence, at the present time t."""

    tally: Ints  # w_ij and w_ji
    won: Ints  # opponents that each arm decidedly beats: the lower Copeland score
    lost: Ints  # opponents that decidedly beat it: N - 1 - the upper Copeland score
    expiry: Floats  # no decided defeat of the arm has less evidence than this
    hopeful: Flags  # B
    feared: Flags  # feared[i, j]: j in B^i, thought to beat i
    fears: Ints  # |B^i|
    unsure: Ints  # how many of B^i are undecided against i
    losses: int  # L_C
    soonest: float  # the least expiry
    stale: bool  # whether steps B and C may have something to do
    t: int
    quiet: int  # coming duels of the only leader with itself
    alpha: float


def init(n_arms: int, rng: Rng, *, alpha: float) -> State:
    none = np.zeros(n_arms, np.int64)
    return State(
        confidence.no_duels(n_arms), none, none.copy(), np.full(n_arms, math.inf), np.ones(n_arms, np.bool_),
        np.zeros((n_arms, n_arms), np.bool_), none.copy(), none.copy(), n_arms, math.inf, False, 1, 0, alpha,
    )  # fmt: skip


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    budget = confidence.budget_at(state.alpha, state.t)
    unsure = total(state.unsure)
    if unsure > 0 and uniform(rng) < 0.25:
        return unsure_pair(state, below(rng, unsure) if unsure > 1 else 0, budget)
    arm = leader(state, rng)
    among_feared = eligible_fears(state, arm, budget) > 0 and uniform(rng) < 0.5
    return arm, rival(state, arm, budget, among_feared, rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if state.quiet > 0:
        return leap(state, 1)
    before, budget = confidence.budget_at(state.alpha, state.t), confidence.budget_at(state.alpha, state.t + 1)
    state = state._replace(t=state.t + 1)
    winner, loser = (first, second) if first_won else (second, first)
    if first != second:
        state = learn(state, winner, loser, before)
    if budget >= state.soonest:
        state = expire(state, before, budget)
    if state.feared[winner, loser] and decision(state.tally, winner, loser, budget) > 0:  # step A
        state = reset(state)
    if state.stale:
        state = add_winners(remove_losers(state, budget), budget, rng)
    return state._replace(quiet=0 if state.stale else exploitation(state))


@kernel
def best(state: State) -> int:
    """An optimistic leader, preferably one of B; where that leaves several, by counts."""
    chosen = confidence.favourite(state.tally)
    for arm in range(state.lost.size):
        fewer, as_many = state.lost[arm] < state.lost[chosen], state.lost[arm] == state.lost[chosen]
        if fewer or (as_many and state.hopeful[arm] and not state.hopeful[chosen]):
            chosen = arm
    return chosen


@kernel
def certain(state: State) -> int:
    return state.quiet


@kernel
def leap(state: State, duels: int) -> State:
    return state._replace(t=state.t + duels, quiet=state.quiet - duels)


@kernel
def reset(state: State) -> State:
    """Back to the first hypotheses."""
    for arm in range(state.hopeful.size):
        state.hopeful[arm] = True
        forget(state, arm)
    return state._replace(losses=state.hopeful.size, stale=True)


@kernel
def forget(state: State, arm: int) -> None:
    """B^i := empty."""
    if state.fears[arm] > 0:
        for j in range(state.hopeful.size):
            state.feared[arm, j] = False
        state.fears[arm], state.unsure[arm] = 0, 0


@kernel
def remove_losers(state: State, budget: float) -> State:
    """Step B: who cannot reach another's score any more leaves B and notes who beat it."""
    n_arms, most, left = state.hopeful.size, 0, 0
    for arm in range(n_arms):
        most = max(most, state.won[arm])
    for arm in range(n_arms):
        if state.hopeful[arm] and n_arms - 1 - state.lost[arm] < most:
            state.hopeful[arm] = False
            if state.fears[arm] != state.losses + 1:
                for j in range(n_arms):
                    state.feared[arm, j] = decision(state.tally, j, arm, budget) > 0
                state.fears[arm], state.unsure[arm] = state.lost[arm], 0
        left += state.hopeful[arm]
    return reset(state) if left == 0 else state._replace(stale=False)


@kernel
def add_winners(state: State, budget: float, rng: Rng) -> State:
    """Step C: a leader without open pairs joins B; the others keep L_C + 1 arms that they are thought to lose to."""
    n_arms, losses = state.hopeful.size, state.losses
    fewest = n_arms
    for arm in range(n_arms):
        fewest = min(fewest, state.lost[arm])
    for arm in range(n_arms):
        if state.lost[arm] == fewest and state.lost[arm] + state.won[arm] == n_arms - 1:
            state.hopeful[arm] = True
            forget(state, arm)
            losses = fewest
            for j in range(n_arms):
                if state.fears[j] < losses + 1:
                    forget(state, j)
                elif state.fears[j] > losses + 1:
                    thin_out(state, j, losses + 1, budget, rng)
    return state._replace(losses=losses)


@kernel
def thin_out(state: State, arm: int, size: int, budget: float, rng: Rng) -> None:
    """Keep that many of B^i, chosen at random."""
    while state.fears[arm] > size:
        left, j = below(rng, state.fears[arm]), 0
        while not state.feared[arm, j] or left > 0:
            left -= state.feared[arm, j]
            j += 1
        state.feared[arm, j] = False
        state.fears[arm] -= 1
        if decision(state.tally, arm, j, budget) == 0:
            state.unsure[arm] -= 1


@kernel
def exploitation(state: State) -> int:
    """How often an arm that decidedly beats all others will meet itself before any decision expires.

    The duel after which one expires is not counted: what follows it may need random numbers.
    """
    n_arms, arm = state.won.size, 0
    while arm < n_arms and state.won[arm] < n_arms - 1:
        arm += 1
    if arm == n_arms or total(state.unsure) > 0 or state.fears[arm] > 0:
        return 0
    return max(confidence.first_time(state.alpha, state.soonest) - 1 - state.t, 0)


@kernel
def total(counts: Ints) -> int:
    result = 0
    for arm in range(counts.size):
        result += counts[arm]
    return result


@kernel
def unsure_pair(state: State, left: int, budget: float) -> tuple[int, int]:
    """Step 8: the pair of that number among those i, j with j in B^i that are open."""
    arm, j = 0, 0
    while left >= state.unsure[arm]:
        left -= state.unsure[arm]
        arm += 1
    while True:
        if state.feared[arm, j] and decision(state.tally, arm, j, budget) == 0:
            if left == 0:
                return arm, j
            left -= 1
        j += 1


@kernel
def leader(state: State, rng: Rng) -> int:
    """Steps 9-10: a leader of the optimistic score, with probability 2/3 one of B if possible."""
    fewest, leaders, hopeful = state.lost.size, 0, 0
    for arm in range(state.lost.size):
        if state.lost[arm] < fewest:
            fewest, leaders, hopeful = state.lost[arm], 0, 0
        if state.lost[arm] == fewest:
            leaders += 1
            hopeful += state.hopeful[arm]
    among_hopeful = 0 < hopeful < leaders and uniform(rng) < 2.0 / 3.0
    size = hopeful if among_hopeful else leaders
    left, arm = below(rng, size) if size > 1 else 0, 0
    while True:
        if state.lost[arm] == fewest and (state.hopeful[arm] or not among_hopeful):
            if left == 0:
                return arm
            left -= 1
        arm += 1


@kernel
def eligible_fears(state: State, arm: int, budget: float) -> int:
    """How many of B^c may be shown with c: all that do not decidedly beat it."""
    if state.fears[arm] == 0:
        return 0
    count = 0
    for j in range(state.won.size):
        if state.feared[arm, j] and not confidence.beats(state.tally[arm, j, 1], state.tally[arm, j, 0], budget):
            count += 1
    return count


@kernel
def rival(state: State, arm: int, budget: float, among_feared: bool, rng: Rng) -> int:
    """Step 11: argmax of U[d, c] over those that do not decidedly beat c, ties broken fairly, d = c only if alone."""
    tally, root = state.tally, math.sqrt(budget)
    highest, chosen, ties = 0.5, arm, 0  # B^c, too, holds only arms with U[d, c] >= 1/2, or step A had reset it
    for j in range(state.won.size):
        if j == arm or (among_feared and not state.feared[arm, j]):
            continue
        won, lost = tally[arm, j, 0], tally[arm, j, 1]
        if ties > 0 and confidence.same_record(tally, arm, j, chosen):
            ties += 1
        elif confidence.may_exceed(lost, won, highest, budget) and not confidence.beats(lost, won, budget):
            bound = confidence.upper(lost, won, root, confidence.UNVISITED)
            if bound > highest or ties == 0:
                highest, chosen, ties = bound, j, 1
    left, first_tied = below(rng, ties) if ties > 1 else 0, chosen
    while left > 0:
        chosen += 1
        if chosen != arm and (state.feared[arm, chosen] or not among_feared):
            left -= confidence.same_record(tally, arm, chosen, first_tied)
    return chosen


ccb = register(
    Algorithm(
        name="ccb",
        title="Copeland Confidence Bound",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        leap=leap,
        parameters={"alpha": confidence.ALPHA},
        regret="strong",
        assumes="nothing (finds a Copeland winner)",
        guarantee="O((N^2 + (C + L_C) N log T) / gap^2) with C Copeland winners that each lose to L_C arms",
        cost="O(N), O(1) while the best arm meets itself",
        paper="Zoghi, Karnin, Whiteson & de Rijke, NeurIPS 2015",
    )
)
