"""The hash chain of the log: each row holds a hash of itself and of the row before it.

A row with a learner is in the chain of that learner, whose row in the database is locked while it learns and holds the
chain's head. A row with an arena but without a learner is in the chain of the arena. An answer to an unknown duel
belongs to neither: it has a hash, but no row before it. The head of an arena is a hash over the heads of its chains, so
whoever keeps it elsewhere can prove later that no row is missing.

What is hashed of a row are the columns that are not NULL, by name. So a later version may add columns and kinds of
rows, and the hashes of older rows stay as they are. A row that names a user is hashed with a digest of the name and the
reason instead of the texts, and the digest has a random salt: erasing a user removes texts and salt, the digest stays.
"""

import json
import struct
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import blake2b
from operator import itemgetter
from os import urandom
from typing import Any

from winnerstays.arena.stores import statements
from winnerstays.arena.stores.base import Transaction
from winnerstays.arena.stores.rows import LearnerRow, LogEntry, LogRow

SIZE = 32
"""Bytes of a hash."""
SALT_SIZE = 16
NO_ROW = b""
"""Stands for the row before one that is in no chain."""


_COLUMNS = LogEntry._fields
_USERNAME, _REASON = _COLUMNS.index("username"), _COLUMNS.index("reason")


def content(row: tuple[Any, ...]) -> bytes:
    """Return a row as the bytes that are hashed: names of columns, numbers of 8 bytes each, texts separated by NUL.

    Columns that are NULL are left out; the others stand in alphabetical order, numbers first. No text holds a NUL.

    >>> content(LogEntry(1, None, 0.5, "created"))
    b'arena_id at kind\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xe0?created'
    """
    header, pack, numbers, texts = _layout(tuple(map(type, row)))
    return header + pack(*numbers(row)) + "\0".join(texts(row)).encode()


@cache
def _layout(types: tuple[type, ...]) -> tuple[bytes, Callable[..., bytes], Any, Any]:
    """Return how rows with values of these types are written."""
    ordered = sorted(range(len(types)), key=_COLUMNS.__getitem__)
    texts = [place for place in ordered if types[place] is str]
    numbers = [place for place in ordered if types[place] in (int, float)]
    if len(texts) + len(numbers) + types.count(type(None)) < len(types):
        raise TypeError(f"a row of the log holds numbers and texts, not {types}")
    header = " ".join(_COLUMNS[place] for place in numbers + texts).encode() + b"\0"
    codes = "".join("d" if types[place] is float else "q" for place in numbers)
    return header, struct.Struct(f"<{codes}").pack, _picker(numbers), _picker(texts)


def _picker(places: list[int]) -> Callable[[tuple[Any, ...]], Iterable[Any]]:
    """Return a function that picks the values at these places, in this order; faster than a loop over them."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda row: [row[place] for place in places]


def seal(entry: LogEntry, before: bytes) -> tuple[Any, ...]:
    """Return a new row as it is stored, the values of a Seal at its end; `before` is the hash of the row before it."""
    if entry.username is None:
        return (*entry, None, None, hash_row(entry, before))
    salt = urandom(SALT_SIZE)
    return (*entry, salt, None, hash_row(entry, before, salt))


def hash_row(entry: LogEntry, before: bytes, salt: bytes | None = None, digest: bytes | None = None) -> bytes:
    """Return the hash of a row after the row with the hash `before`."""
    if salt is None and digest is None:
        return blake2b(before + content(entry), digest_size=SIZE).digest()
    proof = digest or personal_digest(entry, salt or b"")
    public = (*entry[:_USERNAME], None, None, *entry[_REASON + 1 :])
    return blake2b(before + proof + content(public), digest_size=SIZE).digest()


def hash_after(row: LogRow, before: bytes) -> bytes:
    """Return the hash that a stored row must have after the row with the hash `before`."""
    return hash_row(row.entry, before, row.seal.salt, row.seal.digest)


def head_of(learner: LearnerRow) -> bytes:
    """Return the hash of a learner's latest row, or what stands before its first."""
    return learner.head or first_of_learner(learner.id, learner.arena_id, learner.username)


def personal_digest(entry: LogEntry, salt: bytes) -> bytes:
    """Return the digest of the name and the reason of a row; without the salt nobody can guess them from it."""
    return _hash(salt, (entry.username or "").encode(), b"" if entry.reason is None else b"=" + entry.reason.encode())


def first_of_learner(learner_id: int, arena_id: int, username: str) -> bytes:
    """Return the hash before the first row of a learner."""
    return _hash(b"learner", struct.pack("<qq", learner_id, arena_id), username.encode())


def first_of_arena(arena_id: int, created_at: float) -> bytes:
    """Return the hash before the first row of an arena."""
    return _hash(b"arena", struct.pack("<qd", arena_id, created_at))


def settings_hash(name: str, settings: str) -> str:
    """Return the hash of an arena's name and settings (JSON), as its rows hold it in `data` under "settings"."""
    return _hash(b"settings", name.encode(), settings.encode()).hex()


class Head:
    """The head of an arena: a hash over the head of its own chain and those of its learners, by their ids.

    The head of a database is the same over its arenas.
    """

    def __init__(self, own: bytes = b"") -> None:
        self._whole = blake2b(b"head of an arena\0" + own, digest_size=SIZE)

    def add(self, id_: int, head: bytes) -> None:
        """Add the head of the learner (or arena) with the next id."""
        self._whole.update(struct.pack("<q", id_) + head)

    def digest(self) -> bytes:
        return self._whole.digest()


def _hash(*parts: bytes) -> bytes:
    """Return the hash of several parts; each is preceded by its length, so no two lists of parts are alike."""
    whole = blake2b(digest_size=SIZE)
    for part in parts:
        whole.update(struct.pack("<q", len(part)) + part)
    return whole.digest()


def append_to_arena(transaction: Transaction, entry: LogEntry) -> None:
    """Append an entry of an arena to the log and to the arena's chain, which is locked here.

    A transaction that also locks learners locks them first.
    """
    arena_id = int(entry.arena_id or 0)
    created_at, head = statements.lock_head(transaction, arena_id)
    row = seal(entry, head or first_of_arena(arena_id, created_at))
    statements.append_log(transaction, [row])
    statements.save_head(transaction, arena_id, row[-1])


def add_arena(transaction: Transaction, name: str, settings: str, now: float) -> None:
    """Add an arena with these settings (JSON) and log it, unless there is one of this name."""
    id_ = statements.add_arena(transaction, name, settings, now)
    if id_ is not None:
        append_to_arena(transaction, LogEntry(id_, None, now, "created", data=_settings_data(name, settings)))


def change_arena(
    transaction: Transaction, id_: int, name: str, settings: str, kind: str, now: float, **more: Any
) -> None:
    """Give a locked arena another name or settings (JSON), and log it."""
    statements.change_arena(transaction, id_, name, settings)
    append_to_arena(transaction, LogEntry(id_, None, now, kind, data=_settings_data(name, settings, **more)))


def _settings_data(name: str, settings: str, **more: Any) -> str:
    """Return the `data` of a row after which an arena has this name and these settings (JSON): it proves them."""
    return json.dumps({"settings": settings_hash(name, settings), **more})
