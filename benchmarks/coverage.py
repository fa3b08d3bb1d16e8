"""Measure how often mean ± 2 standard errors holds the truth when `precision=` stops.

For each case a pool of runs is simulated once. A repetition draws runs from it, as many as the rule of `simulate` asks
for, look by look; the truth is the pool's mean. With a normal distribution and a fixed number of runs it would be 95 %.
After 2000 repetitions the share itself has a standard error of 0.5 %. It also writes results/coverage.md.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._timing import row
from winnerstays import Algorithm, algorithm, simulate
from winnerstays.files import write_whole
from winnerstays.simulation.api import MIN_RUNS
from winnerstays.simulation.curve import skewness, standard_error
from winnerstays.simulation.scheduler import StoppingRule

RESULTS = Path(__file__).parent.parent / "results" / "coverage.md"
PROBLEMS = ("cyclic", "mslr", "sushi", "fifty")
LINES = (algorithm("ws-w"), algorithm("ws-s"), algorithm("ws-s", beta=1.5))
REGRETS = {"weak": ("weak-binary", "weak-utility"), "strong": ("strong-binary", "strong-utility")}
HORIZONS = (5000, 100_000)
"""The longer it is, the rarer and the more expensive are the worst runs of WS-S."""
PRECISION = 0.2
"""A rough one: the finer it is, the more runs there are in any case."""
POOL = 20_000
MOST_REPETITIONS, FEWEST_REPETITIONS, MOST_RUNS = 2000, 300, 100_000_000
"""Repetitions go on until there are so many, or until so many runs were drawn in all."""


@dataclass(frozen=True)
class Covered:
    """What was found in one case; `share` is the lower one of binary and utility-based regret."""

    problem: str
    line: Algorithm
    horizon: int
    skewness: float
    runs: float
    """The median over repetitions."""
    repetitions: int
    share: float


def coverage(pool: np.ndarray, seed: int = 1) -> tuple[np.ndarray, list[int]]:
    """Return how often mean ± 2 standard errors at the last time covers the pool's mean, and the runs that it took."""
    columns = tuple(range(pool.shape[2]))
    rule, rng = StoppingRule(10**6, MIN_RUNS, PRECISION, columns), np.random.default_rng(seed)
    truth, covered = pool[:, -1].mean(axis=0), np.zeros(pool.shape[2])
    runs: list[int] = []
    while len(runs) < (FEWEST_REPETITIONS if sum(runs) > MOST_RUNS else MOST_REPETITIONS):
        goal, drawn = rule.first_goal, pool[:0]
        while goal:
            drawn = np.concatenate([drawn, pool[rng.integers(len(pool), size=goal - len(drawn))]])
            following = rule.next_goal(drawn)
            goal = following[0] if following else 0
        last = drawn[:, -1]
        covered += abs(last.mean(axis=0) - truth) <= 2 * standard_error(last)
        runs.append(len(drawn))
    return covered / len(runs), runs


def cases() -> list[Covered]:
    """Measure every case: problem, line and horizon."""
    found = []
    for name in PROBLEMS:
        for line in LINES:
            for horizon in HORIZONS:
                asked = {"horizon": horizon, "times": [100, 1000, horizon], "regrets": REGRETS[line.regret]}
                pool = simulate(name, line, runs=POOL, seed=17, **asked).records[0]
                steep = float(skewness(pool[:, -1]).max())
                shares, runs = coverage(pool)
                median, share = float(np.median(runs)), float(shares.min())
                print(f"  {name}, {line.label}, T = {horizon:,}: {100 * share:.1f} %", file=sys.stderr, flush=True)
                found.append(Covered(name, line, horizon, steep, median, len(runs), share))
    return found


def page(found: list[Covered]) -> str:
    """Return the cases as a page with one table."""
    head = (
        "# How often mean ± 2 standard errors holds the truth\n\n"
        "Made by `python -m benchmarks coverage`: runs are added until `precision=0.2` is reached. The aim is 93 % at "
        "least. docs/simulation.md says what this means.\n\n"
        "| problem | algorithm | T | skewness | runs (median) | repetitions | covered |\n|---|---|--:|--:|--:|--:|--:|"
    )
    return "\n".join(
        [
            head,
            *(
                f"| {one.problem} | {one.line.label} | {one.horizon:,} | {one.skewness:.1f} "
                f"| {one.runs:,.0f} | {one.repetitions:,} | {100 * one.share:.1f} % |"
                for one in found
            ),
            "",
        ]
    )


def rows() -> list[dict[str, Any]]:
    """Return one row for each case, and write them into results/coverage.md."""
    found = cases()
    write_whole(RESULTS, page(found), force=True)
    return [
        row(
            f"coverage: {one.problem}, {one.line.label}, T = {one.horizon:,}",
            100 * one.share, "%", ">= 93", f"median of {one.runs:,.0f} runs",
        )
        for one in found
    ]  # fmt: skip
