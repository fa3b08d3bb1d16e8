"""Erasing a user, with the name and words wherever they stand; deleting an arena, in steps that are short."""

from functools import partial
from typing import NamedTuple

from winnerstays.arena.history import chain, totals
from winnerstays.arena.history.chain import NO_ROW, seal
from winnerstays.arena.stores import learner_statements, model_statements, removal, statements
from winnerstays.arena.stores.base import Store, Transaction
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
        chain.append_to_arena(transaction, LogEntry(arena_id, None, now, "erased", reason=reason))
        model_statements.user_was_erased(transaction, arena_id)
    return Removed(rows, len(learners), len(named))


ROWS_AT_ONCE = 20_000
"""The most rows that one transaction deletes."""


def delete_arena(store: Store, arena_id: int, now: float) -> tuple[int, int]:
    """Delete an arena that serves no more duels; return how many rows and learners that were."""
    rows = learners = after = 0
    while (step := store.run(partial(_delete_rows, arena_id=arena_id, after=after))) is not None:
        deleted, after = step
        rows += deleted
    while deleted := store.run(partial(_delete_learners, arena_id=arena_id)):
        learners += deleted
    more_rows, more_learners = store.run(partial(_delete_rest, arena_id=arena_id, now=now))
    return rows + more_rows, learners + more_learners


def _delete_rows(transaction: Transaction, arena_id: int, after: int) -> tuple[int, int] | None:
    """Delete the next rows of an arena; return how many, and the last of them; None if there were none."""
    last = removal.last_of_next_rows(transaction, arena_id, after, ROWS_AT_ONCE)
    return None if last is None else (_delete_up_to(transaction, arena_id, last), last)


def _delete_learners(transaction: Transaction, arena_id: int) -> int:
    """Delete some learners of an arena; return how many."""
    names = removal.some_names(transaction, arena_id, ROWS_AT_ONCE)
    ids = [learner.id for learner in learner_statements.lock_by_id(transaction, [id_ for _, id_ in names])]
    return removal.delete_learners(transaction, arena_id, ids, [username for username, _ in names])


def _delete_rest(transaction: Transaction, arena_id: int, now: float) -> tuple[int, int]:
    """Delete what came meanwhile, and the arena; return how many rows and learners that were.

    Nobody writes meanwhile, so nothing of the arena can come later. The log says that an arena was deleted, not which.
    """
    transaction.lock_tables("usernames", "learners", "log")
    rows = _delete_up_to(transaction, arena_id, statements.last_seq(transaction))
    learners = removal.delete_arena(transaction, arena_id)
    statements.append_log(transaction, [seal(LogEntry(None, None, now, "deleted", reason="an arena"), NO_ROW)])
    return rows, learners


def _delete_up_to(transaction: Transaction, arena_id: int, last: int) -> int:
    totals.subtract(transaction, removal.ROWS_OF_ARENA, arena_id, last)
    return removal.delete_rows(transaction, removal.ROWS_OF_ARENA, arena_id, last)
