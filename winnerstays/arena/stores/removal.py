"""The statements that remove rows: of a user who is erased, of an arena that is deleted, old ones that are pruned."""

from collections.abc import Sequence

from winnerstays.arena.stores.base import Reader, Row, Statement, Transaction
from winnerstays.arena.stores.rows import LOG_ROW, NO_LEARNER, SNAPSHOT, UNKNOWN, LearnerRow, LogRow
from winnerstays.arena.stores.statements import OF_LEARNER, of_learner
from winnerstays.arena.stores.totals import UP_TO_MARK

_NAMED = "(arena_id = ? OR arena_id IS NULL) AND username = ?"
UNKNOWN_BEFORE = (
    f"{UP_TO_MARK} AND kind = '{UNKNOWN}' AND learner_id = {NO_LEARNER} AND at < ?"
    " AND seq < (SELECT MAX(newest.seq) FROM log AS newest)"
)
"""Answers to unknown duels from before a time. The newest row stays: the mark is never after it."""
ROWS_OF_ARENA = "arena_id = ? AND seq <= ?"


def delete_rows(transaction: Transaction, rows: str, *values: object) -> int:
    """Delete the rows of the log that a condition selects; return how many."""
    return transaction.change(f"DELETE FROM log WHERE {rows}", *values)


def delete_learner(transaction: Transaction, learner_id: int) -> None:
    transaction.change("DELETE FROM learners WHERE id = ?", learner_id)


def delete_name(transaction: Transaction, arena_id: int, username: str) -> None:
    """Delete what leads from a user's name to a learner, and the count of the user's answers."""
    for table in ("usernames", "answer_rates"):
        transaction.change(f"DELETE FROM {table} WHERE arena_id = ? AND username = ?", arena_id, username)


def delete_unknown_of(transaction: Transaction, arena_id: int, username: str) -> int:
    """Delete a user's answers to unknown duels; return how many."""
    return transaction.change(f"DELETE FROM log WHERE {_NAMED} AND kind = '{UNKNOWN}'", arena_id, username)


def rows_that_name(transaction: Transaction, arena_id: int, username: str) -> list[LogRow]:
    """Return the rows of an arena, and of none, that hold a user's name."""
    return list(map(LogRow.of, transaction.rows(f"SELECT {LOG_ROW} FROM log WHERE {_NAMED}", arena_id, username)))


def erase_names(transaction: Transaction, digests: Sequence[tuple[bytes, int]]) -> None:
    """Put a digest in the place of the name, the reason and the salt of rows: (digest, sequence number)."""
    changed = [(None, None, None, digest, seq) for digest, seq in digests]
    transaction.update("log", "username, reason, salt, digest, seq", changed)


def last_of_next_rows(transaction: Transaction, arena_id: int, after: int, limit: int) -> int | None:
    """Return the sequence number of the last of the next rows of an arena; None if there are none."""
    rows = f"SELECT seq FROM log WHERE arena_id = ? AND seq > ? ORDER BY arena_id, seq LIMIT {limit}"
    ((last,),) = transaction.rows(f"SELECT MAX(seq) FROM ({rows}) AS batch", arena_id, after)
    return None if last is None else int(last)


def some_names(transaction: Transaction, arena_id: int, limit: int) -> list[tuple[str, int]]:
    """Return (username, learner's id) of some users of an arena."""
    select = f"SELECT username, learner_id FROM usernames WHERE arena_id = ? LIMIT {limit}"
    return [(row[0], row[1]) for row in transaction.rows(select, arena_id)]


_DELETE_LEARNERS = Statement(lambda sql: f"DELETE FROM learners WHERE {sql.is_among('id')}")
_DELETE_NAMES = Statement(lambda sql: f"DELETE FROM usernames WHERE arena_id = ? AND {sql.is_among('username')}")


def delete_learners(transaction: Transaction, arena_id: int, ids: list[int], usernames: list[str]) -> int:
    """Delete learners, which are locked, and the names that lead to them; return how many names."""
    transaction.change(_DELETE_LEARNERS, ids)
    return transaction.change(_DELETE_NAMES, arena_id, usernames)


def delete_arena(transaction: Transaction, arena_id: int) -> int:
    """Delete an arena and what is left of its learners; return how many learners."""
    own = "SELECT learner_id FROM usernames WHERE arena_id = ?"
    learners = transaction.change(f"DELETE FROM learners WHERE id IN ({own})", arena_id)
    for table in ("usernames", "models", "totals", "refusals", "answer_rates"):
        transaction.change(f"DELETE FROM {table} WHERE arena_id = ?", arena_id)
    transaction.change("DELETE FROM arenas WHERE id = ?", arena_id)
    return learners


def learners_with_rows_before(reader: Reader, before: float) -> list[int]:
    """Return the ids of the learners that have rows from before a time."""
    select = f"SELECT DISTINCT learner_id FROM log WHERE learner_id <> {NO_LEARNER} AND at < ? AND kind <> '{SNAPSHOT}'"
    return sorted(row[0] for row in reader.stream(select, before))


def oldest_rows(transaction: Transaction, learner: LearnerRow, limit: int) -> list[LogRow]:
    """Return the oldest rows of a learner up to the mark of the totals, a snapshot included.

    Those of a user are found through an index of served duels; those of a learner for everyone are where one looks.
    """
    select = f"SELECT {LOG_ROW} FROM log WHERE {{whose}} AND {UP_TO_MARK} ORDER BY seq LIMIT {limit}"
    if learner.username:
        return list(map(LogRow.of, transaction.rows(select.format(whose=OF_LEARNER), *of_learner(learner.id))))
    return list(map(LogRow.of, transaction.rows(select.format(whose="learner_id = ?"), learner.id)))


_LAST_ROWS = Statement(
    lambda sql: (
        "SELECT duel_id, MAX(seq), MAX(COALESCE(phase, 0)) FROM log"
        f" WHERE learner_id = ? AND {sql.is_among('duel_id')} GROUP BY duel_id"
    )
)


def last_rows_of_duels(transaction: Transaction, learner_id: int, duel_ids: list[str]) -> dict[str, tuple[int, bool]]:
    """Return for each of these duels of a learner the sequence number of its latest row, and whether it is closed."""
    found = transaction.rows(_LAST_ROWS, learner_id, duel_ids)
    return {duel_id: (last, phase >= 1) for duel_id, last, phase in found}


ROWS_OF_LEARNER = "learner_id = ? AND seq >= ? AND seq <= ?"


def replace_rows(transaction: Transaction, learner_id: int, first: int, last: int, row: Row) -> None:
    """Put one row, which has its own sequence number, in the place of those of a learner from the first to the last."""
    delete_rows(transaction, ROWS_OF_LEARNER, learner_id, first, last)
    transaction.insert("log", LOG_ROW, [row])
