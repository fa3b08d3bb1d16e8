"""WS-W and WS-S against values that do not come from this code.

From ALGORITHMS of the project's specification: exact totals, and the means of independent implementations. Agreement
means within 4 standard errors, ours and theirs together. Plain Python makes the same test with fewer runs.
"""

import math

import pytest

from winnerstays import simulate
from winnerstays.compiling import COMPILED


def runs(number):
    return number if COMPILED else max(20, number // 500)


@pytest.mark.parametrize(
    ("where", "name", "regret", "horizon", "number", "value", "error"),
    [
        ("fifty", "ws-w", "weak-binary", 20_000, 20_000, 107.3, 0.7),
        ("sushi", "ws-w", "weak-binary", 1_000, 20_000, 232.4, 1.9),
        ("sushi", "ws-w", "weak-binary", 10_000, 8_000, 379, 9),
        ("cyclic", "ws-w", "weak-binary", 20_000, 8_000, 46.6499, 0),
        ("mslr", "ws-w", "weak-binary", 20_000, 8_000, 44.9932, 0),
        ("sushi", "ws-s", "strong-average", 100_000, 3_000, 413.4, 2.2),
        ("sushi", "ws-s", "strong-binary", 100_000, 3_000, 13_547, 255),
        ("mslr", "ws-s", "strong-binary", 1_000_000, 2_000, 2889, 19),
    ],
)
def test_mean_regret(where, name, regret, horizon, number, value, error):
    curve = simulate(where, name, horizon=horizon, runs=runs(number), seed=2017, times=[horizon]).curve(name, regret)
    assert abs(curve.mean[-1] - value) < 4 * math.hypot(curve.sem[-1], error)


def test_random_first_challenger_on_fifty():
    """107.6844 in all, from the exact recursion over relative ranks."""
    from winnerstays import algorithm

    one = algorithm("ws-w", first_challenger="random")
    curve = simulate("fifty", one, horizon=20_000, runs=runs(20_000), seed=5, times=[20_000]).curve(
        one.label, "weak-binary"
    )
    assert abs(curve.mean[-1] - 107.6844) < 4 * curve.sem[-1]
