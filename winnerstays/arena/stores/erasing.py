"""Erasing a user: rows, learner, and the name and words wherever else they stand."""

from typing import NamedTuple

from winnerstays.arena.history import chain
from winnerstays.arena.history.chain import LogEntry
from winnerstays.arena.stores import totals
from winnerstays.arena.stores.base import Transaction
from winnerstays.arena.stores.learner_statements import lock_users
from winnerstays.arena.stores.statements import LOG_ROW, OF_LEARNER, LogRow, append_arena_log, of_learner


class Removed(NamedTuple):
    """How much was removed with a user."""

    rows: int
    learners: int
    names: int
    """Rows that stay, without the name and the reason."""


_NAMED = "(arena_id = ? OR arena_id IS NULL) AND username = ?"


def erase_user(transaction: Transaction, arena_id: int, username: str, now: float) -> Removed:
    """Remove a user's learner with its rows, and name and reason from all other rows; log it.

    A row that stays keeps the digest of what is removed from it: the chain it is in still holds, and no answer that
    comes later brings the name back.
    """
    learners = [learner.id for learner in lock_users(transaction, arena_id, ["", username]) if learner.username]
    rows = 0
    for learner_id in learners:
        own = of_learner(learner_id)
        totals.subtract(transaction, OF_LEARNER, *own)
        rows += transaction.change(f"DELETE FROM log WHERE {OF_LEARNER}", *own)
        transaction.change("DELETE FROM learners WHERE id = ?", learner_id)
    for table in ("usernames", "answer_rates"):
        transaction.change(f"DELETE FROM {table} WHERE arena_id = ? AND username = ?", arena_id, username)
    rows += transaction.change(f"DELETE FROM log WHERE {_NAMED} AND kind = '{chain.UNKNOWN}'", arena_id, username)
    named = list(map(LogRow.of, transaction.rows(f"SELECT {LOG_ROW} FROM log WHERE {_NAMED}", arena_id, username)))
    if named:
        digests = [chain.personal_digest(row.entry, row.seal.salt or b"") for row in named]
        changed = [(None, None, None, digest, row.seq) for row, digest in zip(named, digests, strict=True)]
        transaction.update("log", "username, reason, salt, digest, seq", changed)
    if rows or learners or named:
        reason = f"{rows} rows removed, a name removed from {len(named)} more"
        append_arena_log(transaction, [LogEntry(arena_id, None, now, "erased", reason=reason)])
    return Removed(rows, len(learners), len(named))
