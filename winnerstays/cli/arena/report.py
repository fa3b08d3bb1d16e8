"""`winnerstays arena report`: whether learning was worth it, as a short text or as one page."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from winnerstays.cli.app import open_arenas, out
from winnerstays.cli.arena.group import Database, Name, arena_app, find_arena
from winnerstays.cli.counts import share_option
from winnerstays.errors import WinnerstaysError, check_extra
from winnerstays.files import check_writable, write_whole

if TYPE_CHECKING:
    from winnerstays.arena import Arena

LEVEL = 0.95


@arena_app.command("report")
def report(
    database: Database,
    html: Annotated[Path | None, typer.Option("--html", help="Write one page with charts to this file.")] = None,
    name: Name = None,
    level: Annotated[float, share_option("The confidence with which all intervals hold, at all times.")] = LEVEL,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")] = False,
) -> None:
    """Compare people whose pairs were learned with the control group, and show how often people choose the left item.

    With --html, write one page that also shows what people like, how many come, and what is not known yet.
    """
    if html is None:
        with open_arenas(database) as arenas:
            arena = find_arena(arenas, name)
            out.print(str(arena.uplift(level=level)), soft_wrap=True)
            _show_sides(arena)
        return
    if level != LEVEL:
        raise WinnerstaysError(f"level is {level}, but the page shows intervals of {LEVEL:.0%}; leave out --level.")
    check_extra("A report", "jinja2", "service")
    check_extra("A report", "starlette", "service")
    from winnerstays.web.report import render

    check_writable(html, force=force)
    with open_arenas(database) as arenas:
        page = render(find_arena(arenas, name), time.time())
    write_whole(html, page, force=force)
    out.print(f"{html} written")


def _show_sides(arena: "Arena") -> None:
    """Print how often people chose the left item: all of them, and those of each group."""
    sides_of = {"": arena.bias()} | {f"{group}: ": arena.bias(group) for group in arena.totals().groups}
    for whose, sides in sides_of.items():
        if not sides.left + sides.right:
            out.print(f"{whose}no answers yet")
            continue
        interval = f"{sides.confidence:.0%} interval {sides.low:.3f} to {sides.high:.3f}"
        out.print(f"{whose}left {sides.left}, right {sides.right}: share of left {sides.share:.3f} ({interval})")
