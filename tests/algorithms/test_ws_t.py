"""WS-T: the literal rule plays the same duels; small cases by hand; what is claimed in docs/ws-t.md."""

import math
from itertools import islice

import numpy as np
import pytest

from benchmarks._attacks import attack
from benchmarks.ablation import variant
from tests.algorithms.skipped_duels import check_leaps
from tests.reference import naive_ws_t
from winnerstays import Learner, algorithm, problem, simulate
from winnerstays.algorithms._shared.counts import kl_half
from winnerstays.algorithms.ws_t.state import INGREDIENTS, UNIT
from winnerstays.compiling import COMPILED
from winnerstays.problems import Problem, random_condorcet, total_order
from winnerstays.randomness import stream, uniform
from winnerstays.testing import play

PLACES = [
    problem("cyclic"),
    problem("mslr"),
    total_order(2, 0.6),
    total_order(7, 0.55),
    total_order(12, 0.95),
    random_condorcet(9, seed=4),
    attack("attack-long-cycle"),
    Problem(np.full((3, 3), 0.5), name="all equal"),
]


@pytest.mark.parametrize("where", PLACES, ids=lambda one: f"{one.name}-{one.n_arms}")
def test_the_literal_rule_plays_the_same_duels(where):
    ours = algorithm("ws-t")
    for seed in range(3):
        rng, luck = stream(seed, 0), stream(seed, 1)
        state = ours.start(where.n_arms, rng)
        outcomes = []

        def answer(first, second, luck=luck, outcomes=outcomes):
            outcomes.append(uniform(luck) < where.preferences[first, second])
            return outcomes[-1]

        previous = None
        for t, pair in enumerate(naive_ws_t.duels(list(state.numbering.arm), answer, 1500)):
            if t > 0:
                state = ours.update(state, *previous, outcomes[t - 1], rng)
            assert tuple(ours.choose(state, rng)) == pair, f"duel {t + 1}"
            previous = pair


def test_a_third_arm_meets_the_challenger_where_its_proof_is_cheaper():
    """Others beat each other by far and lose to the best narrowly: third arms are tried, then serve; in a total order
    where everybody wins four of five, neither happens.
    """
    for where, third in ((attack("attack-long-cycle"), True), (total_order(8, 0.8), False)):
        last = None
        for step in play(algorithm("ws-t"), where, 10_000, seed=1):
            state = step.state
            z, k, j = state.incumbent, state.opponent, state.challenger
            if k not in (z, j) and state.ahead == 0:
                lead = state.wins[k, j] - state.wins[j, k]
                assert state.wins[z, j] > state.wins[j, z], "whoever leads z meets z"
                assert lead > 0 or (lead == 0 and state.wins[k, j] + state.wins[j, k] < 4)
            last = state
        assert (last.served > 20, last.tried > 10) == (third, third)
        assert last.tried <= 1 + 0.01 * last.met + 0.5 * last.served


def test_the_first_duels_by_hand():
    """Everybody plays once; an arm that always wins soon meets itself; it meets the others when they are due."""
    ours, rng = algorithm("ws-t"), stream(1)
    state = ours.start(3, rng)
    order, met = list(state.numbering.arm), []
    for _ in range(200):
        pair = tuple(order.index(arm) for arm in ours.choose(state, rng))
        met.append(pair)
        state = ours.update(state, order[pair[0]], order[pair[1]], pair[0] == 0 or pair[1] != 0, rng)
    assert met[:2] == [(0, 1), (0, 2)]
    assert {first for first, _ in met} == {0}
    times = [t for t, pair in enumerate(met, 1) if pair == (0, 1)]
    # A record of 0 to n, half a win added: n kl(1/2 / (n + 1)) after n of m duels, with nothing against arm 0
    for n, t in enumerate(times[1:], 1):
        m = sum(first != second for first, second in met[: t - 1])
        index = n * kl_half(0.5 / (n + 1)) + math.log(n) + math.log(min(3, m / n)) / 2
        assert index < math.log(3 * t)
    lengths = np.diff(times)
    assert lengths[-1] > 2 * lengths[2], "meetings become rare"


def test_leaps_are_what_single_duels_would_give():
    check_leaps(algorithm("ws-t"), 0.8, 4000, 300)


def test_a_horizon_of_ten_to_the_twelve():
    """Self-duels are leapt over: strong regret grows by the same amount every decade, and the run takes no time."""
    runs, times = 20 if COMPILED else 4, [10**k for k in range(4, 13)]
    curve = simulate("mslr", "ws-t", horizon=10**12, runs=runs, seed=1, times=times).curve("ws-t", "strong-average")
    steps = np.diff(curve.mean)
    assert (steps < 40).all() and curve.mean[-1] < 400


def test_sums_of_evidence_follow_from_the_wins():
    """S_i, kept up to date in whole numbers, is what the table of wins says; nothing is left of old records."""
    for step in islice(play(algorithm("ws-t"), random_condorcet(6, seed=2), 3000, seed=5), 0, None, 100):
        wins = step.state.wins.tolist()
        for i in range(6):
            units = sum(int(naive_ws_t.said(wins, i, k) / UNIT + 0.5) for k in range(6))
            assert step.state.against[i] == units


def test_an_incumbent_is_followed_by_an_arm_that_leads_it_and_has_proved_itself():
    before = None
    for step in play(algorithm("ws-t"), problem("sushi"), 4000, seed=8):
        state = step.state
        if before is not None and state.incumbent != before.incumbent:
            old, new = before.incumbent, state.incumbent
            assert new == before.challenger
            assert state.wins[new, old] > state.wins[old, new]
            lead = (state.against[old] - state.against[new]) * UNIT
            assert lead > math.log(before.meeting + 1) or before.ahead - 1 <= -before.meeting
        before = state._replace(wins=state.wins.copy())


@pytest.mark.parametrize("name", INGREDIENTS)
def test_every_ingredient_changes_the_duels(name):
    """Else the ablation would compare the rule with itself."""
    parameter = INGREDIENTS[name]
    other = parameter.options[1] if hasattr(parameter, "options") else parameter.default + 1.0
    where = problem("sushi")
    ours, same, changed = (
        [(step.first, step.second) for step in play(one, where, 4000, seed=2)]
        for one in (algorithm("ws-t"), variant, variant(**{name: other}))
    )
    assert ours == same != changed


def test_without_a_condorcet_winner_every_arm_reigns_and_stands_accused():
    """Three arms that beat each other in a circle: each is the incumbent for a while, and the evidence against each of
    them, the incumbent included, exceeds ln t; a Condorcet winner is never accused like that.
    """
    circle = Problem([[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]])
    for seed in range(3):
        steps = list(play(algorithm("ws-t"), circle, 20_000, seed=seed))
        assert {int(algorithm("ws-t").best(step.state)) for step in steps} == {0, 1, 2}
        assert min(steps[-1].state.against) * UNIT > math.log(20_000)
    for step in play(algorithm("ws-t"), problem("cyclic"), 20_000, seed=1):
        assert min(step.state.against) * UNIT < math.log(20_000)


def test_two_best_arms_that_tie_share_the_duels():
    """Neither of two equal arms can be proved worse; what they both beat is left alone."""
    tie = Problem([[0.5, 0.5, 0.8], [0.5, 0.5, 0.8], [0.2, 0.2, 0.5]])
    last = list(play(algorithm("ws-t"), tie, 5000, seed=1))[-2000:]
    assert sum(2 in (step.first, step.second) for step in last) < 40


def test_a_learner_for_strong_regret_uses_it():
    learner = Learner(items=["a", "b", "c"], regret="strong", seed=1)
    assert learner.algorithm.name == "ws-t"
    assert Learner(items=["a", "b", "c"]).algorithm.name == "ws-w"


if COMPILED:  # millions of duels take minutes in plain Python; all play the same duels in either mode

    def test_the_mean_is_below_that_of_double_thompson_sampling():
        result = simulate("sushi", ["ws-t", "dts"], horizon=10**4, runs=200, seed=1, times=[10**4])
        ours, theirs = (result.curve(name, "strong-average") for name in ("ws-t", "dts"))
        assert ours.mean[0] + 4 * math.hypot(ours.sem[0], theirs.sem[0]) < theirs.mean[0]
