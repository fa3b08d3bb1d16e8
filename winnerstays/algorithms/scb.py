"""Scalable Copeland Bandits, SCB (Zoghi, Karnin, Whiteson & de Rijke, NeurIPS 2015).

Epochs of 2^(2^r) duels. Each begins afresh with a search for the Copeland winner, in which the arms still in question
are pulled in turn: a pulled arm meets a random opponent until it is sure who is better, and gets reward 1 if it is the
pulled arm. Arms whose rewards are surely below the best arm's drop out; the last one plays itself until the epoch ends.
Strong regret O(N (L_C + log N) log T / gap^2), L_C the losses of the Copeland winner. Of use from about 100 arms on.

Not checked against the paper: that delta = ln(T_r) / T_r for T_r = 2^(2^r); that a pair is decided when
|p - 1/2| > sqrt(ln(4 n^2 N^2 / delta) / (2 n)), which errs with probability at most delta / N^2; that an arm's interval
is {q: pulls kl(mean, q) <= ln(4 t N / delta) + 2 ln ln t} with t the pulls of all arms in this epoch (ln ln t at least
0). Answers are remembered within an epoch. If every pair of every arm in question is decided, the arm with most wins is
taken at once, since pulls would tell nothing new.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import FOREVER, NOBODY, Algorithm, Facts
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, shuffle


class State(NamedTuple):
    arms: Ints  # the first `size` are in question
    reward: Ints
    met: Ints  # duels of a pair
    margin: Ints  # duels i won - lost against j
    verdict: Ints  # 1: i surely beats j, -1: loses, 0: unknown
    unknown: Ints  # opponents whose verdict is 0
    size: int
    turn: int  # place of the pulled arm
    first: int
    second: int
    sweeps: int  # pulls of each arm in question
    pulls: int  # t
    epoch: int  # r
    left: int  # duels left in the epoch
    log_term: float  # ln(1 / delta)
    winner: int  # NOBODY while the search goes on
    favourite: int  # the last winner, or the leader of an epoch that ended without one


def init(n_arms: int, rng: Rng) -> State:
    arms, reward, unknown = np.zeros((3, n_arms), np.int64)
    met, margin, verdict = np.zeros((3, n_arms, n_arms), np.int64)
    anyone = below(rng, n_arms)
    before = State(
        arms=arms,
        reward=reward,
        met=met,
        margin=margin,
        verdict=verdict,
        unknown=unknown,
        size=0,
        turn=0,
        first=0,
        second=0,
        sweeps=0,
        pulls=0,
        epoch=0,
        left=0,
        log_term=0.0,
        winner=anyone,
        favourite=anyone,
    )
    return next_pull(next_epoch(before, rng), rng)


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    if state.winner != NOBODY:
        return state.winner, state.winner
    return state.first, state.second


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    state = state._replace(left=state.left - 1)
    if state.left == 0:
        state = next_epoch(state, rng)
    elif state.winner == NOBODY:
        learn(state, first, second, first_won)
    return next_pull(state, rng)


@kernel
def best(state: State) -> int:
    return state.winner if state.winner != NOBODY else state.favourite


@kernel
def certain(state: State) -> int:
    """Count the duels left in the epoch but the last, after which the next epoch begins with random choices."""
    return state.left - 1 if state.winner != NOBODY else 0


@kernel
def leap(state: State, duels: int) -> State:
    return state._replace(left=state.left - duels)


@kernel
def next_epoch(state: State, rng: Rng) -> State:
    """Forget all duels, and begin a search in an epoch of 2^(2^r) duels."""
    n_arms, epoch = state.arms.size, state.epoch + 1
    favourite = state.favourite if state.winner != NOBODY else most_rewarded(state)
    length = 1 << (1 << epoch) if epoch < 6 else FOREVER
    for arm in range(n_arms):
        state.arms[arm], state.reward[arm], state.unknown[arm] = arm, 0, n_arms - 1
        for other in range(n_arms):
            state.met[arm, other], state.margin[arm, other], state.verdict[arm, other] = 0, 0, 0
    shuffle(state.arms, rng)
    log_term = math.log(length / math.log(length))
    state = state._replace(epoch=epoch, left=length, log_term=log_term, winner=NOBODY, favourite=favourite)
    return state._replace(size=n_arms, turn=0, first=0, second=0, sweeps=0, pulls=0)


@kernel
def learn(state: State, first: int, second: int, first_won: bool) -> None:
    """Count a duel of the search, and see whether it decides the pair."""
    n, margin = state.met[first, second] + 1, state.margin[first, second] + (1 if first_won else -1)
    state.met[first, second] = state.met[second, first] = n
    state.margin[first, second], state.margin[second, first] = margin, -margin
    if margin * margin > 2.0 * n * (2.0 * math.log(2.0 * n * state.arms.size) + state.log_term):
        verdict = 1 if margin > 0 else -1
        state.verdict[first, second], state.verdict[second, first] = verdict, -verdict
        state.unknown[first] -= 1
        state.unknown[second] -= 1


@kernel
def next_pull(state: State, rng: Rng) -> State:
    """Pull arms until one meets an opponent of whom it is not sure, or the search is over."""
    while state.winner == NOBODY:
        if state.first != state.second:
            verdict = state.verdict[state.first, state.second]
            if verdict == 0:
                return state
            state = end_pull(state, verdict)
        if state.size == 1:
            return end_search(state, state.arms[0])
        if state.turn == 0 and nothing_unknown(state):
            return end_search(state, most_wins(state, rng))
        first, second = state.arms[state.turn], below(rng, state.arms.size - 1)
        state = state._replace(first=first, second=second + 1 if second >= first else second)
    return state


@kernel
def end_pull(state: State, verdict: int) -> State:
    """End a pull; after a sweep of pulls, arms that are surely worse than the best drop out."""
    if verdict > 0:
        state.reward[state.arms[state.turn]] += 1
    state = state._replace(turn=state.turn + 1, pulls=state.pulls + 1)
    if state.turn < state.size:
        return state
    return drop_out(state._replace(turn=0, sweeps=state.sweeps + 1))


@kernel
def end_search(state: State, arm: int) -> State:
    """End the search of this epoch with a winner."""
    return state._replace(winner=arm, favourite=arm)


@kernel
def drop_out(state: State) -> State:
    """Drop the arms whose interval lies below the largest lower end; all have been pulled equally often."""
    arms, n = state.arms, state.sweeps
    least, most = state.reward[arms[0]], state.reward[arms[0]]
    for place in range(1, state.size):
        least, most = min(least, state.reward[arms[place]]), max(most, state.reward[arms[place]])
    allowed = math.log(4.0 * state.pulls * arms.size) + state.log_term
    allowed += 2.0 * max(math.log(max(math.log(state.pulls), 1.0)), 0.0)
    if n * divergence(least / n, most / n) <= allowed:
        return state
    end, size = lower_end(most / n, allowed / n), 0
    for place in range(state.size):
        mean = state.reward[arms[place]] / n
        if mean >= end or n * divergence(mean, end) <= allowed:
            arms[size], arms[place] = arms[place], arms[size]
            size += 1
    return state._replace(size=size)


@kernel
def divergence(p: float, q: float) -> float:
    """Return the Bernoulli divergence kl(p, q)."""
    total = 0.0
    if p > 0.0:
        if q == 0.0:
            return math.inf
        total += p * math.log(p / q)
    if p < 1.0:
        if q == 1.0:
            return math.inf
        total += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return total


@kernel
def lower_end(mean: float, allowed: float) -> float:
    """Return the smallest q with kl(mean, q) <= allowed."""
    low, high = 0.0, mean
    for _ in range(50):
        middle = 0.5 * (low + high)
        if divergence(mean, middle) > allowed:
            low = middle
        else:
            high = middle
    return high


@kernel
def nothing_unknown(state: State) -> bool:
    """Whether all pairs of all arms in question are decided."""
    unknown = 0
    for place in range(state.size):
        unknown += state.unknown[state.arms[place]]
    return unknown == 0


@kernel
def most_rewarded(state: State) -> int:
    """Return the arm in question with the largest reward."""
    chosen = state.arms[0]
    for place in range(1, state.size):
        if state.reward[state.arms[place]] > state.reward[chosen]:
            chosen = state.arms[place]
    return int(chosen)


@kernel
def most_wins(state: State, rng: Rng) -> int:
    """Return the arm in question that beats the most others, ties broken fairly."""
    chosen, most, ties = 0, -1, 1
    for place in range(state.size):
        arm, wins = state.arms[place], 0
        for other in range(state.arms.size):
            wins += state.verdict[arm, other] > 0
        if wins == most:
            ties += 1
        if wins > most or (wins == most and below(rng, ties) == 0):
            chosen, most, ties = arm, max(most, wins), 1 if wins > most else ties
    return chosen


scb = register(
    Algorithm(
        name="scb",
        title="Scalable Copeland Bandits",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        leap=leap,
        facts=Facts(
            winner="copeland",
            assumes="Copeland winner",
            guarantee="O(N (L_C + log N) log T / gap^2)",
            cost="O(1) on average",
            paper="Zoghi, Karnin, Whiteson & de Rijke, NeurIPS 2015",
        ),
    )
)
