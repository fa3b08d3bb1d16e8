"""Play every algorithm on every problem and on the attacks, and write results/league/.

What was played is kept in out/league: the same command continues where it was stopped.
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._league_pictures import mean_ranks, ratio_map
from benchmarks._problems import ATTACKING, find_problems, role, set_of
from benchmarks._results import DOCS, read_results, replace_part, table, write_results
from benchmarks._verdict import AVERAGE, BINARY, verdicts
from benchmarks.ablation import smallest_slope
from winnerstays import registered
from winnerstays.cli.app import main as run
from winnerstays.cli.counts import check_positive, count_option
from winnerstays.files import write_whole
from winnerstays.league.cells import Cell, CellStore, by_problem, ranking
from winnerstays.league.play import InterruptedLeagueError, Plan, Where, play_league
from winnerstays.league.problems import SETS

study = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
FOLDER = Path("out/league")
ABOUT = "ws-t"
SHOWN = ("weak-binary", "strong-binary", AVERAGE)
"""The regrets on the page."""
PLACES = 3
TAILS, GROWING = (ABOUT, "dts", "ws-s", "rmed1"), (ABOUT, "dts", "ws-s", "rmed1", "self-sparring")
LAST = 10**6
MOST = 0.75
"""The share of the problems on which an algorithm must have reached the last time to be in the table of ranks."""


@study.command()
def league(
    runs: Annotated[int, count_option("The most runs of an algorithm that may be the best.")] = 1000,
    seconds: Annotated[
        float, typer.Option(help="Computing time of such an algorithm on a problem; others: a tenth.")
    ] = 8.0,
    seed: Annotated[int, count_option("The same seed gives the same runs.")] = 18,
    workers: Annotated[int | None, typer.Option(help="Threads; one per core if left out.")] = None,
) -> None:
    """Play every algorithm on every problem (some hours), and write the results and the page."""
    check_positive(runs=runs, seconds=seconds, workers=workers)
    plan = Plan(runs=runs, seconds=seconds, seed=seed)
    where = Where(workers, None, str(FOLDER / "runs"), lambda text: print(text, file=sys.stderr))
    problems = find_problems([*(name for members in SETS.values() for name in members), *ATTACKING])
    try:
        cells = list(play_league(problems, list(registered().values()), plan, CellStore(FOLDER / "cells"), where))
    except InterruptedLeagueError:
        sys.exit("Interrupted; what is complete is kept, and the same command continues from there.")
    write_league(by_problem(cells), plan)
    for name, make in PARTS.items():
        replace_part("league.md", name, make())


def write_league(problems: Mapping[str, Sequence[Cell]], plan: Plan) -> None:
    """Write all tables of results, and the picture."""
    late = plan.times[-3:]
    write_results(
        "league/first",
        ("problem", "regret", "t", "place", "algorithm", "mean", "sem", "ratio"),
        [
            (name, regret, t, place, one.algorithm, one.stat.mean, one.stat.sem, one.ratio)
            for regret in plan.regrets for t in late for name, cells in problems.items()
            for place, one in enumerate(ranking(cells, regret, t)[:PLACES], 1)
        ],
    )  # fmt: skip
    write_results(
        "league/ranks",
        ("regret", "t", "algorithm", "mean_rank", "ratio", "problems"),
        [
            (regret, late[-1], label, rank, ratio, count)
            for regret in (AVERAGE, BINARY)
            for label, (rank, ratio, count) in mean_ranks(problems, regret, late[-1]).items()
        ],
    )
    write_results(
        "league/ws-t",
        ("problem", "role", "t", "mean", "sem", "runs", "other", "other_mean", "other_sem", "ratio", "first", "binary",
         "p99", "worst"),
        [
            (one.problem, role(one.problem), one.t, one.own.mean, one.own.sem, one.own.runs, one.other.algorithm,
             one.other.stat.mean, one.other.stat.sem, one.own.mean / one.other.stat.mean, "yes" if one.first else "no",
             one.binary, one.p99, one.worst)
            for one in verdicts(problems, ABOUT, late)
        ],
    )  # fmt: skip
    _write_tails(problems, plan.times)
    write_results(
        "league/left-out",
        ("problem", "algorithm", "reason"),
        [(name, cell.algorithm, cell.note) for name, cells in problems.items() for cell in cells if cell.note],
    )
    figure = ratio_map(problems, AVERAGE, plan.times[-1])
    write_whole(DOCS / "league.png", partial(figure.savefig, format="png", dpi=110), force=True)


def _write_tails(problems: Mapping[str, Sequence[Cell]], times: Sequence[int]) -> None:
    """Write percentiles at the last time that was reached, and the growth with ln T up to it."""
    tails: list[tuple[object, ...]] = []
    growth: list[tuple[object, ...]] = []
    for name, cells in problems.items():
        smallest = smallest_slope(find_problems([name])[name])
        for cell in cells:
            reached = [(t, one) for t in times if (one := cell.at(AVERAGE, t))]
            if reached and cell.algorithm in TAILS:
                t, one = reached[-1]
                tails.append((name, cell.algorithm, t, one.mean, one.p90, one.p99, one.worst, one.runs))
            if len(reached) > 1 and cell.algorithm in GROWING:
                (early, before), (last, after) = reached[-2:]
                slope = (after.mean - before.mean) / math.log(last / early)
                growth.append((name, smallest, cell.algorithm, slope))
    write_results("league/tails", ("problem", "algorithm", "t", "mean", "p90", "p99", "worst", "runs"), tails)
    write_results("league/growth", ("problem", "smallest", "algorithm", "growth"), growth)


def ranks() -> str:
    """Return the algorithms that are nearest to the best over all problems."""
    known = [row for row in read_results("league/ranks") if row["regret"] == AVERAGE]
    most = max(int(row["problems"]) for row in known)
    found = sorted((row for row in known if int(row["problems"]) >= MOST * most), key=lambda row: float(row["ratio"]))
    lines = [
        (f"`{row['algorithm']}`", row["ratio"], f"{float(row['mean_rank']):.1f}", row["problems"]) for row in found[:8]
    ]
    return table(("algorithm", "regret / the best (geometric mean)", "mean rank", "problems"), lines)


def winners() -> str:
    """Return on how many problems each algorithm is first, by regret, at the last time."""
    lines = []
    for regret in SHOWN:
        count = Counter(row["algorithm"] for row in _first() if row["regret"] == regret)
        lines.append((regret, ", ".join(f"`{label}` {lines}" for label, lines in count.most_common(3))))
    return table(("regret", "problems on which it is first"), lines)


def sets() -> str:
    """Return who is first on the problems of each set, in weak and in strong regret, at the last time."""
    lines = []
    for name in [*SETS, "attack"]:
        here = [row for row in _first() if set_of(row["problem"]) == name]
        cells = []
        for regret in ("weak-binary", AVERAGE):
            count = Counter(row["algorithm"] for row in here if row["regret"] == regret)
            cells.append(", ".join(f"`{label}` {lines}" for label, lines in count.most_common(2)))
        lines.append((name, len({row["problem"] for row in here}), *cells))
    return table(("set", "problems", "weak regret", "strong regret"), lines)


def _first() -> list[dict[str, str]]:
    rows = read_results("league/first")
    return [row for row in rows if row["place"] == "1" and int(row["t"]) == LAST]


PARTS: dict[str, Callable[[], str]] = {"winners": winners, "sets": sets, "ranks": ranks}
"""By name, what makes each part of docs/league.md."""


def main(words: Sequence[str]) -> None:
    run(study, words, "python -m benchmarks league")
