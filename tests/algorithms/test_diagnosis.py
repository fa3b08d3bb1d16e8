"""Mistakes in an algorithm of one's own: one sentence, the same from Python, the suite and the command line."""

import inspect
import sys
from dataclasses import fields, replace

import pytest

from winnerstays import Algorithm, Learner, WinnerstaysError, register, registered, simulate
from winnerstays.algorithms import registry
from winnerstays.cli.plugins import load_plugin
from winnerstays.compiling import COMPILED
from winnerstays.testing import CHECKS

OWN = """
from typing import NamedTuple
import numpy as np
from winnerstays import Algorithm, Number, below, kernel, register

class State(NamedTuple):
    wins: np.ndarray
    t: int

def init(n_arms, rng):
    return State(wins=np.zeros(n_arms), t=0)

def helper(arm):
    return arm

@kernel
def choose(state, rng):
    return below(rng, state.wins.size), below(rng, state.wins.size)

@kernel
def update(state, first, second, first_won, rng):
    state.wins[first if first_won else second] += 1
    return state._replace(t=state.t + 1)

@kernel
def best(state):
    return int(np.argmax(state.wins))

own = register(Algorithm("NAME", "Count wins", init, choose, update, best))
"""
CHOOSE = "return below(rng, state.wins.size), below(rng, state.wins.size)"
UPDATE = "return state._replace(t=state.t + 1)"
BEST = "return int(np.argmax(state.wins))"
RECORD = "state.wins[first if first_won else second] += 1"


def written(folder, number, *changes):
    """A file with the algorithm and a mistake in it; its name is one of its own, as modules are loaded once."""
    name = f"own{number}"
    text = OWN.replace("NAME", name)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / f"{name}.py"
    path.write_text(text)
    return name, path


ANYWHERE = [
    ("wins=np.zeros(n_arms)", "wins=[0.0] * n_arms", "State.wins is a list, but a State holds numbers"),
    ("t=0)", "t='x')", "State.t is a str, but a State holds numbers"),
    ("t=0)", "t={})", "State.t is a dict, but a State holds numbers"),
    ("np.zeros(n_arms)", "np.zeros(n_arms, np.float16)", "State.wins is an array of float16, which cannot be compiled"),
    ("np.zeros(n_arms)", "np.zeros(n_arms, object)", "State.wins is an array of object, which cannot be compiled"),
    ("np.zeros(n_arms)", "np.zeros(n_arms, complex)", "State.wins is an array of complex128"),
    ("np.zeros(n_arms)", "np.zeros(n_arms, np.uint8)", "counts to 255 and then runs over unnoticed; use np.int64"),
    ("np.zeros(n_arms)", "np.zeros(n_arms, np.int16)", "counts to 32767 and then runs over unnoticed"),
    ("@kernel\ndef choose", "def choose", "choose (FILE, line 16) is not marked as a kernel; write @kernel above it."),
    ("@kernel\ndef best", "def best", "best (FILE, line 25) is not marked as a kernel"),
    (UPDATE, "pass", "update returned nothing; end it with `return state`."),
    (UPDATE, "state.t += 1\n    return state", "update assigns to a field of the State (FILE, line 23), but"),
    (UPDATE, "return state._replace(t=state.t + 0.5)", "after update, State.t is a number, but init made it a whole"),
    (UPDATE, "return state.wins", "update returned a ndarray, but it must return the State"),
    ("return State(wins=np.zeros(n_arms), t=0)", "State(wins=np.zeros(n_arms), t=0)", "init returned nothing, but"),
    ("return State(wins=np.zeros(n_arms), t=0)", "return [0]", "init returned a list, but it must return the State"),
    ("np.zeros(n_arms)", "np.zeros(n_arms) / missing", "init failed: NameError: name 'missing' is not defined (FILE"),
    (CHOOSE, "return 0", "choose returned 0, but it must return two arms"),
    (CHOOSE, "return 99, 0", "NAME chose an arm that does not exist; the 5 arms are 0 to 4."),
    (CHOOSE, "return 1 // state.t, 0", "choose failed: ZeroDivisionError: integer division or modulo by zero (FILE"),
    (CHOOSE, "return state.nothing, 0", "choose names State.nothing (FILE, line 18), but there is no such field"),
    (RECORD, "state.wons[first] += 1", "update names State.wons (FILE, line 22), but there is no such field; did you"),
    (UPDATE, "return state._replace(time=1)", "update names State.time (FILE, line 23), but there is no such field"),
    (BEST, "pass", "best returned None, but it must return an arm, a whole number from 0 to"),
    (BEST, "return -1", "best returned -1, but it must return an arm, a whole number from 0 to"),
    (CHOOSE, "return True, False", "choose returned (True, False), but it must return two arms, whole numbers"),
    (CHOOSE, "return missing, 0", "choose uses missing (FILE, line 18), which is not defined"),
    (RECORD, "if state.t > 9:\n        missing(1)", "update uses missing (FILE, line 23), which is not defined"),
    ("def choose(state, rng)", "def choose(state)", "choose (FILE, line 16) takes (state), but it is given"),
    ("def choose(state, rng)", "def choose(rng, state)", "choose (FILE, line 16) takes (rng, state), but it is given"),
    ("def best(state)", "def best(state, rng)", "best (FILE, line 25) takes (state, rng), but it is given (state)"),
    ("init(n_arms, rng)", "init(n_arms, rng, gain)", "init (FILE, line 10) takes (n_arms, rng, gain), but it is given"),
    ("t=0)", "t=2**70)", "State.t is 1180591620717411303424, but whole numbers in a State have at most 63 bits"),
]  # fmt: skip
COMPILING = [
    (CHOOSE, "return int(np.zeros(3)[0]), 0", "choose (FILE, line 18) makes a new array, list or text, which"),
    (CHOOSE, "return [0, 1][0], 0", "choose (FILE, line 18) makes a new array, list or text"),
    (RECORD, "state.wins[:] = state.wins + 1", "update (FILE"),
    (BEST, "return len(str(state.t)) - 1", "best (FILE"),
    (CHOOSE, "return helper(0), 1", "choose (FILE, line 18) calls helper, which is not marked as a"),
    (RECORD, "if state.t > 9:\n        state.wons[0] = 1", "update names State.wons (FILE, line 23), but"),
    (RECORD, "if state.t > 9:\n        return state._replace(time=1)", "update names State.time (FILE, line 23), but"),
    (RECORD, "if state.t > 9:\n        return state._replace(t=0.5)", "update (FILE, line 23) puts a fraction into"),
    (CHOOSE, "if state.t < 9:\n        return 0, 1", "choose (FILE, line 16) does not always return two arms, whole"),
    (CHOOSE, "if state.t > 9:\n        return 0.5, 1.0\n    return 0, 1", "choose (FILE, line 16) does not always"),
    (BEST, "if state.t > 9:\n        return 0.5\n    return 0", "best (FILE, line 25) does not always return an arm"),
    (CHOOSE, "import random\n    return 0, 1", "choose (FILE, line 18) has a statement that kernels may not have (imp"),
    (CHOOSE, "x = 1 if state.t else 'no'\n    return 0, 1", "gives one variable values of two types, int and str"),
    (CHOOSE, "return below(state.wins.size, rng), 1", "choose failed: it calls a kernel with something that"),
]  # fmt: skip
"""These are found by compiling; as plain Python they do no harm."""


@pytest.mark.parametrize("number", range(len(ANYWHERE) + (len(COMPILING) if COMPILED else 0)))
def test_a_mistake_gets_the_same_sentence_everywhere(tmp_path, number, run):
    old, new, sentence = [*ANYWHERE, *COMPILING][number]
    name, path = written(tmp_path, number, (old, new))
    code, _, errors = run("simulate", "mslr", name, "--plugin", str(path), "--horizon", "10", "--runs", "1")
    assert code == 2 and errors.count("\n") == 1
    said = errors.removeprefix("winnerstays: ").strip()
    assert sentence.replace("FILE", path.name).replace("NAME", name) in said
    own = registered()[name]
    for ask in (
        lambda: simulate("mslr", own, horizon=10, runs=1),
        lambda: Learner(own, items=list("abcde")),
        lambda: CHECKS[0](own),
    ):
        with pytest.raises((WinnerstaysError, AssertionError)) as caught:
            ask()
        assert str(caught.value) == said or "chose an arm" in said or "from 0 to" in said


def test_counters_too_small_for_the_horizon(tmp_path):
    name, path = written(tmp_path, "counter", ("np.zeros(n_arms)", "np.zeros(n_arms, np.int32)"))
    load_plugin(path)
    simulate("mslr", name, horizon=1000, runs=1)
    with pytest.raises(WinnerstaysError, match="array of int32, which counts to 2147483647 and then runs over"):
        simulate("mslr", name, horizon=2**31, runs=1, times=[1])


def test_a_failure_late_in_a_run_is_a_sentence_too(tmp_path):
    name, path = written(tmp_path, "late", (CHOOSE, "return 1 // (state.t - 7) + 1, 0"))
    load_plugin(path)
    with pytest.raises(WinnerstaysError, match=f"{name}: it failed while playing: ZeroDivisionError"):
        simulate("mslr", name, horizon=20, runs=1)


def test_what_is_right_is_left_alone(tmp_path):
    """Unregistered, with parameters, and registered again, as by running a cell of a notebook twice."""
    name, path = written(
        tmp_path, "right", ("init(n_arms, rng)", "init(n_arms, rng, boost)"),
        ("np.zeros(n_arms)", "np.full(n_arms, boost)"),
        ("update, best)", "update, best, parameters={'boost': Number(1.0, 'wins at the start', minimum=0)})"),
    )  # fmt: skip
    load_plugin(path)
    load_plugin(path)
    own = registered()[name]
    del registry._registry[name]
    result = simulate("mslr", [own, own(boost=3)], horizon=100, runs=2)
    assert [curve.label for curve in result.of_regret("weak-binary")] == [name, f"{name} boost=3.0"]
    with pytest.raises(WinnerstaysError, match="but it must be a Number, Whole or Choice"):
        replace(own, parameters={"boost": 1.0})
    with pytest.raises(WinnerstaysError, match="boost is -1, but it must be a finite number at least 0"):
        own(boost=-1)


def test_a_copied_file_is_compiled_for_itself(tmp_path):
    """Machine code that was kept for one file names its State; a copy with another name must not import that."""
    results = []
    for number, gain in enumerate(("1", "1")):
        text = OWN.replace("NAME", "copied").replace("+= 1\n", f"+= {gain}\n")
        path = tmp_path / f"copy{number}.py"
        path.write_text(text)
        load_plugin(path)
        result = simulate("mslr", "copied", horizon=50, runs=2, times=[50], regrets="weak-binary", workers=1)
        results.append(result.records[0].ravel().tolist())
        del registry._registry["copied"], sys.modules[path.stem]
    assert results[0] == results[1]


@pytest.mark.parametrize("name", ["random", "numpy", "winnerstays", "__main__"])
def test_a_file_with_the_name_of_a_module_is_refused(tmp_path, name):
    path = tmp_path / f"{name}.py"
    path.write_text(OWN)
    with pytest.raises(WinnerstaysError, match=f"{name} is the name of an installed module; rename the file"):
        load_plugin(path)


def test_help_explains_every_field():
    shown = inspect.getdoc(Algorithm)
    assert "update, best, certain=..., leap=..." in str(inspect.signature(Algorithm))
    missing = [field.name for field in fields(Algorithm) if f"\n{field.name}: " not in shown]
    assert not missing


def test_a_cell_of_a_notebook_may_register_again():
    """Each run of a cell has a file name of its own; the module is __main__ each time. Built-in names stay taken."""
    runs = []
    for number in (1, 2):
        space = {"__name__": "__main__"}
        text = OWN.replace("NAME", "cell").replace("np.zeros(n_arms)", f"np.full(n_arms, {number}.0)")
        exec(compile(text, f"<cell {number}>", "exec"), space)
        runs.append(space["own"])
    assert registered()["cell"] is runs[1]
    assert simulate("mslr", "cell", horizon=20, runs=1).runs == 1
    with pytest.raises(WinnerstaysError, match="The name 'ws-w' is taken by another algorithm"):
        register(replace(runs[1], name="ws-w"))
