"""The first page: what this is, and where to go."""

from dataclasses import dataclass

from starlette.responses import Response

from winnerstays.web.items import Card
from winnerstays.web.pages import Page, Visit, play_path

WAYS = (
    ("/new", "Make one", "Paste a list, get a link and a QR code to share."),
    ("/arenas", "Arenas", "See what was learned, live."),
    ("/lab", "Lab", "Compare algorithms on any problem."),
    ("/docs", "Docs", "Use it from your own program or page."),
)
"""Where to go from here: path, label, a few words."""


@dataclass(frozen=True)
class Shown:
    """An arena on the first page, with two of its cards."""

    name: str
    play: str
    left: Card
    right: Card


async def docs(visit: Visit) -> Response:
    """Show the API: every request of the service with a form that sends it."""
    return visit.render("docs.html", base=str(visit.request.base_url).rstrip("/"))


async def home(visit: Visit) -> Response:
    """Show what this is, with a way to play: the first arena that whoever visits may see."""
    return visit.render("home.html", ways=WAYS, arena=await visit.service.reads.run(first_arena, visit))


def first_arena(visit: Visit) -> Shown | None:
    for arena in visit.arenas:
        if arena.settings.pairs == "learner" and (arena.settings.public or visit.may("read")):
            cards = visit.cards(arena)
            first, second = arena.items[:2]
            return Shown(arena.name, play_path(arena.name), cards(first.id), cards(second.id))
    return None


PAGES = [Page("/", {"GET": home}), Page("/docs", {"GET": docs})]
