"""`Picker` is `pick` as ask and tell: the same course, and it survives being written down."""

import pytest

from winnerstays import WinnerstaysError, pick
from winnerstays.picking import Picker

KINDS = [{}, {"swap": "both"}, {"examples": range(9)}, {"swap": "auto", "examples": range(9), "level": 0.99}]


def drive(picker, *, until=10**6):
    """Answer questions in alphabetical order until it stops, or so many are answered."""
    answered = 0
    while picker.stop is None and answered < until:
        for question in picker.ask(1):
            picker.tell(question, min(question.left, question.right))
            answered += 1
    return picker


@pytest.mark.parametrize(
    "options",
    KINDS,
    ids=str,
)
def test_it_takes_the_course_of_pick(options):
    picker = drive(Picker(["c", "a", "b"], seed=4, **options))
    result = pick(["c", "a", "b"], lambda left, right, *example: min(left, right), seed=4, **options)
    assert picker.verdict().history == result.history and picker.stop == result.stop == "certified"


@pytest.mark.parametrize(
    "options",
    KINDS,
    ids=str,
)
@pytest.mark.parametrize("answered", [0, 1, 6, 11, 41])
def test_dumped_and_loaded_it_goes_on_alike(answered, options):
    whole = drive(Picker(["c", "a", "b"], seed=4, **options))
    half = drive(Picker(["c", "a", "b"], seed=4, **options), until=answered)
    examples = {"examples": options["examples"]} if "examples" in options else {}
    loaded = drive(Picker.load(half.dump(), **examples))
    assert loaded.verdict().history == whole.verdict().history and loaded.calls == whole.calls


def test_a_verdict_can_be_had_at_any_time():
    result = drive(Picker(["a", "b", "c"], seed=1), until=3).verdict()
    assert (result.stop, result.certified, result.calls) == ("interrupted", False, 3)


def test_at_most_as_many_are_open_as_are_answered_at_once():
    picker = Picker(["a", "b", "c"], concurrency=3)
    questions = picker.ask(10)
    assert len(questions) == 3 and picker.ask(10) == []
    picker.fail(questions[1], "the person left")
    picker.tell(questions[0].id, "tie")
    assert len(picker.ask(10)) == 2 and picker.errors == picker.ties == 1


def test_wrong_calls_are_refused():
    picker = Picker(["a", "b"])
    (question,) = picker.ask()
    with pytest.raises(WinnerstaysError, match="returned 'c'"):
        picker.tell(question, "c")
    picker.tell(question, "a")
    with pytest.raises(WinnerstaysError, match="is not open"):
        picker.tell(question, "a")
    with pytest.raises(WinnerstaysError, match="is not open"):
        picker.fail(99)
    with pytest.raises(WinnerstaysError, match="no dump of a picker"):
        Picker.load("[]")
    with pytest.raises(WinnerstaysError, match="The dump is of a, b, not of a, c"):
        Picker.load(picker.dump(), ["a", "c"])
    with pytest.raises(WinnerstaysError, match="with 2 examples; give the same ones"):
        Picker.load(Picker(["a", "b"], examples=[1, 2]).dump())
