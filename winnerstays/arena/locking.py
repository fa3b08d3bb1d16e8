"""The learners and duels that a transaction concerns: found, locked, and read as they are then."""

from collections.abc import Iterable
from typing import Any

from winnerstays.arena.cache import ArenaRuntime, Cache
from winnerstays.arena.errors import BusyError, DeletedArenaError
from winnerstays.arena.learning import LearnerState
from winnerstays.arena.stores import statements
from winnerstays.arena.stores.base import Transaction
from winnerstays.arena.stores.statements import ANSWERED, LATE, UNDONE, LearnerRow, ServedDuel


class LockedLearner:
    """A learner's row while it is locked."""

    __slots__ = ("arena", "changed", "data", "group", "head", "id", "looked", "open", "state", "username")

    def __init__(self, row: LearnerRow, arena: ArenaRuntime, state: LearnerState | None) -> None:
        self.id = row.id
        self.arena = arena
        self.username = row.username
        self.open = (row.open_duel_id or "").split()
        """The duels of a user that can be answered, the oldest first."""
        self.looked = False
        """Whether this transaction looked for duels of everyone that expired."""
        self.data = row.state
        self.head = row.chain_head
        self.group = row.user_group
        self.state: Any = state  # None in an arena that cannot be used, and so never asked for
        self.changed = False


class LockedRows:
    """What one transaction has read and locked, and what its own requests have changed of it since."""

    def __init__(self, cache: Cache, transaction: Transaction, now: float, *, hasty: bool = False) -> None:
        """`hasty` if others wait meanwhile: what takes long is a BusyError."""
        self._hasty = hasty
        self.cache = cache
        self.transaction = transaction
        self.now = now
        self.served: dict[str, ServedDuel] = {}
        self.learner_ids: dict[tuple[int, str], int] = {}
        """Of the learners that are asked, by (arena's id, username)."""
        self.answered: dict[str, tuple[str, int | None]] = {}
        """The accepted answers, by the duel's id."""
        self.late: set[str] = set()
        """Duels to which an answer was refused as late."""
        self.undone: set[str] = set()
        """Duels whose answer was taken back."""
        self.learners: dict[int, LockedLearner] = {}

    def lock(self, duel_ids: Iterable[str], asked: list[tuple[ArenaRuntime, str]]) -> None:
        """Find and lock the learners of these duels and of those that are asked: (arena, username)."""
        self._find(duel_ids, sorted({(arena.id, username) for arena, username in asked}))
        while True:
            concerned = {served.learner_id for served in self.served.values()}.union(self.learner_ids.values())
            named = [served.id for served in self.served.values() if served.username is not None]
            locked = statements.lock_learners(self.transaction, sorted(concerned), list(self.served), named)
            learners = locked.learners
            owners = {row.id: (row.arena_id, row.username) for row in learners}
            erased = [owner for owner, learner_id in self.learner_ids.items() if owners.get(learner_id) != owner]
            if not erased:
                break
            for owner in erased:
                self.cache.learner_ids.pop(owner, None)
            self._find((), erased)
        deleted = {row.arena_id for row in learners}.difference(id_ for id_, _ in locked.heads)
        if deleted:
            for id_ in deleted:
                self.cache.forget(id_)
            raise DeletedArenaError("An arena was deleted meanwhile; ask again.")
        self.cache.refresh(self.transaction, locked.heads)
        for row in learners:
            arena = self._arena(row.arena_id)
            state = None if arena.fault else self.cache.take_state(arena, row.id, row.state)
            self.learners[row.id] = LockedLearner(row, arena, state)
        for duel_id, phase, outcome, winner in locked.closed:
            if phase == ANSWERED:
                self.answered[duel_id] = (outcome, winner)
            elif phase == LATE:
                self.late.add(duel_id)
            elif phase == UNDONE:
                self.undone.add(duel_id)
        for duel_id in named:
            if duel_id not in locked.still_named:
                self.served[duel_id] = self.served[duel_id]._replace(username=None, erased=True)
        opened = {duel_id for learner_id in self.learner_ids.values() for duel_id in self.learners[learner_id].open}
        self._find([duel_id for duel_id in opened if duel_id not in self.served], ())

    def _arena(self, arena_id: int) -> ArenaRuntime:
        known = self.cache.by_id.get(arena_id)
        if self._hasty and (known is None or known.large):
            raise BusyError("The arena is large, or was not read yet.")
        return known or self.cache.arena_by_id(self.transaction, arena_id)

    def _find(self, duel_ids: Iterable[str], owners: Iterable[tuple[int, str]]) -> None:
        """Find these served duels and the learners of these (arena's id, username); read what is not remembered."""
        unread: list[str] = []
        for duel_id in duel_ids:
            served = self.cache.duels.get(duel_id)
            if served is None:
                unread.append(duel_id)
            else:
                self.served[duel_id] = served
        unknown: dict[int, list[str]] = {}
        for arena_id, username in owners:
            learner_id = self.cache.learner_ids.get((arena_id, username))
            if learner_id is None:
                unknown.setdefault(arena_id, []).append(username)
            else:
                self.learner_ids[arena_id, username] = learner_id
        if not unread and not unknown:
            return
        duels, found = statements.find_duels_and_learners(self.transaction, unread, unknown)
        self.served.update((served.id, served) for served in duels)
        for (arena_id, usernames), learner_ids in zip(unknown.items(), found, strict=True):
            absent = [username for username in usernames if username not in learner_ids]
            if absent:
                learner_ids |= statements.add_learners(self.transaction, arena_id, absent)
            for username, learner_id in learner_ids.items():
                self.learner_ids[arena_id, username] = learner_id
