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
    """The panel: the paper's lines whole, later algorithms dashed, published values as circles."""
    panel = result.panel
    least, most = min(curve.runs for curve in result.curves), max(curve.runs for curve in result.curves)
    runs = f"{least} runs" if least == most else f"{least} to {most} runs"
    title = f"{panel.title}\n{runs}, bands ± 2 standard errors"
    if result.published:
        doubled = "\ncircles: read off the paper's figure and doubled (erratum F1)"
        title += doubled if panel.scale else ", circles: read off the paper's figure"
    if result.note:
        title += f"\n{result.note}"
    dashed = {one.label for one in panel.since}
    return draw(result.curves, title=title, logarithmic=panel.logarithmic, dashed=dashed, points=result.published)


def differences(result: Result) -> list[dict[str, str]]:
    """Our value, the published one and their ratio, wherever the paper's figure could be read."""
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
    """The largest standard error of a line as a fraction of the mean, and where that is."""
    k = int(curve.relative_error.argmax())
    return float(curve.relative_error[k]), int(curve.t[k])


def shortfalls(results: dict[str, Result]) -> list[str]:
    """A sentence for every line that is less precise than was asked."""
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
    """For each panel the line that is least precise: its name, runs, standard error and the time."""
    rows = []
    for name, result in results.items():
        worst = max(result.curves, key=lambda curve: loosest(curve)[0])
        error, t = loosest(worst)
        rows.append((name, f"{error:.2%}", worst.label, f"{t:,}", f"{worst.runs:,}"))
    return rows


def environment(effort: Effort, seed: int) -> dict[str, str]:
    """What the numbers were made with."""
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
    """Picture and raw results of one panel; each file is whole or not there."""
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
    """All curves in one Parquet file."""
    frame = frame_of("panel", *((name, result.curves) for name, result in results.items()))
    write_whole(folder / "results.parquet", frame.write_parquet, force=True)


def write_html(folder: Path, results: dict[str, Result], judged: Judged, effort: Effort, seed: int) -> Path:
    try:
        from jinja2 import Environment, PackageLoader
    except ImportError:
        raise missing_extra("The report", "paper") from None
    template = Environment(loader=PackageLoader("winnerstays.paper"), autoescape=True).get_template("report.html")
    panels = [
        {
            "result": result,
            "picture": _inline(picture(result)),
            "differences": differences(result),
            "table": _table(result),
        }
        for result in results.values()
    ]
    facts = {**environment(effort, seed), "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}
    page = template.render(
        panels=panels, judged=judged, environment=facts, precision_asked=precision_asked(effort),
        precision_rows=precision_rows(results), shortfalls=shortfalls(results),
    )  # fmt: skip
    return write_whole(folder / "report.html", lambda draft: draft.write_text(page, encoding="utf-8"), force=True)


def _inline(figure: Figure) -> str:
    data = io.BytesIO()
    figure.savefig(data, format="svg")
    return "data:image/svg+xml;base64," + b64encode(data.getvalue()).decode()


def _table(result: Result) -> list[tuple[str, str, str, str]]:
    """Label, runs, regret at the end, lowest first, and the largest standard error."""
    rows = []
    for curve in sorted(result.curves, key=lambda curve: float(curve.mean[-1])):
        error, t = loosest(curve)
        last = show(float(curve.mean[-1]), float(curve.sem[-1]))
        rows.append((curve.label, f"{curve.runs:,}", last, f"{error:.2%} at t={t:,}"))
    return rows


def markdown(results: dict[str, Result], judged: Judged, effort: Effort, seed: int) -> str:
    """The verdicts and the differences from the published curves, as a page of the documentation."""
    facts, option = environment(effort, seed), "" if effort.name == "default" else f" --{effort.name}"
    lines = [
        "# The paper, claim by claim",
        "",
        f"Made by `winnerstays paper{option} --markdown docs/paper.md` (seed {seed}, version {facts['winnerstays']}, "
        f"NumPy {facts['numpy']}, Numba {facts['numba']}); not edited by hand. A difference counts if it is larger "
        "than 3 combined standard errors. Errata: [errata.md](errata.md).",
        "",
        "| place | the paper says | verdict | measured |",
        "|---|---|---|---|",
    ]
    lines += [f"| {claim.place} | {claim.says} | **{found.verdict}** | {found.measured} |" for claim, found in judged]
    lines += ["", "## Precision", "", precision_asked(effort), ""]
    lines += ["| panel | largest standard error | of | at t= | runs of that line |", "|---|---|---|---|---|"]
    lines += [
        f"| {name} | {error} | `{label}` | {t} | {runs} |" for name, error, label, t, runs in precision_rows(results)
    ]
    lines += [f"\n**Not reached:** {sentence}" for sentence in shortfalls(results)]
    lines += ["", "## Panels", ""]
    for result in results.values():
        note = f" *{result.note}.*" if result.note else ""
        lines += [f"### {result.panel.name} ({result.panel.figure})", "", f"{result.panel.title}.{note}", ""]
        head = f"| algorithm | runs | {result.panel.regret} regret at t={result.horizon:,} | largest standard error |"
        lines += [head, "|---|---|---|---|"]
        lines += [f"| `{label}` | {runs} | {value} | {error} |" for label, runs, value, error in _table(result)]
        rows = differences(result)
        if rows:
            lines += [f"\nPublished: {result.panel.scale}."] if result.panel.scale else []
            lines += [
                "",
                "| algorithm | t | here | published | ratio | known explanation |",
                "|---|---|---|---|---|---|",
            ]
            lines += [
                "| `" + "` | ".join([row["algorithm"], " | ".join(list(row.values())[1:])]) + " |" for row in rows
            ]
        lines.append("")
    return "\n".join(lines)


def check_folder(folder: Path) -> Path:
    """Make the folder, or say why it cannot be written to."""
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
