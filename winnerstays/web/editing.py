"""What whoever runs an arena may change about it, and about an item of it."""

from urllib.parse import quote, unquote

from starlette.responses import RedirectResponse, Response

from winnerstays.arena import Arena, Item
from winnerstays.arena.items import EDITABLE
from winnerstays.errors import WinnerstaysError
from winnerstays.service.errors import STATUSES
from winnerstays.web.pages import Page, Visit, arena_path, headers


async def show(visit: Visit) -> Response:
    """Show the item that the address names."""
    arena = await visit.arena()
    item = find(arena, visit.request.query_params.get("id", ""))
    return _page(visit, arena, item, {name: getattr(item, name) for name in EDITABLE})


async def change(visit: Visit) -> Response:
    """Change what is shown of an item; what is wrong with that stands above the form."""
    arena = await visit.arena()
    form = await visit.form()
    item = find(arena, unquote(form.get("id", "")))  # percent-encoded: browsers would change the line ends in it
    given = {name: form.get(name, "").replace("\r\n", "\n").strip() for name in EDITABLE}
    new = {name: value for name, value in given.items() if value != getattr(item, name)}
    try:
        if new:
            await visit.service.changes.run(lambda: arena.edit(item.id, **new))
    except WinnerstaysError as error:
        status = STATUSES[error.code]
        if status >= 500:
            raise
        return _page(visit, arena, item, given, status, str(error))
    return RedirectResponse(f"{arena_path(arena.name)}#items", 303, headers(visit.config))


def find(arena: Arena, id_: str) -> Item:
    chosen = next((item for item in arena.items if item.id == id_), None)
    if chosen is None:
        raise WinnerstaysError(f"The arena {arena.name!r} has no item {id_!r}.")
    return chosen


def item_path(arena: str, id_: str) -> str:
    return f"{arena_path(arena)}/item?id={quote(id_, safe='')}"


def _page(
    visit: Visit, arena: Arena, item: Item, values: dict[str, str], status: int = 200, error: str = ""
) -> Response:
    shown = visit.cards(arena)(item.id)
    return visit.render("item.html", status, arena=arena, item=item, card=shown, values=values, error=error)


async def change_arena(visit: Visit) -> Response:
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


PAGES = [
    Page("/arenas/{name}/item", {"GET": show, "POST": change}, scope="admin"),
    Page("/arenas/{name}/settings", {"POST": change_arena}, scope="admin"),
]
