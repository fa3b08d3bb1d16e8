"""D-TS and D-TS+: the fast form has the law of the rules written down; the posteriors are exact."""

from itertools import islice

import numpy as np
import pytest
from scipy import stats

from tests.algorithms.skipped_duels import check_leaps
from tests.reference.naive_dts import NAIVE, lower, naive_state, optimistic
from tests.reference.naive_dts import next_pair as naive_pair
from winnerstays.algorithms import algorithm
from winnerstays.algorithms._shared.counts import no_wins, record
from winnerstays.algorithms._shared.posterior import binomial, even_chances, sample_above_half, tail, update_chance
from winnerstays.algorithms.dts.dts import next_pair, rival, update
from winnerstays.compiling import COMPILED, entry
from winnerstays.problems import problem, random_condorcet, three_types, total_order
from winnerstays.randomness import skip, skipped, stream, uniform
from winnerstays.simulation.experiment import Experiment, run_batch
from winnerstays.testing import play


@pytest.mark.parametrize("p", [0.5, 0.512, 0.7, 0.95])
def test_chance_follows_the_counts(p):
    duels, luck = 4000 if COMPILED else 400, stream(3)
    wins, chance = no_wins(2), even_chances(2)
    for t in range(duels):
        winner = int(uniform(luck) >= p)
        update_chance(chance, wins, winner, 1 - winner)
        record(wins, winner, 1 - winner, True)
        if t % 37 == 0 or t > duels - 3:
            exact = (
                stats.beta.sf(0.5, wins[0, 1] + 1, wins[1, 0] + 1),
                stats.beta.cdf(0.5, wins[0, 1] + 1, wins[1, 0] + 1),
            )
            assert chance[0, 1] == pytest.approx(exact[0], rel=1e-9)
            assert chance[1, 0] == pytest.approx(exact[1], rel=1e-9)


@pytest.mark.parametrize(("n", "k"), [(1, 0), (2, 1), (15, 3), (16, 8), (17, 0), (1000, 480), (10**6, 498_000)])
def test_binomial_probabilities(n, k):
    assert binomial(n, k) == pytest.approx(stats.binom.pmf(k, n, 0.5), rel=1e-9)
    if 2 * k < n:
        assert tail(n, k) == pytest.approx(stats.binom.cdf(k, n, 0.5), rel=1e-9)


@pytest.mark.parametrize(("won", "lost"), [(0, 0), (1, 0), (3, 5), (2, 9), (0, 12), (40, 80), (450, 550)])
def test_samples_above_half_have_the_law_of_the_tail(won, lost):
    rng, size = stream(5), 4000 if COMPILED else 800
    posterior = stats.beta(won + 1, lost + 1)
    chance = posterior.sf(0.5)
    drawn = np.array([sample_above_half(rng, won, lost, chance) for _ in range(size)])
    ranks = posterior.sf(drawn) / chance  # uniform if the law is right
    assert drawn.min() > 0.5
    for moment in (1, 2):
        spread = np.sqrt((1 / (2 * moment + 1) - 1 / (moment + 1) ** 2) / size)
        assert abs((ranks**moment).mean() - 1 / (moment + 1)) < 4 * spread


def test_skipped_numbers_are_those_of_the_stream():
    one, other = stream(4), stream(4)
    start = np.uint64(skip(one, 10))
    assert [skipped(one, start, k) for k in range(10)] == [uniform(other) for _ in range(10)]
    assert uniform(one) == uniform(other)


@pytest.mark.parametrize("on", [total_order(5, 0.9), three_types(2, 0.9), problem("cyclic")], ids=lambda p: p.name)
def test_optimistic_scores_follow_the_counts(on):
    seen = 0
    for step in play(algorithm("dts", alpha=0.1), on, 400, seed=2):  # so small that losses are soon sure, and expire
        state = step.state
        slow = naive_state(state.wins, state.t, alpha=0.1)
        scores = np.array([optimistic(slow, i) for i in range(on.n_arms)])
        assert (state.sure_losses == on.n_arms - 1 - scores).all()
        assert state.candidates[: state.n_candidates].tolist() == np.flatnonzero(scores == scores.max()).tolist()
        assert state.leader in state.candidates[: state.n_candidates]
        seen += state.n_candidates < on.n_arms
    assert seen > 50


@entry
def pairs_of_fast(state, draws, counts, rng):
    for _ in range(draws):
        drawn_pair = next_pair(state, rng)
        counts[drawn_pair.first, drawn_pair.second] += 1


@entry
def duels_in_rows(state, rows, counts, rng):
    """Duels from a state that does not change: rows of self-duels, each with the sample that ends it."""
    for _ in range(rows):
        drawn_pair = next_pair(state, rng)
        counts[drawn_pair.first, drawn_pair.second] += max(drawn_pair.self_duels, 1)
        if drawn_pair.ends_by_sample:
            ended = next_pair(state._replace(self_duels=1, ends_by_sample=True), rng)
            counts[ended.first, ended.second] += 1


@entry
def pairs_of_naive(state, draws, counts, rng):
    for _ in range(draws):
        drawn_pair = naive_pair(state, rng)
        counts[drawn_pair.first, drawn_pair.second] += 1


def after(duels, one, on, seed):
    """The state after some duels, about to decide."""
    step = next(islice(play(one, on, duels + 1, seed=seed), duels, None))
    return step.state._replace(self_duels=0, ends_by_sample=False)


MIDDLES = [
    (total_order(4, 0.7), 0.51, 0, 1),
    (total_order(4, 0.7), 0.51, 25, 1),
    (problem("sushi"), 0.51, 300, 2),
    (problem("sushi"), 0.51, 2000, 3),
    (problem("sushi"), 0.1, 500, 4),
    (total_order(5, 0.95), 0.2, 200, 4),
    (random_condorcet(6, 0.1, seed=4), 0.05, 80, 5),
    (three_types(1, 0.6), 0.05, 300, 6),
]
"""Where runs are looked at: all arms candidates, several, one; few duels and many."""


@pytest.mark.parametrize("name", NAIVE)
@pytest.mark.parametrize(("on", "alpha", "duels", "seed"), MIDDLES)
def test_next_pair_has_the_law_of_the_rules(name, on, alpha, duels, seed):
    duels, draws = (duels, 40_000) if COMPILED else (min(duels, 100), 50)
    state = after(duels, algorithm(name, alpha=alpha), on, seed)
    slow = naive_state(state.wins, state.t, alpha, plus=name == "dts+")
    expected = np.zeros((on.n_arms, on.n_arms))
    pairs_of_naive(slow, draws, expected, stream(seed, 1))
    for leader in {int(state.candidates[0]), int(state.candidates[state.n_candidates - 1]), state.leader}:
        counts = np.zeros((on.n_arms, on.n_arms))
        pairs_of_fast(state._replace(leader=leader), draws, counts, stream(seed, 2))
        error = np.sqrt(counts + expected + 1)
        assert (abs(counts - expected) <= 4 * error).all()


def test_rows_of_self_duels_have_the_law_of_the_rules():
    state = after(120, algorithm("dts"), total_order(4, 0.8), seed=2)._replace(expiry=np.inf)
    rows, draws = (20_000, 100_000) if COMPILED else (150, 150)
    expected, counts = np.zeros((4, 4)), np.zeros((4, 4))
    pairs_of_naive(naive_state(state.wins, state.t), draws, expected, stream(7, 1))
    duels_in_rows(state, rows, counts, stream(7, 2))
    assert counts.sum() > 2 * rows, "the rows are too short to show anything"
    share, right = counts / counts.sum(), expected / draws
    # A share of rows of random length varies no more than one of as many single rows would.
    error = np.sqrt(right * (1 - right) / draws + share * (1 - share) / rows + 1 / draws**2)
    assert (abs(share - right) <= 4 * error).all()


@pytest.mark.parametrize("name", NAIVE)
@pytest.mark.parametrize("on", ["mslr", "three arms", "three types"])
def test_regret_is_that_of_the_rules(name, on):
    problems = {"mslr": problem("mslr"), "three arms": total_order(3, 0.8), "three types": three_types(2, 0.7)}
    horizon, runs = (600, 300) if COMPILED else (40, 10)
    experiment = Experiment(problems[on], horizon, np.array([horizon // 10, horizon]), seed=8)
    fast = run_batch(algorithm(name), experiment, range(runs))
    slow = run_batch(NAIVE[name], experiment, range(runs, 2 * runs))
    error = np.sqrt(fast.var(axis=0, ddof=1) / runs + slow.var(axis=0, ddof=1) / runs)
    assert (abs(fast.mean(axis=0) - slow.mean(axis=0)) <= 4 * error + 1e-9).all()


@pytest.mark.parametrize("name", NAIVE)
def test_leaps_end_where_single_duels_would(name):
    check_leaps(algorithm(name), 0.9, 400, 300)


def test_an_arm_that_surely_wins_is_no_rival():
    state = algorithm("dts").start(3, stream(1))
    for _ in range(60):
        state = update(state, 1, 0, True, stream(2))
    assert all(rival(state, 0, 0.0, stream(seed)) != 1 for seed in range(50))
    assert lower(naive_state(state.wins, 60), 1, 0) > 0.5
