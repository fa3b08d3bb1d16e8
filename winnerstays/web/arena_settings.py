"""What whoever runs an arena may change about it: its name, whether it is open, who may play, whether it exists."""

from starlette.responses import RedirectResponse, Response

from winnerstays.arena import Arena
from winnerstays.errors import WinnerstaysError
from winnerstays.web.pages import Page, Visit, arena_path, headers


async def change(visit: Visit) -> Response:
    """Make the change that the form names, and show the arena again, or the others if it was deleted."""
    arena = await visit.arena()
    form = await visit.form()
    if "delete" in form:
        if form["delete"] != arena.name:
            raise WinnerstaysError(f"Type the name {arena.name!r} to delete this arena; it cannot be brought back.")
        await visit.service.changes.run(visit.arenas.delete, arena.name)
        return RedirectResponse("/arenas", 303, headers(visit.config))
    await visit.service.changes.run(_change, arena, form)
    page = "/share" if form.get("to") == "share" else ""
    return RedirectResponse(f"{arena_path(arena.name)}{page}", 303, headers(visit.config))


def _change(arena: Arena, form: dict[str, str]) -> None:
    if "rename" in form:
        arena.change(name=form["rename"].strip())
    elif form.get("closed") in ("yes", "no"):
        arena.change(closed=form["closed"] == "yes")
    elif form.get("public") in ("yes", "no"):
        arena.change(public=form["public"] == "yes")
    else:
        known = "An arena is renamed, closed, opened, made public or private, or deleted here"
        raise WinnerstaysError(f"{known}; {', '.join(form)!r} is none of these.")


PAGES = [Page("/arenas/{name}/settings", {"POST": change}, scope="admin")]
