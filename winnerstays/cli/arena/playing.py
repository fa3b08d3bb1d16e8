"""`winnerstays arena ask|tell|standing`: duels, answers and what was learned from them."""

import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from winnerstays.cli.app import open_arenas, out, printable
from winnerstays.cli.arena.group import Database, Name, User, arena_app, find_arena
from winnerstays.cli.counts import share_option
from winnerstays.cli.tables.fitting import print_table
from winnerstays.errors import WinnerstaysError

if TYPE_CHECKING:
    from winnerstays.arena import Arena

SESSIONS_AT_ONCE, MAX_REFUSED = 1000, 10


@arena_app.command("ask")
def ask(
    database: Database,
    name: Name = None,
    user: User = None,
    group: Annotated[str | None, typer.Option(help="The user's group; a new user starts with what it likes.")] = None,
    among: Annotated[list[str] | None, typer.Option(help="Show only this item; repeat it for others.")] = None,
    set_: Annotated[str | None, typer.Option("--set", help="Show only the items of this set.")] = None,
    without: Annotated[list[str] | None, typer.Option(help="Do not show this item; repeat it.")] = None,
    show: Annotated[int, typer.Option(help="How many items to show at once.")] = 2,
    fresh: Annotated[bool, typer.Option("--fresh", help="Serve another duel, although one is open.")] = False,
) -> None:
    """Serve a duel."""
    if among and set_:
        raise WinnerstaysError("Which items may be shown? Give --among or --set, not both.")
    with open_arenas(database) as arenas:
        duel = find_arena(arenas, name).ask(
            user, group=group, among=among or set_, without=without or (), fresh=fresh, show=show
        )
    out.print(f"{duel.id}  {'  or  '.join(duel.items)}")
    if duel.warning:
        print(printable(duel.warning), file=sys.stderr)


@arena_app.command("tell")
def tell(
    database: Database,
    duel: Annotated[str | None, typer.Argument(help="The duel's id.")] = None,
    winner: Annotated[str | None, typer.Argument(help="The chosen item, or left or right.")] = None,
    outcome: Annotated[str | None, typer.Option(help="Instead of a winner: tie|skip|none")] = None,
    reason: Annotated[str | None, typer.Option(help="Why it was skipped.")] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take back the answer to this duel, or the latest answer of --user.")
    ] = False,
    sessions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file of sessions of rankers, one JSON object per line.")
    ] = None,
    name: Name = None,
    user: User = None,
) -> None:
    """Answer a duel, take an answer back, or credit a file of sessions. Exit code 1 if an answer is refused."""
    from winnerstays.arena import Answer

    if sessions is not None:
        if undo or (duel, winner, outcome, reason, user) != (None, None, None, None, None):
            raise WinnerstaysError("--sessions holds the duels and the clicks on them; give nothing else.")
        with open_arenas(database) as arenas:
            _tell_sessions(find_arena(arenas, name), sessions)
        return
    if undo and (winner, outcome, reason) != (None, None, None):
        raise WinnerstaysError("--undo takes an answer back; leave out the winner, --outcome and --reason.")
    if not undo and duel is None:
        raise WinnerstaysError("Which duel? Give its id, as `winnerstays arena ask` prints it.")
    if not undo and winner is None and outcome is None:
        raise WinnerstaysError("Who won? Give the chosen item, left or right, or --outcome tie, skip or none.")
    with open_arenas(database) as arenas:
        if duel is None:
            if user is None:
                raise WinnerstaysError("Whose answer? Give the duel's id, or --user.")
            duel = _latest_answer(find_arena(arenas, name), user)
        receipt = arenas.tell(Answer(duel, winner, "undo" if undo else outcome or "winner", reason, user))
    out.print(receipt.status + (f": {receipt.reason}" if receipt.reason else ""))
    if not receipt.accepted:
        raise typer.Exit(1)


def _tell_sessions(arena: "Arena", path: Path) -> None:
    """Credit logged sessions, a thousand at once; say what became of them, and why some were refused."""
    from winnerstays.arena.sessions import logged_answers

    counts: Counter[str] = Counter()
    refused: list[str] = []
    try:
        with path.open(encoding="utf-8") as lines:
            answers = logged_answers(lines)
            while part := list(islice(answers, SESSIONS_AT_ONCE)):
                receipts = arena.tell_many([answer for _, answer in part])
                counts.update(receipt.status for receipt in receipts)
                refused += [
                    f"line {line}: {receipt.reason}"
                    for (line, _), receipt in zip(part, receipts, strict=True) if not receipt.accepted
                ][: MAX_REFUSED - len(refused)]  # fmt: skip
    except (OSError, UnicodeDecodeError) as error:
        raise WinnerstaysError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error}).") from None
    out.print(", ".join(f"{status}: {count:,}" for status, count in counts.items()) or "no sessions")
    for sentence in refused:
        out.print(sentence)
    if refused:
        raise typer.Exit(1)


def _latest_answer(arena: "Arena", user: str) -> str:
    latest = None
    for event in arena.events(user=user):
        if event.kind in ("learned", "noted", "undone"):
            latest = None if event.kind == "undone" else event.duel
    if latest is None:
        raise WinnerstaysError(f"In the arena {arena.name!r} there is no answer of {user!r} to take back.")
    return latest


@arena_app.command("standing")
def standing(
    database: Database,
    name: Name = None,
    user: User = None,
    p: Annotated[float | None, share_option("The least chance with which a better item is chosen.")] = None,
    level: Annotated[float, share_option("The confidence to be reached, and that of intervals.")] = 0.95,
    count: Annotated[int, typer.Option(min=1, help="How many items to show.")] = 20,
) -> None:
    """Show the favourite of a user; without --user, which items people choose most often.

    In an arena for everyone, show the favourite of everyone, too. Items that cannot be told apart share a rank.
    """
    with open_arenas(database) as arenas:
        arena = find_arena(arenas, name)
        if user is not None or p is not None or arena.settings.audience == "everyone":
            _show_favourite(arena, user, p, level)
        if user is None:
            _show_popular(arena, level, count)


def _show_favourite(arena: "Arena", user: str | None, p: float | None, level: float) -> None:
    standing = arena.standing(user, p=p, level=level)
    table = Table("against", "won", "lost", "evidence", box=SIMPLE)
    for rival in standing.rivals:
        table.add_row(rival.item, str(rival.won), str(rival.lost), f"{rival.evidence:.3g}")
    out.print(str(standing))
    if standing.certificate is not None:
        out.print(
            f"With p = {p}, the favourite of round {standing.round} is wrong with chance {standing.certificate:.3g}."
        )
    print_table(table)


def _show_popular(arena: "Arena", level: float, count: int) -> None:
    popular = arena.popular(level=level)
    table = Table("rank", "item", "won", "lost", "share", f"{level:.0%} interval", box=SIMPLE)
    for item in popular[:count]:
        known = item.won + item.lost > 0
        share, interval = (f"{item.share:.3f}", f"{item.low:.3f} to {item.high:.3f}") if known else ("-", "-")
        table.add_row(str(item.rank), item.item, str(item.won), str(item.lost), share, interval)
    print_table(table)
    if len(popular) > count:
        out.print(f"and {len(popular) - count:,} more (--count)")
