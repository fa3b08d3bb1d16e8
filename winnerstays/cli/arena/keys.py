"""`winnerstays arena keys`: make, list and revoke the API keys of a database."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from winnerstays.cli.app import make_group, open_arenas, out
from winnerstays.cli.arena.group import Database, arena_app
from winnerstays.cli.tables.fitting import print_table

keys_app = make_group("keys", "API keys of the service: create, list, revoke.", arena_app)


@keys_app.command("create")
def create(
    database: Database,
    scope: Annotated[list[str], typer.Option(help="serve (ask, tell), read, or admin (everything); may be repeated.")],
    name: Annotated[str, typer.Option(help="What it is for.")] = "",
    rate: Annotated[float | None, typer.Option(help="The most asks, answers and other requests per second.")] = None,
    arena: Annotated[list[str] | None, typer.Option(help="The only arena it is for; may be repeated.")] = None,
) -> None:
    """Make a key and print it; it cannot be shown again."""
    from winnerstays.service.keys import ApiKeys

    with open_arenas(database, create=True) as arenas:
        for arena_name in arena or []:
            arenas.get(arena_name)  # a name that is mistyped would make a key for nothing
        secret, key = ApiKeys.of(arenas).create(scope, name, rate, arena or None)
    typer.echo(f"key {key.id} ({', '.join(sorted(key.scopes))}); it is shown this once:", err=True)
    typer.echo(secret)


@keys_app.command("list")
def list_(database: Database) -> None:
    """List the keys, without their secrets."""
    from winnerstays.service.keys import ApiKeys

    table = Table("id", "name", "scopes", "arenas", "rate", "created", "revoked", box=SIMPLE)
    with open_arenas(database) as arenas:
        for key in ApiKeys.of(arenas).list():
            rate = "" if key.rate is None else f"{key.rate:g}/s"
            scopes = ", ".join(sorted(key.scopes))
            bound = "all" if key.arenas is None else ", ".join(sorted(key.arenas))
            texts = (key.id, key.name, scopes, bound, rate, _minute(key.created_at), _minute(key.revoked_at))
            table.add_row(*map(Text, texts))
    print_table(table)


@keys_app.command("revoke")
def revoke(
    database: Database, id_: Annotated[str, typer.Argument(metavar="ID", help="As `arena keys list` prints it.")]
) -> None:
    """Make a key useless; running services notice within a second."""
    from winnerstays.service.keys import ApiKeys

    with open_arenas(database) as arenas:
        ApiKeys.of(arenas).revoke(id_)
    out.print(f"key {id_} is revoked")


@keys_app.command("revoke-visitors")
def revoke_visitors(database: Database) -> None:
    """Make every visitor token useless that was given out until now."""
    from winnerstays.service.keys import ApiKeys

    with open_arenas(database) as arenas:
        ApiKeys.of(arenas).revoke_visitors()
    out.print("all visitor tokens are revoked")


def _minute(at: float | None) -> str:
    return "" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")
