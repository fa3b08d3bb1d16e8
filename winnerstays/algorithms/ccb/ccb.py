"""Copeland Confidence Bound, CCB (Zoghi, Karnin, Whiteson & de Rijke, NeurIPS 2015, Algorithm 1).

Looks for a Copeland winner, an arm that beats most others, and so needs no Condorcet winner. An optimistic score counts
the opponents that do not yet beat an arm with confidence; an arm that leads by it meets the arm that could be strongest
against it. Hypotheses save duels: the set B of arms that may still win, and for each other arm i the set B^i of a few
arms that are thought to beat it.
Regret O((N^2 + (C + L_C) N log T) / gap^2), C Copeland winners that each lose to L_C arms.

The literal rule costs O(N^2) a duel. All of its decisions follow from which pairs are decided, so steps A-C are done
only when that changes (decisions.py): by the duel just played, or when alpha ln t overtakes the evidence on a decided
pair, which is known in advance. Random numbers are drawn only where the choice matters.

Not certain: that two arms that never met have U = 2, as in RUCB. Any value of at least 1 decides the same pairs, but
values below 2 meet fewer new arms in step 11 and cost less at first.
"""

import math

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms._shared import confidence
from winnerstays.algorithms._shared.counts import no_tally
from winnerstays.algorithms.base import Algorithm, Facts
from winnerstays.algorithms.ccb.decisions import decision, expire, learn
from winnerstays.algorithms.ccb.state import State
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, uniform


def init(n_arms: int, rng: Rng, *, alpha: float) -> State:
    won, lost, n_superiors, n_open = (np.zeros(n_arms, np.int64) for _ in range(4))
    return State(
        tally=no_tally(n_arms),
        won=won,
        lost=lost,
        expiry=np.full(n_arms, math.inf),
        candidates=np.ones(n_arms, np.bool_),
        superiors=np.zeros((n_arms, n_arms), np.bool_),
        n_superiors=n_superiors,
        n_open=n_open,
        losses=n_arms,
        first_expiry=math.inf,
        outdated=False,
        t=1,
        self_duels=0,
        alpha=alpha,
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    budget = confidence.budget_at(state.alpha, state.t)
    n_open = total(state.n_open)
    if n_open > 0 and uniform(rng) < 0.25:
        return open_pair(state, below(rng, n_open) if n_open > 1 else 0, budget)
    arm = leader(state, rng)
    among_superiors = eligible_superiors(state, arm, budget) > 0 and uniform(rng) < 0.5
    return arm, rival(state, arm, budget, among_superiors, rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if state.self_duels > 0:
        return leap(state, 1)
    before, budget = confidence.budget_at(state.alpha, state.t), confidence.budget_at(state.alpha, state.t + 1)
    state = state._replace(t=state.t + 1)
    winner, loser = (first, second) if first_won else (second, first)
    if first != second:
        state = learn(state, winner, loser, before)
    if budget >= state.first_expiry:
        state = expire(state, before, budget)
    if state.superiors[winner, loser] and decision(state.tally, winner, loser, budget) > 0:  # step A
        state = reset(state)
    if state.outdated:
        state = add_winners(remove_losers(state, budget), budget, rng)
    return state._replace(self_duels=0 if state.outdated else exploitation(state))


@kernel
def best(state: State) -> int:
    """Return an arm of the largest optimistic score, preferably one of B; where that leaves several, by counts."""
    chosen = confidence.favourite(state.tally)
    for arm in range(state.lost.size):
        fewer, as_many = state.lost[arm] < state.lost[chosen], state.lost[arm] == state.lost[chosen]
        if fewer or (as_many and state.candidates[arm] and not state.candidates[chosen]):
            chosen = arm
    return chosen


@kernel
def certain(state: State) -> int:
    return state.self_duels


@kernel
def leap(state: State, duels: int) -> State:
    return state._replace(t=state.t + duels, self_duels=state.self_duels - duels)


@kernel
def reset(state: State) -> State:
    """Go back to the first hypotheses."""
    for arm in range(state.candidates.size):
        state.candidates[arm] = True
        clear_superiors(state, arm)
    return state._replace(losses=state.candidates.size, outdated=True)


@kernel
def clear_superiors(state: State, arm: int) -> None:
    """Empty B^i."""
    if state.n_superiors[arm] > 0:
        for j in range(state.candidates.size):
            state.superiors[arm, j] = False
        state.n_superiors[arm], state.n_open[arm] = 0, 0


@kernel
def remove_losers(state: State, budget: float) -> State:
    """Step B: take out of B the arms that cannot reach another's score any more, and note in B^i who beat them."""
    n_arms, most, left = state.candidates.size, 0, 0
    for arm in range(n_arms):
        most = max(most, state.won[arm])
    for arm in range(n_arms):
        if state.candidates[arm] and n_arms - 1 - state.lost[arm] < most:
            state.candidates[arm] = False
            if state.n_superiors[arm] != state.losses + 1:
                for j in range(n_arms):
                    state.superiors[arm, j] = decision(state.tally, j, arm, budget) > 0
                state.n_superiors[arm], state.n_open[arm] = state.lost[arm], 0
        left += state.candidates[arm]
    return reset(state) if left == 0 else state._replace(outdated=False)


@kernel
def add_winners(state: State, budget: float, rng: Rng) -> State:
    """Step C: put a leader without open pairs into B; every other B^i keeps L_C + 1 arms."""
    n_arms, losses = state.candidates.size, state.losses
    fewest = n_arms
    for arm in range(n_arms):
        fewest = min(fewest, state.lost[arm])
    for arm in range(n_arms):
        if state.lost[arm] == fewest and state.lost[arm] + state.won[arm] == n_arms - 1:
            state.candidates[arm] = True
            clear_superiors(state, arm)
            losses = fewest
            for j in range(n_arms):
                if state.n_superiors[j] < losses + 1:
                    clear_superiors(state, j)
                elif state.n_superiors[j] > losses + 1:
                    keep_some(state, j, losses + 1, budget, rng)
    return state._replace(losses=losses)


@kernel
def keep_some(state: State, arm: int, size: int, budget: float, rng: Rng) -> None:
    """Keep this many arms of B^i, chosen at random."""
    while state.n_superiors[arm] > size:
        left, j = below(rng, state.n_superiors[arm]), 0
        while not state.superiors[arm, j] or left > 0:
            left -= state.superiors[arm, j]
            j += 1
        state.superiors[arm, j] = False
        state.n_superiors[arm] -= 1
        if decision(state.tally, arm, j, budget) == 0:
            state.n_open[arm] -= 1


@kernel
def exploitation(state: State) -> int:
    """Count the duels in which an arm that decidedly beats all others will meet itself, before any decision expires.

    The duel after which one expires is not counted: what follows it may need random numbers.
    """
    n_arms, arm = state.won.size, 0
    while arm < n_arms and state.won[arm] < n_arms - 1:
        arm += 1
    if arm == n_arms or total(state.n_open) > 0 or state.n_superiors[arm] > 0:
        return 0
    return max(confidence.first_time(state.alpha, state.first_expiry) - 1 - state.t, 0)


@kernel
def total(counts: Ints) -> int:
    """Return the sum of the counts."""
    result = 0
    for arm in range(counts.size):
        result += counts[arm]
    return result


@kernel
def open_pair(state: State, left: int, budget: float) -> tuple[int, int]:
    """Step 8: return open pair number `left` of those i, j with j in B^i."""
    arm, j = 0, 0
    while left >= state.n_open[arm]:
        left -= state.n_open[arm]
        arm += 1
    while True:
        if state.superiors[arm, j] and decision(state.tally, arm, j, budget) == 0:
            if left == 0:
                return arm, j
            left -= 1
        j += 1


@kernel
def leader(state: State, rng: Rng) -> int:
    """Steps 9-10: draw an arm of the largest optimistic score, with probability 2/3 one of B if possible."""
    fewest, leaders, candidates = state.lost.size, 0, 0
    for arm in range(state.lost.size):
        if state.lost[arm] < fewest:
            fewest, leaders, candidates = state.lost[arm], 0, 0
        if state.lost[arm] == fewest:
            leaders += 1
            candidates += state.candidates[arm]
    among_candidates = 0 < candidates < leaders and uniform(rng) < 2.0 / 3.0
    size = candidates if among_candidates else leaders
    left, arm = below(rng, size) if size > 1 else 0, 0
    while True:
        if state.lost[arm] == fewest and (state.candidates[arm] or not among_candidates):
            if left == 0:
                return arm
            left -= 1
        arm += 1


@kernel
def eligible_superiors(state: State, arm: int, budget: float) -> int:
    """Count the arms of B^c that may be shown with c: those that do not decidedly beat it."""
    if state.n_superiors[arm] == 0:
        return 0
    count = 0
    for j in range(state.won.size):
        if state.superiors[arm, j] and not confidence.beats(state.tally[arm, j, 1], state.tally[arm, j, 0], budget):
            count += 1
    return count


@kernel
def rival(state: State, arm: int, budget: float, among_superiors: bool, rng: Rng) -> int:
    """Step 11: return argmax of U[d, c] over arms that do not decidedly beat c, ties broken fairly; c only if alone.

    B^c, too, holds only arms with U[d, c] >= 1/2, or step A had reset it.
    """
    tally, root = state.tally, math.sqrt(budget)
    highest, chosen, ties = 0.5, arm, 0
    for j in range(state.won.size):
        if j == arm or (among_superiors and not state.superiors[arm, j]):
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
        if chosen != arm and (not among_superiors or state.superiors[arm, chosen]):
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
        facts=Facts(
            regret="strong",
            winner="copeland",
            assumes="nothing (finds a Copeland winner)",
            guarantee="O((N^2 + (C + L_C) N log T) / gap^2) with C Copeland winners that each lose to L_C arms",
            cost="O(N), O(1) while the best arm meets itself",
            paper="Zoghi, Karnin, Whiteson & de Rijke, NeurIPS 2015",
        ),
    )
)
