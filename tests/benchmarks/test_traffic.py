"""Learners under traffic: what was measured before is measured again, and the loop is that of the simulator."""

import numpy as np
import pytest

from benchmarks._traffic import Traffic, weak_regrets
from winnerstays import WinnerstaysError, algorithm, simulate
from winnerstays.compiling import COMPILED
from winnerstays.problems import total_order

FIFTY = total_order(50, 0.8)
RUNS, DUELS = (40, 10_000) if COMPILED else (3, 300)


def measured(name, traffic, runs=RUNS):
    found = weak_regrets(algorithm(name), FIFTY, traffic, DUELS, range(runs), seed=7)
    return found.mean(), found.std(ddof=1) / np.sqrt(runs)


if COMPILED:  # 400,000 duels take minutes in plain Python; the other tests play there, too

    @pytest.mark.parametrize(
        ("name", "traffic", "mean", "error"),
        [
            ("ws-root", Traffic(), 90, 6),
            ("ws-root", Traffic(open_duels=20), 150, 8),
            ("ws-root", Traffic(open_duels=100), 374, 12),
            ("ws-root", Traffic(retire_every=500), 705, 17),
            ("ws-root", Traffic(start=25, join_every=400), 41, 4),
            ("ws-root", Traffic(eligible=0.5), 442, 16),
            ("ws-root", Traffic(drift_every=2000), 1015, 24),
            ("ws-root", Traffic(unanswered=0.5, open_duels=20), 320, 23),
            ("ws-w", Traffic(open_duels=20), 836, 40),
        ],
    )
    def test_regret_is_what_the_prototype_measured(name, traffic, mean, error):
        """Within 4 standard errors of both; the prototype is another program with other random numbers."""
        found, spread = measured(name, traffic)
        assert abs(found - mean) < 4 * np.hypot(spread, error)


@pytest.mark.parametrize("name", ["ws-w", "ws-root"])
def test_one_open_duel_is_the_simulator(name):
    """With one open duel, the mean weak regret is that of `simulate`, within 4 standard errors."""
    mine, error = measured(name, Traffic())
    curve = simulate(FIFTY, name, horizon=DUELS, runs=RUNS, seed=3).curve(name, "weak-binary")
    assert abs(mine - curve.mean[-1]) < 4 * np.hypot(error, curve.sem[-1])


@pytest.mark.parametrize(("good", "margin"), [(0.5, 1.5), (0.0, 2.0)])
def test_none_of_the_two_may_count_against_both(good, margin):
    """Where people say none of the two to what is bad it does not matter; said by chance it must not do harm either."""
    found = {
        how: measured("ws-root", Traffic(nones=0.2 if good == 0.0 else 1.0, good=good, nones_teach=how))[0]
        for how in ("nothing", "losses")
    }
    assert found["losses"] != found["nothing"]
    assert found["losses"] < margin * found["nothing"]


def test_a_run_is_named_by_its_number():
    traffic = Traffic(open_duels=7, any_order=True, eligible=0.8, start=10, join_every=20, retire_every=70)
    one = weak_regrets(algorithm("ws-root"), FIFTY, traffic, 300, range(4))
    assert one[2:].tolist() == weak_regrets(algorithm("ws-root"), FIFTY, traffic, 300, [2, 3]).tolist()
    assert len(set(one.tolist())) > 1


def test_arms_that_are_fixed_cannot_come_and_go():
    with pytest.raises(WinnerstaysError, match="rucb has a fixed number of arms: no item can leave"):
        weak_regrets(algorithm("rucb"), FIFTY, Traffic(retire_every=5), 20, [0])
