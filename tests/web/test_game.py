"""How far a game is, without a browser: the estimate of duels left, its end, and what is said of a result."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnerstays.arena.figures.likely import Likelihood
from winnerstays.arena.records import Place
from winnerstays.web.game import gave_up, progress, result, sure_of


def arena(items, goal=None, enough=0.9):
    settings = SimpleNamespace(audience="user", goal=goal, enough=enough)
    return SimpleNamespace(settings=settings, items=[SimpleNamespace(retired=False)] * items)


def likelihood(answers, best, items=4, *, known=True, doubt=""):
    rest = (1 - best) / (items - 1)
    places = (Place("0", best, 1, 1, 1, 2), *(Place(str(k), rest, 1, 2, 1, items) for k in range(1, items)))
    return Likelihood(places, answers, 1, known, doubt)


@given(
    items=st.integers(2, 60),
    goal=st.none() | st.integers(1, 200),
    enough=st.floats(0.51, 0.99),
    said=st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.integers(-1, 1)), max_size=80),
)
def test_the_estimate_of_duels_left_never_jumps_by_more_than_a_factor_of_two(items, goal, enough, said):
    """Whatever the model says after each answer, whether answers are skipped, or taken back."""
    before, answers = None, 0
    for best, known, step in said:
        now = progress(likelihood(answers, best, items, known=known), arena(items, goal, enough), before)
        if now.done:
            return
        assert before is None or before / 2 <= now.left <= 2 * before
        before, answers = now.left, max(0, answers + step)


@given(goal=st.integers(1, 50), best=st.floats(0, 1), before=st.none() | st.integers(1, 999))
def test_the_game_ends_at_its_goal(goal, best, before):
    assert progress(likelihood(goal, best), arena(4, goal), before).done


@pytest.mark.parametrize(("items", "skips"), [(2, 2), (3, 6), (4, 12), (5, 20), (16, 20), (1000, 20)])
def test_whoever_skips_everything_ends_the_game(items, skips):
    assert gave_up(skips, arena(items)) and not gave_up(skips - 1, arena(items))


@pytest.mark.parametrize(
    ("found", "sentence", "so_far"),
    [
        (likelihood(20, 0.957), "95 % sure", False), (likelihood(20, 1.0), "99 % sure", False),
        (likelihood(20, 0.25), "Not sure yet (25 %)", True), (likelihood(20, 0.9, known=False), "Not sure yet", True),
        (likelihood(20, 0.9, known=False, doubt="Your answers contradict each other."),
         "Your answers contradict each other", True),
    ],
)  # fmt: skip
def test_what_is_said_of_a_favourite(found, sentence, so_far):
    shown = result(found, lambda item: SimpleNamespace(title=item))
    assert (shown.sure, shown.so_far, len(shown.lines)) == (sentence, so_far, 4)


def test_without_answers_there_is_no_favourite():
    found = likelihood(0, 0.9)
    assert sure_of(found) == "Not enough answers yet" and result(found, str).lines == ()
