"""Our regrets beside values that do not come from this code (tests/reference/measured_elsewhere.py), with fixed seeds.

Agreement means within 4 standard errors, ours and theirs together. All whose precision is known agree; the farthest are
RUCB on sushi from the mean of a Java implementation, 2.9, and D-TS, 2. Of those whose precision is not known it is said
which agree. Compiled only: plain Python plays the same duels (tests/algorithms/test_contract.py).
"""

import math

import numpy as np
import pytest

from tests.reference.exact_btw import btw_weak_regret, btwr_weak_regret, queue_positions, queues
from tests.reference.measured_elsewhere import (
    AT_1E5,
    BEAT_THE_WINNER,
    DISAGREEING,
    EXACT,
    LITERAL_NUMPY,
    MARGIN,
    SINGLE,
    SPARRING_ON_CYCLIC,
    WEAK_FAMILY,
    compare,
    curve,
)
from tests.reference.naive_btw import weak_regret
from winnerstays import problem


@pytest.mark.parametrize("given", [pytest.param(g, marks=() if g.quick else pytest.mark.slow) for g in SINGLE], ids=str)
def test_mean_regret(given):
    ours = compare(given)
    assert abs(ours.away) <= MARGIN, f"{ours.mean:.1f} +- {ours.sem:.1f}, published {given.value} +- {ours.error:.1f}"


@pytest.mark.slow
def test_sparring_on_the_cyclic_problem_is_as_in_the_seed_papers_figure():
    """No standard error can be had for a value read off a figure; its reading error is a few percent, taken as 5."""
    assert abs(compare(SPARRING_ON_CYCLIC).mean - SPARRING_ON_CYCLIC.value) <= SPARRING_ON_CYCLIC.error


@pytest.mark.slow
def test_which_values_of_untold_precision_agree():
    """DISAGREEING and the verdicts in docs/algorithms.md are neither better nor worse than the truth."""
    assert {(given.problem, given.name) for given in WEAK_FAMILY if not compare(given).agrees} == DISAGREEING


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(given, marks=pytest.mark.slow if given.problem == "mslr" else ())
        for given in BEAT_THE_WINNER
        if given.source == EXACT
    ],
    ids=str,
)
def test_exact_regrets_are_those_of_the_recursion(given):
    places = queue_positions(50, 0.8) if given.problem == "fifty" else queues(problem(given.problem).preferences)
    exact = {"btw": btw_weak_regret, "btwr": btwr_weak_regret}[given.name](places, given.horizon)
    assert exact[-1] == pytest.approx(given.value, abs=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("given", [given for given in BEAT_THE_WINNER if given.source == LITERAL_NUMPY], ids=str)
def test_literal_regrets_are_those_of_the_literal_version(given):
    """2000 runs with another seed."""
    regret = weak_regret(given.problem, given.name, given.horizon, runs=2000, seed=1)
    error = math.hypot(regret.std(ddof=1) / math.sqrt(regret.size), given.error)
    assert abs(np.mean(regret) - given.value) <= MARGIN * error


@pytest.mark.slow
@pytest.mark.parametrize("name", ["btm", "if2", "savage"])
def test_those_values_are_for_the_horizon_at_which_they_were_read(name):
    """Told to plan for 1000000 duels, the three are far above at 100000: the reference runs knew they had 100000."""
    given = next(one for one in AT_1E5 if one.name == name)
    ours = curve("sushi", name, (), given.regret, 10**6, given.runs, given.seed, at=given.horizon)
    assert ours.mean[-1] - given.value > 3 * math.hypot(given.error, ours.sem[-1])


@pytest.mark.slow
def test_pruning_makes_if2_better_than_if1():
    one, two = (curve("sushi", name, (), "strong-average", 10**5, 400, 1) for name in ("if1", "if2"))
    assert one.mean[-1] - two.mean[-1] > 3 * math.hypot(one.sem[-1], two.sem[-1])
