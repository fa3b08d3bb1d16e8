"""Removing rows: a user is erased, an arena deleted, old rows are pruned. Each is done in short transactions.

Pruning puts one row that holds what they came to in the place of the oldest rows of each learner. Replay goes on from
that snapshot; hashes, heads and running totals stay as they are. What is kept: every duel that can still be answered,
rows of arenas (created, erased, pruned), and the rest of a duel's rows where one is kept.
"""

import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.engine.rebuilding import PrunedLearner, RebuiltLearner
from winnerstays.arena.errors import UnusableArenaError
from winnerstays.arena.history import chain, totals
from winnerstays.arena.records import Pruned
from winnerstays.arena.stores import learner_statements, model_statements, removal, statements
from winnerstays.arena.stores.base import Store, Transaction
from winnerstays.arena.stores.rows import REWARDED, SERVED, SNAPSHOT, LearnerRow, LogEntry, LogRow
from winnerstays.arena.stores.statements import OF_LEARNER, of_learner
from winnerstays.errors import WinnerstaysError

FindArena = Callable[[Transaction, int], ArenaRuntime]
"""Finds an arena by its id."""
ROWS_AT_ONCE = 20_000
"""The most rows that one transaction deletes; of a learner, that it prunes."""
LEARNERS_AT_ONCE = 200
"""The most learners that one transaction prunes."""


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
    row = chain.seal(LogEntry(None, None, now, "deleted", reason="an arena"), chain.NO_ROW)
    statements.append_log(transaction, [row])
    return rows, learners


def _delete_up_to(transaction: Transaction, arena_id: int, last: int) -> int:
    totals.subtract(transaction, removal.ROWS_OF_ARENA, arena_id, last)
    return removal.delete_rows(transaction, removal.ROWS_OF_ARENA, arena_id, last)


def prune(store: Store, find_arena: FindArena, before: float, now: float) -> Pruned:
    """Prune the rows from before a time. The running totals must be up to date."""
    with store.snapshot() as view:
        waiting = removal.learners_with_rows_before(view, before)
    rows: Counter[int] = Counter()
    learners: set[tuple[int, int]] = set()
    while waiting:
        batch, waiting = waiting[:LEARNERS_AT_ONCE], waiting[LEARNERS_AT_ONCE:]
        for step in store.run(partial(_prune_learners, find_arena, batch, before, now)):
            rows[step.arena_id] += step.rows
            learners.add((step.arena_id, step.learner_id))
            if step.more:
                waiting.append(step.learner_id)
    unknown = store.run(lambda transaction: _prune_unknown(transaction, before))
    counts = Counter(arena_id for arena_id, _ in learners)
    for arena_id in sorted(rows):
        reason = f"{rows[arena_id]} rows of {counts[arena_id]} learners"
        entry = LogEntry(arena_id, None, now, "pruned", reason=reason)
        store.run(partial(chain.append_to_arena, entry=entry))
    return Pruned(rows.total() + unknown, len(learners))


def _prune_unknown(transaction: Transaction, before: float) -> int:
    """Remove answers to unknown duels from before a time; return how many there were."""
    totals.subtract(transaction, removal.UNKNOWN_BEFORE, before)
    return removal.delete_rows(transaction, removal.UNKNOWN_BEFORE, before)


class _Step(NamedTuple):
    """What was pruned of a learner."""

    arena_id: int
    learner_id: int
    rows: int
    more: bool
    """Whether there may be more."""


def _prune_learners(
    find_arena: FindArena, ids: list[int], before: float, now: float, transaction: Transaction
) -> list[_Step]:
    locked = learner_statements.lock_by_id(transaction, ids)  # without those erased meanwhile
    steps = []
    for learner in locked:
        with suppress(UnusableArenaError):
            arena = find_arena(transaction, learner.arena_id)
            steps.append(_prune_learner(transaction, arena, learner, before, now))
    return [step for step in steps if step.rows]


def _prune_learner(
    transaction: Transaction, arena: ArenaRuntime, learner: LearnerRow, before: float, now: float
) -> _Step:
    """Prune a locked learner; only some of its rows, if there are many."""
    if arena.fault is not None:
        raise arena.fault
    rows = removal.oldest_rows(transaction, learner, ROWS_AT_ONCE)
    old = PrunedLearner.of(rows[0].entry.data) if rows and rows[0].entry.kind == SNAPSHOT else None
    start = 0 if old is None else 1
    end = _end(transaction, arena, learner, rows, before, now)
    gone = rows[start:end]
    if gone:
        rebuilt = _rebuild(arena, learner, old, gone)
        sums = Counter(old.totals if old else {})
        sums.update(
            totals.of_rows(transaction, removal.ROWS_OF_LEARNER, learner.id, gone[0].seq, gone[-1].seq)
        )  # + drops negatives
        snapshot = PrunedLearner(
            chain.first_of_learner(learner.id, learner.arena_id, learner.username).hex(),
            arena.rules.dump(rebuilt.state),
            rebuilt.open_duel_id,
            len(gone) + (old.rows if old else 0),
            sums,
            rebuilt.group,
            (old.rewards if old else {}) | dict(filter(None, map(_keyed_reward, gone))),
        )
        removal.replace_rows(transaction, learner.id, rows[0].seq, gone[-1].seq, snapshot.row_in_place_of(gone[-1]))
    return _Step(arena.id, learner.id, len(gone), len(rows) == ROWS_AT_ONCE)


def _keyed_reward(row: LogRow) -> tuple[str, float] | None:
    """Return the key and the value of a reward that has a key."""
    data = json.loads(row.entry.data or "{}") if row.entry.kind == REWARDED else {}
    return (data["key"], data["value"]) if data.get("key") is not None else None


def _end(
    transaction: Transaction, arena: ArenaRuntime, learner: LearnerRow, rows: list[LogRow], before: float, now: float
) -> int:
    """Return how many of the rows may go: they are old, and belong to duels that cannot be answered any more.

    The rows of a user's learner are found through its served duels, so there all rows of a duel go, or none. Those of a
    learner for everyone are not: many of its duels are open at any time.
    """
    end = next((place for place, row in enumerate(rows) if row.entry.at >= before), len(rows))
    served = {str(row.entry.duel_id): place for place, row in enumerate(rows[:end]) if row.entry.phase == SERVED}
    last_rows = removal.last_rows_of_duels(transaction, learner.id, list(served))
    for duel_id, place in reversed(served.items()):
        if place < end:
            last, closed = last_rows[duel_id]
            still_open = not closed and float(rows[place].entry.expires_at or 0) > now
            if still_open or (last > rows[end - 1].seq and not arena.shared):
                end = place
    return end


def _rebuild(arena: ArenaRuntime, learner: LearnerRow, old: PrunedLearner | None, rows: list[LogRow]) -> RebuiltLearner:
    rebuilt = RebuiltLearner(arena, learner.id, old, rows)
    for row in rows:
        difference = rebuilt.add(row)
        if difference is not None:
            raise WinnerstaysError(
                f"Learner {learner.id} cannot be pruned: {difference}. `winnerstays arena replay` says more."
            )
    return rebuilt
