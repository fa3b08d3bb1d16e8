"""`winnerstays simulate`: regret curves as a table, a picture or JSON."""

import importlib.util
import re
import sys
import traceback
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numba.core.errors import NumbaError
from rich.box import SIMPLE
from rich.measure import Measurement
from rich.table import Table

from winnerstays.algorithms import Algorithm, algorithm
from winnerstays.cli.app import INTERRUPTED, app, out
from winnerstays.compiling import COMPILED
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.files import check_writable
from winnerstays.problems import problem as find_problem
from winnerstays.simulation import Curve, Simulation
from winnerstays.simulation import simulate as run_simulation
from winnerstays.simulation.regret import REGRETS
from winnerstays.simulation.result import check_picture
from winnerstays.specs import parse_spec

BARS = " ▁▂▃▄▅▆▇█"


@app.command()
def simulate(
    problem: Annotated[str, typer.Argument(help="A built-in problem, NAME:key=value,..., or a file.")],
    algorithms: Annotated[list[str], typer.Argument(help="Names, with parameters as ws-s:beta=1.2.")],
    horizon: Annotated[int, typer.Option(help="Duels per run.")] = 10_000,
    runs: Annotated[int, typer.Option(help="Runs per algorithm.")] = 100,
    seed: Annotated[int, typer.Option(help="Names the experiment; the same seed gives the same numbers.")] = 0,
    regret: Annotated[str, typer.Option(help="|".join(REGRETS))] = REGRETS[0],
    param: Annotated[list[str] | None, typer.Option(help="A parameter, as ws-s.beta=1.2.")] = None,
    precision: Annotated[float | None, typer.Option(help="Stop when standard error / mean is this small.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", "--threads", help="All cores by default.")] = None,
    cluster: Annotated[str | None, typer.Option(help="tcp://host:port (Dask), ray://host:port or processes.")] = None,
    json: Annotated[str | None, typer.Option(help="Write all curves to a file, or to - for standard output.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a picture (.png, .svg or .pdf).")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write all curves as a Parquet table.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")] = False,
    plugin: Annotated[
        list[Path] | None, typer.Option(help="A Python file that registers algorithms of your own.")
    ] = None,
) -> None:
    """Simulate algorithms on a problem and show their regret."""
    for file in plugin or []:
        load_plugin(file)
    if regret not in REGRETS:
        raise unknown("regret", regret, REGRETS)
    chosen = parse_algorithms(algorithms, param or [])
    where = find_problem(problem)
    check_files(None if json in (None, "-") else Path(str(json)), plot, parquet, force=force)
    if plot is not None:
        check_picture(plot)

    try:
        result = run_simulation(
            where,
            chosen,
            horizon=horizon,
            runs=runs,
            seed=seed,
            precision=precision,
            workers=workers,
            cluster=cluster,
            progress=sys.stderr.isatty(),
        )
    except WinnerstaysError:
        raise
    except Exception as error:
        if not plugin:
            raise
        raise WinnerstaysError(explain_failure(error, plugin)) from error
    if result.interrupted:
        print(f"winnerstays: {explain_interruption(result, runs)}", file=sys.stderr)
    if json == "-":
        print(result.to_json())
    else:
        show(result, regret)
        if json is not None:
            result.to_json(json, force=force)
            out.print(f"curves: {json}")
    if parquet is not None:
        result.to_parquet(parquet, force=force)
    if plot is not None:
        result.plot(plot, regret=regret, force=force)
        if json != "-":
            out.print(f"picture: {plot}")
    if result.interrupted:
        sys.exit(INTERRUPTED)


def check_files(*paths: Path | None, force: bool) -> None:
    """Refuse now what could not be written later."""
    asked = [path for path in paths if path is not None]
    for number, path in enumerate(asked):
        check_writable(path, force=force)
        if path.resolve() in [other.resolve() for other in asked[:number]]:
            raise WinnerstaysError(f"{path} is asked for twice; give every file a name of its own.")


def explain_interruption(result: Simulation, runs: int) -> str:
    done = [(one.label, len(record)) for one, record in zip(result.algorithms, result.records, strict=True)]
    complete = ", ".join(f"{count} of {label}" for label, count in done)
    missing = " and ".join(label for label, count in done if not count)
    lacking = f"; there is no curve of {missing}" if missing else ""
    return f"interrupted; of {runs} runs are complete: {complete}{lacking}."


def explain_failure(error: Exception, plugins: list[Path]) -> str:
    """One sentence with the place in the plug-in, as far as that is known."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = next((line for line in lines if line and not line.startswith("Failed in")), "").rstrip(".:")
    trace = "".join(traceback.format_exception(error))  # of other threads and processes there is only text
    places = re.findall(r'File "(?:[^"]*/)?([^"/]+)", line (\d+)', trace)
    known = [f" ({file}, line {line})" for file, line in places if file in {plugin.name for plugin in plugins}]
    what = f"{type(error).__name__}: {said}{known[-1] if known else ''}"
    if isinstance(error, NumbaError):
        return (
            f"An algorithm of your own cannot be compiled: {what}; choose, update and best must not make new arrays, "
            "lists or text (init may), and where they do not, WINNERSTAYS_COMPILE=0 shows what is wrong."
        )
    hint = " (WINNERSTAYS_COMPILE=0 shows where)" if COMPILED and not known else ""
    return f"An algorithm of your own failed: {what}{hint}."


def parse_algorithms(names: list[str], settings: list[str]) -> list[Algorithm]:
    """`ws-s:beta=1.2` and `--param ws-s.beta=1.2` as configured algorithms."""
    common: dict[str, dict[str, str]] = {}
    for setting in settings:
        target, _, value = setting.partition("=")
        name, _, key = target.rpartition(".")
        if not (name and key and value):
            raise WinnerstaysError(f"--param is {setting!r}, but it must look like ws-s.beta=1.2.")
        if key in common.setdefault(name, {}):
            raise WinnerstaysError(f"--param gives {target} twice; give it once.")
        common[name][key] = value
    asked = list(map(parse_spec, names))
    for name, options in asked:
        for key in options.keys() & common.get(name, {}).keys():
            raise WinnerstaysError(
                f"{key} of {name} is {options[key]} behind the name and {common[name][key]} in --param; give it once."
            )
    for name in common:
        if name not in {one for one, _ in asked}:
            raise WinnerstaysError(
                f"--param sets a parameter of {name!r}, which is not among the algorithms asked for."
            )
    return [algorithm(name, **{**common.get(name, {}), **options}) for name, options in asked]


def load_plugin(file: Path) -> None:
    """Run a Python file that registers algorithms."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise WinnerstaysError(f"{file} is not a Python file that can be loaded.")
    sys.path.insert(0, str(file.resolve().parent))  # worker processes import it by name
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    try:
        spec.loader.exec_module(module)
    except WinnerstaysError:
        raise
    except (Exception, SystemExit) as error:
        raise WinnerstaysError(f"{file} could not be loaded: {type(error).__name__}: {error}.") from error


def show(result: Simulation, regret: str) -> None:
    """A table with the regret at every decade and a small curve.

    Where the terminal is narrow, labels wrap, then the curve goes, then lines are too long; numbers are never cut.
    """
    curves = result.of_regret(regret)
    at = decades(result.times)
    title = f"{result.problem.name}: cumulative {regret} regret, mean ± standard error"
    table = Table(title=title, title_justify="left", box=SIMPLE)
    top = max(float(curve.mean.max()) for curve in curves)
    ranked = sorted(curves, key=lambda one: float(one.mean[-1]))
    table.add_column("algorithm", overflow="fold")
    for k in at:
        table.add_column(f"t={short(int(result.times[k]))}", justify="right", no_wrap=True)
    table.add_column("over log t", no_wrap=True)
    for curve in ranked:
        cells = [f"{figure(curve.mean[k])} ± {figure(curve.sem[k])}" for k in at]
        table.add_row(curve.label, *cells, sparkline(curve, top))
    excess = _width(table) - out.width
    if excess > 0:
        longest = max(len(curve.label) for curve in ranked)
        names = ["algorithm", *(curve.algorithm for curve in ranked)]
        table.columns[0].width = max(longest - excess, *map(len, names))
        if _width(table) > out.width:
            table.columns.pop()
        table.width = _width(table)
    out.print(table, crop=False)
    runs = sorted({curve.runs for curve in curves})
    out.print(
        f"{result.problem.n_arms} arms, {' to '.join(map(str, {runs[0]: 0, runs[-1]: 0}))} runs, seed {result.seed}"
    )


def _width(table: Table) -> int:
    """Of the whole table, if there were room."""
    return Measurement.get(out, out.options.update(width=1000), table).maximum


def decades(times: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> list[int]:
    """Places of the last two powers of ten before the end, and of the end."""
    last = int(times[-1])
    powers = [10**k for k in range(len(str(last))) if 10**k < last]
    return [int(np.searchsorted(times, t)) for t in [*powers[-2:], last]]


def short(number: int) -> str:
    """
    >>> short(4000), short(10**6), short(123)
    ('4k', '1M', '123')
    """
    for size, letter in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size and number % (size // 10) == 0:
            return f"{number / size:g}{letter}"
    return str(number)


def figure(value: float) -> str:
    """Three or four digits, whatever the size."""
    return "-" if np.isnan(value) else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def sparkline(curve: Curve, top: float, width: int = 14) -> str:
    """The mean over logarithmic time, as bars that share one scale."""
    places = np.searchsorted(curve.t, np.geomspace(1, curve.t[-1], width), side="right") - 1
    heights = curve.mean[np.maximum(places, 0)] / (top or 1.0) * (len(BARS) - 1)
    return "".join(BARS[int(np.ceil(height))] for height in heights)
