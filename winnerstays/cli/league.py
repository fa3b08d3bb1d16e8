"""`winnerstays league`, `attack`, `ablation`: every algorithm on every problem; problems that hurt; what is needed."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from winnerstays.cli.app import INTERRUPTED, app, out
from winnerstays.cli.counts import count_option, share_option, whole_numbers
from winnerstays.cli.plugins import Plugins, load_plugins, parse_algorithms
from winnerstays.cli.simulate import check_files
from winnerstays.cli.tables.fitting import print_table
from winnerstays.errors import WinnerstaysError
from winnerstays.regret_names import REGRETS, check_regret_name

if TYPE_CHECKING:
    from winnerstays.league.cells import Cell

ABLATED = ("sushi", "total-order:n_arms=6,p=0.53", "random-condorcet:n_arms=30,seed=2")
"""Problems on which ingredients are changed unless others are named: real, near-ties, no order."""
MAX_ATTACKED = 1000
"""Arms of the largest matrix that is searched for."""


@app.command()
def league(
    names: Annotated[
        list[str] | None, typer.Argument(help="Sets, problems or files; all of the verdict if none.")
    ] = None,
    algorithm: Annotated[list[str] | None, typer.Option(help="Play these only, as ws-s:beta=1.2.")] = None,
    about: Annotated[str, typer.Option(help="Whom the page judges.")] = "ws-t",
    horizon: Annotated[int, count_option("The longest; regrets are shown at its tenths too.")] = 1_000_000,
    runs: Annotated[int, count_option("The most runs of an algorithm that may be the best.")] = 1000,
    precision: Annotated[float | None, share_option("Stop when standard error / mean is this small.")] = None,
    seconds: Annotated[
        float, typer.Option(help="Computing time of such an algorithm on a problem; others: a tenth.")
    ] = 12.0,
    seed: Annotated[int, count_option("Names the experiment.")] = 18,
    regret: Annotated[str, typer.Option(help="What is shown here: " + "|".join(REGRETS))] = "strong-average",
    workers: Annotated[int | None, typer.Option(help="All cores by default.")] = None,
    cluster: Annotated[str | None, typer.Option(help="tcp://host:port (Dask), ray://host:port or processes.")] = None,
    out_folder: Annotated[
        Path, typer.Option("--out", help="What was played is kept here, and not played again.")
    ] = Path("out/league"),
    markdown: Annotated[Path | None, typer.Option(help="Write the page, with its pictures beside it.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite them if they exist.")] = False,
    plugin: Plugins = None,
    sets: Annotated[bool, typer.Option("--sets", help="List the sets of problems, and play nothing.")] = False,
) -> None:
    """Play every algorithm on every problem and show who wins where.

    What was played is kept: the same command goes on where it was stopped.
    """
    from winnerstays.algorithms import registered
    from winnerstays.league import play, problems, report
    from winnerstays.league.cells import CellStore, by_problem

    if sets:
        return _show_sets(problems.SETS)
    load_plugins(plugin)
    check_regret_name(regret, REGRETS)
    _check_positive(runs=runs, seconds=seconds, workers=workers)
    if precision is not None and not 0 < precision < 1:
        raise WinnerstaysError(f"precision is {precision}, but it must be a fraction between 0 and 1, such as 0.03.")
    plan = play.Plan(_times(horizon), runs, precision, seconds, seed)
    playing = parse_algorithms(algorithm, []) if algorithm else list(registered().values())
    given = about != "ws-t" or markdown is not None
    if given and about not in [one.label for one in playing]:
        known = ", ".join(one.label for one in playing)
        raise WinnerstaysError(f"--about is {about!r}, but it must be one of those that play: {known}.")
    where = problems.league_problems(names or [])
    check_files(markdown, force=force)
    place = play.Where(workers, cluster, str(out_folder / "runs"), lambda text: print(text, file=sys.stderr))
    cells = []
    try:
        for cell in play.play_league(where, playing, plan, CellStore(out_folder / "cells"), place):
            cells.append(cell)
    except play.InterruptedLeagueError:
        print(
            "winnerstays: interrupted; what is complete is kept, the same command goes on from there.", file=sys.stderr
        )
        sys.exit(INTERRUPTED)
    found = by_problem(cells)
    for t in plan.times[-3:]:
        _show(found, regret, t)
    for name, members in found.items():
        for note, labels in _left_out(members).items():
            print(f"winnerstays: {name}: {labels}: {note}; give more --seconds (now {seconds:g}).", file=sys.stderr)
    if markdown is not None:
        from winnerstays.league.plot import write_pictures

        pictures = write_pictures(markdown.parent, markdown.stem, found, about, plan.times[-2:], force)
        command = _command()
        report.write_page(markdown, report.markdown(found, plan, about, command, pictures), force)
        out.print(f"page: {markdown}", soft_wrap=True)
    return None


@app.command()
def attack(
    attacked: Annotated[str, typer.Argument(help="An algorithm.")] = "ws-t",
    rival: Annotated[str, typer.Option(help="Beside whom it should look bad.")] = "dts",
    arms: Annotated[str, typer.Option(help="Sizes of the matrices.")] = "3,4,5,6,8",
    horizon: Annotated[int, count_option("Duels per run.")] = 10_000,
    steps: Annotated[int, count_option("Changes that are tried.")] = 40,
    seed: Annotated[int, count_option("Names the search.")] = 0,
    workers: Annotated[int | None, typer.Option(help="All cores by default.")] = None,
    plugin: Plugins = None,
) -> None:
    """Search for preferences on which an algorithm does badly beside a rival."""
    from winnerstays.algorithms import algorithm as find_algorithm
    from winnerstays.league.search import Search, search
    from winnerstays.randomness import check_seed

    load_plugins(plugin)
    one, other = find_algorithm(attacked), find_algorithm(rival)
    if one is other:
        raise WinnerstaysError(f"{attacked} is its own rival; name another algorithm.")
    sizes = whole_numbers("--arms", arms, "3,4,5")
    if not all(2 <= size <= MAX_ATTACKED for size in sizes):
        raise WinnerstaysError(f"--arms is {arms!r}, but it must be whole numbers from 2 to {MAX_ATTACKED}, as 3,4,5.")
    check_seed(seed)
    _check_positive(steps=steps, horizon=horizon, workers=workers)
    plan = Search(one, other, horizon=horizon, steps=steps, seed=seed, workers=workers)
    for n_arms in sizes:
        found = search(plan, n_arms, lambda text: print(text, file=sys.stderr))
        out.print(f"{n_arms} arms: regret {found.ratio:.2f} times that of {rival} (± {found.error:.0%})")
        for row in found.preferences:
            out.print("  " + " ".join(f"{p:.3f}".removeprefix("0") for p in row))


@app.command()
def ablation(
    names: Annotated[list[str] | None, typer.Argument(help="Sets, problems or files.")] = None,
    horizon: Annotated[int, count_option("The longest; regrets are shown at its tenths too.")] = 1_000_000,
    only: Annotated[list[str] | None, typer.Option("--variant", help="Only this one; may be repeated.")] = None,
    runs: Annotated[int, count_option("Runs of every variant.")] = 1000,
    seed: Annotated[int, count_option("Names the experiment.")] = 18,
    workers: Annotated[int | None, typer.Option(help="All cores by default.")] = None,
    out_folder: Annotated[Path, typer.Option("--out", help="Runs are kept here, and not played again.")] = Path(
        "out/ablation"
    ),
    markdown: Annotated[Path | None, typer.Option(help="Write the page.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite it if it exists.")] = False,
) -> None:
    """Change one ingredient of ws-t at a time and show what becomes worse."""
    from winnerstays.league.ablation import ablate
    from winnerstays.league.problems import league_problems
    from winnerstays.league.report import ablation_page, number, write_page

    _check_positive(runs=runs, workers=workers)
    times, found = _times(horizon)[-3:], {}
    check_files(markdown, force=force)
    for name, where in league_problems(names or ABLATED).items():
        rows = []
        table = Table(title=f"{name}: strong-average regret", title_justify="left", box=SIMPLE)
        for header in ("variant", *(f"{t:,}" for t in times), "p99", "worst", "locked"):
            table.add_column(header, overflow="fold")
        for row in ablate(where, times, runs, seed, str(out_folder), workers, only or ()):
            rows.append(row)
            last = row.stats[times[-1]]
            means = (f"{number(one.mean)} ± {number(one.sem)}" for one in row.stats.values())
            table.add_row(row.name, *means, number(last.p99), number(last.worst), f"{row.locked[times[-1]]:.2%}")
        print_table(table)
        found[name] = rows
    if markdown is not None:
        write_page(markdown, ablation_page(found, runs, seed, _command()), force)
        out.print(f"page: {markdown}", soft_wrap=True)


def _times(horizon: int) -> tuple[int, ...]:
    """The horizon, and up to three tenths of tenths before it."""
    if horizon < 10 or horizon > 10**12:
        raise WinnerstaysError(f"horizon is {horizon}, but it must be a whole number from 10 to 10^12.")
    return tuple(t for t in (horizon // 1000, horizon // 100, horizon // 10, horizon) if t >= 1)


def _command() -> str:
    """The command that was given, without what does not change the result."""
    given, kept = iter(sys.argv[1:]), []
    for word in given:
        if word in ("--out", "--workers", "--cluster"):
            next(given, None)
        elif word != "--force":
            kept.append(word)
    return shlex.join(["winnerstays", *kept])


def _check_positive(**values: float | None) -> None:
    for name, value in values.items():
        if value is not None and not value > 0:
            raise WinnerstaysError(f"{name} is {value}, but it must be above 0.")


def _show_sets(sets: dict[str, tuple[str, ...]]) -> None:
    for name, members in sets.items():
        out.print(f"{name}: {', '.join(members)}", soft_wrap=True, markup=False)


def _show(problems: "dict[str, list[Cell]]", regret: str, t: int) -> None:
    from winnerstays.league.report import SHOWN, number
    from winnerstays.league.standing import ranking

    table = Table(title=f"{regret} regret at {t:,} duels (ratio to the first)", title_justify="left", box=SIMPLE)
    for header in ("problem", "first", "second", "third"):
        table.add_column(header, overflow="fold")
    for name, cells in problems.items():
        places = ranking(cells, regret, t)[:SHOWN]
        shown = [f"{one.algorithm} {number(one.stat.mean)} ({one.ratio:.2f})" for one in places]
        table.add_row(name, *(shown or ["not reached"]))
    print_table(table)


def _left_out(cells: "list[Cell]") -> dict[str, str]:
    """Return who did not reach a time, by what is said of it."""
    notes = dict.fromkeys(cell.note for cell in cells if cell.note)
    return {note: ", ".join(cell.algorithm for cell in cells if cell.note == note) for note in notes}
