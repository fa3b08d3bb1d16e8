"""Visitors: each has a random name in a signed cookie, so that nobody can answer another's duel."""

import hashlib
import hmac
import secrets

from starlette.responses import Response

from winnerstays.web.pages import Visit

COOKIE = "visitor"
SECONDS = 400 * 86400
"""The longest that browsers keep a cookie."""
_SECRET = secrets.token_bytes(32)


def visitor(visit: Visit) -> str | None:
    """Return the name of whoever visits, if the cookie is one of ours."""
    name, _, signature = visit.request.cookies.get(COOKIE, "").partition(".")
    return name if hmac.compare_digest(signature, _sign(name)) else None


def new_visitor() -> str:
    return f"visitor-{secrets.token_hex(8)}"


def remember(visit: Visit, response: Response, name: str) -> None:
    """Put the name into the visitor's cookie, which no script can read."""
    secure = visit.request.url.scheme == "https"
    cookie = f"{name}.{_sign(name)}"
    response.set_cookie(COOKIE, cookie, max_age=SECONDS, httponly=True, samesite="lax", secure=secure)


def _sign(name: str) -> str:
    return hmac.new(_SECRET, name.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
