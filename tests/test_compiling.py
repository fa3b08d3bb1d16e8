"""Compiled code is kept on disk, and never older than its source."""

import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np

from winnerstays.compiling import COMPILED, direct, kernel

HELPER = """
from winnerstays.compiling import kernel

@kernel
def amount(x):
    return x + {}
"""
CALLER = """
from winnerstays.compiling import entry
import helper

@entry
def twice(x):
    return 2 * helper.amount(x)
"""
SHOW = "import caller; print(caller.twice(1)); print(sum(caller.twice.stats.cache_hits.values()))"

GREEDY = """
import numpy as np
from winnerstays.compiling import kernel

@kernel
def greedy(n):
    return np.zeros(n)[0]

greedy(3)
"""


class Sums(NamedTuple):
    values: np.ndarray
    steps: int


@kernel
def add(sums, value):
    sums.values[0] += value
    return sums._replace(steps=sums.steps + 1)


@kernel
def steps_of(sums, value):
    return sums.steps


def run(folder, code):
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "WINNERSTAYS_COMPILE": "1"}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


def show(folder):
    done = run(folder, SHOW)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_second_process_loads_and_a_changed_helper_recompiles(tmp_path):
    (tmp_path / "caller.py").write_text(CALLER)
    (tmp_path / "helper.py").write_text(HELPER.format(1))
    assert show(tmp_path) == ["4", "0"]
    assert show(tmp_path) == ["4", "1"]
    (tmp_path / "helper.py").write_text(HELPER.format(10))
    assert show(tmp_path) == ["22", "0"]


def test_a_changed_constant_recompiles_wherever_it_is_written(tmp_path):
    imports = "import numbers_of\nfrom numbers_of import MORE\n"
    (tmp_path / "helper.py").write_text(imports + HELPER.format("numbers_of.GAIN + MORE"))
    (tmp_path / "caller.py").write_text(CALLER)
    seen = []
    for gain, more in ((1, 0), (1, 2), (5, 2)):
        (tmp_path / "numbers_of.py").write_text(f"GAIN, MORE = {gain}, {more}\n")
        seen.append(show(tmp_path)[0])
    assert seen == ["4", "8", "16"]


def test_an_allocating_kernel_is_refused(tmp_path):
    done = run(tmp_path, GREEDY)
    assert done.returncode != 0 and "TypingError" in done.stderr


def test_an_interrupt_that_llvm_swallows_is_one_all_the_same(tmp_path):
    (tmp_path / "caller.py").write_text(CALLER)
    (tmp_path / "helper.py").write_text(HELPER.format(1))
    lost = """
from numba.core.codegen import CPUCodeLibrary
CPUCodeLibrary._object_compiled_hook = lambda *_: None
"""
    done = run(tmp_path, lost + SHOW)
    assert done.returncode != 0 and done.stderr.endswith("KeyboardInterrupt\n"), done.stderr


def test_a_second_process_simulates_without_compiling():
    """The loop of an algorithm comes from disk, though it is made of functions that are not its own."""
    code = """
import winnerstays
from winnerstays.simulation.loop import loop_of
winnerstays.simulate("mslr", "ws-s", horizon=100, runs=1)
print(sum(loop_of(winnerstays.algorithm("ws-s")).stats.cache_misses.values()))
"""
    assert [run("", code).stdout.strip() for _ in range(2)][1] == "0"


def test_a_kernel_called_directly_does_the_same():
    sums = Sums(np.zeros(1), 0)
    straight = direct(add, (sums, 1.5), gives=sums)
    assert (straight is add) is not COMPILED
    for _ in range(3):
        sums = straight(sums, 1.5)
    assert sums.steps == 3 and sums.values.tolist() == [4.5] and add(sums, 0.5).values is sums.values


def test_what_could_be_misread_is_not_called_directly():
    """What returns another type than its caller goes on with, and what is not compiled, is left as it is."""
    sums = Sums(np.zeros(1), 0)
    assert direct(steps_of, (sums, 1), gives=sums) is steps_of
    assert direct(run, (sums,)) is run
