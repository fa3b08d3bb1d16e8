"""Mistakes in an algorithm of one's own: one sentence, the same from Python, the suite and the command line."""

import inspect
import re
import signal
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import fields, replace

import pytest

from winnerstays import Algorithm, Learner, Number, WinnerstaysError, kernel, register, registered, simulate
from winnerstays.algorithms import registry, rehearsal
from winnerstays.cli.plugins import load_plugin
from winnerstays.compiling import COMPILED, recurses
from winnerstays.simulation import experiment, patience
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
METHOD = """
class Own:
    @kernel
    def choose(self, state, rng):
        return 0, 1

choose = Own().choose
own = register("""
KEPT = "arm = below(rng, 3)\n    state.wins[-1] = 0.5 + arm\n    return arm, below(rng, 3)"
"""What a duel leaves is there for update and best; a second look at the same question writes the same."""


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
    (UPDATE, "pass", "update (FILE, line 20) returned nothing; end it with `return state`."),
    (UPDATE, "state.t += 1\n    return state", "update assigns to a field of the State (FILE, line 23), but"),
    (UPDATE, "return state._replace(t=state.t + 0.5)", "update (FILE, line 20) makes State.t a number, but init made"),
    (UPDATE, "return state.wins", "update (FILE, line 20) returned an array, but it must return the State"),
    ("return State(wins=np.zeros(n_arms), t=0)", "State(wins=np.zeros(n_arms), t=0)", "init (FILE, line 10) returned"),
    ("return State(wins=np.zeros(n_arms), t=0)", "return [0]", "init (FILE, line 10) returned a list, but it must"),
    ("class State(NamedTuple):", "import dataclasses\n@dataclasses.dataclass\nclass State:", "init (FILE, line "
     "12) returned a State, but it must return a NamedTuple, as `class State(NamedTuple)` makes"),
    ("np.zeros(n_arms)", "np.zeros(n_arms) / missing", "init failed: NameError: name 'missing' is not defined (FILE"),
    (CHOOSE, "return 0", "choose (FILE, line 16) returned 0, but it must return two arms"),
    (CHOOSE, "return 99, 0", "choose (FILE, line 16) returned (99, 0), but the arms are 0 to 4."),
    (CHOOSE, "return 1 // state.t, 0", "choose failed: ZeroDivisionError: integer division or modulo by zero (FILE"),
    (CHOOSE, "return state.nothing, 0", "choose names State.nothing (FILE, line 18), but there is no such field"),
    (RECORD, "state.wons[first] += 1", "update names State.wons (FILE, line 22), but there is no such field; did you"),
    (UPDATE, "return state._replace(time=1)", "update names State.time (FILE, line 23), but there is no such field"),
    (BEST, "pass", "best (FILE, line 25) returned None, but it must return an arm, a whole number from 0 to"),
    (BEST, "return -1", "best (FILE, line 25) returned -1, but it must return an arm"),
    (CHOOSE, "return True, False", "choose (FILE, line 16) returned (True, False), but it must"),
    (CHOOSE, "return missing, 0", "choose (FILE, line 18) uses missing, which is not defined"),
    (RECORD, "if state.t > 9:\n        missing(1)", "update (FILE, line 23) uses missing, which is not defined"),
    ("def choose(state, rng)", "def choose(state)", "choose (FILE, line 16) takes (state), but it is given"),
    ("def choose(state, rng)", "def choose(rng, state)", "choose (FILE, line 16) takes (rng, state), but it is given"),
    ("def best(state)", "def best(state, rng)", "best (FILE, line 25) takes (state, rng), but it is given (state)"),
    ("init(n_arms, rng)", "init(n_arms, rng, gain)", "init (FILE, line 10) takes (n_arms, rng, gain), but it is given"),
    (CHOOSE, "return helper(0), 1", "choose (FILE, line 18) calls helper, which is not marked as a kernel; write @ker"),
    (CHOOSE, "import random\n    return 0, 1", "choose (FILE, line 18) has an import, which kernels may not; import"),
    (CHOOSE, "return below(state.wins.size, rng), 1", "choose (FILE, line 18) calls below(rng, n) with an int in the"),
    (CHOOSE, "return below(rng, state.wins.size - 5), 1", "choose (FILE, line 18) calls below(rng, 0), but it must be"),
    (CHOOSE, "return below(rng, state.wins.size / 2), 1", "choose (FILE, line 18) calls below(rng, 2.5), but it must"),
    (CHOOSE, "return below(rng), 1", "choose failed: TypeError: below() missing 1 required positional argument: 'n'"),
    (CHOOSE, "return np.random.randint(2), 1", "choose (FILE, line 18) uses np.random.randint; draw all randomness fr"),
    (CHOOSE, "return int(rng.random()), 1", "choose (FILE, line 18) uses rng.random, but rng is no generator of NumPy"),
    (CHOOSE, "state.wins[0] += 1\n    return 0, 1", "choose (FILE, line 18) changes State.wins, but it may change not"),
    (BEST, "state.wins[0] += 1\n    return 0", "best (FILE, line 27) changes State.wins, but it may change nothing"),
    (CHOOSE, KEPT, "choose (FILE, line 19) changes State.wins, but it may change nothing in the State; update may."),
    (BEST, "return state.wins[0]", "best (FILE, line 25) returned 0.0, but it must return an arm, a whole number from"),
    (BEST, "return np.argmacs(state.wins)", "best (FILE, line 27) uses np.argmacs, which np does not have; it has np."),
    (BEST, "yield 0", "best (FILE, line 25) has a `yield`, which kernels may not"),
    (RECORD, "state.wins[state.t] += 1", "update failed: IndexError: index 5 is out of bounds for axis 0 with size 5"),
    (RECORD, "state.wins[0] /= state.wins[1]", "update failed: ZeroDivisionError: division by zero (FILE, line 22)"),
    (RECORD, "global N\n    N = 1", "update (FILE, line 23) changes a global name, which lives on from run to run; ke"),
    (UPDATE, "return state._replace(wins=state.wins[::-1])", "update (FILE, line 20) makes State.wins an array of flo"),
    (UPDATE, "return state._replace(t=state.t * 9 + 1)", "whole numbers in a State have at most 63 bits"),
    (UPDATE, "state._replace(t=1)\n    return state", "update (FILE, line 23) makes a new State and drops it; write"),
    (UPDATE, "new = state._replace(t=1)\n    return state", "update (FILE, line 23) makes a new State and drops it"),
    (UPDATE, "return state._replace(t=state.t * 9 + 1)", "update (FILE, line 20) returned a State in which State.t is"),
    (RECORD, "state.wins[first] = np.nan", "update (FILE, line 22) puts NaN into State.wins, with which every compari"),
    (RECORD, "state.wins.fill(np.nan)", "update (FILE, line 20) puts NaN into State.wins, with which every comparison"),
    (RECORD, "state.wins[0] = np.log(state.wins[1] - 1)", "update (FILE, line 22) computes NaN, with which"),
    (RECORD, "state.wins[0] = state.wins[0] * 1e10 + 1", "update (FILE, line 22) puts more than 1.8e+308 into"),
    ("np.zeros(n_arms)", "np.full(n_arms, 2**63 - 9)", "update (FILE, line 22) puts more than 9.22e+18 into S"),
    ("np.zeros(n_arms)", "np.full(n_arms, 2**31 - 9, np.int32)", "update (FILE, line 22) puts more than 2.15e+09 into"),
    ("def init", "@kernel\ndef init", "init (FILE, line 10) is marked as a kernel, but it makes arrays"),
    ("wins=np.zeros(n_arms)", "wins=np.random.rand(n_arms)", "init (FILE, line 11) uses np.random.rand; draw all rand"),
    ("np.zeros(n_arms)", "np.random.default_rng(0).random(n_arms)", "init (FILE, line 11) uses np.random.default_"),
    ("(state, rng)", "(state, rng, eps=0.1)", "choose (FILE, line 16) takes (state, rng, eps), but it is given (sta"),
    ("choose(state, rng)", "choose(state, *rng)", "choose (FILE, line 16) takes (state, *rng), but it is given (st"),
    ("own = register(", METHOD, "choose (FILE, line 31) is a method; kernels are functions outside of classes."),
    ("wins=np.zeros(n_arms)", "wins=np.empty(n_arms)", "init (FILE, line 10) leaves State.wins as np.empty made it"),
    ("wins=np.zeros(n_arms)", "wins=np.full(n_arms, np.random.default_rng().random())", "another State"),
    ("t=0)", "t=None)", "State.t is None, but a State holds numbers and NumPy arrays; make it an array, as np"),
    ("init, choose, update, best", "init, update, choose, best", "the function given as choose is update (FILE, line"),
    ("t=0)", "t=2**70)", "State.t is 1180591620717411303424, but whole numbers in a State have at most 63 bits"),
]  # fmt: skip
COMPILING = [
    (CHOOSE, "return int(np.zeros(3)[0]), 0", "choose (FILE, line 18) makes a new array, list or text, which"),
    (CHOOSE, "return [0, 1][0], 0", "choose (FILE, line 18) makes a new array, list or text"),
    (RECORD, "state.wins[:] = state.wins + 1", "update (FILE"),
    (BEST, "return len(str(1)) - 1", "best (FILE, line 27) makes a new array, list or text"),
    (RECORD, "if state.t > 9999:\n        state.wons[0] = 1", "update names State.wons (FILE, line 23), but"),
    (RECORD, "if state.t > 9999:\n        return state._replace(time=1)", "update names State.time (FILE, line 23), b"),
    (RECORD, "if state.t > 9999:\n        return state._replace(t=0.5)", "update (FILE, line 23) puts a fraction into"),
    (CHOOSE, "if state.t < 9999:\n        return 0, 1", "choose (FILE, line 16) does not always return two arms, whol"),
    (CHOOSE, "if state.t > 9999:\n        return 0.5, 1.0\n    return 0, 1", "choose (FILE, line 16) does not always"),
    (BEST, "if state.t > 9999:\n        return 0.5\n    return 0", "best (FILE, line 25) does not always return an ar"),
    (CHOOSE, "x = 1 if state.t else 'no'\n    return 0, 1", "gives one variable values of two types, int and str"),
]  # fmt: skip
"""These are found by compiling; as plain Python they do no harm."""


NUMBERS = r"-?\d+(\.\d+)?"


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
        assert re.sub(NUMBERS, "#", str(caught.value)) == re.sub(NUMBERS, "#", said), "but for the number of arms"


INNER = """
@kernel
def value(state, arm):
    MISTAKE
    return state.wins[arm]

@kernel
def best(state):
    return top(state)

@kernel
def top(state):
    found = 0
    for arm in range(state.wins.size):
        if value(state, arm) > value(state, found):
            found = arm
    return found
"""
DEEP = [
    ("return state.wins[arm + 1]", "value failed: IndexError: index 5 is out of bounds for axis 0 with size 5 (FILE,"),
    ("return state.wons[arm]", "value names State.wons (FILE, line 28), but there is no such field; did you mean wins"),
    ("return 1.0 / state.wins[arm]", "value failed: ZeroDivisionError: division by zero (FILE, line 28)"),
    ("return helper(state)[0]", "value (FILE, line 28) calls helper, which is not marked as a kernel"),
    ("return value(state, arm)", "value (FILE, line 28) calls itself without end; let it stop, or write a loop"),
    ("return top(state)", "top (FILE, line 35) calls itself through others (top calls value calls top); write a lo"),
    ("return", "top failed: TypeError: '>' not supported between instances of 'NoneType' and 'NoneType'; value (FILE,"),
    ("state.wins[arm] += 1", "value (FILE, line 28) changes State.wins, but best may change nothing in the State"),
    ("shuffle(state.wins, np.array([1, state.t], np.uint64))", "value (FILE, line 28) changes State.wins, but best"),
    ("try:\n        return 1 / arm\n    except ZeroDivisionError:\n        return 0.0", "value (FILE, line 30) has a"),
    ("try:\n        return state.wins[arm + 1]\n    except Exception:\n        pass", "value (FILE, line 30) has a `"),
    ("try:\n        arm += 1\n    finally:\n        arm -= 1", "has a `try`, which kernels may not; look with an `if`"),
    ("SHARED[1] = 1", "value (FILE, line 29) writes to SHARED, an array outside of the State; keep it in the State"),
]  # fmt: skip
DEEP_COMPILING = [
    ("return state.wins.max()", "value (FILE, line 28) uses .max() of an array, which kernels may not; write max(w)"),
    ("return state.wins[1:].min()", "uses .min() of an array, which kernels may not; write min(w) or w[np.argmin(w)],"),
    ("return np.max(state.wins)", "value (FILE, line 28) uses np.max of an array, which kernels may not; write max(w)"),
    ("return np.amin(state.wins)", "value (FILE, line 28) uses np.min of an array, which kernels may not; write"),
    ("return np.median(state.wins)", "uses np.median, which makes a new array, as no kernel may; write a loop."),
    ("if state.t < 0:\n        state.wins[:] *= 0.9", "value (FILE, line 29) changes a part of an array at once, whi"),
    ("if state.t < 0:\n        state.wins[1:] = state.wins[:-1]", "writes an array into another, which makes a new on"),
    ("if state.t < 0:\n        state.wins.sort()", "value (FILE, line 29) sorts, which kernels may not; write a loop"),
    ("return np.zeros(3)[0]", "value (FILE, line 28) makes a new array, list or text, which kernels may not"),
    ("if state.t > 9999:\n        return np.zeros(3)[0]", "value (FILE, line 29) makes a new array, list or text"),
    ("return np.einsum('i->', state.wins)", "value (FILE, line 28) uses numpy.einsum, which cannot be compiled"),
    ("print(arm)", "value (FILE, line 28) prints, which kernels may not; with WINNERSTAYS_COMPILE=0 they may"),
    ("return max(range(2), key=lambda i: state.wins[i])", "value (FILE, line 28) has a function in it that uses"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(DEEP) + (len(DEEP_COMPILING) if COMPILED else 0)))
def test_the_innermost_kernel_is_blamed(tmp_path, number):
    mistake, sentence = [*DEEP, *DEEP_COMPILING][number]
    whole = f"@kernel\ndef best(state):\n    {BEST}\n"
    imports = [("import Algorithm,", "import shuffle, Algorithm,")] if "shuffle" in mistake else []
    shared = [("def helper", "SHARED = np.zeros(50)\ndef helper")] if "SHARED" in mistake else []
    changes = (whole, INNER.replace("MISTAKE", mistake)), (RECORD, "state.wins[first] += 1 + 2 * first"), *imports
    name, path = written(tmp_path, f"deep{number}", *changes, *shared)
    load_plugin(path)
    with pytest.raises(WinnerstaysError) as caught:
        simulate("mslr", name, horizon=10, runs=1)
    assert sentence.replace("FILE", path.name) in str(caught.value) and caught.value.__cause__ is None


def test_a_fraction_is_not_cut_off_silently(tmp_path):
    """A whole number may be written as 1.0; what is NaN or infinite at the start may stay so."""
    whole, half = ("np.zeros(n_arms)", "np.zeros(n_arms, int)"), (RECORD, "state.wins[first] += 0.5")
    name, path = written(tmp_path, "half", whole, half)
    load_plugin(path)
    with pytest.raises(
        WinnerstaysError, match=f"update .{path.name}, line 22. puts a fraction into State.wins, but in"
    ):
        simulate("mslr", name, horizon=10, runs=1)
    for number, changes in enumerate(
        (
            (whole, (RECORD, "state.wins[first] += 1.0")),
            (("np.zeros(n_arms)", "np.full(n_arms, np.nan)"), (RECORD, "state.wins[first] = np.nan")),
            (("np.zeros(n_arms)", "np.full(n_arms, np.inf)"), (RECORD, "state.wins[first] = -np.inf")),
        )
    ):
        name, path = written(tmp_path, f"whole{number}", *changes)
        load_plugin(path)
        simulate("mslr", name, horizon=10, runs=1)


def test_an_init_that_fails_in_some_runs_only_is_named_too(tmp_path):
    name, path = written(tmp_path, "unlucky", ("t=0)", "t=int(1 / (n_arms - 5 if below(rng, 50) == 7 else 1)))"))
    load_plugin(path)
    with pytest.raises(WinnerstaysError, match=rf"{name}: init failed: ZeroDivisionError: .* \({path.name}, line 11\)"):
        simulate("mslr", name, horizon=1, runs=300)


def test_what_lives_on_from_run_to_run_is_refused(tmp_path):
    """An array behind the State, and one that a kernel writes to."""
    shared = ("wins=np.zeros(n_arms)", "wins=SHARED[:n_arms]"), ("def helper", "SHARED = np.zeros(50)\ndef helper")
    name, path = written(tmp_path, "shared", *shared)
    load_plugin(path)
    with pytest.raises(WinnerstaysError, match=r"gives every run the same array as State\.wins"):
        simulate("mslr", name, horizon=10, runs=1)
    name, path = written(tmp_path, "global", (RECORD, "SHARED[first] += 1"), shared[1])
    load_plugin(path)
    with pytest.raises(WinnerstaysError, match=r"update \(ownglobal.py, line 23\) writes to SHARED, an array out"):
        simulate("mslr", name, horizon=10, runs=1)


def test_scratch_and_tables_are_left_alone(tmp_path):
    """np.empty that is written before it is read, and an array that all runs read."""
    changes = [
        ("wins=np.zeros(n_arms), t=0", "wins=np.zeros(n_arms), t=0, scratch=np.empty(n_arms), table=TABLE"),
        ("t: int", "t: int\n    scratch: np.ndarray\n    table: np.ndarray"),
        ("def helper", "TABLE = np.ones(50)\ndef helper"),
        (RECORD, "state.scratch[0] = state.table[first]\n    state.wins[first] += state.scratch[0]"),
    ]
    name, path = written(tmp_path, "scratch", *changes)
    load_plugin(path)
    assert simulate("mslr", name, horizon=10, runs=1).runs == 1


def test_choose_and_best_may_compute_in_an_array_of_the_state(tmp_path):
    """Written anew each time before it is read, as kernels can make no arrays; not what is read from last time."""
    state = [
        ("wins=np.zeros(n_arms), t=0", "wins=np.zeros(n_arms), t=0, scratch=np.empty(n_arms)"),
        ("t: int", "t: int\n    scratch: np.ndarray"),
    ]
    lines = "for arm in range(state.wins.size):\n        state.scratch[arm] = SIGNstate.wins[arm]\n    "
    drawn = lines.replace("SIGN", "uniform(rng) - ") + "return int(np.argmax(state.scratch)), 0"
    looked = lines.replace("SIGN", "-") + "return int(np.argmin(state.scratch))"
    draws = ("import Algorithm,", "import uniform, Algorithm,")
    name, path = written(tmp_path, "scratches", *state, (CHOOSE, drawn), (BEST, looked), draws)
    load_plugin(path)
    assert simulate("mslr", name, horizon=300, runs=1).runs == 1
    turns = "state.scratch[0] = 1 - state.scratch[0]\n    return int(state.scratch[0]), 0"
    name, path = written(tmp_path, "turns", *state, ("np.empty", "np.zeros"), (CHOOSE, turns))
    load_plugin(path)
    with pytest.raises(WinnerstaysError, match=r"choose \(ownturns.py, line 19\) changes State.scratch, but it may"):
        simulate("mslr", name, horizon=10, runs=1)


def test_own_modules_may_be_called_like_those_that_draw(tmp_path, monkeypatch):
    """Only the modules themselves are refused, not what begins like them."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "random_helpers.py").write_text("from winnerstays import kernel\n@kernel\ndef one(x):\n    return x")
    changes = (RECORD, "state.wins[one(first)] += 1"), ("def helper", "from random_helpers import one\ndef helper")
    name, path = written(tmp_path, "helped", *changes)
    load_plugin(path)
    assert simulate("mslr", name, horizon=10, runs=1).runs == 1


def test_a_kernel_may_call_itself(tmp_path):
    whole = f"@kernel\ndef best(state):\n    {BEST}\n"
    ending = "if arm == 0:\n        return 0.0\n    return 1.0 + value(state, arm - 1)"
    name, path = written(tmp_path, "recursive", (whole, INNER.replace("MISTAKE", ending)))
    load_plugin(path)
    assert simulate("mslr", name, horizon=10, runs=1).runs == 1


REDUCTIONS = (
    "state.wins.sum()", "np.sum(state.wins[1:])", "state.wins.mean()", "np.prod(state.wins)", "np.var(state.wins)",
    "state.wins.std()", "state.wins.any() * 1", "state.wins.all() * 1",
    "np.dot(state.wins, state.wins)", "max(state.wins)", "min(state.wins[1:])", "sum(state.wins)",
    "state.wins[np.argmin(state.wins)]",
)  # fmt: skip


def test_reductions_that_the_documentation_allows(tmp_path):
    whole = f"@kernel\ndef best(state):\n    {BEST}\n"
    total = f"return {' + '.join(REDUCTIONS)}"
    name, path = written(tmp_path, "reductions", (whole, INNER.replace("MISTAKE", total)))
    load_plugin(path)
    assert simulate("mslr", name, horizon=10, runs=1).runs == 1


@pytest.mark.parametrize("beside", [True, False], ids=["its own helper", "choose itself"])
def test_what_calls_itself_works_in_every_process(tmp_path, beside):
    """The compiler's code for it could be kept, but not loaded: the second process was killed."""
    ending = "if arm == 0:\n        return 0\n    return depth(arm - 1)"
    helper = ("def helper(arm):\n    return arm", f"@kernel\ndef depth(arm):\n    {ending}")
    called = (CHOOSE, "return depth(3), 1")
    if not beside:
        called = (CHOOSE, "if state.t > 0:\n        return choose(state._replace(t=state.t - 1), rng)\n    return 0, 1")
    name, path = written(tmp_path, f"again{beside:d}", helper, called)
    command = [sys.executable, "-m", "winnerstays", "simulate", "mslr", name, "--plugin", path.name]
    for _ in range(2):
        done = subprocess.run(
            [*command, "--horizon", "10", "--runs", "1"], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


def test_only_what_calls_itself_recurses():
    """Not a function whose State has a field of its name."""
    space = {"__name__": "__main__"}
    text = "from winnerstays import kernel\n@kernel\ndef best(state):\n    return state.best\n"
    text += "@kernel\ndef down(n):\n    return down(n - 1) if n else 0\n@kernel\ndef calls(n):\n    return down(n)\n"
    exec(compile(text, "<cell 1>", "exec"), space)
    assert [recurses(space[name]) for name in ("best", "down", "calls")] == [False, True, True]


def test_what_was_redefined_is_not_used_silently():
    """As by a later cell of a notebook: a helper kernel, and a constant, also in a new Algorithm.

    Plain functions look their names up each time, and play what is there now.
    """
    space = {"__name__": "__main__"}
    text = OWN.replace("NAME", "redefined").replace("def helper", "ONE = 1\n@kernel\ndef helper")
    text = text.replace(RECORD, "state.wins[helper(first)] += ONE")
    exec(compile(text, "<cell 1>", "exec"), space)
    simulate("mslr", space["own"], horizon=20, runs=1)
    space["ONE"] = int("1")
    simulate("mslr", space["own"], horizon=20, runs=1)
    for cell, name in (("ONE = 2", "ONE"), ("ONE = 1\n@kernel\ndef helper(arm):\n    return 0", "helper")):
        exec(compile(cell, "<cell 2>", "exec"), space)
        said = pytest.raises(WinnerstaysError, match=f"{name} was redefined since update was compiled")
        with said if COMPILED else nullcontext():
            simulate("mslr", replace(space["own"], title="new"), horizon=20, runs=1)


def test_an_array_that_was_changed_is_not_used_silently():
    """Plain functions look at the array each time."""
    space = {"__name__": "__main__"}
    text = OWN.replace("NAME", "changed").replace("def helper", "GAIN = np.array([1.0, np.nan])\ndef helper")
    exec(compile(text.replace(RECORD, "state.wins[first] += GAIN[0]"), "<cell 1>", "exec"), space)
    simulate("mslr", space["own"], horizon=20, runs=2)
    space["GAIN"][0] = 2
    said = pytest.raises(WinnerstaysError, match="GAIN was changed since update was compiled, which goes on")
    with said if COMPILED else nullcontext():
        simulate("mslr", space["own"], horizon=20, runs=1)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: register("x", "X"), "register: too many positional arguments; it takes (algorithm)."),
        (lambda: Number(0.5), "Number lacks meaning; it is called as Number(default, meaning, ...)."),
        (lambda: kernel(fastmath=True), "@kernel is written above a function, without brackets; it takes no fastmath."),
    ],
)
def test_calls_that_do_not_fit_are_sentences(call, sentence):
    with pytest.raises(WinnerstaysError, match=re.escape(sentence)):
        call()


def test_a_function_that_never_ends_is_named(tmp_path, monkeypatch, capsys):
    name, path = written(tmp_path, "endless", (CHOOSE, "while state.t >= 0:\n        hang()"), ("def helper", HANG))
    load_plugin(path)
    monkeypatch.setattr(rehearsal, "PATIENCE", 0.05)
    with pytest.raises(KeyboardInterrupt):
        simulate("mslr", name, horizon=20, runs=1)
    said = capsys.readouterr().err
    place = f"{path.name}, line "
    assert f"{name}: after 0.05 seconds still in hang ({place}18), called by choose ({place}27)." in said
    assert f"{name}: interrupted in hang ({place}19)." in said


HANG = """
from threading import Event

@kernel
def hang():
    Event().wait(0.2)
    raise KeyboardInterrupt

def helper"""


def test_counters_too_small_for_the_horizon(tmp_path):
    name, path = written(tmp_path, "counter", ("np.zeros(n_arms)", "np.zeros(n_arms, np.int32)"))
    load_plugin(path)
    simulate("mslr", name, horizon=1000, runs=1)
    with pytest.raises(WinnerstaysError, match="array of int32, which counts to 2147483647 and then runs over"):
        simulate("mslr", name, horizon=2**31, runs=1, times=[1])


def test_a_failure_late_in_a_run_is_a_sentence_too(tmp_path):
    name, path = written(tmp_path, "late", (CHOOSE, "return 1 // (state.t - 777) + 1, 0"))
    load_plugin(path)
    with pytest.raises(WinnerstaysError, match=f"{name}: choose failed: ZeroDivisionError: .* by zero .{path.name}, l"):
        simulate("mslr", name, horizon=1000, runs=1)


LATE_INDEX = (RECORD, "state.wins[first] += state.wins[max(0, state.t - 995)]")


def test_an_index_out_of_range_late_in_a_run_has_its_place(tmp_path):
    name, path = written(tmp_path, "index", LATE_INDEX)
    load_plugin(path)
    said = f"{name}: update failed: IndexError: index 5 is out of bounds for axis 0 with size 5 .{path.name}, line 22"
    with pytest.raises(WinnerstaysError, match=said):
        simulate("mslr", name, horizon=2000, runs=4)


def test_an_index_out_of_range_whose_run_cannot_be_played_again_in_time(tmp_path, monkeypatch):
    name, path = written(tmp_path, "again", LATE_INDEX)
    load_plugin(path)
    monkeypatch.setattr(experiment, "REPLAY_SECONDS", 0.0)
    with pytest.raises(WinnerstaysError, match=f"{name}: (it failed while playing: IndexError|update failed)"):
        simulate("mslr", name, horizon=2000, runs=1)


def test_an_index_out_of_range_in_a_learner_is_a_sentence(tmp_path):
    name, path = written(tmp_path, "learned", LATE_INDEX)
    load_plugin(path)
    learner = Learner(name, ["a", "b", "c", "d", "e"], seed=1)
    for _ in range(1000):
        duel = learner.ask()
        learner.tell(duel, duel.first)
    duel = learner.ask()
    said = f"{name}: update failed: IndexError: index 5 is out of bounds for axis 0 with size 5 .{path.name}, line 22"
    with pytest.raises(WinnerstaysError, match=said):
        learner.tell(duel, duel.first)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (CHOOSE, "return 0, max(1, state.t - 995)", "choose (FILE, line 16) returned (0, 5), but the arms are 0 to 4"),
        (CHOOSE, "return 0, min(1, 999 - state.t)", "choose (FILE, line 16) returned (0, -1), but the arms are 0 to"),
        (
            CHOOSE,
            "return best(state), 0",
            "best (FILE, line 25) returned 99, but it must return an arm, a whole number",
        ),
    ],
)
def test_an_arm_that_does_not_exist_late_in_a_run_has_its_place(tmp_path, old, new, sentence):
    """Also where `choose` has it from `best`; the suite, which plays on other problems, says the same."""
    late = (BEST, "return 99 if state.t > 999 else 0")
    number = f"no_arm{len(sentence)}"
    _, path = written(tmp_path, number, (old, new), *([late] if "best" in new else []))
    (own,) = load_plugin(path)
    with pytest.raises(WinnerstaysError) as caught:
        simulate("mslr", own, horizon=2000, runs=1)
    said = str(caught.value)
    assert sentence.replace("FILE", path.name) in said and said.endswith(" (duel 1001).")
    with pytest.raises(WinnerstaysError) as again:
        CHECKS[0](own)
    assert re.sub(NUMBERS, "#", str(again.value)) == re.sub(NUMBERS, "#", said)


def test_a_favourite_that_does_not_exist_is_no_item(tmp_path):
    name, path = written(tmp_path, "favourite", (BEST, "return 0 if state.t < 300 else -1"))
    load_plugin(path)
    learner = Learner(name, ["a", "b"], seed=1)
    for _ in range(300):
        duel = learner.ask()
        learner.tell(duel, duel.first)
    with pytest.raises(WinnerstaysError, match=f"best .{path.name}, line 25. returned -1, but it must return an arm"):
        learner.best()


def test_an_arm_that_does_not_exist_late_in_a_learner_is_a_sentence(tmp_path):
    name, path = written(tmp_path, "arm", (CHOOSE, "return max(0, state.t - 995), 0"))
    load_plugin(path)
    learner = Learner(name, ["a", "b", "c", "d", "e"], seed=1)
    for _ in range(1000):
        duel = learner.ask()
        learner.tell(duel, duel.first)
    with pytest.raises(
        WinnerstaysError,
        match=f"{name}: choose .{path.name}, line 16. returned .5, 0., but the arms are 0 to 4 .duel 1001.",
    ):
        learner.ask()


def test_a_loop_that_begins_late_and_never_ends_is_said(tmp_path, monkeypatch, capsys):
    """The loop ends here, once it was said, so that the test does."""
    name, path = written(tmp_path, "late_loop", (UPDATE, "wait(state)\n    " + UPDATE), ("def helper", LATE_LOOP))
    monkeypatch.setattr(patience, "SECONDS", 0.1)
    load_plugin(path)
    simulate("mslr", name, horizon=1000, runs=1, workers=1)
    said = capsys.readouterr().err
    assert f"{name}: no run was completed for 0.1 seconds; if they are not that long, a loop in it may not end" in said
    assert COMPILED or f"it is in wait ({path.name}, line 1" in said


LATE_LOOP = """
@kernel
def wait(state):
    if state.t == 900:
        for _ in range(40_000_000 if COMPILED else 5_000_000):
            state.wins[0] = (state.wins[0] * 1.7 + 0.1) % 1.3

from winnerstays.compiling import COMPILED

def helper"""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_loop_that_never_ends_can_be_interrupted(tmp_path, workers):
    """As is promised where it is said; a single worker would compute in the main thread, which would not listen."""
    name, _ = written(tmp_path, f"endless{workers}", (UPDATE, "while state.t > 900:\n        pass\n    " + UPDATE))
    text = f"from winnerstays.simulation import patience; from winnerstays import simulate; import {name}\n"
    text += f"patience.SECONDS = 0.5; simulate('mslr', '{name}', horizon=1000, runs=1, workers={workers})"
    child = subprocess.Popen([sys.executable, "-c", text], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert "a loop in it may not end" in child.stderr.readline()
    child.send_signal(signal.SIGINT)
    try:
        assert child.communicate(timeout=20)[1].endswith("KeyboardInterrupt\n")
    finally:
        child.kill()


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
