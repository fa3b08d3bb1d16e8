"""Regret by the definitions, cell by cell."""

import numpy as np
import pytest

from winnerstays import Problem, WinnerstaysError, problem, registered, simulate
from winnerstays.problems import linear_utilities
from winnerstays.regret_names import ALL_REGRETS, COPELAND_REGRETS
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
                | of_copeland_and_borda(preferences, i, j)
            )


def of_copeland_and_borda(preferences, i, j):
    n_arms = len(preferences)
    copeland = [
        (sum(p > 0.5 for p in row) + (sum(p == 0.5 for p in row) - 1) / 2) / (n_arms - 1) for row in preferences
    ]
    borda = [(sum(row) - 0.5) / (n_arms - 1) for row in preferences]
    return {
        f"{kind}-{name}": value
        for name, scores in (("copeland", copeland), ("borda", borda))
        for kind, value in (
            ("weak", float(max(scores[i], scores[j]) < max(scores) - 1e-9)),
            ("strong", max(scores) - (scores[i] + scores[j]) / 2),
        )
    }


CIRCLE = Problem([[0.5, 0.9, 0.4, 0.9], [0.1, 0.5, 0.6, 0.9], [0.6, 0.4, 0.5, 0.9], [0.1, 0.1, 0.1, 0.5]])
"""Three arms beat each other in a circle, and all of them the fourth; Borda prefers the first."""


def test_without_a_condorcet_winner():
    for i in range(4):
        for j in range(4):
            cost = regret_of_duel(CIRCLE, i, j)
            assert cost == pytest.approx(of_copeland_and_borda(CIRCLE.preferences, i, j))
            assert cost["weak-copeland"] == (i == j == 3) and cost["weak-borda"] == (0 not in (i, j))


@pytest.mark.parametrize("name", registered())
def test_every_algorithm_plays_where_nobody_beats_everybody(name):
    if "features" in registered()[name].needs:
        return
    result = simulate(CIRCLE, name, horizon=200, runs=1, seed=3)
    assert result.regrets == COPELAND_REGRETS
    played = {regret: result.curve(name, regret).mean[-1] for regret in COPELAND_REGRETS}
    assert 0 <= played["weak-copeland"] <= 200 and 0 <= played["strong-borda"] < 200


@pytest.mark.slow
def test_those_who_promise_a_copeland_winner_show_one():
    """CCB's cumulative regret in its second half is less than a fifth of what random pairs pay; seed fixed."""
    result = simulate(CIRCLE, ["ccb", "random"], horizon=20_000, runs=10, seed=1, times=[10_000, 20_000])
    late = {name: np.diff(result.curve(name, "strong-copeland").mean)[0] for name in ("ccb", "random")}
    assert late["ccb"] < late["random"] / 5


def test_a_regret_that_is_not_defined_gets_a_sentence():
    with pytest.raises(WinnerstaysError, match="so weak-binary regret is not defined; weak-copeland, strong-copeland"):
        simulate(CIRCLE, "ws-w", horizon=10, runs=1, regrets="weak-binary")
    both = simulate("mslr", "ws-w", horizon=500, runs=3, regrets=["weak-binary", "weak-copeland"])
    assert np.array_equal(both.records[0][:, :, 0], both.records[0][:, :, 1])


@pytest.mark.parametrize(
    "one", [*PROBLEMS, CIRCLE, problem("total-order:n_arms=7"), Problem.from_strengths([3, 1, 1, 0], "logit")]
)
def test_scores_are_those_of_the_matrix(one):
    matrix = Problem(one.preferences)
    assert one.copeland_scores == pytest.approx(matrix.copeland_scores)
    assert one.borda_scores == pytest.approx(matrix.borda_scores)


def test_the_papers_strong_utility_regret_is_twice_the_average():
    for i, j in [(0, 1), (3, 4), (2, 2)]:
        cost = regret_of_duel(problem("mslr"), i, j)
        assert cost["strong-utility"] == pytest.approx(2 * cost["strong-average"])


def test_many_duels_are_charged_at_once():
    losses, tally, total = arm_losses(problem("mslr")), no_duels(5), np.zeros(len(ALL_REGRETS))
    add_duels(tally, losses, 1, 2, 1000)
    write_regrets(tally, losses, total)
    once = regret_of_duel(problem("mslr"), 1, 2)
    assert total.tolist() == pytest.approx([1000 * once[name] for name in ALL_REGRETS])
