"""API keys of a service: random, shown once, stored as a hash, each with the scopes it may use."""

import hashlib
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from winnerstays.arena.stores import statements
from winnerstays.arena.stores.base import Store
from winnerstays.arena.text import check_text
from winnerstays.errors import WinnerstaysError, unknown

SCOPES = {
    "serve": "ask for duels and answer them",
    "read": "look at arenas, standings, events and metrics",
    "admin": "everything, also creating arenas and erasing users",
}
PREFIX = "ws_"


@dataclass(frozen=True)
class ApiKey:
    """Everything that is stored of a key but its hash."""

    id: str
    name: str
    scopes: frozenset[str]
    rate: float | None
    """Requests per second; None if not limited."""
    created_at: float
    revoked_at: float | None = None

    def may(self, scope: str) -> bool:
        """Whether the key may be used for what needs this scope."""
        return scope in self.scopes or "admin" in self.scopes


class ApiKeys:
    """The API keys of a database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(self, scopes: Iterable[str], name: str = "", rate: float | None = None) -> tuple[str, ApiKey]:
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
        secret = PREFIX + secrets.token_urlsafe(32)
        key = ApiKey(secrets.token_hex(4), name, wanted, rate, time.time())
        scopes_text = ",".join(sorted(wanted))
        self._store.run(
            lambda transaction: statements.add_key(
                transaction, key.id, name, digest(secret), scopes_text, rate, key.created_at
            )
        )
        return secret, key

    def list(self) -> "list[ApiKey]":
        """Return all keys ever made, revoked ones included, by age."""
        return [_key(row) for _, *row in self._store.run(statements.keys)]

    def by_hash(self) -> dict[str, ApiKey]:
        """Return all keys ever made, by the `digest` of their secrets."""
        return {hash_: _key(row) for hash_, *row in self._store.run(statements.keys)}

    def revoke(self, id_: str) -> None:
        """Make a key useless; a running service notices within a second."""
        if not self._store.run(lambda transaction: statements.revoke_key(transaction, id_, time.time())):
            raise unknown("key in use", id_, [key.id for key in self.list() if key.revoked_at is None])


def digest(secret: str) -> str:
    """Return what is stored of a secret: it has 256 random bits, so a plain hash cannot be turned back."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _key(row: Iterable[Any]) -> ApiKey:
    id_, name, scopes, rate, created_at, revoked_at = row
    return ApiKey(id_, name, frozenset(scopes.split(",")), rate, created_at, revoked_at)
