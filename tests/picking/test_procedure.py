"""The procedure by hand: whom it compares, whom it drops, and when it stops."""

import math

import numpy as np
import pytest

from benchmarks._pick_simulation import learn_wins
from winnerstays.evidence import log_evidence
from winnerstays.picking import procedure
from winnerstays.picking.procedure import (
    CERTIFIED,
    CYCLE,
    INDIFFERENT,
    NOBODY,
    PLAYING,
    SETTLED,
)
from winnerstays.randomness import stream


def begin(n_items=3, level=0.95, indifference=0.0, favourite=0, cycles="detected"):
    state = procedure.init(n_items, level, stream(0), indifference=indifference, cycles=cycles)
    state.favourite[0] = favourite
    return state


def win(state, winner, loser, times=1):
    for _ in range(times):
        procedure.serve(state, winner, loser)
        learn_wins(state, winner, loser, 1)


def wins_to(e):
    """How many wins without a loss bring e so far."""
    return next(won for won in range(100) if log_evidence(won, 0) >= math.log(e))


def test_of_two_items_one_is_dropped_when_e_reaches_1_over_delta():
    state = begin(2)
    win(state, 0, 1, wins_to(20) - 1)
    assert procedure.verdict(state) == PLAYING
    win(state, 0, 1)
    assert procedure.verdict(state) == CERTIFIED and state.beaten_by.tolist() == [NOBODY, 0]
    assert procedure.confidence(state, 0) == pytest.approx(1 - math.exp(-log_evidence(wins_to(20), 0)))


def test_of_more_an_item_is_dropped_when_its_bets_on_all_rivals_reach_1_over_delta():
    """Against one rival alone, 1/4 + 3e/4 >= 20 asks for e >= 26.3."""
    state = begin()
    win(state, 0, 1, wins_to(26.3) - 1)
    assert (state.beaten_by == NOBODY).all()
    win(state, 0, 1)
    assert state.beaten_by.tolist() == [NOBODY, 0, NOBODY] and procedure.verdict(state) == PLAYING
    assert procedure.confidence(state, 0) == 0
    win(state, 2, 1, 2)  # 1 is far behind: the test of 2 has not bet on it, and loses nothing
    assert state.against[2] == 0
    win(state, 0, 2, wins_to(26.3) - 1)
    assert procedure.verdict(state) == PLAYING
    win(state, 0, 2)
    assert procedure.verdict(state) == CERTIFIED and procedure.confidence(state, 0) >= 0.95
    assert procedure.choose(state, stream(1)) == (0, NOBODY)


def test_a_bet_that_is_lost_must_be_won_back():
    """2 beats 1 twice while they are level: the bet on 1 is at 1/4 + 3/4 e(0 won, 2 lost), so 0 needs more."""
    state = begin()
    win(state, 2, 1, 2)
    assert state.against[2] == pytest.approx(math.log(0.25 + 0.75 * math.exp(log_evidence(0, 2))))
    win(state, 0, 2, wins_to(26.3))
    assert state.reached[0, 2] >= state.direct and state.beaten_by[2] == NOBODY


def test_safe_of_cycles_an_item_is_dropped_when_e_reaches_n_minus_1_over_delta():
    state = begin(4, cycles="safe")
    win(state, 0, 1, wins_to(60) - 1)
    assert (state.beaten_by == NOBODY).all()
    win(state, 0, 1)
    assert state.beaten_by.tolist() == [NOBODY, 0, NOBODY, NOBODY]


def test_where_cycles_are_excluded_the_last_one_is_certified():
    """0 beats 1, which beats 2: 0 need not meet 2."""
    state = begin(cycles="excluded")
    win(state, 1, 2, 30)
    win(state, 0, 1, 30)
    assert procedure.verdict(state) == CERTIFIED and state.favourite[0] == 0
    assert procedure.confidence(state, 0) >= 0.95 and state.wins[0, 2] == 0


def test_evidence_counts_from_when_it_was_reached():
    state = begin(2)
    win(state, 0, 1, wins_to(20))
    win(state, 1, 0, 3)
    assert state.evidence[0, 1] < state.direct <= state.reached[0, 1] and procedure.verdict(state) == CERTIFIED


def test_the_favourite_meets_the_rival_over_whom_it_leads_least_and_that_lost_least():
    state = begin()
    win(state, 0, 1)
    assert procedure.choose(state, stream(1)) == (0, 2)
    win(state, 0, 2, 2)
    assert procedure.choose(state, stream(1)) == (0, 1)
    procedure.serve(state, 0, 1)
    procedure.serve(state, 0, 1)
    procedure.serve(state, 0, 1)
    assert procedure.choose(state, stream(1)) == (0, 2), "open duels count as a lead to come"


def test_a_victor_becomes_the_favourite_and_beaten_items_come_last():
    state = begin(4)
    win(state, 3, 0, 3)
    assert state.favourite[0] == 3
    win(state, 1, 2, 30)  # 2 is beaten, but not by the favourite
    assert state.beaten_by[2] == 1
    win(state, 3, 0, 30)
    win(state, 3, 1, 30)
    assert procedure.verdict(state) == PLAYING, "the favourite has not met 2 itself"
    assert procedure.choose(state, stream(1)) == (3, 2)
    win(state, 3, 2, 30)
    assert procedure.verdict(state) == CERTIFIED


def test_a_cycle_beyond_doubt_ends_it():
    state = begin()
    for winner, loser in ((0, 1), (1, 2), (2, 0)):
        win(state, winner, loser, 30)
    assert procedure.verdict(state) == CYCLE
    cycle = procedure.cycle(state)
    assert sorted(cycle) == [0, 1, 2]
    assert [procedure.confidence(state, item) for item in range(3)] == [0, 0, 0]
    assert all(state.beaten_by[one] == other for one, other in zip(cycle, cycle[1:] + cycle[:1], strict=True))


def test_indifference_needs_both_sides():
    state = begin(2, indifference=0.1)
    for _ in range(1000):
        win(state, 0, 1)
        win(state, 1, 0)
        if procedure.verdict(state) != PLAYING:
            break
    assert procedure.verdict(state) == INDIFFERENT
    assert min(state.near[0, 1], state.near[1, 0]) >= math.log(1 / 0.05)
    assert (state.beaten_by == NOBODY).all()


def test_ties_teach_nothing():
    state = begin()
    procedure.serve(state, 0, 1)
    learn_wins(state, 0, 1, 0)
    assert not state.evidence.any() and not state.open.any()


def test_a_settled_pair_is_certain_or_equal():
    state = begin(2)
    procedure.settle(state, 0, 1, 1)
    assert procedure.verdict(state) == CERTIFIED and procedure.confidence(state, 0) == 1
    state = begin(2)
    procedure.settle(state, 0, 1, 0)
    assert procedure.verdict(state) == SETTLED and procedure.choose(state, stream(0)) == (0, NOBODY)


def log_chance(odds):
    return -math.log1p(math.exp(-odds))


def test_scores_are_the_products_of_the_chances_to_beat_each():
    state = begin(3)
    for winner, loser, times in ((0, 1, 3), (1, 0, 1), (2, 0, 2), (1, 2, 4)):
        win(state, winner, loser, times)
    leads = [(2, -2), (-2, 4), (2, -4)]
    expected = [sum(log_chance(procedure.STEP * lead) for lead in own) for own in leads]
    assert state.score == pytest.approx(expected)
    assert state.favourite[0] == procedure.leader(state) == int(np.argmax(expected))


def test_a_settled_pair_counts_as_settled_in_the_scores():
    """Whatever the duels were before, and whatever an open one brings after."""
    state = begin(3)
    win(state, 0, 1, 3)
    procedure.settle(state, 0, 1, -1)
    win(state, 0, 1)
    assert state.score == pytest.approx([-procedure.CERTAIN, log_chance(0), 2 * log_chance(0)])


def test_an_unlucky_item_is_heard_again_when_the_others_go_in_a_circle():
    state = begin(4)
    win(state, 1, 0, 2)
    win(state, 2, 0, 2)
    while 0 not in (pair := procedure.choose(state, stream(0))):
        first, second = sorted(map(int, pair))
        win(state, *((first, second) if (first, second) != (1, 3) else (3, 1)))
    assert state.wins[1:, 1:].sum() < 40


def test_the_window_is_one_for_one_lane():
    assert [procedure.window(number, 1) for number in (0, 100, 10**6)] == [1, 1, 1]
    assert [procedure.window(number, 8) for number in (0, 15, 16, 10**6)] == [8, 8, 9, 15]


def test_calls_left_grow_with_the_difficulty():
    easy, hard = begin(2), begin(2)
    win(easy, 0, 1, 5)
    win(hard, 0, 1, 5)
    win(hard, 1, 0, 3)
    assert 0 < procedure.calls_left(easy) < procedure.calls_left(hard)
    assert procedure.calls_left(begin(2)) is None
