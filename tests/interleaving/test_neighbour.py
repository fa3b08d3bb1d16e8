"""The same as the package `interleaving` of Kato and Manabe gives, where that is installed."""

from collections import Counter
from importlib.util import find_spec
from itertools import combinations

import numpy as np
import pytest

from tests.interleaving.exact import page, probabilistic_lists, team_drafts

pytestmark = pytest.mark.skipif(
    find_spec("interleaving") is None or find_spec("interleaving.team_draft") is None,
    reason="Install git+https://github.com/mpkato/interleaving; the package of this name on PyPI is another one.",
)
ONE, OTHER, SESSIONS = ["a", "b", "c", "d"], ["b", "d", "a", "c"], 4000
CLICKS = [clicks for size in range(1, 5) for clicks in combinations(range(4), size)]


def drawn_by(method, length, sessions=SESSIONS):
    np.random.seed(1)
    return [method([ONE, OTHER], max_length=length, sample_num=None).interleave() for _ in range(sessions)]


def assert_alike(counts, chances):
    """Both are the same distribution, within five standard errors of each case."""
    assert set(counts) <= set(chances)
    for case, p in chances.items():
        assert abs(counts[case] / SESSIONS - p) <= 5 * np.sqrt(p * (1 - p) / SESSIONS)


def test_team_drafts_come_equally_often():
    from interleaving import TeamDraft

    counts = Counter()
    for drawn in drawn_by(TeamDraft, 4):
        counts[tuple(drawn), tuple(int(result in drawn.teams[1]) for result in drawn)] += 1
    assert_alike(counts, team_drafts((ONE, OTHER), 4))


def test_probabilistic_lists_come_equally_often():
    from interleaving import Probabilistic

    assert_alike(Counter(map(tuple, drawn_by(Probabilistic, 3))), probabilistic_lists((ONE, OTHER), 3))


def test_probabilistic_credit_is_the_same():
    """Theirs is the chance of the list and of who leads; divided by the chance of the list, it is ours."""
    from interleaving import Probabilistic

    for drawn in {tuple(each): each for each in drawn_by(Probabilistic, 4, 50)}.values():
        for clicks in CLICKS:
            theirs = Probabilistic.compute_scores(drawn, clicks)
            total = sum(chance for _, chance in theirs.allocations.values())
            ours = page("probabilistic", (ONE, OTHER), drawn).scores([click + 1 for click in clicks])
            assert ours == pytest.approx((theirs[0] / total, theirs[1] / total), abs=1e-12)


def test_optimized_credit_is_the_same_and_their_lottery_is_unbiased_by_ours():
    """Their lottery is another one: it is the most sensitive by the variance of the credit, ours by its entropy."""
    from interleaving import Optimized

    np.random.seed(1)
    bias = np.zeros(4)
    for drawn, chance in Optimized([ONE, OTHER], 4, sample_num=200, secure_sampling=True).ranking_distribution:
        shown = page("optimized", (ONE, OTHER), drawn)
        for clicks in CLICKS:
            ours = shown.scores([click + 1 for click in clicks])
            assert ours == pytest.approx(tuple(Optimized.compute_scores(drawn, clicks).values()), abs=1e-12)
        bias += [chance * np.subtract(*shown.scores([click])) for click in range(1, 5)]
    assert bias.cumsum() == pytest.approx(np.zeros(4), abs=1e-6)


def test_balanced_lists_and_their_credit_are_the_same():
    from interleaving import Balanced

    from winnerstays.interleaving import balanced

    drawn = {tuple(each): each for each in drawn_by(Balanced, 4)}
    assert set(drawn) == {balanced(ONE, OTHER, 4, seed=seed).shown for seed in range(20)}
    for shown, theirs in drawn.items():
        for clicks in CLICKS:
            ours = page("balanced", (ONE, OTHER), shown).scores([click + 1 for click in clicks])
            assert ours == tuple(Balanced.compute_scores(theirs, clicks))
