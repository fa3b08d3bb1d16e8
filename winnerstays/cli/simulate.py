"""`winnerstays simulate`: regret curves as a table, a picture or JSON."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from winnerstays.cli.app import INTERRUPTED, app, out
from winnerstays.cli.counts import count_option, share_option, whole_numbers
from winnerstays.cli.file_options import (
    ForOne,
    ForPeople,
    ProblemCommand,
    Reading,
    find_problems,
    reads_files,
    say_how_read,
)
from winnerstays.cli.plugins import Plugins, load_plugins, parse_algorithms
from winnerstays.errors import check_extra
from winnerstays.files import ARCHIVE, CURVES, PICTURE, TABLE, check_outputs
from winnerstays.regret_names import ALL_REGRETS, COPELAND_REGRETS, REGRETS, check_regret_name
from winnerstays.wording import counted

if TYPE_CHECKING:
    from winnerstays.problems import Problem
    from winnerstays.simulation import Simulation


@app.command(cls=ProblemCommand)
@reads_files(ForOne, ForPeople)
def simulate(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="A name, such as sushi, or a file.")],
    algorithms: Annotated[list[str], typer.Argument(metavar="ALGORITHM", help="Such as ws-w or ws-s:beta=1.2.")],
    horizon: Annotated[int, count_option("Duels per run.")] = 10_000,
    runs: Annotated[int, count_option("Runs per algorithm.")] = 100,
    seed: Annotated[int, count_option("The same seed gives the same numbers.")] = 0,
    regret: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which one to show: " + ", ".join(ALL_REGRETS) + ".")
    ] = None,
    times: Annotated[str | None, typer.Option(metavar="T,...", help="When to record, as 100,1000.")] = None,
    precision: Annotated[float | None, share_option("Run until standard error / mean is this.")] = None,
    precision_regret: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only for this regret; may be repeated.")
    ] = None,
    min_runs: Annotated[int | None, count_option("Fewest runs, with --precision.")] = None,
    relabel: Annotated[bool, typer.Option(help="Number the arms anew in each run.")] = True,
    workers: Annotated[int | None, typer.Option(metavar="INTEGER", help="Threads; one per core if left out.")] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="tcp://... (Dask), ray://... or processes.")
    ] = None,
    cache: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Keep runs here, and reuse them.")] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write all curves; - for standard output.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a .png, .svg or .pdf picture.")] = None,
    parquet: Annotated[Path | None, typer.Option(metavar="FILE", help="Write all curves as a table.")] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep all runs (.npz), for Python.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")] = False,
    plugin: Plugins = None,
    *,
    reading: Reading,
) -> None:
    """Simulate algorithms on a problem and show their regret."""
    if parquet is not None:
        check_extra("--parquet", "polars", "tables")
    check_outputs((json, CURVES), (plot, PICTURE), (parquet, TABLE), (save, ARCHIVE), force=force)
    if regret is not None:
        check_regret_name(regret)
    from winnerstays.cli.tables.curves import show
    from winnerstays.simulation import simulate as run_simulation
    from winnerstays.simulation.api import check_order

    load_plugins(plugin)
    check_order(problem)
    chosen = parse_algorithms(algorithms)
    where = find_problems(problem, reading)
    say_how_read(problem, where)
    recorded = recorded_regrets(where, regret)
    regret = regret or recorded[0]
    result = run_simulation(
        where,
        chosen,
        horizon=horizon,
        runs=runs,
        seed=seed,
        times=None if times is None else whole_numbers("--times", times, "100,1000,10000"),
        precision=precision,
        precision_regrets=precision_regret or None,
        regrets=recorded,
        relabel=relabel,
        workers=workers,
        cluster=cluster,
        cache=cache,
        progress=True,
        min_runs=min_runs,
    )
    if result.interrupted:
        print(f"winnerstays: {explain_interruption(result, runs)}", file=sys.stderr)
    for warning in result.warnings:
        print(f"winnerstays: {warning}", file=sys.stderr)
    if json == "-":
        print(result.to_json())
    else:
        show(result, regret)
        for note in result.notes[len(result.warnings) :]:
            out.print(note)
    writers: dict[str, tuple[str | Path | None, Callable[..., object]]] = {
        "curves": (None if json == "-" else json, result.to_json),
        "table": (parquet, result.to_parquet),
        "whole result": (save, result.save),
        "picture": (plot, partial(result.plot, regret=regret)),
    }
    for what, (target, write) in writers.items():
        if target is not None:
            write(target, force=force)
            if json != "-":
                out.print(f"{what}: {target}", soft_wrap=True)
    if result.interrupted:
        sys.exit(INTERRUPTED)


def recorded_regrets(problems: "list[Problem]", asked: str | None) -> tuple[str, ...]:
    """Return what is recorded: the regrets that need a Condorcet winner where there is one, and the one asked for."""
    defined = REGRETS if all(problem.best_arm is not None for problem in problems) else COPELAND_REGRETS
    return tuple(dict.fromkeys([*defined, *([asked] if asked else [])]))


def explain_interruption(result: "Simulation", runs: int) -> str:
    done = [(algorithm.label, len(record)) for algorithm, record in zip(result.algorithms, result.records, strict=True)]
    complete = ", ".join(f"{count} of {label}" for label, count in done)
    missing = " and ".join(label for label, count in done if not count)
    lacking = f"; there is no curve of {missing}" if missing else ""
    return f"interrupted; of {counted(runs, 'run')} are complete: {complete}{lacking}."
