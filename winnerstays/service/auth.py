"""Who may come in: keys with their scopes and arenas, visitors with their tokens, and how much each may do."""

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from secrets import token_hex

from winnerstays.arena import Answer, Ask, UnknownArenaError
from winnerstays.arena.records import ALL, Permit
from winnerstays.service import key_ring, tokens
from winnerstays.service.config import LOOPBACK, Config
from winnerstays.service.errors import RequestError
from winnerstays.service.keys import ApiKey, Credentials, digest
from winnerstays.service.rates import RateLimiter
from winnerstays.service.tokens import Session, TokenError, TokenSigner, Visitor
from winnerstays.wording import counted

VISITOR_BODY = 65_536
"""Of a visitor a body has this many bytes at most: anybody can become one, and checking a large body takes time."""


@dataclass(frozen=True)
class Caller:
    """Whoever sends a request: a key, a visitor with a token, or anybody on this machine while there are no keys."""

    name: str
    """As sentences say it, and as its use is counted."""
    scopes: frozenset[str]
    rate: float | None = None
    """Works (asks, answers, other requests) per second; None if not limited."""
    permit: Permit = ALL
    """The arenas that exist for the caller. A visitor's is checked where the arena is read."""
    user: str | None = None
    """The only user for whom a visitor may ask and answer."""
    group: str | None = None
    """The group of a visitor, if the token says one."""
    key: str = ""
    """The id of the key, if it is one."""

    def max_body(self, bytes_: int) -> int:
        """Return how many bytes a body of the caller may have, where others may send this many."""
        return bytes_ if self.user is None else min(bytes_, VISITOR_BODY)

    def may(self, scope: str) -> bool:
        """Whether the caller may do what needs this scope."""
        return scope in self.scopes or "admin" in self.scopes

    def sees(self, arena: str) -> bool:
        """Whether the arena exists for a key, if it does at all."""
        return self.permit.names is None or arena in self.permit.names

    def check_arena(self, arena: str) -> None:
        """Refuse an arena that does not exist for the caller, in the words for one that does not exist at all."""
        if not self.sees(arena):
            raise UnknownArenaError.of(arena)

    def check_all_arenas(self) -> None:
        """Refuse a caller for whom only some arenas exist."""
        if self.permit.names is not None:
            names = ", ".join(map(repr, sorted(self.permit.names))) or "none"
            raise RequestError("scope", f"This needs a key for all arenas; {self.name} is for {names}.")

    def acting_as(self, user: str | None) -> str | None:
        """Return the user for whom the caller acts: a visitor for one, everybody else for whom they say."""
        if self.user is not None and user not in (None, self.user):
            raise RequestError("wrong-user", f"The visitor token is for another user than {user!r}.")
        return self.user or user

    def ask(self, ask: Ask) -> Ask:
        """Return what the caller asks, for whom they act."""
        self.check_arena(ask.arena)
        if self.user is not None and ask.group not in (None, self.group):
            raise RequestError(
                "scope",
                f"A visitor cannot say a group ({ask.group!r}); whoever has the key says it when making the token.",
            )
        return replace(ask, user=self.acting_as(ask.user), group=ask.group or self.group, permit=self.permit)

    def answer(self, answer: Answer) -> Answer:
        """Return an answer of the caller, which is refused where the caller may not answer."""
        if self.permit is ALL:
            return answer
        if answer.arena is not None:
            self.check_arena(answer.arena)
        return replace(answer, user=self.acting_as(answer.user), permit=self.permit)


ANYBODY = Caller("everybody on this machine", frozenset({"admin"}))
"""Whoever comes as long as there are no keys."""


VISITOR = "visitor"
"""What a visitor may do, among the scopes: ask and answer as one user of one arena, and see that user's favourite."""


class Authenticator:
    """Decides who may come in, by the API keys of the database and the secrets of the key ring.

    The keys are read again when they are older than `config.key_seconds`.
    """

    def __init__(self, read: Callable[[], Credentials], config: Config, thread: Executor | None = None) -> None:
        """Read them in a thread that nothing else uses for long."""
        self._thread = thread
        self._read_credentials = read
        self._config = config
        self._keys: Mapping[str, ApiKey] = {}
        self._ids_in_use: frozenset[str] = frozenset()
        self._secrets = key_ring.load(config.secrets)
        self._visitors = TokenSigner(Visitor, self._secrets)
        self._sessions = TokenSigner(Session, self._secrets)
        self._ended: frozenset[str] = frozenset()
        self._read_at = float("-inf")
        self._reading: asyncio.Future[None] | None = None
        self._limiter = RateLimiter(config.rates_file)

    def close(self) -> None:
        self._limiter.close()

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
            self._reading = asyncio.get_running_loop().run_in_executor(self._thread, self._read)
        await asyncio.shield(self._reading)

    def _read(self) -> None:
        self._keys, generation, self._ended = self._read_credentials()
        self._ids_in_use = frozenset(key.id for key in self._keys.values() if key.revoked_at is None)
        self._visitors = TokenSigner(Visitor, self._secrets, generation)
        self._read_at = time.monotonic()

    def authorize(self, headers: Mapping[bytes, bytes], scope: str, *, visitors: bool = False) -> Caller:
        """Return who sent a request; refuse whoever may not do what needs this scope, or does it too often.

        `visitors` may do it, too. On loopback no key is needed as long as there never was one.
        """
        caller = self._identify(headers)
        if not (caller.may(scope) or (visitors and caller.may(VISITOR))):
            raise RequestError("scope", f"This needs a key with the scope {scope!r}, which {caller.name} has not.")
        self.charge(caller, 1)
        return caller

    def charge(self, caller: Caller, operations: int) -> None:
        """Count operations of a caller; refuse them if they are too many."""
        if caller.rate is None or operations <= 0:
            return
        seconds = self._limiter.seconds_to_wait(caller.name, caller.rate, operations)
        if seconds:
            said = (
                f"{_capital(caller.name)} may do {caller.rate:g} operations (asks, answers, other requests) per second"
            )
            if seconds == float("inf"):
                raise RequestError("rate", f"{said}, not {operations} at once; send fewer together.")
            wait = max(1, round(seconds))
            raise RequestError("rate", f"{said}; try again in {counted(wait, 'second')}.", {"Retry-After": str(wait)})

    def issue(self, visitor: Visitor) -> str:
        """Return a new visitor token that says this."""
        return self._visitors.sign(visitor)

    def issue_session(self, key: str, seconds: float) -> str:
        """Return a token for whoever signed in with the key of this id."""
        return self._sessions.sign(Session(token_hex(8), key, time.time() + seconds))

    def check_session(self, token: str) -> tuple[Caller, Session]:
        """Return who signed in; TokenError if the session is over, or its key was revoked."""
        session = self._sessions.check(token)
        if session.id in self._ended:
            raise TokenError("Somebody signed out of this session.")
        for key in self._keys.values():
            if key.id == session.key and key.revoked_at is None:
                return _caller(key), session
        raise TokenError("The key of this session was revoked.")

    def check_token(self, token: str) -> Caller:
        """Return the visitor of a token; TokenError if it is not valid, or the key that gave it out was revoked.

        A token that no key gave out is for a public arena, for as long as it is public.
        """
        visitor = self._visitors.check(token)
        if visitor.key and visitor.key not in self._ids_in_use:
            raise TokenError("The visitor token was given out by a key that was revoked.")
        name = f"the visitor {visitor.user!r} of arena {visitor.arena_id}"
        items = tuple(visitor.among) if isinstance(visitor.among, list) else visitor.among
        permit = Permit(id=visitor.arena_id, public=not (visitor.key or self.keyless), items=items)
        return Caller(name, frozenset({VISITOR}), self._config.visitor_rate, permit, visitor.user, visitor.group)

    def _identify(self, headers: Mapping[bytes, bytes]) -> Caller:
        scheme, _, secret = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        secret = secret.strip() if scheme.lower() == "bearer" else ""
        if secret.startswith(tokens.PREFIX):
            return self._visitor(secret)
        if self.keyless:
            check_host(headers)
            return ANYBODY
        key = self._keys.get(digest(secret)) if secret else None
        if key is None or key.revoked_at is not None:
            said = "The key is not valid" if secret else "A key is needed"
            raise _unauthorized(f"{said}; send one as `Authorization: Bearer ws_...`.")
        return _caller(key)

    def _visitor(self, token: str) -> Caller:
        try:
            return self.check_token(token)
        except TokenError as error:
            raise _unauthorized(str(error)) from None


def _caller(key: ApiKey) -> Caller:
    permit = ALL if key.arenas is None else Permit(key.arenas)
    return Caller(f"key {key.id}", key.scopes, key.rate, permit, key=key.id)


def _unauthorized(said: str) -> RequestError:
    return RequestError("no-key", said, {"WWW-Authenticate": "Bearer"})


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip", b"via")
"""Headers that proxies add: behind a proxy everybody seems to be on this machine."""


def check_host(headers: Mapping[bytes, bytes]) -> None:
    """Refuse, where no key is needed, what a proxy forwards and a page that pretends to be local (DNS rebinding)."""
    host = headers.get(b"host", b"").decode("latin-1")
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    if name not in LOOPBACK:
        refused = f"answers as localhost, not as {host!r}"
    elif proxies := [header for header in FORWARDED if header in headers]:
        refused = f"answers this machine only, and {proxies[0].decode()} says that a proxy forwarded the request"
    else:
        return
    make = "Make a key first: winnerstays arena keys create DB --scope admin."
    raise RequestError("host", f"Without keys the service {refused}. {make}")
