"""WS-S: WS-W's rounds, and exploitation phases of exactly floor(beta**l) self-duels between them."""

import math
from fractions import Fraction

import numpy as np
import pytest

from winnerstays import WinnerstaysError, algorithm, problem, simulate
from winnerstays.algorithms import ws_s
from winnerstays.problems import total_order
from winnerstays.randomness import stream
from winnerstays.testing import play


@pytest.mark.parametrize("beta", [1.1, 1.5, 2.0])
def test_exploration_is_ws_w_and_exploitation_is_the_round_winner(beta):
    """Leaving out the self-duels gives WS-W's duels under the same outcomes; each phase has floor(beta**l) of them."""
    where = problem("cyclic")
    walk = algorithm("ws-w")
    rng = stream(3, 0)
    state = walk.start(where.n_arms, rng)
    phases: dict[int, int] = {}
    for step in play(algorithm("ws-s", beta=beta), where, 3000, seed=3):
        if step.first == step.second:
            finished = step.state.walk.round - 1
            phases[finished] = phases.get(finished, 0) + 1
            assert step.first == state.incumbent
        else:
            assert (step.first, step.second) == walk.choose(state, rng)
            state = walk.update(state, step.first, step.second, step.first_won, rng)
    *whole, _ = sorted(phases)
    assert len(whole) > 5
    assert [phases[l] for l in whole] == [math.floor(Fraction(str(beta)) ** l) for l in whole]


def test_the_first_twenty_phases_by_hand():
    phases = [ws_s.phase(1.1, l) for l in range(1, 21)]
    assert phases == [1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6]
    assert sum(phases) == 54


@pytest.mark.parametrize("beta", [1.01, 1.05, 1.1, 1.2, 1.5, 2.0, 3.0, 10.0])
def test_phases_are_exact_floors_up_to_ten_to_the_twelve(beta):
    """Compared with exact rational powers of the number that beta is in binary."""
    l = 1
    while (exact := Fraction(beta) ** l) < 10**12:
        assert ws_s.phase(beta, l) == math.floor(exact)
        l += 1


def test_phases_never_overflow():
    assert ws_s.phase(1e308, 5) == ws_s.FOREVER
    assert ws_s.phase(1.1, 10**6) == ws_s.FOREVER


def test_a_horizon_of_ten_to_the_twelve():
    """Leaping over certain duels makes 10^12 of them cheap, and regret stays whole numbers there."""
    result = simulate("mslr", "ws-s", horizon=10**12, runs=3, seed=1)
    curve = result.curve("ws-s", "strong-binary")
    assert curve.t[-1] == 10**12
    assert np.all(curve.values == np.floor(curve.values))
    assert np.all(np.diff(curve.values, axis=1) >= 0)
    assert curve.mean[-1] < 10**6


def test_two_arms():
    result = simulate(total_order(2, 0.8), "ws-s", horizon=2000, runs=10, seed=1)
    assert result.curve("ws-s", "weak-binary").mean[-1] < 100


@pytest.mark.parametrize("beta", [1.0, 0.5, -2, math.inf, math.nan, "much"])
def test_bad_beta_is_refused(beta):
    with pytest.raises(WinnerstaysError, match=f"ws-s: beta is {beta}, but it must be a finite number above 1"):
        algorithm("ws-s", beta=beta)
