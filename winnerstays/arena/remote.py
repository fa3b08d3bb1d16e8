"""The same arenas, in a service somewhere else: what `Arena.open("http://...")` returns."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

import httpx

from winnerstays.arena import (
    Arena,
    Arenas,
    Ask,
    Bias,
    Duel,
    Erased,
    Event,
    Item,
    Receipt,
    Rival,
    Settings,
    Standing,
    StoreError,
    Tell,
)
from winnerstays.arena.stores.base import Store
from winnerstays.errors import WinnerstaysError
from winnerstays.service import errors as problems
from winnerstays.service.schemas import MAX_BATCH

TIMEOUT_SECONDS = 30.0
MOST_CONNECTIONS = 64
_SAFE_TWICE = ("GET", "PUT")
"""Methods that may be tried again when a connection breaks: an answer is accepted once, however often it is sent."""


class RemoteArenas(Arenas):
    """All arenas of a service."""

    def __init__(self, address: str, key: str | None = None) -> None:
        self.address = address.rstrip("/")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        limits = httpx.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=MOST_CONNECTIONS)
        try:
            self._http = httpx.Client(
                base_url=self.address, headers=headers, timeout=TIMEOUT_SECONDS, limits=limits, trust_env=False
            )
        except (httpx.InvalidURL, UnicodeEncodeError) as error:
            raise WinnerstaysError(f"{address!r} is not an address, or the key is no key: {error}.") from None

    @property
    def store(self) -> Store:  # type: ignore[override]
        raise WinnerstaysError(f"{self.address} is a service, not a database; do this where its database is.")

    def close(self) -> None:
        self._http.close()

    def names(self) -> list[str]:
        return [one["name"] for one in self.fetch("GET", "/v1/arenas")["arenas"]]

    def create(self, name: str, items: Iterable[str | Item | Mapping[str, Any]], **rules: Any) -> "RemoteArena":
        if isinstance(items, str | Mapping):
            raise WinnerstaysError(f"items must be a list of items, not {items!r}.")
        sent = [asdict(item) if isinstance(item, Item) else item for item in items]
        found = self.fetch("POST", "/v1/arenas", {"name": name, "items": sent, **rules})
        return RemoteArena(self, Settings.of(found))

    def get(self, name: str) -> "RemoteArena":
        return RemoteArena(self, Settings.of(self.fetch("GET", f"/v1/arenas/{path_of(name)}")))

    def perform(self, works: Sequence[Ask | Tell]) -> list[Duel | Receipt | WinnerstaysError]:
        """One request for a single work; more go together, a thousand in a transaction."""
        if len(works) == 1:
            return [self._perform_one(works[0])]
        results: list[Duel | Receipt | WinnerstaysError] = []
        for start in range(0, len(works), MAX_BATCH):
            sent = {"works": list(map(_work, works[start : start + MAX_BATCH]))}
            results += map(_result, self.fetch("POST", "/v1/batch", sent)["results"])
        return results

    def _perform_one(self, work: Ask | Tell) -> Duel | Receipt | WinnerstaysError:
        try:
            if isinstance(work, Ask):
                return Duel(**self.fetch("POST", f"/v1/arenas/{path_of(work.arena)}/duels", {"user": work.user}))
            sent = _work(work)["tell"]
            return Receipt(**self.fetch("PUT", f"/v1/duels/{path_of(sent.pop('duel'))}/outcome", sent))
        except _RefusedError as refused:
            return refused.receipt
        except WinnerstaysError as error:
            if isinstance(work, Tell):
                raise
            return error

    def events(self, arena: str | None = None, *, after: int = 0) -> Iterator[Event]:
        path = "/v1/events" if arena is None else f"/v1/arenas/{path_of(arena)}/events"
        with self._reachable(), self._http.stream("GET", path, params={"after": after}) as response:
            if response.is_error:
                response.read()
                raise _error(response)
            for line in response.iter_lines():
                yield Event(**json.loads(line))

    def fetch(self, method: str, path: str, body: Any = None, params: dict[str, Any] | None = None) -> Any:
        """What a route answers; its problem as the error that the library raises."""
        query = {name: value for name, value in (params or {}).items() if value is not None}
        try:
            content = None if body is None else json.dumps(body).encode()
        except (TypeError, ValueError) as error:
            raise WinnerstaysError(f"{body!r} cannot be sent: {error}.") from None
        headers = {} if content is None else {"Content-Type": "application/json"}
        with self._reachable():
            request = self._http.build_request(method, path, content=content, params=query, headers=headers)
            try:
                response = self._http.send(request)
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
                if method not in _SAFE_TWICE:
                    raise
                response = self._http.send(request)
        if response.is_error:
            raise _error(response)
        return response.json()

    def _reachable(self) -> "_Reachable":
        return _Reachable(self.address)


class _Reachable:
    """Errors of the connection as sentences."""

    def __init__(self, address: str) -> None:
        self._address = address

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, httpx.HTTPError | httpx.InvalidURL):
            said = str(error) or type(error).__name__
            raise StoreError(f"The service at {self._address} cannot be reached: {said}.") from error


class _RefusedError(WinnerstaysError):
    """An answer that was refused, with its receipt."""

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
    return problems.error_of(document)


def path_of(name: object) -> str:
    """A name as part of a path, whatever it holds."""
    return quote(str(name), safe="", errors="surrogatepass").replace(".", "%2E")


def _work(work: Ask | Tell) -> dict[str, Any]:
    if isinstance(work, Ask):
        return {"ask": {"arena": work.arena, "user": work.user}}
    return {"tell": {**asdict(work.answer), "arena": work.arena}}


def _result(result: dict[str, Any]) -> Duel | Receipt | WinnerstaysError:
    if "duel" in result:
        return Duel(**result["duel"])
    if "receipt" in result:
        return Receipt(**result["receipt"])
    return problems.error_of(result["problem"])


class RemoteArena(Arena):
    """An arena of a service; asking and telling are as in `Arena`."""

    arenas: RemoteArenas

    def __init__(self, arenas: RemoteArenas, settings: Settings) -> None:
        self.arenas = arenas
        self._settings = settings
        self._path = f"/v1/arenas/{path_of(settings.name)}"

    @property
    def settings(self) -> Settings:
        return self._settings

    def best(self, user: str | None = None) -> str:
        return str(self.arenas.fetch("GET", f"{self._path}/best", params={"user": user})["favourite"])

    def standing(self, user: str | None = None, *, p: float | None = None, level: float = 0.95) -> Standing:
        found = self.arenas.fetch("GET", f"{self._path}/standing", params={"user": user, "p": p, "level": level})
        return Standing(**{**found, "rivals": tuple(Rival(**rival) for rival in found["rivals"])})

    def bias(self) -> Bias:
        return Bias(**self.arenas.fetch("GET", f"{self._path}/bias"))

    def erase(self, user: str) -> Erased:
        return Erased(**self.arenas.fetch("DELETE", f"{self._path}/users/{path_of(user)}"))
