"""Deleting an arena: in steps that keep nobody waiting for long."""

from winnerstays.arena.history.chain import NO_ROW, LogEntry, seal
from winnerstays.arena.stores import totals
from winnerstays.arena.stores.base import Transaction
from winnerstays.arena.stores.learner_statements import lock_by_id
from winnerstays.arena.stores.statements import append_log

ROWS_AT_ONCE = 20_000
"""The most rows that one transaction looks at."""


def delete_rows(transaction: Transaction, arena_id: int, after: int) -> tuple[int, int | None]:
    """Delete an arena's rows among the next ones of the log; return how many, and the last one looked at.

    That is None if there were no more rows.
    """
    following = f"SELECT seq FROM log WHERE seq > ? ORDER BY seq LIMIT {ROWS_AT_ONCE}"
    ((last, looked_at),) = transaction.rows(f"SELECT MAX(seq), COUNT(*) FROM ({following}) AS batch", after)
    if not looked_at:
        return 0, None
    return _delete(transaction, arena_id, after, last), last


def delete_learners(transaction: Transaction, arena_id: int) -> int:
    """Delete some learners of an arena; return how many."""
    some = f"SELECT username, learner_id FROM usernames WHERE arena_id = ? LIMIT {ROWS_AT_ONCE}"
    found = transaction.rows(some, arena_id)
    ids = [learner.id for learner in lock_by_id(transaction, [id_ for _, id_ in found])]
    if ids:
        transaction.change("DELETE FROM learners WHERE id IN (ROWS(BIGINT) ?)", ids)
    names = [username for username, _ in found]
    return transaction.change("DELETE FROM usernames WHERE arena_id = ? AND username IN ?", arena_id, names)


def delete_rest(transaction: Transaction, arena_id: int, after: int, now: float) -> tuple[int, int]:
    """Delete what is left of an arena, and the arena; return how many rows and learners that were.

    Nobody writes meanwhile, so nothing of the arena can come later. The log says that an arena was deleted, not which.
    """
    transaction.lock_tables("usernames", "learners", "log")
    ((last,),) = transaction.rows("SELECT COALESCE(MAX(seq), 0) FROM log")
    rows = _delete(transaction, arena_id, after, last)
    own = "SELECT learner_id FROM usernames WHERE arena_id = ?"
    learners = transaction.change(f"DELETE FROM learners WHERE id IN ({own})", arena_id)
    for table in ("usernames", "totals", "refusals", "answer_rates"):
        transaction.change(f"DELETE FROM {table} WHERE arena_id = ?", arena_id)
    transaction.change("DELETE FROM arenas WHERE id = ?", arena_id)
    append_log(transaction, [seal(LogEntry(None, None, now, "deleted", reason="an arena"), NO_ROW)])
    return rows, learners


def _delete(transaction: Transaction, arena_id: int, after: int, last: int) -> int:
    rows, values = "seq > ? AND seq <= ? AND arena_id = ?", (after, last, arena_id)
    totals.subtract(transaction, rows, *values)
    return transaction.change(f"DELETE FROM log WHERE {rows}", *values)
