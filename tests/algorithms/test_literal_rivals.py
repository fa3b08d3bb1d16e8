"""Algorithms for which nobody's numbers are at hand, beside a second, literal implementation of each.

Means must agree within 4 combined standard errors, where the regret is far from that of random pairs.
"""

import math

import pytest

from tests.reference.literal_rivals import LITERAL, mean_regret
from winnerstays import simulate
from winnerstays.compiling import COMPILED

EIGHT = "total-order:n_arms=8,p=0.9"
SETTINGS = {
    "doubler": ("mslr", 500, 40), "if1": ("total-order:n_arms=4,p=0.95", 2500, 40), "merge-rucb": (EIGHT, 2000, 30),
    "qsa": ("total-order:n_arms=8,p=0.8,dimension=2", 250, 40), "racing": ("total-order:n_arms=4,p=0.95", 1000, 30),
    "random": ("mslr", 200, 40), "rex3": ("mslr", 400, 50), "self-sparring": ("mslr", 400, 60),
    "versatile": ("mslr", 250, 25), "ws-deficit": ("sushi", 400, 60),
    "dkwt": ("total-order:n_arms=3,p=0.65", 4000, 40), "pocowista": (EIGHT, 500, 40),
}  # fmt: skip
"""Problem, horizon and runs of the literal version."""
MARGIN = 4


if COMPILED:  # plain Python is the same source, and slow

    @pytest.mark.parametrize("name", LITERAL)
    def test_mean_regret_is_that_of_the_literal_version(name):
        where, horizon, runs = SETTINGS[name]
        literal = mean_regret(name, where, horizon, runs, seed=3)
        ours = simulate(where, name, horizon=horizon, runs=400 if name != "qsa" else 40, seed=5, times=[horizon])
        curve = ours.curve(name, "strong-utility")
        error = math.hypot(literal.std(ddof=1) / math.sqrt(runs), float(curve.sem[-1]))
        assert abs(literal.mean() - curve.mean[-1]) <= MARGIN * error + 1e-9, (
            f"{literal.mean():.2f}, ours {curve.mean[-1]:.2f}"
        )


def test_each_has_a_setting():
    assert set(SETTINGS) == set(LITERAL)
