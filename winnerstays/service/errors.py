"""Errors as RFC 9457 problem documents: each error has a code, and each code a status."""

import logging
import re
import secrets
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json
from starlette.responses import Response

from winnerstays.arena import Receipt, StoreError
from winnerstays.arena.errors import PROBLEM_PREFIX, UnusableArenaError
from winnerstays.errors import WinnerstaysError

log = logging.getLogger("winnerstays.service")
REQUEST_ID = "X-Request-Id"
_ID = re.compile(rb"[A-Za-z0-9_.:-]{1,64}")
MEDIA_TYPE = "application/problem+json"
STATUSES = {
    "bad-request": 400, "not-json": 400,
    "no-key": 401,
    "host": 403, "scope": 403, "wrong-user": 403,
    "no-route": 404, "unknown-arena": 404, "unknown-duel": 404, "unknown-user": 404,
    "no-method": 405,
    "timeout": 408,
    "conflict": 409, "different-arena": 409,
    "late": 410,
    "too-large": 413,
    "url-too-long": 414,
    "content-type": 415,
    "invalid": 422,
    "rate": 429,
    "head-too-large": 431,
    "defect": 500,
    "busy": 503, "connections": 503, "store": 503,
}  # fmt: skip
"""The status of every code."""


class Problem(BaseModel):
    """What went wrong: `detail` is a sentence that holds the bad value and says what would be right."""

    model_config = ConfigDict(extra="allow")
    type: str = Field(description="Names the kind of problem; stays the same from release to release.")
    title: str
    status: int
    detail: str


class RequestError(WinnerstaysError):
    """A problem of the request as such, with its code."""

    def __init__(self, code: str, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.code, self.headers = code, headers


def document(code: str, detail: str, **members: Any) -> dict[str, Any]:
    """Return a problem document as a mapping."""
    title, status = code.replace("-", " "), STATUSES[code]
    return {"type": PROBLEM_PREFIX + code, "title": title, "status": status, "detail": detail, **members}


def respond(code: str, detail: str, headers: dict[str, str] | None = None, **members: Any) -> Response:
    """Return a problem document as a response."""
    return Response(to_json(document(code, detail, **members)), STATUSES[code], headers, MEDIA_TYPE)


def respond_to(error: WinnerstaysError, where: str = "", id_: str = "", **members: Any) -> Response:
    """Return the response that says what the error says; what is our own fault is logged, with where it happened."""
    headers = dict((error.headers if isinstance(error, RequestError) else None) or {})
    if error.code == "store":
        headers["Retry-After"] = "1"
    if STATUSES[error.code] >= 500:
        members["request_id"] = headers[REQUEST_ID] = report(error, where, id_)
    return respond(error.code, public(error), headers, **members)


def public(error: WinnerstaysError) -> str:
    """Return what everybody may read of an error: of one of the database not where it is, which the log says."""
    if isinstance(error, UnusableArenaError):
        return "This arena cannot be used; the log of the service says why. Other arenas can."
    if isinstance(error, StoreError):
        return "The database cannot be used now; try again. What was acknowledged is kept."
    return str(error)


def report(error: WinnerstaysError, where: str, id_: str = "") -> str:
    """Log an error that is our own fault, with the traceback of a defect; return the id of the request."""
    id_ = id_ or secrets.token_hex(8)
    status = STATUSES[error.code]
    extra = {"request_id": id_, "status": status, "code": error.code, "where": where}
    message = "request %s: %s got %d %s: %s"
    log.error(message, id_, where, status, error.code, error, extra=extra, exc_info=error.code == "defect")
    return id_


def request_id(headers: Mapping[bytes, bytes]) -> str:
    """Return the id that a proxy gave to a request, if it is fit for a log; else nothing.

    >>> request_id({b"x-request-id": b"7f3a-1"}), request_id({b"x-request-id": b"a b"}), request_id({})
    ('7f3a-1', '', '')
    """
    given = headers.get(b"x-request-id", b"")
    return given.decode() if _ID.fullmatch(given) else ""


def refuse(receipt: Receipt, **members: Any) -> Response:
    """Return the response to an answer that was not accepted; most statuses of receipts are codes."""
    error = refusal(receipt)
    return respond(error.code, str(error), error.headers, receipt=receipt, **members)


def refusal(receipt: Receipt) -> RequestError:
    """Return the error of an answer that was not accepted."""
    code = {"unknown": "unknown-duel", "busy": "rate"}.get(receipt.status, receipt.status)
    headers = {"Retry-After": "60"} if receipt.status == "busy" else None
    return RequestError(code, receipt.reason or "The answer was refused.", headers)
