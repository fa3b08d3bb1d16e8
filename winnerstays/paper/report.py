"""The report: one HTML file that works offline, pictures, raw results, and the verdicts as a page of the docs."""

import io
import json
import os
import platform
import shutil
from base64 import b64encode
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from winnerstays.errors import WinnerstaysError, missing_extra
from winnerstays.files import write_whole
from winnerstays.paper.claims import Claim, Verdict, at, show
from winnerstays.paper.panels import Effort, Result
from winnerstays.paper.published import EXPLANATIONS
from winnerstays.simulation import Curve
from winnerstays.simulation.curve import frame_of
from winnerstays.simulation.plot import draw

Judged = list[tuple[Claim, Verdict]]


def picture(result: Result) -> Figure:
    """Draw the panel: the paper's lines solid, other algorithms dashed, published values as circles."""
    panel = result.panel
    least, most = min(curve.runs for curve in result.curves), max(curve.runs for curve in result.curves)
    runs = f"{least} runs" if least == most else f"{least} to {most} runs"
    title = f"{panel.title}\n{runs}, bands ± 2 standard errors"
    if result.published:
        doubled = "\ncircles: read off the paper's figure and doubled (erratum F1)"
        title += doubled if panel.scale else ", circles: read off the paper's figure"
    if result.note:
        title += f"\n{result.note}"
    dashed = {one.label for one in panel.not_in_paper}
    return draw(result.curves, title=title, logarithmic=panel.logarithmic, dashed=dashed, points=result.published)


def differences(result: Result) -> list[dict[str, str]]:
    """List our value, the published one and their ratio, wherever the paper's figure could be read."""
    rows = []
    for label, points in result.published.items():
        for t, value in points.items():
            if t <= result.horizon:
                mean, error = at(result.curve(label), t)
                why = EXPLANATIONS.get((result.panel.problem, label), "")
                rows.append(
                    {
                        "algorithm": label,
                        "t": f"{t:,}",
                        "here": show(mean, error),
                        "published": show(value),
                        "ratio": f"{mean / value:.2f}",
                        "explanation": why,
                    }
                )
    return rows


def loosest(curve: Curve) -> tuple[float, int]:
    """Return the largest standard error of a line as a fraction of the mean, and its time."""
    k = int(curve.relative_error.argmax())
    return float(curve.relative_error[k]), int(curve.t[k])


def shortfalls(results: dict[str, Result]) -> list[str]:
    """Write a sentence for every line that is less precise than was asked."""
    return [
        f"{name}, {curve.label}: the standard error is {loosest(curve)[0]:.2%} at t={loosest(curve)[1]:,} after "
        f"{curve.runs:,} runs, the most allowed; {result.precision:.0%} was asked."
        for name, result in results.items()
        for curve in result.missed
    ]


def precision_asked(effort: Effort) -> str:
    if effort.precision is None:
        return f"Few runs ({effort.runs} a line) at no asked precision: a look, not a measurement."
    return (
        f"Runs were added to every line until the standard error of its mean was at most {effort.precision:.0%} of "
        f"it at all plotted times, up to {effort.runs:,} runs a line. In the Yelp panel a run is one with every user."
    )


def precision_rows(results: dict[str, Result]) -> list[tuple[str, str, str, str, str]]:
    """List the least precise line of each panel: its name, runs, standard error and the time."""
    rows = []
    for name, result in results.items():
        worst = max(result.curves, key=lambda curve: loosest(curve)[0])
        error, t = loosest(worst)
        rows.append((name, f"{error:.2%}", worst.label, f"{t:,}", f"{worst.runs:,}"))
    return rows


def environment(effort: Effort, seed: int) -> dict[str, str]:
    """Return what the numbers were made with."""
    packages = ("winnerstays", "numpy", "numba", "scipy", "gensim")
    return {
        "effort": effort.name,
        "seed": str(seed),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        **{name: _version(name) for name in packages},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def write_panel(folder: Path, result: Result) -> None:
    """Write picture and raw results of one panel; each file is whole or not there."""
    figure = picture(result)
    for suffix in ("png", "svg"):
        target = folder / f"{result.panel.name}.{suffix}"
        write_whole(target, lambda draft: figure.savefig(draft, dpi=160), force=True)
    raw = json.dumps(raw_results(result), indent=1)
    write_whole(folder / f"{result.panel.name}.json", lambda draft: draft.write_text(raw), force=True)


def raw_results(result: Result) -> dict[str, Any]:
    panel = result.panel
    return {
        "panel": panel.name,
        "figure": panel.figure,
        "problem": panel.problem,
        "regret": panel.regret,
        "note": result.note,
        "curves": [curve.to_dict() for curve in result.curves],
    }


def write_tables(folder: Path, results: dict[str, Result]) -> None:
    """Write all curves to one Parquet file."""
    frame = frame_of("panel", *((name, result.curves) for name, result in results.items()))
    write_whole(folder / "results.parquet", frame.write_parquet, force=True)


def write_html(folder: Path, results: dict[str, Result], judged: Judged, effort: Effort, seed: int) -> Path:
    """Write the report as one HTML file that works offline."""
    facts = {**environment(effort, seed), "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}
    page = _render("report.html", results, judged, effort, facts, picture=lambda result: _inline(picture(result)))
    return write_whole(folder / "report.html", lambda draft: draft.write_text(page, encoding="utf-8"), force=True)


def _render(
    name: str, results: dict[str, Result], judged: Judged, effort: Effort, facts: dict[str, str], **more: Any
) -> str:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise missing_extra("The report", "paper") from None
    templates = Environment(
        loader=PackageLoader("winnerstays.paper"), autoescape=name.endswith(".html"), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False,
    )  # fmt: skip
    panels = [
        {"result": result, "differences": differences(result), "table": _table(result)} for result in results.values()
    ]
    return templates.get_template(name).render(
        panels=panels, judged=judged, environment=facts, precision_asked=precision_asked(effort),
        precision_rows=precision_rows(results), shortfalls=shortfalls(results), **more,
    )  # fmt: skip


def _inline(figure: Figure) -> str:
    data = io.BytesIO()
    figure.savefig(data, format="svg")
    return "data:image/svg+xml;base64," + b64encode(data.getvalue()).decode()


def _table(result: Result) -> list[tuple[str, str, str, str]]:
    """List label, runs, regret at the end, lowest first, and the largest standard error."""
    rows = []
    for curve in sorted(result.curves, key=lambda curve: float(curve.mean[-1])):
        error, t = loosest(curve)
        last = show(float(curve.mean[-1]), float(curve.sem[-1]))
        rows.append((curve.label, f"{curve.runs:,}", last, f"{error:.2%} at t={t:,}"))
    return rows


def markdown(results: dict[str, Result], judged: Judged, effort: Effort, seed: int) -> str:
    """Render the verdicts and the differences from the published curves as a page of the documentation."""
    option = "" if effort.name == "default" else f" --{effort.name}"
    return _render("report.md", results, judged, effort, environment(effort, seed), option=option).rstrip() + "\n"


def check_folder(folder: Path) -> Path:
    """Make the folder, or raise an error that says why it cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        raise WinnerstaysError(
            f"{folder} cannot be written to ({error.strerror}); give another folder with --out."
        ) from None
    if shutil.disk_usage(folder).free < 50_000_000:
        raise WinnerstaysError(f"{folder}: less than 50 MB are free on this disk; the report needs more.")
    return folder
