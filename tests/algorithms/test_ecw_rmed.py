"""ECW-RMED: the fast form plays the same duels as its rules written down, with all subsets tried one by one."""

import math
from itertools import combinations

import numpy as np
import pytest

from tests.algorithms.skipped_duels import check_leaps
from winnerstays.algorithms import algorithm
from winnerstays.algorithms._shared.counts import kl_half
from winnerstays.algorithms.ecw_rmed.copeland import evidence_against
from winnerstays.compiling import COMPILED
from winnerstays.problems import Problem, problem, random_condorcet, three_types, total_order
from winnerstays.randomness import stream
from winnerstays.testing import play, trace

ecw = algorithm("ecw-rmed")


class Rules:
    """Everything anew at every duel."""

    def __init__(self, n_arms, alpha=3.0, beta=0.01):
        self.arms, self.alpha, self.beta = range(n_arms), alpha, beta
        self.pairs = list(combinations(self.arms, 2))
        self.wins = np.zeros((n_arms, n_arms), int)
        self.current, self.remaining, self.following = list(self.pairs), set(self.pairs), []
        self.t = 0

    def share(self, i, j):
        n = self.wins[i, j] + self.wins[j, i]
        return self.wins[i, j] / n if n else 0.5

    def weight(self, i, j):
        return (self.wins[i, j] + self.wins[j, i]) * kl_half(self.share(i, j))

    def superiors(self, i):
        return [j for j in self.arms if self.share(j, i) > 0.5]

    def lacks(self, pair):
        log = math.log(self.t + 1)
        few = self.wins[pair] + self.wins[pair[::-1]] < max(self.alpha * math.sqrt(log), 1)
        return few or abs(self.share(*pair) - 0.5) < self.beta / max(1, math.log(max(log, 1)))

    def choose(self):
        self.forced = [pair for pair in self.pairs if self.lacks(pair)]
        return self.forced[0] if self.forced else self.current[0]

    def update(self, i, j, i_won):
        if i != j:
            self.wins[(i, j) if i_won else (j, i)] += 1
        self.t += 1
        if self.forced:
            return
        self.remaining.discard(self.current.pop(0))
        for pair in self.required():
            if pair not in self.remaining and pair not in self.following:
                self.following.append(pair)
        if not self.current:
            self.current, self.remaining, self.following = self.following, set(self.following), []

    def required(self):
        lost = {i: len(self.superiors(i)) for i in self.arms}
        winners = [i for i in self.arms if lost[i] == min(lost.values())]
        for i1 in winners:
            if all(self.evidence(i1, i2) >= math.log(self.t) for i2 in self.arms if i2 != i1):
                return [(i1, i1)]
        regrets = []
        for i1 in winners:
            q = self.allocation(i1, lost)
            regrets.append(sum(share * (lost[i] + lost[j] - 2 * lost[i1]) for (i, j), share in q.items()))
        i1 = winners[int(np.argmin(regrets))]
        met = self.wins + self.wins.T
        short = [pair for pair, q in self.allocation(i1, lost).items() if q * math.log(self.t) > met[pair]]
        return [tuple(sorted(pair)) for pair in short] + [(i1, i1)]

    def evidence(self, i1, i2):
        """Over every set of pairs with i1 or i2 in them that could be the other way round."""
        mine = [(i1, j) for j in self.arms if j != i1 and self.share(i1, j) >= 0.5]
        theirs = [(j, i2) for j in self.superiors(i2) if j != i1]
        least, candidates = math.inf, mine + theirs
        for size in range(len(candidates) + 1):
            for turned in combinations(candidates, size):
                beats = {(i, j): self.share(i, j) > 0.5 for i in self.arms for j in self.arms}
                for i, j in turned:
                    beats[i, j], beats[j, i] = False, True
                if sum(beats[j, i2] for j in self.arms) < sum(beats[j, i1] for j in self.arms):
                    least = min(least, sum(self.weight(i, j) for i, j in turned))
        return least

    def allocation(self, i1, lost):
        q = {
            (i1, j): 1 / max(kl_half(self.share(i1, j)), 1e-12)
            for j in self.arms
            if j != i1 and self.share(i1, j) >= 0.5
        }
        for i2 in self.arms:
            costs = {}
            for j in self.superiors(i2):
                if i1 not in (j, i2):
                    costs[j] = (lost[i2] + lost[j] - 2 * lost[i1]) / kl_half(self.share(i2, j))
            spare = len(costs) - (lost[i2] - lost[i1] + 1)
            if i2 != i1 and spare >= 0:
                order = sorted(costs, key=costs.get)
                used = min(
                    range(spare + 1, len(order) + 1), key=lambda h: sum(costs[j] for j in order[:h]) / (h - spare)
                )
                for j in order[:used]:
                    q[i2, j] = 1 / ((used - spare) * kl_half(self.share(i2, j)))
        return q


ROCK_PAPER_SCISSORS = Problem(
    np.array([[0.5, 0.7, 0.7, 0.2], [0.3, 0.5, 0.8, 0.7], [0.3, 0.2, 0.5, 0.7], [0.8, 0.3, 0.3, 0.5]])
)


PROBLEMS = {
    "two arms": total_order(2, 0.6),
    "an order": total_order(4, 0.9),
    "cyclic": problem("cyclic"),
    "no order": random_condorcet(5, 0.05),
    "types": three_types(1, 0.6),
    "no winner": ROCK_PAPER_SCISSORS,
}


@pytest.mark.parametrize("on", PROBLEMS.values(), ids=PROBLEMS)
def test_same_duels_as_the_rules_written_down(on):
    rules = Rules(on.n_arms)
    for step in play(ecw, on, 700 if COMPILED else 250, seed=3):
        place = step.state.numbering.place
        assert rules.choose() == (place[step.first], place[step.second])
        rules.update(place[step.first], place[step.second], step.first_won)


def test_no_single_arm_has_to_beat_all_others():
    counted = 0
    for step in play(ecw, ROCK_PAPER_SCISSORS, 600, seed=1):
        counted += step.state.superiors.min() > 0
    assert counted > 300


def test_evidence_is_the_least_over_all_subsets():
    rng = np.random.default_rng(4)
    state = ecw.start(5, stream(1))
    for _ in range(60):
        rules = Rules(5)
        rules.wins[:] = rng.integers(0, 6, (5, 5))
        np.fill_diagonal(rules.wins, 0)
        state.wins[:] = rules.wins
        state.weights[:] = [[rules.weight(i, j) for j in range(5)] for i in range(5)]
        state.superiors[:] = [len(rules.superiors(i)) for i in range(5)]
        i1 = int(state.superiors.argmin())
        for i2 in set(range(5)) - {i1}:
            fast = evidence_against(state, i1, i2)
            assert fast == pytest.approx(rules.evidence(i1, i2), abs=1e-12)


def test_the_winner_soon_meets_only_itself():
    duels = trace(ecw, total_order(5, 1.0), 400)
    assert np.mean([duel[:2] == [0, 0] for duel in duels[-150:]]) > 0.9


def test_leaps_end_where_single_duels_would():
    check_leaps(ecw, 0.95, 500, 2000)
