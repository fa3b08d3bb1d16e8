"""The play page: two items, one choice, and what was learned from all choices so far."""

from typing import Any

from starlette.responses import RedirectResponse, Response

from winnerstays.arena import Answer, Arena, Ask, Duel, Receipt, UnknownUserError
from winnerstays.arena.records import UNDO
from winnerstays.errors import WinnerstaysError
from winnerstays.service import metrics
from winnerstays.service.errors import RequestError
from winnerstays.web import learning_picture
from winnerstays.web.pages import Page, Visit, headers, play_path
from winnerstays.web.robots import knows_sushi
from winnerstays.web.visitors import last_duel, remember, remember_last_duel, returning_visitor, welcome

NOTICES = {
    "late": "That pair was too old to count. Here is a new one.",
    "conflict": "That pair was answered before. Here is the next one.",
}
TOO_LATE_TO_UNDO = "Only your latest answer can be taken back, and only once."


async def show(visit: Visit) -> Response:
    """Show the pair that is open, or a new one."""
    arena = await open_arena(visit)
    caller = welcome(visit, arena.name)
    (duel,) = await visit.service.requests.execute([caller.ask(Ask(arena.name))])
    values = await board(visit, arena, caller.user, duel, undo=last_duel(visit))
    with_robots = arena.settings.audience == "user" and visit.may("admin")
    response = visit.render("play.html", with_robots=with_robots, with_sushi=knows_sushi(arena), **values)
    remember(visit, response, arena.name, caller)
    return response


async def answer(visit: Visit) -> Response:
    """Answer the pair and show the next: as the part of the page that changes, or as the page again."""
    arena = await open_arena(visit)
    caller = returning_visitor(visit, arena.name)
    if caller is None:
        raise RequestError("wrong-user", "The browser did not say who answers; open the page again and play on.")
    form = await visit.form()
    if form.get("undo"):
        form = {"duel": form["undo"], "outcome": UNDO}
    given = Answer(form.get("duel", ""), form.get("winner"), form.get("outcome", "winner"), arena=arena.name)
    receipt, duel = await visit.service.requests.execute([caller.answer(given), caller.ask(Ask(arena.name))])
    if isinstance(receipt, WinnerstaysError):
        raise receipt
    assert isinstance(receipt, Receipt)
    metrics.count_answer(receipt.status)
    if not receipt.accepted and receipt.status not in NOTICES and given.outcome != UNDO:
        raise RequestError("unknown-duel" if receipt.status == "unknown" else receipt.status, str(receipt.reason))
    undo = given.duel if given.outcome != UNDO and receipt.accepted and arena.settings.audience == "user" else ""
    response: Response
    if visit.is_fragment:
        notice = TOO_LATE_TO_UNDO if given.outcome == UNDO and not receipt.accepted else NOTICES.get(receipt.status, "")
        response = visit.render("board.html", **await board(visit, arena, caller.user, duel, notice, undo))
    else:
        response = RedirectResponse(play_path(arena.name), 303, headers(visit.config))
    remember_last_duel(visit, response, arena.name, undo)
    return response


async def favourite(visit: Visit) -> Response:
    """Show the favourite, large."""
    arena = await open_arena(visit)
    caller = returning_visitor(visit, arena.name)
    if caller is None:
        raise UnknownUserError("You have not played here yet: choose a few times first.")
    standing = await visit.service.reads.run(arena.standing, caller.user)
    picture = learning_picture.draw(standing, visit.cards(arena))
    return visit.render("favourite.html", standing=standing, picture=picture, **place(arena))


async def open_arena(visit: Visit) -> Arena:
    """Return the arena of the path, if whoever visits may play there."""
    arena = await visit.arena()
    if not (arena.settings.public or visit.may("read")):
        raise RequestError("scope", f"The arena {arena.name!r} is not public.")
    if arena.settings.pairs != "learner":
        raise RequestError("invalid", f"The pairs of {arena.name!r} are chosen by a program; it cannot be played here.")
    return arena


def place(arena: Arena) -> dict[str, Any]:
    """Return where a page is, for its template."""
    return {"arena": arena.name, "play": play_path(arena.name), "mine": arena.settings.audience == "user"}


async def board(
    visit: Visit, arena: Arena, user: str | None, duel: object, notice: str = "", undo: str = ""
) -> dict[str, Any]:
    """Return everything that the template of a pair needs; `undo` is the duel whose answer can be taken back."""
    if isinstance(duel, WinnerstaysError):
        raise duel
    assert isinstance(duel, Duel)
    metrics.count_duels(1)
    standing = await visit.service.reads.run(arena.standing, user)
    cards = visit.cards(arena)
    return {
        **place(arena), "duel": duel, "left": cards(duel.left), "right": cards(duel.right), "standing": standing,
        "picture": learning_picture.draw(standing, cards, duel), "notice": notice, "undo": undo,
    }  # fmt: skip


PAGES = [
    Page("/play/{name}", {"GET": show, "POST": answer}),
    Page("/play/{name}/favourite", {"GET": favourite}),
]
