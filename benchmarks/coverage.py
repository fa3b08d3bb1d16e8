"""How often mean ± 2 standard errors holds the truth when the stopping rule of `precision=` says that runs are enough.

For each case a pool of runs is simulated once. A repetition draws runs from it, as many as the rule of `simulate` asks
for, look by look; the truth is the pool's mean. With a normal distribution and a fixed number of runs it would be 95 %.
After 500 repetitions the share itself has a standard error of 1 %.
"""

from typing import Any

import numpy as np

from benchmarks._timing import row
from winnerstays import algorithm, simulate
from winnerstays.simulation.api import MIN_RUNS
from winnerstays.simulation.scheduler import StoppingRule

PROBLEMS = ("cyclic", "mslr", "sushi", "fifty")
LINES = (algorithm("ws-w"), algorithm("ws-s"), algorithm("ws-s", beta=1.5))
REGRETS = {"weak": ("weak-binary", "weak-utility"), "strong": ("strong-binary", "strong-utility")}
HORIZON, POOL, REPETITIONS = 5000, 20_000, 500
PRECISIONS = (0.2, 0.05)


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
        covered += abs(last.mean(axis=0) - truth) <= 2 * last.std(axis=0, ddof=1) / np.sqrt(len(last))
        runs.append(len(drawn))
    return covered / repetitions, float(np.median(runs))


def rows() -> list[dict[str, Any]]:
    """One row for each problem, line and precision: the lower coverage of binary and utility-based regret."""
    found = []
    for name in PROBLEMS:
        for line in LINES:
            regrets = REGRETS[line.regret]
            asked = {"horizon": HORIZON, "runs": POOL, "seed": 17, "times": [100, 1000, HORIZON], "regrets": regrets}
            pool = simulate(name, line, **asked).records[0]
            for precision in PRECISIONS:
                shares, runs = coverage(pool, precision, REPETITIONS)
                found.append(
                    row(
                        f"coverage: {name}, {line.label}, precision {precision:g}", 100 * float(shares.min()), "%",
                        ">= 93", f"median of {runs:,.0f} runs, T = {HORIZON:,}",
                    )
                )  # fmt: skip
    return found
