"""What one transaction works on: the learners and duels that it locks and reads, and the rows that it appends."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from winnerstays.arena.engine.cache import ArenaRuntime, Cache
from winnerstays.arena.engine.duels import DuelData, DuelIds
from winnerstays.arena.engine.learner import LearnerState
from winnerstays.arena.engine.models import ModelKeeper
from winnerstays.arena.errors import BusyError, DeletedArenaError, StoreError
from winnerstays.arena.history import chain
from winnerstays.arena.stores import learner_statements, statements
from winnerstays.arena.stores.base import Transaction
from winnerstays.arena.stores.learner_statements import Locked
from winnerstays.arena.stores.rows import (
    ANSWERED,
    LATE,
    NO_LEARNER,
    UNDONE,
    DuelOf,
    LearnerRow,
    LogEntry,
    Owner,
    RefusalKind,
    ServedDuel,
)
from winnerstays.errors import WinnerstaysError

MAX_TRANSACTION_BYTES = 128_000_000
"""Of the learners that one transaction holds in memory."""
MAX_TRIES = 20
"""A learner that is erased each time before it can be locked is added this often."""


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
        self.head = chain.head_of(row)
        self.group = row.user_group
        self.state: Any = state  # None in an arena that cannot be used, and so never asked for
        self.changed = False

    def close(self, duel_id: str) -> None:
        """Forget that a duel is open."""
        self.open = [id_ for id_ in self.open if id_ != duel_id]


class LockedRows:
    """What one transaction has read and locked, and what its own requests have changed of it since."""

    def __init__(
        self, cache: Cache, transaction: Transaction, now: float, keeper: ModelKeeper, *, hasty: bool = False
    ) -> None:
        """`hasty` if others wait meanwhile: what takes long is a BusyError."""
        self._hasty = hasty
        self._keeper = keeper
        self.cache = cache
        self.transaction = transaction
        self.now = now
        self.served: dict[str, ServedDuel] = {}
        self.learner_ids: dict[Owner, int] = {}
        """Of the learners that are asked, by (arena's id, username)."""
        self.new_ids: dict[Owner, int] = {}
        """Those of them that the process does not remember yet."""
        self.new_duels: list[ServedDuel] = []
        """Duels that were served or read now, and are not remembered yet."""
        self.answered: dict[str, tuple[str, int | None]] = {}
        """The accepted answers, by the duel's id."""
        self.late: set[str] = set()
        """Duels to which an answer was refused as late."""
        self.undone: set[str] = set()
        """Duels whose answer was taken back."""
        self.learners: dict[int, LockedLearner] = {}

    @property
    def duel_ids(self) -> DuelIds:
        """What makes and reads the ids of duels."""
        return self.cache.duel_ids(self.transaction, self.now)

    def lock(self, duel_ids: Iterable[str], asked: list[tuple[ArenaRuntime, str]]) -> None:
        """Find and lock the learners of these duels and of those that are asked: (arena, username)."""
        self._find_answered(duel_ids)
        self._check_memory(asked)
        named = [served.id for served in self.served.values() if served.username is not None]
        locked = self._lock({(arena.id, username) for arena, username in asked}, named)
        learners = locked.learners
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
        self._find_open()

    def _check_memory(self, asked: list[tuple[ArenaRuntime, str]]) -> None:
        """Refuse a transaction whose learners would take too much memory together."""
        known = self.cache.by_id
        if (len(asked) + len(self.served)) * self.cache.largest_state <= MAX_TRANSACTION_BYTES:
            return
        sizes: dict[object, int] = {(arena.id, username): arena.state_bytes for arena, username in asked}
        for served in self.served.values():
            sizes[served.learner_id] = known[served.arena_id].state_bytes if served.arena_id in known else 0
        total, largest = sum(sizes.values()), max(sizes.values(), default=0)
        if total > MAX_TRANSACTION_BYTES and len(sizes) > 1:
            raise WinnerstaysError(
                f"These requests need {len(sizes)} learners of up to {largest / 1e6:.1f} MB at once; send at most "
                f"{max(1, MAX_TRANSACTION_BYTES // largest)} together."
            )

    def _lock(self, owners: set[Owner], named: list[str]) -> Locked:
        """Lock the learners of the duels and of these owners, which are added where there are none."""
        remembered = {owner: id_ for owner in owners if (id_ := self.cache.learner_ids.get(owner)) is not None}
        ids = dict(remembered)
        duels = [(served.id, served.learner_id) for served in self.served.values()]
        still_named = [(id_, self.served[id_].learner_id) for id_ in named]
        arena_ids = {served.arena_id for served in self.served.values()}.union(id_ for id_, _ in owners)
        for _ in range(MAX_TRIES):
            concerned = {learner_id for _, learner_id in duels}.union(ids.values())
            unknown = sorted(owners.difference(ids))
            locked = learner_statements.lock_learners(
                self.transaction, sorted(concerned), unknown, list(arena_ids), duels, still_named
            )
            known_ids = {(row.arena_id, row.username): row.id for row in locked.learners}
            absent = sorted(owners.difference(known_ids))
            if not absent:
                self.learner_ids = {owner: known_ids[owner] for owner in owners}
                self.new_ids = {owner: id_ for owner, id_ in self.learner_ids.items() if remembered.get(owner) != id_}
                return locked
            for owner in absent:  # new, or erased by somebody else
                self.cache.learner_ids.pop(owner)
            ids |= learner_statements.add_learners(self.transaction, absent)
        raise StoreError(f"The learner of {absent[0][1]!r} in the arena {absent[0][0]} is not the one of this name.")

    def _arena(self, arena_id: int) -> ArenaRuntime:
        known = self.cache.by_id.get(arena_id)
        if self._hasty and (known is None or known.large):
            raise BusyError("The arena is large, or was not read yet.")
        return known or self.cache.arena_by_id(self.transaction, arena_id)

    def newest_model(self, arena: ArenaRuntime) -> int:
        """Return the version of an arena's model that chooses now; 0 for none."""
        return self._keeper.newest(self.transaction, arena.id) if arena.uses_models else 0

    def _find_answered(self, duel_ids: Iterable[str]) -> None:
        """Find the served duels with these ids; read what is not remembered, first where the ids say."""
        unread = [id_ for id_ in duel_ids if not self._remembers(id_)]
        if not unread:
            return
        ids = self.duel_ids
        hints = {id_: hint for id_ in unread if (hint := ids.learner_of(id_)) is not None}
        self._read(list(hints.items()), [id_ for id_ in unread if id_ not in hints])
        missing = [id_ for id_ in hints if id_ not in self.served]
        if missing:
            self._read([], missing)

    def _find_open(self) -> None:
        """Find the duels that those who ask hold open."""
        asked = map(self.learners.__getitem__, self.learner_ids.values())
        open_duels = [(id_, learner.id) for learner in asked for id_ in learner.open if id_ not in self.served]
        unread = [duel for duel in open_duels if not self._remembers(duel[0])]
        if unread:
            self._read(unread, [])

    def _remembers(self, duel_id: str) -> bool:
        """Take a duel that the process remembers; False if it does not."""
        served = self.cache.duels.get(duel_id)
        if served is not None:
            self.served[duel_id] = served
        return served is not None

    def _read(self, duels: list[DuelOf], of_any_learner: list[str]) -> None:
        rows = learner_statements.find_duels(self.transaction, duels, of_any_learner)
        for served in rows:
            self.add_duel(served)

    def add_duel(self, served: ServedDuel) -> None:
        """Add a duel that was served or read now."""
        self.served[served.id] = served
        self.new_duels.append(served)


MAX_REFUSED_OF_DUEL, MAX_REFUSED_OF_KIND = 100, 2000
"""The log keeps this many refused answers to a duel, and of a kind in an arena; further ones are only counted."""
_NOTHING: Counter[RefusalKind] = Counter()
_REFUSED = (None, LATE)
"""The phases of refused answers. The one that closes a duel as late is always kept."""


class TransactionLog:
    """The new rows of one transaction, in order; `save` writes them, and the learners that they concern."""

    def __init__(self, rows: LockedRows) -> None:
        self._rows = rows
        self.entries: list[LogEntry] = []
        self.refused = self.logged = _NOTHING
        """Refused answers by kind, and those of them that go into the log."""

    def append(
        self,
        served: ServedDuel,
        kind: str,
        *,
        phase: int | None = None,
        outcome: str | None = None,
        winner: int | None = None,
        username: str | None = None,
        reason: str | None = None,
        data: DuelData | None = None,
        arm: int | None = None,
    ) -> None:
        """Add a row about a served duel."""
        self.entries.append(LogEntry(
            served.arena_id, served.learner_id, self._rows.now, kind, served.id, phase, served.first, served.second,
            served.flipped, served.step, served.expires_at, outcome, winner, username, reason,
            data.to_json() if data else None, served.user_group, arm,
        ))  # fmt: skip

    @property
    def taught(self) -> list[int]:
        """The arena of each answer that may change a model."""
        learners = self._rows.learners
        arenas = [
            learners[entry.learner_id].arena
            for entry in self.entries
            if entry.learner_id in learners and entry.phase == ANSWERED
        ]
        return [arena.id for arena in arenas if arena.uses_models]

    def save(self) -> None:
        """Append the rows, each to the chain of its learner, and save the learners whose chains have grown."""
        self._count_refusals()
        if not self.entries:
            return
        rows = []
        grown: dict[int, LockedLearner] = {}
        for entry in self.entries:
            if entry.learner_id is None:
                rows.append(chain.seal(entry, chain.NO_ROW))
                continue
            learner = grown[entry.learner_id] = self._rows.learners[entry.learner_id]
            rows.append(chain.seal(entry, learner.head))
            learner.head = rows[-1][-1]
        statements.append_log(self._rows.transaction, rows)
        saved = []
        for learner in grown.values():
            if learner.changed:
                learner.data = learner.arena.rules.dump(learner.state)
            saved.append((" ".join(learner.open) or None, learner.data, learner.head, learner.group, learner.id))
            self._rows.cache.keep_state(learner.arena, learner.id, learner.data, learner.state)
        if saved:
            learner_statements.save_learners(self._rows.transaction, saved)

    def _count_refusals(self) -> None:
        """Count refused answers, and drop those beyond the bounds from what goes into the log.

        The counts are saved after the transaction (`RefusalCounter`): nobody who answers waits for their rows.
        """
        refused = [entry for entry in self.entries if entry.phase in _REFUSED]
        if not refused:
            return
        self.refused = Counter((entry.arena_id or 0, entry.kind) for entry in refused)
        before = statements.logged_refusals(self._rows.transaction, list(self.refused))
        logged = Counter(before)
        concerned = sorted({(str(entry.duel_id), entry.learner_id or NO_LEARNER) for entry in refused})
        duels = statements.refusals_of_duels(self._rows.transaction, concerned)
        kept = []
        for entry in self.entries:
            if entry.phase in _REFUSED:
                kind, duel_id = (entry.arena_id or 0, entry.kind), str(entry.duel_id)
                full = logged[kind] >= MAX_REFUSED_OF_KIND or duels.get(duel_id, 0) >= MAX_REFUSED_OF_DUEL
                if full and entry.phase is None:
                    continue
                logged[kind] += 1
                duels[duel_id] = duels.get(duel_id, 0) + 1
            kept.append(entry)
        self.entries = kept
        self.logged = logged - Counter(before)
