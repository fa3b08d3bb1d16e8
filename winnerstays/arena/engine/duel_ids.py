"""The ids of duels. Each says whose duel it is, to those who have the secret of the database and to nobody else.

So an answer, which names the duel only, is looked for in one partition of the log. It is a hint: a duel that is not
there, or has an id of an earlier version, which gives none, is looked for in all of them.
"""

import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from hashlib import blake2b
from os import urandom

KEY_SIZE, RANDOM_SIZE = 16, 16
_TIME_END = 11
"""Where the time ends, in hexadecimal digits; the rest is in base64."""
_HINT = struct.Struct("<Q")


class DuelIds:
    """Makes and reads the ids of duels with a secret key.

    >>> ids = DuelIds(bytes(KEY_SIZE))
    >>> ids.learner_of(ids.new(1_700_000_000.0, 7))
    7
    >>> ids.learner_of("18bcfe56800wGqR3FbKc0CIzoJjDhyk1Q")
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def new(self, now: float, learner_id: int) -> str:
        """Return the id of a new duel: the time in milliseconds, 128 random bits, which nobody guesses, and the hint.

        The time keeps together in the index what is served together: a transaction changes few pages of it.
        """
        random = urandom(RANDOM_SIZE)
        return f"{int(now * 1000):011x}{urlsafe_b64encode(random + self._masked(random, learner_id)).decode()}"

    def learner_of(self, duel_id: str) -> int | None:
        """Return the id of the learner whose duel this may be; None if it does not say."""
        try:
            whole = urlsafe_b64decode(duel_id[_TIME_END:])
        except (Error, ValueError):
            return None
        random, hint = whole[:RANDOM_SIZE], whole[RANDOM_SIZE:]
        if len(hint) != _HINT.size:
            return None
        (learner_id,) = _HINT.unpack(self._masked(random, *_HINT.unpack(hint)))
        return int(learner_id) if learner_id < 2**63 else None

    def _masked(self, random: bytes, number: int) -> bytes:
        """Hide a number, or show it again: its bits are added to bits that only this key gives, others for each id."""
        mask = blake2b(random, key=self._key, digest_size=_HINT.size).digest()
        return _HINT.pack(number ^ _HINT.unpack(mask)[0])
