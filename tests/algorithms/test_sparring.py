"""Sparring, MultiSBM and Doubler, and the UCB machines they are built of."""

import math
from collections import Counter

import numpy as np
import pytest

from winnerstays import algorithm
from winnerstays.algorithms import doubler
from winnerstays.algorithms._shared import ucb
from winnerstays.problems import sushi, total_order
from winnerstays.randomness import stream
from winnerstays.testing import play


class LiteralMachine:
    """The index as it is written: nothing kept, everything computed when asked."""

    def __init__(self, n_arms, alpha=2.5):
        self.wins, self.plays, self.alpha = np.zeros(n_arms), np.zeros(n_arms), alpha

    def accepts(self, arm):
        """Whether no arm has a larger index, up to rounding."""
        if (self.plays == 0).any():
            return self.plays[arm] == 0
        index = self.wins / self.plays + np.sqrt(self.alpha * math.log(self.plays.sum()) / self.plays)
        return index[arm] >= index.max() - 1e-12

    def feed(self, arm, won):
        self.plays[arm] += 1
        self.wins[arm] += won


@pytest.mark.parametrize(("n_arms", "alpha"), [(3, 2.5), (24, 0.1), (25, 2.5), (60, 0.02), (60, 2.5), (300, 0.5)])
def test_machine_with_blocks_picks_as_if_it_compared_all_arms(n_arms, alpha):
    chance = np.random.default_rng(n_arms).uniform(0.2, 0.8, n_arms)
    machine, literal = ucb.new_machines(1, n_arms, alpha), LiteralMachine(n_arms, alpha)
    rng, luck = stream(6), np.random.default_rng(7)
    for _ in range(12 * n_arms + 2000):
        arm = ucb.pick(machine, 0, rng)
        assert literal.accepts(arm)
        won = bool(luck.random() < chance[arm])
        ucb.reward(machine, 0, arm, won)
        literal.feed(arm, won)


def test_blocks_spare_most_comparisons():
    """Of 19 blocks of 300 arms, a pick that follows 6000 plays looks into at most 3."""
    machine, rng, luck = ucb.new_machines(1, 300, 2.5), stream(8), np.random.default_rng(9)
    looks = []
    for _ in range(6000):
        arm = ucb.pick(machine, 0, rng)
        ucb.reward(machine, 0, arm, bool(luck.random() < 0.5 + arm / 1000))
        s = math.sqrt(math.log(machine.total[0]))
        looks.append(int((machine.until[0] < s).sum()))
    assert machine.until.shape[1] == 19 and np.mean(looks[-500:]) < 3


def test_sparring_plays_what_two_literal_machines_want():
    left, right = LiteralMachine(16), LiteralMachine(16)
    for step in play(algorithm("sparring"), sushi(), 4000, seed=1):
        assert left.accepts(step.first) and right.accepts(step.second)
        left.feed(step.first, step.first_won)
        right.feed(step.second, not step.first_won)
    assert left.wins.sum() + right.wins.sum() == 4000, "one of the two is rewarded in every duel"
    assert min(left.plays.min(), right.plays.min()) > 0


def test_multisbm_plays_what_the_first_arms_literal_machine_wants():
    machines, previous = [LiteralMachine(16) for _ in range(16)], None
    for step in play(algorithm("multisbm"), sushi(), 6000, seed=2):
        assert previous is None or step.first == previous, "the second arm of a duel is the first of the next"
        assert machines[step.first].accepts(step.second)
        machines[step.first].feed(step.second, not step.first_won)
        previous = step.second
    assert any((machine.plays > 0).all() for machine in machines)


def test_doubler_draws_from_the_multiset_of_the_previous_epoch():
    machine, multiset, epoch, length = LiteralMachine(6), None, [], 1
    for step in play(algorithm("doubler"), total_order(6, 0.7), 2**12 - 1, seed=3):
        held = np.diff(step.state.up_to, prepend=0)
        if multiset is None:
            assert sorted(held) == [0, 0, 0, 0, 0, 1], "the first epoch has a single first arm"
        else:
            assert (held == multiset).all()
        assert held[step.first] > 0
        assert machine.accepts(step.second)
        machine.feed(step.second, not step.first_won)
        epoch.append(step.second)
        if len(epoch) == length:
            multiset = np.bincount(epoch, minlength=6)
            machine, epoch, length = LiteralMachine(6), [], 2 * length
    assert length == 2**12


def test_doublers_first_arm_has_the_multisets_frequencies():
    """4000 draws; every arm's count is within 4 standard errors."""
    held = np.array([5, 0, 20, 1, 0, 74])
    state = algorithm("doubler").start(6, stream(0))._replace(up_to=np.cumsum(held))
    rng = stream(4)
    drawn = Counter(doubler.choose(state, rng)[0] for _ in range(4000))
    share = held / held.sum()
    for arm in range(6):
        assert abs(drawn[arm] - 4000 * share[arm]) <= 4 * math.sqrt(4000 * share[arm] * (1 - share[arm]))


@pytest.mark.parametrize("n_arms", [2, 3, 8, 37])
def test_ties_are_broken_evenly(n_arms):
    """A fresh machine wants any arm: each count of 200 n draws is within 4 standard errors."""
    machine, rng = ucb.new_machines(1, n_arms, 2.5), stream(5)
    picks = Counter()
    for _ in range(200 * n_arms):
        ucb.reset(machine, 0)
        picks[ucb.pick(machine, 0, rng)] += 1
    assert all(abs(picks[arm] - 200) <= 4 * math.sqrt(200) for arm in range(n_arms))


@pytest.mark.parametrize("name", ["sparring", "multisbm", "doubler"])
def test_a_wider_index_explores_more(name):
    """The most played second arm has a smaller share of duels under a larger alpha."""
    shares = []
    for alpha in (0.5, 10.0):
        seconds = Counter(step.second for step in play(algorithm(name, alpha=alpha), total_order(5, 0.9), 2000, 1))
        shares.append(max(seconds.values()))
    assert shares[0] > shares[1]
