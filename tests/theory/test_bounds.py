"""Every bound against exact values on random problems, and the printed ones that fail."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.reference.timeline import timeline
from tests.theory.test_expected import problems
from winnerstays import WinnerstaysError
from winnerstays.compiling import COMPILED
from winnerstays.problems import Problem, cyclic, three_types, total_order
from winnerstays.theory import bounds
from winnerstays.theory.bounds_table import theorems
from winnerstays.theory.expected import expected_regret
from winnerstays.theory.ruin import expected_length, loss_probability, win_probability

MANY = settings(max_examples=300 if COMPILED else 15)
SLACK = 1e-9


@MANY
@given(problems(), st.sampled_from(["literal", "random"]))
def test_weak_regret_is_below_every_theorem(problem, rule):
    total = expected_regret(problem, rule=rule, tolerance=1e-4).total
    loss = float(problem.utilities.max() - problem.utilities.min())
    proved = theorems(
        problem.n_arms, problem.p, p1=problem.p1, totally_ordered=problem.totally_ordered, utility_range=loss
    )
    assert all(bound.holds for bound in proved)
    for bound in proved:
        if bound.value is not None and bound.name != "lower bound (ours)":
            value = total.weak_utility if bound.regret == "weak utility" else total.weak_binary
            assert value <= bound.value + SLACK, bound.name
    assert any(bound.value is None for bound in proved) == (not problem.totally_ordered)


@MANY
@given(problems(), st.sampled_from(["literal", "random"]))
def test_lemmas_hold(problem, rule):
    """Lemma 2 as corrected, the tail that Lemma 3 is used for, and Lemma 1 for every pair."""
    found = expected_regret(problem, rule=rule, tolerance=1e-4)
    if problem.totally_ordered:
        assert found.total.worse_incumbents <= bounds.worse_incumbents_corrected(problem.n_arms, problem.p) + SLACK
    for one in found.rounds:
        sharp = bounds.wrong_winner_sharp(problem.n_arms, one.round, problem.p1)
        assert one.wrong_winner <= sharp + SLACK <= bounds.wrong_winner(one.round, problem.p1) + 2 * SLACK
        if one.round > 1:  # a worse incumbent in round l means L >= l
            most = (problem.n_arms - 1) * bounds.last_worse_round_corrected(one.round, problem.p1)
            assert one.worse_incumbents <= most + SLACK


@MANY
@given(
    st.integers(2, 60), st.integers(1, 200), st.floats(0.5001, 0.9999), st.floats(0.0, 0.9), st.data()
)  # fmt: skip
def test_iterations_hold_lemma_1_and_win_bounds(n_arms, l, p, closer_to_one, data):
    k = data.draw(st.integers(1, n_arms - 1))
    x, height = p + closer_to_one * (0.9999 - p), n_arms * (l - 1) + k
    assert expected_length(x, height) <= bounds.iteration_length(n_arms, l, k, p, worse_incumbent=False) * (1 + SLACK)
    assert expected_length(1 - x, height) <= bounds.iteration_length(n_arms, l, k, p, worse_incumbent=True) * (
        1 + SLACK
    )
    assert max(expected_length(x, height), expected_length(1 - x, height)) <= height / p * (1 + SLACK)
    assert loss_probability(x, height) <= ((1 - p) / p) ** height * (1 + SLACK)  # Lemma 8
    assert 1 - win_probability(1 - x, height) >= bounds.worse_incumbent_loses(p) * (1 - SLACK)


@MANY
@given(problems(), st.integers(1, 40), st.floats(0.05, 0.95))
def test_strong_regret_at_round_ends(problem, rounds, how_large):
    """Theorems 3 and 4 in rounds, for any beta that the theory allows."""
    beta = 1 + how_large * (min(bounds.largest_beta(problem.p1), 3.0) - 1)
    found = expected_regret(problem, "ws-s", beta=beta, rounds=rounds, tolerance=1.0)
    ordered = problem.totally_ordered
    most = bounds.strong_in_rounds(problem.n_arms, problem.p, rounds, beta, p1=problem.p1, totally_ordered=ordered)
    assert found.total.strong_binary <= most + SLACK


@pytest.mark.parametrize("problem", [cyclic(), total_order(3, 0.7)])
@pytest.mark.parametrize("beta", [1.1, 1.4])
def test_strong_regret_at_short_horizons(problem, beta):
    horizon = 30
    curve = timeline(problem, horizon, beta=beta).strong_binary
    for t in (1, 5, horizon):
        assert curve[t - 1] <= bounds.theorem_4_corrected(problem.n_arms, problem.p, t, beta)
        assert curve[t - 1] <= bounds.theorem_4_improved(problem.n_arms, problem.p, problem.p1, t, beta)
        if problem.totally_ordered:
            assert curve[t - 1] <= bounds.theorem_3_corrected(problem.n_arms, problem.p, t, beta)


@pytest.mark.parametrize(("n_arms", "p"), [(10, 0.7), (20, 0.8)] if COMPILED else [(6, 0.8)])
def test_lemma_3_as_printed_is_false(n_arms, p):
    """A wrong winner of round 1 means a worse incumbent in a later round, so P(L >= 2) >= P(Z(1) wrong) (S1)."""
    wrong = expected_regret(total_order(n_arms, p), rule="random", rounds=1, tolerance=1.0).rounds[0].wrong_winner
    assert bounds.last_worse_round_printed(2, p) < wrong <= bounds.last_worse_round_corrected(2, p)


def test_theorem_4_as_printed_breaks_even_its_own_theorem_2():
    """The start-up that both share has power 3 in Theorem 2 and 2 in Theorem 4 (S3)."""
    rounds = bounds.rounds_printed(1e6, 1.1)
    printed = bounds.theorem_4_printed(10, 0.6, 1e6, 1.1) - 10 * rounds / 0.2
    assert printed == pytest.approx(100 * 0.6 / 0.2**2)
    right = bounds.theorem_4_corrected(10, 0.6, 1e6, 1.1) - 10 * bounds.rounds_corrected(1e6, 1.1) / 0.2
    assert right == pytest.approx(bounds.theorem_2_printed(10, 0.6) - 10 / 0.2**2)


def test_rounds_by_the_horizon():
    """At T = 10, beta = 1.1, the printed logarithm allows no round, though round 1 begins with duel 1 (S4)."""
    assert bounds.rounds_printed(10, 1.1) == pytest.approx(0, abs=1e-12)
    for beta in (1.01, 1.1, 1.5, 3.0):
        begun, end = 1, 1 + int(beta)  # the shortest rounds there are: N = 2, one duel of exploration
        for t in range(1, 400):
            if t > end:
                begun += 1
                end += 1 + int(beta**begun)
            assert begun <= bounds.rounds_corrected(t, beta) + 1e-9


@pytest.mark.parametrize(
    ("setting", "horizon", "beta", "false"),
    [
        ((4, 0.6, False), 3, 1.1, {"Theorem 4, printed"}),
        ((4, 0.6, False), 4, 1.1, set()),
        ((50, 0.8, True), 10, 1.01, {"Theorem 3, printed", "Theorem 4, printed"}),
    ],
)
def test_printed_theorems_are_called_false_where_every_run_has_more_regret(setting, horizon, beta, false):
    n_arms, p, ordered = setting
    rows = theorems(n_arms, p, totally_ordered=ordered, horizon=horizon, beta=beta)
    assert {row.name for row in rows if row.holds is False} == false
    assert all(row.note.startswith("false: every run has") == (row.holds is False) for row in rows)


def test_every_run_has_the_least_strong_regret():
    """The luckiest run: the incumbent wins every duel, here because the best arm always wins and starts."""
    for n_arms, beta in ((2, 1.5), (4, 1.1), (3, 2.0)):
        curve = timeline(total_order(n_arms, 0.7), 40, beta=beta).strong_binary
        for t in (1, 2, 5, 17, 40):
            assert bounds.least_strong_regret(n_arms, t, beta) <= curve[t - 1] + 1e-9
    certain = timeline(total_order(2, 1.0), 12, beta=1.5).strong_binary  # two arms: rounds of 1, 1, 1, ... duels
    found = [bounds.least_strong_regret(2, t, 1.5) for t in range(1, 13)]
    assert found == pytest.approx([1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4]) and certain[0] == 1
    assert bounds.most_rounds(2, 12, 1.5) == 4 and bounds.most_rounds(2, 10, 1.5) == 4


def test_reference_values():
    assert bounds.theorem_1_printed(50, 0.8) == pytest.approx(5529, abs=0.5)
    assert bounds.theorem_2_printed(50, 0.8) == pytest.approx(9398, abs=0.5)
    assert bounds.largest_beta(0.512) == pytest.approx(1.049, abs=5e-4)
    assert bounds.largest_beta(0.510) == pytest.approx(1.041, abs=5e-4)
    assert bounds.largest_beta(0.535) == pytest.approx(1.151, abs=5e-4)


@pytest.mark.parametrize("p", [0.5001, 0.6, 0.8, 0.9999, 1.0])
def test_g_is_its_closed_form_and_below_its_bound(p):
    for better, unplayed in ((0, 3), (1, 1), (2, 7), (10, 10), (25, 40)):
        closed = bounds.g_closed(better, p)
        assert bounds.g_recursive(better, unplayed, p) == pytest.approx(closed, rel=1e-10)
        assert closed <= bounds.g_bound(better, p) * (1 + SLACK)


@MANY
@given(problems(), st.integers(1, 5), st.data())
def test_h_is_below_g(problem, l, data):
    """Worse incumbents in the rest of a round, from any incumbent and any unplayed set, in total orders."""
    assume(problem.totally_ordered)
    arms = set(range(problem.n_arms))
    incumbent = data.draw(st.sampled_from(sorted(arms)))
    unplayed = frozenset(data.draw(st.sets(st.sampled_from(sorted(arms - {incumbent})))))
    better = sum(problem.preferences[arm, incumbent] > 0.5 for arm in unplayed)
    assert bounds.h_exact(problem, l, incumbent, unplayed) <= bounds.g_closed(better, problem.p) + SLACK


@pytest.mark.parametrize("problem", [cyclic(), total_order(5, 0.7), total_order(2, 0.55), three_types(1, 0.9)])
def test_wrong_winner_is_known_in_closed_form(problem):
    """Where the best arm beats all others equally often."""
    for one in expected_regret(problem, rounds=12, tolerance=1.0).rounds:
        assert one.wrong_winner == pytest.approx(
            bounds.wrong_winner_sharp(problem.n_arms, one.round, problem.p1), rel=1e-9
        )


def test_gap_free_bound_is_smaller_than_theorem_2():
    for n_arms in (3, 10, 100):
        for p1 in (0.51, 0.6, 0.75):
            assert bounds.weak_without_gaps(n_arms, p1, p1) < bounds.theorem_2_improved(n_arms, p1, p1)


def test_gap_free_bound_allows_ties():
    preferences = np.full((5, 5), 0.5)
    preferences[0, 1:], preferences[1:, 0] = 0.6, 0.4
    total = expected_regret(Problem(preferences), ties=True).total.weak_binary
    assert 0 < total <= bounds.weak_without_gaps(5, 0.6)


def test_everything_is_finite_near_a_tie():
    for bound in theorems(1000, 0.5001, horizon=1e12, beta=1.0001, utility_range=5.0):
        assert bound.value is not None and math.isfinite(bound.value) and bound.value > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.theorem_1_printed(5, 0.5), "p is 0.5, but the bounds need"),
        (lambda: bounds.theorem_2_printed(1, 0.6), "arms is 1"),
        (lambda: bounds.theorem_3_corrected(5, 0.51, 100, 1.1), r"beta is 1.1.*p/\(1-p\) = 1.041"),
        (lambda: bounds.theorem_4_corrected(5, 0.6, 100, 1.0), "beta is 1.0, but it must be above 1"),
        (lambda: bounds.theorem_4_corrected(5, 0.6, 0, 1.1), "horizon is 0"),
        (lambda: theorems(5, 0.6, p1=0.55), "p1 is 0.55"),
        (lambda: bounds.g_recursive(3, 2, 0.6), "0 <= b <= m"),
        (lambda: bounds.in_utility(1.0, -1.0), "range of utilities is -1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(WinnerstaysError, match=message):
        call()
