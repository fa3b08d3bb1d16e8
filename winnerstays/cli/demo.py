"""`winnerstays demo`: the pages on a ready arena, in the browser."""

import os
import socket
import tempfile
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from winnerstays.cli.app import app
from winnerstays.cli.readiness import when_ready
from winnerstays.cli.serve import WORKER
from winnerstays.errors import extra

HOST = "127.0.0.1"


@app.command()
def demo(
    db: Annotated[
        str | None,
        typer.Option("--db", help="A SQLite file (made if missing), or postgresql://... ."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; another one if it is taken.")] = 8000,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> None:
    """Play in the browser: the 16 sushi of the paper."""
    with extra("winnerstays demo", "service"):
        from winnerstays.service import server
        from winnerstays.service.config import Config
        from winnerstays.service.key_ring import default_path
        from winnerstays.web import sushi
    from winnerstays.arena import Arenas

    db = db or str(_own_database())
    with Arenas.open(db) as arenas:
        sushi.ready_arena(arenas)
    port = _free(port)
    address = f"http://{HOST}:{port}"

    def invite() -> None:
        typer.echo(f"Play at {address} (Ctrl-C stops it; everything is kept in {db}).")
        if browser:
            webbrowser.open(address)

    when_ready(address, invite)
    server.run(Config(db, default_path(db)), HOST, port, worker=WORKER, log_level="warning")


def _own_database() -> Path:
    """Return a file in the user's folder for data, or, where that cannot be made, in one for temporary files."""
    with suppress(OSError, RuntimeError):  # there may be no home
        folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "winnerstays"
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder / "demo.db"
    folder = Path(tempfile.gettempdir()) / f"winnerstays-{os.getuid()}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "demo.db"


def _free(port: int) -> int:
    """Return this port, or any free one if it is taken."""
    for wanted in (port, 0):
        try:
            with socket.create_server((HOST, wanted)) as listener:
                return int(listener.getsockname()[1])
        except OSError:
            continue
    return port
