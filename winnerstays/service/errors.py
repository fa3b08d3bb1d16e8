"""Errors as RFC 9457 problem documents."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json
from starlette.responses import Response

from winnerstays.arena import Receipt
from winnerstays.arena.errors import PROBLEM_PREFIX as PREFIX
from winnerstays.errors import WinnerstaysError

MEDIA_TYPE = "application/problem+json"


class Problem(BaseModel):
    """What went wrong: `detail` is a sentence that holds the bad value and says what would be right."""

    model_config = ConfigDict(extra="allow")
    type: str = Field(description="Names the kind of problem; stays the same from release to release.")
    title: str
    status: int
    detail: str


class RequestError(WinnerstaysError):
    """A problem of the request as such, with its status."""

    def __init__(self, status: int, kind: str, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.kind, self.headers = status, kind, headers


STATUSES = {
    "unknown-arena": 404, "unknown-duel": 404, "unknown-user": 404, "wrong-user": 403, "different-arena": 409,
    "store": 503, "invalid": 422,
}  # fmt: skip
REFUSALS = {
    "conflict": (409, "conflict"),
    "late": (410, "late"),
    "unknown": (404, "unknown-duel"),
    "wrong-user": (403, "wrong-user"),
    "invalid": (422, "invalid"),
}


def body(status: int, kind: str, detail: str, **members: Any) -> dict[str, Any]:
    title = kind.replace("-", " ")
    return {"type": PREFIX + kind, "title": title, "status": status, "detail": detail, **members}


def respond(status: int, kind: str, detail: str, headers: dict[str, str] | None = None, **members: Any) -> Response:
    content = to_json(body(status, kind, detail, **members))
    return Response(content, status, headers, MEDIA_TYPE)


def kind_of(error: WinnerstaysError) -> tuple[int, str]:
    return STATUSES[error.code], error.code


def respond_to(error: WinnerstaysError) -> Response:
    """The response that says what the error says."""
    if isinstance(error, RequestError):
        return respond(error.status, error.kind, str(error), error.headers)
    status, kind = kind_of(error)
    return respond(status, kind, str(error), {"Retry-After": "1"} if status == 503 else None)


def refuse(receipt: Receipt, **members: Any) -> Response:
    """The response to an answer that was not accepted."""
    status, kind = REFUSALS[receipt.status]
    return respond(status, kind, receipt.reason or "The answer was refused.", receipt=receipt, **members)
