"""Regret by the definitions, cell by cell."""

import numpy as np
import pytest

from winnerstays import REGRETS, Problem, problem
from winnerstays.problems import linear_utilities
from winnerstays.simulation.regret import add_duels, arm_losses, no_duels, regret_of_duel, write_regrets

PROBLEMS = [
    problem("mslr"),
    problem("cyclic"),
    linear_utilities(6, 3, seed=2),
    Problem(problem("sushi").preferences[::-1, ::-1]),
]


@pytest.mark.parametrize("one", PROBLEMS, ids=lambda one: one.name)
def test_definitions(one):
    b, u, preferences = one.best_arm, one.utilities, one.preferences
    for i in range(one.n_arms):
        for j in range(one.n_arms):
            assert regret_of_duel(one, i, j) == pytest.approx(
                {
                    "weak-binary": float(b not in (i, j)),
                    "strong-binary": float((i, j) != (b, b)),
                    "weak-utility": u[b] - max(u[i], u[j]),
                    "strong-utility": u[b] - (u[i] + u[j]) / 2,
                    "strong-average": (preferences[b, i] - 0.5 + preferences[b, j] - 0.5) / 2,
                }
            )


def test_the_papers_strong_utility_regret_is_twice_the_average():
    for i, j in [(0, 1), (3, 4), (2, 2)]:
        cost = regret_of_duel(problem("mslr"), i, j)
        assert cost["strong-utility"] == pytest.approx(2 * cost["strong-average"])


def test_many_duels_are_charged_at_once():
    losses, tally, total = arm_losses(problem("mslr")), no_duels(5), np.zeros(len(REGRETS))
    add_duels(tally, losses, 1, 2, 1000)
    write_regrets(tally, losses, total)
    once = regret_of_duel(problem("mslr"), 1, 2)
    assert total.tolist() == pytest.approx([1000 * once[name] for name in REGRETS])
