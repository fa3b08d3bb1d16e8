"""Root Winner Stays against its definition, step by step; what docs/proofs/ws-root.md proves; its table."""

import math

import numpy as np
import pytest

from tests.reference.naive_ws_root import NaiveWsRoot
from winnerstays import algorithm
from winnerstays.algorithms._shared import margins
from winnerstays.algorithms.ws_root.scores import standing
from winnerstays.algorithms.ws_root.state import ACTIVE, PASSES, SCORE, SHOWN, WAITING
from winnerstays.compiling import COMPILED
from winnerstays.problems import problem, random_condorcet, total_order
from winnerstays.randomness import below, stream, uniform

WS_ROOT = algorithm("ws-root")


@pytest.mark.parametrize("seed", range(4))
def test_every_step_is_that_of_the_definition(seed):
    """1500 random steps with open duels, passes, ties, arms that come and go, eligible sets and changing tastes."""
    world, rng = stream(seed, 1), stream(seed, 0)
    state, naive = WS_ROOT.start(6, rng), NaiveWsRoot(6)
    waiting, scratch, cuts = [], np.zeros(12, np.int64), 0
    for t in range(1500):
        n_arms = state.arms.shape[1]
        if t % 40 == 39 and n_arms < 12:
            state = WS_ROOT.serving.join(state, [n_arms], rng)
            naive.join([n_arms])
        elif t % 60 == 7 and len(naive.active) > 3:
            gone = sorted(naive.active)[below(world, len(naive.active))]
            state = WS_ROOT.serving.leave(state, [gone], rng)
            naive.leave([gone])
        elif t % 150 == 70 and len(naive.active) < naive.size:
            back = sorted(set(range(naive.size)) - naive.active)
            state = WS_ROOT.serving.join(state, back, rng)
            naive.join(back)
        eligible = np.array([uniform(world) < 0.7 and arm in naive.active for arm in range(naive.size)], np.int64)
        if t % 2 and eligible.sum() >= 2:
            first, second = WS_ROOT.serving.among(state, eligible, scratch[: naive.size], rng)
            allowed = set(np.flatnonzero(eligible).tolist())
        else:
            first, second = WS_ROOT.choose(state, rng)
            allowed = naive.active
        assert first in naive.candidates(allowed) and second in naive.candidates(allowed, but=first)
        state = WS_ROOT.serving.show(state, first, second)
        naive.show(first, second)
        waiting.append((first, second))
        if len(waiting) > 4:
            first, second = waiting.pop(below(world, len(waiting)))
            what = uniform(world)
            if what < 0.15:
                state = WS_ROOT.serving.pass_(state, first, second)
                naive.pass_(first, second)
            elif what < 0.3:
                state = WS_ROOT.serving.tie(state, first, second)
                naive.answered(first, second)
            else:
                better = (first - second) * (1 if t // 300 % 2 else -1) > 0
                first_won = (uniform(world) < 0.9) == better
                before = naive.won.copy()
                state = WS_ROOT.update(WS_ROOT.reserve(state, 1), first, second, first_won, rng)
                naive.update(first, second, first_won)
                cuts += sum(naive.won[pair] != before[pair] for pair in naive.won) > 2
        assert state.arms[ACTIVE].tolist() == [arm in naive.active for arm in range(naive.size)]
        there = sorted(naive.active)
        assert [state.arms[SCORE, arm] for arm in there] == [naive.score(arm, naive.active) for arm in there]
        for number, counts in ((WAITING, naive.waiting), (PASSES, naive.passes), (SHOWN, naive.shown)):
            assert state.arms[number].tolist() == [counts[arm] for arm in range(naive.size)]
        assert tuple(state[3:7]) == (naive.leader, naive.behind, naive.since, naive.step)
        if t % 100 == 0:
            state = WS_ROOT.load(WS_ROOT.dump(state), WS_ROOT.start(2, stream(0)))[0]
    assert cuts, "no change of tastes was noticed, so cutting leads was not tested"


def test_a_lead_counts_by_its_root_and_a_deficit_in_full():
    """Four arms; 0 beats 1 nine times and 2 four times: 0 has 3 + 2, 1 has -9, 2 has -4, 3 has 0; so 0 meets 3."""
    rng = stream(1)
    state = WS_ROOT.reserve(WS_ROOT.start(4, rng), 20)
    for loser, times in ((1, 9), (2, 4)):
        for _ in range(times):
            state = WS_ROOT.update(state, 0, loser, True, rng)
    assert state.arms[SCORE].tolist() == [5 * 1024, -9 * 1024, -4 * 1024, 0]
    assert WS_ROOT.choose(state, rng) == (0, 3)
    for _ in range(25):  # unanswered, it pays sqrt(25) and falls level with 3, which was shown less
        state = WS_ROOT.serving.show(state, 0, 1)
    assert WS_ROOT.choose(state, rng) == (3, 0)


@pytest.mark.parametrize(
    "where", [total_order(8, 0.7), problem("cyclic"), random_condorcet(7, seed=5)], ids=lambda one: one.name
)
def test_margins_without_the_best_arm_stay_within_their_bound(where):
    """Step 2 of docs/proofs/ws-root.md, M being the sum of the best arm's worst deficits to each other arm."""
    best, n_arms, one = where.best_arm, where.n_arms, WS_ROOT(change=0)
    for seed in range(5):
        rng, luck = stream(seed, 0), stream(seed, 1)
        state, worst = one.reserve(one.start(n_arms, rng), 10**4), np.zeros(n_arms)
        for _ in range(4000 if COMPILED else 400):
            first, second = one.choose(state, rng)
            state = one.update(state, first, second, uniform(luck) < where.preferences[first, second], rng)
            margin = margins.margin(state.table, first, second)
            if best in (first, second):
                other = first + second - best
                worst[other] = max(worst[other], margin if other == first else -margin)
            else:
                assert abs(margin) <= (n_arms - 1) ** 2 + 2 * (worst.sum() + 1)
                assert abs(margin) - 1 <= worst.sum() + (n_arms - 1) * math.sqrt(max(abs(margin), worst.max())) + 0.1


def test_stored_bytes_grow_with_the_pairs_that_met():
    one, rng = WS_ROOT, stream(3)
    state = one.start(10_000, rng)
    fresh = len(one.dump(state))
    assert fresh < 40
    state = one.reserve(state, 300)
    for arm in range(1, 101):
        state = one.update(state, 0, 100 * arm - 1, True, rng)
    assert len(one.dump(state)) < fresh + 100 * 10
    dense = len(one.dump(one.serving.leave(state, range(5000, 10_000), rng)))
    assert dense < fresh + 100 * 10 + 10_000


def test_a_table_of_margins():
    """Every pair of 60 arms has its own key, from which the arms are found again; margins are antisymmetric."""
    pairs = [(high, low) for high in range(60) for low in range(high)]
    keys = [margins.key_of(low, high) for high, low in pairs]
    assert sorted(keys) == list(range(1, len(pairs) + 1))
    assert [(margins.higher_of(key), margins.lower_of(key, margins.higher_of(key))) for key in keys] == pairs
    for high in (10**5, 10**6):
        for low in (0, high - 1):
            key = margins.key_of(high, low)
            assert (margins.higher_of(key), margins.lower_of(key, high)) == (high, low)
    table, met = margins.empty_table(0), 0
    for high, low in pairs:
        table = margins.with_room(table, met, met + 1)
        met += margins.set_margin(table, low, high, high - 2 * low)
        assert margins.margin(table, high, low) == 2 * low - high
    assert met == len(pairs) and table.shape[1] >= 2 * met
    found, values = margins.sorted_pairs(table)
    assert found.tolist() == [key for key, (high, low) in enumerate(pairs, 1) if high != 2 * low]
    assert values.tolist() == [2 * low - high for high, low in pairs if high != 2 * low]


def test_priors_raise_those_who_have_them_and_nobody_else():
    """Whatever the order of the arms: the two shown have the highest scores, priors included."""
    one, luck = WS_ROOT, np.random.default_rng(5)
    for run in range(40):
        rng = stream(9, run)
        prior = [(arm, int(luck.integers(1, 4000))) for arm in range(8) if luck.random() < 0.5]
        state = one.serving.believe(one.start(8, rng), prior)
        for _ in range(30):
            first, second = one.choose(state, rng)
            worth = [standing(state, arm) for arm in range(8)]
            assert {worth[first], worth[second]} == set(sorted(worth)[-2:])
            state = one.update(one.reserve(state, 1), first, second, bool(luck.random() < 0.5), rng)
