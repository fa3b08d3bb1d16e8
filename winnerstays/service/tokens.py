"""Visitor tokens and sessions: values that the service signed, and that nobody else can make or change.

Whoever has one can read what it says. The newest secret of the key ring signs, and every secret of it verifies.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from winnerstays.errors import WinnerstaysError, missing_extra

try:
    from itsdangerous import BadData, URLSafeSerializer
except ImportError:
    raise missing_extra("The service", "service") from None

PREFIX = "wsv_"
DEFAULT_SECONDS, MAX_SECONDS = 3600.0, 30 * 86400.0
MAX_CHARACTERS = 4096
"""Of a token: it is sent with each request."""


class TokenError(WinnerstaysError):
    """The token was not signed by this service, or its time is over."""


class Visitor(NamedTuple):
    """What a visitor token says: it is for this user of this arena, and was given out by this key."""

    arena_id: int
    user: str
    expires_at: float
    """A Unix time."""
    key: str = ""
    """The id of the key with which it was asked for; empty if the service itself gave it out."""
    among: list[str] | str | None = None
    """The ids of the only items that exist for the visitor, or the name of a set; None stands for all."""
    group: str | None = None
    """The visitor's group; None if the token says none."""


class Session(NamedTuple):
    """What a session says: whoever holds it signed in with this key."""

    id: str
    key: str
    expires_at: float


T = TypeVar("T", Visitor, Session)


class TokenSigner(Generic[T]):
    """Signs and checks tokens of one kind with the secrets of a key ring, the newest of them first.

    >>> signer = TokenSigner(Visitor, ["a secret that is not in the database"])
    >>> token = signer.sign(Visitor(7, "ada", expires_at=100.0))
    >>> signer.check(token, now=99.0)
    Visitor(arena_id=7, user='ada', expires_at=100.0, key='', among=None, group=None)
    >>> signer.check(token, now=100.0)
    Traceback (most recent call last):
    winnerstays.service.tokens.TokenError: The visitor token has expired.
    """

    def __init__(self, kind: type[T], secrets: Sequence[str], generation: str = "") -> None:
        """Sign tokens of a generation: they are not valid in another one."""
        self._kind: Callable[..., T] = kind
        self._name = "visitor token" if kind is Visitor else "session"
        self._serializer = URLSafeSerializer(
            list(reversed(secrets)), f"{self._name}:{generation}", signer_kwargs={"digest_method": hashlib.sha256}
        )

    def sign(self, values: T) -> str:
        """Return the token that says this."""
        token = f"{PREFIX}{self._serializer.dumps(values)}"
        if len(token) > MAX_CHARACTERS:
            raise WinnerstaysError(
                f"The token would have {len(token):,} characters, but may have {MAX_CHARACTERS:,}; make a set of these "
                "items in the arena, and give its name."
            )
        return token

    def check(self, token: str, now: float | None = None) -> T:
        """Return what a token says; TokenError if it is not one of ours, or has expired."""
        try:
            if not token.startswith(PREFIX) or len(token) > MAX_CHARACTERS:
                raise BadData("")
            values: T = self._kind(*self._serializer.loads(token.removeprefix(PREFIX).encode("utf-8", "replace")))
        except BadData:
            raise TokenError(f"The {self._name} was not signed by this service, or was changed.") from None
        if (time.time() if now is None else now) >= values.expires_at:
            raise TokenError(f"The {self._name} has expired.")
        return values
