"""WS-W against Algorithm 1: the same law, its invariants, and exact values."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.reference import algorithm_1 as oracle
from winnerstays import algorithm, problem, simulate
from winnerstays.algorithms import ws_w
from winnerstays.compiling import COMPILED
from winnerstays.problems import random_condorcet, total_order
from winnerstays.randomness import stream, uniform
from winnerstays.testing import play

WS_W = algorithm("ws-w")
MATRICES = [
    total_order(2, 0.7),
    total_order(3, 0.6),
    total_order(7, 0.75),
    random_condorcet(6, seed=3),
    problem("cyclic"),
]


@pytest.mark.parametrize("where", MATRICES, ids=lambda one: f"{one.name}-{one.n_arms}")
@pytest.mark.parametrize("seed", range(4))
def test_every_duel_is_one_algorithm_1_may_choose(where, seed):
    """Duel by duel, given the same history, the pair is in the support of Algorithm 1's choice, ties included."""
    scores, previous = [0] * where.n_arms, None
    for step in play(WS_W, where, 800, seed):
        allowed = oracle.supports(scores, previous)
        assert step.second in allowed[step.first]
        assert ws_w.scores(step.state).tolist() == scores
        winner, loser = (step.first, step.second) if step.first_won else (step.second, step.first)
        oracle.duel(scores, winner, loser)
        previous = step.first, step.second


def test_same_law_as_algorithm_1():
    """Mean weak regret of 3,000 runs of the oracle and of WS-W agree within 4 standard errors."""
    where, horizon, runs = random_condorcet(5, seed=9), 60, 3000
    weak = np.array(
        [
            sum(where.best_arm not in pair for pair in oracle.play(where.preferences.tolist(), horizon, seed))
            for seed in range(runs)
        ]
    )
    mine = simulate(where, "ws-w", horizon=horizon, runs=runs if COMPILED else 600, seed=5).curve("ws-w", "weak-binary")
    error = np.hypot(weak.std(ddof=1) / np.sqrt(runs), mine.sem[-1])
    assert abs(weak.mean() - mine.mean[-1]) < 4 * error


@pytest.mark.parametrize("first_challenger", ["literal", "random"])
@pytest.mark.parametrize("where", MATRICES, ids=lambda one: f"{one.name}-{one.n_arms}")
def test_invariants_of_rounds_and_iterations(where, first_challenger):
    n_arms, last, length = where.n_arms, None, 0
    losers: list[int] = []
    for step in play(WS_W(first_challenger=first_challenger), where, 4000, seed=1):
        state, scores = step.state, ws_w.scores(step.state)
        assert scores.sum() == 0
        assert scores.min() >= -state.round
        here = (state.round, state.iteration)
        if last is not None and here != last[0]:
            before, incumbent, challenger = last
            ruin = n_arms * (before[0] - 1) + before[1]
            stayed = state.incumbent == incumbent
            assert length >= (1 if stayed else ruin) and (length - (1 if stayed else ruin)) % 2 == 0
            losers.append(challenger if stayed else incumbent)
            if before == (1, 1):
                assert length == 1
            if here[0] == before[0]:
                assert here[1] == before[1] + 1
                assert state.challenger not in losers
            else:
                assert before[1] == n_arms - 1 and here == (before[0] + 1, 1)
                assert sorted([*losers, state.incumbent]) == list(range(n_arms))
                expected = np.full(n_arms, -before[0])
                expected[state.incumbent] = (n_arms - 1) * before[0]
                assert scores.tolist() == expected.tolist()
                if first_challenger == "literal":
                    assert state.challenger == losers[-1]
                losers = []
            length = 0
        if length == 0:
            k, l = state.iteration, state.round
            assert scores[state.incumbent] == (n_arms - 1) * (l - 1) + k - 1
            assert scores[state.challenger] == -(l - 1)
        assert {step.first, step.second} == {state.incumbent, state.challenger}
        last, length = (here, state.incumbent, state.challenger), length + 1
    assert last[0][0] >= 3


def test_new_challengers_are_uniform():
    """Chi-squared of first and later challengers against the uniform law, below the 99.99 % quantile of 3 df."""
    runs = 4000
    for rule in ("literal", "random"):
        counts, firsts = np.zeros(4), np.zeros(4)
        for seed in range(runs):
            rng = stream(seed)
            state = ws_w.init(5, rng, first_challenger=rule)
            base = state.incumbent
            counts[(state.challenger - base) % 5 - 1] += 1
            state = ws_w.next_iteration(state._replace(iteration=4), True, rng)
            firsts[(state.challenger - base) % 5 - 1] += 1
        for seen in (counts, firsts):
            assert ((seen - runs / 4) ** 2 / (runs / 4)).sum() < 21.1


def first_state(first, second, rest):
    """The state before the first duel, of that pair."""
    fresh = ws_w.init(2 + len(rest), stream(0), first_challenger="literal")
    return fresh._replace(others=np.array([second, *rest]), first=first, second=second)


def test_a_trace_by_hand():
    """N=3, the better arm always wins, first pair (3, 2): the first challenger of later rounds alternates."""
    rng, state = stream(0), first_state(2, 1, [0])
    seen = []
    for _ in range(7):
        first, second = ws_w.choose(state, rng)
        seen.append((int(first) + 1, int(second) + 1))
        state = ws_w.update(state, first, second, first < second, rng)
    assert seen == [(3, 2), (2, 1), (1, 2), (1, 2), (1, 3), (1, 3), (1, 2)]
    assert ws_w.scores(state).tolist() == [6, -3, -3]


def stream_that_draws(share):
    """A stream whose next number is that one: SplitMix64 backwards."""
    z, size = int(share * 2**53) << 11, 2**64
    z ^= z >> 31 ^ z >> 62
    z = z * pow(0x94D049BB133111EB, -1, size) % size
    z ^= z >> 27 ^ z >> 54
    z = z * pow(0xBF58476D1CE4E5B9, -1, size) % size
    z ^= z >> 30 ^ z >> 60
    return np.array([(z - 1) % size, 1], np.uint64)


def test_a_stream_draws_what_it_is_made_for():
    for share in (0.0, 0.125, 1 / 3, 0.75, 0.999):
        assert uniform(stream_that_draws(share)) == pytest.approx(share, abs=2**-52)


def every_update(make_state, first, second, won):
    """Each state that an update can lead to, with its probability: it draws a challenger once or not at all."""
    before, rng = make_state(), stream_that_draws(0.0)
    unused = rng.copy()
    after = ws_w.update(make_state(), first, second, won, rng)
    if (rng == unused).all():
        return [(Fraction(1), after)]
    waiting = before.others.size - before.iteration
    return [
        (Fraction(1, waiting), ws_w.update(make_state(), first, second, won, stream_that_draws((k + 0.5) / waiting)))
        for k in range(waiting)
    ]


def exact_weak_regret(chances, horizon, number=Fraction):
    """Expected cumulative binary weak regret (best arm 0) by propagating the law of the state: no sampling."""
    n_arms = len(chances)

    def canonical(state):
        """Arms not yet played are drawn uniformly and beaten ones are not looked at: their order does not matter."""
        others, k = [int(arm) for arm in state.others], state.iteration
        last = n_arms - 1 if k == n_arms - 1 else k
        key = (*sorted(others[: k - 1]), others[k - 1], *sorted(others[k:last]), *sorted(others[last:]))
        return key, int(state.first), int(state.second), *map(int, state[3:8]), bool(state.overtaken)

    starts = [
        (Fraction(1, n_arms * (n_arms - 1)), first, second)
        for first, second in product(range(n_arms), repeat=2)
        if first != second
    ]
    law: dict = {}
    for weight, first, second in starts:
        rest = [arm for arm in range(n_arms) if arm not in (first, second)]
        key = canonical(first_state(first, second, rest))
        law[key] = law.get(key, 0) + number(weight)
    total, totals = number(0), []
    for _ in range(horizon):
        after: dict = {}
        for (others, first, second, *progress), weight in law.items():
            if 0 not in (first, second):
                total += weight
            for won in (True, False):
                chance = chances[first][second] if won else 1 - chances[first][second]

                def make_state(others=others, first=first, second=second, progress=progress):
                    return ws_w.State(np.array(others), first, second, *progress, random_first=False)

                for share, state in every_update(make_state, first, second, won):
                    key = canonical(state)
                    after[key] = after.get(key, 0) + weight * number(chance) * number(share)
        law = after
        totals.append(total)
    assert abs(sum(law.values()) - 1) < 1e-9
    return totals


def order_of_three():
    p = Fraction(4, 5)
    return [[Fraction(1, 2) if i == j else p if i < j else 1 - p for j in range(3)] for i in range(3)]


def cyclic():
    return [[Fraction(round(1000 * value), 1000) for value in row] for row in problem("cyclic").preferences]


def test_exact_rational_regret_of_three_arms():
    expected = ["1/3", "7/15", "3/5", "263/375", "1448/1875", "2587/3125", "40723/46875", "42257/46875"]
    assert exact_weak_regret(order_of_three(), 8) == [Fraction(text) for text in expected]


def test_exact_rational_regret_of_the_cyclic_problem():
    expected = ["1/2", "19/20", "69/50", "447/250", "2733/1250", "3221/1250"]
    assert exact_weak_regret(cyclic(), 6) == [Fraction(text) for text in expected]


@pytest.mark.parametrize(
    ("chances", "value"), [(order_of_three(), 1.0283798146), (cyclic(), 10.1142543087)], ids=["three", "cyclic"]
)
def test_exact_regret_at_thirty_duels(chances, value):
    assert exact_weak_regret(chances, 30, number=float)[-1] == pytest.approx(value, abs=1e-9)


def test_two_arms_never_regret_and_round_l_ends_at_margin_l():
    for step in play(WS_W, total_order(2, 0.6), 500, seed=2):
        assert {step.first, step.second} == {0, 1}
        assert abs(ws_w.scores(step.state)[0]) <= step.state.round


def test_a_hundred_thousand_arms():
    n_arms = 100_000 if COMPILED else 2000
    result = simulate(total_order(n_arms, 0.9, dimension=1), "ws-w", horizon=3 * n_arms, runs=1, seed=1)
    weak = result.curve("ws-w", "weak-binary").mean
    assert weak[-1] < n_arms * 3
    assert result.records[0].shape[0] == 1


def test_more_arms_than_duels_still_plays():
    assert simulate(total_order(50, 0.8), "ws-w", horizon=3, runs=5).curve("ws-w", "strong-binary").mean[-1] == 3


def walk_of(n_arms, duels, p, seed):
    """A learner after duels in which the lower number wins with chance p, and its streams."""
    rng, luck = stream(seed, 0), stream(seed, 1)
    state = ws_w.init(n_arms, rng, first_challenger="literal")
    for _ in range(duels):
        first, second = ws_w.choose(state, rng)
        state = ws_w.update(state, first, second, (uniform(luck) < p) == (first < second), rng)
    return state, rng, luck


def test_a_late_newcomer_takes_the_seat_as_often_as_gamblers_are_ruined():
    """In a late round a newcomer better with p = .7 wins its first iteration with chance 1 - .3/.7, within 4 errors."""
    late, _, _ = walk_of(4, 500, 0.8, seed=1)
    assert late.round > 10
    runs, seats = (400, 0) if COMPILED else (60, 0)
    for seed in range(runs):
        rng, luck = stream(seed, 2), stream(seed, 3)
        state = ws_w.join(late, [4], rng)
        while 4 not in (state.first, state.second):
            first, second = ws_w.choose(state, rng)
            state = ws_w.update(state, first, second, (uniform(luck) < 0.8) == (first < second), rng)
        heard = state.round, state.iteration
        while (state.round, state.iteration) == heard:
            first, second = ws_w.choose(state, rng)
            state = ws_w.update(state, first, second, (uniform(luck) < 0.7) == (first == 4), rng)
        seats += state.incumbent == 4
    chance = 1 - 0.3 / 0.7
    assert abs(seats / runs - chance) < 4 * np.sqrt(chance * (1 - chance) / runs)


def test_scores_stay_those_of_a_round_when_arms_come_and_go():
    """Incumbent and challenger are of the arms there are, each arm has one place, and limits hold the margin."""
    for seed in range(60):
        state, rng, luck = walk_of(6, 30 + seed, 0.6, seed)
        there, known = set(range(6)), 6
        for t in range(60):
            if t % 5 == 0 and len(there) > 2 and uniform(luck) < 0.6:
                gone = sorted(there)[int(uniform(luck) * len(there))]
                there.remove(gone)
                before = state
                state = ws_w.leave(state, [gone], rng)
                if gone == before.incumbent:
                    assert (state.round, state.iteration, state.margin) == (1, 1, 0)
                elif gone != before.challenger and state.round == before.round:
                    assert state.incumbent in (before.incumbent, before.challenger)
            elif t % 5 == 1 and uniform(luck) < 0.6:
                there.add(known)
                state = ws_w.join(state, [known], rng)
                known += 1
            assert {*state.others.tolist(), state.incumbent} == there and len(state.others) == len(there) - 1
            assert state.others[state.iteration - 1] == state.challenger
            assert state.low < state.margin < state.high
            first, second = ws_w.choose(state, rng)
            state = ws_w.update(state, first, second, (uniform(luck) < 0.6) == (first < second), rng)
