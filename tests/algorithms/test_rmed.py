"""RMED1, RMED2, RMED2FH: the fast form plays the same duels as the rules written down."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.algorithms.skipped_duels import check_leaps
from tests.reference.naive_rmed import NAIVE
from winnerstays.algorithms import algorithm, rmed
from winnerstays.algorithms._shared.counts import kl_half, mean, played
from winnerstays.compiling import COMPILED
from winnerstays.problems import Problem, problem, random_condorcet, total_order
from winnerstays.simulation.experiment import Experiment, run_batch
from winnerstays.testing import play, trace

PROBLEMS = {
    "two arms": total_order(2, 0.6),
    "two almost equal arms": total_order(2, 0.505),
    "three arms": total_order(3, 0.7),
    "cyclic": problem("cyclic"),
    "mslr": problem("mslr"),
    "sushi": problem("sushi"),
    "ten, no order": random_condorcet(10, 0.02, seed=3),
    "certain outcomes": total_order(6, 1.0),
}
STEP_BY_STEP = {name: replace(algorithm(name), certain=slow.certain, leap=slow.leap) for name, slow in NAIVE.items()}
"""Without leaps, so that both forms meet the same luck."""


@pytest.mark.parametrize("name", NAIVE)
@pytest.mark.parametrize("on", PROBLEMS)
def test_same_duels_as_the_rules_written_down(name, on):
    horizon, runs = (5000, 4) if COMPILED else (150, 1)
    experiment = Experiment(PROBLEMS[on], horizon, np.arange(1, horizon + 1), seed=5)
    fast, slow = (run_batch(one, experiment, range(runs)) for one in (STEP_BY_STEP[name], NAIVE[name]))
    assert (fast == slow).all()


@pytest.mark.parametrize("name", NAIVE)
def test_leaps_end_where_single_duels_would(name):
    check_leaps(algorithm(name), 0.9, 400, 5000)


@pytest.mark.parametrize("name", NAIVE)
def test_what_is_kept_equals_what_is_counted(name):
    for step in play(algorithm(name), random_condorcet(7, 0.05, seed=2), 600 if COMPILED else 150, seed=1):
        state, wins = step.state, step.state.wins
        n_arms = len(wins)
        others = [[j for j in range(n_arms) if j != i] for i in range(n_arms)]
        losing = [[j for j in others[i] if mean(wins, i, j) <= 0.5] for i in range(n_arms)]
        exact = [sum(played(wins, i, j) * kl_half(mean(wins, i, j)) for j in losing[i]) for i in range(n_arms)]
        assert np.allclose(state.divergence * rmed.UNIT, exact, atol=1e-8)
        assert state.superiors.tolist() == [len(arms) for arms in losing]
        assert state.divergence[state.favourite] <= state.divergence.min() + rmed.TIE
        waiting = state.divergence[state.lists.status == rmed.WAITING]
        assert state.min_waiting <= waiting.min(initial=rmed.FOREVER)


@pytest.mark.parametrize(
    ("name", "times"), [("rmed1", 1), ("rmed2", 1), ("rmed2fh", math.ceil(3 * math.log(math.log(3000))))]
)
def test_first_every_pair_meets(name, times):
    n_arms = 5
    pairs = [(min(pair[:2]), max(pair[:2])) for pair in trace(algorithm(name), total_order(n_arms), 10 * times)]
    every = [(i, j) for i in range(n_arms) for j in range(i + 1, n_arms)]
    assert sorted(pairs) == sorted(every * times)


@pytest.mark.parametrize("name", NAIVE)
def test_with_certain_outcomes_the_best_soon_meets_only_itself(name):
    duels = trace(algorithm(name), total_order(6, 1.0), 600)
    settled = [tuple(duel[:2]) == (0, 0) for duel in duels]
    assert np.mean(settled[-300:]) > 0.9
    *_, last = play(algorithm(name), total_order(6, 1.0), 600)
    assert last.state.lists.n_current == 1


def test_rmed2_pairs_keep_meeting_ln_ln_t_times():
    *_, last = play(algorithm("rmed2"), total_order(4, 0.9), 3000 if COMPILED else 400, seed=2)
    met = last.state.wins + last.state.wins.T
    least = met[~np.eye(4, dtype=bool)].min()
    assert least == math.ceil(3 * math.log(math.log(last.state.schedule.t + 1)))


def test_a_long_horizon_costs_no_more_than_a_short_one():
    problem = Problem(np.array([[0.5, 0.9, 0.9], [0.1, 0.5, 0.6], [0.1, 0.4, 0.5]]))
    experiment = Experiment(problem, 10**12, np.array([10**12]), seed=1)
    assert run_batch(algorithm("rmed1"), experiment, range(3))[:, 0, 4].max() < 200
