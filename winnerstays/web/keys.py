"""The API keys: make one, see what there is, revoke one."""

from typing import Any

from starlette.responses import RedirectResponse, Response

from winnerstays.errors import WinnerstaysError
from winnerstays.service.errors import STATUSES
from winnerstays.service.keys import SCOPES, ApiKeys
from winnerstays.web.pages import Page, Visit, headers


async def show(visit: Visit) -> Response:
    """List all keys."""
    return await _page(visit)


async def _page(visit: Visit, status: int = 200, **values: Any) -> Response:
    visit.check_all_arenas()
    keys = await visit.service.changes.run(ApiKeys.of(visit.arenas).list)
    shown = {"secret": "", "error": "", "keys": keys, "scopes": SCOPES, **values}
    return visit.render("keys.html", status, **shown)


async def create(visit: Visit) -> Response:
    """Make a key; its secret is shown once."""
    visit.check_all_arenas()
    form = await visit.form()
    scopes = [scope for scope in SCOPES if form.get(f"scope-{scope}")]
    try:
        secret, _ = await visit.service.changes.run(
            ApiKeys.of(visit.arenas).create, scopes, form.get("name", "").strip()
        )
    except WinnerstaysError as error:
        return await _page(visit, STATUSES[error.code], error=str(error))
    return await _page(visit, secret=secret)


async def revoke(visit: Visit) -> Response:
    """Make a key useless."""
    visit.check_all_arenas()
    id_: str = visit.request.path_params["id"]
    await visit.service.changes.run(ApiKeys.of(visit.arenas).revoke, id_)
    return RedirectResponse("/keys", 303, headers(visit.config))


PAGES = [
    Page("/keys", {"GET": show, "POST": create}, scope="admin"),
    Page("/keys/{id}/revoke", {"POST": revoke}, scope="admin"),
]
