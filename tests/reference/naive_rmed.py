"""RMED as its rules are written down, everything computed anew at every duel: what the fast form is compared with."""

import math
from typing import NamedTuple

import numpy as np

from winnerstays.algorithms import rmed
from winnerstays.algorithms._shared.counts import kl_half, mean, no_wins, played, record
from winnerstays.algorithms.base import Algorithm
from winnerstays.compiling import kernel
from winnerstays.randomness import shuffle

RMED1, RMED2, RMED2FH = range(3)


class State(NamedTuple):
    arm: np.ndarray
    place: np.ndarray
    wins: np.ndarray
    current: np.ndarray
    remains: np.ndarray
    following: np.ndarray
    frozen: np.ndarray
    n_current: int
    n_following: int
    at: int
    t: int
    is_frozen: bool
    variant: int
    alpha: float
    slack: float
    horizon: int


def init_of(variant):
    def init(n_arms, rng, *, f=0.3, alpha=3.0, horizon=1):
        arm = np.arange(n_arms)
        shuffle(arm, rng)
        return State(
            arm,
            np.argsort(arm),
            no_wins(n_arms),
            np.arange(n_arms),
            np.ones(n_arms, np.int64),
            np.zeros(n_arms, np.int64),
            np.full(n_arms, -1),
            n_current=n_arms,
            n_following=0,
            at=0,
            t=0,
            is_frozen=False,
            variant=variant,
            alpha=alpha,
            slack=f * math.pow(n_arms, 1.01),
            horizon=horizon,
        )

    return init


@kernel
def divergence(wins, i):
    total = 0.0
    for j in range(wins.shape[0]):
        if j != i and mean(wins, i, j) <= 0.5:
            total += played(wins, i, j) * kl_half(mean(wins, i, j))
    return total


@kernel
def favourite(wins):
    chosen, least = 0, math.inf
    for i in range(wins.shape[0]):
        total = divergence(wins, i)
        if total < least - rmed.TIE * rmed.UNIT:
            chosen, least = i, total
    return chosen


@kernel
def log_log(t):
    return max(math.log(max(math.log(t), 1e-9)), 0.01)


@kernel
def lacking(state):
    """The first pair that has not met often enough, as i * n_arms + j, or -1."""
    n_arms, t = state.arm.size, state.t + 1
    needed = 1.0
    if state.variant == RMED2FH:
        needed = state.alpha * log_log(state.horizon)
    elif state.variant == RMED2 and t > n_arms * (n_arms - 1) // 2:
        needed = max(state.alpha * log_log(t), 1.0)
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            if played(state.wins, i, j) < needed:
                return i * n_arms + j
    return -1


@kernel
def cheapest(wins, l, ihat):
    chosen, least = -1, math.inf
    for j in range(wins.shape[0]):
        if j != l and mean(wins, l, j) < 0.5:
            regret = (mean(wins, ihat, l) - 0.5) + mean(wins, ihat, j) - 0.5
            if regret / kl_half(mean(wins, l, j)) < least:
                chosen, least = j, regret / kl_half(mean(wins, l, j))
    return chosen


@kernel
def pair(state):
    n_arms, wins = state.arm.size, state.wins
    short = lacking(state)
    if short >= 0:
        return short // n_arms, short % n_arms
    l, ihat = state.current[state.at], favourite(wins)
    if state.variant != RMED1:
        b = state.frozen[l] if state.variant == RMED2FH and state.is_frozen else cheapest(wins, l, ihat)
        known = log_log(state.horizon) if state.variant == RMED2FH else log_log(state.t + 1)
        if b >= 0 and mean(wins, l, b) <= 0.5 and played(wins, l, ihat) >= played(wins, l, b) / known:
            return l, b
    superiors = 0
    for j in range(n_arms):
        superiors += j != l and mean(wins, l, j) <= 0.5
    if superiors == 0 or (l != ihat and mean(wins, l, ihat) <= 0.5):
        return l, ihat
    chosen, least = l, math.inf
    for j in range(n_arms):
        if j != l and mean(wins, l, j) < least:
            chosen, least = j, mean(wins, l, j)
    return l, chosen


@kernel
def choose(state, rng):
    first, second = pair(state)
    return state.arm[first], state.arm[second]


@kernel
def update(state, first, second, first_won, rng):
    wins, n_arms = state.wins, state.arm.size
    listed = lacking(state) < 0
    if listed and not state.is_frozen:
        for i in range(n_arms):
            state.frozen[i] = cheapest(wins, i, favourite(wins))
        state = state._replace(is_frozen=True)
    record(wins, state.place[first], state.place[second], first_won)
    state = state._replace(t=state.t + 1)
    if not listed:
        return state
    l = state.current[state.at]
    state.remains[l] = 0
    least = divergence(wins, favourite(wins))
    count = state.n_following
    for k in range(-1, n_arms):  # l first, then the others in order
        j = l if k < 0 else k
        known = state.remains[j] == 1
        for other in range(count):
            known = known or state.following[other] == j
        if not known and divergence(wins, j) - least <= math.log(state.t) + state.slack:
            state.following[count] = j
            count += 1
    if state.at + 1 < state.n_current:
        return state._replace(at=state.at + 1, n_following=count)
    for k in range(count):
        state.current[k] = state.following[k]
        state.remains[state.following[k]] = 1
    return state._replace(at=0, n_current=count, n_following=0)


@kernel
def best(state):
    return state.arm[favourite(state.wins)]


def naive(name, variant):
    needs = frozenset({"horizon"}) if variant == RMED2FH else frozenset()
    return Algorithm(name, name, init_of(variant), choose, update, best, needs=needs)


NAIVE = {
    name: naive(f"naive-{name}", variant)
    for name, variant in (("rmed1", RMED1), ("rmed2", RMED2), ("rmed2fh", RMED2FH))
}
