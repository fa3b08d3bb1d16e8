"""`winnerstays arena add|retire|restore|edit|sync|change`: the items of an arena over time, and its other settings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from winnerstays.cli.app import open_arenas, out
from winnerstays.cli.arena import Control, Database, Holdout, Name, arena_app, find_arena
from winnerstays.errors import WinnerstaysError

if TYPE_CHECKING:
    from winnerstays.arena.items import ItemChanges

SIGNS = {"added": "+", "retired": "-", "restored": "+", "edited": "~"}
MAX_SHOWN = 20
Ids = Annotated[list[str], typer.Argument(help="The ids of items.")]


@arena_app.command("add")
def add(database: Database, items: Ids, name: Name = None) -> None:
    """Add items; what was learned stays."""
    with open_arenas(database) as arenas:
        find_arena(arenas, name).add(items)
    out.print(f"{len(items)} added")


@arena_app.command("retire")
def retire(database: Database, items: Ids, name: Name = None) -> None:
    """Show items no more; what was learned about them is kept."""
    with open_arenas(database) as arenas:
        find_arena(arenas, name).retire(items)
    out.print(f"{len(items)} retired")


@arena_app.command("restore")
def restore(database: Database, items: Ids, name: Name = None) -> None:
    """Show retired items again."""
    with open_arenas(database) as arenas:
        find_arena(arenas, name).restore(items)
    out.print(f"{len(items)} restored")


@arena_app.command("edit")
def edit(
    database: Database,
    item: Annotated[str, typer.Argument(help="The id of the item.")],
    title: Annotated[str | None, typer.Option(help="Its new title.")] = None,
    picture: Annotated[str | None, typer.Option(help="The address of its new picture.")] = None,
    link: Annotated[str | None, typer.Option(help="Its new link.")] = None,
    text: Annotated[str | None, typer.Option(help="Its new text.")] = None,
    name: Name = None,
) -> None:
    """Change what is shown of an item."""
    given = {"title": title, "picture": picture, "link": link, "text": text}
    new = {field: value for field, value in given.items() if value is not None}
    if not new:
        raise WinnerstaysError("Nothing to edit: give a title, a picture, a link or a text.")
    with open_arenas(database) as arenas:
        find_arena(arenas, name).edit(item, **new)
    out.print(f"{item} edited")


@arena_app.command("sync")
def sync(
    database: Database,
    file: Annotated[
        Path,
        typer.Argument(help="One item a line, JSON, or CSV: id, and title, picture, link, text if wished."),
    ],
    name: Name = None,
    yes: Annotated[bool, typer.Option("--yes", help="Make the changes without asking.")] = False,
) -> None:
    """Add, edit, restore and retire items until the arena has those of a file; the difference is shown first."""
    from winnerstays.arena.item_files import read_items

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


@arena_app.command("change")
def change(
    database: Database,
    name: Name = None,
    new_name: Annotated[str | None, typer.Option(help="Another name for the arena.")] = None,
    closed: Annotated[
        bool | None, typer.Option("--close/--reopen", help="Serve no more duels, or serve again.")
    ] = None,
    public: Annotated[
        bool | None,
        typer.Option("--public/--private", help="Let strangers play on the page, or only those with a key."),
    ] = None,
    max_open: Annotated[int | None, typer.Option(help="The most duels that one user may hold open.")] = None,
    give_up: Annotated[float | None, typer.Option(help="Seconds after which a user gets another duel.")] = None,
    expires_after: Annotated[float | None, typer.Option(help="Seconds until a duel expires.")] = None,
    answers_per_minute: Annotated[int | None, typer.Option(help="The most answers of one user in a minute.")] = None,
    holdout: Holdout = None,
    control: Control = None,
) -> None:
    """Rename an arena, close it, or change its limits and its control group."""
    given = {
        "name": new_name, "closed": closed, "public": public, "max_open": max_open, "give_up": give_up,
        "expires_after": expires_after,
        "answers_per_minute": answers_per_minute,
        "holdout": holdout, "control": control,
    }  # fmt: skip
    changed = {field: value for field, value in given.items() if value is not None}
    if not changed:
        raise WinnerstaysError(
            "Nothing to change: give a new name, --close, --reopen, --public, --private, a limit, or a holdout."
        )
    with open_arenas(database) as arenas:
        arena = find_arena(arenas, name)
        arena.change(**changed)
    out.print(f"{arena.name}: " + ", ".join(f"{field} {value}" for field, value in changed.items()))
