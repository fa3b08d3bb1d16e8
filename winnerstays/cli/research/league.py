"""`winnerstays research league`: every algorithm on every problem."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from winnerstays.cli.app import INTERRUPTED, out
from winnerstays.cli.counts import check_positive, count_option, share_option
from winnerstays.cli.plugins import Plugins, load_plugins, parse_algorithms
from winnerstays.cli.research.group import research_app
from winnerstays.cli.tables.fitting import print_table
from winnerstays.errors import WinnerstaysError
from winnerstays.files import check_outputs
from winnerstays.regret_names import REGRETS, check_regret_name

if TYPE_CHECKING:
    from winnerstays.league.cells import Cell

SHOWN = 3
"""Algorithms that are named for each problem."""


@research_app.command()
def league(
    names: Annotated[list[str] | None, typer.Argument(help="Sets, problems or files; all sets if left out.")] = None,
    algorithm: Annotated[list[str] | None, typer.Option(help="Play these only, as ws-s:beta=1.2.")] = None,
    horizon: Annotated[int, count_option("Duels of a run; a tenth and a hundredth of it are shown, too.")] = 1_000_000,
    runs: Annotated[int, count_option("The most runs of an algorithm that may be the best.")] = 1000,
    precision: Annotated[float | None, share_option("Stop when standard error / mean is this small.")] = None,
    seconds: Annotated[
        float, typer.Option(help="Computing time of such an algorithm on a problem. The others get a tenth.")
    ] = 12.0,
    seed: Annotated[int, count_option("The same seed gives the same runs.")] = 18,
    regret: Annotated[str, typer.Option(help="The regret to show: " + "|".join(REGRETS))] = "strong-average",
    workers: Annotated[int | None, typer.Option(help="All cores by default.")] = None,
    cluster: Annotated[str | None, typer.Option(help="tcp://host:port (Dask), ray://host:port or processes.")] = None,
    out_folder: Annotated[
        Path, typer.Option("--out", help="Keep here what was played; it is not played again.")
    ] = Path("out/league"),
    csv: Annotated[Path | None, typer.Option(help="Write every mean, tail and number of runs as a table.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file if it exists.")] = False,
    plugin: Plugins = None,
    sets: Annotated[bool, typer.Option("--sets", help="List the sets of problems, and play nothing.")] = False,
) -> None:
    """Play every algorithm on every problem and show who wins where.

    What was played is kept: the same command continues where it was stopped.
    """
    from winnerstays.algorithms import registered
    from winnerstays.league import play, problems
    from winnerstays.league.cells import CellStore, by_problem, write_csv

    if sets:
        return _show_sets(problems.SETS)
    load_plugins(plugin)
    check_regret_name(regret, REGRETS)
    check_positive(runs=runs, seconds=seconds, workers=workers)
    if precision is not None and not 0 < precision < 1:
        raise WinnerstaysError(f"precision is {precision}, but it must be a fraction between 0 and 1, such as 0.03.")
    plan = play.Plan(_times(horizon), runs, precision, seconds, seed)
    playing = parse_algorithms(algorithm) if algorithm else list(registered().values())
    where = problems.league_problems(names or [])
    check_outputs((csv, (".csv", "the league is written")), force=force)
    place = play.Where(workers, cluster, str(out_folder / "runs"), lambda text: print(text, file=sys.stderr))
    cells = []
    try:
        for cell in play.play_league(where, playing, plan, CellStore(out_folder / "cells"), place):
            cells.append(cell)
    except play.InterruptedLeagueError:
        print(
            "winnerstays: interrupted; what is complete is kept, and the same command continues from there.",
            file=sys.stderr,
        )
        sys.exit(INTERRUPTED)
    problems_played = by_problem(cells)
    for t in plan.times[-3:]:
        _show(problems_played, regret, t)
    for name, members in problems_played.items():
        for note, labels in _left_out(members).items():
            print(f"winnerstays: {name}: {labels}: {note}; give more --seconds (now {seconds:g}).", file=sys.stderr)
    if csv is not None:
        write_csv(csv, cells, force=force)
        out.print(f"table: {csv}", soft_wrap=True)
    return None


def _times(horizon: int) -> tuple[int, ...]:
    """The horizon, and up to three tenths of tenths before it."""
    if horizon < 10 or horizon > 10**12:
        raise WinnerstaysError(f"horizon is {horizon}, but it must be a whole number from 10 to 10^12.")
    return tuple(t for t in (horizon // 1000, horizon // 100, horizon // 10, horizon) if t >= 1)


def _show_sets(sets: dict[str, tuple[str, ...]]) -> None:
    for name, members in sets.items():
        out.print(f"{name}: {', '.join(members)}", soft_wrap=True, markup=False)


def _show(problems: "dict[str, list[Cell]]", regret: str, t: int) -> None:
    from winnerstays.league.cells import ranking
    from winnerstays.simulation.curve import figure

    table = Table(title=f"{regret} regret at {t:,} duels (ratio to the first)", title_justify="left", box=SIMPLE)
    for header in ("problem", "first", "second", "third"):
        table.add_column(header, overflow="fold")
    for name, cells in problems.items():
        places = ranking(cells, regret, t)[:SHOWN]
        shown = [f"{place.algorithm} {figure(place.stat.mean)} ({place.ratio:.2f})" for place in places]
        table.add_row(name, *(shown or ["not reached"]))
    print_table(table)


def _left_out(cells: "list[Cell]") -> dict[str, str]:
    """Return who did not reach a time, by what is said of it."""
    notes = dict.fromkeys(cell.note for cell in cells if cell.note)
    return {note: ", ".join(cell.algorithm for cell in cells if cell.note == note) for note in notes}
