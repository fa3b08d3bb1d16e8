"""The first page: what this is, and where to go."""

from dataclasses import dataclass

from starlette.responses import Response

from winnerstays.arena import Arena
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
    for settings in visit.service.database.arenas():
        seen = visit.may("read") and visit.caller is not None and visit.caller.sees(settings.name)
        if not settings.closed and (settings.public or seen):
            cards = visit.cards(Arena(visit.arenas, settings))
            first, second = [item.id for item in settings.items if not item.retired][:2]
            return Shown(settings.name, play_path(settings.name), cards(first), cards(second))
    return None


PAGES = [Page("/", {"GET": home}), Page("/docs", {"GET": docs})]
