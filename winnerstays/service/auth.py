"""Which API keys may be used, and how fast."""

import time

from winnerstays.arena.keys import SCOPES, ApiKey, ApiKeys, digest

SECONDS_TRUSTED = 1.0
"""A key that is revoked or made works so much longer or later, at most."""


class Keyring:
    """The keys of a database, as they were at most a second ago, and how fast each is used."""

    def __init__(self, keys: ApiKeys, workers: int = 1) -> None:
        self._stored = keys
        self._workers = workers
        self._keys: dict[str, ApiKey] = {}
        self._read_at = float("-inf")
        self._allowed: dict[str, tuple[float, float]] = {}
        self.empty = True
        """There never was a key."""

    @property
    def stale(self) -> bool:
        return time.monotonic() - self._read_at > SECONDS_TRUSTED

    def refresh(self) -> None:
        """Read the keys again; blocks."""
        self._keys = self._stored.by_hash()
        self.empty = not self._keys
        self._read_at = time.monotonic()

    def find(self, secret: str) -> ApiKey | None:
        """The key, if it exists and is not revoked."""
        key = self._keys.get(digest(secret))
        return key if key is not None and key.revoked_at is None else None

    def seconds_to_wait(self, key: ApiKey, now: float | None = None) -> float:
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


__all__ = ["SCOPES", "SECONDS_TRUSTED", "Keyring"]
