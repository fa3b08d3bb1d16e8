"""`winnerstays poll`: a question for a team, opened on the local network for whoever has the link."""

import re
import socket
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from winnerstays.cli.app import app
from winnerstays.cli.readiness import when_ready
from winnerstays.cli.serve import WORKER
from winnerstays.errors import WinnerstaysError, extra

if TYPE_CHECKING:
    from winnerstays.arena import Arena

EVERYWHERE = "0.0.0.0"
NOT_ROUTED = ("192.0.2.1", 9)
"""An address of no host: the one from which it would be reached is that of this machine. Nothing is sent."""


@app.command()
def poll(
    question: Annotated[str, typer.Argument(help="What the team decides, such as 'Where to go?'.")],
    items: Annotated[Path, typer.Argument(metavar="ITEMS", help="A file with one item per line, or a CSV table.")],
    answers: Annotated[
        int | None, typer.Option(min=1, help="Answers of each person; two per item, 30 at most, if left out.")
    ] = None,
    db: Annotated[str | None, typer.Option("--db", help="The SQLite file to keep it in (made if missing).")] = None,
    host: Annotated[str, typer.Option(help="127.0.0.1 keeps it on this machine.")] = EVERYWHERE,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port; another one if it is taken.")] = 8000,
) -> None:
    """Ask a team, by a link that works in the local network, and learn the winner."""
    with extra("winnerstays poll", "service"):
        import segno

        from winnerstays.service import server
        from winnerstays.service.config import LOOPBACK, Config
        from winnerstays.service.key_ring import default_path
        from winnerstays.service.keys import ApiKeys
        from winnerstays.web.pages import arena_path, play_path
    from winnerstays.arena import Arenas
    from winnerstays.arena.items import read_items
    from winnerstays.arena.settings import Settings

    if not question.strip():
        raise WinnerstaysError("The question is empty; say what to vote on, such as 'Where to go?'.")
    listed, name = read_items(items), name_of(question)
    db = db or f"{name}.db"
    settings: dict[str, Any] = {"audience": "everyone", "public": True, "question": question}
    settings |= {} if answers is None else {"goal": answers}
    Settings(name=name, items=tuple(listed), **settings)  # what is wrong is said before a file is made
    with Arenas.open(db) as arenas:
        arena = arenas.create(name, listed, **settings)
        if arena.settings.closed:
            raise WinnerstaysError(f"The poll in {db} is closed; give another --db for a new one.")
        secret, key = ApiKeys.of(arenas).create(["admin"], name="the result of a poll", arenas=[name])
    local = host in LOOPBACK
    link = f"http://{host if local else address_of_this_machine()}:{port}{play_path(name)}"
    result = f"http://127.0.0.1:{port}/sign-in?key={secret}&to={quote(arena_path(name))}"

    def invite() -> None:
        if not local:
            typer.echo("Everyone in your network who has the link can vote. They can do nothing else.")
        typer.echo(f"Vote:   {link}")
        segno.make(link, error="m").terminal(compact=True)
        typer.echo(f"Result, for you alone: {result}\nCtrl-C ends the poll; everything is kept in {db}.")

    when_ready(f"http://127.0.0.1:{port}", invite)
    try:
        server.run(Config(db, default_path(db), loopback=local), host, port, worker=WORKER, log_level="warning")
    finally:
        with Arenas.open(db) as arenas:
            ApiKeys.of(arenas).revoke(key.id)
            typer.echo(result_of(arenas[name]))


def result_of(arena: "Arena") -> str:
    """Return the sentence that says who wins."""
    from winnerstays.web.winner import of_poll

    return str(of_poll(arena)["sentence"])


def name_of(question: str) -> str:
    """Return a name for the arena that needs no percent signs in its link.

    >>> name_of("Where to go?"), name_of("Où aller ?"), name_of("去哪里？")
    ('where-to-go', 'ou-aller', 'poll')
    """
    plain = unicodedata.normalize("NFKD", question).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60] or "poll"


def address_of_this_machine() -> str:
    """Return the address by which others in the network reach this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(NOT_ROUTED)
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
