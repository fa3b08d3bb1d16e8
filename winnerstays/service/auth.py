"""API keys: random, shown once, stored as a hash, each with the scopes it may use."""

import hashlib
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass

from winnerstays.arena.settings import check_text
from winnerstays.arena.stores.base import Row, Store
from winnerstays.errors import WinnerstaysError, unknown

SCOPES = {
    "serve": "ask for duels and answer them",
    "read": "look at arenas, standings, events and metrics",
    "admin": "everything, also creating arenas and erasing users",
}
PREFIX = "ws_"
SECONDS_TRUSTED = 1.0
"""A key that is revoked or made works so much longer or later, at most."""
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


def digest(secret: str) -> str:
    """What is stored of a key: it has 256 random bits, so a plain hash cannot be turned back."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _key(row: Row) -> Key:
    id_, name, scopes, rate, created_at, revoked_at = row
    return Key(id_, name, frozenset(scopes.split(",")), rate, created_at, revoked_at)


class Keyring:
    """The keys of a database, as they were at most a second ago, and how fast each is used."""

    def __init__(self, store: Store, workers: int = 1) -> None:
        self._store = store
        self._workers = workers
        self._keys: dict[str, Key] = {}
        self._read_at = float("-inf")
        self._allowed: dict[str, tuple[float, float]] = {}
        self.empty = True
        """There never was a key."""

    @property
    def stale(self) -> bool:
        return time.monotonic() - self._read_at > SECONDS_TRUSTED

    def refresh(self) -> None:
        """Read the keys again; blocks."""
        rows = self._store.run(lambda transaction: transaction.rows(f"SELECT hash, {_COLUMNS} FROM api_keys"))
        self._keys = {row[0]: _key(row[1:]) for row in rows}
        self.empty = not rows
        self._read_at = time.monotonic()

    def find(self, secret: str) -> Key | None:
        """The key, if it exists and is not revoked."""
        key = self._keys.get(digest(secret))
        return key if key is not None and key.revoked_at is None else None

    def seconds_to_wait(self, key: Key, now: float | None = None) -> float:
        """0 if the key may be used now, which is then counted; a token bucket that holds one second's worth.

        Each worker process counts for itself and grants its share.
        """
        if key.rate is None:
            return 0.0
        now = time.monotonic() if now is None else now
        rate = key.rate / self._workers
        room = max(1.0, rate)
        left, at = self._allowed.get(key.id, (room, now))
        left = min(room, left + (now - at) * rate)
        if left < 1.0:
            return (1.0 - left) / rate
        self._allowed[key.id] = (left - 1.0, now)
        return 0.0
