"""The same as the `interleaving` package by Kato gives, where that is installed."""

from collections import Counter
from importlib.util import find_spec
from itertools import combinations

import numpy as np
import pytest

from tests.interleaving.exact import page, probabilistic_lists, team_drafts

pytestmark = pytest.mark.skipif(
    find_spec("interleaving") is None,
    reason="The package interleaving (github.com/mpkato/interleaving) is not installed.",
)
ONE, OTHER, SESSIONS = ["a", "b", "c", "d"], ["b", "d", "a", "c"], 4000


def drawn_by(method, length):
    np.random.seed(1)
    return [method([ONE, OTHER], max_length=length, sample_num=None).interleave() for _ in range(SESSIONS)]


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


def test_balanced_lists_and_their_credit_are_the_same():
    from interleaving import Balanced

    from winnerstays.interleaving import balanced

    drawn = {tuple(each): each for each in drawn_by(Balanced, 4)}
    assert set(drawn) == {balanced(ONE, OTHER, 4, seed=seed).shown for seed in range(20)}
    for shown, theirs in drawn.items():
        for clicks in (clicks for size in range(1, 5) for clicks in combinations(range(4), size)):
            ours = page("balanced", (ONE, OTHER), shown).scores([click + 1 for click in clicks])
            assert ours == tuple(Balanced.compute_scores(theirs, clicks))
