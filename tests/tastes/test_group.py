import numpy as np
import pytest

from winnerstays.errors import WinnerstaysError
from winnerstays.tastes import WON, Group
from winnerstays.tastes.group import _Fit

ITEMS = ["a", "b", "c", "d"]


def test_many_answers_of_one_person_count_as_one_persons():
    """One fan of `a` answers 60 times, five people prefer `b` with 4 answers each."""
    group = Group(ITEMS)
    for other in ITEMS[1:] * 20:
        group.tell("fan", "a", other, WON)
    for person in "12345":
        for other in ("a", "c", "d", "a"):
            group.tell(person, "b", other, WON)
    assert group.standing("mean").favourite == "b"
    assert group.standing("most").favourite == "b"


def test_one_person_says_no_more_about_all_than_a_look_at_their_utilities_would():
    """With variances 2 (for all) and 1 (own), a known difference of one person leaves 1 / (1/4 + 1/2) of 4."""
    answers = [(0, 1, int(t % 3 > 0)) for t in range(300)]
    covariance = np.linalg.inv(_Fit(2, [answers], 2.0, 1.0, 0.02).precision)
    left = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert 4 / 3 < left < 1.6


def test_the_mean_and_most_peoples_favourite_may_differ():
    """Three people slightly prefer `a`; two cannot stand it, and like `b` next best."""
    group = Group(["a", "b", "c"])
    for person in "123":
        for _ in range(12):
            group.tell(person, "a", "c", WON)
            group.tell(person, "b", "c", WON)
        for t in range(12):
            group.tell(person, "a", "b", int(t % 4 != 0))
    for person in "45":
        for _ in range(12):
            group.tell(person, "b", "a", WON)
            group.tell(person, "c", "a", WON)
            group.tell(person, "b", "c", WON)
    assert group.standing("mean").favourite == "b"
    assert group.standing("most").favourite == "a"


def test_the_order_in_which_people_begin_does_not_matter():
    rng = np.random.default_rng(1)
    answers = [(str(rng.integers(5)), *rng.choice(ITEMS, 2, replace=False), int(rng.integers(2))) for _ in range(60)]
    groups = []
    for people in ("01234", "43210"):
        groups.append(Group(ITEMS))
        for person in people:
            for answer in answers:
                if answer[0] == person:
                    groups[-1].tell(*answer)
    assert groups[0].standing() == groups[1].standing()


def test_nobody_answered():
    standing = Group(ITEMS).standing()
    assert standing.likely < 0.4
    assert sum(likely.best for likely in standing.items) == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Group([]), "0 items"),
        (lambda: Group(["a", "a"]), "different names"),
        (lambda: Group(ITEMS).tell("1", "a", "x", WON), "no item 'x'"),
        (lambda: Group(ITEMS).tell("1", "a", "a", WON), "about two items"),
        (lambda: Group(ITEMS).standing("median"), "no rule 'median'"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(call, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        call()
