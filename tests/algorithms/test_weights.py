"""Algorithms that draw arms by weight: REX3, Versatile-DB."""

import math
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta as beta_law
from scipy.stats import kstest

from winnerstays import simulate
from winnerstays.algorithms import algorithm, rex3, versatile
from winnerstays.algorithms._shared.sampling import pick_proportional
from winnerstays.compiling import COMPILED
from winnerstays.problems import cyclic, sushi, total_order
from winnerstays.randomness import beta, stream
from winnerstays.testing import play


def state_after(duels, name, problem, **options):
    steps = play(algorithm(name), problem, duels + 1, **options)
    return next(islice(steps, duels, None)).state  # the generator stays here: one more step would change the arrays


def test_pick_proportional():
    """30,000 draws, 4 standard errors."""
    rng, weights, draws = stream(3), np.array([2.0, 0.0, 5.0, 1.0]), 30_000
    drawn = np.bincount([pick_proportional(weights, 8.0, rng) for _ in range(draws)], minlength=4) / draws
    expected = weights / 8
    assert (abs(drawn - expected) <= 4 * np.sqrt(expected * (1 - expected) / draws)).all()


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (1.0, 7.0), (40.0, 3.0)])
def test_beta_numbers_follow_their_law(a, b):
    """Kolmogorov-Smirnov on 10,000 numbers; a correct generator fails with probability 1e-4, the seed is fixed."""
    rng = stream(4)
    assert kstest([beta(rng, a, b) for _ in range(10_000)], beta_law(a, b).cdf).pvalue > 1e-4


def test_rex3_gamma():
    gammas = [rex3.init(16, stream(0), horizon=horizon).gamma for horizon in (10, 10_000)]
    assert gammas == [0.5, math.sqrt(16 * math.log(16) / 10_000)]


def test_rex3_follows_its_formulas():
    n_arms, horizon = 4, 3000
    gamma, log_weights = math.sqrt(4 * math.log(4) / horizon), np.zeros(n_arms)
    for step in play(algorithm("rex3"), cyclic(), 1000, horizon=horizon):
        weights = np.exp(log_weights - log_weights.max())
        p = (1 - gamma) * weights / weights.sum() + gamma / n_arms
        found = [rex3.probability(step.state, arm) for arm in range(n_arms)]
        assert found == pytest.approx(p, rel=1e-9)
        psi = 0 if step.first == step.second else 1 if step.first_won else -1
        log_weights[step.first] += gamma * psi / (2 * n_arms * p[step.first])
        log_weights[step.second] -= gamma * psi / (2 * n_arms * p[step.second])


def test_rex3_draws_by_its_probabilities():
    """30,000 draws, 4 standard errors."""
    rng, state, draws = stream(6), state_after(1500, "rex3", cyclic(), horizon=400), 30_000
    drawn = np.bincount([rex3.draw(state, rng) for _ in range(draws)], minlength=4) / draws
    expected = np.array([rex3.probability(state, arm) for arm in range(4)])
    assert (abs(drawn - expected) <= 4 * np.sqrt(expected * (1 - expected) / draws)).all()


def test_rex3_log_weights_stay_finite():
    """One arm wins every duel, with most exploration: weights leave the range of a float, their logarithms do not."""
    state = state_after(6000, "rex3", total_order(2, 1.0), horizon=4)
    assert state.log_weights[0] > 300 and state.log_weights[1] < -800
    assert np.isfinite(state.log_weights).all() and 0 < state.total < math.inf and state.base > 0
    assert state.weights == pytest.approx(np.exp(state.log_weights - state.base))
    assert state.total == pytest.approx(state.weights.sum())


def weights_by_bisection(losses, t):
    """4 / (eta (L_i - x))^2 with eta = 2 / sqrt(t), x sought by halving."""
    eta = 2 / math.sqrt(t)
    far, near = losses.min() - 4 * math.sqrt(len(losses)) / eta, losses.min()
    for _ in range(200):
        x = (far + near) / 2
        if x < losses.min() and (4 / (eta * (losses - x)) ** 2).sum() < 1:
            far = x
        else:
            near = x
    return 4 / (eta * (losses - far)) ** 2


def player_at(losses, x):
    losses = np.array(losses, dtype=float)
    inverse = 1 / (losses - x)
    return versatile.Player(
        losses, np.zeros(losses.size), float(x), float((inverse**2).sum()), float((inverse**3).sum())
    )


def test_versatile_follows_its_formulas():
    """Both players' weights are those found by bisection, all along a run, and sum to 1."""
    losses = np.zeros((2, 16))
    for t, step in enumerate(play(algorithm("versatile"), sushi(), 400), start=1):
        for player, own in zip((step.state.plus, step.state.minus), losses, strict=True):
            assert abs(player.weights.sum() - 1) <= 1e-12
            assert player.weights == pytest.approx(weights_by_bisection(own, t), rel=1e-9)
        won = float(step.first_won)
        losses[0, step.first] += (1 - won) / step.state.plus.weights[step.first]
        losses[1, step.second] += won / step.state.minus.weights[step.second]


@settings(max_examples=100)
@given(
    n_arms=st.integers(2, 500),
    t=st.integers(1, 10**6),
    spread=st.floats(0, 1e7),
    before=st.floats(1e-3, 1e7),
    seed=st.integers(0, 99),
)
def test_versatile_weights_from_any_start(n_arms, t, spread, before, seed):
    """Whatever the losses and however bad the x to start from, the weights are those found by bisection."""
    losses = np.random.default_rng(seed).uniform(0, spread, n_arms)
    player = versatile.solve(player_at(losses, losses.min() - before), t)
    assert abs(player.weights.sum() - 1) <= 1e-12
    assert player.weights == pytest.approx(weights_by_bisection(losses, t), rel=1e-8, abs=1e-12)


def test_versatile_many_arms_for_long():
    """500 arms; after the run the weights of both players are positive, sum to 1 and equal those found by bisection."""
    problem, duels = total_order(500, 0.8), 20_000 if COMPILED else 300
    state = state_after(duels, "versatile", problem)
    for player in (state.plus, state.minus):
        assert player.weights.min() > 0 and abs(player.weights.sum() - 1) <= 1e-12
        assert player.weights == pytest.approx(weights_by_bisection(player.losses, state.t), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("name", ["rex3", "versatile", "self-sparring"])
def test_strong_regret_flattens(name):
    """The second half of 20,000 duels costs less than half of the first (1,000 duels as plain Python)."""
    horizon, runs = (20_000, 20) if COMPILED else (1000, 5)
    result = simulate(total_order(4, 0.9), name, horizon=horizon, runs=runs, seed=1, times=[horizon // 2, horizon])
    middle, end = result.curve(name, "strong-average").mean
    assert end - middle < 0.5 * middle
