"""Reading and replacing the oldest rows of a learner."""

from collections import Counter
from collections.abc import Sequence

from winnerstays.arena.history import chain
from winnerstays.arena.history.chain import LogEntry
from winnerstays.arena.stores import totals
from winnerstays.arena.stores.base import Row, Transaction
from winnerstays.arena.stores.base import Snapshot as View
from winnerstays.arena.stores.learner_statements import LearnerRow
from winnerstays.arena.stores.statements import LOG_ROW, NO_LEARNER, OF_LEARNER, LogRow, append_arena_log, of_learner
from winnerstays.arena.stores.totals import SNAPSHOT, Key

ROWS_AT_ONCE = 20_000
"""The most rows of a learner that one transaction prunes."""


def learners_with_rows_before(view: View, before: float) -> list[int]:
    """Return the ids of the learners that have rows from before a time."""
    select = f"SELECT DISTINCT learner_id FROM log WHERE learner_id <> {NO_LEARNER} AND at < ? AND kind <> '{SNAPSHOT}'"
    return sorted(row[0] for row in view.stream(select, before))


def oldest_rows(transaction: Transaction, learner: LearnerRow) -> list[LogRow]:
    """Return the oldest rows of a learner up to the mark of the totals, a snapshot included.

    Those of a user are found through an index of served duels; those of a learner for everyone are where one looks.
    """
    select = f"SELECT {LOG_ROW} FROM log WHERE {{whose}} AND seq <= ({totals.MARK}) ORDER BY seq LIMIT {ROWS_AT_ONCE}"
    if learner.username:
        return list(map(LogRow.of, transaction.rows(select.format(whose=OF_LEARNER), *of_learner(learner.id))))
    return list(map(LogRow.of, transaction.rows(select.format(whose="learner_id = ?"), learner.id)))


def last_rows_of_duels(transaction: Transaction, learner_id: int, duel_ids: list[str]) -> dict[str, tuple[int, bool]]:
    """Return for each of these duels of a learner the sequence number of its latest row, and whether it is closed."""
    select = (
        "SELECT duel_id, MAX(seq), MAX(COALESCE(phase, 0)) FROM log WHERE learner_id = ? AND duel_id IN ?"
        " GROUP BY duel_id"
    )
    return {duel_id: (last, phase >= 1) for duel_id, last, phase in transaction.rows(select, learner_id, duel_ids)}


def totals_of(transaction: Transaction, learner_id: int, seqs: list[int]) -> Counter[Key]:
    """Return the totals of rows of a learner."""
    return totals.of_rows(transaction, "learner_id = ? AND seq IN ?", learner_id, seqs)


def replace_rows(transaction: Transaction, learner_id: int, seqs: Sequence[int], row: Row) -> None:
    """Put one row, which has its own sequence number, in the place of others of a learner."""
    transaction.change("DELETE FROM log WHERE learner_id = ? AND seq IN ?", learner_id, list(seqs))
    transaction.insert("log", LOG_ROW, [row])


def prune_unknown(transaction: Transaction, before: float) -> int:
    """Remove answers to unknown duels from before a time; return how many there were."""
    rows = f"seq <= ({totals.MARK}) AND kind = '{chain.UNKNOWN}' AND learner_id = {NO_LEARNER} AND at < ?"
    rows += " AND seq < (SELECT MAX(newest.seq) FROM log AS newest)"  # the mark is never after the newest row
    totals.subtract(transaction, rows, before)
    return transaction.change(f"DELETE FROM log WHERE {rows}", before)


def log_pruned(transaction: Transaction, arena_id: int, reason: str, now: float) -> None:
    """Log that rows of an arena were pruned."""
    append_arena_log(transaction, [LogEntry(arena_id, None, now, "pruned", reason=reason)])
