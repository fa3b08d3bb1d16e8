"""What the benchmarks share: the quickest of several, one run of an algorithm, a row of results, the machine."""

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from winnerstays import Algorithm, Problem, algorithm
from winnerstays.simulation.experiment import Experiment, run_batch

REPEATS = 7


def best_seconds(
    work: Callable[[], object], repeats: int = REPEATS, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The quickest of several: others on the machine can only make it slower."""
    work()
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def one_run(where: Problem, which: Algorithm | str, horizon: int) -> Callable[[], object]:
    """A run of that many duels, recorded at its end only."""
    experiment = Experiment(where, horizon, np.array([horizon]), 1)
    return lambda: run_batch(algorithm(which), experiment, [0])


def row(name: str, value: float, unit: str, target: str = "", note: str = "") -> dict[str, Any]:
    return {"name": name, "value": value, "unit": unit, "target": target, "note": note}


def machine() -> str:
    model = next(
        (line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor(),
    )
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []
