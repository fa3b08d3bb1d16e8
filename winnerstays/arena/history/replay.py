"""Replay: every row is what was written, no chained row is missing, every learner is what its rows give."""

import json
import math
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain as concatenate
from itertools import groupby

from winnerstays.arena.engine import models
from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.engine.rebuilding import PrunedLearner, RebuiltLearner
from winnerstays.arena.errors import StoreError
from winnerstays.arena.history import chain, totals
from winnerstays.arena.records import Heads, Replay
from winnerstays.arena.stores import learner_statements, statements
from winnerstays.arena.stores.base import Reader, Store
from winnerstays.arena.stores.rows import ANSWERED, SERVED, SNAPSHOT, ArenaRow, LearnerRow, LogRow

MAX_DIFFERENCES = 20
_WRONG_TYPES = (TypeError, AttributeError, ValueError, KeyError, struct.error)
"""What computing the hash of a damaged row may raise."""


def replay(store: Store, find_arena: Callable[[int], ArenaRuntime], expect: str | None = None) -> Replay:
    """Check a whole database; `expect` is a head that was kept elsewhere, of the database or of one of its arenas."""
    faults, unchecked = store.check()
    if faults:
        return Replay(0, 0, 0, tuple(f"the database's own check: {fault}" for fault in faults[:MAX_DIFFERENCES]))
    work = _Replay(find_arena)
    work.unchecked += unchecked
    try:
        with store.snapshot() as snapshot:
            work.run(snapshot, expect)
    except StoreError as error:
        work.differences.append(str(error))
    return work.result()


def heads(snapshot: Reader) -> Heads:
    """Return the heads of all arenas and of the database, as they are stored."""
    arenas = list(statements.arenas(snapshot))
    chains = _Heads(arenas)
    for learner in learner_statements.all_learners(snapshot):
        chains.add(learner)
    return chains.result()


class _Heads:
    """The heads of arenas, learner by learner."""

    def __init__(self, arenas: list[ArenaRow]) -> None:
        self._names = {arena.id: arena.name for arena in arenas}
        self._heads = {arena.id: chain.Head(arena.head or b"") for arena in arenas}

    def add(self, learner: LearnerRow) -> None:
        if learner.arena_id in self._heads:
            self._heads[learner.arena_id].add(learner.id, chain.head_of(learner))

    def result(self) -> Heads:
        database = chain.Head()
        for arena_id, head in sorted(self._heads.items()):
            database.add(arena_id, head.digest())
        names = {self._names[arena_id]: head.digest().hex() for arena_id, head in self._heads.items()}
        return Heads(database.digest().hex(), names)


class _Replay:
    """The work of one replay."""

    def __init__(self, find_arena: Callable[[int], ArenaRuntime]) -> None:
        self._find_arena = find_arena
        self.differences: list[str] = []
        self.unchecked = ["API keys, secrets, the counts of refused answers and of those in a minute"]
        self._arenas: dict[int, ArenaRow] = {}
        self._runtimes: dict[int, ArenaRuntime] = {}
        self._learners = self._served = self._accepted = self._rows = self._erased = self._pruned = 0
        self._heads: Heads | None = None

    def result(self) -> Replay:
        if self._erased:
            self.unchecked.append(f"the names and reasons in {self._erased} rows: they were erased")
        if self._pruned:
            self.unchecked.append(f"{self._pruned} rows that were pruned: their learners are taken from snapshots")
        return Replay(
            self._learners, self._served, self._accepted, tuple(self.differences[:MAX_DIFFERENCES]),
            tuple(self.unchecked), self._rows, self._heads,
        )  # fmt: skip

    def run(self, snapshot: Reader, expect: str | None) -> None:
        """Check everything."""
        for arena in statements.arenas(snapshot):
            if not _has_types(arena, int, str, float, str, bytes):
                self.differences.append(f"the row of arena {arena.id!r} holds values of the wrong types")
                return
            self._arenas[arena.id] = arena
        if not self._arenas:
            self.differences.append("there is no arena: nothing was compared")
        self._load_arenas()
        self._check_arenas(snapshot)
        for runtime in self._runtimes.values():
            if runtime.uses_models:
                differences, unchecked = models.check(snapshot, runtime)
                self.differences += differences
                self.unchecked += unchecked
        chains = _Heads(list(self._arenas.values()))
        self._check_learners(snapshot, chains)
        self._check_rows_in_no_chain(snapshot)
        if not learner_statements.names_are_those_of_learners(snapshot):
            self.differences.append("the table of user names does not lead to the learners of these names")
        if not totals.mark_is_sound(snapshot):
            self.differences.append("the running totals claim rows that are not in the log")
        if not self.differences and totals.stored(snapshot) != totals.counted(snapshot):
            self.differences.append("the running totals are not those of the log")
        self._heads = chains.result()
        self._check_expected(expect)

    def _load_arenas(self) -> None:
        for arena in self._arenas.values():
            try:
                runtime = self._find_arena(arena.id)
            except StoreError as error:
                self.differences.append(str(error))
                continue
            self._runtimes[arena.id] = runtime
            if runtime.fault is not None:
                self.unchecked.append(f"the learners of arena {arena.name!r}, of which only rows. {runtime.fault}")

    def _check_arenas(self, snapshot: Reader) -> None:
        """Check the chain of each arena; its latest row with a hash of settings must be that of the settings."""
        stored = {}
        for arena_id, rows in groupby(statements.arena_rows(snapshot), key=lambda row: row.entry.arena_id):
            arena = self._arenas.get(arena_id) if isinstance(arena_id, int) else None
            if arena is None:
                self.differences.append(f"the rows of arena {arena_id!r} belong to no arena")
                continue
            head, settings = chain.first_of_arena(arena.id, arena.created_at), None
            for row in rows:
                if not self._check_row(row, head):
                    return
                head = bytes(row.seal.hash or b"")
                settings = json.loads(row.entry.data or "{}").get("settings", settings)
            stored[arena.id] = (head, settings)
        for arena in self._arenas.values():
            expected = (bytes(arena.head or b""), chain.settings_hash(arena.name, arena.settings))
            if stored.get(arena.id) != expected:
                self.differences.append(f"the row of arena {arena.name!r} is not what its log says")

    def _check_row(self, row: LogRow, before: bytes) -> bool:
        """Whether a row is what was written after the row with the hash `before`."""
        self._rows += 1
        self._erased += row.seal.digest is not None and row.entry.kind != SNAPSHOT
        intact = False
        with suppress(*_WRONG_TYPES):
            intact = chain.hash_after(row, before) == row.seal.hash
        if not intact:
            self.differences.append(f"row {row.seq} is not what was written, or a row before it is missing")
        return intact

    def _check_rows_in_no_chain(self, snapshot: Reader) -> None:
        loose = sum(self._check_row(row, chain.NO_ROW) for row in statements.rows_in_no_chain(snapshot))
        if loose:
            self.unchecked.append(f"answers to unknown duels: {loose} are as written, but a missing one is not noticed")

    def _check_learners(self, snapshot: Reader, found: _Heads) -> None:
        groups = groupby(statements.learner_rows(snapshot), key=_learner_id)
        nothing: tuple[float, Iterator[LogRow]] = (math.inf, iter(()))
        group_id, rows = next(groups, nothing)
        for learner in learner_statements.all_learners(snapshot):
            if not _has_types(learner, int, int, str, str, bytes, bytes, str):
                self.differences.append(f"the row of learner {learner.id!r} holds values of the wrong types")
                return
            while group_id < learner.id:
                self.differences.append(f"the rows of learner {group_id} belong to no learner")
                group_id, rows = next(groups, nothing)
            self._learners += 1
            found.add(learner)
            self._check_learner(learner, rows if group_id == learner.id else iter(()))
            if group_id == learner.id:
                group_id, rows = next(groups, nothing)
        if next(rows, None) is not None:
            self.differences.append(f"the rows of learner {group_id} and later belong to no learner")

    def _check_learner(self, learner: LearnerRow, rows: Iterator[LogRow]) -> None:
        runtime = self._runtimes.get(learner.arena_id)
        arena = self._arenas.get(learner.arena_id)
        who = f"learner {learner.id} ({learner.username or 'everyone'!r} in arena {arena.name if arena else '?'!r})"
        if arena is None:
            self.differences.append(f"{who} belongs to no arena")
            return
        before = chain.first_of_learner(learner.id, learner.arena_id, learner.username)
        first = next(rows, None)
        snapshot = None
        if first is not None and first.entry.kind == SNAPSHOT:
            snapshot = self._check_snapshot(first, before)
            if snapshot is None:
                return
            before, first = bytes(first.seal.hash or b""), next(rows, None)
        intact = []
        for row in concatenate(() if first is None else (first,), rows):
            if not self._check_row(row, before):
                return
            before = bytes(row.seal.hash or b"")
            intact.append(row)
        if before != chain.head_of(learner):
            self.differences.append(f"{who}: rows are missing at its end, or its head is wrong")
            return
        self._served += sum(row.entry.phase == SERVED for row in intact)
        self._accepted += sum(row.entry.phase == ANSWERED for row in intact)
        if runtime is not None and runtime.fault is None:
            self.differences += [f"{who}: {difference}" for difference in _compare(runtime, learner, snapshot, intact)]

    def _check_snapshot(self, row: LogRow, first: bytes) -> PrunedLearner | None:
        """Return the snapshot that a row holds, if it is what was written for this learner."""
        self._rows += 1
        pruned = None
        with suppress(*_WRONG_TYPES):
            if row.seal.digest == chain.hash_row(row.entry, bytes(row.seal.hash or b"")):
                pruned = PrunedLearner.of(row.entry.data)
        if pruned is None or pruned.first != first.hex():
            self.differences.append(f"row {row.seq}, a snapshot, is not what was written")
            return None
        self._pruned += pruned.rows
        return pruned

    def _check_expected(self, expect: str | None) -> None:
        assert self._heads is not None
        if expect is None:
            self.unchecked.append("whether the newest rows are missing: no head was given to compare with")
        elif expect.lower() not in (self._heads.database, *self._heads.arenas.values()):
            self.differences.append(
                f"the head is {self._heads.database}, and no arena has the head {expect}: rows were added, erased, "
                "changed or lost since that was kept"
            )


def _learner_id(row: LogRow) -> float:
    """Return the learner of a row; infinity where a damaged row names none (it then comes last)."""
    id_ = row.entry.learner_id
    return id_ if isinstance(id_, int) else math.inf


def _has_types(row: tuple[object, ...], *types: type) -> bool:
    return all(value is None or isinstance(value, type_) for value, type_ in zip(row, types, strict=True))


def _compare(
    arena: ArenaRuntime, learner: LearnerRow, snapshot: PrunedLearner | None, rows: list[LogRow]
) -> Iterator[str]:
    """Yield what differs between a stored learner and the one that its rows give; all rows are as written."""
    rebuilt = RebuiltLearner(arena, learner.id, snapshot, rows)
    for row in rows:
        difference = rebuilt.add(row)
        if difference is not None:
            yield difference
            return
    if rebuilt.open_duel_id != learner.open_duel_id:
        yield f"its open duel is {learner.open_duel_id!r}, but the log gives {rebuilt.open_duel_id!r}"
    if rebuilt.group != learner.user_group:
        yield f"its group is {learner.user_group!r}, but the log gives {rebuilt.group!r}"
    rules = arena.rules
    if rules.dump(rebuilt.state) != (bytes(learner.state) or rules.dump(rules.fresh(learner.id))):
        yield "its stored state is not what its rows give"
