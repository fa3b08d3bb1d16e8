"""What whoever runs arenas sees."""

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from winnerstays.arena import Arena
from winnerstays.web.pages import Page, Visit


async def show_list(visit: Visit) -> Response:
    """List the arenas that exist for whoever signed in."""
    return visit.render("arenas.html", arenas=await run_in_threadpool(_seen, visit))


def _seen(visit: Visit) -> list[Arena]:
    assert visit.caller is not None
    return [visit.arenas.get(name) for name in visit.arenas.names() if visit.caller.sees(name)]


PAGES = [Page("/arenas", {"GET": show_list}, scope="read")]
