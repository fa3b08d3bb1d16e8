"""Algorithms from outside the package: each mistake gets one sentence, and correct code is never refused."""

import re
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from tests.waiting import PATIENCE_SECONDS
from winnerstays import Learner, WinnerstaysError, register, registered, simulate
from winnerstays.algorithms import registry
from winnerstays.cli.plugins import load_plugin
from winnerstays.compiling import COMPILED, recurses
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
ZEROS = "np.zeros(n_arms)"
STATE = "return State(wins=np.zeros(n_arms), t=0)"
CHOOSE = "return below(rng, state.wins.size), below(rng, state.wins.size)"
RECORD = "state.wins[first if first_won else second] += 1"
UPDATE = "return state._replace(t=state.t + 1)"
BEST = "return int(np.argmax(state.wins))"


def load(folder, name, *changes):
    """Load the algorithm with some changes from a file; modules are loaded once, so each has a name of its own."""
    text = OWN.replace("NAME", name)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / f"{name}.py"
    path.write_text(text)
    load_plugin(path)
    return registered()[name]


def play(learner, duels):
    for _ in range(duels):
        duel = learner.ask()
        learner.tell(duel, duel.first)


ANYWHERE = [
    ("wins=np.zeros(n_arms)", "wins=[0.0] * n_arms", "State.wins is list; it must be a number or a NumPy array"),
    ("t=0)", "t='x')", "State.t is str; it must be a number or a NumPy array"),
    ("t=0)", "t=None)", "State.t is NoneType; it must be a number or a NumPy array"),
    ("t=0)", "t=2**70)", "State.t is 1180591620717411303424, but the whole numbers of a State have at most 63 bits"),
    (ZEROS, "np.zeros(n_arms, np.float16)", "State.wins is an array of float16; kernels compute with np.float64"),
    (ZEROS, "np.zeros(n_arms, object)", "State.wins is an array of object; kernels compute with np.float64"),
    (STATE, "return [0]", "init returned list, but it must return a NamedTuple"),
    (STATE, "State(wins=np.zeros(n_arms), t=0)", "init returned NoneType, but it must return a NamedTuple"),
    (ZEROS, "np.zeros(n_arms) / missing", "init failed: NameError: name 'missing' is not defined (FILE, line 11)"),
]
COMPILING = [
    (CHOOSE, "return int(np.zeros(3)[0]), 0", "choose cannot be compiled: No implementation of function"),
    (CHOOSE, "return [0, 1][0], 0", "choose cannot be compiled: NRT required but not enabled (FILE, line"),
    (CHOOSE, "return helper(0), 1", "choose cannot be compiled: Untyped global name 'helper'"),
    (CHOOSE, "return missing, 0", "choose cannot be compiled: NameError: name 'missing' is not defined"),
    (RECORD, "state.wons[first] += 1", "update cannot be compiled: Unknown attribute 'wons' of type State(array("),
    (RECORD, "state.wons[first] += 1", "(FILE, line 22). A kernel makes no arrays, lists or texts and calls only"),
    (UPDATE, "return state._replace(time=1)", "update cannot be compiled: no field 'time' in State (FILE, line 23)"),
    (UPDATE, "return state._replace(t=0.5)", "update cannot be compiled: State.t is whole and gets a fraction (FILE"),
    (UPDATE, "pass", "update (FILE, line 20) returns none, but it must return a State"),
    (CHOOSE, "return 0", "choose (FILE, line 16) returns Literal[int](0), but it must return two whole numbers"),
    (CHOOSE, "return 0.0, 1.0", "choose (FILE, line 16) returns UniTuple(float64 x 2), but it must return two whole"),
    (BEST, "return state.wins[0]", "best (FILE, line 25) returns float64, but it must return a whole number"),
]


@pytest.mark.parametrize("number", range(len(ANYWHERE) + (len(COMPILING) if COMPILED else 0)))
def test_a_mistake_gets_the_same_sentence_everywhere(tmp_path, number):
    old, new, sentence = [*ANYWHERE, *COMPILING][number]
    own = load(tmp_path, f"own{number}", (old, new))
    for start in (
        lambda: simulate("mslr", own, horizon=10, runs=1),
        lambda: Learner(own, items=list("abcde")),
        lambda: CHECKS[0](own),
    ):
        with pytest.raises(WinnerstaysError) as caught:
            start()
        said = str(caught.value)
        assert said.startswith(f"own{number}: ") and sentence.replace("FILE", f"own{number}.py") in said


def test_a_mistake_is_a_sentence_on_the_command_line(tmp_path, run):
    path = tmp_path / "own_list.py"
    path.write_text(OWN.replace("NAME", "own-list").replace(ZEROS, "[0.0] * n_arms"))
    code, _, errors = run("simulate", "mslr", "own-list", "--plugin", str(path), "--horizon", "10", "--runs", "1")
    assert code == 2
    assert errors == "winnerstays: own-list: State.wins is list; it must be a number or a NumPy array.\n"


DECLARATIONS = [
    ("@kernel\ndef choose", "def choose", "choose (FILE, line 16) is not marked as a kernel; write @kernel above it"),
    ("@kernel\ndef best", "def best", "best (FILE, line 25) is not marked as a kernel; write @kernel above it"),
    ("def init", "@kernel\ndef init", "init (FILE, line 10) is a kernel, but it makes arrays, which kernels cannot"),
    ("choose(state, rng)", "choose(state)", "choose (FILE, line 16) takes (state), but it must take (state, rng)"),
    ("choose(state, rng)", "choose(rng, state)", "takes (rng, state), but it must take (state, rng)"),
    ("(state, rng)", "(state, rng, eps=0.1)", "takes (state, rng, eps), but it must take (state, rng)"),
    ("def best(state)", "def best(state, rng)", "best (FILE, line 25) takes (state, rng), but it must take (state)"),
    ("(n_arms, rng)", "(n_arms, rng, gain)", "init (FILE, line 10) takes (n_arms, rng, gain), but it must take (n_a"),
    ("init, choose, update, best)", "init, update, choose, best)", "choose (FILE, line 20) takes (state, first,"),
    ("update, best)", "update, 3)", "best is 3, but it must be a function, as `def best(state)`"),
]


@pytest.mark.parametrize("number", range(len(DECLARATIONS)))
def test_marks_and_signatures_are_checked_when_an_algorithm_is_made(tmp_path, number):
    old, new, sentence = DECLARATIONS[number]
    with pytest.raises(WinnerstaysError, match=re.escape(sentence.replace("FILE", f"made{number}.py"))):
        load(tmp_path, f"made{number}", (old, new))


CORRECT = {
    "int8": [(ZEROS, "np.zeros(n_arms, np.int8)"), (RECORD, "state.wins[first] = 1 if first_won else -1")],
    "nan": [(ZEROS, "np.full(n_arms, np.nan)"), (RECORD, "state.wins[first] = np.nan")],
    "inf": [(RECORD, "state.wins[0] = np.inf"), (UPDATE, "return State(wins=state.wins, t=0)")],
    "scratch": [(CHOOSE, "state.wins[0] = 0.0\n    return 0, 1")],
    "dropped": [(UPDATE, "if first_won:\n        state = state._replace(t=1)\n    return state")],
    "many": [(UPDATE, "t = state.t\n    if first_won:\n        t += 1\n    return state._replace(t=t)")],
    "numpy": [("t=0)", "t=np.int32(0))"), (UPDATE, "return state")],
    "recursive": [
        ("def helper(arm):\n    return arm", "@kernel\ndef down(n):\n    return 0 if n == 0 else down(n - 1)"),
        (CHOOSE, "return down(3), 1"),
    ],
    "names": [("def choose(state, rng)", "def choose(s, r)"), (CHOOSE, "return below(r, s.wins.size), 0")],
}


@pytest.mark.parametrize("name", CORRECT)
def test_correct_code_is_never_refused(tmp_path, name):
    own = load(tmp_path, f"right_{name}", *CORRECT[name])
    assert simulate("mslr", own, horizon=100, runs=2).runs == 2
    play(Learner(own, ["a", "b", "c"], seed=1), 10)


@pytest.mark.parametrize(
    ("pair", "given"), [("0, max(1, state.t - 995)", "(0, 5)"), ("0, min(1, 999 - state.t)", "(0, -1)")]
)
def test_an_arm_that_does_not_exist_is_an_error_late_in_a_run_too(tmp_path, pair, given):
    """Compiled code would read and write beyond its arrays."""
    own = load(tmp_path, f"pair{len(pair)}", (CHOOSE, f"return {pair}"))
    sentence = re.escape(f"choose ({own.name}.py, line 16) returned {given}, but the arms are 0 to 4.")
    with pytest.raises(WinnerstaysError, match=sentence):
        simulate("mslr", own, horizon=2000, runs=1)
    learner = Learner(own, list("abcde"), seed=1)
    with pytest.raises(WinnerstaysError, match=sentence):
        play(learner, 2000)
    assert learner.duels == 1000


def test_a_favourite_that_does_not_exist_is_no_item(tmp_path):
    own = load(tmp_path, "favourite", (BEST, "return 0 if state.t < 3 else -1"))
    learner = Learner(own, ["a", "b"], seed=1)
    play(learner, 3)
    with pytest.raises(WinnerstaysError, match=r"best \(favourite.py, line 25\) returned -1, but the arms are 0 to 1"):
        learner.best()


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence", "line"),
    [
        ("index", RECORD, "state.wins[first + state.t // 5 * 9] += 1", "IndexError: index", 22),
        ("zero", RECORD, "state.wins[first] += 1 // (5 - state.t)", "ZeroDivisionError: integer division", 22),
        ("raised", RECORD, "if state.t == 5:\n        raise ValueError('five')", "ValueError: five", 23),
    ],
)
def test_an_exception_has_its_place(tmp_path, name, old, new, sentence, line):
    """In plain Python always; compiled code knows the place of a `raise` alone."""
    own = load(tmp_path, f"late_{name}", (old, new))
    place = rf"\({own.name}.py, line {line}\)\."
    if COMPILED and name != "raised":
        place = "; WINNERSTAYS_COMPILE=0 shows the line."
    with pytest.raises(WinnerstaysError, match=f"{own.name}: .* failed: {sentence}.*{place}"):
        simulate("mslr", own, horizon=100, runs=1)
    learner = Learner(own, ["a", "b"], seed=1)
    with pytest.raises(WinnerstaysError, match=f"{own.name}: update failed: {sentence}.*{place}"):
        play(learner, 10)


def test_an_init_that_fails_in_some_runs_only_has_its_place(tmp_path):
    own = load(tmp_path, "unlucky", ("t=0)", "t=int(1 / (n_arms - 5 if below(rng, 50) == 7 else 1)))"))
    with pytest.raises(WinnerstaysError, match=r"unlucky: init failed: ZeroDivisionError: .* \(unlucky.py, line 11\)"):
        simulate("mslr", own, horizon=1, runs=300)


REDUCTIONS = (
    "state.wins.sum()", "np.sum(state.wins[1:])", "state.wins.mean()", "np.prod(state.wins)", "np.var(state.wins)",
    "state.wins.std()", "state.wins.any() * 1", "state.wins.all() * 1",
    "np.dot(state.wins, state.wins)", "max(state.wins)", "min(state.wins[1:])", "sum(state.wins)",
    "state.wins[np.argmin(state.wins)]",
)  # fmt: skip


def test_reductions_that_the_documentation_allows(tmp_path):
    own = load(tmp_path, "reductions", (RECORD, f"state.wins[first] = min(1.0, {' + '.join(REDUCTIONS)})"))
    assert simulate("mslr", own, horizon=10, runs=1).runs == 1


@pytest.mark.parametrize("beside", [True, False], ids=["its own helper", "choose itself"])
def test_what_calls_itself_works_in_every_process(tmp_path, beside):
    """The compiler's code for it could be kept, but not loaded: the second process would be killed."""
    ending = "if arm == 0:\n        return 0\n    return depth(arm - 1)"
    helper = ("def helper(arm):\n    return arm", f"@kernel\ndef depth(arm):\n    {ending}")
    called = (CHOOSE, "return depth(3), 1")
    if not beside:
        called = (CHOOSE, "if state.t > 0:\n        return choose(state._replace(t=state.t - 1), rng)\n    return 0, 1")
    own = load(tmp_path, f"again{beside:d}", helper, called)
    command = [sys.executable, "-m", "winnerstays", "simulate", "mslr", own.name, "--plugin", f"{own.name}.py"]
    for _ in range(2):
        done = subprocess.run(
            [*command, "--horizon", "10", "--runs", "1"], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


def test_what_may_call_itself_is_known():
    space = {"__name__": "__main__"}
    text = "from winnerstays import kernel\n@kernel\ndef down(n):\n    return down(n - 1) if n else 0\n"
    text += "@kernel\ndef calls(n):\n    return down(n)\n@kernel\ndef ends(n):\n    return n\n"
    text += "@kernel\ndef ping(n):\n    return pong(n)\n@kernel\ndef pong(n):\n    return ping(n)\n"
    exec(compile(text, "<cell 1>", "exec"), space)
    assert [recurses(space[name]) for name in ("down", "calls", "ends", "ping")] == [True, True, False, True]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_loop_that_never_ends_can_be_interrupted(tmp_path, workers):
    """Also with a single worker, which would not listen if it computed in the main thread."""
    endless = (UPDATE, "while state.t >= 0:\n        pass\n    " + UPDATE)
    own = load(tmp_path, f"endless{workers}", endless, (STATE, f"print('start', flush=True)\n    {STATE}"))
    text = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in a background job
    text += f"from winnerstays import simulate; import {own.name}\n"
    text += f"simulate('mslr', '{own.name}', horizon=1000, runs=1, workers={workers})"
    command, pipe = [sys.executable, "-c", text], subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True) as child:
        try:
            for _ in range(2):  # once when the algorithm is prepared, once for the run
                assert child.stdout.readline() == "start\n"
            child.send_signal(signal.SIGINT)
            assert child.communicate(timeout=PATIENCE_SECONDS)[1].endswith("KeyboardInterrupt\n")
        finally:
            child.kill()


def test_parameters_reach_init(tmp_path):
    """Also without registration, and registered again, as by running a cell of a notebook twice."""
    changes = [
        ("init(n_arms, rng)", "init(n_arms, rng, boost)"),
        (ZEROS, "np.full(n_arms, boost)"),
        ("update, best)", "update, best, parameters={'boost': Number(1.0, 'wins at the start', minimum=0)})"),
    ]
    load(tmp_path, "boosted", *changes)
    own = load(tmp_path, "boosted", *changes)
    del registry._registry["boosted"]
    result = simulate("mslr", [own, own(boost=3)], horizon=100, runs=2)
    assert [curve.label for curve in result.of_regret("weak-binary")] == ["boosted", "boosted boost=3.0"]
    assert own(boost=3).start(2, None).wins.tolist() == [3.0, 3.0]
    with pytest.raises(WinnerstaysError, match="boost is -1, but it must be a finite number at least 0"):
        own(boost=-1)


def test_a_copied_file_is_compiled_for_itself(tmp_path):
    """Machine code that was kept for one file names its State; a copy with another name must not import that."""
    results = []
    for number in range(2):
        path = tmp_path / f"copy{number}.py"
        path.write_text(OWN.replace("NAME", "copied"))
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


def test_a_cell_of_a_notebook_may_register_again():
    """Each run of a cell has a file name of its own; the module is __main__ each time. Built-in names stay taken."""
    runs = []
    for number in (1, 2):
        space = {"__name__": "__main__"}
        text = OWN.replace("NAME", "cell").replace(ZEROS, f"np.full(n_arms, {number}.0)")
        exec(compile(text, f"<cell {number}>", "exec"), space)
        runs.append(space["own"])
    assert registered()["cell"] is runs[1]
    assert simulate("mslr", "cell", horizon=20, runs=1).runs == 1
    with pytest.raises(WinnerstaysError, match="The name 'ws-w' is taken by another algorithm"):
        register(replace(runs[1], name="ws-w"))
