"""`winnerstays arena create|list|change|delete`: arenas and their settings."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.box import SIMPLE
from rich.table import Table

from winnerstays.cli.app import check_database, open_arenas, out
from winnerstays.cli.arena.group import ADDRESS, Database, Name, arena_app, find_arena
from winnerstays.cli.counts import count_option, share_option
from winnerstays.cli.tables.fitting import print_table
from winnerstays.errors import WinnerstaysError
from winnerstays.wording import counted

if TYPE_CHECKING:
    from winnerstays.arena import Arena

Holdout = Annotated[float | None, share_option("The share of people in a control group, for `arena report`.")]
Control = Annotated[
    list[str] | None, typer.Option(help="An item for the control group, shown in pairs in this order; repeat it.")
]


@arena_app.command("create")
def create(
    database: Annotated[str, typer.Argument(metavar="DB", help=ADDRESS)],
    items: Annotated[list[str], typer.Argument(help="At least two items, or one file that lists them.")],
    name: Annotated[str, typer.Option("--arena", help="The arena's name.")] = "default",
    algorithm: Annotated[
        str | None, typer.Option(help="tastes, or any algorithm; by default the one for the regret.")
    ] = None,
    regret: Annotated[str, typer.Option(help="weak: the favourite is one of the two; strong: it is both.")] = "weak",
    audience: Annotated[str, typer.Option(help="user|everyone")] = "user",
    patience: Annotated[int, typer.Option(help="The learner moves on after this many answers that teach nothing.")] = 3,
    expires_after: Annotated[float, typer.Option(help="Seconds until a duel expires.")] = 86400.0,
    ties: Annotated[str, typer.Option(help="What a tie teaches: nothing|coin|halves")] = "nothing",
    nones: Annotated[str, typer.Option(help="What choosing none of the two teaches: nothing|coin|losses")] = "nothing",
    answers_per_minute: Annotated[int | None, typer.Option(help="The most answers of one user in a minute.")] = None,
    horizon: Annotated[int | None, count_option("The number of duels, for algorithms that must know it.")] = None,
    public: Annotated[bool, typer.Option("--public", help="Let strangers play on the page of a service.")] = False,
    holdout: Holdout = 0.0,
    control: Control = None,
) -> None:
    """Make an arena (and the database, if missing)."""
    from winnerstays.arena import Item, Settings
    from winnerstays.arena.items import read_items
    from winnerstays.arena.settings import algorithm_for

    settings: dict[str, Any] = {
        "algorithm": algorithm_for(regret, algorithm, audience), "audience": audience, "patience": patience,
        "expires_after": expires_after, "ties": ties, "nones": nones, "answers_per_minute": answers_per_minute,
        "horizon": horizon, "public": public, "holdout": holdout, "control": control or [],
    }  # fmt: skip
    if len(items) == 1 and not Path(items[0]).is_file():
        raise WinnerstaysError(f"Give at least 2 items, or a file that lists them; there is no file {items[0]!r}.")
    item_list = read_items(Path(items[0])) if len(items) == 1 else list(map(Item.of, items))
    Settings(name=name, items=tuple(item_list), **settings)  # what is wrong is said before a file is made
    with open_arenas(database, create=True) as arenas:
        existed = name in arenas.names()
        arena = arenas.create(name, item_list, **settings)
        unchanged = " (it was there already; nothing changed)" if existed else ""
        about = f"{len(arena.items)} items, {arena.settings.algorithm}, audience {audience}"
        out.print(f"{arena.name}: {about}{unchanged}", soft_wrap=True)


@arena_app.command("list")
def list_(database: Database) -> None:
    """List the arenas of a database."""
    table = Table("arena", "items", "algorithm", "audience", box=SIMPLE)
    for arena in _listed(check_database(database)):
        items = f"{arena.items} (and {arena.retired} retired)" if arena.retired else str(arena.items or "")
        audience = f"{arena.audience}, closed" if arena.closed else arena.audience
        table.add_row(arena.name, items, arena.fault or arena.algorithm, audience)
    print_table(table)


class Listed(NamedTuple):
    """An arena in a list; `fault` says why its settings cannot be read."""

    name: str
    items: int = 0
    """Those that are not retired."""
    retired: int = 0
    algorithm: str = ""
    audience: str = ""
    closed: bool = False
    fault: str = ""

    @classmethod
    def of(cls, arena: "Arena") -> "Listed":
        """Return an open arena as a list shows it."""
        settings, retired = arena.settings, sum(item.retired for item in arena.items)
        return cls(
            arena.name, len(arena.items) - retired, retired, settings.algorithm, settings.audience, settings.closed
        )


def _listed(database: str) -> list[Listed]:
    """List the arenas of a service, or of a database without making their learners, which takes longer."""
    if database.startswith(("http://", "https://")):
        with open_arenas(database) as arenas:
            return list(map(Listed.of, arenas))
    from winnerstays.arena.stores import open_store, statements

    store = open_store(database)
    try:
        return [_stored(name, text) for name, text in store.read(statements.stored_settings)]
    finally:
        store.close()


def _stored(name: str, text: str) -> Listed:
    try:
        stored = json.loads(text)
        items, retired = len(stored["items"]), sum(item.get("retired", False) for item in stored["items"])
        if items >= 2 and stored["audience"] in ("user", "everyone"):
            closed = stored.get("closed", False)
            return Listed(name, items - retired, retired, stored["algorithm"], stored["audience"], closed)
    except (ValueError, TypeError, KeyError, AttributeError):
        pass
    return Listed(name, fault=_fault(text))


def _fault(text: str) -> str:
    """Return the sentence that says what is wrong with stored settings."""
    from winnerstays.arena.settings import Settings

    try:
        Settings.stored(text)
    except WinnerstaysError as error:
        return str(error)
    return "Its settings are damaged."


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
    settings = {
        "name": new_name, "closed": closed, "public": public, "max_open": max_open, "give_up": give_up,
        "expires_after": expires_after,
        "answers_per_minute": answers_per_minute,
        "holdout": holdout, "control": control,
    }  # fmt: skip
    changed = {field: value for field, value in settings.items() if value is not None}
    if not changed:
        raise WinnerstaysError(
            "Nothing to change: give a new name, --close, --reopen, --public, --private, a limit, or a holdout."
        )
    with open_arenas(database) as arenas:
        arena = find_arena(arenas, name)
        arena.change(**changed)
    out.print(f"{arena.name}: " + ", ".join(f"{field} {value}" for field, value in changed.items()))


@arena_app.command("delete")
def delete(
    database: Database,
    name: Annotated[str, typer.Argument(metavar="ARENA", help="The arena to delete.")],
    force: Annotated[bool, typer.Option("--force", help="Do not ask whether it is meant.")] = False,
) -> None:
    """Delete an arena with everything that was learned and logged in it."""
    with open_arenas(database) as arenas:
        if not force and name in arenas.names():
            asked = f"Delete the arena {name} of {database} for ever?"
            if not (sys.stdin.isatty() and typer.confirm(asked)):
                raise WinnerstaysError(f"The arena {name!r} was not deleted; --force deletes without asking.")
        deleted = arenas.delete(name)
    out.print(f"deleted {name}: {counted(deleted.rows, 'row')}, {counted(deleted.learners, 'learner')}")
    for left in deleted.left:
        out.print(f"copies may be left in {left}")
