"""What the page of an arena shows of sessions in which rankers were compared by clicks."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

from winnerstays.arena import Arena, Event
from winnerstays.interleaving import Interleaved

LOOKED_AT = 2000
"""Events among which sessions are looked for, the newest."""
NEWEST = 10
"""Sessions that are shown one by one."""


class Row(NamedTuple):
    """One result of a session."""

    position: int
    result: str
    owner: str
    """The ranker that added it, or the only one that has it; else empty."""
    clicked: bool


@dataclass(frozen=True)
class Opened:
    """One session, result by result."""

    event: Event
    method: str
    rows: list[Row]
    winner: str
    """The id of the ranker that won; else `tie`, or `no clicks`."""


@dataclass(frozen=True)
class Sessions:
    """The newest sessions of an arena."""

    count: int
    rankers: list[tuple[str, int, int, int]]
    """For each ranker: its name, sessions, those it won, clicks on its results."""
    clicks: list[int]
    """At each position, from the top."""
    newest: list[Opened]


def newest_sessions(arena: Arena) -> Sessions | None:
    """Return the newest sessions of an arena; None if there are none."""
    events = [event for event in arena.newest_events(LOOKED_AT) if event.session]
    if not events:
        return None
    opened = [_open(event, event.session or {}) for event in reversed(events)]
    shown: Counter[str] = Counter()
    won: Counter[str] = Counter()
    clicked: Counter[str] = Counter()
    positions: Counter[int] = Counter()
    for session in opened:
        shown.update({session.event.left or "", session.event.right or ""})
        won[session.winner] += 1
        clicked.update(row.owner for row in session.rows if row.clicked)
        positions.update(row.position for row in session.rows if row.clicked)
    return Sessions(
        len(opened),
        [(item.title, shown[item.id], won[item.id], clicked[item.id]) for item in arena.items if shown[item.id]],
        [positions[position] for position in range(1, max(positions, default=0) + 1)],
        opened[:NEWEST],
    )


def _open(event: Event, session: dict[str, Any]) -> Opened:
    page, clicks = Interleaved.from_json(session["page"]), set(session["clicks"])
    sides = (event.left or "", event.right or "")
    owners = page.owners or [
        None if None not in ranks else int(ranks[0] is None) for ranks in zip(*page.ranks, strict=True)
    ]
    rows = [
        Row(position, str(result), "" if owner is None else sides[owner], position in clicks)
        for position, (result, owner) in enumerate(zip(page.shown, owners, strict=True), 1)
    ]
    return Opened(event, page.method, rows, event.winner or ("tie" if event.outcome == "tie" else "no clicks"))
