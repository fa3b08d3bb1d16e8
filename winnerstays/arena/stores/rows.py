"""The rows of the tables, as tuples with names."""

import json
from typing import NamedTuple

SERVED, ANSWERED, LATE, UNDONE = 0, 1, 2, 3
"""The phases of a duel, each logged once; other refused answers have none. A duel that was late once stays so."""
NO_LEARNER = 0
"""Stands in the table for the learner of a row that has none: a row without one would be in no partition."""
REWARDED = "rewarded"
"""The kind of a reward; its duel is the one that the user saw last."""
UNKNOWN = "unknown"
"""The kind of an answer to a duel that does not exist."""
SNAPSHOT = "snapshot"
"""The kind of a row that stands for rows that were pruned; it holds their totals."""
ROBOT_PREFIX = "robot-"
"""Users whose names begin so are simulated ones: their rows can be left out of every figure."""
DuelOf = tuple[str, int]
"""A duel and its learner: (id, learner's id)."""
RefusalKind = tuple[int, str]
"""(arena's id or 0, kind of refused answers)"""
Owner = tuple[int, str]
"""Whose learner: (arena's id, username)."""


class LogEntry(NamedTuple):
    """A row of the log before it has a sequence number; the fields are its columns (schema.py says what they mean)."""

    arena_id: int | None
    learner_id: int | None
    at: float
    kind: str
    duel_id: str | None = None
    phase: int | None = None
    first: int | None = None
    second: int | None = None
    flipped: int | None = None
    step: int | None = None
    expires_at: float | None = None
    outcome: str | None = None
    winner: int | None = None
    username: str | None = None
    reason: str | None = None
    data: str | None = None
    user_group: str | None = None
    arm: int | None = None


class Seal(NamedTuple):
    """What is stored beside a row to prove it."""

    salt: bytes | None
    """Of the digest of the name and the reason; NULL if the row names nobody."""
    digest: bytes | None
    """Of a name and a reason that were erased; NULL as long as they are there."""
    hash: bytes | None


class LogRow(NamedTuple):
    """A row of the log."""

    seq: int
    entry: LogEntry
    seal: Seal

    @classmethod
    def of(cls, row: tuple[object, ...]) -> "LogRow":
        """Return a row that was selected with the columns of `LOG_ROW`."""
        entry = LogEntry._make(row[1 : -len(Seal._fields)])
        if entry.learner_id == NO_LEARNER:
            entry = entry._replace(learner_id=None)
        return cls(row[0], entry, Seal._make(row[-len(Seal._fields) :]))  # type: ignore[arg-type]


SEALED = ", ".join(LogEntry._fields + Seal._fields)
"""The columns of a row that is appended."""
LOG_ROW = f"seq, {SEALED}"


class ServedDuel(NamedTuple):
    """A served duel, as the log has it."""

    id: str
    arena_id: int
    learner_id: int
    first: int
    second: int
    flipped: int
    step: int
    expires_at: float
    username: str | None
    erased: bool
    """Whether the name of the user was erased."""
    arm: int | None = None
    """Who chose the pair (holdout.py); None where nothing is compared."""
    user_group: str | None = None
    shown: tuple[int, ...] = ()
    """Of a feed: all its items, in the order in which they are shown; `first` and `second` are two of them."""

    @property
    def items(self) -> tuple[int, ...]:
        """All items, in the order in which they are shown."""
        return self.shown or ((self.second, self.first) if self.flipped else (self.first, self.second))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The first item, which the learner would recommend, with each of the others."""
        return [(self.first, other) for other in self.shown if other != self.first] or [(self.first, self.second)]


def shown_in(data: str | None) -> tuple[int, ...]:
    """Return the items of a feed that a row holds in `data`."""
    return tuple(json.loads(data).get("shown", ())) if data and '"shown"' in data else ()


class LearnerRow(NamedTuple):
    """A stored learner."""

    id: int
    arena_id: int
    username: str
    open_duel_id: str | None
    state: bytes
    head: bytes | None
    user_group: str | None


class ArenaRow(NamedTuple):
    """A stored arena."""

    id: int
    name: str
    created_at: float
    settings: str
    head: bytes | None


class KeyRow(NamedTuple):
    """A stored API key; of its secret only the hash is stored."""

    hash: str
    id: str
    name: str
    scopes: str
    rate: float | None
    created_at: float
    revoked_at: float | None
    arenas: str | None


def snapshot_id(learner_id: int) -> str:
    """Return what stands for the duel's id in the row that stands for the pruned rows of a learner."""
    return f"snapshot of learner {learner_id}"
