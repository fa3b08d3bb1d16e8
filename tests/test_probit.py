"""Moment matching against numerical integration."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from winnerstays.probit import LOST, NOISE, TIED, WON, chance_of, cholesky, expected_gain, match


def likelihood(difference, outcome, slip):
    if outcome == TIED:
        return np.exp(-0.5 * (difference / NOISE) ** 2)
    sign = 1 if outcome == WON else -1
    return slip / 2 + (1 - slip) * norm.cdf(sign * difference / NOISE)


@pytest.mark.parametrize("outcome", [WON, LOST, TIED])
@pytest.mark.parametrize("mean", [-4.0, 0.0, 0.7, 3.0])
@pytest.mark.parametrize("slip", [0.01, 0.3])
def test_an_answer_leaves_the_exact_mean_and_variance(outcome, mean, slip):
    variance = 2.5
    moments = [
        quad(lambda d, p=p: d**p * norm.pdf(d, mean, variance**0.5) * likelihood(d, outcome, slip), -30, 30)[0]
        for p in range(3)
    ]
    after = moments[1] / moments[0]
    spread = moments[2] / moments[0] - after**2
    found, g, k = match(mean, variance, outcome, slip)
    assert found == pytest.approx(moments[0], rel=1e-6)
    assert mean + variance * g == pytest.approx(after, abs=1e-6)
    if spread <= variance:
        assert variance - variance**2 * k == pytest.approx(spread, abs=1e-6)
    else:
        assert k == 0, "an answer that is probably a slip leaves the variance as it was"


def test_the_chance_of_an_answer_is_its_likelihood():
    assert chance_of(1.2, 0.8, 0.1) == pytest.approx(match(1.2, 0.8, WON, 0.1)[0])
    assert chance_of(0.0, 5.0, 0.1) == 0.5


def test_expected_gain_is_the_mean_of_what_is_above_zero():
    whole = quad(lambda x: x * norm.pdf(x, -0.5, 2.0), 0, 30)[0]
    assert expected_gain(-0.5, 4.0) == pytest.approx(whole, abs=1e-9)


def test_the_root_of_a_covariance():
    numbers = np.random.default_rng(1).normal(size=(6, 4))
    covariance, root = numbers.T @ numbers, np.zeros((4, 4))
    cholesky(covariance, root)
    assert np.allclose(root, np.linalg.cholesky(covariance))
