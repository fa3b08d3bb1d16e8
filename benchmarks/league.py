"""Play every algorithm on every problem and on the attacks, and write results/league/.

What was played is kept in out/league: the same command continues where it was stopped.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._league_pictures import mean_ranks, ratio_map
from benchmarks._problems import ATTACKING, find_problems
from benchmarks._results import RESULTS, write_results
from benchmarks.ablation import AVERAGE, smallest_slope
from winnerstays import registered
from winnerstays.cli.app import main as run
from winnerstays.cli.counts import check_positive, count_option
from winnerstays.files import write_whole
from winnerstays.league.cells import Cell, CellStore, by_problem, ranking
from winnerstays.league.play import InterruptedLeagueError, Plan, Where, play_league
from winnerstays.league.problems import SETS

study = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
FOLDER = Path("out/league")
PLACES = 3
TAILS = ("ws-t", "dts", "ws-s", "rmed1")
GROWING = (*TAILS, "self-sparring")


@study.command()
def league(
    runs: Annotated[int, count_option("The most runs of an algorithm that may be the best.")] = 1000,
    seconds: Annotated[
        float, typer.Option(help="Computing time of such an algorithm on a problem; others: a tenth.")
    ] = 8.0,
    seed: Annotated[int, count_option("The same seed gives the same runs.")] = 18,
    workers: Annotated[int | None, typer.Option(help="Threads; one per core if left out.")] = None,
) -> None:
    """Play every algorithm on every problem (some hours), and write the results."""
    check_positive(runs=runs, seconds=seconds, workers=workers)
    plan = Plan(runs=runs, seconds=seconds, seed=seed)
    where = Where(workers, None, str(FOLDER / "runs"), lambda text: print(text, file=sys.stderr))
    problems = find_problems([*(name for members in SETS.values() for name in members), *ATTACKING])
    try:
        cells = list(play_league(problems, list(registered().values()), plan, CellStore(FOLDER / "cells"), where))
    except InterruptedLeagueError:
        sys.exit("Interrupted; what is complete is kept, and the same command continues from there.")
    write_league(by_problem(cells), plan)


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
            for regret in (AVERAGE, "strong-binary")
            for label, (rank, ratio, count) in mean_ranks(problems, regret, late[-1]).items()
        ],
    )
    _write_tails(problems, plan.times)
    write_results(
        "league/left-out",
        ("problem", "algorithm", "reason"),
        [(name, cell.algorithm, cell.note) for name, cells in problems.items() for cell in cells if cell.note],
    )
    figure = ratio_map(problems, AVERAGE, plan.times[-1])
    write_whole(RESULTS / "league" / "league.png", partial(figure.savefig, format="png", dpi=110), force=True)


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


def main(words: Sequence[str]) -> None:
    run(study, words, "python -m benchmarks league")
