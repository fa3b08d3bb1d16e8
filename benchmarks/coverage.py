"""How often mean ± 2 standard errors holds the truth when the stopping rule of `precision=` says that runs are enough.

For each case a pool of runs is simulated once. A repetition draws runs from it, as many as the rule of `simulate` asks
for, look by look; the truth is the pool's mean. With a normal distribution and a fixed number of runs it would be 95 %.
After 500 repetitions the share itself has a standard error of 1 %. It also writes the table of docs/precision.md.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks._docs import replace_part
from benchmarks._timing import row
from winnerstays import Algorithm, algorithm, simulate
from winnerstays.simulation.api import MIN_RUNS
from winnerstays.simulation.curve import skewness, standard_error
from winnerstays.simulation.scheduler import StoppingRule

PROBLEMS = ("cyclic", "mslr", "sushi", "fifty")
LINES = (algorithm("ws-w"), algorithm("ws-s"), algorithm("ws-s", beta=1.5))
REGRETS = {"weak": ("weak-binary", "weak-utility"), "strong": ("strong-binary", "strong-utility")}
PRECISIONS = {5000: (0.2, 0.05), 100_000: (0.2,)}
"""By the horizon. The longer it is, the rarer and the more expensive are the worst runs of WS-S."""
POOL, REPETITIONS = 20_000, 500


@dataclass(frozen=True)
class Covered:
    """What was found in one case; `share` is the lower one of binary and utility-based regret."""

    problem: str
    line: Algorithm
    horizon: int
    precision: float
    skewness: float
    runs: float
    """The median over repetitions."""
    share: float


def coverage(pool: np.ndarray, precision: float, repetitions: int, seed: int = 1) -> tuple[np.ndarray, float]:
    """Return how often mean ± 2 standard errors at the last time covers the pool's mean, and the median of the runs."""
    columns = tuple(range(pool.shape[2]))
    rule, rng = StoppingRule(10**6, (MIN_RUNS,), precision, columns), np.random.default_rng(seed)
    truth, covered, runs = pool[:, -1].mean(axis=0), np.zeros(pool.shape[2]), []
    for _ in range(repetitions):
        goal, drawn = rule.first_goal(0), pool[:0]
        while goal:
            drawn = np.concatenate([drawn, pool[rng.integers(len(pool), size=goal - len(drawn))]])
            following = rule.next_goal(drawn)
            goal = following[0] if following else 0
        last = drawn[:, -1]
        covered += abs(last.mean(axis=0) - truth) <= 2 * standard_error(last)
        runs.append(len(drawn))
    return covered / repetitions, float(np.median(runs))


def cases() -> list[Covered]:
    """Measure every case: problem, line, horizon and precision."""
    found = []
    for name in PROBLEMS:
        for line in LINES:
            for horizon, precisions in PRECISIONS.items():
                asked = {"horizon": horizon, "times": [100, 1000, horizon], "regrets": REGRETS[line.regret]}
                pool = simulate(name, line, runs=POOL, seed=17, **asked).records[0]
                steep = float(skewness(pool[:, -1]).max())
                for precision in precisions:
                    shares, runs = coverage(pool, precision, REPETITIONS)
                    found.append(Covered(name, line, horizon, precision, steep, runs, float(shares.min())))
    return found


def table(found: list[Covered]) -> str:
    """Return the cases as a table of the documentation."""
    head = "| problem | algorithm | T | precision | skewness | runs (median) | covered |\n|---|---|--:|--:|--:|--:|--:|"
    return "\n".join(
        [
            head,
            *(
                f"| {one.problem} | {one.line.label} | {one.horizon:,} | {one.precision:g} | {one.skewness:.1f} "
                f"| {one.runs:,.0f} | {100 * one.share:.1f} % |"
                for one in found
            ),
        ]
    )


def rows() -> list[dict[str, Any]]:
    """Return one row for each case, and write them into docs/precision.md."""
    found = cases()
    replace_part("precision.md", "coverage", table(found))
    return [
        row(
            f"coverage: {one.problem}, {one.line.label}, T = {one.horizon:,}, precision {one.precision:g}",
            100 * one.share, "%", ">= 93", f"median of {one.runs:,.0f} runs",
        )
        for one in found
    ]  # fmt: skip
