"""The confidence-bound algorithms as their papers print them: whole matrices, every duel. Oracles for the fast ones.

They draw the same random numbers in the same order: none where there is nothing to choose, else one for each choice,
and the k-th of the eligible arms in ascending order.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays.algorithms._shared.confidence import ALPHA
from winnerstays.algorithms._shared.counts import no_wins, record
from winnerstays.algorithms.base import Algorithm
from winnerstays.compiling import kernel
from winnerstays.randomness import below, beta, shuffle, uniform


@kernel
def fill_bounds(upper, lower, wins, alpha, t):
    for i in range(len(wins)):
        for j in range(len(wins)):
            n = wins[i, j] + wins[j, i]
            if i == j:
                upper[i, j], lower[i, j] = 0.5, 0.5
            elif n == 0:
                upper[i, j], lower[i, j] = 2.0, -1.0
            else:
                radius = math.sqrt(alpha * math.log(t) / n)
                upper[i, j], lower[i, j] = wins[i, j] / n + radius, wins[i, j] / n - radius


@kernel
def pick(eligible, rng):
    """One of the arms that are marked, or -1."""
    count = 0
    for arm in range(eligible.size):
        count += eligible[arm]
    left = below(rng, count) if count > 1 else 0
    for arm in range(eligible.size):
        if eligible[arm]:
            if left == 0:
                return arm
            left -= 1
    return -1


@kernel
def pick_rival(upper, arm, eligible, rng):
    """argmax of U[j, arm] over the marked arms; `arm` itself only if no other is as high."""
    highest = -1.0
    for j in range(eligible.size):
        if eligible[j] and upper[j, arm] > highest:
            highest = upper[j, arm]
    others = 0
    for j in range(eligible.size):
        eligible[j] = eligible[j] and upper[j, arm] == highest
        others += eligible[j] and j != arm
    if others > 0:
        eligible[arm] = False
    return pick(eligible, rng)


class Rucb(NamedTuple):
    wins: np.ndarray
    upper: np.ndarray
    lower: np.ndarray
    marked: np.ndarray
    t: int
    champion: int
    alpha: float


def rucb_init(n_arms, rng, *, alpha=0.51):
    square = np.zeros((n_arms, n_arms))
    state = Rucb(no_wins(n_arms), square, square.copy(), np.zeros(n_arms, np.bool_), 1, -1, alpha)
    return rucb_look(state)


@kernel
def mark_candidates(state):
    size = 0
    for i in range(state.marked.size):
        state.marked[i] = True
        for j in range(state.marked.size):
            if state.upper[i, j] < 0.5:
                state.marked[i] = False
        size += state.marked[i]
    return size


@kernel
def rucb_look(state):
    fill_bounds(state.upper, state.lower, state.wins, state.alpha, state.t)
    size, champion = mark_candidates(state), state.champion
    if champion >= 0 and not state.marked[champion]:
        champion = -1
    if size == 1:
        for arm in range(state.marked.size):
            if state.marked[arm]:
                champion = arm
    return state._replace(champion=champion)


@kernel
def rucb_choose(state, rng):
    arm = -1
    size = mark_candidates(state)
    if size == 0:
        state.marked[:] = True
    if size > 1 and state.champion >= 0:
        if uniform(rng) < 0.5:
            arm = state.champion
        else:
            state.marked[state.champion] = False
    if arm < 0:
        arm = pick(state.marked, rng)
    state.marked[:] = True
    return arm, pick_rival(state.upper, arm, state.marked, rng)


@kernel
def rucb_update(state, first, second, first_won, rng):
    record(state.wins, first, second, first_won)
    return rucb_look(state._replace(t=state.t + 1))


@kernel
def no_favourite(state):
    """Some arm: only the duels are compared."""
    return 0


naive_rucb = Algorithm(
    name="naive-rucb", title="RUCB as printed", init=rucb_init, choose=rucb_choose, update=rucb_update,
    best=no_favourite, parameters={"alpha": ALPHA},
)  # fmt: skip


class Ccb(NamedTuple):
    wins: np.ndarray
    upper: np.ndarray
    lower: np.ndarray
    candidates: np.ndarray  # B
    superiors: np.ndarray  # B^i
    high: np.ndarray
    low: np.ndarray
    leaders: np.ndarray  # C
    marked: np.ndarray
    losses: int  # L_C
    t: int
    alpha: float


def ccb_init(n_arms, rng, *, alpha=0.51):
    square, row = np.zeros((n_arms, n_arms)), np.zeros(n_arms, np.int64)
    flags = np.zeros(n_arms, np.bool_)
    state = Ccb(
        no_wins(n_arms), square, square.copy(), np.ones(n_arms, np.bool_), np.zeros((n_arms, n_arms), np.bool_),
        row, row.copy(), flags, flags.copy(), n_arms, 1, alpha,
    )  # fmt: skip
    return ccb_look(state, rng)


@kernel
def ccb_reset(state):
    state.candidates[:] = True
    state.superiors[:] = False
    return state._replace(losses=len(state.wins))


@kernel
def count(flags):
    total = 0
    for k in range(flags.size):
        total += flags[k]
    return total


@kernel
def ccb_look(state, rng):
    n_arms = len(state.wins)
    upper, lower = state.upper, state.lower
    fill_bounds(upper, lower, state.wins, state.alpha, state.t)
    for i in range(n_arms):
        state.high[i], state.low[i] = 0, 0
        for k in range(n_arms):
            state.high[i] += k != i and upper[i, k] >= 0.5
            state.low[i] += k != i and lower[i, k] >= 0.5
    highest, most = 0, 0
    for i in range(n_arms):
        highest, most = max(highest, state.high[i]), max(most, state.low[i])
    for i in range(n_arms):
        state.leaders[i] = state.high[i] == highest

    disproven = False
    for i in range(n_arms):
        for j in range(n_arms):
            disproven |= state.superiors[i, j] and lower[i, j] > 0.5
    if disproven:
        state = ccb_reset(state)

    for i in range(n_arms):
        if state.candidates[i] and state.high[i] < most:
            state.candidates[i] = False
            if count(state.superiors[i]) != state.losses + 1:
                for k in range(n_arms):
                    state.superiors[i, k] = upper[i, k] < 0.5
    if count(state.candidates) == 0:
        state = ccb_reset(state)

    for i in range(n_arms):
        if state.leaders[i] and state.high[i] == state.low[i]:
            state.candidates[i] = True
            state.superiors[i] = False
            state = state._replace(losses=n_arms - 1 - state.high[i])
            for j in range(n_arms):
                if count(state.superiors[j]) < state.losses + 1:
                    state.superiors[j] = False
                while count(state.superiors[j]) > state.losses + 1:
                    state.superiors[j, pick(state.superiors[j], rng)] = False
    return state


@kernel
def ccb_choose(state, rng):
    n_arms, open_pairs = len(state.wins), 0
    for i in range(n_arms):
        for j in range(n_arms):
            open_pairs += state.superiors[i, j] and state.lower[i, j] <= 0.5 <= state.upper[i, j]
    if open_pairs > 0 and uniform(rng) < 0.25:
        left = below(rng, open_pairs) if open_pairs > 1 else 0
        for i in range(n_arms):
            for j in range(n_arms):
                if state.superiors[i, j] and state.lower[i, j] <= 0.5 <= state.upper[i, j]:
                    if left == 0:
                        return i, j
                    left -= 1
    for i in range(n_arms):
        state.marked[i] = state.leaders[i] and state.candidates[i]
    if not (0 < count(state.marked) < count(state.leaders) and uniform(rng) < 2 / 3):
        for i in range(n_arms):
            state.marked[i] = state.leaders[i]
    arm = pick(state.marked, rng)
    for j in range(n_arms):
        state.marked[j] = state.superiors[arm, j] and state.lower[j, arm] <= 0.5
    if not (count(state.marked) > 0 and uniform(rng) < 0.5):
        for j in range(n_arms):
            state.marked[j] = state.lower[j, arm] <= 0.5
    return arm, pick_rival(state.upper, arm, state.marked, rng)


@kernel
def ccb_update(state, first, second, first_won, rng):
    record(state.wins, first, second, first_won)
    return ccb_look(state._replace(t=state.t + 1), rng)


naive_ccb = Algorithm(
    name="naive-ccb", title="CCB as printed", init=ccb_init, choose=ccb_choose, update=ccb_update,
    best=no_favourite, parameters={"alpha": ALPHA},
)  # fmt: skip


class Rcs(NamedTuple):
    wins: np.ndarray
    upper: np.ndarray
    lower: np.ndarray
    times_champion: np.ndarray
    marked: np.ndarray
    t: int
    alpha: float


def rcs_init(n_arms, rng, *, alpha=0.51):
    square = np.zeros((n_arms, n_arms))
    flags = np.zeros(n_arms, np.bool_)
    return Rcs(no_wins(n_arms), square, square.copy(), np.zeros(n_arms, np.int64), flags, 1, alpha)


@kernel
def rcs_champion(wins, marked, rng):
    """Marks who loses no game of a tournament of beta samples; true if there is such an arm."""
    marked[:] = True
    for i in range(len(wins)):
        for j in range(i + 1, len(wins)):
            sample = beta(rng, wins[i, j] + 1.0, wins[j, i] + 1.0)
            marked[j if sample > 0.5 else i] = False
    return count(marked) > 0


@kernel
def rcs_choose(state, rng):
    if not rcs_champion(state.wins, state.marked, rng):
        fewest = state.t
        for i in range(len(state.wins)):
            fewest = min(fewest, state.times_champion[i])
        for i in range(len(state.wins)):
            state.marked[i] = state.times_champion[i] == fewest
    arm = pick(state.marked, rng)
    fill_bounds(state.upper, state.lower, state.wins, state.alpha, state.t)
    state.marked[:] = True
    return arm, pick_rival(state.upper, arm, state.marked, rng)


@kernel
def rcs_update(state, first, second, first_won, rng):
    record(state.wins, first, second, first_won)
    state.times_champion[first] += 1
    return state._replace(t=state.t + 1)


naive_rcs = Algorithm(
    name="naive-rcs", title="RCS as printed", init=rcs_init, choose=rcs_choose, update=rcs_update,
    best=no_favourite, parameters={"alpha": ALPHA},
)  # fmt: skip


class NaiveMergeRucb:
    """MergeRUCB with lists of arms and whole bounds; draws as `merge-rucb` does."""

    def __init__(self, n_arms, rng, alpha=1.01, batch_size=4, epsilon=0.01):
        self.rng, self.alpha, self.batch_size = rng, alpha, batch_size
        self.n_arms, self.t, self.stage, self.current = n_arms, 1, 1, 0
        self.shift = ((4 * alpha - 1) * n_arms**2 / ((2 * alpha - 1) * epsilon)) ** (1 / (2 * alpha - 1))
        self.wins = np.zeros((n_arms, n_arms), np.int64)
        arms = np.arange(n_arms)
        shuffle(arms, rng)
        self.batches = [arms[k : k + batch_size].tolist() for k in range(0, n_arms, batch_size)]

    def upper(self, i, j):
        n = self.wins[i, j] + self.wins[j, i]
        if i == j:
            return 0.5
        return self.wins[i, j] / n + math.sqrt(self.alpha * math.log(self.t + self.shift) / n) if n else 2.0

    def choose(self):
        batch = self.batches[self.current]
        if len(batch) == 1:
            return batch[0], batch[0]
        arm = batch[below(self.rng, len(batch))]
        bounds = {j: self.upper(j, arm) for j in batch if j != arm}
        highest = [j for j in bounds if bounds[j] == max(bounds.values())]
        return arm, highest[below(self.rng, len(highest)) if len(highest) > 1 else 0]

    def update(self, first, second, first_won):
        record(self.wins, first, second, first_won)
        self.t += 1
        while sum(map(len, self.batches)) > 1:
            survivors = sum(map(len, self.batches))
            if len(self.batches) > 1 and (survivors <= self.n_arms / 2**self.stage or survivors == len(self.batches)):
                self.merge()
                if min(map(len, self.batches)) <= self.batch_size / 2:
                    self.merge()
                self.stage += 1
            self.current = (self.current + 1) % len(self.batches)
            batch = self.batches[self.current]
            for arm in list(batch):
                if any(self.upper(arm, j) < 0.5 for j in batch):
                    batch.remove(arm)
            if len(batch) > 1:
                break

    def merge(self):
        old = sorted(self.batches, key=len)
        self.batches, self.current = [], 0
        while old:
            large = old.pop()
            if old and len(old[0]) + len(large) <= 1.5 * self.batch_size:
                large = old.pop(0) + large
            self.batches.insert(0, large)
