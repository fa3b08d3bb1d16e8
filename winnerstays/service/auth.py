"""Who may come in: the API keys, their scopes and their rates."""

import asyncio
import time
from collections.abc import Callable, Mapping

from starlette.concurrency import run_in_threadpool

from winnerstays.arena.keys import ApiKey, digest
from winnerstays.service.config import LOOPBACK, Config
from winnerstays.service.errors import RequestError


class Authenticator:
    """Decides who may come in: by the API keys of the database, their scopes and their rates.

    Keys are read again when they are older than `config.key_seconds`.
    """

    def __init__(self, read_keys: Callable[[], Mapping[str, ApiKey]], config: Config) -> None:
        self._read_keys = read_keys
        self._config = config
        self._keys: Mapping[str, ApiKey] = {}
        self._read_at = float("-inf")
        self._reading: asyncio.Future[None] | None = None
        self._limiter = RateLimiter(1 / config.workers)

    @property
    def stale(self) -> bool:
        return time.monotonic() - self._read_at > self._config.key_seconds

    @property
    def keyless(self) -> bool:
        """Whether everybody on this machine may come in: on loopback, as long as there never was a key."""
        return not self._keys and self._config.loopback

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
        if self.keyless:
            check_host(headers)
            return
        key = self._authenticate(headers)
        if not key.may(scope):
            raise RequestError("scope", f"This needs a key with the scope {scope!r}, which key {key.id} has not.")
        if seconds := self._limiter.seconds_to_wait(key):
            said = f"Key {key.id} may make {key.rate:g} requests per second."
            raise RequestError("rate", said, {"Retry-After": str(max(1, round(seconds)))})

    def _authenticate(self, headers: Mapping[bytes, bytes]) -> ApiKey:
        """Return the key that came with the request, if it exists and is not revoked."""
        scheme, _, secret = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        key = self._keys.get(digest(secret.strip())) if scheme.lower() == "bearer" else None
        if key is None or key.revoked_at is not None:
            said = "The key is not valid" if secret else "A key is needed"
            challenge = {"WWW-Authenticate": "Bearer"}
            raise RequestError("no-key", f"{said}; send one as `Authorization: Bearer ws_...`.", challenge)
        return key


class RateLimiter:
    """A token bucket for each key that holds one second's worth; each worker process grants its share."""

    def __init__(self, share: float = 1.0) -> None:
        self._share = share
        self._buckets: dict[str, tuple[float, float]] = {}

    def seconds_to_wait(self, key: ApiKey, now: float | None = None) -> float:
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


def check_host(headers: Mapping[bytes, bytes]) -> None:
    """Keep out a web page that pretends to be this machine (DNS rebinding), where no key is needed."""
    host = headers.get(b"host", b"").decode("latin-1")
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    if name not in LOOPBACK:
        raise RequestError("host", f"Without keys the service answers as localhost, not as {host!r}.")
