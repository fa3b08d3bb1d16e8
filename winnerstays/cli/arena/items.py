"""`winnerstays arena items add|retire|restore|edit|sync`: the items of an arena over time."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from winnerstays.cli.app import make_group, open_arenas, out
from winnerstays.cli.arena.group import Database, Name, arena_app, find_arena
from winnerstays.errors import WinnerstaysError

if TYPE_CHECKING:
    from winnerstays.arena.items import ItemChanges

items_app = make_group("items", "Add, retire, restore or edit items; what was learned stays.", arena_app)
SIGNS = {"added": "+", "retired": "-", "restored": "+", "edited": "~"}
MAX_SHOWN = 20
Ids = Annotated[list[str], typer.Argument(help="The ids of items.")]


@items_app.command("add")
def add(database: Database, items: Ids, name: Name = None) -> None:
    """Add items."""
    with open_arenas(database) as arenas:
        find_arena(arenas, name).add(items)
    out.print(f"{len(items)} added")


@items_app.command("retire")
def retire(database: Database, items: Ids, name: Name = None) -> None:
    """Stop showing items; what was learned about them stays."""
    with open_arenas(database) as arenas:
        find_arena(arenas, name).retire(items)
    out.print(f"{len(items)} retired")


@items_app.command("restore")
def restore(database: Database, items: Ids, name: Name = None) -> None:
    """Show retired items again."""
    with open_arenas(database) as arenas:
        find_arena(arenas, name).restore(items)
    out.print(f"{len(items)} restored")


@items_app.command("edit")
def edit(
    database: Database,
    item: Annotated[str, typer.Argument(help="The id of the item.")],
    title: Annotated[str | None, typer.Option(help="Its new title.")] = None,
    picture: Annotated[str | None, typer.Option(help="The address of its new picture.")] = None,
    link: Annotated[str | None, typer.Option(help="Its new link.")] = None,
    text: Annotated[str | None, typer.Option(help="Its new text.")] = None,
    name: Name = None,
) -> None:
    """Change the title, picture, link or text of an item."""
    fields = {"title": title, "picture": picture, "link": link, "text": text}
    new = {field: value for field, value in fields.items() if value is not None}
    if not new:
        raise WinnerstaysError("Nothing to edit: give a title, a picture, a link or a text.")
    with open_arenas(database) as arenas:
        find_arena(arenas, name).edit(item, **new)
    out.print(f"{item} edited")


@items_app.command("sync")
def sync(
    database: Database,
    file: Annotated[
        Path,
        typer.Argument(help="One item a line, JSON, or CSV: id, and title, picture, link, text if wished."),
    ],
    name: Name = None,
    yes: Annotated[bool, typer.Option("--yes", help="Make the changes without asking.")] = False,
) -> None:
    """Make the items of the arena those of a file; the changes are shown first."""
    from winnerstays.arena.items import read_items

    with open_arenas(database) as arenas:
        arena, items = find_arena(arenas, name), read_items(file)
        changes = arena.differences(items)
        if not changes:
            out.print(f"{arena.name} has the {len(items)} items of {file}; nothing to do")
            return
        show(changes)
        if not (yes or typer.confirm("Make these changes?")):
            out.print("nothing was changed")
            raise typer.Exit(1)
        arena.sync(items)
    out.print(", ".join(f"{len(ids)} {what}" for what, ids in changes.counts().items()))


def show(changes: "ItemChanges") -> None:
    """Print what would change, item by item."""
    for what, ids in changes.counts().items():
        for id_ in ids[:MAX_SHOWN]:
            new = changes.edit.get(id_, {}) if what == "edited" else {}
            out.print(f"{SIGNS[what]} {id_}" + "".join(f"  {field}: {value}" for field, value in new.items()))
        if len(ids) > MAX_SHOWN:
            out.print(f"{SIGNS[what]} {len(ids) - MAX_SHOWN} more {what}")
