"""API keys of a service: random, shown once, stored as a hash, each with the scopes and arenas it is for.

Nothing here signs anything: a copy of the database opens no door (`key_ring`).
"""

import hashlib
import json
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from winnerstays.arena import Arenas
from winnerstays.arena.stores import statements
from winnerstays.arena.stores.base import Store
from winnerstays.arena.stores.rows import KeyRow
from winnerstays.arena.text import check_text
from winnerstays.errors import WinnerstaysError, unknown

SCOPES = {
    "serve": "ask for duels and answer them, give tokens to visitors",
    "read": "look at arenas, standings, events and metrics",
    "admin": "everything, also creating arenas and erasing users",
}
PREFIX = "ws_"
VISITORS = "visitors"
"""The name of the generation of visitor tokens in the table of secrets: replacing it ends all tokens."""


@dataclass(frozen=True)
class ApiKey:
    """Everything that is stored of a key but its hash."""

    id: str
    name: str
    scopes: frozenset[str]
    rate: float | None
    """Asks, answers and other requests per second; None if not limited."""
    created_at: float
    revoked_at: float | None = None
    arenas: frozenset[str] | None = None
    """The names of the only arenas it is for; None if it is for all."""

    def may(self, scope: str) -> bool:
        """Whether the key may be used for what needs this scope."""
        return scope in self.scopes or "admin" in self.scopes


class Credentials(NamedTuple):
    """What a service needs to know whoever comes; none of it is secret."""

    keys: dict[str, ApiKey]
    """By the `digest` of their secrets."""
    generation: str
    """Of visitor tokens: those of another one are not valid."""
    ended: frozenset[str] = frozenset()
    """The ids of sessions that were ended before their time."""


class ApiKeys:
    """The API keys of a database, and which tokens and sessions were ended."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def of(cls, arenas: Arenas) -> "ApiKeys":
        """Return the keys of the database that holds these arenas."""
        return cls(arenas.database.store)

    def create(
        self,
        scopes: Iterable[str],
        name: str = "",
        rate: float | None = None,
        arenas: Iterable[str] | None = None,
    ) -> tuple[str, ApiKey]:
        """Make a key; return its secret, which is stored nowhere, and what is stored of it."""
        wanted = frozenset(scopes)
        if not wanted:
            raise WinnerstaysError(f"A key needs at least one scope of {', '.join(SCOPES)}.")
        for scope in wanted - SCOPES.keys():
            raise unknown("scope", scope, SCOPES)
        if rate is not None and not 0 < rate < 1e9:
            raise WinnerstaysError(f"The rate is {rate!r}, but it must be a number of requests per second above 0.")
        if name:
            check_text("The name of a key", name)
        bound = None if arenas is None else frozenset(check_text("The name of an arena", arena) for arena in arenas)
        secret = PREFIX + secrets.token_urlsafe(32)
        key = ApiKey(secrets.token_hex(4), name, wanted, rate, time.time(), None, bound)
        self._store.run(lambda transaction: statements.add_key(transaction, _row(key, digest(secret))))
        return secret, key

    def list(self) -> "list[ApiKey]":
        """Return all keys ever made, revoked ones included, by age."""
        with self._store.snapshot() as snapshot:
            return [_key(row) for row in statements.keys(snapshot)]

    def credentials(self) -> Credentials:
        """Return all keys ever made, and which tokens and sessions are still valid."""
        with self._store.snapshot() as snapshot:
            keys = {row.hash: _key(row) for row in statements.keys(snapshot)}
            generation = statements.find_secret(snapshot, VISITORS) or b""
            return Credentials(keys, generation.hex(), statements.ended_sessions(snapshot))

    def revoke(self, id_: str) -> None:
        """Make a key useless, and the visitor tokens given out with it; a running service notices within a second."""
        if not self._store.run(lambda transaction: statements.revoke_key(transaction, id_, time.time())):
            raise unknown("key in use", id_, [key.id for key in self.list() if key.revoked_at is None])

    def revoke_visitors(self) -> None:
        """Make every visitor token that was ever given out useless; a running service notices within a second."""
        new = secrets.token_bytes(8)
        self._store.run(lambda transaction: statements.replace_secret(transaction, VISITORS, new, time.time()))

    def end_session(self, id_: str, expires_at: float) -> None:
        """Make a session useless that somebody signed out of, until its time is over anyway."""
        self._store.run(lambda transaction: statements.end_session(transaction, id_, expires_at, time.time()))


def digest(secret: str) -> str:
    """Return what is stored of a secret: it has 256 random bits, so a plain hash cannot be turned back."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _row(key: ApiKey, hash_: str) -> KeyRow:
    scopes, arenas = ",".join(sorted(key.scopes)), None if key.arenas is None else json.dumps(sorted(key.arenas))
    return KeyRow(hash_, key.id, key.name, scopes, key.rate, key.created_at, key.revoked_at, arenas)


def _key(row: KeyRow) -> ApiKey:
    arenas = None if row.arenas is None else frozenset(json.loads(row.arenas))
    return ApiKey(row.id, row.name, frozenset(row.scopes.split(",")), row.rate, row.created_at, row.revoked_at, arenas)
