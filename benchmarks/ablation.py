"""Change one ingredient of WS-T at a time, and measure what becomes worse.

Also measured is how often a wrong incumbent reigns. Without problems of your own, results/ablation.csv is written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, NamedTuple

import numpy as np
import typer
from rich.box import SIMPLE
from rich.table import Table

from benchmarks._problems import find_problems
from benchmarks._results import write_results
from winnerstays.algorithms._shared.counts import kl_half
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.ws_t.state import INGREDIENTS
from winnerstays.algorithms.ws_t.ws_t import init_variant, ws_t
from winnerstays.cli.app import main as run
from winnerstays.cli.counts import check_positive, count_option
from winnerstays.cli.tables.fitting import print_table
from winnerstays.errors import unknown
from winnerstays.league.cells import Stat, stat
from winnerstays.problems import Problem
from winnerstays.simulation import simulate
from winnerstays.simulation.curve import figure

study = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
ABLATED = (
    "sushi", "total-order:n_arms=6,p=0.53", "random-condorcet:n_arms=30,seed=2", "attack-near-equal",
    "attack-one-close",
)  # fmt: skip
"""Problems on which ingredients are changed unless others are named: real, near-ties, no order, long tails."""
AVERAGE = "strong-average"
KEPT = "out/ablation"
COLUMNS = ("problem", "variant", "t", "mean", "sem", "p90", "p99", "worst", "locked")
variant = replace(ws_t, init=init_variant, parameters=INGREDIENTS)
"""WS-T with its ingredients as parameters; not registered, since nothing about it is to be set."""
VARIANTS: Mapping[str, Mapping[str, float | str]] = {
    "as it is": {},
    "the challenger of the lowest index, not the next that is due": {"challenger": "least"},
    "no root of N": {"root": 0.0},
    "a whole win and loss added": {"shrink": 1.0},
    "a quarter of a win and loss added": {"shrink": 0.25},
    "none added": {"shrink": 0.0},
    "no third arms": {"third": "never"},
    "third arms that are known, none tried": {"third": "known"},
    "no succession by a lead of E": {"lead": "never"},
    "no threshold of succession": {"succession": 0.0},
    "twice the threshold of succession": {"succession": 2.0},
    "t / 2": {"caution": 0.5},
    "t": {"caution": 1.0},
    "2 t": {"caution": 2.0},
    "5 t": {"caution": 5.0},
    "10 t": {"caution": 10.0},
}
"""The last five are the trade-off between the mean and the tail."""
LOCKED = 0.9
"""A run is locked if the best arm is in fewer than one of ten duels of the second half of its time."""


class Row(NamedTuple):
    """One variant on one problem."""

    name: str
    stats: dict[int, Stat]
    locked: dict[int, float]
    """By time T, the share of runs that are locked from T/2 to T."""


def ablate(
    problem: Problem,
    times: tuple[int, ...],
    runs: int,
    seed: int,
    cache: str | None,
    workers: int | None = None,
    names: Sequence[str] = (),
) -> Iterator[Row]:
    """Play the named variants, or all of them; yield what each did."""
    for name in names:
        if name not in VARIANTS:
            raise unknown("variant", name, VARIANTS)
    for name in names or VARIANTS:
        yield measure(variant(**VARIANTS[name]), name, problem, times, runs, seed, cache, workers)


def measure(
    one: Algorithm,
    name: str,
    problem: Problem,
    times: tuple[int, ...],
    runs: int,
    seed: int,
    cache: str | None,
    workers: int | None = None,
) -> Row:
    """Return the regrets of an algorithm, and how often it is locked."""
    halves = sorted({t // 2 for t in times} | set(times))
    result = simulate(
        problem,
        one,
        horizon=times[-1],
        runs=runs,
        seed=seed,
        times=halves,
        regrets=(AVERAGE, "weak-binary"),
        cache=cache,
        workers=workers,
    )
    (average,), (missing,) = result.of_regret(AVERAGE), result.of_regret("weak-binary")
    locked = {}
    for t in times:
        without = missing.values[:, halves.index(t)] - missing.values[:, halves.index(t // 2)]
        locked[t] = float(np.mean(without > LOCKED * (t - t // 2)))
    return Row(name, {t: stat(average, halves.index(t)) for t in times}, locked)


def smallest_slope(problem: Problem) -> float:
    """Return the smallest growth of average strong regret with ln T that a consistent algorithm can have.

    Every arm i but the best must be shown to lose: sum over i of the least, over arms j that beat it, of
    (g_i + g_j) / (2 kl(p_ij, 1/2)) (Komiyama et al., COLT 2015).

    >>> from winnerstays.problems import total_order
    >>> round(smallest_slope(total_order(4, 0.52)), 2)
    37.49
    """
    p, gaps = problem.preferences, problem.gaps
    total = 0.0
    for i in range(problem.n_arms):
        costs = [(gaps[i] + gaps[j]) / (2 * kl_half(p[i, j])) for j in range(problem.n_arms) if p[i, j] < 0.5]
        total += min(costs) if i != problem.best_arm else 0.0
    return float(total)


@study.command()
def ablation(
    names: Annotated[list[str] | None, typer.Argument(help="Problems, attacks or files.")] = None,
    horizon: Annotated[int, count_option("Duels per run; regret is measured at its tenths, too.")] = 1_000_000,
    only: Annotated[list[str] | None, typer.Option("--variant", help="Only this one; may be repeated.")] = None,
    runs: Annotated[int, count_option("Runs of every variant.")] = 1000,
    seed: Annotated[int, count_option("The same seed gives the same numbers.")] = 18,
    workers: Annotated[int | None, typer.Option(help="Threads; one per core if left out.")] = None,
) -> None:
    """Change one ingredient of WS-T at a time, and measure what becomes worse. Runs are kept in out/ablation."""
    check_positive(runs=runs, workers=workers, horizon=horizon)
    times = tuple(t for t in (horizon // 100, horizon // 10, horizon) if t >= 1)
    rows: list[tuple[object, ...]] = []
    for name, where in find_problems(names or ABLATED).items():
        table = Table(title=f"{name}: {AVERAGE} regret", title_justify="left", box=SIMPLE)
        for header in ("variant", *(f"{t:,}" for t in times), "p99", "worst", "locked"):
            table.add_column(header, overflow="fold")
        for row in ablate(where, times, runs, seed, KEPT, workers, only or ()):
            rows += [
                (name, row.name, t, one.mean, one.sem, one.p90, one.p99, one.worst, row.locked[t])
                for t, one in row.stats.items()
            ]
            last = row.stats[times[-1]]
            means = (f"{figure(one.mean)} ± {figure(one.sem)}" for one in row.stats.values())
            table.add_row(row.name, *means, figure(last.p99), figure(last.worst), f"{row.locked[times[-1]]:.2%}")
        print_table(table)
    if not names and not only:
        write_results("ablation", COLUMNS, rows)


def main(words: Sequence[str]) -> None:
    run(study, words, "python -m benchmarks ablation")
