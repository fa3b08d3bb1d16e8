"""`winnerstays demo`: the pages on a ready arena, in the browser."""

import socket
import threading
import webbrowser
from typing import Annotated
from urllib.request import ProxyHandler, build_opener

import typer

from winnerstays.cli.app import app
from winnerstays.cli.serve import WORKER
from winnerstays.errors import missing_extra

DATABASE = "winnerstays-demo.db"
HOST = "127.0.0.1"
SECONDS_TO_START = 60


@app.command()
def demo(
    db: Annotated[str, typer.Option("--db", help="A SQLite file (made if missing), or postgresql://...")] = DATABASE,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Another one, if this is taken.")] = 8000,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> None:
    """Play in the browser: the 16 sushi of the paper."""
    try:
        from winnerstays.service import server
        from winnerstays.service.config import Config
        from winnerstays.web import sushi
    except ImportError:
        raise missing_extra("winnerstays demo", "service") from None
    from winnerstays.arena import Arenas

    with Arenas.open(db) as arenas:
        sushi.ready_arena(arenas)
    port = _free(port)
    address = f"http://{HOST}:{port}"
    typer.echo(f"Play at {address} (Ctrl-C stops it; everything is kept in {db}).")
    if browser:
        threading.Thread(target=_open, args=(address,), daemon=True).start()
    server.run(Config(db), HOST, port, worker=WORKER, log_level="warning")


def _free(port: int) -> int:
    """Return this port, or any free one if it is taken."""
    for wanted in (port, 0):
        try:
            with socket.create_server((HOST, wanted)) as listener:
                return int(listener.getsockname()[1])
        except OSError:
            continue
    return port


def _open(address: str) -> None:
    """Open the browser once the page is there."""
    opener = build_opener(ProxyHandler({}))
    waited = threading.Event()
    for _ in range(10 * SECONDS_TO_START):
        try:
            opener.open(f"{address}/healthz", timeout=5).close()
        except OSError:
            waited.wait(0.1)
        else:
            webbrowser.open(address)
            return
