"""`winnerstays arena`: create arenas, ask and answer, inspect, prove, export, erase a user."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE
from rich.table import Table

from winnerstays.cli.app import CommandGroup, app, check_database, open_arenas, out
from winnerstays.cli.counts import count_option, share_option
from winnerstays.cli.tables.fitting import print_table
from winnerstays.errors import WinnerstaysError
from winnerstays.wording import counted

if TYPE_CHECKING:
    from winnerstays.arena import Arena, Arenas
    from winnerstays.arena.listing import Listed

arena_app = typer.Typer(
    cls=CommandGroup, help="Durable arenas: create, ask, tell, look, prove, export, erase.", no_args_is_help=True
)
app.add_typer(arena_app, name="arena")

ADDRESS = "A SQLite file, postgresql://..., or http://... of a service."
Database = Annotated[str, typer.Argument(metavar="DB", envvar="WINNERSTAYS_DB", help=ADDRESS)]
Name = Annotated[str | None, typer.Option("--arena", help="The arena's name, if there are several.")]
Holdout = Annotated[float | None, share_option("The share of people in a control group, for `arena uplift`.")]
Control = Annotated[
    list[str] | None, typer.Option(help="An item that they get, two by two in this order; repeat. Else random pairs.")
]
MAX_NAMES = 20
User = Annotated[str | None, typer.Option(help="For an arena with a learner for each user: which one.")]


@arena_app.command("create")
def create(
    database: Annotated[str, typer.Argument(metavar="DB", help=ADDRESS)],
    items: Annotated[list[str], typer.Argument(help="At least two items, or one file that lists them.")],
    name: Annotated[str, typer.Option("--arena", help="The arena's name.")] = "default",
    algorithm: Annotated[
        str | None, typer.Option(help="Any registered algorithm; by default the one for the regret.")
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
    from winnerstays.arena.item_files import read_items
    from winnerstays.arena.settings import algorithm_for

    settings: dict[str, Any] = {
        "algorithm": algorithm_for(regret, algorithm), "audience": audience, "patience": patience,
        "expires_after": expires_after, "ties": ties, "nones": nones, "answers_per_minute": answers_per_minute,
        "horizon": horizon, "public": public, "holdout": holdout, "control": control or [],
    }  # fmt: skip
    if len(items) == 1 and not Path(items[0]).is_file():
        raise WinnerstaysError(f"Give at least 2 items, or a file that lists them; there is no file {items[0]!r}.")
    found = read_items(Path(items[0])) if len(items) == 1 else list(map(Item.of, items))
    Settings(name=name, items=tuple(found), **settings)  # what is wrong is said before a file is made
    with open_arenas(database, create=True) as arenas:
        there = name in arenas.names()
        arena = arenas.create(name, found, **settings)
        unchanged = " (it was there already; nothing changed)" if there else ""
        about = f"{len(arena.items)} items, {arena.settings.algorithm}, audience {audience}"
        out.print(f"{arena.name}: {about}{unchanged}", soft_wrap=True)


@arena_app.command("list")
def list_(database: Database) -> None:
    """List the arenas of a database."""
    table = Table("arena", "items", "algorithm", "audience", box=SIMPLE)
    for one in _listed(check_database(database)):
        items = f"{one.items} (and {one.retired} retired)" if one.retired else str(one.items or "")
        audience = f"{one.audience}, closed" if one.closed else one.audience
        table.add_row(one.name, items, one.fault or one.algorithm, audience)
    print_table(table)


def _listed(database: str) -> "list[Listed]":
    """List the arenas of a service, or of a database without making their learners, which takes longer."""
    from winnerstays.arena.listing import Listed, listed_arenas

    if not database.startswith(("http://", "https://")):
        return listed_arenas(database)
    with open_arenas(database) as arenas:
        return list(map(Listed.of, arenas))


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


@arena_app.command("ask")
def ask(
    database: Database,
    name: Name = None,
    user: User = None,
    group: Annotated[str | None, typer.Option(help="The user's group: a new user starts from what it taught.")] = None,
    among: Annotated[list[str] | None, typer.Option(help="An item that may be shown, no others; repeat it.")] = None,
    set_: Annotated[str | None, typer.Option("--set", help="A set of items that may be shown, no others.")] = None,
    without: Annotated[list[str] | None, typer.Option(help="An item that may not be shown; repeat it.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Another duel than the one that is open.")] = False,
) -> None:
    """Serve a duel."""
    if among and set_:
        raise WinnerstaysError("Which items may be shown? Give --among or --set, not both.")
    with open_arenas(database) as arenas:
        duel = find_arena(arenas, name).ask(user, group=group, among=among or set_, without=without or (), fresh=fresh)
    out.print(f"{duel.id}  {duel.left}  or  {duel.right}")


@arena_app.command("tell")
def tell(
    database: Database,
    duel: Annotated[str, typer.Argument(help="The duel's id.")],
    winner: Annotated[str | None, typer.Argument(help="The chosen item, or left or right.")] = None,
    outcome: Annotated[str | None, typer.Option(help="Instead of a winner: tie|skip|none")] = None,
    reason: Annotated[str | None, typer.Option(help="Why it was skipped.")] = None,
    user: User = None,
) -> None:
    """Answer a duel. Exit code 1 if the answer is refused: another one was given before, or it came too late."""
    from winnerstays.arena import Answer

    if winner is None and outcome is None:
        raise WinnerstaysError("Who won? Give the chosen item, left or right, or --outcome tie, skip or none.")
    with open_arenas(database) as arenas:
        receipt = arenas.tell(Answer(duel, winner, outcome or "winner", reason, user))
    out.print(receipt.status + (f": {receipt.reason}" if receipt.reason else ""))
    if not receipt.accepted:
        raise typer.Exit(1)


@arena_app.command("undo")
def undo(
    database: Database,
    duel: Annotated[str | None, typer.Argument(help="The duel's id; that of the latest answer of --user.")] = None,
    name: Name = None,
    user: User = None,
) -> None:
    """Take back the latest answer of a user."""
    if duel is None:
        if user is None:
            raise WinnerstaysError("Whose answer? Give the duel's id, or --user.")
        with open_arenas(database) as arenas:
            duel = _latest_answer(find_arena(arenas, name), user)
    tell(database, duel, outcome="undo", user=user)


def _latest_answer(arena: "Arena", user: str) -> str:
    latest = None
    for event in arena.events(user=user):
        if event.kind in ("learned", "noted", "undone"):
            latest = None if event.kind == "undone" else event.duel
    if latest is None:
        raise WinnerstaysError(f"In the arena {arena.name!r} there is no answer of {user!r} to take back.")
    return latest


@arena_app.command("popular")
def popular(
    database: Database,
    name: Name = None,
    count: Annotated[int, typer.Option(min=1, help="How many items to show.")] = 20,
    level: Annotated[float, share_option("The confidence of the intervals.")] = 0.95,
) -> None:
    """Show which items people choose most often, of those shown to them; what cannot be told apart shares a rank."""
    with open_arenas(database) as arenas:
        found = find_arena(arenas, name).popular(level=level)
    table = Table("rank", "item", "won", "lost", "share", f"{level:.0%} interval", box=SIMPLE)
    for one in found[:count]:
        known = one.won + one.lost > 0
        share, interval = (f"{one.share:.3f}", f"{one.low:.3f} to {one.high:.3f}") if known else ("-", "-")
        table.add_row(str(one.rank), one.item, str(one.won), str(one.lost), share, interval)
    print_table(table)
    if len(found) > count:
        out.print(f"and {len(found) - count:,} more (--count)")


@arena_app.command("standing")
def standing(
    database: Database,
    name: Name = None,
    user: User = None,
    p: Annotated[float | None, share_option("The least chance with which a better item is chosen.")] = None,
    level: Annotated[float, share_option("The confidence to be reached.")] = 0.95,
) -> None:
    """Show the favourite, and how sure it is."""
    with open_arenas(database) as arenas:
        found = find_arena(arenas, name).standing(user, p=p, level=level)
    table = Table("against", "won", "lost", "evidence", box=SIMPLE)
    for rival in found.rivals:
        table.add_row(rival.item, str(rival.won), str(rival.lost), f"{rival.evidence:.3g}")
    out.print(str(found))
    if found.certificate is not None:
        out.print(f"With p = {p}, the favourite of round {found.round} is wrong with chance {found.certificate:.3g}.")
    print_table(table)


@arena_app.command("bias")
def bias(
    database: Database,
    name: Name = None,
    group: Annotated[str | None, typer.Option(help="Only of the users of this group.")] = None,
) -> None:
    """Show how often people choose the left item: all, and those of each group."""
    with open_arenas(database) as arenas:
        arena = find_arena(arenas, name)
        found = {"": arena.bias(group)}
        if group is None:
            found |= {f"{one}: ": arena.bias(one) for one in arena.totals().groups}
    for whose, sides in found.items():
        interval = f"{sides.confidence:.0%} interval {sides.low:.3f} to {sides.high:.3f}"
        if not sides.left + sides.right:
            out.print(f"{whose}no answers yet")
            continue
        out.print(f"{whose}left {sides.left}, right {sides.right}: share of left {sides.share:.3f} ({interval})")


@arena_app.command("uplift")
def uplift(
    database: Database,
    name: Name = None,
    level: Annotated[float, share_option("The confidence with which all intervals hold, at all times.")] = 0.95,
) -> None:
    """Compare people whose pairs were learned with the control group."""
    with open_arenas(database) as arenas:
        found = find_arena(arenas, name).uplift(level=level)
    out.print(str(found), soft_wrap=True)


@arena_app.command("replay")
def replay(
    database: Database,
    expect: Annotated[str | None, typer.Option(help="A head that was kept elsewhere (winnerstays arena head).")] = None,
) -> None:
    """Check every row, rebuild every learner from the log and compare it byte for byte. Exit code 1 if not equal."""
    with open_arenas(database) as arenas:
        found = arenas.replay(expect)
    counts = ((found.learners, "learner"), (found.served, "served duel"), (found.accepted, "accepted outcome"))
    out.print(", ".join(counted(*one) for one in counts))
    for difference in found.differences:
        out.print(f"DIFFERENT: {difference}")
    for one in found.unchecked:
        out.print(f"not checked: {one}")
    if found.heads is not None:
        out.print(f"head: {found.heads.database}")
    if not found.equal:
        out.print("NOT EQUAL")
        raise typer.Exit(1)
    out.print("every row is as it was written")
    out.print("every learner is what its log gives, byte for byte")


@arena_app.command("head")
def head(database: Database) -> None:
    """Print hashes that change with every row: kept elsewhere, they prove later that no row is missing."""
    with open_arenas(database) as arenas:
        heads = arenas.heads()
    out.print(f"{heads.database}  all arenas", soft_wrap=True)
    for name, hash_ in heads.arenas.items():
        out.print(f"{hash_}  arena {name}", soft_wrap=True)


@arena_app.command("export")
def export(
    database: Database,
    format_: Annotated[str, typer.Option("--format", help="csv|ndjson|parquet")] = "csv",
    output: Annotated[Path | None, typer.Option(help="A file; standard output if left out.")] = None,
    name: Annotated[str | None, typer.Option("--arena", help="Only this arena.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")] = False,
) -> None:
    """Write the log as a table."""
    from winnerstays.arena.history.export import export as write

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
        for one in [name] if name else arenas.names():
            try:
                erased.append(arenas.backend.erase(one, user))
            except UnknownUserError:
                continue
    if not erased:
        raise WinnerstaysError(f"No arena of {database} knows a user {user!r}.")
    rows, learners = sum(one.rows for one in erased), sum(one.learners for one in erased)
    out.print(
        f"erased {user}: {counted(rows, 'row')}, {counted(learners, 'learner')}, in {counted(len(erased), 'arena')}"
    )
    for left in sorted({left for one in erased for left in one.left}):
        out.print(f"copies may be left in {left}")


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
        found = arenas.delete(name)
    out.print(f"deleted {name}: {counted(found.rows, 'row')}, {counted(found.learners, 'learner')}")
    for left in found.left:
        out.print(f"copies may be left in {left}")


@arena_app.command("prune")
def prune(
    database: Database,
    before: Annotated[datetime, typer.Option(help="A day or a time (UTC), for example 2026-01-31.")],
) -> None:
    """Replace what was logged before a day by a snapshot of each learner; what was learned stays."""
    with open_arenas(database) as arenas:
        pruned = arenas.prune(before.replace(tzinfo=UTC).timestamp())
    rows, learners = counted(pruned.rows, "row"), counted(pruned.learners, "learner")
    out.print(f"{rows} of {learners} removed; `winnerstays arena vacuum` frees their space")


@arena_app.command("vacuum")
def vacuum(database: Database) -> None:
    """Rewrite a database without what was removed from it, so that no copies are left; others wait meanwhile."""
    with open_arenas(database) as arenas:
        for left in arenas.database.store.vacuum():
            out.print(f"copies may be left in {left}")
    out.print("done")
