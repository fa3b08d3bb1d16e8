"""The report: one HTML file that works offline, pictures, raw results, and the verdicts as a page of the docs."""

import io
import json
import os
import platform
import re
import shutil
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from winnerstays.errors import WinnerstaysError
from winnerstays.files import write_whole
from winnerstays.paper.claims import CONSISTENT, ERRATA, FAILS, HOLDS, KINDS, NOT_CHECKED, OPEN, PARTLY, Claim, Verdict
from winnerstays.paper.claims.base import at, show
from winnerstays.paper.figure_1 import figure_1
from winnerstays.paper.panels import EXPENSIVE, Effort, Result
from winnerstays.paper.pictures import picture
from winnerstays.paper.published import ALIKE, EXPLANATIONS
from winnerstays.simulation import Curve
from winnerstays.theme import TOKENS

Judged = list[tuple[Claim, Verdict]]
ERRATUM = re.compile(r"\b([SAEDF]\d)(?:-([SAEDF]\d))?\b")


def link_errata(text: str, link: Callable[[str], str]) -> str:
    """Replace every id of an erratum in a text by `link(id)`.

    >>> link_errata("half (erratum F1)", lambda name: f"[{name}](../docs/paper.md#{name.lower()})")
    'half (erratum [F1](../docs/paper.md#f1))'
    """

    def replace(match: re.Match[str]) -> str:
        return "-".join(link(name) for name in match.groups() if name) if match[1] in ERRATA else match[0]

    return ERRATUM.sub(replace, text)


def differences(result: Result) -> list[dict[str, str]]:
    """List our value, the published one and their ratio, wherever the paper's figure could be read."""
    rows = []
    for label, points in result.published.items():
        for t, value in sorted(points.items()):
            if t <= result.horizon:
                mean, error = at(result.curve(label), t)
                rows.append(
                    {
                        "algorithm": label,
                        "t": f"{t:,}",
                        "here": show(mean),
                        "error": show(error),
                        "published": show(value),
                        "ratio": f"{mean / value:.2f}",
                    }
                )
    return rows


def explanations(result: Result) -> list[str]:
    """Explain each line whose values differ from the published ones by more than the reading error."""
    sentences = []
    for label, points in result.published.items():
        off = [t for t, value in points.items() if abs(at(result.curve(label), t)[0] / value - 1) > ALIKE]
        if off:
            why = EXPLANATIONS.get((result.panel.problem, label), "unexplained")
            sentences.append(
                f"{label} differs by more than {ALIKE:.0%} at t = {', '.join(f'{t:,}' for t in off)}: {why}."
            )
    return sentences


def loosest(curve: Curve) -> tuple[float, int]:
    """Return the largest standard error of a line as a fraction of the mean, and its time."""
    k = int(curve.relative_error.argmax())
    return float(curve.relative_error[k]), int(curve.t[k])


def shortfalls(results: dict[str, Result]) -> list[str]:
    """Write a sentence for every line that is less precise than was asked, or whose error cannot be trusted."""
    rare = [
        f"{name}, {', '.join(curve.label for curve in result.rare)}: most of the standard error at the end comes from "
        f"fewer than {EXPENSIVE} runs, so it may be too small."
        for name, result in results.items()
        if result.rare
    ]
    return rare + [
        f"{name}, {curve.label}: the standard error is {loosest(curve)[0]:.2%} at t={loosest(curve)[1]:,} after "
        f"{curve.runs:,} runs, the most allowed; the target was {result.precision[curve.label]:.0%}."
        for name, result in results.items()
        for curve in result.missed
    ]


def summary(judged: Judged) -> str:
    """Count the claims that hold, or give the verdict on a single one."""
    if len(judged) == 1:
        ((claim, verdict),) = judged
        return f"{claim.name}: {verdict.words}."
    count = {kind: sum(verdict.kind == kind for _, verdict in judged) for kind in KINDS}
    undecided = [claim for claim, verdict in judged if verdict.kind == OPEN]
    need_yelp = sum(any("yelp" in panel for panel in claim.panels) for claim in undecided)
    text = (
        f"Of {len(judged)} claims in the paper, {count[HOLDS]} hold, {count[CONSISTENT]} are not contradicted, "
        f"{count[PARTLY]} hold in part, {count[FAILS]} do not hold, and {count[OPEN]} cannot be decided"
    )
    if need_yelp:
        text += f" ({need_yelp} of them need the Yelp data)"
    return text + "."


def failing(judged: Judged) -> Judged:
    """Return the claims that do not hold."""
    return [(claim, verdict) for claim, verdict in judged if verdict.kind == FAILS]


def kind_of_run(effort: Effort) -> str:
    """Say what was computed, and how precisely."""
    return (
        f"This is {effort.what} for the lines in the paper's figures and {effort.precision_of_others:.0%} for all "
        "others. Each line was simulated until every plotted mean was that precise and its error could be trusted, "
        f"with at most {effort.runs_of_rivals:,} runs a line ({effort.runs:,} for Winner Stays, where a few rare runs "
        "cost a hundred times the others). In the Yelp panel, one run covers every user."
    )


def short_names(results: dict[str, Result]) -> list[tuple[str, str]]:
    """List the short names of all algorithms in the pictures, with what they stand for."""
    known = {
        algorithm.name: algorithm
        for result in results.values()
        for algorithm in (*result.panel.lines, *result.panel.not_in_paper)
    }
    return [(name, f"{algorithm.title} ({algorithm.facts.paper})") for name, algorithm in sorted(known.items())]


def precision_rows(results: dict[str, Result]) -> list[tuple[str, str, str, str, str]]:
    """List the least precise line of each panel: panel, standard error, line, time and runs."""
    rows = []
    for name, result in results.items():
        worst = max(result.curves, key=lambda curve: loosest(curve)[0])
        error, t = loosest(worst)
        rows.append((name, f"{error:.2%}", worst.label, f"{t:,}", f"{worst.runs:,}"))
    return rows


def environment(effort: Effort, seed: int) -> dict[str, str]:
    """Return the versions and the machine that produced the numbers."""
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


FIGURE_1 = "figure-1"


def write_figure_1(folder: Path) -> None:
    """Write the picture of rounds and iterations."""
    figure, _ = figure_1()
    for suffix in ("png", "svg"):
        write_whole(folder / f"{FIGURE_1}.{suffix}", lambda draft: figure.savefig(draft, dpi=160), force=True)


def write_panel(folder: Path, result: Result) -> None:
    """Write the picture and the raw results of a panel."""
    figure = picture(result)
    for suffix in ("png", "svg"):
        target = folder / f"{result.panel.name}.{suffix}"
        write_whole(target, lambda draft: figure.savefig(draft, dpi=160), force=True)
    raw = json.dumps(raw_results(result), indent=1)
    write_whole(folder / f"{result.panel.name}.json", raw, force=True)


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


def write_html(
    folder: Path, results: dict[str, Result], judged: Judged, effort: Effort, seed: int, part: str = ""
) -> Path:
    """Write the report as one HTML file that works offline. `part` names a report on some claims only."""
    facts = {**environment(effort, seed), "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}
    figures = {name: _inline(picture(result)) for name, result in results.items()}
    page = _render(
        "report.html", results, judged, effort, facts,
        figures=figures, figure_1=_inline(figure_1()[0]), tokens=Markup(TOKENS),
        link=lambda text: Markup(link_errata(str(escape(text)), lambda name: f'<a href="#erratum-{name}">{name}</a>')),
    )  # fmt: skip
    return write_whole(folder / f"report{part}.html", page, force=True)


def _render(
    name: str, results: dict[str, Result], judged: Judged, effort: Effort, facts: dict[str, str], **more: Any
) -> str:
    templates = Environment(
        loader=PackageLoader("winnerstays.paper"), autoescape=name.endswith(".html"), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False,
    )  # fmt: skip
    panels = [
        {
            "result": result, "differences": differences(result), "explanations": explanations(result),
            "table": _table(result),
        }
        for result in results.values()
    ]  # fmt: skip
    return templates.get_template(name).render(
        panels=panels, judged=judged, environment=facts, summary=summary(judged), kind_of_run=kind_of_run(effort),
        precision_rows=precision_rows(results), shortfalls=shortfalls(results), names=short_names(results),
        errata=ERRATA, not_checked=NOT_CHECKED, **more,
    )  # fmt: skip


def _inline(figure: Figure) -> str:
    data = io.BytesIO()
    figure.savefig(data, format="svg")
    return "data:image/svg+xml;base64," + b64encode(data.getvalue()).decode()


def _table(result: Result) -> list[tuple[str, str, str, str, str, str]]:
    """List each line's label, runs, last regret with its error, and largest standard error with its time."""
    rows = []
    for curve in sorted(result.curves, key=lambda curve: float(curve.mean[-1])):
        error, t = loosest(curve)
        last = show(float(curve.mean[-1])), show(float(curve.sem[-1]))
        rows.append((curve.label, f"{curve.runs:,}", *last, f"{error:.2%}", f"{t:,}"))
    return rows


def markdown(results: dict[str, Result], judged: Judged, effort: Effort, seed: int) -> str:
    """Render the verdicts and the differences from the published curves as a page of the documentation."""
    option = "" if effort.name == "default" else f" --{effort.name}"
    return (
        _render(
            "report.md", results, judged, effort, environment(effort, seed), option=option,
            link=lambda text: link_errata(
                text.replace("|", "\\|"), lambda name: f"[{name}](../docs/paper.md#{name.lower()})"
            ),
        ).rstrip()
        + "\n"
    )  # fmt: skip


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
