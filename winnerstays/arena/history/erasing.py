"""Erasing a user: rows, learner, and the name and words wherever else they stand."""

from typing import NamedTuple

from winnerstays.arena.history import arena_log, chain, totals
from winnerstays.arena.stores import learner_statements, removal
from winnerstays.arena.stores.base import Transaction
from winnerstays.arena.stores.rows import LogEntry
from winnerstays.arena.stores.statements import OF_LEARNER, of_learner


class Removed(NamedTuple):
    """How much was removed with a user."""

    rows: int
    learners: int
    names: int
    """Rows that stay, without the name and the reason."""


def erase_user(transaction: Transaction, arena_id: int, username: str, now: float) -> Removed:
    """Remove a user's learner with its rows, and name and reason from all other rows; log it.

    A row that stays keeps the digest of what is removed from it: the chain it is in still holds, and no answer that
    comes later brings the name back.
    """
    locked = learner_statements.lock_users(transaction, arena_id, ["", username])
    learners = [learner.id for learner in locked if learner.username]
    rows = 0
    for learner_id in learners:
        own = of_learner(learner_id)
        totals.subtract(transaction, OF_LEARNER, *own)
        rows += removal.delete_rows(transaction, OF_LEARNER, *own)
        removal.delete_learner(transaction, learner_id)
    removal.delete_name(transaction, arena_id, username)
    rows += removal.delete_unknown_of(transaction, arena_id, username)
    named = removal.rows_that_name(transaction, arena_id, username)
    if named:
        removal.erase_names(
            transaction, [(chain.personal_digest(row.entry, row.seal.salt or b""), row.seq) for row in named]
        )
    if rows or learners or named:
        reason = f"{rows} rows removed, a name removed from {len(named)} more"
        arena_log.append(transaction, LogEntry(arena_id, None, now, "erased", reason=reason))
    return Removed(rows, len(learners), len(named))
