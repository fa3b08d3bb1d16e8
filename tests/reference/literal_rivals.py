"""Second implementations of algorithms, written down from their rules with NumPy and nothing shared.

Each is a class with `choose()` and `update(first, second, first_won)`; nothing is kept that could be computed anew.
`mean_regret` plays them on a problem, with arms relabelled in every run.
"""

import math

import numpy as np
from scipy.optimize import brentq, linprog

from winnerstays import problem


class Random:
    def __init__(self, n, rng, **other):
        self.n, self.rng = n, rng

    def choose(self):
        return tuple(self.rng.choice(self.n, 2, replace=False))

    def update(self, first, second, first_won):
        pass


class Doubler:
    """Epochs of 1, 2, 4, ... duels; first arms from the multiset of the last epoch's second arms; a fresh UCB each."""

    def __init__(self, n, rng, **other):
        self.n, self.rng, self.length = n, rng, 1
        self.multiset, self.history = [int(rng.integers(n))], []

    def choose(self):
        plays = np.array([sum(arm == k for arm, _ in self.history) for k in range(self.n)])
        if (plays == 0).any():
            second = self.rng.choice(np.flatnonzero(plays == 0))
        else:
            wins = np.array([sum(won for arm, won in self.history if arm == k) for k in range(self.n)])
            index = wins / plays + np.sqrt(2.5 * math.log(len(self.history)) / plays)
            second = self.rng.choice(np.flatnonzero(index == index.max()))
        return int(self.rng.choice(self.multiset)), int(second)

    def update(self, first, second, first_won):
        self.history.append((second, not first_won))
        if len(self.history) == self.length:
            self.multiset, self.history = [arm for arm, _ in self.history], []
            self.length *= 2


class InterleavedFilter1:
    def __init__(self, n, rng, horizon, **other):
        order = rng.permutation(n).tolist()
        self.champion, self.others = order[0], order[1:]
        self.log_term, self.turn = math.log(horizon * n * n), 0
        self.wins, self.n = dict.fromkeys(self.others, 0), 0

    def choose(self):
        return (self.champion, self.others[self.turn]) if self.others else (self.champion, self.champion)

    def update(self, first, second, first_won):
        if not self.others:
            return
        self.wins[second] += first_won
        self.turn += 1
        if self.turn < len(self.others):
            return
        self.turn, self.n = 0, self.n + 1
        radius = math.sqrt(4 * self.log_term / self.n)
        better = [arm for arm in self.others if self.wins[arm] / self.n + radius < 0.5]
        self.others = [arm for arm in self.others if self.wins[arm] / self.n - radius <= 0.5]
        if better:
            self.champion = better[0]
            self.others.remove(better[0])
            self.wins, self.n = dict.fromkeys(self.others, 0), 0


class MergeRucb:
    def __init__(self, n, rng, **other):
        arms = rng.permutation(n).tolist()
        self.n, self.rng, self.t, self.stage, self.m = n, rng, 1, 1, 0
        self.batches = [arms[k : k + 4] for k in range(0, n, 4)]
        self.wins = np.zeros((n, n))
        self.shift = ((4 * 1.01 - 1) * n * n / ((2 * 1.01 - 1) * 0.01)) ** (1 / (2 * 1.01 - 1))

    def upper(self, i, j):
        n = self.wins[i, j] + self.wins[j, i]
        return 2.0 if n == 0 else self.wins[i, j] / n + math.sqrt(1.01 * math.log(self.t + self.shift) / n)

    def choose(self):
        batch = self.batches[self.m]
        if len(batch) == 1:
            return batch[0], batch[0]
        first = int(self.rng.choice(batch))
        rivals = [arm for arm in batch if arm != first]
        uppers = np.array([self.upper(arm, first) for arm in rivals])
        return first, rivals[int(self.rng.choice(np.flatnonzero(uppers == uppers.max())))]

    def merge(self):
        sizes = sorted(self.batches, key=len)
        merged, low, high = [], 0, len(sizes) - 1
        while low <= high:
            if low < high and len(sizes[low]) + len(sizes[high]) <= 6:
                merged.append(sizes[low] + sizes[high])
                low += 1
            else:
                merged.append(sizes[high])
            high -= 1
        self.batches = merged[::-1]

    def update(self, first, second, first_won):
        winner, loser = (first, second) if first_won else (second, first)
        self.wins[winner, loser] += first != second
        self.t += 1
        while sum(map(len, self.batches)) > 1:
            left = sum(map(len, self.batches))
            if len(self.batches) > 1 and (left <= self.n / 2**self.stage or left == len(self.batches)):
                self.merge()
                if min(map(len, self.batches)) <= 2:
                    self.merge()
                self.stage, self.m = self.stage + 1, 0
            self.m = (self.m + 1) % len(self.batches)
            batch = self.batches[self.m]
            for arm in list(batch):
                if any(self.upper(arm, mate) < 0.5 for mate in batch if mate != arm):
                    batch.remove(arm)
            if len(batch) > 1:
                break
        if sum(map(len, self.batches)) == 1:
            self.m = next(k for k, batch in enumerate(self.batches) if batch)


class Qsa:
    """Binary insertion; a question is asked only if both answers can be true for some theta (two linear programs)."""

    def __init__(self, n, rng, features, **other):
        self.x, self.repeats = features, 11
        order = rng.permutation(n).tolist()
        self.ranked, self.waiting, self.answers, self.votes = order[:1], order[1:], [], []
        self.low, self.high = 0, 1
        self.look()

    def possible(self, winner, loser):
        rows = np.array([self.x[a] - self.x[b] for a, b in [*self.answers, (winner, loser)]])
        d = rows.shape[1]
        return linprog(np.zeros(d), A_ub=-rows, b_ub=-np.ones(len(rows)), bounds=[(None, None)] * d).status == 0

    def look(self):
        """Impute answers until a question is open, or all are ranked."""
        while self.waiting:
            if self.low == self.high:
                self.ranked.insert(self.low, self.waiting.pop(0))
                self.low, self.high = 0, len(self.ranked)
                continue
            arm, other = self.waiting[0], self.ranked[(self.low + self.high) // 2]
            wins, loses = self.possible(arm, other), self.possible(other, arm)
            if wins and loses:
                return
            self.place(wins)

    def place(self, won):
        middle = (self.low + self.high) // 2
        if won:
            self.high = middle
        else:
            self.low = middle + 1

    def choose(self):
        if not self.waiting:
            return self.ranked[0], self.ranked[1]
        return self.waiting[0], self.ranked[(self.low + self.high) // 2]

    def update(self, first, second, first_won):
        if not self.waiting:
            return
        self.votes.append(first_won)
        if len(self.votes) == self.repeats:
            won = sum(self.votes) > self.repeats / 2
            self.answers.append((first, second) if won else (second, first))
            self.votes = []
            self.place(won)
            self.look()


class Racing:
    """The Copeland rule: pairs in sweeps, each until its interval excludes 1/2 or both its arms are out."""

    def __init__(self, n, rng, **other):
        self.n, self.rng = n, rng
        self.wins, self.winner = np.zeros((n, n)), None
        self.active = [(i, j) for i in range(n) for j in range(i)]
        self.sweep = rng.permutation(len(self.active)).tolist()
        self.log_term = math.log(2 * n * n * 10**6 / 0.05)

    def surely(self):
        """Return which arm surely beats which."""
        n = self.wins + self.wins.T
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.wins / n - np.sqrt(self.log_term / (2 * n)) > 0.5

    def choose(self):
        if self.winner is not None:
            return self.winner, self.winner
        return self.active[self.sweep[-1]]

    def update(self, first, second, first_won):
        if self.winner is not None:
            return
        winner, loser = (first, second) if first_won else (second, first)
        self.wins[winner, loser] += 1
        now = [self.active[k] for k in self.sweep[:-1]]
        beats = self.surely()
        most = beats.sum(axis=1).max()
        inside = [arm for arm in range(self.n) if self.n - 1 - beats[:, arm].sum() >= most]

        def matters(pair):
            i, j = pair
            return not (beats[i, j] or beats[j, i]) and (i in inside or j in inside)

        self.active = [pair for pair in self.active if matters(pair)]
        if len(inside) == 1:
            self.winner = inside[0]
            return
        self.sweep = [self.active.index(pair) for pair in now if pair in self.active]
        if not self.sweep:
            self.sweep = self.rng.permutation(len(self.active)).tolist()


class Rex3:
    def __init__(self, n, rng, horizon, **other):
        self.n, self.rng, self.log_w = n, rng, np.zeros(n)
        self.gamma = min(0.5, math.sqrt(n * math.log(n) / horizon))

    def p(self):
        w = np.exp(self.log_w - self.log_w.max())
        return (1 - self.gamma) * w / w.sum() + self.gamma / self.n

    def choose(self):
        first, second = self.rng.choice(self.n, 2, p=self.p())
        return int(first), int(second)

    def update(self, first, second, first_won):
        if first != second:
            p, psi = self.p(), 1 if first_won else -1
            self.log_w[first] += self.gamma * psi / (2 * self.n * p[first])
            self.log_w[second] -= self.gamma * psi / (2 * self.n * p[second])


class SelfSparring:
    """IndSelfSparring with two arms and learning rate 1: every entry r_jk of the feedback matrix counts."""

    def __init__(self, n, rng, **other):
        self.rng, self.successes, self.failures = rng, np.zeros(n), np.zeros(n)

    def choose(self):
        return tuple(int(self.rng.beta(self.successes + 1, self.failures + 1).argmax()) for _ in range(2))

    def update(self, first, second, first_won):
        shown, feedback = (first, second), np.array([[np.nan, first_won], [not first_won, np.nan]], dtype=float)
        for j, arm in enumerate(shown):
            for k in range(len(shown)):
                if not np.isnan(feedback[j, k]):
                    self.successes[arm] += feedback[j, k]
                    self.failures[arm] += 1 - feedback[j, k]


class WsDeficit:
    """What each arm is behind others, less twice the signed root of its duels won - lost, computed anew."""

    def __init__(self, n, rng, **other):
        self.rng, self.lead = rng, np.zeros((n, n))

    def choose(self):
        score = self.lead.sum(axis=1)
        key = np.maximum(-self.lead, 0).sum(axis=1) - 2 * np.sign(score) * np.sqrt(abs(score))
        first, second = np.lexsort((self.rng.random(key.size), np.round(key, 7)))[:2]
        return int(first), int(second)

    def update(self, first, second, first_won):
        self.lead[first, second] += 2 * first_won - 1
        self.lead[second, first] = -self.lead[first, second]


class Versatile:
    """Two Tsallis-INF players with importance-weighted losses and eta_t = 2 / sqrt(t)."""

    def __init__(self, n, rng, **other):
        self.n, self.rng, self.t, self.losses = n, rng, 1, np.zeros((2, n))

    def weights(self, player):
        eta, losses = 2 / math.sqrt(self.t), self.losses[player]
        far, near = losses.min() - 2 * math.sqrt(self.n) / eta, losses.min() - 2 / eta
        x = brentq(lambda x: (4 / (eta * (losses - x)) ** 2).sum() - 1, far, near, xtol=1e-14)
        w = 4 / (eta * (losses - x)) ** 2
        return w / w.sum()

    def choose(self):
        return tuple(int(self.rng.choice(self.n, p=self.weights(player))) for player in range(2))

    def update(self, first, second, first_won):
        for player, arm, loss in ((0, first, 1.0 - first_won), (1, second, float(first_won))):
            self.losses[player, arm] += loss / self.weights(player)[arm]
        self.t += 1


class Dkwt:
    """Haddenhorst et al. 2021, from the paper's code: a stage ends a match if the shares differ by more than h."""

    def __init__(self, n, rng, **other):
        self.gamma, self.waiting = 0.05 / n, rng.permutation(n).tolist()
        self.champion = self.waiting.pop()
        self.stage, self.outcomes = 1, []

    def choose(self):
        return (self.champion, self.waiting[-1]) if self.waiting else (self.champion, self.champion)

    def update(self, first, second, first_won):
        self.outcomes.append(first_won)
        h = 2.0 ** (-self.stage - 1)
        needed = math.ceil(8 * math.log(4 / (6 * self.gamma / (math.pi * self.stage) ** 2)) / h**2)
        if self.waiting and len(self.outcomes) == needed:
            share, self.outcomes = np.mean(self.outcomes), []
            self.stage += 1
            if abs(share - (1 - share)) > h:
                other = self.waiting.pop()
                self.champion, self.stage = self.champion if share > 0.5 else other, 1


class Pocowista:
    """Bengs et al. 2024, from the paper's code: D, the Copeland scores and the potential ones, from decided matches."""

    def __init__(self, n, rng, **other):
        self.n, self.rng, self.decided, self.tally = n, rng, {}, [0, 0]
        self.pair = self.next()

    def next(self):
        met = [{i} | {k for pair in self.decided if i in pair for k in pair} for i in range(self.n)]
        score = np.array([sum(winner == i for winner in self.decided.values()) for i in range(self.n)])
        potential = np.array([self.n - len(met[i]) + score[i] for i in range(self.n)])
        order = self.rng.permutation(self.n)
        leader = int(order[score[order].argmax()])
        if score[leader] >= np.delete(potential, leader).max():
            return leader, leader
        first = int(order[potential[order].argmax()])
        second = max((k for k in order.tolist() if k not in met[first]), key=lambda k: score[k])
        return first, second

    def choose(self):
        return self.pair

    def update(self, first, second, first_won):
        self.tally[not first_won] += 1
        n, delta = sum(self.tally), 0.05 / math.comb(self.n, 2)
        if first != second and (n + 1) * math.comb(n, self.tally[0]) / 2**n <= delta / 2:
            self.decided[self.pair] = self.pair[self.tally[1] > self.tally[0]]
            self.tally, self.pair = [0, 0], self.next()


LITERAL = {
    "dkwt": Dkwt, "pocowista": Pocowista,
    "doubler": Doubler, "if1": InterleavedFilter1, "merge-rucb": MergeRucb, "qsa": Qsa, "racing": Racing,
    "random": Random, "rex3": Rex3, "self-sparring": SelfSparring, "ws-deficit": WsDeficit, "versatile": Versatile,
}  # fmt: skip


def mean_regret(name, where, horizon, runs, seed):
    """The strong utility regret of each run of a literal version."""
    one = problem(where)
    loss = one.utilities.max() - one.utilities
    regrets = np.zeros(runs)
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        label = rng.permutation(one.n_arms)
        features = None if one.features is None else one.features[label]
        player = LITERAL[name](one.n_arms, rng, horizon=horizon, features=features)
        for _ in range(horizon):
            first, second = player.choose()
            i, j = label[first], label[second]
            regrets[run] += (loss[i] + loss[j]) / 2
            player.update(first, second, bool(rng.random() < one.preferences[i, j]))
    return regrets
