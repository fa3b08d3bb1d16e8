"""The statements about versions of models of tastes, and the answers that they are made of."""

from collections.abc import Iterator
from typing import NamedTuple

from winnerstays.arena.stores.base import Reader, Row, Transaction
from winnerstays.arena.stores.rows import ANSWERED, ROBOT_PREFIX, SNAPSHOT, UNDONE


class ModelRow(NamedTuple):
    """A version; `digest` is empty until it is made, `data` where it was deleted since."""

    version: int
    seq: int
    """The answers in the log up to this row were used."""
    answers: int
    """How many those were."""
    items: int
    """How many items the arena had."""
    at: float
    stale: int
    """1 if a user was erased since."""
    digest: bytes | None
    data: bytes | None


_COLUMNS = ", ".join(ModelRow._fields)


def newest(reader: Reader, arena_id: int, *, made: bool = True) -> ModelRow | None:
    """Return the newest version, of those that are `made` or of all; without its bytes."""
    columns = _COLUMNS.replace(", data", ", NULL")
    condition = " AND data IS NOT NULL" if made else ""
    rows = reader.rows(
        f"SELECT {columns} FROM models WHERE arena_id = ?{condition} ORDER BY version DESC LIMIT 1", arena_id
    )
    return ModelRow(*rows[0]) if rows else None


def all_of(reader: Reader, arena_id: int) -> Iterator[ModelRow]:
    """Yield all versions that were made, the oldest first."""
    select = f"SELECT {_COLUMNS} FROM models WHERE arena_id = ? AND digest IS NOT NULL ORDER BY version"
    return map(ModelRow._make, reader.stream(select, arena_id))


def data_of(reader: Reader, arena_id: int, version: int) -> bytes | None:
    """Return the bytes of a version; None if there are none."""
    rows = reader.rows(
        "SELECT data FROM models WHERE arena_id = ? AND version = ? AND data IS NOT NULL", arena_id, version
    )
    return bytes(rows[0][0]) if rows else None


def claim(transaction: Transaction, arena_id: int, version: int, now: float, given_up: float) -> bool:
    """Begin a version, unless another process has begun it after the time `given_up`."""
    taken_over = transaction.change(
        "UPDATE models SET at = ? WHERE arena_id = ? AND version = ? AND digest IS NULL AND at < ?",
        now, arena_id, version, given_up,
    )  # fmt: skip
    begun = "INSERT INTO models (arena_id, version, seq, answers, items, at, stale) VALUES (?, ?, 0, 0, 0, ?, 0)"
    return bool(taken_over or transaction.change(f"{begun} ON CONFLICT DO NOTHING", arena_id, version, now))


def save(transaction: Transaction, arena_id: int, row: ModelRow) -> None:
    """Save a version that was begun, unless another process has; delete versions that know somebody who was erased."""
    transaction.change(
        "UPDATE models SET seq = ?, answers = ?, items = ?, digest = ?, data = ? WHERE arena_id = ? AND version = ?"
        " AND digest IS NULL",
        row.seq, row.answers, row.items, row.digest, row.data, arena_id, row.version,
    )  # fmt: skip
    transaction.change(
        "UPDATE models SET data = NULL WHERE arena_id = ? AND version < ? AND stale = 1", arena_id, row.version
    )


def user_was_erased(transaction: Transaction, arena_id: int) -> None:
    """Note that versions so far know somebody who was erased."""
    transaction.change("UPDATE models SET stale = 1 WHERE arena_id = ?", arena_id)


def count_answers(reader: Reader, arena_id: int, after: int, last: int) -> int:
    """Return how many answers were learned in some rows."""
    select = "SELECT COUNT(*) FROM log WHERE arena_id = ? AND seq > ? AND seq <= ? AND kind = 'learned'"
    return int(reader.rows(select, arena_id, after, last)[0][0])


def was_pruned(reader: Reader, arena_id: int) -> bool:
    """Return whether a snapshot stands for some rows of an arena."""
    return bool(reader.rows(f"SELECT 1 FROM log WHERE arena_id = ? AND kind = '{SNAPSHOT}' LIMIT 1", arena_id))


def answers(reader: Reader, arena_id: int, last: int) -> Iterator[Row]:
    """Yield answers of people who are in no control group, and what stands for pruned ones, up to a row of the log.

    As (kind, learner's id, first, second, outcome, winner, group, data).
    """
    robots = f"SELECT learner_id FROM usernames WHERE arena_id = ? AND username LIKE '{ROBOT_PREFIX}%'"
    undone = f"SELECT duel_id FROM log WHERE arena_id = ? AND seq <= ? AND phase = {UNDONE}"
    return reader.stream(
        "SELECT kind, learner_id, first, second, outcome, winner, user_group, data FROM log"
        f" WHERE arena_id = ? AND seq <= ? AND (kind = 'learned' AND phase = {ANSWERED} AND COALESCE(arm, 0) = 0"
        f" AND duel_id NOT IN ({undone}) OR kind = '{SNAPSHOT}') AND learner_id NOT IN ({robots}) ORDER BY seq",
        arena_id, last, arena_id, last, arena_id,
    )  # fmt: skip
