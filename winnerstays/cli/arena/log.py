"""`winnerstays arena replay|export|erase|prune|backup`: what is kept of an arena, and proof that it is complete."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from winnerstays.cli.app import open_arenas, out
from winnerstays.cli.arena.group import ADDRESS, Database, arena_app
from winnerstays.errors import WinnerstaysError
from winnerstays.wording import counted


@arena_app.command("replay")
def replay(
    database: Database,
    expect: Annotated[str | None, typer.Option(help="A hash that `arena backup` printed, kept elsewhere.")] = None,
    upgrade: Annotated[bool, typer.Option("--upgrade", help="First upgrade the tables of an older version.")] = False,
) -> None:
    """Check every row, rebuild every learner from the log and compare it byte for byte. Exit code 1 if not equal."""
    with open_arenas(database, upgrade=upgrade) as arenas:
        replayed = arenas.replay(expect)
    counts = ((replayed.learners, "learner"), (replayed.served, "served duel"), (replayed.accepted, "accepted outcome"))
    out.print(", ".join(counted(*part) for part in counts))
    for difference in replayed.differences:
        out.print(f"DIFFERENT: {difference}")
    for part in replayed.unchecked:
        out.print(f"not checked: {part}")
    if replayed.heads is not None:
        out.print(f"head: {replayed.heads.database}")
    if not replayed.equal:
        out.print("NOT EQUAL")
        raise typer.Exit(1)
    out.print("every row is as it was written")
    out.print("every learner is what its log gives, byte for byte")


@arena_app.command("export")
def export(
    database: Database,
    format_: Annotated[str, typer.Option("--format", help="csv|ndjson|parquet")] = "csv",
    output: Annotated[Path | None, typer.Option(help="A file; standard output if left out.")] = None,
    name: Annotated[str | None, typer.Option("--arena", help="Only this arena.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")] = False,
) -> None:
    """Write the log as a table."""
    from winnerstays.arena.history.events import export as write

    with open_arenas(database) as arenas:
        if name is not None:
            arenas.get(name)  # one that is missing is said before anything is written
        count = write(arenas.events(name), format_, output, force=force)
    if output is not None:
        out.print(f"{counted(count, 'row')} written to {output}")


@arena_app.command("erase")
def erase(
    database: Database,
    user: Annotated[str, typer.Argument(help="The user to erase.")],
    name: Annotated[str | None, typer.Option("--arena", help="Only in this arena; in all if left out.")] = None,
) -> None:
    """Remove a user's learners, rows and name."""
    from winnerstays.arena import UnknownUserError

    with open_arenas(database) as arenas:
        erased = []
        for each_arena in [name] if name else arenas.names():
            try:
                erased.append(arenas.backend.erase(each_arena, user))
            except UnknownUserError:
                continue
    if not erased:
        raise WinnerstaysError(f"No arena of {database} knows a user {user!r}.")
    rows, learners = sum(each_arena.rows for each_arena in erased), sum(each_arena.learners for each_arena in erased)
    out.print(
        f"erased {user}: {counted(rows, 'row')}, {counted(learners, 'learner')}, in {counted(len(erased), 'arena')}"
    )
    for left in sorted({left for each_arena in erased for left in each_arena.left}):
        out.print(f"copies may be left in {left}")


@arena_app.command("prune")
def prune(
    database: Database,
    before: Annotated[datetime | None, typer.Option(help="A day or a time (UTC), for example 2026-01-31.")] = None,
    vacuum: Annotated[
        bool, typer.Option("--vacuum", help="Then rewrite the database, so that no copies are left; others wait.")
    ] = False,
) -> None:
    """Replace what was logged before a day by a snapshot of each learner; what was learned stays.

    With --vacuum alone, only rewrite the database without the rows that were removed or erased.
    """
    if before is None and not vacuum:
        raise WinnerstaysError("Nothing to prune: give --before with a day, --vacuum, or both.")
    with open_arenas(database) as arenas:
        if before is not None:
            pruned = arenas.prune(before.replace(tzinfo=UTC).timestamp())
            rows, learners = counted(pruned.rows, "row"), counted(pruned.learners, "learner")
            out.print(f"{rows} of {learners} removed" + ("" if vacuum else "; --vacuum frees their space"))
        if vacuum:
            for left in arenas.database.store.vacuum():
                out.print(f"copies may be left in {left}")
            out.print("the database was rewritten")


@arena_app.command("backup")
def backup(
    database: Annotated[str, typer.Argument(metavar="DB", help=ADDRESS + " Only SQLite files are copied.")],
    target: Annotated[Path | None, typer.Argument(help="A new file; if left out, print the hashes alone.")] = None,
) -> None:
    """Copy a database while it is in use, and print the hash of its log.

    The hash changes with every row. Keep it elsewhere: `winnerstays arena replay --expect HASH` proves later that no
    row is missing. Without a file to copy to, print this hash and one for each arena.
    """
    if target is not None:
        from winnerstays.arena.stores.sqlite_file import back_up

        back_up(Path(database), target)
        with open_arenas(str(target)) as arenas:
            out.print(arenas.heads().database, soft_wrap=True)
        return
    with open_arenas(database) as arenas:
        heads = arenas.heads()
    out.print(f"{heads.database}  all arenas", soft_wrap=True)
    for name, hash_ in heads.arenas.items():
        out.print(f"{hash_}  arena {name}", soft_wrap=True)
