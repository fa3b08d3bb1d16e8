"""Fair, sensitive, and biased where the literature says so: by enumeration of all lists and all clicks."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.interleaving.exact import page, probabilistic_lists, team_drafts
from winnerstays.interleaving.plans import best_plan

CASES = [
    ("abcd", "bcda", 4),
    ("abcd", "acbd", 3),
    ("abc", "xyz", 3),
    ("abcd", "dxby", 4),
    ("abcde", "edcba", 4),
]
"""Two rankings that are as long as what is shown, and its length."""


def ranks_of(rankings, result):
    return tuple(ranking.index(result) + 1 if result in ranking else None for ranking in rankings)


def optimized_lists(rankings, length):
    """Return every list that the plan of optimized interleaving draws with its chance."""
    named = {ranks_of(rankings, result): result for ranking in rankings for result in ranking}
    one, other = (tuple(ranks_of(rankings, result) for result in ranking[:length]) for ranking in rankings)
    plan = best_plan(one, other, max(map(len, rankings)), length)
    chances = np.diff(plan.cumulative, prepend=0.0)
    return {tuple(named[pair] for pair in drawn): p for drawn, p in zip(plan.lists, chances, strict=True)}


def all_pages(method, rankings, length):
    """Yield every list with its chance."""
    if method == "team_draft":
        for (shown, owners), chance in team_drafts(rankings, length).items():
            yield page(method, rankings, shown, owners), chance
    else:
        lists = {"probabilistic": probabilistic_lists, "optimized": optimized_lists}[method](rankings, length)
        for shown, chance in lists.items():
            yield page(method, rankings, shown), chance


def lead(method, rankings, length, click):
    """Return the mean of the first ranker's score over the second's; `click` gives the clicks on what is shown."""
    total = 0.0
    for shown, chance in all_pages(method, rankings, length):
        first, second = shown.scores(click(shown.shown))
        total += chance * (first - second)
    return total


def click_patterns(length):
    return [clicks for size in range(1, length + 1) for clicks in combinations(range(1, length + 1), size)]


@pytest.mark.parametrize(("one", "other", "length"), CASES)
@pytest.mark.parametrize("method", ["team_draft", "probabilistic"])
def test_clicks_on_any_positions_are_a_tie_on_average(method, one, other, length):
    for clicks in click_patterns(length):
        assert lead(method, (one, other), length, lambda _, clicks=clicks: clicks) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("one", "other", "length"), CASES)
def test_either_ranker_wins_a_team_draft_equally_often(one, other, length):
    for clicks in click_patterns(length):
        won = dict.fromkeys(("first", "second", "tie"), 0.0)
        for shown, chance in all_pages("team_draft", (one, other), length):
            won[shown.credit(clicks)] += chance
        assert won["first"] == pytest.approx(won["second"], abs=1e-12)


@pytest.mark.parametrize(("one", "other", "length"), CASES)
def test_a_click_among_the_top_k_is_a_tie_of_optimized_interleaving(one, other, length):
    """Radlinski & Craswell's condition, for each k."""
    by_position = [
        lead("optimized", (one, other), length, lambda _, click=click: [click]) for click in range(1, length + 1)
    ]
    assert np.cumsum(by_position) == pytest.approx(np.zeros(length), abs=1e-9)


def test_balanced_interleaving_prefers_a_ranking_that_is_shifted():
    """Both lists, abc and bac, credit a to the first ranking, b and c to the second, which wins two clicks of three."""
    for shown in ("abc", "bac"):
        outcomes = {
            result: page("balanced", ("abc", "bca"), shown).credit([shown.index(result) + 1]) for result in "abc"
        }
        assert outcomes == {"a": "first", "b": "second", "c": "second"}


@pytest.mark.parametrize("method", ["team_draft", "probabilistic", "optimized"])
def test_a_ranker_that_dominates_wins(method):
    """The first ranking has the only relevant result above where the second has it, and the rest in the same order."""
    for rest in permutations("xyz"):
        for better, worse in combinations(range(4), 2):
            one, other = list(rest), list(rest)
            one.insert(better, "r")
            other.insert(worse, "r")
            gain = lead(method, (one, other), 3, lambda shown: [shown.index("r") + 1] if "r" in shown else [])
            assert gain > 0.01, (one, other)


def test_balanced_interleaving_shows_that_a_ranker_dominates():
    assert page("balanced", ("rxy", "xyr"), "rxy").credit([1]) == "first"
    assert page("balanced", ("rxy", "xyr"), "xry").credit([2]) == "first"


@given(st.integers(1, 5), st.integers(0, 4), st.randoms(use_true_random=False))
def test_optimized_interleaving_is_unbiased_wherever_both_rankings_are_equally_long(length, more, random):
    pool = range(2 * (length + more))
    one, other = (random.sample(pool[random.randrange(length + more) :], length + more) for _ in range(2))
    ranks = [tuple(ranks_of((one, other), result) for result in ranking[:length]) for ranking in (one, other)]
    assert best_plan(*ranks, length + more, length).bias < 1e-9
