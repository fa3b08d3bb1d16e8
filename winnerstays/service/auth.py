"""API keys: random, shown once, stored as a hash, each with the scopes it may use."""

import asyncio
import hashlib
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from winnerstays.arena.settings import check_text
from winnerstays.arena.stores.base import Row, Store
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.service.config import LOOPBACK, Config
from winnerstays.service.errors import RequestError

SCOPES = {
    "serve": "ask for duels and answer them",
    "read": "look at arenas, standings, events and metrics",
    "admin": "everything, also creating arenas and erasing users",
}
PREFIX = "ws_"
_COLUMNS = "id, name, scopes, rate, created_at, revoked_at"


@dataclass(frozen=True)
class Key:
    """What is known of a key; the key itself is not."""

    id: str
    name: str
    scopes: frozenset[str]
    rate: float | None
    """Requests a second, if limited."""
    created_at: float
    revoked_at: float | None = None

    def may(self, scope: str) -> bool:
        return scope in self.scopes or "admin" in self.scopes


def create(store: Store, scopes: Iterable[str], name: str = "", rate: float | None = None) -> tuple[str, Key]:
    """A new key (the text to hand out, and what is kept of it)."""
    wanted = frozenset(scopes)
    if not wanted:
        raise WinnerstaysError(f"A key needs at least one scope of {', '.join(SCOPES)}.")
    for scope in wanted - SCOPES.keys():
        raise unknown("scope", scope, SCOPES)
    if rate is not None and not 0 < rate < 1e9:
        raise WinnerstaysError(f"The rate is {rate!r}, but it must be a number of requests a second above 0.")
    if name:
        check_text("The name of a key", name)
    secret = PREFIX + secrets.token_urlsafe(32)
    key = Key(secrets.token_hex(4), name, wanted, rate, time.time())
    insert = "INSERT INTO api_keys (id, name, hash, scopes, rate, created_at) VALUES (?, ?, ?, ?, ?, ?)"
    values = (key.id, name, digest(secret), ",".join(sorted(wanted)), rate, key.created_at)
    store.run(lambda transaction: transaction.change(insert, *values))
    return secret, key


def all_keys(store: Store) -> list[Key]:
    """All keys ever made, the revoked ones included."""
    rows = store.run(lambda transaction: transaction.rows(f"SELECT {_COLUMNS} FROM api_keys ORDER BY created_at"))
    return [_key(row) for row in rows]


def revoke(store: Store, id_: str) -> None:
    """From now on (within a second in a running service) the key opens nothing."""
    update = "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL"
    if not store.run(lambda transaction: transaction.change(update, time.time(), id_)):
        raise unknown("key in use", id_, [key.id for key in all_keys(store) if key.revoked_at is None])


def by_hash(store: Store) -> dict[str, Key]:
    """All keys ever made, by the hash of what is handed out."""
    rows = store.run(lambda transaction: transaction.rows(f"SELECT hash, {_COLUMNS} FROM api_keys"))
    return {row[0]: _key(row[1:]) for row in rows}


def digest(secret: str) -> str:
    """What is stored of a key: it has 256 random bits, so a plain hash cannot be turned back."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _key(row: Row) -> Key:
    id_, name, scopes, rate, created_at, revoked_at = row
    return Key(id_, name, frozenset(scopes.split(",")), rate, created_at, revoked_at)


class Authenticator:
    """Decides who may come in: by the API keys of the database, their scopes and their rates.

    Keys are read again when they are older than `config.key_seconds`.
    """

    def __init__(self, read_keys: Callable[[], Mapping[str, Key]], config: Config) -> None:
        self._read_keys = read_keys
        self._config = config
        self._keys: Mapping[str, Key] = {}
        self._read_at = float("-inf")
        self._reading: asyncio.Future[None] | None = None
        self._limiter = RateLimiter(1 / config.workers)

    @property
    def stale(self) -> bool:
        return time.monotonic() - self._read_at > self._config.key_seconds

    async def refresh(self) -> None:
        """Read the keys again, once for all requests that wait for it."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.ensure_future(run_in_threadpool(self._read))
        await asyncio.shield(self._reading)

    def _read(self) -> None:
        self._keys = self._read_keys()
        self._read_at = time.monotonic()

    def authorize(self, headers: Mapping[bytes, bytes], scope: str) -> None:
        """Refuse a request without a key of that scope; on loopback none is needed as long as there never was one."""
        if not self._keys and self._config.loopback:
            _check_host(headers)
            return
        key = self._authenticate(headers)
        if not key.may(scope):
            raise RequestError(403, "scope", f"This needs a key with the scope {scope!r}, which key {key.id} has not.")
        if seconds := self._limiter.seconds_to_wait(key):
            said = f"Key {key.id} may make {key.rate:g} requests a second."
            raise RequestError(429, "rate", said, {"Retry-After": str(max(1, round(seconds)))})

    def _authenticate(self, headers: Mapping[bytes, bytes]) -> Key:
        """Return the key that came with the request, if it exists and is not revoked."""
        scheme, _, secret = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        key = self._keys.get(digest(secret.strip())) if scheme.lower() == "bearer" else None
        if key is None or key.revoked_at is not None:
            said = "The key is not valid" if secret else "A key is needed"
            challenge = {"WWW-Authenticate": "Bearer"}
            raise RequestError(401, "no-key", f"{said}; send one as `Authorization: Bearer ws_...`.", challenge)
        return key


class RateLimiter:
    """A token bucket for each key that holds one second's worth; each worker process grants its share."""

    def __init__(self, share: float = 1.0) -> None:
        self._share = share
        self._buckets: dict[str, tuple[float, float]] = {}

    def seconds_to_wait(self, key: Key, now: float | None = None) -> float:
        """Return 0 and count the use if the key may be used now, or else the seconds until it may."""
        if key.rate is None:
            return 0.0
        now = time.monotonic() if now is None else now
        rate = key.rate * self._share
        capacity = max(1.0, rate)
        tokens, at = self._buckets.get(key.id, (capacity, now))
        tokens = min(capacity, tokens + (now - at) * rate)
        if tokens < 1.0:
            return (1.0 - tokens) / rate
        self._buckets[key.id] = (tokens - 1.0, now)
        return 0.0


def _check_host(headers: Mapping[bytes, bytes]) -> None:
    """Keep out a web page that pretends to be this machine (DNS rebinding), where no key is needed."""
    host = headers.get(b"host", b"").decode("latin-1")
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    if name not in LOOPBACK:
        raise RequestError(403, "host", f"Without keys the service answers as localhost, not as {host!r}.")
