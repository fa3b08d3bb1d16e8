"""Nothing is paid twice: killed at any moment, the same call goes on; another pick's store is refused."""

import itertools
import os
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing

import pytest

from winnerstays import WinnerstaysError, pick
from winnerstays.picking import Answer


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
    {"examples": range(12), "swap": "auto"},
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


def rows(store, sql="SELECT left, right, example, judge, outcome, share FROM answers"):
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(sql).fetchall()


def test_the_store_is_a_log_of_answers(tmp_path):
    """Each answer is there once, with what was asked, who answered and why; a failed call is no answer."""
    calls = itertools.count(1)

    def judge(left, right, example):
        if next(calls) == 3:
            raise OSError("busy")
        return Answer(min(left, right), "it comes first", tokens=7, cost=0.5)

    store = str(tmp_path / "run.db")
    options = {"store": store, "examples": ["x", "y", "z"], "judge_id": "rubric 3", "seed": 1}
    result = pick(["a", "b"], judge, **options, retries=0)
    kept = rows(store)
    assert result.certified and len(kept) == len({row[:3] for row in kept}) == result.calls - 1 == result.duels
    assert {row[3] for row in kept} == {"rubric 3"} and {row[2] for row in kept} <= {0, 1, 2}
    assert all((row[4], row[5]) == (("left", 1.0) if row[0] == "a" else ("right", 0.0)) for row in kept)
    assert rows(store, "SELECT DISTINCT reason, tokens, cost FROM answers") == [("it comes first", 7, 0.5)]
    assert rows(store, "SELECT reason FROM log WHERE outcome = 'failed'") == [("OSError: busy",)]
    assert (result.tokens, result.cost, result.errors) == (7 * len(kept), 0.5 * len(kept), 1)


def test_an_answer_is_in_the_file_before_anything_follows_from_it(tmp_path):
    """When the judge is asked the next question, the answer to the last one can be read by others."""
    store, seen = str(tmp_path / "run.db"), []

    def judge(left, right):
        seen.append(len(rows(store)))
        return min(left, right)

    pick(["a", "b", "c"], judge, store=store, seed=1)
    assert seen == list(range(len(seen)))


def test_what_failed_is_asked_again_by_the_next_run(tmp_path):
    """The first run gives up on example 0; the second one asks for it alone."""
    store, asked = str(tmp_path / "run.db"), []

    def broken(left, right, example):
        if example == 0:
            raise OSError("refused")
        return "ab"[example % 2]

    def mended(left, right, example):
        asked.append(example)
        return "a"

    options = {"examples": range(5), "store": store, "seed": 1, "retries": 0, "backoff": 0}
    assert pick(["a", "b"], broken, **options).stop == "failed"
    result = pick(["a", "b"], mended, **options)
    assert result.certified and result.best == "a" and set(asked) == {0}


def test_two_picks_at_once_are_refused(tmp_path):
    store = str(tmp_path / "run.db")

    def judge(left, right):
        pick(["a", "b"], first, store=store, budget=5)
        return left

    with pytest.raises(WinnerstaysError, match="another pick is writing to this store"):
        pick(["a", "b"], judge, store=store)


def test_a_store_of_another_pick_is_refused(tmp_path):
    store = str(tmp_path / "run.db")
    pick({"a": "one", "b": "two"}, lambda left, right: "tie", store=store, budget=2)
    refused = [
        (["a", "b"], {}, "whose contents were others"),
        ({"a": "one", "c": "two"}, {}, "holds another pick, of 'a', 'b'; this one is of 'a', 'c'"),
        (
            {"a": "one", "b": "two"},
            {"swap": "both"},
            "with swap='random' and no examples; this one is with swap='both'",
        ),
        ({"a": "one", "b": "two"}, {"examples": [1]}, "this one is with swap='random' and 1 examples"),
    ]
    for items, options, sentence in refused:
        with pytest.raises(WinnerstaysError, match=sentence):
            pick(items, lambda left, right: pytest.fail("a call was paid for"), store=store, **options)
    assert pick({"b": "two", "a": "one"}, lambda left, right: "tie", store=store, budget=4).calls == 4


def first(left, right):
    return min(left, right)


def last(left, right):
    return max(left, right)


def test_a_store_of_another_judge_is_refused(tmp_path):
    """A judge is known by what the user says of it, not by the name of a function."""
    store = str(tmp_path / "run.db")
    assert pick(["a", "b"], first, store=store, budget=3, judge_id="rubric 1").earlier_calls == 0
    with pytest.raises(
        WinnerstaysError, match="holds the answers of another judge, 'rubric 1'; this one is 'rubric 2'"
    ):
        pick(["a", "b"], first, store=store, judge_id="rubric 2")
    result = pick(["a", "b"], last, store=store, level=0.9, budget=3, judge_id="rubric 1")
    assert result.earlier_calls == 3 and "(all of them in earlier runs)" in str(result)
    same = pick(["a", "b"], first, store=store, level=0.9, judge_id="rubric 2", same_judge=True)
    assert same.best == "a" and same.earlier_calls == 3
    assert pick(["a", "b"], first, store=store, level=0.9).calls == same.calls, "who says nothing is not refused"


def test_a_judge_that_only_failed_has_said_nothing(tmp_path):
    """Whoever mistypes a command, or has a judge without an opinion, goes on with the right one."""
    store = str(tmp_path / "run.db")

    def broken(left, right):
        raise OSError("mistyped")

    with pytest.raises(WinnerstaysError, match="mistyped"):
        pick(["a", "b"], broken, store=store, retries=0, judge_id="broken")
    assert pick(["a", "b"], lambda left, right: None, store=store, budget=6, judge_id="silent").best in "ab"
    assert pick(["a", "b"], first, store=store, judge_id="first").best == "a"
    with pytest.raises(WinnerstaysError, match="another judge, 'first'"):
        pick(["a", "b"], last, store=store, judge_id="last")


def test_a_store_of_something_else_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("not a database" * 100)
    with pytest.raises(WinnerstaysError, match=r"notes\.txt: this is no store of a pick"):
        pick(["a", "b"], first, store=str(tmp_path / "notes.txt"))
    with closing(sqlite3.connect(tmp_path / "lunch.db")) as connection:
        connection.execute("CREATE TABLE lunch (name)")
    with pytest.raises(WinnerstaysError, match=r"lunch\.db is a database of something else"):
        pick(["a", "b"], first, store=str(tmp_path / "lunch.db"))
    with pytest.raises(WinnerstaysError, match="must be the name of a file") as caught:
        pick(["a", "b"], first, store="postgresql://ada:secret@host/name")
    assert "secret" not in str(caught.value)
    with pytest.raises(WinnerstaysError, match="the store cannot be opened"):
        pick(["a", "b"], first, store=str(tmp_path / "nowhere" / "run.db"))


def test_long_texts_are_kept(tmp_path):
    prompts = ["Be brief. " * 50, "Explain everything. " * 50]
    store = str(tmp_path / "run.db")
    assert pick(prompts, lambda left, right: prompts[0], store=store, budget=5).calls == 5
    assert pick(prompts[::-1], lambda left, right: prompts[0], store=store).best == prompts[0]
