"""Runs that are kept are not taken for those of an algorithm that was changed, whatever was changed."""

import sys

import numpy as np
import pytest

from winnerstays import simulate
from winnerstays.algorithms import registry
from winnerstays.cli.plugins import load_plugin
from winnerstays.league import play
from winnerstays.league.cells import CellStore
from winnerstays.problems import total_order

OWN = """
import os
from functools import partial
from pathlib import Path
from typing import NamedTuple
import numpy as np
from winnerstays import Algorithm, kernel, register
IMPORTS

class State(NamedTuple):
    wins: np.ndarray
    k: int

def init(n_arms, rng, given=0):
    return State(np.zeros(n_arms), INIT)

@kernel
def best(state):
    return 0

@kernel
def choose(state, rng):
    return PAIR

@kernel
def update(state, first, second, first_won, rng):
    return state

register(Algorithm("NAME", "Always the same pair", MADE, choose, update, best, compiled=False))
"""
CASES = {
    "attribute": ("import HELPER", "0", "HELPER.A, HELPER.A", "init", "A = NUMBER"),
    "tuple": ("from HELPER import A", "0", "A[1], A[1]", "init", "A = (5, NUMBER)"),
    "array": ("from HELPER import A", "0", "int(A[1]), 0", "init", "import numpy\nA = numpy.array([5, NUMBER])"),
    "function": ("from HELPER import f", "f()", "state.k, 0", "init", "def f():\n    return NUMBER"),
    "method": ("import HELPER", "HELPER.C().m()", "state.k, 0", "init", "class C:\n  def m(self):\n    return NUMBER"),
    "dict": ("from HELPER import D", "D['a']", "state.k, 0", "init", "D = {'a': NUMBER}"),
    "instance": ("from HELPER import c", "c.k", "state.k, 0", "init", "class C:\n    k = NUMBER\nc = C()"),
    "late import": ("", "__import__('HELPER').A", "state.k, 0", "init", "A = NUMBER"),
    "data": ("", "int(Path(__file__).with_name('HELPER.py').read_text())", "state.k, 0", "init", "NUMBER"),
    "environment": ("", "int(os.environ['STALE'])", "state.k, 0", "init", ""),
    "partial": ("import HELPER", "given", "state.k, 0", "partial(init, given=HELPER.A)", "A = NUMBER"),
    "closure": (
        "import HELPER\ndef make(c):\n  @kernel\n  def inner():\n    return c\n  return inner\ng = make(HELPER.A)",
        "0", "g(), 0", "init", "A = NUMBER",
    ),
}  # fmt: skip
"""What is imported, what `init` puts into the State, what is chosen, which `init`, and the other file."""


def made(folder, number, name, case):
    """Load the algorithm of a case, with that number somewhere."""
    imports, value, pair, init, helper = case
    text = OWN.replace("IMPORTS", imports).replace("INIT", value).replace("PAIR", pair).replace("MADE", init)
    (folder / f"{name}.py").write_text(text.replace("HELPER", f"{name}_helper").replace("NAME", name))
    (folder / f"{name}_helper.py").write_text(helper.replace("NUMBER", str(number)))
    registry._registry.pop(name, None)
    for module in (name, f"{name}_helper"):
        sys.modules.pop(module, None)
    load_plugin(folder / f"{name}.py")


@pytest.mark.parametrize("kind", CASES)
def test_what_an_algorithm_depends_on_is_known_to_the_cache(tmp_path, monkeypatch, kind):
    name = f"stale-{kind.replace(' ', '-')}".replace("-", "_")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # which is stamped with seconds
    ends = []
    for number in (0, 1, 0):
        monkeypatch.setenv("STALE", str(number))
        made(tmp_path, number, name, CASES[kind])
        result = simulate(
            total_order(3, 0.9), name, horizon=20, runs=2, relabel=False, workers=1, regrets="strong-binary",
            cache=tmp_path / "kept",
        )  # fmt: skip
        ends.append(result.records[0][:, -1].ravel().tolist())
    assert ends[0] == ends[2] != ends[1]
    assert len(list((tmp_path / "kept").iterdir())) == 2, "what was computed before is found again"


def test_a_cell_of_a_notebook_that_was_changed_is_known_to_the_cache(tmp_path):
    """No file has its source; the same cell run again is the same algorithm."""
    for pair in ("0, 0", "1, 1", "0, 0"):
        text = OWN.replace("IMPORTS", "").replace("INIT", "0").replace("PAIR", pair).replace("MADE", "init")
        space = {"__name__": "__main__"}
        exec(compile(text.replace("NAME", "cell"), f"<cell with {pair}>", "exec"), space)
        simulate("mslr", "cell", horizon=20, runs=1, cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_league_plays_again_what_was_changed(tmp_path, monkeypatch):
    """The rule, and the problem's numbers under the same name."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    plan = play.Plan(times=(10,), runs=2, few=2, regrets=("strong-binary",))
    store, where = CellStore(tmp_path / "cells"), play.Where(workers=1, cache=str(tmp_path / "runs"))
    means = []
    for number, chance in ((0, 0.9), (1, 0.9), (1, 0.6)):
        made(tmp_path, number, "stale_league", CASES["function"])
        problem = total_order(3, chance)
        (cell,) = play.play_league({"three": problem}, [registry.algorithm("stale_league")], plan, store, where)
        means.append(cell.at("strong-binary", 10).mean)
    assert np.isfinite(means).all() and len(list((tmp_path / "cells").iterdir())) == 3
