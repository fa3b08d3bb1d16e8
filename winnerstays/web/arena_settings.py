"""What whoever runs an arena may change about it: its name, and whether it is open."""

from starlette.responses import RedirectResponse, Response

from winnerstays.arena import Arena
from winnerstays.errors import WinnerstaysError
from winnerstays.web.pages import Page, Visit, arena_path, headers


async def change(visit: Visit) -> Response:
    """Make the change that the form names, and show the arena again."""
    arena = await visit.arena()
    form = await visit.form()
    await visit.service.changes.run(_change, arena, form)
    return RedirectResponse(arena_path(arena.name), 303, headers(visit.config))


def _change(arena: Arena, form: dict[str, str]) -> None:
    if "rename" in form:
        arena.change(name=form["rename"].strip())
    elif form.get("closed") in ("yes", "no"):
        arena.change(closed=form["closed"] == "yes")
    else:
        raise WinnerstaysError(f"An arena is renamed, closed or opened here; {', '.join(form)!r} is none of these.")


PAGES = [Page("/arenas/{name}/settings", {"POST": change}, scope="admin")]
