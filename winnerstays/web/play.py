"""The play page: two items, one choice, how far the game is, and its end."""

from dataclasses import asdict
from typing import Any

from starlette.responses import RedirectResponse, Response

from winnerstays.arena import Answer, Arena, Ask, Duel, Item, Receipt, UnknownArenaError, UnknownUserError
from winnerstays.arena.figures.likely import Likelihood
from winnerstays.arena.records import UNDO
from winnerstays.errors import WinnerstaysError
from winnerstays.service import metrics
from winnerstays.service.auth import Caller
from winnerstays.service.errors import RequestError, refusal
from winnerstays.web.game import QUESTION, Progress, Result, compared, gave_up, is_over, progress, result
from winnerstays.web.items import card
from winnerstays.web.pages import Page, Visit, headers, play_path, templates
from winnerstays.web.robots import knows_sushi
from winnerstays.web.visitors import (
    LAST_COOKIE,
    LEFT_COOKIE,
    ON_COOKIE,
    keep,
    kept,
    remember,
    returning_visitor,
    welcome,
)

NOTICES = {
    "late": "That pair was too old to count. Here is a new one.",
    "conflict": "That pair was answered before. Here is the next one.",
}
TOO_LATE_TO_UNDO = "Only your latest answer can be taken back, and only once."
MAX_TITLE = 40
"""Characters of an item's title in the description of the page."""


async def show(visit: Visit) -> Response:
    """Show the page without a pair, which its script asks for: previews and crawlers look here, and are no visitors."""
    arena = await open_arena(visit)
    if arena.settings.closed:
        raise WinnerstaysError(f"The arena {arena.name!r} is closed: it serves no more duels.")
    visit.cards(arena)  # the policy of the page allows the pictures that its script will bring
    return visit.render("play.html", duel=None, result=None, **frame(visit, arena))


async def play(visit: Visit) -> Response:
    """Give a visitor a pair, or take the answer to one and give the next, or the result at the end."""
    arena = visit.remembered_arena() or await visit.arena()
    check_playable(visit, arena)
    form = await visit.form()
    return await (first_pair(visit, arena, form) if "ask" in form else answer(visit, arena, form))


async def first_pair(visit: Visit, arena: Arena, form: dict[str, str]) -> Response:
    """Give the pair that is open, or a new one; whoever has no cookie of ours, or plays again, is a new visitor."""
    again = form["ask"] == "again" and arena.settings.audience == "user"  # nobody votes twice in the same browser
    known = None if again else await returning_visitor(visit, arena.name)
    caller = known or await welcome(visit, arena.name)
    on = form["ask"] == "on" or (known is not None and kept(visit, ON_COOKIE) == "yes")
    undo = kept(visit, LAST_COOKIE) if known else ""
    response = await go_on(visit, arena, caller, undo=undo, on=on, reopen=form["ask"] == "pair" and known is not None)
    keep(visit, response, arena.name, ON_COOKIE, "yes" if on else "")
    remember(visit, response, arena.name, caller)
    return response


async def answer(visit: Visit, arena: Arena, form: dict[str, str]) -> Response:
    """Answer the pair and give the next."""
    caller = await returning_visitor(visit, arena.name)
    if caller is None:
        raise RequestError("wrong-user", "The browser did not say who answers; open the page again and play on.")
    if form.get("undo"):
        form = {"duel": form["undo"], "outcome": UNDO}
    given = Answer(form.get("duel", ""), form.get("winner"), form.get("outcome", "winner"), arena=arena.name)
    (receipt,) = await visit.service.requests.execute([caller.answer(given)])
    if isinstance(receipt, WinnerstaysError):
        raise receipt
    assert isinstance(receipt, Receipt)
    metrics.count_answer(receipt.status)
    if not receipt.accepted and receipt.status not in NOTICES and given.outcome != UNDO:
        raise refusal(receipt)
    undo = given.duel if given.outcome != UNDO and receipt.accepted and arena.settings.audience == "user" else ""
    notice = TOO_LATE_TO_UNDO if given.outcome == UNDO and not receipt.accepted else NOTICES.get(receipt.status, "")
    return await go_on(visit, arena, caller, notice, undo, on=kept(visit, ON_COOKIE) == "yes")


async def go_on(
    visit: Visit, arena: Arena, caller: Caller, notice: str = "", undo: str = "", *, on: bool, reopen: bool = False
) -> Response:
    """Show the next pair, or the result at the end of the game, unless the visitor goes `on` after it.

    In a team all give equally many answers, so nobody goes on, and whoever answers as a poll is closed sees the result.
    `undo` is the duel whose answer can be taken back. `reopen` shows the pair again that was on the screen.
    """
    user = str(caller.user)
    turn = await visit.service.reads.run(visit.service.database.turn, arena.name, user)
    before = kept(visit, LEFT_COOKIE)
    how_far = progress(turn.own, arena, int(before[:3]) if before.isdecimal() and not on else None)
    arena = visit.remembered_arena() or arena  # as the last answer found it
    ended = how_far.done or gave_up(turn.skipped, arena)
    if is_over(turn.own, arena) or (ended and not on):
        response = await show_result(visit, arena, user, turn.own)
    else:
        among = turn.pair if turn.free and not reopen else None
        ask = Ask(arena.name, among=among, avoid=turn.avoid, instead=turn.pair)
        (duel,) = await visit.service.requests.execute([caller.ask(ask)])
        response = show_pair(visit, arena, duel, how_far, notice, undo)
    keep(visit, response, arena.name, LAST_COOKIE, undo)
    keep(visit, response, arena.name, LEFT_COOKIE, str(how_far.left or ""))
    return response


def show_pair(visit: Visit, arena: Arena, duel: object, how_far: Progress, notice: str, undo: str) -> Response:
    """Show a pair: as the part of the page that changes, to a script; or else as the whole page."""
    if isinstance(duel, WinnerstaysError):
        raise duel
    assert isinstance(duel, Duel)
    metrics.count_duels(1)
    arena = visit.remembered_arena() or arena  # as it was when the pair was made, with all its items
    check_playable(visit, arena)
    cards = visit.cards(arena)
    left, right = (
        card(Item(id=id_, **asdict(shown)), visit.pictures) if shown else cards(id_)
        for id_, shown in ((duel.left, duel.left_item), (duel.right, duel.right_item))
    )
    pair: dict[str, Any] = {
        "duel": duel, "left": left, "right": right, "progress": how_far, "notice": notice, "undo": undo, "result": None,
    }  # fmt: skip
    if visit.is_fragment:
        return visit.render("board.html", **place(arena), **pair)
    return visit.render("play.html", **frame(visit, arena), **pair)


async def show_result(visit: Visit, arena: Arena, user: str, own: Likelihood) -> Response:
    """Show the end of a game: to a script the part of the page that changes, or else the whole page."""
    shown: dict[str, Any] = {"result": await find_result(visit, arena, user, own), "duel": None}
    if visit.is_fragment:
        return visit.render("result.html", **place(arena), **shown)
    return visit.render("play.html", **frame(visit, arena), **shown)


async def find_result(visit: Visit, arena: Arena, user: str, own: Likelihood) -> Result:
    """Return a person's favourite; in an arena for everyone that person's own, for all may not have voted yet."""
    others = ""
    if own.places and arena.settings.audience == "user":
        others = await visit.service.reads.run(compared, arena, user, own.places[0].item)
    return result(own, visit.cards(arena), others, over=is_over(own, arena))


async def returning(visit: Visit) -> tuple[Arena, Result]:
    """Return the arena and the result of a visitor who has played there."""
    arena = await open_arena(visit)
    caller = await returning_visitor(visit, arena.name)
    if caller is None:
        raise UnknownUserError("You have not played here yet: choose a few times first.")
    turn = await visit.service.reads.run(visit.service.database.turn, arena.name, str(caller.user))
    return arena, await find_result(visit, arena, str(caller.user), turn.own)


async def favourite(visit: Visit) -> Response:
    """Show what a visitor's game has shown so far; whoever has not played yet may begin."""
    try:
        arena, result = await returning(visit)
    except UnknownUserError:
        return RedirectResponse(play_path(visit.request.path_params["name"]), 303, headers(visit.config))
    return visit.render("favourite.html", result=result, **place(arena))


async def picture(visit: Visit) -> Response:
    """Return the result as a picture, which the page's script turns into a PNG file to share."""
    arena, result = await returning(visit)
    if not result.lines:
        raise WinnerstaysError("There is no picture yet: choose a few times first.")
    svg = templates().get_template("result.svg").render(arena=arena.name, result=result)
    return Response(svg, media_type="image/svg+xml", headers=headers(visit.config))


async def open_arena(visit: Visit) -> Arena:
    """Return the arena of the path, if whoever visits may play there."""
    arena = await visit.arena()
    check_playable(visit, arena)
    return arena


def check_playable(visit: Visit, arena: Arena) -> None:
    """Refuse whoever may not play in the arena."""
    if not (arena.settings.public or visit.may("read")):
        raise UnknownArenaError.of(arena.name)  # strangers do not learn that it exists


def place(arena: Arena) -> dict[str, Any]:
    """Return where a page is, for its template."""
    return {
        "arena": arena.name, "play": play_path(arena.name), "mine": arena.settings.audience == "user",
        "question": arena.settings.question or QUESTION, "closed": arena.settings.closed,
    }  # fmt: skip


def frame(visit: Visit, arena: Arena) -> dict[str, Any]:
    """Return what the template of the page needs around a pair."""
    return {
        **place(arena), "description": describe(arena), "address": visit.link_to_play(arena.name),
        "with_robots": arena.settings.audience == "user" and visit.may("admin"), "with_sushi": knows_sushi(arena),
    }  # fmt: skip


def describe(arena: Arena) -> str:
    """Return the sentence that a link to the page is previewed with."""
    titles = [item.title for item in arena.items if not item.retired]
    some = ", ".join(title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1]}…" for title in titles[:3])
    whose = "your" if arena.settings.audience == "user" else "everybody's"
    more = f" and {len(titles) - 3} more" if len(titles) > 3 else ""
    return f"{some}{more}: choose the better of two at a time, and find {whose} favourite."


PAGES = [
    Page("/play/{name}", {"GET": show, "POST": play}),
    Page("/play/{name}/favourite", {"GET": favourite}),
    Page("/play/{name}/favourite.svg", {"GET": picture}),
]
