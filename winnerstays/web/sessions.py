"""Signing in with a key: a form, a signed cookie that ends, signing out."""

from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from winnerstays.service.auth import Caller
from winnerstays.service.errors import STATUSES, RequestError
from winnerstays.service.keys import ApiKeys
from winnerstays.web.pages import SESSION_COOKIE, Page, Visit, headers

SECONDS = 12 * 3600.0
TRIES_PER_SECOND = 1.0
"""Of signing in, from one address."""


async def show(visit: Visit) -> Response:
    """Show the form; the link that `winnerstays poll` prints has filled in the key."""
    given = visit.request.query_params
    return visit.render("sign_in.html", error="", to=_target(given.get("to", "")), key=given.get("key", ""))


async def sign_in(visit: Visit) -> Response:
    """Take a key that may look, and give a session for it."""
    form = await visit.form()
    to = _target(form.get("to", ""))
    auth = visit.service.auth
    try:
        visit.charge_address("attempts to sign in", TRIES_PER_SECOND)
        secret = form.get("key", "").strip().encode("latin-1", "replace")
        caller: Caller = auth.authorize({b"authorization": b"Bearer " + secret}, "read")
        if not caller.key:
            raise RequestError("no-key", "A visitor token is no key.")
    except RequestError as error:
        words = "This key is not valid." if error.code == "no-key" else str(error)
        return visit.render("sign_in.html", STATUSES[error.code], error=words, to=to, key="")
    response = RedirectResponse(to, 303, headers(visit.config))
    response.set_cookie(
        SESSION_COOKIE, auth.issue_session(caller.key, SECONDS), max_age=int(SECONDS), httponly=True, samesite="strict",
        secure=visit.request.url.scheme == "https",
    )  # fmt: skip
    return response


async def sign_out(visit: Visit) -> Response:
    """End the session, on the service and in this browser."""
    session = visit.session
    if session is not None:
        await visit.service.changes.run(ApiKeys.of(visit.arenas).end_session, session.id, session.expires_at)
        await visit.service.auth.refresh()
    response = RedirectResponse("/", 303, headers(visit.config))
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="strict")
    return response


def _target(path: str) -> str:
    """Return where to go after signing in: a page of ours."""
    ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return quote(path, safe="/%?=&+") if ours else "/arenas"


PAGES = [
    Page("/sign-in", {"GET": show, "POST": sign_in}),
    Page("/sign-out", {"POST": sign_out}),
]
