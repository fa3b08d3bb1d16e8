"""A route: what FastAPI documents from a signature, read and answered without its machinery, which costs more than
an answer does.

An endpoint takes `service`, its path parameters, and a model named `body` or `query`; it returns a Response. What it
raises as a WinnerstaysError becomes a problem document. A route has a scope, or is open to all.
"""

import asyncio
import inspect
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from fastapi import Security
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from winnerstays.arena import Arenas
from winnerstays.errors import WinnerstaysError
from winnerstays.service import errors as problems
from winnerstays.service import metrics
from winnerstays.service.auth import SCOPES, Keyring
from winnerstays.service.config import LOOPBACK, Config
from winnerstays.service.errors import Problem, RequestError
from winnerstays.service.request_queue import Line

log = logging.getLogger("winnerstays.service")
Headers = dict[bytes, bytes]
Endpoint = Callable[..., Awaitable[Response]]
_bearer = {scope: Security(HTTPBearer(description="An API key.", auto_error=False), scopes=[scope]) for scope in SCOPES}
_MEANINGS = {
    400: "The body is not JSON.",
    401: "A key is needed, or the key is not valid.",
    403: "The key lacks the scope, or the duel was served to another user.",
    404: "There is no such thing.",
    409: "It contradicts what is there.",
    410: "The duel had expired.",
    413: "The body is too large.",
    415: "The body must be application/json.",
    422: "The request cannot be understood.",
    429: "The key is used too often.",
    503: "The database cannot be used now; nothing that was acknowledged is lost.",
}


@dataclass
class Service:
    """What the endpoints work with."""

    config: Config
    arenas: Arenas
    line: Line
    door: "Door"
    probe: "asyncio.Future[Any] | None" = field(default=None)
    """The look at the database that is under way, if any."""


class Route(APIRoute):
    """One method on one path."""

    def __init__(
        self,
        method: str,
        path: str,
        endpoint: Endpoint,
        *,
        scope: str | None,
        problems: tuple[int, ...] = (),
        **documentation: Any,
    ) -> None:
        parameters = inspect.signature(endpoint).parameters
        self.scope = scope
        self.body: type[BaseModel] | None = parameters["body"].annotation if "body" in parameters else None
        self.query: type[BaseModel] | None = (
            get_args(parameters["query"].annotation)[0] if "query" in parameters else None
        )
        statuses = {*problems, *((401, 403, 429, 503) if scope else ()), *((400, 413, 415, 422) if self.body else ())}
        if self.query or "{" in path:
            statuses.add(422)
        super().__init__(
            path,
            endpoint,
            methods=[method],
            dependencies=[_bearer[scope]] if scope else [],
            operation_id=endpoint.__name__,
            summary=inspect.getdoc(endpoint),
            description=f"Scope: {scope}." if scope else "Open to all.",
            responses=_documented(documentation.pop("responses"), statuses),
            **documentation,
        )
        self.method = method
        self.app = self.answer

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As Starlette does it, without looking up what is not used here."""
        if scope["type"] != "http":
            return Match.NONE, {}
        match = self.path_regex.match(scope["path"])
        if match is None:
            return Match.NONE, {}
        found = Match.FULL if scope["method"] == self.method else Match.PARTIAL
        return found, {"endpoint": self.endpoint, "path_params": match.groupdict(), "route": self}

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        start = time.perf_counter()
        if scope["method"] != self.method:
            raise HTTPException(405, headers={"Allow": self.method})
        try:
            response = await self._respond(scope, receive)
        except WinnerstaysError as error:
            response = problems.respond_to(error)
        except ClientDisconnect:
            return
        except asyncio.CancelledError:  # it waited too long after SIGTERM
            response = problems.respond(503, "store", "The service is being stopped; ask or tell again later.")
        except Exception:
            log.exception("%s %s failed", self.method, self.path)
            response = problems.respond(500, "defect", "The service has a defect; its log says more.")
        await response(scope, receive, send)
        metrics.count_request(self.method, self.path_format, response.status_code, time.perf_counter() - start)

    async def _respond(self, scope: Scope, receive: Receive) -> Response:
        service: Service = scope["app"].state.service
        headers: Headers = dict(scope["headers"])
        if self.scope is not None:
            if service.door.keys.stale:
                await service.door.read_keys()
            service.door.admit(headers, self.scope)
        arguments: dict[str, Any] = scope["path_params"]
        if self.body is not None:
            content = await _content(headers, receive, service.config.most_bytes)
            arguments["body"] = _parsed(self.body.model_validate_json, content)
        elif self.query is not None:
            arguments["query"] = _parsed(self.query.model_validate, dict(QueryParams(scope["query_string"])))
        return await self.endpoint(service, **arguments)  # type: ignore[no-any-return]


class Door:
    """Who may come in."""

    def __init__(self, config: Config, keys: Keyring) -> None:
        self._config = config
        self.keys = keys
        self._reading: asyncio.Future[None] | None = None

    async def read_keys(self) -> None:
        """Read the keys again, once for all requests that wait for it."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.ensure_future(run_in_threadpool(self.keys.refresh))
        await asyncio.shield(self._reading)

    def admit(self, headers: Headers, scope: str) -> None:
        """Refuse a request without a key of that scope; on loopback none is needed as long as there never was one."""
        if self.keys.empty and self._config.loopback:
            _check_host(headers)
            return
        kind, _, secret = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        key = self.keys.find(secret.strip()) if kind.lower() == "bearer" else None
        if key is None:
            said = "The key is not valid" if secret else "A key is needed"
            raise RequestError(
                401, "no-key", f"{said}; send one as `Authorization: Bearer ws_...`.", {"WWW-Authenticate": "Bearer"}
            )
        if not key.may(scope):
            raise RequestError(403, "scope", f"This needs a key with the scope {scope!r}, which key {key.id} has not.")
        wait = self.keys.seconds_to_wait(key)
        if wait:
            again = {"Retry-After": str(max(1, round(wait)))}
            raise RequestError(429, "rate", f"Key {key.id} may make {key.rate:g} requests a second.", again)


def _check_host(headers: Headers) -> None:
    """Without keys, a web page that pretends to be this machine (DNS rebinding) must be kept out."""
    host = headers.get(b"host", b"").decode("latin-1")
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    if name not in LOOPBACK:
        raise RequestError(403, "host", f"Without keys the service answers as localhost, not as {host!r}.")


async def _content(headers: Headers, receive: Receive, most: int) -> bytes:
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower().decode("latin-1")
    if kind != "application/json":
        raise RequestError(415, "content-type", f"The body must be application/json, not {kind or 'nothing'!r}.")
    length = headers.get(b"content-length", b"")
    size, parts = int(length) if length.isdigit() else 0, []
    more = True
    while more and size <= most:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        more = message.get("more_body", False)
        parts.append(message.get("body", b""))
        size = max(size, sum(map(len, parts)))
    if size > most:
        raise RequestError(413, "too-large", f"The body must not have more than {most} bytes.", {"Connection": "close"})
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _parsed(parse: Callable[[Any], BaseModel], value: Any) -> BaseModel:
    try:
        return parse(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "json_invalid":
            raise RequestError(400, "not-json", f"The body is not JSON: {first['ctx']['error']}.") from None
        if first["type"] == "value_error":
            raise RequestError(422, "invalid", str(first["ctx"]["error"])) from None
        where = ".".join(map(str, first["loc"])) or "The request"
        shown = repr(first["input"])
        shown = shown if len(shown) <= 80 else f"{shown[:80]}..."
        raise RequestError(422, "invalid", f"{where}: {first['msg']}, but it is {shown}.") from None


def _documented(responses: Mapping[int, dict[str, Any]], statuses: set[int]) -> dict[int | str, dict[str, Any]]:
    found: dict[int | str, dict[str, Any]] = {}
    found.update(responses.items())
    for status in sorted(statuses):
        model = found.get(status, {}).get("model", Problem)
        reference = {"$ref": f"#/components/schemas/{model.__name__}"}
        found[status] = {
            "description": _MEANINGS[status], "content": {problems.MEDIA_TYPE: {"schema": reference}},
        }  # fmt: skip
    return found
