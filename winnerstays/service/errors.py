"""Errors as RFC 9457 problem documents, each with the status of its code."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json
from starlette.responses import Response

from winnerstays.arena import (
    DifferentArenaError,
    Receipt,
    StoreError,
    UnknownArenaError,
    UnknownDuelError,
    UnknownUserError,
    WrongUserError,
)
from winnerstays.errors import WinnerstaysError

MEDIA_TYPE = "application/problem+json"
PREFIX = "urn:winnerstays:problem:"


class Problem(BaseModel):
    """What went wrong: `detail` is a sentence that holds the bad value and says what would be right."""

    model_config = ConfigDict(extra="allow")
    type: str = Field(description="Names the kind of problem; stays the same from release to release.")
    title: str
    status: int
    detail: str


class RequestError(WinnerstaysError):
    """A problem of the request as such, with its status."""

    def __init__(self, status: int, code: str, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.code, self.headers = status, code, headers


KINDS: dict[type[WinnerstaysError], tuple[int, str]] = {
    UnknownArenaError: (404, "unknown-arena"),
    UnknownDuelError: (404, "unknown-duel"),
    UnknownUserError: (404, "unknown-user"),
    WrongUserError: (403, "wrong-user"),
    DifferentArenaError: (409, "different-arena"),
    StoreError: (503, "store"),
    WinnerstaysError: (422, "invalid"),
}
REFUSALS = {
    "conflict": (409, "conflict"),
    "late": (410, "late"),
    "unknown": (404, "unknown-duel"),
    "wrong-user": (403, "wrong-user"),
    "invalid": (422, "invalid"),
}
_ERRORS = {kind: error for error, (_, kind) in KINDS.items()}


def document(status: int, code: str, detail: str, **members: Any) -> dict[str, Any]:
    """Return a problem document as a mapping."""
    return {"type": PREFIX + code, "title": code.replace("-", " "), "status": status, "detail": detail, **members}


def document_of(error: WinnerstaysError, **members: Any) -> dict[str, Any]:
    """Return the problem document that says what the error says."""
    return document(*kind_of(error), str(error), **members)


def respond(status: int, code: str, detail: str, headers: dict[str, str] | None = None, **members: Any) -> Response:
    """Return a problem document as a response."""
    return Response(to_json(document(status, code, detail, **members)), status, headers, MEDIA_TYPE)


def kind_of(error: WinnerstaysError) -> tuple[int, str]:
    return next(found for one, found in KINDS.items() if isinstance(error, one))


def respond_to(error: WinnerstaysError, **members: Any) -> Response:
    """Return the response that says what the error says."""
    if isinstance(error, RequestError):
        return respond(error.status, error.code, str(error), error.headers)
    status, code = kind_of(error)
    return respond(status, code, str(error), {"Retry-After": "1"} if status == 503 else None, **members)


def refuse(receipt: Receipt, **members: Any) -> Response:
    """Return the response to an answer that was not accepted."""
    status, code = REFUSALS[receipt.status]
    return respond(status, code, receipt.reason or "The answer was refused.", receipt=receipt, **members)


def error_of(document: dict[str, Any]) -> WinnerstaysError:
    """Return the error that a problem document stands for."""
    code = str(document.get("type", "")).removeprefix(PREFIX)
    detail = str(document.get("detail", document))
    return _ERRORS.get(code, WinnerstaysError)(detail)
