"""Exact values behind Lemmas 2, 4, 5 and 11, checked by other ways to the same numbers."""

import itertools
import math

import pytest

from winnerstays.problems import cyclic, mslr, three_types, total_order
from winnerstays.theory import bounds
from winnerstays.theory.expected import expected_regret
from winnerstays.theory.lemma_values import most_until_better_loses, most_worse_incumbents, weak_terms


@pytest.mark.parametrize("problem", [cyclic(), mslr(), total_order(3, 0.8), three_types(1, 0.9)])
def test_terms_cover_all_weak_regret(problem):
    """Weak regret needs Dbar = 1 or V = 1, so the terms summed over k are at least the weak regret of the round."""
    rounds = expected_regret(problem, rounds=6, tolerance=1.0).rounds
    for terms, one in zip(weak_terms(problem), rounds, strict=False):
        most = (problem.n_arms - 1) * (terms.wrong_better + terms.fallen_better)
        assert one.weak_binary <= most + terms.wrong_worse + terms.fallen_worse + 1e-12


def test_terms_by_hand():
    """Two arms: the only duel of round 1 has the best arm as incumbent, so nothing is wrong or fallen before it ends.

    Round 2 starts wrong with 1 - p; then the worse arm is incumbent, 3 above ruin.
    """
    first, second = itertools.islice(weak_terms(total_order(2, 0.8)), 2)
    assert first[1:] == (0, 0, 0, 0)
    # incumbent wins with 0.2: R = 4, P(stay) = (4^3 - 1)/(4^4 - 1), length = (P(stay) - 3 P(fall)) / (0.2 - 0.8)
    stay = (4**3 - 1) / (4**4 - 1)
    assert second.wrong_worse == pytest.approx(0.2 * (stay - 3 * (1 - stay)) / (0.2 - 0.8))
    assert second.wrong_better == second.fallen_better == second.fallen_worse == 0


def test_worse_incumbents_to_come_by_hand():
    """Two arms, p = 1: from a wrong incumbent exactly one worse incumbent is still to come."""
    assert most_worse_incumbents(total_order(2, 1.0), 8) == pytest.approx(1)
    assert most_until_better_loses(total_order(2, 1.0), 8) == 0  # a wrong incumbent never begins a round
    # three arms, p = 1: the worst is incumbent and meets the second best first, which then meets the best
    assert most_worse_incumbents(total_order(3, 1.0), 8) == pytest.approx(2)


@pytest.mark.parametrize("rule", ["literal", "random"])
@pytest.mark.parametrize("problem", [total_order(3, 0.7), total_order(4, 0.99), mslr()])
def test_lemmas_2_and_11_bound_what_they_should(problem, rule):
    total = expected_regret(problem, rule=rule).total.worse_incumbents
    most = most_worse_incumbents(problem, 40, rule)
    assert total <= most <= bounds.worse_incumbents_printed(problem.n_arms, problem.p)
    star = bounds.worse_incumbent_loses(problem.p)
    assert most_until_better_loses(problem, 40, rule) <= (math.log(problem.n_arms) + 1) / star**2
