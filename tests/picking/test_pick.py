"""`pick` with judges of every kind: what it returns, what it refuses, how often it asks."""

import asyncio
import itertools
import math
import random
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from winnerstays import WinnerstaysError, pick
from winnerstays.evidence import log_evidence
from winnerstays.picking import progress_line


def alphabetical(left, right):
    return min(left, right)


def noisy(p=0.75, seed=0):
    """A judge who chooses what comes first in the alphabet with chance p."""
    rng = random.Random(seed)
    lock = threading.Lock()

    def judge(left, right):
        with lock:
            return min(left, right) if rng.random() < p else max(left, right)

    return judge


def test_the_best_is_certified():
    result = pick(["c", "a", "b", "d"], noisy(), seed=3)
    assert (result.best, result.certified, result.stop, result.remaining) == ("a", True, "certified", ("a",))
    assert 0.95 <= result.confidence < 1 and result.calls == result.duels > 20
    assert all(rival.evidence >= 1 / 0.05 for rival in result.rivals)
    assert [(claim.about, claim.certified) for claim in result.claims] == [("in new comparisons", True)]


@pytest.mark.parametrize("answer", ["left", " LEFT ", "item", "name"])
def test_a_judge_may_name_the_side_or_the_item(answer):
    values = {"one": {"text": 1}, "two": {"text": 2}}

    def judge(left, right):
        side = "left" if left["text"] == 1 else "right"
        return {"left": side, " LEFT ": f" {side.upper()} ", "item": dict(values["one"]), "name": "one"}[answer]

    result = pick(values, judge, seed=1)
    assert result.best is values["one"] and result.name == "one" and result.certified


def test_items_are_named_by_id_or_name():
    items = [SimpleNamespace(id="x"), SimpleNamespace(name="y"), {"name": "z"}, 0.5]
    result = pick(items, lambda left, right: left if left is items[2] else right if right is items[2] else None)
    assert result.best is items[2] and result.name == "z"
    assert {rival.name for rival in result.rivals} == {"x", "y", "0.5"}


def test_arrays_may_be_items():
    arrays = {"small": np.zeros(3), "large": np.ones(3)}
    assert pick(arrays, lambda left, right: left if left.sum() > right.sum() else right).name == "large"


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        (["a"], "at least 2 items"),
        ([], "at least 2 items"),
        (["a", "b", "a"], "'a' is listed twice"),
        ([1, 2, 1.0], "1 is listed twice"),
        ([1, 2, "1"], "1 and '1' read alike"),
        ([SimpleNamespace(id=1), SimpleNamespace(id="1")], "1 and '1' read alike"),
        ([1, True, 2], "called True"),
        ([0.5, float("nan")], "called nan"),
        (b"ab", "a list of items"),
        ({"a": 1, None: 2}, "called None"),
        (["a", "left"], "called 'left'"),
        ("ab", "a list of items"),
        (7, "a list of items"),
        ([object(), object()], "has no name"),
        (["a", " "], "not blank"),
    ],
)
def test_wrong_items_are_refused_before_any_call(items, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        pick(items, lambda left, right: pytest.fail("a call was paid for"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"level": 0.5}, "level is 0.5"),
        ({"level": 1}, "level is 1"),
        ({"level": "high"}, "level is 'high'"),
        ({"examples": []}, "examples are empty"),
        ({"examples": "rows"}, "must be a list"),
        ({"swap": "no"}, "swap is 'no'"),
        ({"budget": 0}, "budget is 0"),
        ({"budget": 1, "swap": "both"}, "at least 2"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"indifference": 0.5}, "indifference is 0.5"),
        ({"retries": -1}, "retries is -1"),
        ({"seed": -1}, "seed is -1"),
        ({"backoff": -1}, "backoff is -1"),
        ({"claim": "all"}, "claim is 'all', but it must be 'these' or 'new'"),
        ({"claim": "new"}, "there are no examples"),
        ({"cycles": "no"}, "cycles is 'no'"),
        ({"examples": ["x", "x"]}, "'x' is listed twice"),
        ({"judge_id": " "}, "judge_id is ' '"),
        ({"swap": "auto", "goal": "borda"}, "swap is 'auto' and goal is 'borda'"),
    ],
)
def test_wrong_options_are_refused_before_any_call(options, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        pick(["a", "b"], lambda left, right: pytest.fail("a call was paid for"), **options)


def test_nonsense_is_shown_with_its_pair():
    with pytest.raises(WinnerstaysError, match=r"returned 'perhaps' for '[ab]' \(left\) and '[ab]' \(right\)"):
        pick(["a", "b"], lambda left, right: "perhaps")
    with pytest.raises(WinnerstaysError, match="returned True"):
        pick(["a", "b"], lambda left, right: True, concurrency=3)
    with pytest.raises(WinnerstaysError, match="The judge is None"):
        pick(["a", "b"], None)


@pytest.mark.parametrize("nonsense", ["perhaps", True, 7, {"winner": "left"}, b"left"], ids=str)
def test_nonsense_now_and_then_costs_one_call_and_no_more(nonsense):
    """What was paid for is not thrown away."""
    calls = itertools.count(1)

    def judge(left, right):
        return nonsense if next(calls) % 5 == 0 else alphabetical(left, right)

    again = pick(["a", "b", "c"], judge, backoff=0)
    assert again.certified and again.best == "a" and again.errors == 0 < again.retries
    calls = itertools.count(1)
    skipped = pick(["a", "b", "c"], judge, retries=0)
    assert skipped.certified and skipped.errors > 0 == skipped.skips and "NonsenseError" in skipped.error


def test_a_budget_gives_an_honest_guess():
    result = pick(["a", "b", "c"], noisy(0.55), budget=40, seed=1)
    assert (result.calls, result.stop, result.certified) == (40, "budget", False)
    assert result.confidence < 0.95 and result.best in result.remaining and "not certified" in str(result)
    assert 0.2 < result.likely < 1 and "best guess (likely the best: " in str(result)
    both = pick(["a", "b", "c"], noisy(0.55), budget=41, swap="both", seed=1, concurrency=4)
    assert both.calls == 40


def test_a_cycle_is_reported():
    beats = {"rock": "scissors", "scissors": "paper", "paper": "rock"}
    result = pick(list(beats), lambda left, right: left if beats[left] == right else right, seed=2)
    assert result.stop == "cycle" and not result.certified and result.remaining == ()
    assert all(beats[other] == one for one, other in itertools.pairwise([*result.cycle, result.cycle[0]]))
    assert "There is no best of 3" in str(result)


def test_indifference_is_reported():
    result = pick(["a", "b"], noisy(0.5), indifference=0.1, seed=5)
    assert result.stop == "indifferent" and set(result.remaining) == {"a", "b"}
    assert "within 0.1 of a coin" in str(result)


def test_sides_are_drawn_and_bias_is_shown():
    rng = random.Random(4)

    def lazy(left, right):
        return left if rng.random() < 0.4 else alphabetical(left, right) if rng.random() < 0.8 else max(left, right)

    result = pick(["a", "b", "c", "d"], lazy, level=0.999, seed=1)
    assert result.best == "a" and result.bias.share > 0.6 and result.bias.low > 0.5
    assert f"{result.bias.share:.0%}" in str(result)


def test_both_ways_a_flip_is_a_tie():
    """A judge who always takes the left one has no opinion at all."""
    result = pick(["a", "b"], lambda left, right: "left", swap="both", budget=60)
    assert result.flip_share == 1 and result.calls == 60 and result.duels == 30
    assert result.rivals[0].won == result.rivals[0].lost == 0
    clear = pick(["a", "b", "c"], alphabetical, swap="both", concurrency=4)
    assert clear.certified and clear.flips == 0 and clear.bias.share == pytest.approx(0.5, abs=0.1)


def test_both_orders_are_asked_of_a_judge_who_looks_at_the_side(caplog):
    """Four of five answers are blindly left, the others right in 9 of 10."""

    def judge(left, right):
        return left if rng.random() < 0.8 else min(left, right) if rng.random() < 0.9 else max(left, right)

    def calls(swap, seed):
        rng.seed(seed)
        result = pick(["a", "b"], judge, swap=swap, seed=seed, budget=math.inf)
        assert result.best == "a" and result.paired == (0 if swap == "random" else result.duels)
        return result.calls

    rng = random.Random()
    saved = [calls("random", seed) - calls("auto", seed) for seed in range(10)]
    assert sum(saved) > 0 and "choices: from now on both orders are asked." in caplog.text
    clear = pick(["a", "b", "c", "d"], noisy(0.75), swap="auto", seed=1)
    assert clear.certified and clear.paired == 20 and clear.calls == clear.duels + 20


@pytest.mark.parametrize("blind", [0.0, 0.9])
def test_on_these_examples_auto_finds_the_majority(blind):
    """22 of 40 examples are for a; 60 picks at level 0.9, 4 standard errors."""
    wrong = 0
    for seed in range(60):
        rng = random.Random(seed)
        better = rng.sample(["a"] * 22 + ["b"] * 18, 40)
        lazy = [rng.random() < blind for _ in range(40)]
        result = pick(["a", "b"], lambda left, right, k, b=better, z=lazy: "left" if z[k] else b[k],
                      examples=range(40), swap="auto", seed=seed, level=0.9)  # fmt: skip
        decided = sum((1 if better[k] == "a" else -1) for k in range(40) if not lazy[k])
        wrong += result.certified and (result.best == "a") != (decided > 0)
    assert wrong / 60 <= 0.1 + 4 * math.sqrt(0.09 / 60)


def test_ties_and_no_opinion_teach_nothing():
    answers = itertools.cycle(["tie", None, "real"])

    def judge(left, right):
        answer = next(answers)
        return alphabetical(left, right) if answer == "real" else answer

    result = pick(["a", "b"], judge)
    assert result.certified and result.ties >= 4 and result.skips >= 4
    assert result.rivals[0].won == result.calls - result.ties - result.skips


def test_a_judge_that_fails_is_tried_again():
    failures = itertools.count()

    def judge(left, right):
        if next(failures) % 3 < 2:
            raise OSError("the line is busy")
        return alphabetical(left, right)

    result = pick(["a", "b"], judge, retries=3, backoff=0)
    assert result.certified and result.errors == 0
    with pytest.raises(WinnerstaysError, match="failed in every call: OSError: the line is dead"):
        pick(["a", "b"], dead_judge, retries=1, backoff=0)


def dead_judge(left, right):
    raise OSError("the line is dead")


def test_a_judge_that_dies_on_the_way_gives_a_guess():
    calls = itertools.count()

    def judge(left, right):
        return dead_judge(left, right) if next(calls) >= 10 else alphabetical(left, right)

    result = pick(["a", "b", "c", "d"], judge, retries=0, backoff=0)
    assert result.stop == "failed" and result.error == "OSError: the line is dead"
    assert result.calls - result.errors == 10 and result.skips == 0


def test_ctrl_c_ends_with_the_best_guess():
    calls = itertools.count()

    def judge(left, right):
        if next(calls) == 15:
            raise KeyboardInterrupt
        return alphabetical(left, right)

    for concurrency in (1, 3):
        calls = itertools.count()
        result = pick(["a", "b", "c", "d"], judge, concurrency=concurrency)
        assert result.stop == "interrupted" and result.best == "a" and not result.certified


def history_with_delays(delays):
    """The course of a pick with an async judge, whose answers to the same question are the same, in any order."""
    waits = random.Random(delays)

    async def judge(left, right, example):
        for _ in range(waits.randrange(6)):
            await asyncio.sleep(0)
        return (
            min(left, right) if random.Random(f"{sorted((left, right))} {example}").random() < 0.7 else max(left, right)
        )

    return pick(list("abcdef"), judge, seed=8, concurrency=6, examples=range(400)).history


def test_the_course_is_the_same_in_whatever_order_answers_arrive():
    assert history_with_delays(1) == history_with_delays(2) == history_with_delays(3)


def test_async_judges_run_at_once():
    together, most = 0, 0

    async def judge(left, right):
        nonlocal together, most
        together += 1
        most = max(most, together)
        await asyncio.sleep(0)
        together -= 1
        return alphabetical(left, right)

    assert pick(["a", "b", "c"], judge, concurrency=8).best == "a"
    assert most == 8

    async def twin():
        first = await pick.async_(["a", "b", "c"], judge, concurrency=8, seed=1)
        second = await pick.async_(["a", "b", "c"], alphabetical, concurrency=8, seed=1)
        with pytest.raises(WinnerstaysError, match=r"await pick\.async_"):
            pick(["a", "b"], judge)
        return first, second

    first, second = asyncio.run(twin())
    assert first.history == second.history and first.certified


def test_threads_run_at_once():
    gate = threading.Barrier(5)

    def judge(left, right):
        gate.wait(60)  # nobody passes before five are here
        return alphabetical(left, right)

    result = pick(["a", "b", "c"], judge, concurrency=5, budget=10)  # nothing is certain before 16 calls
    assert result.calls == 10


def test_a_judgement_of_an_example_is_asked_once():
    asked = []

    def judge(left, right, example):
        asked.append((left, right, example))
        return left if (left < right) == (example != "odd") else right

    result = pick(["a", "b", "c"], judge, examples=["one", "two", "three", "odd"], seed=1, level=0.999)
    assert result.best == "a" and result.certified
    assert len(asked) == len(set(asked)) == result.calls == result.duels <= 24
    assert str(result).startswith("a is the best of 3 on these examples: after ")


def test_equal_items_on_all_examples_end_it():
    result = pick(["a", "b"], lambda left, right, example: example, examples=["a", "b"], seed=1)
    assert result.stop == "equal" and result.calls == 4 and set(result.remaining) == {"a", "b"}
    decided = pick(["a", "b"], lambda left, right, example: example[0], examples=["a1", "b1", "a2"], seed=1)
    assert decided.best == "a" and decided.certified and decided.calls <= 6
    assert [(claim.about, claim.certified) for claim in decided.claims] == [
        ("on these examples", True), ("on new examples like these", False),
    ]  # fmt: skip


def test_equal_items_without_examples_end_at_the_default_budget():
    result = pick(["a", "b", "c"], noisy(0.5), seed=1)
    assert (result.stop, result.calls) == ("budget", 1000)


def test_on_new_examples_each_counts_once():
    """Ten of ten examples are certain of these; of new ones they are what ten wins are."""
    judge = {"judge": lambda left, right, example: "a", "examples": range(10), "seed": 1}
    new = pick(["a", "b"], **judge, claim="new", level=0.999)
    assert (new.stop, new.certified, new.calls) == ("exhausted", False, 20)
    assert [claim.about for claim in new.claims] == ["on new examples like these", "on these examples"]
    assert new.confidence == pytest.approx(1 - math.exp(-log_evidence(10, 0))) and new.claims[1].confidence == 1
    assert "All examples are used after 20 calls" in str(new)
    assert pick(["a", "b"], **judge, claim="new", level=0.9).stop == "certified"


def test_a_graded_answer_counts_by_its_grade():
    sure = pick(["a", "b"], lambda left, right: 1.0 if left == "a" else 0.0, seed=1)
    slight = pick(["a", "b"], lambda left, right: 0.75 if left == "a" else 0.25, seed=1)
    assert sure.best == slight.best == "a" and sure.certified and slight.certified
    assert sure.calls < slight.calls < 4 * sure.calls
    with pytest.raises(WinnerstaysError, match=r"returned 1\.5"):
        pick(["a", "b"], lambda left, right: 1.5)


@pytest.mark.parametrize("concurrency", [1, 16])
def test_failed_calls_are_no_answers(concurrency):
    """Twenty of the calls 11 to 49 fail: none of them counts as known, all are asked again, the majority is found."""
    calls = itertools.count(1)
    lock = threading.Lock()

    def judge(left, right, example):
        with lock:
            number = next(calls)
        if 11 <= number < 50 and number % 2:
            raise OSError("busy")
        return ("a", "b")[example % 5 > 2]

    result = pick(["a", "b"], judge, examples=range(15), concurrency=concurrency, retries=0, level=0.999, seed=1)
    assert result.best == "a" and result.certified and result.skips == 0
    assert result.errors >= 15 and result.calls - result.errors <= 30


def test_an_example_on_which_the_judge_always_fails_is_not_known():
    def judge(left, right, example):
        if example == 0:
            raise OSError("refused")
        return "ab"[example % 2]

    result = pick(["a", "b"], judge, examples=range(5), retries=0, seed=1, backoff=0)
    assert (result.stop, result.certified, result.errors) == ("failed", False, 6)
    assert result.calls == 8 + 6 and "OSError: refused" in str(result)


def test_the_paragraph_the_table_the_picture_and_the_page(tmp_path):
    result = pick({"a<b>": 1, "b": 2, "c": 3}, lambda left, right: min(left, right), seed=1)
    assert str(result).startswith("a<b> is the best of 3: after")
    frame = result.to_frame()
    assert frame["item"].to_list()[0] == "a<b>" and frame["won"].to_list()[1:] == [r.won for r in result.rivals]
    result.plot(tmp_path / "p.png")
    assert (tmp_path / "p.png").stat().st_size > 1000
    page = result.to_html(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text() == page
    assert "a&lt;b&gt;" in page and "<svg" in page and "a<b>" not in page and "http" not in page.split("<svg")[0]
    assert result.to_dict()["best"] == "a<b>" and '"certified": true' in result.to_json()


@pytest.mark.parametrize("terminal", [True, False])
def test_the_progress_line(capsys, monkeypatch, terminal):
    """Written over on a terminal; elsewhere whole lines, now and then."""
    monkeypatch.setattr(progress_line, "PIPED_SECONDS", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setenv("COLUMNS", "64")
    pick(["a", "b"], alphabetical, progress=True, seed=1)
    shown = capsys.readouterr().err
    assert "confidence" in shown and " call" in shown and "of 2 items in" in shown
    assert not terminal or max(map(len, shown.split("\r\x1b[K"))) < 64
    assert ("\r" in shown) == terminal and ("\n" in shown) != terminal


def test_a_call_that_takes_long_is_named(capsys, monkeypatch):
    monkeypatch.setattr(progress_line, "WAIT_SECONDS", 0.0)
    monkeypatch.setattr(progress_line, "PIPED_SECONDS", 0.0)
    shown = ""

    def judge(left, right):
        nonlocal shown
        while "waiting for the judge for" not in shown:
            shown += capsys.readouterr().err
        return alphabetical(left, right)

    pick(["a", "b"], judge, progress=True, seed=1)
    assert " s: a or b; " in shown or " s: b or a; " in shown


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("left", "said left 60 times in a row: it may look at the side only"),
        ("right", "said right 60 times in a row: it may look at the side only"),
        ("tie", "said tie 60 times in a row: it may see no difference"),
        (None, "had no opinion 60 times in a row: it may not understand what it is asked"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"swap": "both"}, {"concurrency": 3}], ids=str)
def test_a_judge_that_tells_nothing(answer, sentence, options, caplog):
    """It is said once, and ends without a budget; with one the user has said how much may be spent."""
    result = pick(list("abcd"), lambda left, right: answer, seed=1, **options)
    assert result.stop == "uninformative" and not result.certified and 300 <= result.calls <= 302
    assert caplog.messages == [f"The judge {sentence}."]
    assert "answers were the same, which tells nothing" in str(result)
    assert pick(list("abcd"), lambda left, right: answer, seed=1, budget=400, **options).stop == "budget"


def test_a_judge_that_seldom_tells_something_is_heard():
    """A tie in 250 of 251 calls: slow, and not without information."""
    calls = itertools.count(1)
    result = pick(
        ["a", "b"], lambda left, right: alphabetical(left, right) if next(calls) % 251 == 0 else "tie", budget=math.inf
    )
    assert result.certified and result.best == "a"
