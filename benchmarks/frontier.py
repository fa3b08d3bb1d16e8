"""Play the algorithms for weak regret on a fixed list of problems, beside the lower bound, and write the page.

The problems are not those by which ws-deficit and ws-root were chosen, but for those marked "looked at". It takes about
ten minutes on two idle cores. Runs are paired, and kept in out/frontier.
"""

import argparse
import math
from collections.abc import Sequence
from functools import partial

import polars
from matplotlib.figure import Figure

from benchmarks._problems import find_problems
from benchmarks._results import DOCS, RESULTS, replace_part, table, write_results
from winnerstays.files import write_whole
from winnerstays.simulation import Simulation, simulate
from winnerstays.simulation.colours import COLOURS
from winnerstays.simulation.curve import figure as number
from winnerstays.theory.bounds import weak_lower_limit

SEED, KEPT, REGRET = 30, "out/frontier", "weak-binary"
TIMES = (10**3, 10**4, 10**5)
ALGORITHMS = ("ws-w", "ws-root", "ws-deficit", "ws-t")
LOOKED_AT = ("sushi", "attack-near-equal", "attack-one-close")
"""Problems on which other rules were also run while that of ws-deficit was chosen."""
ORDERS = ((10, 0.55), (10, 0.6), (20, 0.8), (50, 0.6), (50, 0.8), (100, 0.9), (200, 0.7), (200, 0.8), (1000, 0.8))
VERDICTS = (
    *(f"total-order:n_arms={n},p={p}" for n, p in ORDERS),
    *(f"linear-utilities:n_arms={n},link={link},seed=5" for n in (20, 100) for link in ("logit", "probit")),
    "total-order:n_arms=4,p=0.52", "total-order:n_arms=10,p=0.51", "attack-near-tie", "attack-near-equal",
    "attack-one-close", "attack-long-cycle", "attack-cycle-10", "random-condorcet:n_arms=10,seed=5",
    "random-condorcet:n_arms=30,seed=5", "random-order:n_arms=30,seed=5", "three-types:per_type=7,p=0.6", "sushi",
    "mslr", "cyclic",
)  # fmt: skip
"""The problems that decide."""
SHOWN = (
    "total-order:n_arms=10,p=0.55", "total-order:n_arms=50,p=0.6", "total-order:n_arms=50,p=0.8",
    "total-order:n_arms=200,p=0.7", "linear-utilities:n_arms=20,link=logit,seed=5", "attack-near-tie",
    "attack-near-equal", "attack-long-cycle", "random-condorcet:n_arms=30,seed=5", "sushi", "mslr", "cyclic",
)  # fmt: skip
"""Those in the table of docs/frontier.md; results/frontier.csv has all."""


def play(runs: int, workers: int | None) -> dict[str, Simulation]:
    """Play all algorithms on all problems."""
    results = {}
    for name, where in find_problems(VERDICTS).items():
        print(name, flush=True)
        results[name] = simulate(
            where, ALGORITHMS, horizon=TIMES[-1], runs=runs, seed=SEED, times=TIMES, regrets=REGRET, paired=True,
            workers=workers, cache=KEPT,
        )  # fmt: skip
    return results


def limit(name: str) -> float | None:
    """Return the lower bound, which is known for total orders with one p."""
    order = next(((n, p) for n, p in ORDERS if name == f"total-order:n_arms={n},p={p}"), None)
    return weak_lower_limit(*order) if order else None


def means(result: Simulation, place: int) -> dict[str, tuple[float, float]]:
    """Return mean and standard error of each algorithm at one time."""
    return {
        label: (float(curve.mean[place]), float(curve.sem[place]))
        for label in ALGORITHMS
        for curve in [result.curve(label)]
    }


def level(result: Simulation, place: int) -> list[str]:
    """Return the algorithms that are first, or within one standard error of the difference to the first."""
    found = means(result, place)
    first = min(found, key=lambda label: found[label][0])
    return [
        label for label in found
        if label == first
        or (away := result.compare(label, first, t=TIMES[place])).mean <= away.sem
    ]  # fmt: skip


def regret_table(results: dict[str, Simulation]) -> str:
    """Return the table of the page: means at the last time; the first, and those level with it, are bold."""
    lines = []
    for name in SHOWN:
        result = results[name]
        found, best, low = means(result, -1), level(result, len(TIMES) - 1), limit(name)
        cells = [f"**{number(mean)}**" if label in best else number(mean) for label, (mean, _) in found.items()]
        mark = " (looked at)" if name in LOOKED_AT else ""
        lines.append((f"`{name}`{mark}", *cells, "" if low is None else number(low)))
    return table(("problem", *(f"`{label}`" for label in ALGORITHMS), "limit"), lines)


def summary(results: dict[str, Simulation]) -> str:
    """Return on how many problems each algorithm is first or level, and its mean ratio to the best."""
    lines = []
    for label in ALGORITHMS:
        counts = [sum(label in level(result, place) for result in results.values()) for place in range(len(TIMES))]
        logs = [
            math.log(found[label][0] / min(mean for mean, _ in found.values()))
            for result in results.values()
            for found in [means(result, -1)]
        ]
        lines.append((f"`{label}`", *counts, f"{math.exp(sum(logs) / len(logs)):.2f}", f"{math.exp(max(logs)):.1f}"))
    return table(
        ("algorithm", *(f"first or level at {t:,}" for t in TIMES), "regret / best, geometric mean", "at worst"), lines
    )


def picture(results: dict[str, Simulation]) -> Figure:
    """Draw the regret of each algorithm on each problem, divided by the best."""
    figure = Figure(figsize=(8, 8), layout="constrained")
    axes = figure.add_subplot()
    for label, colour in zip(ALGORITHMS, COLOURS, strict=False):
        ratios = [
            found[label][0] / min(mean for mean, _ in found.values())
            for result in results.values()
            for found in [means(result, -1)]
        ]
        axes.plot(ratios, range(len(ratios)), "o", color=colour, label=label, markersize=5)
    axes.set_yticks(range(len(results)), list(results), fontsize=7)
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel=f"weak regret after {TIMES[-1]:,} duels / the best")
    axes.set_xticks([1, 2, 5, 10], ["1", "2", "5", "10"])
    axes.minorticks_off()
    axes.grid(alpha=0.25)
    axes.legend(fontsize=8, frameon=False)
    return figure


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser("python -m benchmarks frontier", description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--workers", type=int, help="threads; one per core if left out")
    parser.add_argument("--write", action="store_true", required=True, help="write results/frontier.* and the page")
    given = parser.parse_args(words)
    results = play(given.runs, given.workers)
    frame = polars.concat([result.to_frame(runs=True) for result in results.values()])
    frame = frame.with_columns(polars.col("value").cast(polars.Float32)).drop("algorithm", "interrupted", "horizon")
    write_whole(RESULTS / "frontier.parquet", lambda draft: frame.write_parquet(draft), force=True)
    lines = [
        (name, label, t, *means(result, place)[label], limit(name) or "")
        for name, result in results.items() for place, t in enumerate(TIMES) for label in ALGORITHMS
    ]  # fmt: skip
    write_results("frontier", ("problem", "algorithm", "t", "mean", "sem", "limit"), lines)
    figure = picture(results)
    write_whole(DOCS / "frontier.png", partial(figure.savefig, format="png", dpi=110), force=True)
    shown = "![Weak regret of each algorithm on each problem, divided by the best](frontier.png)"
    replace_part("frontier.md", "picture", shown)
    replace_part("frontier.md", "regret", regret_table(results))
    replace_part("frontier.md", "summary", summary(results))
