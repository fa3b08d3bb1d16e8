"""The gambler's ruin formulas against independent arithmetic."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from winnerstays.theory.ruin import expected_length, loss_probability, win_probability


def solved(x, height):
    """P(win) and expected length from the linear equations of the walk on 0..height+1."""
    size = height
    moves = np.eye(size) - np.diag(np.full(size - 1, x), 1) - np.diag(np.full(size - 1, 1 - x), -1)
    ends = np.zeros(size)
    ends[-1] = x
    return np.linalg.solve(moves, ends)[-1], np.linalg.solve(moves, np.ones(size))[-1]


def in_decimals(x, height):
    """The closed forms with 80 digits, from the exact binary value of x."""
    with localcontext() as context:
        context.prec = 80
        context.Emin, context.Emax = -(10**15), 10**15
        x = Decimal(x)
        ratio = (1 - x) / x
        lost = ratio**height * (1 - ratio) / (1 - ratio ** (height + 1))
        return lost, (1 - (height + 1) * lost) / (2 * x - 1)


@pytest.mark.parametrize(
    ("x", "height", "win", "duels"),
    [
        (0.6, 1, 0.6, 1.0),
        (0.6, 2, 0.789474, 1.842105),
        (0.6, 5, 0.951880, 3.556391),
        (0.4, 5, 0.634586, 5.962406),
        (0.2, 51, 0.25, 63.3333),
        (0.5, 7, 0.875, 7.0),
    ],
)
def test_reference_values(x, height, win, duels):
    assert win_probability(x, height) == pytest.approx(win, abs=5e-7)
    assert expected_length(x, height) == pytest.approx(duels, abs=5e-5)


@pytest.mark.parametrize("x", [0.0, 0.1, 0.35, 0.4999, 0.5, 0.5 + 1e-12, 0.51, 0.8, 1.0])
@pytest.mark.parametrize("height", [1, 2, 7, 30])
def test_equals_solution_of_linear_equations(x, height):
    win, duels = solved(x, height)
    assert win_probability(x, height) == pytest.approx(win, rel=1e-9, abs=1e-12)
    assert expected_length(x, height) == pytest.approx(duels, rel=1e-9)


@pytest.mark.parametrize("p", [0.5 + 1e-9, 0.5001, 0.501, 0.512, 0.6, 0.75, 0.99, 0.9999])
@pytest.mark.parametrize("height", [1, 2, 10, 1000, 10**6])
@pytest.mark.parametrize("incumbent_better", [True, False])
def test_stable_for_all_probabilities_and_heights(p, height, incumbent_better):
    """To 1e-11 of their size, from nearly fair to nearly certain and from 1 to a million above ruin."""
    x = p if incumbent_better else 1 - p
    lost, duels = in_decimals(x, height)
    assert expected_length(x, height) == pytest.approx(float(duels), rel=1e-11)
    assert loss_probability(x, height) == pytest.approx(float(lost), rel=1e-8, abs=1e-300)
    assert win_probability(x, height) == pytest.approx(float(1 - lost), rel=1e-11)


def test_lengths_stay_below_height_over_probability():
    """The inequality behind the certified remainder: length <= E / max(x, 1-x)."""
    for x in np.linspace(0.001, 0.999, 333):
        for height in (1, 2, 3, 10, 100, 10_000):
            assert expected_length(x, height) <= height / max(x, 1 - x) * (1 + 1e-12)
