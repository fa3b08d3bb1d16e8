"""`winnerstays research paper`: the paper's experiments and claims."""

import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from winnerstays.cli.app import INTERRUPTED, out
from winnerstays.cli.counts import count_option
from winnerstays.cli.research.group import research_app
from winnerstays.cli.tables.fitting import print_table
from winnerstays.errors import WinnerstaysError, check_extra, unknown
from winnerstays.files import check_writable, write_whole
from winnerstays.progress import progress_bar, time_left
from winnerstays.wording import counted

if TYPE_CHECKING:
    from winnerstays.paper.claims import Claim
    from winnerstays.paper.panels import Panel

NAMES = "Panels, such as sushi-utility, claims, such as theorem-3, or figures, such as figure-2; all by default."


@research_app.command()
def paper(
    names: Annotated[list[str] | None, typer.Argument(help=NAMES)] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Standard errors of about 5 %; takes some minutes.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Standard errors of 1 % instead of 3 %.")] = False,
    out_folder: Annotated[Path, typer.Option("--out", help="Where the report goes.")] = Path("out/paper"),
    seed: Annotated[int, count_option("The same seed gives the same numbers.")] = 2017,
    yelp: Annotated[Path | None, typer.Option(help="A folder with the Yelp academic dataset.")] = None,
    city: Annotated[str | None, typer.Option(help="The city to take from --yelp; Las Vegas by default.")] = None,
    cluster: Annotated[str | None, typer.Option(help="tcp://host:port (Dask), ray://host:port or processes.")] = None,
    cache: Annotated[Path | None, typer.Option(help="Where runs are kept; OUT/runs by default.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Also write the verdicts as a Markdown page.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that page if it exists.")] = False,
) -> None:
    """Rerun the paper: every figure, every claim with a verdict, one report."""
    for module in ("gensim", "jinja2"):
        check_extra("winnerstays research paper", module, "paper")
    from winnerstays.paper import claims, report
    from winnerstays.paper.panels import EFFORTS, run_panel
    from winnerstays.problems.yelp.files import find
    from winnerstays.randomness import check_seed

    if quick and full:
        raise WinnerstaysError("--quick and --full contradict each other; give one of them.")
    effort = EFFORTS["quick" if quick else "full" if full else "default"]
    chosen, asked = _chosen(names or [])
    check_seed(seed)
    if city is not None and yelp is None:
        raise WinnerstaysError(f"--city is {city!r}, but it chooses among the cities of --yelp; give both or neither.")
    for kind in ("business", "review") if yelp else ():
        find(Path(str(yelp)), kind)
    if markdown is not None:
        check_writable(markdown, force=force)
    folder = report.check_folder(out_folder)
    if not names or report.FIGURE_1 in names:
        report.write_figure_1(folder)
    results = {}
    total, done, start = sum(panel.cost for panel in chosen), 0.0, time.monotonic()
    for number, panel in enumerate(chosen, start=1):
        left = f", about {time_left(time.monotonic() - start, done / total)} left" if done else ""
        print(f"panel {number} of {len(chosen)}: {panel.name}{left}", file=sys.stderr, flush=True)
        try:
            results[panel.name] = run_panel(
                panel,
                effort,
                seed=seed,
                cache=cache or folder / "runs",
                cluster=cluster,
                yelp=yelp,
                **({} if city is None else {"city": city}),
                progress=True,
            )
        except KeyboardInterrupt:
            print(
                "winnerstays: interrupted; complete runs are kept, the same command goes on from there.",
                file=sys.stderr,
            )
            sys.exit(INTERRUPTED)
        report.write_panel(folder, results[panel.name])
        done += panel.cost
    if names and not chosen and not asked:
        out.print(f"figure 1: {folder / report.FIGURE_1}.png")
        return
    print("claims: judging by exact values and by the panels", file=sys.stderr, flush=True)
    with progress_bar(True) as show:
        judged = claims.judge(results, show, asked)
    page = report.write_html(folder, results, judged, effort, seed, "".join(f"-{name}" for name in names or [])[:100])
    if markdown is not None:
        text = report.markdown(results, judged, effort, seed)
        write_whole(markdown, text, force=force)
    out.print(report.summary(judged), soft_wrap=True)
    shown = judged if names else report.failing(judged)
    if len(judged) == 1:
        out.print(f"measured: {judged[0][1].measured}", soft_wrap=True)
    elif shown:
        table = Table(title="claims" if names else "claims that do not hold", title_justify="left", box=SIMPLE)
        for header in ("claim", "what the paper says", "verdict"):
            table.add_column(header)
        for claim, verdict in shown:
            table.add_row(claim.name, claim.says, verdict.words)
        print_table(table)
    shortfalls = report.shortfalls(results)
    if names:
        for sentence in shortfalls:
            out.print(f"precision not reached: {sentence}", soft_wrap=True)
    elif shortfalls:
        out.print(f"The target precision was missed in {counted(len(shortfalls), 'case')}; the report lists them.")
    out.print(f"This was {effort.what}.")
    out.print(
        f"Report: {page} (figures, every claim with what was measured; PNG, SVG and JSON files beside it)",
        soft_wrap=True,
    )


def _chosen(names: list[str]) -> "tuple[list[Panel], tuple[Claim, ...] | None]":
    """Return the panels to run and the claims to judge; None: all that these panels decide."""
    from winnerstays.paper import report
    from winnerstays.paper.claims import CLAIMS
    from winnerstays.paper.panels import panels

    known = panels()
    if not names:
        return list(known.values()), None
    by_name = {claim.name: claim for claim in CLAIMS}
    figures = {name: panel.figure.lower().replace(" ", "-") for name, panel in known.items()}
    names = [panel for name in names for panel in _panels_of(name, figures) or [name]]
    for name in names:
        if name not in known and name not in by_name and name != report.FIGURE_1:
            raise unknown("panel or claim", name, (*known, *by_name, report.FIGURE_1))
    claims = [by_name[name] for name in names if name in by_name and name not in known]
    wanted = {name for name in names if name in known} | {name for claim in claims for name in claim.panels}
    chosen = [panel for name, panel in known.items() if name in wanted]
    direct = {name for name in names if name in known}
    claims += [claim for claim in CLAIMS if claim.panels and set(claim.panels) <= direct and claim not in claims]
    return chosen, tuple(claims)


def _panels_of(name: str, figures: dict[str, str]) -> list[str]:
    """Return the panels of a figure.

    >>> _panels_of("figure-2", {"fifty-weak": "figure-2a", "sushi-utility": "figure-3a"}), _panels_of("figure", {})
    (['fifty-weak'], [])
    """
    return [
        panel for panel, figure in figures.items() if re.fullmatch(r"figure-\d[a-d]?", name) and figure.startswith(name)
    ]
