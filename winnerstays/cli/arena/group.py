"""The group of arena commands, and what they share."""

from typing import TYPE_CHECKING, Annotated

import typer

from winnerstays.cli.app import app, make_group
from winnerstays.errors import WinnerstaysError

if TYPE_CHECKING:
    from winnerstays.arena import Arena, Arenas

arena_app = make_group("arena", "Durable arenas: create them, ask, tell, and see what was learned.", app)

ADDRESS = "A SQLite file, postgresql://..., or http://... of a service."
Database = Annotated[str, typer.Argument(metavar="DB", envvar="WINNERSTAYS_DB", help=ADDRESS)]
Name = Annotated[str | None, typer.Option("--arena", help="The arena's name, if there are several.")]
User = Annotated[str | None, typer.Option(help="The user, in an arena with a learner for each user.")]
MAX_NAMES = 20


def find_arena(arenas: "Arenas", name: str | None) -> "Arena":
    """Return the arena of this name; without one `default`, or the only one there is."""
    from winnerstays.arena import UnknownArenaError

    try:
        return arenas.get(name or "default")
    except UnknownArenaError:
        names = arenas.names() if name is None else []
        if len(names) > 1:
            more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
            listed = ", ".join(map(repr, names[:MAX_NAMES])) + more
            raise WinnerstaysError(f"Which arena? Say it with --arena: {listed}.") from None
        if not names:
            raise
        return arenas.get(names[0])
