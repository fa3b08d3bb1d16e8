"""`winnerstays arena report`: what an arena has brought, as one page for whoever decides about it."""

import time
from pathlib import Path
from typing import Annotated

import typer

from winnerstays.cli.app import open_arenas, out
from winnerstays.cli.arena import Database, Name, arena_app, find_arena
from winnerstays.errors import check_extra
from winnerstays.files import check_writable, write_whole


@arena_app.command("report")
def report(
    database: Database,
    html: Annotated[Path, typer.Option("--html", help="The file to write.")] = Path("report.html"),
    name: Name = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")] = False,
) -> None:
    """Write one page: is it worth it, what do people like, what is not known yet."""
    check_extra("A report", "jinja2", "service")
    check_extra("A report", "starlette", "service")
    from winnerstays.web.report import render

    check_writable(html, force=force)
    with open_arenas(database) as arenas:
        page = render(find_arena(arenas, name), time.time())
    write_whole(html, lambda draft: draft.write_text(page, encoding="utf-8"), force=force)
    out.print(f"{html} written")
