"""What whoever runs arenas sees: the list, one arena with everything that was learned, one user of it."""

import json
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, RedirectResponse, Response

from winnerstays.arena import Arena, Event, Standing, Summary, Totals, UnknownUserError
from winnerstays.arena.figures.counts import rank
from winnerstays.arena.history.events import FORMATS, export
from winnerstays.arena.records import Popularity
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.service.errors import STATUSES, RequestError
from winnerstays.service.limits import MAX_DIGITS
from winnerstays.web import winner
from winnerstays.web.editing import item_path
from winnerstays.web.forms import read_items
from winnerstays.web.history import iterations
from winnerstays.web.items import Card
from winnerstays.web.live import Feed, newest_events
from winnerstays.web.pages import Page, Stream, Visit, arena_path, headers
from winnerstays.web.rankers import newest_sessions

MAX_HEAT_MAP = 40
"""Items up to which the wins are drawn as a heat map."""
MAX_ITEMS = 500
"""Items up to which each has its button."""
MAX_HOURS = 14 * 24
NEWEST = 20
"""Events that are shown."""
MAX_USER_EVENTS = 20_000
TYPES = {"csv": "text/csv", "ndjson": "application/x-ndjson", "parquet": "application/vnd.apache.parquet"}


async def show_list(visit: Visit) -> Response:
    """List the arenas that exist for whoever signed in."""
    return visit.render("arenas.html", arenas=await visit.service.reads.run(_seen, visit))


def _seen(visit: Visit) -> list[Arena]:
    assert visit.caller is not None
    known = visit.service.database.arenas()
    return [Arena(visit.arenas, settings) for settings in known if visit.caller.sees(settings.name)]


async def show_arena(visit: Visit) -> Response:
    """Show what was learned in an arena, and who comes."""
    arena = await visit.arena()
    return await _arena_page(visit, arena, robots=_robots(visit))


def rank_items(arena: Arena, summary: Summary, totals: Totals) -> list[Popularity]:
    """Return the items by how many visitors prefer them; in an arena for everyone by the duels they won."""
    won = {item.id: summary.favourites.get(item.id, 0) for item in arena.items}
    lost = {item: sum(won.values()) - count for item, count in won.items()}
    if arena.settings.audience == "everyone":
        won, lost = dict.fromkeys(won, 0), dict.fromkeys(won, 0)
        for win in totals.wins:
            won[win.winner] += win.times
            lost[win.loser] += win.times
    return rank(list(won), list(zip(won.values(), lost.values(), strict=True)))


def _robots(visit: Visit) -> bool:
    """Whether robots are to be shown, in the place of people."""
    return visit.request.query_params.get("robots") == "yes"


async def _arena_page(
    visit: Visit, arena: Arena, status: int = 200, *, robots: bool = False, error: str = "", typed: str = ""
) -> Response:
    look = partial(visit.service.database.at_one_moment, partial(_figures, visit, arena, robots))
    figures = await visit.service.reads.run(look)
    return visit.render("arena.html", status, error=error, typed=typed, max_items=MAX_ITEMS, **figures)


async def change_items(visit: Visit) -> Response:
    """Add the items that were typed, or retire or restore one; what is wrong with that stands above the items."""
    arena = await visit.arena()
    if not visit.may("admin"):
        raise RequestError("scope", "Changing the items of an arena needs a key with the scope 'admin'.")
    form = await visit.form()
    try:
        await visit.service.changes.run(_change_items, arena, form)
    except WinnerstaysError as error:
        status = STATUSES[error.code]
        if status >= 500:
            raise
        return await _arena_page(visit, arena, status, error=str(error), typed=form.get("add", ""))
    return RedirectResponse(f"{arena_path(arena.name)}#items", 303, headers(visit.config))


def _change_items(arena: Arena, form: dict[str, str]) -> None:
    """Make one change. Ids come percent-encoded: browsers would change the line ends in them."""
    if "add" in form:
        arena.add(read_items(form["add"]))
    elif "retire" in form:
        arena.retire([unquote(form["retire"])])
    elif "restore" in form:
        arena.restore([unquote(form["restore"])])
    else:
        raise WinnerstaysError(f"Items can be added, retired or restored here, but not {', '.join(form)!r}.")


def _figures(visit: Visit, arena: Arena, robots: bool) -> dict[str, Any]:
    totals, summary = arena.totals(robots=robots), arena.summary()
    titles = {item.id: item.title for item in arena.items}
    everyone = arena.settings.audience == "everyone"
    answers = totals.kinds.get("learned", 0) + totals.kinds.get("noted", 0)
    return {
        "winner": winner.of_poll(arena) if everyone else winner.of_visitors(arena, summary),
        "certified": arena.standing().certified if everyone and answers else 0.0,
        "arena": arena, "title": titles.__getitem__, "totals": totals, "summary": summary, "robots": robots,
        "item_path": item_path, "bias": arena.bias(), "ranking": rank_items(arena, summary, totals),
        "traffic": json.dumps(traffic(totals)), "heat_map": heat_map(arena, totals),
        "events": [event.as_dict() for event in newest_events(arena, NEWEST, robots=robots)], "formats": FORMATS,
        "sessions": newest_sessions(arena), "answers": answers,
    }  # fmt: skip


def traffic(totals: Totals) -> list[list[int]]:
    """Return the start of each hour (a Unix time), duels served in it and answers to them; the latest two weeks."""
    served, learned, noted = (totals.hours.get(kind, {}) for kind in ("served", "learned", "noted"))
    known = [*served, *learned, *noted]
    hours = list(range(max(min(known), max(known) - MAX_HOURS), max(known) + 1)) if known else []
    return [
        [3600 * hour for hour in hours],
        [served.get(hour, 0) for hour in hours],
        [learned.get(hour, 0) + noted.get(hour, 0) for hour in hours],
    ]


def heat_map(arena: Arena, totals: Totals) -> list[list[tuple[int, int]]] | None:
    """Return (won, played) of each item against each other, in the order of the items; None if they are too many."""
    if len(arena.items) > MAX_HEAT_MAP:
        return None
    wins = {(win.winner, win.loser): win.times for win in totals.wins}
    ids = [item.id for item in arena.items]
    return [
        [(wins.get((row, column), 0), wins.get((row, column), 0) + wins.get((column, row), 0)) for column in ids]
        for row in ids
    ]


async def live(visit: Visit) -> Response:
    """Send the newest events of people, or of robots, as they come."""
    arena, robots = visit.remembered_arena() or await visit.arena(), _robots(visit)
    feed = visit.state(f"feed of {arena.name}", lambda: Feed(arena))
    last = visit.request.headers.get("last-event-id", "")
    after = int(last) if last.isdecimal() and len(last) <= MAX_DIGITS else 0
    return Stream(feed.watch(after, robots=robots), media_type="text/event-stream", headers=headers(visit.config))


async def download(visit: Visit) -> Response:
    """Send the whole log as a file."""
    arena = await visit.arena()
    format_: str = visit.request.path_params["format"]
    if format_ not in FORMATS:
        raise unknown("format", format_, FORMATS)
    folder = tempfile.TemporaryDirectory(prefix="winnerstays-")
    path = Path(folder.name) / f"log.{format_}"
    await visit.service.exports.run(export, arena.events(), format_, path)
    name = f"{arena.name}.{format_}"
    task = BackgroundTask(folder.cleanup)
    return FileResponse(path, media_type=TYPES[format_], filename=name, headers=headers(visit.config), background=task)


async def show_user(visit: Visit) -> Response:
    """Show what is known of a user: the favourite, and the duels as a line of iterations and rounds."""
    arena = await visit.arena()
    user: str = visit.request.path_params["user"]
    return visit.render("user.html", **await visit.service.reads.run(_user, visit, arena, user))


def _user(visit: Visit, arena: Arena, user: str) -> dict[str, Any]:
    standing: Standing | None = None
    if arena.settings.audience == "user":
        standing = arena.standing(user)
    events = list(islice(arena.events(user=user), MAX_USER_EVENTS))
    if not events:
        raise UnknownUserError(f"The arena {arena.name!r} knows no user {user!r}.")
    in_rounds = standing is not None and standing.round is not None
    cards = visit.cards(arena)
    return {
        "arena": arena, "user": user, "standing": standing, "cards": cards,
        "favourite": standing and cards(standing.favourite).title, "challenger": _challenger(standing, events, cards),
        "iterations": iterations(events, len(arena.items), in_rounds), "in_rounds": in_rounds, "events": len(events),
        "first": datetime.fromtimestamp(events[0].at, UTC), "last": datetime.fromtimestamp(events[-1].at, UTC),
    }  # fmt: skip


def _challenger(standing: Standing | None, events: list[Event], cards: Callable[[str], Card]) -> str:
    """Return whoever meets the incumbent now; empty for an algorithm without rounds."""
    if standing is None or standing.round is None or events[-1].kind != "served":
        return ""
    pair = {events[-1].left, events[-1].right}
    other = next((item for item in pair if item is not None and item != standing.favourite), None)
    return cards(other).title if other is not None and standing.favourite in pair else ""


async def find_user(visit: Visit) -> Response:
    """Go to the page of the user whose name was typed."""
    arena = await visit.arena()
    user = (await visit.form()).get("user", "").strip()
    if not user:
        raise WinnerstaysError("Write the name of a user.")
    return RedirectResponse(user_path(arena.name, user), 303, headers(visit.config))


async def erase_user(visit: Visit) -> Response:
    """Remove a user, if the name was typed again to confirm it."""
    arena = await visit.arena()
    user: str = visit.request.path_params["user"]
    if not visit.may("admin"):
        raise RequestError("scope", "Erasing a user needs a key with the scope 'admin'.")
    if (await visit.form()).get("confirm", "") != user:
        raise WinnerstaysError(f"Type the name {user!r} to erase this user; what is erased cannot be brought back.")
    await visit.service.changes.run(arena.erase, user)
    return RedirectResponse(arena_path(arena.name), 303, headers(visit.config))


def user_path(arena: str, user: str) -> str:
    return f"{arena_path(arena)}/users/{arena_path(user).removeprefix('/arenas/')}"


PAGES = [
    Page("/arenas", {"GET": show_list}, scope="read"),
    Page("/arenas/{name}", {"GET": show_arena, "POST": change_items}, scope="read"),
    Page("/arenas/{name}/live", {"GET": live}, scope="read"),
    Page("/arenas/{name}/log.{format}", {"GET": download}, scope="read"),
    Page("/arenas/{name}/users", {"POST": find_user}, scope="read"),
    Page("/arenas/{name}/users/{user:path}", {"GET": show_user, "POST": erase_user}, scope="read"),
]
