"""The fast confidence-bound algorithms play the duels of the printed ones, or have the same law where they sample."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import betainc

from tests.reference.naive_ucb import NaiveMergeRucb, naive_ccb, naive_rcs, naive_rucb, rcs_champion
from winnerstays.algorithms import algorithm, rcs
from winnerstays.algorithms._shared import confidence
from winnerstays.algorithms.ccb.decisions import decision
from winnerstays.compiling import COMPILED
from winnerstays.problems import Problem, problem, three_types, total_order
from winnerstays.problems.chances import chance
from winnerstays.randomness import stream, uniform
from winnerstays.simulation.experiment import Experiment, run_batch
from winnerstays.testing import play, trace

EXACT = [("rucb", naive_rucb), ("ccb", naive_ccb)]


def anything(seed):
    """Preferences in which, as a rule, no arm beats all others."""
    rng = np.random.default_rng(seed)
    edge = np.triu(rng.uniform(-0.45, 0.45, (6, 6)), 1)
    return Problem(0.5 + edge - edge.T)


PROBLEMS = {
    "two arms": total_order(2, 0.7),
    "cyclic": problem("cyclic"),
    "sushi": problem("sushi"),
    "almost certain": total_order(5, 0.99),
    "always": total_order(4, 1.0),
    "all equal": Problem(np.full((5, 5), 0.5)),
    "three types": three_types(3, 0.9),
    "no winner 1": anything(1),
    "no winner 2": anything(2),
    "no winner 3": anything(3),
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize(("fast", "printed"), EXACT, ids=[fast for fast, _ in EXACT])
def test_same_duels_as_printed(fast, printed, name):
    for seed in range(3 if COMPILED else 1):
        duels = 2000 if COMPILED else 150
        assert trace(algorithm(fast), PROBLEMS[name], duels, seed) == trace(printed, PROBLEMS[name], duels, seed)


@pytest.mark.parametrize("name", ["mslr", "sushi", "fifty"])
@pytest.mark.parametrize(("fast", "printed"), EXACT, ids=[fast for fast, _ in EXACT])
def test_same_regret_as_printed(fast, printed, name):
    """Over longer runs; duels that are certain are played here, because leaping over them saves the world's luck."""
    horizon = {"mslr": 50_000, "sushi": 20_000, "fifty": 6_000}[name] if COMPILED else 60
    experiment = Experiment(problem(name), horizon, np.array([horizon // 2, horizon]), 5)
    steps = replace(algorithm(fast), name=f"{fast} step by step", certain=printed.certain)
    np.testing.assert_array_equal(run_batch(steps, experiment, [0, 1]), run_batch(printed, experiment, [0, 1]))


def test_alpha_and_unvisited_are_used():
    """`unvisited` below any other bound leaves new pairs for last, so other duels are played."""
    duels = [trace(algorithm("rucb", **given), problem("sushi")) for given in ({}, {"alpha": 1.0}, {"unvisited": 0.6})]
    assert duels[0] != duels[1] and duels[0] != duels[2]


def test_bounds_after_one_duel():
    """Arm 0 beats arm 1 once: at t = 2, U[0, 1] = 1 + sqrt(.51 ln 2) = 1.5946 and U[1, 0] = 0.5946."""
    root = math.sqrt(confidence.budget_at(0.51, 2))
    assert confidence.upper(1, 0, root, 2.0) == pytest.approx(1.5946, abs=1e-4)
    assert confidence.upper(0, 1, root, 2.0) == pytest.approx(0.5946, abs=1e-4)
    assert confidence.upper(0, 0, root, 2.0) == 2.0


@pytest.mark.parametrize("amount", [0.0, 0.1, 0.51 * math.log(2), 1.0, 5.0, 0.51 * math.log(10**12)])
def test_first_time_is_first(amount):
    t = confidence.first_time(0.51, amount)
    assert confidence.budget_at(0.51, t) >= amount
    assert t == 1 or confidence.budget_at(0.51, t - 1) < amount


def test_decided_exactly_when_the_bound_is_below_half():
    for won in range(30):
        for lost in range(30):
            if won + lost > 0:
                for t in (1, 2, 17, 4000, 10**6):
                    bound = lost / (won + lost) + math.sqrt(0.51 * math.log(t) / (won + lost))
                    assert confidence.beats(won, lost, confidence.budget_at(0.51, t)) == (bound < 0.5)


@pytest.mark.parametrize("fast", ["rucb", "ccb", "rcs"])
def test_exploitation_is_leapt_over(fast):
    """After a million duels against clearly worse arms the best one meets itself, and knows for how long."""
    if COMPILED:
        one = algorithm(fast)
        experiment = Experiment(total_order(4, 0.95), 10**12, np.array([10**12]), 1)
        assert run_batch(one, experiment, [0])[0, 0, 1] < 1000
    *_, last = play(algorithm(fast), total_order(3, 0.95), 1500, seed=2)
    assert any(step.first == step.second == 0 for step in play(algorithm(fast), total_order(3, 0.95), 1500, seed=2))
    assert algorithm(fast).best(last.state) == 0


def test_ccb_scores_are_those_of_the_counts():
    """The scores kept up to date equal those counted anew, and hypotheses are never about decided wins."""
    for step in play(algorithm("ccb"), anything(4), 3000 if COMPILED else 300, seed=3):
        state = step.state
        budget = confidence.budget_at(state.alpha, state.t)
        decided = np.array([[decision(state.tally, i, j, budget) for j in range(6)] for i in range(6)])
        np.testing.assert_array_equal(state.won, (decided > 0).sum(axis=1))
        np.testing.assert_array_equal(state.lost, (decided < 0).sum(axis=1))
        np.testing.assert_array_equal(state.n_superiors, state.superiors.sum(axis=1))
        np.testing.assert_array_equal(state.n_open, (state.superiors & (decided == 0)).sum(axis=1))
        assert not (state.superiors & (decided > 0)).any()


def test_ccb_finds_a_copeland_winner():
    """Without a Condorcet winner: arm 0 beats three of four others, nobody else beats more than two."""
    beats = {(0, 1), (0, 2), (0, 3), (4, 0), (1, 2), (1, 4), (2, 3), (2, 4), (3, 1), (3, 4)}
    preferences = [[0.5 if i == j else 0.9 if (i, j) in beats else 0.1 for j in range(5)] for i in range(5)]
    for seed in range(5):
        *_, last = play(algorithm("ccb"), Problem(preferences), 3000, seed)
        assert algorithm("ccb").best(last.state) == 0


def test_rcs_chances_are_those_of_the_posterior():
    *_, last = play(algorithm("rcs"), problem("sushi"), 5000 if COMPILED else 1000, seed=1)
    wins, losses = last.state.tally[:, :, 0], last.state.tally[:, :, 1]
    np.testing.assert_allclose(last.state.chance, 1 - betainc(wins + 1, losses + 1, 0.5), atol=1e-12)


@pytest.mark.parametrize("duels", [0, 30, 400])
def test_rcs_champion_has_the_law_of_the_whole_tournament(duels):
    """How often each arm, or nobody, is champion: lazily from each of three starts, and by N^2/2 beta samples."""
    *_, last = play(algorithm("rcs"), total_order(5, 0.65), duels + 1, seed=6)
    wins, samples = np.ascontiguousarray(last.state.tally[:, :, 0]), 20_000 if COMPILED else 1000
    rng, marked = stream(3), np.zeros(5, np.bool_)
    whole = np.zeros(6)
    for _ in range(samples):
        whole[int(np.argmax(marked)) if rcs_champion(wins, marked, rng) else 5] += 1 / samples
    for start in (0, 2, 4):
        lazy = np.zeros(6)
        for _ in range(samples):
            lazy[rcs.sampled_champion(last.state.chance, start, 0.0, rng)] += 1 / samples
        error = np.sqrt((whole * (1 - whole) + lazy * (1 - lazy)) / samples)
        assert (abs(whole - lazy) <= 4 * error).all()


def test_rcs_draws_a_winning_streak_as_if_tournament_by_tournament():
    """How long the champion stays, and who follows it, drawn at once and one by one; a limit of 5 cuts both."""
    *_, last = play(algorithm("rcs"), total_order(4, 0.8), 15, seed=6)
    chance, rng, samples = last.state.chance, stream(3), 20_000 if COMPILED else 2000
    arm = algorithm("rcs").best(last.state)
    at_once, one_by_one = np.zeros((6, 5)), np.zeros((6, 5))
    for _ in range(samples):
        length, min_luck = rcs.winning_streak(chance, arm, 5, rng)
        at_once[length, rcs.sampled_champion(chance, arm, min_luck, rng) if length < 5 else arm] += 1 / samples
        length, champion = 0, rcs.sampled_champion(chance, arm, 0.0, rng)
        while champion == arm and length < 5:
            length, champion = length + 1, rcs.sampled_champion(chance, arm, 0.0, rng)
        one_by_one[length, champion if length < 5 else arm] += 1 / samples
    error = np.sqrt((at_once * (1 - at_once) + one_by_one * (1 - one_by_one)) / samples)
    assert at_once[0].sum() > 0.1 and at_once[5].sum() > 0.1
    assert (abs(at_once - one_by_one) <= 4 * error).all()


@pytest.mark.parametrize("name", ["cyclic", "sushi", "total-order:n_arms=4,p=0.9"])
def test_rcs_has_the_regret_of_the_printed_rule(name):
    horizon, runs = (2000, 200) if COMPILED else (40, 8)
    experiment = Experiment(problem(name), horizon, np.array([horizon // 4, horizon]), 9)
    lazy, whole = (run_batch(one, experiment, range(runs)) for one in (algorithm("rcs"), naive_rcs))
    error = np.sqrt((lazy.var(axis=0, ddof=1) + whole.var(axis=0, ddof=1)) / runs)
    assert (abs(lazy.mean(axis=0) - whole.mean(axis=0)) <= 4 * error).all()


MERGING: list[tuple[Problem, dict[str, float]]] = [
    (total_order(2, 0.99), {}),
    (total_order(7, 0.95), {"batch_size": 2}),
    (problem("cyclic"), {"batch_size": 3, "alpha": 0.7}),
    (problem("sushi"), {}),
    (total_order(37, 0.999), {}),
    (total_order(37, 0.999), {"batch_size": 5, "epsilon": 0.5}),
]


@pytest.mark.parametrize("case", range(len(MERGING)))
def test_merge_rucb_plays_the_printed_duels(case):
    where, params = MERGING[case]
    rng, luck = stream(4, 0), stream(4, 1)
    printed, duels = NaiveMergeRucb(where.n_arms, rng, **params), []
    for _ in range(3000 if COMPILED else 1000):
        first, second = printed.choose()
        first_won = bool(uniform(luck) < chance(where.chances, first, second))
        duels.append([int(first), int(second), int(first_won)])
        printed.update(first, second, first_won)
    assert trace(algorithm("merge-rucb", **params), where, len(duels), 4) == duels


def test_merge_rucb_keeps_the_best_of_many_arms():
    """100 arms: the best one is left alone after 20,000 duels, and most pairs never met."""
    *_, last = play(algorithm("merge-rucb"), total_order(100, 1.0), 20_000, seed=1)
    assert last.state.survivors == 1 and last.first == last.second == 0
    assert (last.state.tally.sum(axis=2) > 0).sum() < 100 * 99 / 4


def test_merge_rucb_survives_alpha_near_one_half():
    """C is 10^7000 there; only its logarithm is ever used."""
    assert len(trace(algorithm("merge-rucb", alpha=0.5005), problem("mslr"))) > 0


def test_random_pairs_are_uniform():
    """Each of the 12 ordered pairs of 4 arms, within 4 standard errors of 1/12."""
    duels = 12_000 if COMPILED else 3000
    seen = np.zeros((4, 4))
    for first, second, _ in trace(algorithm("random"), total_order(4, 0.8), duels):
        seen[first, second] += 1 / duels
    assert np.trace(seen) == 0
    error = math.sqrt(1 / 12 * 11 / 12 / duels)
    assert (abs(seen[~np.eye(4, dtype=bool)] - 1 / 12) <= 4 * error).all()


def test_random_favourite_has_the_highest_score():
    for step in play(algorithm("random"), total_order(5, 0.6), 300, seed=2):
        assert step.state.score[step.state.favourite] == step.state.score.max()
