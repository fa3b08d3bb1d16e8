"""Nothing is paid twice: killed at any moment, the same call goes on; another pick's store is refused."""

import functools
import itertools
import os
import subprocess
import sys
import textwrap

import pytest

from winnerstays import Arena, WinnerstaysError, errors, pick
from winnerstays.arena import Arenas


class Killed(BaseException):
    """Ends a pick from inside a judge, as a kill would."""


def killed_after(calls, asked):
    count = itertools.count(1)

    def judge(left, right, *example):
        if next(count) > calls:
            raise Killed
        asked.append((left, right, *example))
        return min(left, right) if not example or example[0] % 4 else max(left, right)

    return judge


@pytest.mark.parametrize("options", [
    {}, {"swap": "both"}, {"examples": range(12)}, {"examples": range(12), "swap": "both"}, {"concurrency": 3},
], ids=str)  # fmt: skip
def test_killed_anywhere_it_goes_on(tmp_path, options):
    """Pieces of 1, 2, 3, ... calls on one file lead to the same course as one go, and no answer is asked for twice."""
    whole_asked = []
    whole = pick(
        ["a", "b", "c", "d"], killed_after(10**6, whole_asked), seed=4, store=str(tmp_path / "whole.db"), **options
    )
    asked = []
    for calls in itertools.count(1):
        try:
            judge = killed_after(calls, asked)
            result = pick(["a", "b", "c", "d"], judge, seed=4, store=str(tmp_path / "run.db"), **options)
            break
        except Killed:
            continue
    assert result.certified and result.history == whole.history
    if options.get("concurrency", 1) == 1:  # of several at once, the answers under way are lost with the process
        assert asked == whole_asked and result.calls == whole.calls
    again = pick(["d", "c", "b", "a"], killed_after(0, []), seed=4, store=str(tmp_path / "run.db"), **options)
    assert again.history == result.history and again.best == "a"


def test_a_real_kill(tmp_path):
    """kill -9 at call 20 of a process: what was answered is not asked again."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import os, sys
        from winnerstays import pick
        last = int(sys.argv[1])
        log = open("asked.txt", "a")
        def judge(left, right):
            global last
            last -= 1
            if last < 0:
                os.kill(os.getpid(), 9)
            print(left, right, file=log, flush=True)
            return min(left, right)
        print(pick(["a", "b", "c", "d"], judge, seed=3, store="run.db", level=0.99).calls)
    """)
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(script)]
    first = subprocess.run([*command, "20"], cwd=tmp_path, env=environment, check=False, capture_output=True)
    assert first.returncode == -9 and len((tmp_path / "asked.txt").read_text().splitlines()) == 20
    second = subprocess.run(
        [*command, "1000"], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
    )
    assert int(second.stdout) == len((tmp_path / "asked.txt").read_text().splitlines())


def test_the_log_is_the_arenas(tmp_path):
    store = str(tmp_path / "run.db")
    result = pick(["a", "b", "c"], lambda left, right: min(left, right), store=store, concurrency=2, seed=1)
    with Arenas.open(store) as arenas:
        standing = arenas.get("pick").standing()
        assert arenas.replay().equal
    assert standing.favourite == "a" and standing.certified >= result.confidence >= 0.95


def test_both_ways_is_one_comparison_for_the_arena_too(tmp_path):
    """A judge who takes the left one of a and c: a tie. Of b, each comparison counts once, also after a kill."""
    count = itertools.count(1)

    def judge(left, right):
        if next(count) == 8:
            raise Killed
        return min(left, right) if "b" in (left, right) else left

    store = str(tmp_path / "run.db")
    with pytest.raises(Killed):
        pick(["a", "b", "c"], judge, store=store, swap="both", seed=1, budget=40)
    result = pick(["a", "b", "c"], judge, store=store, swap="both", seed=1, budget=40)
    with Arenas.open(store) as arenas:
        arena = arenas.get("pick both ways")
        standing, wins = arena.standing(), {(win.winner, win.loser): win.times for win in arena.totals().wins}
        said = [event.reason for event in arena.events() if event.outcome]
    decided = [(left, right, outcome) for left, right, outcome in result.history if outcome]
    assert sum(wins.values()) == len(decided) < result.duels and result.flips > 0 and ("c", "a") not in wins
    assert (standing.favourite, standing.certified) == (result.name, result.confidence)
    assert len(said) == 40 and all("the judge said" in reason for reason in said)


def test_a_store_of_another_pick_is_refused(tmp_path):
    store = str(tmp_path / "run.db")
    pick({"a": "one", "b": "two"}, lambda left, right: "tie", store=store, budget=2)
    refused = [
        (["a", "b"], {}, "whose contents were others"),
        ({"a": "one", "c": "two"}, {}, "holds another pick, of 'a', 'b'; this one is of 'a', 'c'"),
        ({"a": "one", "b": "two"}, {"swap": "both"}, "holds another pick, 'pick'; this is 'pick both ways'"),
        ({"a": "one", "b": "two"}, {"examples": [1]}, "this is 'pick with 1 examples"),
    ]
    for items, options, sentence in refused:
        with pytest.raises(WinnerstaysError, match=sentence):
            pick(items, lambda left, right: pytest.fail("a call was paid for"), store=store, **options)
    assert pick({"b": "two", "a": "one"}, lambda left, right: "tie", store=store, budget=4).calls == 4


def first(left, right):
    return min(left, right)


def last(left, right):
    return max(left, right)


class Judge:
    def __call__(self, left, right):
        return left


@pytest.mark.parametrize("other", [last, Judge(), functools.partial(last)], ids=["function", "object", "partial"])
def test_a_store_of_another_judge_is_refused(tmp_path, other):
    store = str(tmp_path / "run.db")
    assert pick(["a", "b"], first, store=store, budget=3).earlier_calls == 0
    with pytest.raises(WinnerstaysError, match="holds the answers of another judge, 'first'; this one is '"):
        pick(["a", "b"], other, store=store)
    result = pick(["a", "b"], functools.partial(first), store=store, level=0.9)  # another level goes on as well
    assert result.best == "a" and result.earlier_calls == 3 and "(3 of them in earlier runs)" in str(result)
    same = pick(["a", "b"], other, store=store, level=0.9, same_judge=True)
    assert same.best == "a" and same.calls == same.earlier_calls and "(all of them in earlier runs)" in str(same)


def test_a_judge_that_only_failed_has_said_nothing(tmp_path):
    """Whoever mistypes a command, or has a judge without an opinion, goes on with the right one."""
    store = str(tmp_path / "run.db")

    def broken(left, right):
        raise OSError("mistyped")

    def silent(left, right):
        return None

    with pytest.raises(WinnerstaysError, match="mistyped"):
        pick(["a", "b"], broken, store=store, retries=0)
    assert pick(["a", "b"], silent, store=store, budget=6).best in "ab"
    assert pick(["a", "b"], first, store=store).best == "a"
    with pytest.raises(WinnerstaysError, match="another judge, 'first'"):
        pick(["a", "b"], last, store=store)


def test_a_judge_that_took_over_goes_on(tmp_path):
    """It answers the question at which another one was killed, and is known to the store from then on."""
    store = str(tmp_path / "run.db")

    def hanging(left, right):
        raise Killed

    with pytest.raises(Killed):
        pick(["a", "b"], hanging, store=store)
    assert pick(["a", "b"], first, store=store, budget=3).calls == 3
    assert pick(["a", "b"], first, store=store, budget=4).calls == 4
    assert pick(["a", "b"], last, store=store, budget=6, same_judge=True).calls == 6
    for judge in (first, last):
        assert pick(["a", "b"], judge, store=store, budget=6).calls == 6
    with pytest.raises(WinnerstaysError, match="another judge, 'first'; this one is 'Judge'"):
        pick(["a", "b"], Judge(), store=store)


def test_who_cannot_be_known_is_not_refused(tmp_path):
    """Lambdas have no names; whose answers were used is then seen from the counts."""
    store = str(tmp_path / "run.db")
    pick(["a", "b"], lambda left, right: min(left, right), store=store, budget=3)
    assert pick(["a", "b"], first, store=store, budget=5).earlier_calls == 3
    assert pick(["a", "b"], lambda left, right: min(left, right), store=store).earlier_calls == 5


def test_a_store_of_something_else_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("not a database" * 100)
    with pytest.raises(WinnerstaysError, match=r"notes\.txt"):
        pick(["a", "b"], lambda left, right: "tie", store=str(tmp_path / "notes.txt"))
    arena = Arena.open(str(tmp_path / "lunch.db"), items=["ramen", "tacos"])
    arena.close()
    assert pick(["a", "b"], lambda left, right: "tie", store=str(tmp_path / "lunch.db"), budget=3).calls == 3


def test_a_store_without_the_optional_part_is_said_in_words_of_a_pick(tmp_path, monkeypatch):
    for module in ("alembic", "pydantic", "sqlalchemy"):
        monkeypatch.setattr(errors, "find_spec", lambda name, missing=module: None if name == missing else name)
        with pytest.raises(WinnerstaysError, match=r"A store for the answers of a pick needs .*\[arena\]"):
            pick(["a", "b"], first, store=str(tmp_path / "run.db"))


def test_long_texts_are_kept(tmp_path):
    prompts = ["Be brief. " * 50, "Explain everything. " * 50]
    store = str(tmp_path / "run.db")
    assert pick(prompts, lambda left, right: prompts[0], store=store, budget=5).calls == 5
    assert pick(prompts[::-1], lambda left, right: prompts[0], store=store).best == prompts[0]
