"""Versions of an arena's model of tastes: a thread makes them of all answers so far, and no request waits for it.

A version is made of the rows of the log up to one of them and of the items, and of nothing else: replay makes it again.
"""

import threading
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.engine.rebuilding import PrunedLearner
from winnerstays.arena.engine.tastes import crowd_of
from winnerstays.arena.stores import model_statements
from winnerstays.arena.stores.base import Reader, Store, StoreError, Transaction
from winnerstays.arena.stores.model_statements import ModelRow
from winnerstays.arena.stores.rows import SNAPSHOT, shown_in
from winnerstays.tastes import LOST, TIED, WON, Crowd, fit

MIN_ANSWERS = 10
GROWTH = 0.05
"""The next version is made when there are at least so many more answers, and this share of those before."""
PAUSE_SECONDS = 2.0
"""A process looks this often, while there are answers, whether a version is due."""
GIVEN_UP_SECONDS = 900.0
"""After this long, another process makes a version that was begun."""
MAX_GROUPS = 50
"""The first groups that are modelled; visitors of others are like those of none."""


class Made(NamedTuple):
    """A version as it was made."""

    crowd: Crowd
    answers: int


def make(reader: Reader, arena: ArenaRuntime, last: int, n_items: int) -> Made:
    """Make the model of all answers in the log up to the row `last`."""
    columns = [array("q") for _ in range(5)]
    groups: dict[str, int] = {"": 0}
    told = 0
    for kind, learner_id, first, second, outcome, winner, group, data in model_statements.answers(
        reader, arena.id, last
    ):
        answers: Collection[tuple[int, int, int]] = ()
        if kind == SNAPSHOT:
            learner = PrunedLearner.of(data)
            group, answers = learner.group, arena.rules.answers_in(learner_id, learner.state)
        elif shown := shown_in(data):
            answers = tuple((winner, other, WON) for other in shown if other != winner)
        elif outcome in ("winner", "tie"):
            answers = ((first, second, TIED if outcome == "tie" else WON if winner == first else LOST),)
        if group and group not in groups and len(groups) <= MAX_GROUPS:
            groups[group] = len(groups)
        told += len(answers) if kind == SNAPSHOT else bool(answers)
        for answer in answers:
            for column, value in zip(columns, (learner_id, *answer, groups.get(group or "", 0)), strict=True):
                column.append(value)
    crowd = crowd_of(arena.settings.items[:n_items], groups)
    who, first, second, outcomes, of_group = (np.frombuffer(column, np.int64) for column in columns)
    return Made(fit(crowd, who, first, second, outcomes, of_group), told)


def digest_of(data: bytes) -> bytes:
    return blake2b(data, digest_size=32).digest()


class ModelKeeper:
    """Makes versions when they are due, in a thread; knows the newest of each arena that this process has loaded."""

    def __init__(self, store: Store, clock: Callable[[], float], find_arena: Callable[[int], ArenaRuntime]) -> None:
        self._store, self._clock, self._find_arena = store, clock, find_arena
        self._newest: dict[int, int] = {}
        self._answers: Counter[int] = Counter()
        """How many came to an arena in this process since it last looked."""
        self._started = False
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def newest(self, reader: Reader, arena_id: int) -> int:
        """Return the newest version of an arena that this process has loaded; 0 if there is none."""
        known = self._newest.get(arena_id)
        if known is None:
            row = model_statements.newest(reader, arena_id)
            known = self._newest[arena_id] = 0 if row is None else row.version
        return known

    def start(self) -> None:
        """Make versions in a thread from now on, until `close`."""
        self._started = True

    def answered(self, arena_ids: Iterable[int]) -> None:
        """Look soon whether versions of these arenas are due, once there are enough answers."""
        with self._lock:
            self._answers.update(arena_ids)
            due = self._started and self._answers and max(self._answers.values()) >= MIN_ANSWERS
            if due and self._thread is None and not self._closed.is_set():
                self._thread = threading.Thread(target=self._work, name="models", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while not self._closed.wait(PAUSE_SECONDS):
            with self._lock:
                waiting = [arena_id for arena_id, count in self._answers.items() if count >= MIN_ANSWERS]
                if not waiting:
                    self._thread = None
                    return
                for arena_id in waiting:
                    del self._answers[arena_id]
            for arena_id in waiting:
                if self._closed.is_set():
                    return
                with suppress(StoreError):  # the arena was deleted, or the store is away: the next look tries again
                    self.update(arena_id)

    def update(self, arena_id: int) -> bool:
        """Make the next version of an arena if it is due and nobody does; load the newest. Return whether one came."""
        last = self._store.settled()
        arena = self._find_arena(arena_id)
        if not arena.uses_models:
            return False

        def claim(transaction: Transaction) -> int | None:
            before = model_statements.newest(transaction, arena_id)
            row = before or ModelRow(0, 0, 0, 0, 0.0, 0, None, None)
            more = model_statements.count_answers(transaction, arena_id, row.seq, last)
            if not row.stale and more < max(MIN_ANSWERS, GROWTH * row.answers):
                return None
            begun = model_statements.newest(transaction, arena_id, made=False)
            waits = begun is not None and begun.digest is None
            version = (begun.version if waits else begun.version + 1) if begun else 1
            now = float(self._clock())
            return (
                version if model_statements.claim(transaction, arena_id, version, now, now - GIVEN_UP_SECONDS) else None
            )

        version = self._store.run(claim)
        if version is not None:
            self._make(arena, version, last)
        row = self._store.read(lambda reader: model_statements.newest(reader, arena_id))
        if row is None or row.version == self._newest.get(arena_id):
            return False
        arena.rules.models.crowd(row.version)
        self._newest[arena_id] = row.version
        return True

    def _make(self, arena: ArenaRuntime, version: int, last: int) -> None:
        n_items = len(arena.settings.items)
        made = self._store.read(lambda reader: make(reader, arena, last, n_items))
        data = made.crowd.dump()
        row = ModelRow(version, last, made.answers, n_items, 0.0, 0, digest_of(data), data)
        self._store.run(lambda transaction: model_statements.save(transaction, arena.id, row))

    def close(self) -> None:
        """Let the thread end, and wait for it."""
        self._closed.set()
        thread = self._thread
        if thread is not None:
            thread.join()


def check(reader: Reader, arena: ArenaRuntime) -> tuple[list[str], list[str]]:
    """Make all versions of an arena again; return what differs, and what cannot be checked."""
    wrong, unchecked, deleted = [], [], 0
    pruned = model_statements.was_pruned(reader, arena.id)
    for row in model_statements.all_of(reader, arena.id):
        which = f"version {row.version} of the model of arena {arena.settings.name!r}"
        if row.data is None:
            deleted += 1
            continue
        if digest_of(bytes(row.data)) != row.digest:
            wrong.append(f"{which} is not what was written")
            continue
        if pruned or row.stale:
            unchecked.append(f"{which}: answers that it was made of may have been pruned or erased")
        elif make(reader, arena, row.seq, row.items).crowd.dump() != bytes(row.data):
            wrong.append(f"{which} is not what the log gives")
    if deleted:
        unchecked.append(
            f"{deleted} versions of the model of arena {arena.settings.name!r}, and the pairs that they chose: they "
            "were deleted after a user was erased"
        )
    return wrong, unchecked
