"""Double Thompson Sampling, D-TS (Wu & Liu, NIPS 2016, Algorithm 1).

The first arm a1: of those with the largest optimistic Copeland score, the one that wins most duels of a tournament
sampled from the posteriors. The second arm a2: the one with the largest fresh sample against a1, of those that do not
surely beat a1; a1 itself counts with 1/2. Strong regret O(N log T + N^2 log log T) with a Condorcet winner.

Samples that cannot matter are not drawn, and the law of the duels stays the same (posterior.py, tournament.py):
- the tournament asks on which side of 1/2 a sample is, and a candidate is out once it lost more often than another;
- for a2, values are drawn only for samples that are above 1/2, and only if there are several;
- a `leader` that wins all its tournament duels and meets no sample above 1/2 meets itself, and nothing is learned. How
  many such duels come in a row is a geometric number, drawn at once; what ends the row is drawn given that it ends.

An optimistic score changes when its arm duels, or when ln t passes the least n (1/2 - p)^2 / alpha of its sure losses.
The guarantee is quoted, not derived here.
"""

import math

import numpy as np

from winnerstays.algorithms._shared.counts import no_wins, record, time_before
from winnerstays.algorithms._shared.posterior import even_chances, sample_above_half, update_chance
from winnerstays.algorithms.base import Algorithm, Facts
from winnerstays.algorithms.dts.state import State
from winnerstays.algorithms.dts.tournament import first_if_leader_lost
from winnerstays.algorithms.parameters import Number
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, uniform

ALPHA = Number(0.51, "width of the confidence intervals, sqrt(alpha ln t / n)", above=0.0)


def init(n_arms: int, rng: Rng, *, alpha: float) -> State:
    return init_variant(n_arms, rng, alpha, plus=False)


def init_variant(n_arms: int, rng: Rng, alpha: float, plus: bool) -> State:
    """Return the State of D-TS or D-TS+ with its first pair."""
    state = State(
        wins=no_wins(n_arms),
        chance=even_chances(n_arms),
        sure_losses=np.zeros(n_arms, np.int64),
        expiry_of=np.full(n_arms, math.inf),
        expiry=math.inf,
        candidates=np.arange(n_arms),
        n_candidates=n_arms,
        leader=0,
        first=0,
        second=0,
        self_duels=0,
        ends_by_sample=False,
        t=0,
        alpha=alpha,
        plus=plus,
        arms=np.zeros(n_arms, np.int64),
        losses=np.zeros(n_arms, np.int64),
        costs=np.zeros(n_arms if plus else 0),
    )
    return State(*next_pair(state, rng))


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return state.first, state.second


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if first != second:
        state = learn(state, first, second) if first_won else learn(state, second, first)
    elif state.self_duels > 1:
        return leap(state, 1)
    return next_pair(expire(state._replace(t=state.t + 1)), rng)


@kernel
def best(state: State) -> int:
    """Return the candidate that leads most arms; among equals, the one with the largest sum of chances."""
    chosen, most = state.candidates[0], -1.0
    for k in range(state.n_candidates):
        i, leads, belief = state.candidates[k], 0, 0.0
        for j in range(state.arms.size):
            leads += state.wins[i, j] > state.wins[j, i]
            belief += state.chance[i, j]
        score = leads + belief / (state.arms.size + 1.0)
        if score > most:
            chosen, most = i, score
    return chosen  # type: ignore[no-any-return]


@kernel
def certain(state: State) -> int:
    return max(state.self_duels - 1, 0)


@kernel
def leap(state: State, duels: int) -> State:
    return state._replace(t=state.t + duels, self_duels=state.self_duels - duels)


@kernel
def loss_expiry(state: State, i: int, j: int) -> float:
    """Return the ln t up to which u_ij <= 1/2, that is, i surely loses to j; -1 if it does not."""
    behind = state.wins[j, i] - state.wins[i, j]
    if behind <= 0:
        return -1.0
    n = state.wins[j, i] + state.wins[i, j]
    return behind * behind / (4.0 * n * state.alpha)  # type: ignore[no-any-return]


@kernel
def learn(state: State, winner: int, loser: int) -> State:
    """Count a duel, and update the sure losses of the two."""
    now, later = math.log(state.t + 1), math.log(state.t + 2)
    winner_change = -int(loss_expiry(state, winner, loser) >= now)
    loser_change = -int(loss_expiry(state, loser, winner) >= now)
    update_chance(state.chance, state.wins, winner, loser)
    record(state.wins, winner, loser, True)
    expiry = state.expiry
    until = loss_expiry(state, winner, loser)
    if until >= later:
        winner_change += 1
        state.expiry_of[winner] = min(state.expiry_of[winner], until)
        expiry = min(expiry, until)
    until = loss_expiry(state, loser, winner)
    if until >= later:
        loser_change += 1
        state.expiry_of[loser] = min(state.expiry_of[loser], until)
        expiry = min(expiry, until)
    state.sure_losses[winner] += winner_change
    state.sure_losses[loser] += loser_change
    state = state._replace(expiry=expiry, self_duels=0, ends_by_sample=False)
    return list_candidates(state) if winner_change != 0 or loser_change != 0 else state


@kernel
def expire(state: State) -> State:
    """Count the sure losses of an arm anew where ln t has grown past one of them."""
    now = math.log(state.t + 1)
    if now <= state.expiry:
        return state
    expiry = math.inf
    for i in range(state.arms.size):
        if state.expiry_of[i] < now:
            state.expiry_of[i], state.sure_losses[i] = math.inf, 0
            for j in range(state.arms.size):
                until = loss_expiry(state, i, j)
                if until >= now:
                    state.sure_losses[i] += 1
                    state.expiry_of[i] = min(state.expiry_of[i], until)
        expiry = min(expiry, state.expiry_of[i])
    return list_candidates(state._replace(expiry=expiry))


@kernel
def list_candidates(state: State) -> State:
    """List the arms with the fewest sure losses; the leader stays if it is one of them."""
    least, n_candidates, leader = state.arms.size, 0, -1
    for i in range(state.arms.size):
        if state.sure_losses[i] < least:
            least, n_candidates, leader = state.sure_losses[i], 0, -1
        if state.sure_losses[i] == least:
            state.candidates[n_candidates] = i
            n_candidates += 1
            if i == state.leader:
                leader = i
    return state._replace(n_candidates=n_candidates, leader=leader if leader >= 0 else state.candidates[0])


@kernel
def next_pair(state: State, rng: Rng) -> State:
    """Draw the next pair, or how often the leader meets itself."""
    leader = state.leader
    defeat = chance_of_one_above(state, leader, False) if state.n_candidates > 1 else 0.0
    challenge = chance_of_one_above(state, leader, True)
    ends = defeat + (1.0 - defeat) * challenge
    if not (state.ends_by_sample and state.self_duels == 1):
        alone = math.inf if ends <= 0.0 else 0.0
        if 0.0 < ends < 1.0:
            alone = math.log(1.0 - uniform(rng)) / math.log1p(-ends)
        if alone >= 1.0:
            unchanged = time_before(state.expiry) - state.t - 1
            self_duels = int(min(alone, max(unchanged, 1)))
            ends_by_sample = alone < self_duels + 1.0
            return state._replace(first=leader, second=leader, self_duels=self_duels, ends_by_sample=ends_by_sample)
    state = state._replace(self_duels=0, ends_by_sample=False)
    target = uniform(rng) * ends
    if target >= defeat:
        return state._replace(first=leader, second=rival(state, leader, challenge, rng))
    first = first_if_leader_lost(state, target, rng)
    if first != leader and chance_of_one_above(state, first, False) < defeat:
        leader = first
    return state._replace(leader=leader, first=first, second=rival(state, first, 0.0, rng))


@kernel
def may_be_second(state: State, i: int, first: int) -> bool:
    """Whether l_i,first <= 1/2, so that i may be the second arm."""
    return state.sure_losses[first] == 0 or loss_expiry(state, first, i) <= math.log(state.t + 1)


@kernel
def chance_of_one_above(state: State, first: int, only_eligible: bool) -> float:
    """Return the probability that any of the samples against `first` is above 1/2."""
    total, none_yet = 0.0, 1.0
    for i in range(state.arms.size):
        if i != first and (not only_eligible or may_be_second(state, i, first)):
            total += none_yet * state.chance[i, first]
            none_yet *= 1.0 - state.chance[i, first]
    return total


@kernel
def rival(state: State, first: int, challenge: float, rng: Rng) -> int:
    """Draw a2. If some sample is known to be above 1/2, `challenge` is the probability of that; else it is 0."""
    above, n_above = state.arms, 0
    target, none_yet = uniform(rng) * challenge if challenge > 0.0 else -1.0, 1.0
    for i in range(state.arms.size):
        if i != first and may_be_second(state, i, first):
            chance = state.chance[i, first]
            if target >= 0.0:
                target -= none_yet * chance
                none_yet *= 1.0 - chance
                is_above = target < 0.0
            else:
                is_above = uniform(rng) < chance
            if is_above:
                above[n_above] = i
                n_above += 1
    if n_above == 0:
        return first
    chosen, largest = above[0], 0.0
    if n_above > 1:
        for k in range(n_above):
            i = above[k]
            theta = sample_above_half(rng, state.wins[i, first], state.wins[first, i], state.chance[i, first])
            if theta > largest:
                chosen, largest = i, theta
    return chosen  # type: ignore[no-any-return]


dts = register(
    Algorithm(
        name="dts",
        title="Double Thompson Sampling",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        leap=leap,
        parameters={"alpha": ALPHA},
        facts=Facts(
            regret="strong",
            winner="copeland",
            assumes="Copeland winner",
            guarantee="O(N log T + N^2 log log T) with a Condorcet winner, O(N^2 log T) with Copeland winners",
            cost="O(1) while the favourite is clear, O(N) for each rival otherwise",
            paper="Wu & Liu, NIPS 2016",
        ),
    )
)
