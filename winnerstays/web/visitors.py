"""Visitors: each has a random name in a signed cookie, so that nobody can answer another's duel.

The cookie holds a visitor token for one arena: what a page of another site gets from `POST /v1/arenas/{name}/visitors`.
"""

import secrets
import time
from functools import partial

from starlette.responses import Response

from winnerstays.arena import UnknownArenaError
from winnerstays.arena.records import ALL, Permit
from winnerstays.service.auth import Caller
from winnerstays.service.tokens import TokenError, Visitor
from winnerstays.web.pages import Visit, play_path

COOKIE = "visitor"
LAST_COOKIE, LEFT_COOKIE, ON_COOKIE = "last", "left", "on"
"""The visitor's latest duel that can be taken back (the arena checks whose it is, and that it is the latest); about how
many duels were left; whether the visitor goes on after the end."""
SECONDS = 400 * 86400.0
"""The longest that browsers keep a cookie."""
NEW_PER_SECOND = 5.0
"""The most visitors per second that may come from one address."""


async def returning_visitor(visit: Visit, arena: str) -> Caller | None:
    """Return whoever visits, if the cookie is one of ours and for this arena; counts it as one of their operations."""
    cookie = visit.request.cookies.get(COOKIE, "")
    auth = visit.service.auth
    try:
        caller = auth.check_token(cookie)
        await _remembered_id(visit, arena, caller.permit)
    except (TokenError, UnknownArenaError):
        return None
    auth.charge(caller, 1)
    return caller


async def welcome(visit: Visit, arena: str) -> Caller:
    """Return a new visitor with a random name."""
    visit.charge_address("new visitors", NEW_PER_SECOND)
    name = f"visitor-{secrets.token_hex(8)}"
    permit = Permit(id=await _remembered_id(visit, arena, ALL))
    return Caller(f"the visitor {name!r}", frozenset(), None, permit, name)


async def _remembered_id(visit: Visit, arena: str, permit: Permit) -> int:
    return await visit.service.reads.run(partial(visit.service.database.permitted, arena, permit, remembered=True))


def remember(visit: Visit, response: Response, arena: str, caller: Caller) -> None:
    """Put the visitor's token into a cookie that no script can read, for this arena.

    A stranger's is good for as long as the arena is public, that of somebody who signed in for as long as their key.
    """
    assert caller.permit.id is not None and caller.user is not None
    key = visit.caller.key if visit.caller is not None else ""
    token = visit.service.auth.issue(Visitor(caller.permit.id, caller.user, time.time() + SECONDS, key))
    _keep(visit, response, arena, COOKIE, token)


def kept(visit: Visit, cookie: str) -> str:
    """Return what one of our cookies holds; empty if it is not there."""
    return visit.request.cookies.get(cookie, "")


def keep(visit: Visit, response: Response, arena: str, cookie: str, value: str) -> None:
    """Keep a value for this arena over a reload of the page; forget the former one if it is empty."""
    if value:
        _keep(visit, response, arena, cookie, value)
    else:
        response.delete_cookie(cookie, path=play_path(arena), httponly=True, samesite="lax")


def _keep(visit: Visit, response: Response, arena: str, cookie: str, value: str) -> None:
    response.set_cookie(
        cookie, value, max_age=int(SECONDS), path=play_path(arena), httponly=True, samesite="lax",
        secure=visit.request.url.scheme == "https",
    )  # fmt: skip
