"""`winnerstays serve`: the arenas of a database over HTTP."""

import os
from typing import Annotated

import typer

from winnerstays.cli.app import app
from winnerstays.cli.readiness import when_ready
from winnerstays.errors import WinnerstaysError, extra

DATABASE = "winnerstays.db"
WORKER = "winnerstays.web.app:create_worker"
Database = Annotated[
    str, typer.Option("--db", envvar="WINNERSTAYS_DB", help="A SQLite file (made if missing), or postgresql://...")
]


@app.command()
def serve(
    db: Database = DATABASE,
    secrets: Annotated[
        str | None,
        typer.Option(envvar="WINNERSTAYS_SECRETS", help="The file of secrets that sign tokens (made if missing)."),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any free one.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Processes; more than 1 is for PostgreSQL.")] = 1,
    max_body: Annotated[int, typer.Option(min=1, help="Bytes of the largest request body.")] = 1_000_000,
    cors: Annotated[list[str] | None, typer.Option(help="An origin whose web pages may call, as https://a.b.")] = None,
    pictures: Annotated[
        list[str] | None, typer.Option(help="An origin from which pages may load pictures of items, as https://a.b.")
    ] = None,
    max_connections: Annotated[int, typer.Option(min=1, help="Open connections of each worker.")] = 4096,
    address_connections: Annotated[int, typer.Option(min=1, help="Open connections from one address.")] = 512,
    visitor_rate: Annotated[float, typer.Option(min=0, help="Operations per second of a visitor; 0: no limit.")] = 10.0,
    access_log: Annotated[bool, typer.Option("--access-log", help="A line for each request.")] = False,
    log_format: Annotated[str, typer.Option(help="The format of log lines: text or json.")] = "text",
    upgrade: Annotated[bool, typer.Option("--upgrade", help="First upgrade the tables of an older version.")] = False,
) -> None:
    """Serve the arenas of a database over HTTP, with pages to play and to look."""
    with extra("winnerstays serve", "service"):
        from winnerstays.service import key_ring, server
        from winnerstays.service.config import LOOPBACK, Config
        from winnerstays.service.keys import ApiKeys
    from winnerstays.arena import Arenas, BusyError
    from winnerstays.arena.stores import is_memory, is_missing_file

    if workers > 1 and is_memory(db):
        raise WinnerstaysError(f"{workers} processes cannot share memory:; give a file or postgresql://...")
    if log_format not in ("text", "json"):
        raise WinnerstaysError(f"--log-format is {log_format!r}, but must be text or json.")
    secrets = secrets or key_ring.default_path(db)
    if secrets == key_ring.default_path(db) and is_missing_file(db) and os.path.exists(str(secrets)):
        raise WinnerstaysError(
            f"The database {db} is missing, but its secrets are there: put it back, or remove {secrets} to start with "
            "an empty database."
        )
    loopback = host in LOOPBACK
    try:
        with Arenas.open(db, upgrade=upgrade) as arenas:
            keyless = not ApiKeys.of(arenas).list()
    except BusyError as error:
        typer.echo(f"{error} Starting without it: requests get 503 until it can be used.", err=True)
        keyless = False  # or nobody knows: elsewhere than on loopback keys are needed in any case
    key_ring.load(secrets)
    if keyless and not loopback:
        raise WinnerstaysError(
            f"Without keys the service listens on loopback only, not on {host}: everybody there could answer "
            f"duels and erase users. Make a key first: winnerstays arena keys create DB --scope admin."
        )
    if keyless and "*" in (cors or ()):
        raise WinnerstaysError(
            "Without keys --cors '*' would let every web page that you open delete your arenas. Name the origins of "
            "your pages, or make a key first: winnerstays arena keys create DB --scope admin."
        )
    origins = tuple(origin.rstrip("/") for origin in pictures or ())
    config = Config(
        db, secrets, loopback, workers, max_body, tuple(cors or ()), origins, supervisor=os.getpid(),
        max_connections=max_connections, max_connections_of_address=address_connections,
        visitor_rate=visitor_rate or None, upgrade=upgrade,
    )  # fmt: skip
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)

    def announce(port: int) -> None:
        address = f"http://[{near}]:{port}" if ":" in near else f"http://{near}:{port}"
        if keyless:
            typer.echo("There are no keys: listening on loopback only, open to everybody on this machine.")
        when_ready(address, lambda: typer.echo(f"ready: {address}"))

    server.run(
        config, host, port, worker=WORKER, access_log=access_log, announce=announce,
        log_format="json" if log_format == "json" else "text",
    )  # fmt: skip
