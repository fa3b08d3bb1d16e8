"""Endpoints as data, and how a request reaches one: method, key, body or query, answer, metrics.

An `Endpoint` declares one method on one path. Its handler takes the service, the caller, the parameters of the path,
and a model named `body` or `query`; it returns a response, and a WinnerstaysError that it raises becomes a problem
document.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, compile_path
from starlette.types import Receive, Scope, Send

from winnerstays.arena.settings import first_error
from winnerstays.errors import WinnerstaysError
from winnerstays.service import errors, metrics
from winnerstays.service.auth import ANYBODY
from winnerstays.service.errors import Problem, RequestError
from winnerstays.service.limits import MAX_DIGITS
from winnerstays.service.runtime import Service

Headers = dict[bytes, bytes]
Handler = Callable[..., Awaitable[Response]]
LARGE_BODY = 100_000
"""A body of more bytes is checked in a thread."""


@dataclass(frozen=True)
class Success:
    """A response that is no problem document: the type of its content, its media type, its headers."""

    type: Any
    description: str = "Successful Response"
    media_type: str = "application/json"
    headers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Endpoint:
    """One method on one path; `scope` is what a key must allow, or None if no key is needed."""

    method: str
    path: str
    handler: Handler
    scope: str | None
    successes: Mapping[int, Success]
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    visitors: bool = False
    """Visitors may use it with their tokens."""
    all_arenas: bool = False
    """It shows something of all arenas: keys that are for some only may not use it."""
    problems: Mapping[int, type[Problem]] = field(default_factory=dict)
    """Statuses of problem documents, besides those that every key, body or parameter may cause."""

    @cached_property
    def path_format(self) -> str:
        """The path as documents and metrics show it, without convertors."""
        return compile_path(self.path)[1]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        try:
            with metrics.waiting():
                response = await self._respond(scope, receive)
        except WinnerstaysError as error:
            response = self._refuse(error, scope)
        except ClientDisconnect:
            return
        except asyncio.CancelledError:  # it waited too long after SIGTERM
            response = self._refuse(RequestError("store", "The service is being stopped; try again later."), scope)
        except Exception:
            response = self._refuse(RequestError("defect", "The service has a defect; its log says more."), scope)
        if scope["method"] == "HEAD" and isinstance(response, StreamingResponse):
            response = Response(None, response.status_code, media_type=response.media_type)  # reads no log for nobody
        await response(scope, receive, send)
        metrics.count_request(self.method, self.path_format, response.status_code, time.perf_counter() - start)

    def _refuse(self, error: WinnerstaysError, scope: Scope) -> Response:
        id_ = errors.request_id(dict(scope["headers"]))
        return errors.respond_to(error, f"{self.method} {self.path_format}", id_)

    async def _respond(self, scope: Scope, receive: Receive) -> Response:
        service: Service = scope["app"].state.service
        headers: Headers = dict(scope["headers"])
        arguments: dict[str, Any] = scope["path_params"]
        caller = ANYBODY
        if self.scope is not None:
            if service.auth.stale:
                await service.auth.refresh()
            caller = service.auth.authorize(headers, self.scope, visitors=self.visitors)
            if self.all_arenas:
                caller.check_all_arenas()
            if "name" in arguments:
                caller.check_arena(arguments["name"])
        if self.body is not None:
            content = await _read_json(headers, receive, caller.max_body(service.config.max_body))
            arguments["body"] = await _validate_body(self.body, content)
        elif self.query is not None:
            arguments["query"] = _validate(self.query.model_validate, dict(QueryParams(scope["query_string"])))
        return await self.handler(service, caller, **arguments)


class Resource:
    """One path as an ASGI application: each of its methods is an endpoint. HEAD is GET; the server sends no body."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self._by_method = {endpoint.method: endpoint for endpoint in endpoints}
        if "GET" in self._by_method:
            self._by_method["HEAD"] = self._by_method["GET"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = self._by_method.get(scope["method"])
        if endpoint is None:
            raise HTTPException(405, headers={"Allow": ", ".join(self._by_method)})
        await endpoint(scope, receive, send)


def routes(endpoints: Iterable[Endpoint]) -> list[Route]:
    """Return a Starlette route for each path, in the order in which the paths come first."""
    by_path: dict[str, list[Endpoint]] = {}
    for endpoint in endpoints:
        by_path.setdefault(endpoint.path, []).append(endpoint)
    return [Route(path, Resource(found)) for path, found in by_path.items()]


async def _read_json(headers: Headers, receive: Receive, max_bytes: int) -> bytes:
    """Return the body, which must be called JSON and have this many bytes at most."""
    media_type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower().decode("latin-1")
    if media_type != "application/json":
        raise RequestError("content-type", f"The body must be application/json, not {media_type or 'nothing'!r}.")
    length = headers.get(b"content-length", b"")
    if length and not (length.isdigit() and len(length) <= MAX_DIGITS):
        raise RequestError("bad-request", f"Content-Length is {length[:40].decode('latin-1')!r}, but must be a number.")
    size, received, parts = int(length or 0), 0, []
    more = True
    while more and size <= max_bytes:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        more = message.get("more_body", False)
        parts.append(message.get("body", b""))
        received += len(parts[-1])
        size = max(size, received)
    if size > max_bytes:
        too_large = f"The body must not have more than {max_bytes} bytes."
        raise RequestError("too-large", too_large, {"Connection": "close"})
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def _validate_body(model: type[BaseModel], content: bytes) -> BaseModel:
    """Return a body as its model; a large one is checked in a thread, while others are served."""
    if len(content) > LARGE_BODY:
        return await asyncio.to_thread(_validate, model.model_validate_json, content)
    return _validate(model.model_validate_json, content)


def _validate(validate: Callable[[Any], BaseModel], value: Any) -> BaseModel:
    try:
        return validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "json_invalid":
            raise RequestError("not-json", f"The body is not JSON: {first['ctx']['error']}.") from None
        raise RequestError("invalid", str(first_error(error))) from None
