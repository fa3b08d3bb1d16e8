"""Double Thompson Sampling, D-TS (Wu & Liu, NIPS 2016, Algorithm 1).

The first arm: of those with the largest optimistic Copeland score, the one that wins most often in a tournament sampled
from the posteriors. The second: the one with the largest fresh sample against the first, unless it surely beats it;
the first itself counts with 1/2. Strong regret O(N log T + N^2 log log T) with a Condorcet winner.

No sample is drawn that cannot matter, and the law of the duels stays the same (posterior.py, tournament.py):
- the tournament asks on which side of 1/2 a sample is, and a candidate is out once it lost more often than another;
- for the second arm, values are drawn only for those of its samples that are above 1/2, if they are several;
- a `leader` that wins all its tournament duels and meets no sample above 1/2 meets itself and teaches nothing. How many
  such duels come in a row is a geometric number, drawn at once; what ends the row is drawn given that it ends.

An optimistic score changes when its arm duels, or when ln t passes the least n (1/2 - p)^2 / alpha of its sure losses.
The guarantee is quoted, not derived here.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms._shared.counts import no_wins, record, time_before
from winnerstays.algorithms._shared.posterior import above_half, believe, even
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.parameters import Number
from winnerstays.algorithms.registry import register
from winnerstays.algorithms.tournament import winner_if_leader_lost
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, uniform


class State(NamedTuple):
    wins: Ints  # W
    favours: Floats  # P(theta_ij > 1/2)
    surely_lost: Ints  # how many j have u_ij <= 1/2, for each i
    expires: Floats  # that number holds at least while ln t is no larger, for each i
    expiry: float  # the least of `expires`
    candidates: Ints  # the arms with the fewest sure losses
    n_candidates: int
    leader: int
    first: int  # a1
    second: int  # a2
    self_duels: int  # duels of the leader with itself that are to come
    surprise: bool  # they end because of a sample, not because a sure loss expires
    t: int  # duels so far
    alpha: float
    plus: bool  # break ties as D-TS+ does
    arms: Ints  # room for the arms that are tied
    losses: Ints  # room for tournament losses
    costs: Floats  # D-TS+: room for regrets


def init(n_arms: int, rng: Rng, *, alpha: float) -> State:
    return start(n_arms, rng, alpha, plus=False)


def start(n_arms: int, rng: Rng, alpha: float, plus: bool) -> State:
    """The State of D-TS or D-TS+ with its first pair."""
    state = State(
        no_wins(n_arms),
        even(n_arms),
        np.zeros(n_arms, np.int64),
        np.full(n_arms, math.inf),
        math.inf,
        np.arange(n_arms),
        n_candidates=n_arms,
        leader=0,
        first=0,
        second=0,
        self_duels=0,
        surprise=False,
        t=0,
        alpha=alpha,
        plus=plus,
        arms=np.zeros(n_arms, np.int64),
        losses=np.zeros(n_arms, np.int64),
        costs=np.zeros(n_arms if plus else 0),
    )
    return State(*decide(state, rng))


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return state.first, state.second


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    if first != second:
        state = learn(state, first, second) if first_won else learn(state, second, first)
    elif state.self_duels > 1:
        return leap(state, 1)
    return decide(expire(state._replace(t=state.t + 1)), rng)


@kernel
def best(state: State) -> int:
    """The candidate that leads against the most arms; among equals, the one believed to be ahead most."""
    chosen, most = state.candidates[0], -1.0
    for k in range(state.n_candidates):
        i, leads, belief = state.candidates[k], 0, 0.0
        for j in range(state.arms.size):
            leads += state.wins[i, j] > state.wins[j, i]
            belief += state.favours[i, j]
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
def lasts(state: State, i: int, j: int) -> float:
    """The ln t up to which u_ij <= 1/2, that is, i surely loses to j; -1 if it does not."""
    behind = state.wins[j, i] - state.wins[i, j]
    if behind <= 0:
        return -1.0
    n = state.wins[j, i] + state.wins[i, j]
    return behind * behind / (4.0 * n * state.alpha)  # type: ignore[no-any-return]


@kernel
def learn(state: State, winner: int, loser: int) -> State:
    """Count a duel, and what it changes in the optimistic scores of the two."""
    now, later = math.log(state.t + 1), math.log(state.t + 2)
    winner_change = -int(lasts(state, winner, loser) >= now)
    loser_change = -int(lasts(state, loser, winner) >= now)
    believe(state.favours, state.wins, winner, loser)
    record(state.wins, winner, loser, True)
    expiry = state.expiry
    until = lasts(state, winner, loser)
    if until >= later:
        winner_change += 1
        state.expires[winner] = min(state.expires[winner], until)
        expiry = min(expiry, until)
    until = lasts(state, loser, winner)
    if until >= later:
        loser_change += 1
        state.expires[loser] = min(state.expires[loser], until)
        expiry = min(expiry, until)
    state.surely_lost[winner] += winner_change
    state.surely_lost[loser] += loser_change
    state = state._replace(expiry=expiry, self_duels=0, surprise=False)
    return list_candidates(state) if winner_change != 0 or loser_change != 0 else state


@kernel
def expire(state: State) -> State:
    """Count anew where ln t has grown past a sure loss."""
    now = math.log(state.t + 1)
    if now <= state.expiry:
        return state
    expiry = math.inf
    for i in range(state.arms.size):
        if state.expires[i] < now:
            state.expires[i], state.surely_lost[i] = math.inf, 0
            for j in range(state.arms.size):
                until = lasts(state, i, j)
                if until >= now:
                    state.surely_lost[i] += 1
                    state.expires[i] = min(state.expires[i], until)
        expiry = min(expiry, state.expires[i])
    return list_candidates(state._replace(expiry=expiry))


@kernel
def list_candidates(state: State) -> State:
    least, n_candidates, leader = state.arms.size, 0, -1
    for i in range(state.arms.size):
        if state.surely_lost[i] < least:
            least, n_candidates, leader = state.surely_lost[i], 0, -1
        if state.surely_lost[i] == least:
            state.candidates[n_candidates] = i
            n_candidates += 1
            if i == state.leader:
                leader = i
    return state._replace(n_candidates=n_candidates, leader=leader if leader >= 0 else state.candidates[0])


@kernel
def decide(state: State, rng: Rng) -> State:
    """The next pair, or how often the leader meets itself."""
    leader = state.leader
    defeat = chance_of_one_above(state, leader, False) if state.n_candidates > 1 else 0.0
    challenge = chance_of_one_above(state, leader, True)
    ends = defeat + (1.0 - defeat) * challenge
    if not (state.surprise and state.self_duels == 1):
        alone = math.inf if ends <= 0.0 else 0.0
        if 0.0 < ends < 1.0:
            alone = math.log(1.0 - uniform(rng)) / math.log1p(-ends)
        if alone >= 1.0:
            unchanged = time_before(state.expiry) - state.t - 1
            self_duels = int(min(alone, max(unchanged, 1)))
            surprise = alone < self_duels + 1.0
            return state._replace(first=leader, second=leader, self_duels=self_duels, surprise=surprise)
    state = state._replace(self_duels=0, surprise=False)
    target = uniform(rng) * ends
    if target >= defeat:
        return state._replace(first=leader, second=rival(state, leader, challenge, rng))
    first = winner_if_leader_lost(state, target, rng)
    if first != leader and chance_of_one_above(state, first, False) < defeat:
        leader = first
    return state._replace(leader=leader, first=first, second=rival(state, first, 0.0, rng))


@kernel
def allowed(state: State, i: int, first: int) -> bool:
    """Whether l_i,first <= 1/2, so that i may be the second arm."""
    return state.surely_lost[first] == 0 or lasts(state, first, i) <= math.log(state.t + 1)


@kernel
def chance_of_one_above(state: State, first: int, only_allowed: bool) -> float:
    """The probability that any of the samples against `first` is above 1/2."""
    total, none_yet = 0.0, 1.0
    for i in range(state.arms.size):
        if i != first and (not only_allowed or allowed(state, i, first)):
            total += none_yet * state.favours[i, first]
            none_yet *= 1.0 - state.favours[i, first]
    return total


@kernel
def rival(state: State, first: int, challenge: float, rng: Rng) -> int:
    """a2. If it is known that some sample is above 1/2, `challenge` is the probability of that; else it is 0."""
    above, n_above = state.arms, 0
    target, none_yet = uniform(rng) * challenge if challenge > 0.0 else -1.0, 1.0
    for i in range(state.arms.size):
        if i != first and allowed(state, i, first):
            favours = state.favours[i, first]
            if target >= 0.0:
                target -= none_yet * favours
                none_yet *= 1.0 - favours
                is_above = target < 0.0
            else:
                is_above = uniform(rng) < favours
            if is_above:
                above[n_above] = i
                n_above += 1
    if n_above == 0:
        return first
    chosen, largest = above[0], 0.0
    if n_above > 1:
        for k in range(n_above):
            i = above[k]
            theta = above_half(rng, state.wins[i, first], state.wins[first, i], state.favours[i, first])
            if theta > largest:
                chosen, largest = i, theta
    return chosen  # type: ignore[no-any-return]


ALPHA = Number(0.51, "width of the confidence intervals, sqrt(alpha ln t / n)", above=0.0)
PAPER = "Wu & Liu, NIPS 2016"

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
        regret="strong",
        assumes="Copeland winner",
        guarantee="O(N log T + N^2 log log T) with a Condorcet winner, O(N^2 log T) with Copeland winners",
        cost="O(1) while the favourite is clear, O(N) for each rival otherwise",
        paper=PAPER,
    )
)
