"""`winnerstays arena backup`: a copy of a SQLite file while it is in use."""

from pathlib import Path
from typing import Annotated

import typer

from winnerstays.cli.app import open_arenas, out
from winnerstays.cli.arena import arena_app


@arena_app.command("backup")
def backup(
    database: Annotated[Path, typer.Argument(metavar="DB", help="A SQLite file, also of a running service.")],
    target: Annotated[Path, typer.Argument(help="A new file.")],
) -> None:
    """Copy a database as it is at this moment, and print the head of the copy, to be kept elsewhere."""
    from winnerstays.arena.stores.backup import back_up

    back_up(database, target)
    with open_arenas(str(target)) as arenas:
        out.print(arenas.heads().database, soft_wrap=True)
