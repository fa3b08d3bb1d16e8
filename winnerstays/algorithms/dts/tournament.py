"""The tournament of Double Thompson Sampling: every pair has one duel, and a sample of its posterior says who wins.

It is played only where the leader is known to have lost a duel, and only as far as it matters: a candidate is out once
it has lost more often than another. The random number of each duel has a place of its own in the stream (`start` and
the pair), so a duel has one result no matter when, or whether, it is looked at.
"""

import numpy as np

from winnerstays.algorithms._shared.counts import kl_half
from winnerstays.algorithms._shared.posterior import sample_above_half
from winnerstays.algorithms.dts.state import State
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, skip, skipped


@kernel
def first_if_leader_lost(state: State, target: float, rng: Rng) -> int:
    """Return a1, given that the leader lost at least once; `target` says to whom first."""
    n_arms, leader = state.arms.size, state.leader
    lost_to, none_yet = -1, 1.0
    for i in range(n_arms):
        if i != leader and target >= 0.0:
            target -= none_yet * state.chance[i, leader]
            none_yet *= 1.0 - state.chance[i, leader]
            lost_to = i
    start = skip(rng, n_arms * n_arms)
    tied, n_tied = state.arms, 1
    tied[0], least = leader, losses(state, leader, n_arms, lost_to, rng, start)
    all_at_once = state.n_candidates > n_arms // 2 and least > n_arms // 8
    if all_at_once:
        all_losses(state, lost_to, rng, start)
    for k in range(state.n_candidates):
        i = state.candidates[k]
        if i != leader:
            count = state.losses[i] if all_at_once else losses(state, i, least, lost_to, rng, start)
            if count < least:
                least, n_tied = count, 0
            if count == least:
                tied[n_tied] = i
                n_tied += 1
    if state.plus and n_tied > 1:
        return least_regret(state, n_tied, lost_to, rng, start)
    return tied[below(rng, n_tied)]  # type: ignore[no-any-return]


@kernel
def beats(state: State, i: int, j: int, lost_to: int, rng: Rng, start: np.uint64) -> bool:
    """Whether theta_ij > 1/2 in the tournament whose numbers begin at `start`; the leader first loses to `lost_to`."""
    if j == state.leader and i <= lost_to:
        return i == lost_to
    if i == state.leader and j <= lost_to:
        return j != lost_to
    n_arms = state.arms.size
    if i < j:
        return skipped(rng, start, i * n_arms + j) < state.chance[i, j]  # type: ignore[no-any-return]
    return skipped(rng, start, j * n_arms + i) >= state.chance[j, i]  # type: ignore[no-any-return]


@kernel
def losses(state: State, i: int, most: int, lost_to: int, rng: Rng, start: np.uint64) -> int:
    """Count the tournament duels that i loses, up to one more than `most`."""
    count = int(i != state.leader and beats(state, state.leader, i, lost_to, rng, start))
    for j in range(state.arms.size):
        if count > most:
            break
        if j != i and j != state.leader:
            count += beats(state, j, i, lost_to, rng, start)
    return count


@kernel
def all_losses(state: State, lost_to: int, rng: Rng, start: np.uint64) -> None:
    """Count the lost tournament duels of all arms at once: half as many numbers, and a loop without branches."""
    n_arms, lost, chance, leader = state.arms.size, state.losses, state.chance, state.leader
    for i in range(n_arms):
        lost[i] = 0
    for i in range(n_arms):
        won = 0
        for j in range(i + 1, n_arms):
            i_won = int(skipped(rng, start, i * n_arms + j) < chance[i, j])
            lost[j] += i_won
            won += i_won
        lost[i] += n_arms - 1 - i - won
    for i in range(lost_to + 1):
        if i != leader:
            changed = int(beats(state, i, leader, lost_to, rng, start)) - int(beats(state, i, leader, -1, rng, start))
            lost[leader] += changed
            lost[i] -= changed


@kernel
def least_regret(state: State, n_tied: int, lost_to: int, rng: Rng, start: np.uint64) -> int:
    """D-TS+: return a tied arm with the least sum over j of (max z - (z_i + z_j) / 2) / kl(theta_ij, 1/2)."""
    n_arms, tied, lost, costs = state.arms.size, state.arms, state.losses, state.costs
    all_losses(state, lost_to, rng, start)
    fewest = n_arms
    for i in range(n_arms):
        costs[i] = 0.0
        fewest = min(fewest, lost[i])
    for k in range(n_tied):
        i = tied[k]
        for j in range(n_arms):
            later = True
            for other in range(k + 1):
                later = later and j != tied[other]
            if later:
                winner, loser = (i, j) if beats(state, i, j, lost_to, rng, start) else (j, i)
                theta = sample_above_half(
                    rng, state.wins[winner, loser], state.wins[loser, winner], state.chance[winner, loser]
                )
                cost = ((lost[i] + lost[j]) / 2.0 - fewest) / max(kl_half(theta), 1e-300)
                costs[i] += cost
                costs[j] += cost
    chosen, equal = tied[0], 1
    for k in range(1, n_tied):
        if costs[tied[k]] < costs[chosen]:
            chosen, equal = tied[k], 1
        elif costs[tied[k]] == costs[chosen]:
            equal += 1
            if below(rng, equal) == 0:
                chosen = tied[k]
    return chosen  # type: ignore[no-any-return]
