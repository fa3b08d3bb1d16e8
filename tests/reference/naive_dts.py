"""D-TS and D-TS+ as their rules are written down, every sample drawn at every duel: the fast form is compared."""

import math
from typing import NamedTuple

import numpy as np

from winnerstays.algorithms._shared.counts import kl_half, mean, no_wins, played, record
from winnerstays.algorithms.base import Algorithm
from winnerstays.compiling import kernel
from winnerstays.randomness import below, beta


class State(NamedTuple):
    wins: np.ndarray
    theta: np.ndarray
    score: np.ndarray
    copeland: np.ndarray
    first: int
    second: int
    t: int
    alpha: float
    plus: bool


def naive_state(wins, t=0, alpha=0.51, plus=False):
    n_arms = len(wins)
    empty = np.zeros(n_arms, np.int64), np.zeros(n_arms, np.int64)
    return State(wins, np.full((n_arms, n_arms), 0.5), *empty, 0, 0, t, alpha, plus)


def init_of(plus):
    def init(n_arms, rng, *, alpha=0.51):
        return State(*next_pair(naive_state(no_wins(n_arms), 0, alpha, plus), rng))

    return init


@kernel
def radius(state, i, j):
    return math.sqrt(state.alpha * math.log(state.t + 1) / played(state.wins, i, j))


@kernel
def upper(state, i, j):
    return mean(state.wins, i, j) + radius(state, i, j) if played(state.wins, i, j) > 0 else 1.0


@kernel
def lower(state, i, j):
    return mean(state.wins, i, j) - radius(state, i, j) if played(state.wins, i, j) > 0 else 0.0


@kernel
def optimistic(state, i):
    count = 0
    for j in range(state.score.size):
        count += j != i and upper(state, i, j) > 0.5
    return count


@kernel
def first_arm(state, rng):
    wins, theta, score, copeland = state.wins, state.theta, state.score, state.copeland
    n_arms = score.size
    for i in range(n_arms):
        score[i] = optimistic(state, i)
        copeland[i] = 0
        for j in range(i + 1, n_arms):
            theta[i, j] = beta(rng, wins[i, j] + 1.0, wins[j, i] + 1.0)
            theta[j, i] = 1.0 - theta[i, j]
    top, most, most_of_all = 0, -1, -1
    for i in range(n_arms):
        for j in range(n_arms):
            copeland[i] += j != i and theta[i, j] > 0.5
        top = max(top, score[i])
        most_of_all = max(most_of_all, copeland[i])
    for i in range(n_arms):
        if score[i] == top:
            most = max(most, copeland[i])
    chosen, least, ties = -1, math.inf, 0
    for i in range(n_arms):
        if score[i] == top and copeland[i] == most:
            cost = 0.0
            if state.plus:
                for j in range(n_arms):
                    if j != i:
                        cost += (most_of_all - (copeland[i] + copeland[j]) / 2.0) / kl_half(theta[i, j])
            if cost < least:
                chosen, least, ties = i, cost, 1
            elif cost == least:
                ties += 1
                if below(rng, ties) == 0:
                    chosen = i
    return chosen


@kernel
def next_pair(state, rng):
    first = first_arm(state, rng)
    second, largest = first, 0.5
    for i in range(state.score.size):
        if i != first and lower(state, i, first) <= 0.5:
            theta = beta(rng, state.wins[i, first] + 1.0, state.wins[first, i] + 1.0)
            if theta > largest:
                second, largest = i, theta
    return state._replace(first=first, second=second)


@kernel
def choose(state, rng):
    return state.first, state.second


@kernel
def update(state, first, second, first_won, rng):
    record(state.wins, first, second, first_won)
    return next_pair(state._replace(t=state.t + 1), rng)


@kernel
def best(state):
    return state.first


NAIVE = {
    name: Algorithm(f"naive-{name}", name, init_of(plus), choose, update, best)
    for name, plus in (("dts", False), ("dts+", True))
}
