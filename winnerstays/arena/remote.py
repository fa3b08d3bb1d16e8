"""Arenas of a running service, over HTTP."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic_core import to_json

from winnerstays.arena.errors import PROBLEM_PREFIX, StoreError, error_class
from winnerstays.arena.operations import Operation
from winnerstays.arena.records import MAX_REQUESTS, Ask, Duel, Event, Receipt, Request, Result, in_pages
from winnerstays.arena.settings import Settings
from winnerstays.errors import WinnerstaysError

T = TypeVar("T")
TIMEOUT_SECONDS = 30.0
MAX_CONNECTIONS = 64
_REPEATABLE = ("GET", "PUT")
"""Methods that may be tried again when a connection breaks: an answer is accepted once, however often it is sent."""


class RemoteBackend:
    """All arenas of a service."""

    def __init__(self, address: str, key: str | None = None) -> None:
        self.address = address.rstrip("/")
        self.key = key
        limits = httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_CONNECTIONS)
        self._options: dict[str, Any] = {
            "base_url": self.address, "headers": {"Authorization": f"Bearer {key}"} if key else {},
            "timeout": TIMEOUT_SECONDS, "limits": limits, "trust_env": False,
        }  # fmt: skip
        try:
            self._http = httpx.Client(**self._options)
        except (httpx.InvalidURL, UnicodeEncodeError) as error:
            raise WinnerstaysError(f"{address!r} is not an address, or the key is no key: {error}.") from None

    def close(self) -> None:
        self._http.close()

    def names(self) -> list[str]:
        return [arena["name"] for arena in self._fetch("GET", "/v1/arenas")["arenas"]]

    def create(self, settings: Settings) -> Settings:
        sent = settings.model_dump(mode="json", exclude_unset=True)
        return Settings(**self._fetch("POST", "/v1/arenas", sent))

    def call(self, operation: Operation[T], arena: str, /, **arguments: Any) -> T:
        """Send the arguments as the operation says: in its path, in the address, or as a document."""
        path = operation.path.replace(":path}", "}")
        for name in re.findall(r"{(\w+)}", path):
            path = path.replace(f"{{{name}}}", _quoted(arguments.pop(name)))
        in_body = operation.arguments is not None and operation.method != "GET"
        body, query = (arguments, None) if in_body else (None, arguments)
        return operation.read_reply(self._fetch(operation.method, _path(arena) + path, body, query))

    def execute(self, requests: Sequence[Request]) -> list[Result]:
        """Send a single request by its own route; more go together, a thousand in a transaction."""
        if len(requests) == 1:
            return [self._execute_one(requests[0])]
        results: list[Result] = []
        for start in range(0, len(requests), MAX_REQUESTS):
            sent = {"works": list(map(_batched, requests[start : start + MAX_REQUESTS]))}
            results += map(_result, self._fetch("POST", "/v1/batch", sent)["results"])
        return results

    def _execute_one(self, request: Request) -> Result:
        try:
            if isinstance(request, Ask):
                return Duel.of(self._fetch("POST", f"{_path(request.arena)}/duels", _given(request, "arena")))
            path = f"/v1/duels/{_quoted(request.duel)}/outcome"
            return Receipt(**self._fetch("PUT", path, _given(request, "duel")))
        except _RefusedError as refused:
            return refused.receipt
        except WinnerstaysError as error:
            if isinstance(request, Ask):
                return error
            raise

    def events(
        self, arena: str | None, after: int, user: str | None = None, limit: int | None = None
    ) -> Iterator[Event]:
        path = "/v1/events" if arena is None else f"{_path(arena)}/events"

        def fetch(after: int, size: int) -> list[Event]:
            response = self._respond("GET", path, params={"after": after, "limit": size, "user": user})
            return [Event(**json.loads(line)) for line in response.content.splitlines()]

        return in_pages(fetch, after, limit)

    def _fetch(self, method: str, path: str, body: Any = None, params: dict[str, Any] | None = None) -> Any:
        """Return the document that a route answers."""
        return self._respond(method, path, body, params).json()

    def _respond(
        self, method: str, path: str, body: Any = None, params: dict[str, Any] | None = None
    ) -> httpx.Response:
        """Return what a route answers; raise its problem document as the error of the library."""
        query = {name: _in_address(value) for name, value in (params or {}).items() if value is not None}
        try:
            content = None if body is None else to_json(body)
        except (TypeError, ValueError) as error:
            raise WinnerstaysError(f"{body!r} cannot be sent: {error}.") from None
        headers = {} if content is None else {"Content-Type": "application/json"}
        with self._reachable():
            request = self._http.build_request(method, path, content=content, params=query, headers=headers)
            try:
                response = self._http.send(request)
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
                if method not in _REPEATABLE:
                    raise
                response = self._http.send(request)
        if response.is_error:
            raise _error(response)
        return response

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        """Turn errors of the connection into sentences."""
        try:
            yield
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise StoreError(f"The service at {self.address} cannot be reached: {reason}.") from error


class _RefusedError(WinnerstaysError):
    """A refused answer, with its receipt."""

    def __init__(self, receipt: Receipt) -> None:
        super().__init__(receipt.reason)
        self.receipt = receipt


def _error(response: httpx.Response) -> WinnerstaysError:
    try:
        document = response.json()
    except ValueError:
        return StoreError(f"{response.url} answered {response.status_code}, but not as the service does.")
    if document.get("receipt"):
        return _RefusedError(Receipt(**document["receipt"]))
    return _problem(document)


def _problem(document: dict[str, Any]) -> WinnerstaysError:
    code = str(document.get("type", "")).removeprefix(PROBLEM_PREFIX)
    return error_class(code)(str(document.get("detail", document)))


def _quoted(name: object) -> str:
    """Return a name as a part of a path, whatever it holds."""
    return quote(str(name), safe="", errors="surrogatepass").replace(".", "%2E")


def _in_address(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _path(arena: object) -> str:
    return f"/v1/arenas/{_quoted(arena)}"


def _batched(request: Request) -> dict[str, Any]:
    return {"ask" if isinstance(request, Ask) else "tell": _given(request)}


def _given(request: Request, in_path: str = "") -> dict[str, Any]:
    """Return the fields of a request that are not as they are without being said, but for the one in the path."""
    return {
        field.name: value
        for field in fields(request)
        if (value := getattr(request, field.name)) != field.default and field.name != in_path
    }


def _result(result: dict[str, Any]) -> Result:
    """Return what a batch answers to one request."""
    if "duel" in result:
        return Duel.of(result["duel"])
    if "receipt" in result:
        return Receipt(**result["receipt"])
    return _problem(result["problem"])
