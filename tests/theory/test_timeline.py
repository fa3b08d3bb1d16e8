"""Finite horizons: rational golden values, and Algorithm 1 taken literally on its scores."""

from collections import defaultdict
from fractions import Fraction

import pytest

from tests.reference.timeline import timeline
from winnerstays import WinnerstaysError
from winnerstays.problems import cyclic, mslr, total_order
from winnerstays.theory.expected import expected_regret
from winnerstays.theory.monte_carlo import estimate


def literal(problem, horizon):
    """Expected cumulative weak regret of Algorithm 1 with its scores and its rules for ties, by forward propagation."""
    n = problem.n_arms
    p = [[Fraction(float(x)).limit_denominator(1000) for x in row] for row in problem.preferences]

    def choices(score, previous):
        def leaders(arms):
            top = max(score[arm] for arm in arms)
            tied = [arm for arm in arms if score[arm] == top]
            return next(([arm] for arm in previous if arm in tied), tied)

        firsts = leaders(range(n))
        for first in firsts:
            seconds = leaders([arm for arm in range(n) if arm != first])
            for second in seconds:
                yield first, second, Fraction(1, len(firsts) * len(seconds))

    states, total, curve = {((0,) * n, ()): Fraction(1)}, Fraction(0), []
    for _ in range(horizon):
        later = defaultdict(Fraction)
        for (score, previous), chance in states.items():
            for first, second, share in choices(score, previous):
                total += chance * share * (problem.winner not in (first, second))
                for winner, loser in ((first, second), (second, first)):
                    new = list(score)
                    new[winner] += 1
                    new[loser] -= 1
                    later[tuple(new), (first, second)] += chance * share * p[winner][loser]
        states = later
        curve.append(total)
    return curve


def test_rational_reference_values():
    third = timeline(total_order(3, 0.8), 8, fractions=True).weak_binary
    assert [str(value) for value in third] == [
        "1/3", "7/15", "3/5", "263/375", "1448/1875", "2587/3125", "40723/46875", "42257/46875",
    ]  # fmt: skip
    fourth = timeline(cyclic(), 6, fractions=True).weak_binary
    assert [str(value) for value in fourth] == ["1/2", "19/20", "69/50", "447/250", "2733/1250", "3221/1250"]


def test_reference_values_at_30():
    assert timeline(total_order(3, 0.8), 30).weak_binary[-1] == pytest.approx(1.0283798146, abs=5e-11)
    assert timeline(cyclic(), 30).weak_binary[-1] == pytest.approx(10.1142543087, abs=5e-11)


@pytest.mark.parametrize("problem", [total_order(2, 0.6), total_order(3, 0.7), cyclic(), mslr()])
def test_equals_algorithm_1_on_its_scores(problem):
    assert timeline(problem, 9, fractions=True).weak_binary == literal(problem, 9)


def test_long_horizon_reaches_infinite_total():
    for rule in ("literal", "random"):
        problem = total_order(3, 0.9)
        late = timeline(problem, 60, rule=rule).weak_binary[-1]
        assert late == pytest.approx(expected_regret(problem, rule=rule, tolerance=1e-10).total.weak_binary, abs=1e-7)


def test_exploitation_follows_round_one():
    """N = 2: round 1 is one duel, then floor(beta) self-duels of its winner, which is wrong with probability 0.3."""
    found = timeline(total_order(2, 0.7), 4, beta=3.0, fractions=True)
    assert [str(value) for value in found.strong_binary] == ["1", "13/10", "8/5", "19/10"]
    assert [str(value) for value in found.weak_binary] == ["0", "3/10", "3/5", "9/10"]


def test_bad_input():
    with pytest.raises(WinnerstaysError, match="horizon is 0"):
        timeline(cyclic(), 0)
    with pytest.raises(WinnerstaysError, match="rule is 'figure'"):
        timeline(cyclic(), 3, rule="figure")


def test_too_many_states(monkeypatch):
    monkeypatch.setattr("tests.reference.timeline.MAX_STATES", 100)
    with pytest.raises(WinnerstaysError, match="more than 100; ask for a horizon of at most"):
        timeline(mslr(), 30)


def test_names_and_bad_values():
    assert timeline("cyclic", 3) == timeline(cyclic(), 3)
    assert estimate("cyclic", rounds=2, runs=50).total == estimate(cyclic(), rounds=2, runs=50).total
    for horizon in (0, 2.5, "x", 10**9):
        with pytest.raises(WinnerstaysError, match=f"The horizon is {horizon}"):
            timeline("cyclic", horizon)
    with pytest.raises(WinnerstaysError, match=r"rounds is 2\.5"):
        expected_regret("cyclic", rounds=2.5)
