"""Visitor tokens: short-lived and signed, each for one user of one arena.

A token is `wsv_`, what it says (JSON, base64), a dot, and an HMAC-SHA256 of that. The secret is in the database: every
worker and every restart agrees. Whoever has a token can read what it says, and change nothing of it.
"""

import hashlib
import hmac
import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

from winnerstays.errors import WinnerstaysError

PREFIX = "wsv_"
DEFAULT_SECONDS, MAX_SECONDS = 3600.0, 30 * 86400.0
MAX_CHARACTERS = 4096
"""Names have 200 characters at most; whatever is longer is no token."""


class TokenError(WinnerstaysError):
    """The token was not signed by this service, or its time is over."""


class Visitor(NamedTuple):
    """What a token says: it is for this user of this arena, and was given out by this key."""

    arena: str
    user: str
    expires_at: float
    """A Unix time."""
    key: str = ""
    """The id of the key with which it was asked for; empty if the service itself gave it out."""


class TokenSigner:
    """Signs and checks visitor tokens with a secret.

    >>> signer = TokenSigner(b"a secret of the database")
    >>> token = signer.sign(Visitor("lunch", "ada", expires_at=100.0))
    >>> signer.check(token, now=99.0)
    Visitor(arena='lunch', user='ada', expires_at=100.0, key='')
    >>> signer.check(token, now=100.0)
    Traceback (most recent call last):
    winnerstays.service.tokens.TokenError: The visitor token has expired.
    """

    def __init__(self, secret: bytes, purpose: str = "visitor") -> None:
        """Sign for a purpose: what was signed for one is no token for another."""
        self._secret, self._purpose = secret, f"{purpose}:".encode()

    def sign(self, visitor: Visitor) -> str:
        """Return the token that says this."""
        content = urlsafe_b64encode(json.dumps(visitor, separators=(",", ":"), ensure_ascii=False).encode())
        return f"{PREFIX}{content.decode()}.{self._signature(content).decode()}"

    def check(self, token: str, now: float | None = None) -> Visitor:
        """Return what a token says; TokenError if it is not one of ours, or has expired."""
        content, _, signature = token.removeprefix(PREFIX).encode("utf-8", "replace").partition(b".")
        proper = token.startswith(PREFIX) and len(token) <= MAX_CHARACTERS
        if not (proper and hmac.compare_digest(signature, self._signature(content))):
            raise TokenError("The visitor token was not signed by this service, or what it says was changed.")
        visitor = Visitor(*json.loads(urlsafe_b64decode(content)))
        if (time.time() if now is None else now) >= visitor.expires_at:
            raise TokenError("The visitor token has expired.")
        return visitor

    def _signature(self, content: bytes) -> bytes:
        return urlsafe_b64encode(hmac.digest(self._secret, self._purpose + content, hashlib.sha256))
