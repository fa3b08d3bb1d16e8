"""Make an arena: items as lines or a table, whom it is for; then a link to share, also as a QR code."""

import re
import shlex
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import segno
from markupsafe import Markup
from starlette.responses import RedirectResponse, Response

from winnerstays.arena import Arena, DifferentArenaError, Item
from winnerstays.errors import WinnerstaysError
from winnerstays.service.config import LOOPBACK
from winnerstays.service.errors import STATUSES
from winnerstays.web import sushi
from winnerstays.web.forms import read_items
from winnerstays.web.items import card
from winnerstays.web.pages import Page, Visit, arena_path, headers

NEW_PER_SECOND = 1.0
"""The most arenas per second from one address."""


async def show(visit: Visit) -> Response:
    """Show the empty form."""
    return visit.render("new.html", form={}, error="", ask="")


async def create(visit: Visit) -> Response:
    """Make the arena and show its link; what is wrong with the form stands above it."""
    form = await visit.form()
    try:
        visit.check_all_arenas()
        if form.get("name", "").strip() and form.get("items", "").strip() and "pictures" not in form:
            foreign = origins(read_items(form["items"]), visit.config.pictures)
            if foreign:  # a question makes no arena, so it is not charged
                raise AskForOriginsError(foreign)
        visit.charge_address("new arenas", NEW_PER_SECOND)
        arena = await visit.service.changes.run(_create, visit, form)
    except AskForOriginsError as question:
        visit.pictures = (*visit.pictures, *question.origins)
        some = [card(item, visit.pictures) for item in read_items(form["items"]) if item.picture][:3]
        return visit.render("new.html", form=form, error="", ask=str(question), preview=some)
    except WinnerstaysError as error:
        return visit.render("new.html", STATUSES[error.code], form=form, error=str(error), ask="")
    return RedirectResponse(f"{arena_path(arena.name)}/share", 303, headers(visit.config))


def _create(visit: Visit, form: dict[str, str]) -> Arena:
    if form.get("ready") == "sushi":
        return sushi.ready_arena(visit.arenas)
    typed = form.get("name", "").strip()
    name = re.sub(r"[^\w.]+", "-", typed).strip("-") or typed  # a link without percent signs
    if not name:
        raise WinnerstaysError("The arena has no name yet; give it one.")
    if name in visit.arenas.names():
        raise DifferentArenaError(f"There is an arena {name!r} already; use another name.")
    items = read_items(form.get("items", ""))
    foreign = origins(items, visit.config.pictures)
    settings: dict[str, Any] = {
        "audience": form.get("audience", "user"), "public": form.get("public") == "yes",
        "question": form.get("question", "").strip(), "pictures": foreign if form.get("pictures") == "yes" else (),
    }  # fmt: skip
    return visit.arenas.create(name, items, **settings)


class AskForOriginsError(WinnerstaysError):
    """The items have pictures of other hosts; whoever makes the arena decides whether browsers may load them."""

    def __init__(self, origins: tuple[str, ...]) -> None:
        super().__init__(f"The pictures are at {', '.join(origins)}. May the page load them from there?")
        self.origins = origins


def origins(items: Iterable[Item], allowed: Iterable[str]) -> tuple[str, ...]:
    """Return the origins of pictures that are neither this service's nor allowed already."""
    addresses = (urlsplit(item.picture) for item in items if item.picture.lower().startswith(("https://", "http://")))
    return tuple(sorted({f"{address.scheme}://{address.netloc}" for address in addresses} - set(allowed)))


async def share(visit: Visit) -> Response:
    """Show the link to the arena's play page, also as a QR code, and say who cannot play by it."""
    arena = await visit.arena()
    link = visit.link_to_play(arena.name)
    code = segno.make(link, error="m").svg_inline(border=2, lineclass="code", svgclass="qr", omitsize=True)
    local = visit.request.url.hostname in LOOPBACK
    values: dict[str, Any] = {
        "local": local,
        "keyless": visit.service.auth.keyless,
        "shell_name": shlex.quote(arena.name),
    }
    return visit.render("share.html", arena=arena, link=link, code=Markup(code), **values)


PAGES = [
    Page("/new", {"GET": show, "POST": create}, scope="admin"),
    Page("/arenas/{name}/share", {"GET": share}, scope="read"),
]
