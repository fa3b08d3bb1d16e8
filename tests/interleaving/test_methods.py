"""Methods against their definitions, credit by hand, and sentences for what cannot be interleaved."""

import json
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.interleaving.exact import assignment_chances, page, probabilistic_lists, team_drafts
from tests.interleaving.test_fairness import optimized_lists
from winnerstays.errors import WinnerstaysError
from winnerstays.interleaving import (
    METHODS,
    Interleaved,
    balanced,
    interleave,
    multileave,
    optimized,
    probabilistic,
    team_draft,
)

SESSIONS = 4000
rankings = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6)


def as_expected(drawn, chances):
    """Tell whether cases come as often as they should, within five standard errors each."""
    assert set(drawn) <= set(chances)
    return all(
        abs(drawn[case] / SESSIONS - p) <= 5 * math.sqrt(p * (1 - p) / SESSIONS) + 1e-12 for case, p in chances.items()
    )


@pytest.mark.parametrize(
    ("lists", "length"), [(("abcd", "bcda"), 4), (("abc", "abd"), 3), (("ab", "xyz"), 4), (("abc", "bca", "cxa"), 3)]
)
def test_team_drafts_come_as_often_as_defined(lists, length):
    drawn = Counter()
    for seed in range(SESSIONS):
        shown = multileave(map(list, lists), length, seed=seed)
        drawn[shown.shown, shown.owners] += 1
    assert as_expected(drawn, team_drafts(lists, length))


@pytest.mark.parametrize(("one", "other", "length"), [("abcd", "bcda", 3), ("ab", "xyz", 4), ("abc", "a", 3)])
def test_probabilistic_lists_come_as_often_as_defined(one, other, length):
    drawn = Counter(probabilistic([*one], [*other], length, seed=seed).shown for seed in range(SESSIONS))
    assert as_expected(drawn, probabilistic_lists((one, other), length))


def test_optimized_lists_come_as_often_as_planned():
    drawn = Counter(optimized([*"abcd"], [*"dxba"], 4, seed=seed).shown for seed in range(SESSIONS))
    assert as_expected(drawn, optimized_lists(("abcd", "dxba"), 4))


def test_the_most_sensitive_lottery_of_a_case_by_hand():
    """abc against bca: a is 2/3 ahead, b 1/2 and c 1/6 behind. No bias at k = 1 and k = 2 leaves one lottery."""
    found = optimized_lists(("abc", "bca"), 3)
    assert found == pytest.approx({tuple("abc"): 3 / 7, tuple("bac"): 13 / 35, tuple("bca"): 1 / 5})


@given(rankings, rankings, st.integers(0, 2**32), st.data())
def test_probabilistic_credit_is_that_of_all_assignments(one, other, seed, data):
    shown = probabilistic(one, other, 6, seed=seed)
    if shown.shown:
        clicks = data.draw(st.lists(st.integers(1, len(shown.shown)), min_size=1, unique=True))
        exact = assignment_chances((one, other), shown.shown, clicks)
        assert shown.scores(clicks) == pytest.approx(exact, abs=1e-12, rel=0)


def test_probabilistic_credit_of_a_case_by_hand():
    """a is drawn from ab with 8/9, from ba with 1/9; so the first drew it with 8/9."""
    assert page("probabilistic", ("ab", "ba"), "ab").scores([1]) == pytest.approx((8 / 9, 1 / 9), abs=1e-15)


@given(rankings, rankings, st.integers(1, 8), st.sampled_from([*METHODS]), st.integers(0, 99))
def test_what_is_shown_comes_from_the_rankings(one, other, length, method, seed):
    shown = interleave(method, one, other, length, seed=seed)
    assert len(set(shown.shown)) == len(shown.shown) == min(length, len({*one, *other}))
    for place, result in enumerate(shown.shown):
        for ranking, ranks in zip((one, other), shown.ranks, strict=True):
            assert ranks[place] == (ranking.index(result) + 1 if result in ranking else None)
        owner = shown.owners[place] if method == "team_draft" else None
        assert owner is None or result in (one, other)[owner]
    assert shown.sizes == (len(one), len(other))
    assert Interleaved.from_json(json.loads(json.dumps(shown.to_json()))) == shown


@pytest.mark.parametrize("method", METHODS)
def test_equal_rankings_tie(method):
    shown = interleave(method, [*"abc"], [*"abc"], 3, seed=1)
    assert shown.shown == tuple("abc")
    assert {shown.credit(clicks) for clicks in [[1], [2], [3, 1], [1, 2, 3]]} == {"tie"}


@pytest.mark.parametrize("method", METHODS)
def test_rankings_that_share_nothing(method):
    for seed in range(20):
        shown = interleave(method, [*"abc"], [*"xyz"], 4, seed=seed)
        for place, result in enumerate(shown.shown, 1):
            assert shown.credit([place]) == ("first" if result in "abc" else "second")


@pytest.mark.parametrize("method", METHODS)
def test_a_ranker_without_results(method):
    shown = interleave(method, [], ["x", "y"], 10, seed=1)
    assert shown.shown == ("x", "y") and shown.credit([2]) == "second" and shown.credit([]) == "nothing"
    nothing = interleave(method, [], [], 10, seed=1)
    assert nothing.shown == () and nothing.credit([]) == "nothing"
    with pytest.raises(WinnerstaysError, match="no position 1; nothing was shown"):
        nothing.credit([1])


def test_balanced_lists_by_hand():
    """With a coin for abc: a, then b of bca, then c, which is next in bca. With the other one: b, a, c."""
    assert {balanced([*"abc"], [*"bca"], 3, seed=seed).shown for seed in range(20)} == {tuple("abc"), tuple("bac")}


def test_rules():
    shown = page("team_draft", ("abc", "xyz"), "axyb", (0, 1, 1, 0))
    assert shown.credit([1, 2, 3]) == "second" and shown.scores([1, 2, 3]) == (1, 2)
    assert shown.credit([1, 2, 3], rule="first-click") == "first"
    assert shown.credit([4, 4, 4, 2]) == "tie"
    optimal = page("optimized", ("abc", "cba"), "acb")
    assert optimal.scores([1, 3]) == pytest.approx((1 + 1 / 2, 1 / 3 + 1 / 2))
    assert optimal.credit([3]) == "tie" and optimal.credit([2]) == "second"


def test_credit_between_any_two_of_many():
    shown = multileave([[*"abc"], [*"bca"], [*"cab"]], 3, seed=4)
    owner = shown.owners[0]
    others = [ranker for ranker in range(3) if ranker != owner]
    assert [shown.credit([1], between=(owner, other)) for other in others] == ["first", "first"]
    assert shown.credit([1], between=tuple(others)) == "tie"
    with pytest.raises(WinnerstaysError, match="no ranker 3; the 3 rankers count from 0"):
        shown.credit([1], between=(0, 3))


def test_numbers_as_results():
    shown = team_draft(np.array([3, 1, 2]), [1, 2, 3], 3, seed=1)
    assert all(type(result) is int for result in shown.shown)
    assert shown.position(2) == shown.shown.index(2) + 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((["a", "b", "a"], ["b"]), "Ranking 1 holds 'a' at ranks 1 and 3; list each result once."),
        ((["a"], ["b", 1.5]), "Ranking 2 holds 1.5 at rank 2, but a result is a text or a whole number."),
        ((["a"], [None]), "Ranking 2 holds None at rank 1, but"),
        (("ab", ["b"]), "Ranking 1 is 'ab', but it must be a list of results."),
        ((["a"], None), "Ranking 2 is None, but it must be a list of results."),
        ((["a"], ["b"], 0), "The length is 0, but it must be a whole number from 1 to 100."),
        ((["a"], ["b"], 2.5), "The length is 2.5, but"),
        ((["a"], ["b"], 101), "The length is 101, but"),
        ((["a"], list(range(1001))), "Ranking 2 has more than 1,000 results; give the best of them."),
        ((["a"], [2**63]), "Ranking 2 holds 9223372036854775808 at rank 1, but"),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_what_cannot_be_interleaved_is_refused(method, arguments, sentence):
    with pytest.raises(WinnerstaysError) as refused:
        METHODS[method](*arguments)
    assert sentence in str(refused.value)


def test_other_refusals():
    with pytest.raises(WinnerstaysError, match="at least 2 rankings to interleave, but got 1"):
        multileave([["a"]])
    with pytest.raises(WinnerstaysError, match="no method 'team-draft'; did you mean 'team_draft'"):
        interleave("team-draft", ["a"], ["b"])
    with pytest.raises(WinnerstaysError, match="length is 30, but optimized interleaving makes lists of at most 12"):
        optimized(["a"], ["b"], 30)


@pytest.mark.parametrize(
    ("clicks", "sentence"),
    [
        ([0], "There is no position 0; positions are 1 to 2."),
        ([3], "There is no position 3; positions are 1 to 2."),
        (["a"], "A click is 'a', but it must be a position: 1 for the top."),
        ([True], "A click is True, but"),
    ],
)
def test_clicks_on_what_was_not_shown_are_refused(clicks, sentence):
    shown = team_draft(["a"], ["b"], 2, seed=1)
    with pytest.raises(WinnerstaysError) as refused:
        shown.credit(clicks)
    assert str(refused.value).startswith(sentence)


def test_an_unknown_result_and_an_unknown_rule():
    shown = team_draft(["apple"], ["pear"], 2, seed=1)
    with pytest.raises(WinnerstaysError, match="no result 'aple' of the list that was shown; did you mean 'apple'"):
        shown.position("aple")
    with pytest.raises(WinnerstaysError, match="no rule 'first'; did you mean 'first-click'"):
        shown.credit([1], rule="first")


GOOD = team_draft(["a", "b"], ["b", "c"], 3, seed=1).to_json()


@pytest.mark.parametrize(
    "damage",
    [
        {"method": "coin"}, {"shown": ["a"]}, {"ranks": [[1, 2, 3]]}, {"sizes": [2]}, {"owners": [0, 1]},
        {"owners": [0, 1, 2]}, {"owners": [0, 1, "0"]}, {"ranks": [[1, 2, 3], [1, 2, None]]}, {"sizes": None},
        {"ranks": [[None] * 3, [None] * 3]}, {"sizes": [2, "2"]}, {"ranks": [[1, 0, None], [None, 1, 2]]},
    ],
)  # fmt: skip
def test_a_damaged_record_is_refused(damage):
    assert Interleaved.from_json(GOOD).to_json() == GOOD
    with pytest.raises(WinnerstaysError, match="This is no interleaved list"):
        Interleaved.from_json({**GOOD, **damage})
    with pytest.raises(WinnerstaysError, match="This is no interleaved list"):
        Interleaved.from_json({name: value for name, value in GOOD.items() if name not in damage})


def test_all_pairs_of_clicks_of_a_logged_list_give_the_same_credit():
    """What is stored is enough for every rule, days later."""
    for method in METHODS:
        shown = interleave(method, [*"abcdef"], [*"badxyz"], 5, seed=3)
        stored = Interleaved.from_json(json.loads(json.dumps(shown.to_json())))
        for clicks in combinations(range(1, 6), 2):
            assert stored.scores(clicks) == shown.scores(clicks)
