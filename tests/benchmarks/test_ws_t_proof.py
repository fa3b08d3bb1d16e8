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


def test_shrinking_never_adds_evidence():
    """Adding wins and losses moves a share towards 1/2, so S_b <= U."""
    for n in range(1, 60):
        for w in range((n + 1) // 2):
            said = [n * naive_ws_t.kl_half((w + a) / (n + 2 * a)) for a in (0.0, 0.5, 1.0)]
            assert said[0] >= said[1] - 1e-12 >= said[2] - 2e-12


@pytest.mark.parametrize("where", [total_order(4, 0.53), random_condorcet(6, seed=3)])
def test_steps_3_and_4_along_runs(where):
    """Step 3: a wrong incumbent meets itself only while 3 t <= exp(S_b) n_bz sqrt(N).
    Step 4: j is met only if S_j <= S_b + ln(3 t).
    Step 5: a third arm meets j only if it leads j or has met it in fewer than four duels, and not if j leads z.
    """
    ours, n_arms = algorithm("ws-t"), where.n_arms
    seen = set()
    for seed in range(3):
        for t, step in enumerate(play(ours, where, 1500, seed=seed), 1):
            state = step.state
            z, j = state.incumbent, state.challenger
            b = int(state.numbering.place[where.best_arm])
            if z != j and state.ahead != 0:
                continue
            s_b = state.against[b] * UNIT
            if state.opponent not in (z, j):
                seen.add(5)
                with_third, with_z = (state.wins[k, j] - state.wins[j, k] for k in (state.opponent, z))
                assert with_third > 0 or (with_third == 0 and played(state.wins, state.opponent, j) < 4)
                assert with_z > 0
            if z == j and z != b:
                seen.add(3)
                assert 3 * (t - 1) <= math.exp(s_b) * max(played(state.wins, b, z), 1) * math.sqrt(n_arms) * (1 + 1e-6)
            elif z != j:
                seen.add(4)
                assert state.against[j] * UNIT <= s_b + math.log(3 * t) + 1e-6
    assert {4, 5} <= seen
    assert 3 in seen or where.n_arms == 6, "no wrong incumbent met itself; nothing was checked"


@pytest.mark.parametrize("p", [0.55, 0.8])
def test_step_2_duels_of_a_pair_whose_meetings_all_start_early(p):
    """If z beats j and no meeting starts after n* duels, they meet at most max(nu, 2 (n* + 1) / (2p - 1)) times."""
    for seed in range(200):
        lead = np.cumsum(np.where(np.random.default_rng(seed).random(20_000) < p, 1, -1))
        late = np.flatnonzero(lead < np.arange(1, lead.size + 1) * (2 * p - 1) / 2)
        nu = late[-1] + 1 if late.size else 0
        for latest in (5, 50, 500):
            duels = 0
            while duels <= latest:
                start = lead[duels - 1] if duels else 0
                duels += int(np.argmax(lead[duels:] == start + 1)) + 1
            assert duels <= max(nu, 2 * (latest + 1) / (2 * p - 1)) + 1
