"""What a duel carries besides its columns: the data of its row, and whose it is, hidden in its id.

The data of a served duel's row, as JSON, hold what was done to the learner first: items came or went, duels were given
up, the crowd was believed. The rows of served duels and of answers hold what they add to the sums of an arm
(holdout.py). So a learner's rows alone give its state again.

An id tells whose duel it is to those who have the secret of the database, and to nobody else. So an answer, which names
the duel only, is looked for in one partition of the log. It is a hint: a duel that is not there is looked for in all.
"""

import json
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Iterable
from hashlib import blake2b
from os import urandom
from typing import Any, NamedTuple

_LISTS = ("join", "leave", "eligible", "closed")
"""The fields that a row holds as ranges."""


class DuelData(NamedTuple):
    """What is done before a pair is chosen, in this order; among which items it is chosen; what the row adds."""

    known: int = 0
    """The change of the arena's items up to which the learner knows them; 0: nothing is new."""
    items: int = 0
    """How many items there are then, retired ones included."""
    join: tuple[int, ...] = ()
    leave: tuple[int, ...] = ()
    prior: tuple[tuple[int, int], ...] = ()
    """(item, points in 1/1024): what a new learner starts with."""
    passed: tuple[tuple[int, int], ...] = ()
    """Pairs that were served and will not be answered."""
    closed: tuple[int, ...] = ()
    """The places, in the list of duels that a user held open, of those that can no longer be answered."""
    up_to: int = 0
    """The row up to which duels of everyone were looked through for such pairs; 0: they were not."""
    eligible: tuple[int, ...] | None = None
    """The items of which two may be shown; None: all."""
    adds: tuple[int, ...] = ()
    """What the row adds to the sums of the arm."""
    model: tuple[int, ...] = ()
    """The version of the model that chooses, and the place of the visitor's group in it."""
    shown: tuple[int, ...] = ()
    """The items of a feed, in the order in which they are shown; also in the row of an answer."""
    drawn: int = 0
    """The number of items from which a random pair, or the random item of a probe, was drawn; 0: none was."""

    def to_json(self) -> str | None:
        """Return what a row holds in `data`; None if there was nothing to do."""
        fields: dict[str, Any] = {}
        if self.adds:
            fields["adds"] = self.adds
        if self.model:
            fields["model"] = self.model
        if self.shown:
            fields["shown"] = self.shown
        if self.known:
            fields |= {"changes": self.known, "items": self.items}
        for name in _LISTS:
            if places := getattr(self, name):
                fields[name] = to_ranges(places)
        for name, pairs in (("prior", self.prior), ("passed", self.passed)):
            if pairs:
                fields[name] = pairs
        for name, number in (("up_to", self.up_to), ("drawn", self.drawn)):
            if number:
                fields[name] = number
        return json.dumps(fields, separators=(",", ":")) if fields else None

    @classmethod
    def of(cls, data: str | None) -> "DuelData":
        """Return what a row holds in `data`."""
        if data is None:
            return cls()
        fields = json.loads(data)
        return cls(
            known=fields.get("changes", 0),
            items=fields.get("items", 0),
            join=from_ranges(fields.get("join", "")),
            leave=from_ranges(fields.get("leave", "")),
            prior=tuple((arm, points) for arm, points in fields.get("prior", ())),
            passed=tuple((first, second) for first, second in fields.get("passed", ())),
            closed=from_ranges(fields.get("closed", "")),
            up_to=fields.get("up_to", 0),
            eligible=from_ranges(fields["eligible"]) if "eligible" in fields else None,
            adds=tuple(fields.get("adds", ())),
            model=tuple(fields.get("model", ())),
            shown=tuple(fields.get("shown", ())),
            drawn=fields.get("drawn", 0),
        )


def to_ranges(numbers: Iterable[int]) -> str:
    """Return numbers in order as text, those that follow each other as a range.

    >>> to_ranges([7, 0, 1, 2])
    '0-2,7'
    """
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in ranges)


def from_ranges(text: str) -> tuple[int, ...]:
    """Return the numbers that `to_ranges` wrote.

    >>> from_ranges("0-2,7")
    (0, 1, 2, 7)
    """
    numbers: list[int] = []
    for part in filter(None, text.split(",")):
        low, _, high = part.partition("-")
        numbers += range(int(low), int(high or low) + 1)
    return tuple(numbers)


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
