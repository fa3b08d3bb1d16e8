"""Every inequality of docs/proofs/ws-t.md, checked: exactly where it is finite, else along simulated runs."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from tests.reference import naive_ws_t
from winnerstays import algorithm
from winnerstays.algorithms._shared.counts import played
from winnerstays.algorithms.ws_t.state import UNIT
from winnerstays.problems import random_condorcet, total_order
from winnerstays.testing import play

CHANCES = (0.51, 0.55, 0.6, 0.8, 0.95)


def rate(p):
    """c = kl(1/2, p)."""
    return -0.5 * math.log(4 * p * (1 - p))


@pytest.mark.parametrize("p", CHANCES)
def test_step_1_what_luck_against_the_best_arm_can_say(p):
    """E[exp(n kl(share, 1/2)), share < 1/2] <= (n + 1) / 2 exp(-c n), for all n up to 300."""
    for n in range(1, 301):
        wins = np.arange((n + 1) // 2)
        said = n * np.array([naive_ws_t.kl_half(w / n) for w in wins])
        total = float(np.sum(binom.pmf(wins, n, p) * np.exp(said)))
        assert total <= (n + 1) / 2 * math.exp(-rate(p) * n) * (1 + 1e-9)


def ever(p, y, longest):
    """The probability that the evidence against the better arm exceeds y within so many duels, exactly."""
    law, out = {0: 1.0}, 0.0
    for n in range(1, longest + 1):
        after = {}
        for w, chance in law.items():
            for more, q in ((1, p), (0, 1 - p)):
                after[w + more] = after.get(w + more, 0.0) + chance * q
        law = {}
        for w, chance in after.items():
            if 2 * w < n and n * naive_ws_t.kl_half(w / n) > y:
                out += chance
            else:
                law[w] = chance
    return out


@pytest.mark.parametrize("p", [0.6, 0.8])
def test_step_2_the_largest_evidence_ever_has_a_tail_lighter_than_exp_minus_y(p):
    """P(u > y) <= sum over n >= y / ln 2 of (n + 1) / 2 exp(-y - c n)."""
    c = rate(p)
    for y in (1.0, 2.0, 4.0, 6.0):
        first = math.ceil(y / math.log(2))
        bound = sum((n + 1) / 2 * math.exp(-y - c * n) for n in range(first, first + 3000))
        assert ever(p, y, 150) <= bound


def test_shrinking_never_adds_evidence_and_a_case_is_never_below_the_sum():
    """Adding a wins and losses moves a share towards 1/2; V_j >= S_j since less is added in V."""
    for n in range(1, 60):
        for w in range((n + 1) // 2):
            said = [n * naive_ws_t.kl_half((w + a) / (n + 2 * a)) for a in (0.0, 0.25, 1.0)]
            assert said[0] >= said[1] - 1e-12 >= said[2] - 2e-12


@pytest.mark.parametrize("where", [total_order(4, 0.53), random_condorcet(6, seed=3)])
def test_steps_3_to_5_along_runs(where):
    """Step 3: a wrong incumbent meets itself only while 3 t <= exp(V_b - S_z) w_b sqrt(N).
    Step 4: when z != b meets j != b, V_j <= V_b + ln t + ln(N) / 2. Step 5: when b meets j, V_j <= ln(3 t) + S_b.
    Step 6: a third arm meets j only if it leads j or has met it in fewer than four duels, and not if j leads z.
    """
    ours, n_arms = algorithm("ws-t"), where.n_arms
    seen, before = set(), None
    for seed in (0, 1, 36):  # with four arms, in run 36 a wrong incumbent meets itself
        for t, step in enumerate(play(ours, where, 1500, seed=seed), 1):
            state = step.state
            z, j = state.incumbent, state.challenger
            b = int(state.numbering.place[where.best_arm])
            started = before is None or (before.incumbent, before.challenger) != (z, j) or before.ahead == 0
            before = state
            if not started or not math.isfinite(state.case.max()) or (z != b and state.case[b] == -math.inf):
                continue
            s_z = state.against[z] * UNIT
            if state.opponent not in (z, j):
                seen.add(6)
                with_third, with_z = (state.wins[k, j] - state.wins[j, k] for k in (state.opponent, z))
                assert with_third > 0 or (with_third == 0 and played(state.wins, state.opponent, j) < 4)
                assert with_z > 0
            if z == j and z != b:
                seen.add(3)
                most = math.exp(state.case[b] - s_z + state.log_weight[b]) * math.sqrt(n_arms)
                assert 3 * (t - 1) <= most * (1 + 1e-6)
            elif z != b and j not in (b, z) and state.ahead == 0 and state.case[j] > -math.inf:
                seen.add(4)
                assert state.case[j] <= state.case[b] + math.log(t) + math.log(n_arms) / 2 + 1e-6
            elif z == b and j != b and state.ahead == 0 and state.case[j] > -math.inf:
                seen.add(5)
                assert state.case[j] <= math.log(3 * t) + s_z + 1e-6
    assert {4, 5, 6} <= seen
    assert 3 in seen or where.n_arms == 6, "no wrong incumbent met itself; nothing was checked"
