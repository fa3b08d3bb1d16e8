"""`winnerstays paper`: the paper's experiments and claims."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from winnerstays.cli.app import app, out
from winnerstays.errors import WinnerstaysError, check_extra
from winnerstays.files import check_writable, write_whole
from winnerstays.progress import progress_bar


@app.command()
def paper(
    names: Annotated[list[str] | None, typer.Argument(help="Panels, such as sushi-utility; all by default.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A look in about a minute: few runs, t up to 10^5.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Standard errors of 1 % instead of 3 %.")] = False,
    out_folder: Annotated[Path, typer.Option("--out", help="Where the report goes.")] = Path("out/paper"),
    seed: Annotated[int, typer.Option(help="Names the experiment.")] = 2017,
    yelp: Annotated[Path | None, typer.Option(help="A folder with the Yelp academic dataset.")] = None,
    city: Annotated[str, typer.Option(help="Whose restaurants, with --yelp.")] = "Las Vegas",
    cluster: Annotated[str | None, typer.Option(help="tcp://host:port (Dask), ray://host:port or processes.")] = None,
    cache: Annotated[Path | None, typer.Option(help="Where runs are kept; OUT/runs by default.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Also write the verdicts as a Markdown page.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that page if it exists.")] = False,
) -> None:
    """Rerun the paper: every panel, every claim with a verdict, one report."""
    for module in ("gensim", "jinja2", "polars"):
        check_extra("winnerstays paper", module, "paper")
    from winnerstays.paper import claims, report
    from winnerstays.paper.panels import EFFORTS, find_panel, panels, run_panel

    if quick and full:
        raise WinnerstaysError("--quick and --full contradict each other; give one of them.")
    effort = EFFORTS["quick" if quick else "full" if full else "default"]
    chosen = [find_panel(name) for name in names] if names else list(panels().values())
    if markdown is not None:
        check_writable(markdown, force=force)
    folder = report.check_folder(out_folder)
    results = {}
    for number, panel in enumerate(chosen, start=1):
        print(f"panel {number} of {len(chosen)}: {panel.name}", file=sys.stderr, flush=True)
        results[panel.name] = run_panel(
            panel,
            effort,
            seed=seed,
            cache=cache or folder / "runs",
            cluster=cluster,
            yelp=yelp,
            city=city,
            progress=True,
        )
        report.write_panel(folder, results[panel.name])
    with progress_bar(True) as show:
        judged = claims.judge(results, show)
    report.write_tables(folder, results)
    page = report.write_html(folder, results, judged, effort, seed)
    if markdown is not None:
        text = report.markdown(results, judged, effort, seed)
        write_whole(markdown, lambda draft: draft.write_text(text, encoding="utf-8"), force=force)
    table = Table(title="the paper, claim by claim", title_justify="left", box=SIMPLE)
    table.add_column("place", max_width=16)
    table.add_column("the paper says")
    table.add_column("verdict", max_width=18)
    for claim, found in judged:
        table.add_row(claim.place, claim.says, "holds only in part" if "only" in found.verdict else found.verdict)
    out.print(table)
    for sentence in report.shortfalls(results):
        out.print(f"precision not reached: {sentence}")
    if quick:
        out.print("Quick runs are few and stop at t=100,000: what needs more is not decided. The report says why.")
    out.print(f"report: {page} (with what was measured, pictures and raw results beside it)")
