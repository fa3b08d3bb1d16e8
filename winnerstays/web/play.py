"""The play page: two items, one choice, and what was learned from all choices so far."""

from dataclasses import asdict
from typing import Any

from starlette.responses import Response

from winnerstays.arena import Answer, Arena, Ask, Duel, Item, Receipt, UnknownArenaError, UnknownUserError
from winnerstays.arena.records import UNDO
from winnerstays.errors import WinnerstaysError
from winnerstays.service import metrics
from winnerstays.service.errors import RequestError, refusal
from winnerstays.web import learning_picture
from winnerstays.web.items import card
from winnerstays.web.pages import Page, Visit, play_path
from winnerstays.web.robots import knows_sushi
from winnerstays.web.visitors import last_duel, remember, remember_last_duel, returning_visitor, welcome

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
    return visit.render("play.html", duel=None, **frame(visit, arena))


async def play(visit: Visit) -> Response:
    """Give a visitor a pair, or take the answer to one and give the next."""
    arena = visit.remembered_arena() or await visit.arena()
    check_playable(visit, arena)
    form = await visit.form()
    return await (first_pair(visit, arena) if "ask" in form else answer(visit, arena, form))


async def first_pair(visit: Visit, arena: Arena) -> Response:
    """Give the pair that is open, or a new one; whoever has no cookie of ours becomes a visitor."""
    caller = await welcome(visit, arena.name)
    (duel,) = await visit.service.requests.execute([caller.ask(Ask(arena.name))])
    response = await show_pair(visit, arena, caller.user, duel, undo=last_duel(visit))
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
    receipt, duel = await visit.service.requests.execute([caller.answer(given), caller.ask(Ask(arena.name))])
    if isinstance(receipt, WinnerstaysError):
        raise receipt
    assert isinstance(receipt, Receipt)
    metrics.count_answer(receipt.status)
    if not receipt.accepted and receipt.status not in NOTICES and given.outcome != UNDO:
        raise refusal(receipt)
    undo = given.duel if given.outcome != UNDO and receipt.accepted and arena.settings.audience == "user" else ""
    notice = TOO_LATE_TO_UNDO if given.outcome == UNDO and not receipt.accepted else NOTICES.get(receipt.status, "")
    response = await show_pair(visit, arena, caller.user, duel, notice, undo)
    remember_last_duel(visit, response, arena.name, undo)
    return response


async def show_pair(
    visit: Visit, arena: Arena, user: str | None, duel: object, notice: str = "", undo: str = ""
) -> Response:
    """Show a pair: as the part of the page that changes, to a script; or else as the whole page.

    `undo` is the duel whose answer can be taken back.
    """
    if isinstance(duel, WinnerstaysError):
        raise duel
    assert isinstance(duel, Duel)
    metrics.count_duels(1)
    standing = await visit.service.reads.run(arena.standing, user)
    arena = visit.remembered_arena() or arena  # as it was when the pair was made, with all its items
    check_playable(visit, arena)
    cards = visit.cards(arena)
    left, right = (
        card(Item(id=id_, **asdict(shown)), visit.config.pictures) if shown else cards(id_)
        for id_, shown in ((duel.left, duel.left_item), (duel.right, duel.right_item))
    )
    pair: dict[str, Any] = {
        "duel": duel, "left": left, "right": right, "standing": standing,
        "picture": learning_picture.draw(standing, cards, duel), "notice": notice, "undo": undo,
    }  # fmt: skip
    if visit.is_fragment:
        return visit.render("board.html", **place(arena), **pair)
    return visit.render("play.html", **frame(visit, arena), **pair)


async def favourite(visit: Visit) -> Response:
    """Show the favourite, large."""
    arena = await open_arena(visit)
    caller = await returning_visitor(visit, arena.name)
    if caller is None:
        raise UnknownUserError("You have not played here yet: choose a few times first.")
    standing = await visit.service.reads.run(arena.standing, caller.user)
    picture = learning_picture.draw(standing, visit.cards(arena))
    return visit.render("favourite.html", standing=standing, picture=picture, **place(arena))


async def open_arena(visit: Visit) -> Arena:
    """Return the arena of the path, if whoever visits may play there."""
    arena = await visit.arena()
    check_playable(visit, arena)
    return arena


def check_playable(visit: Visit, arena: Arena) -> None:
    """Refuse whoever may not play in the arena."""
    if not (arena.settings.public or visit.may("read")):
        raise UnknownArenaError.of(arena.name)  # strangers do not learn that it exists
    if arena.settings.pairs != "learner":
        raise RequestError("invalid", f"The pairs of {arena.name!r} are chosen by a program; it cannot be played here.")


def place(arena: Arena) -> dict[str, Any]:
    """Return where a page is, for its template."""
    return {"arena": arena.name, "play": play_path(arena.name), "mine": arena.settings.audience == "user"}


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
]
