"""Arenas in a database of this process: what `Arenas` does, on a store."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any, TypeVar

from winnerstays.arena import items
from winnerstays.arena.engine.answer import reward
from winnerstays.arena.engine.ask import find_eligible, find_items
from winnerstays.arena.engine.batch import RefusalCounter, TransactionBatch
from winnerstays.arena.engine.cache import ArenaRuntime, Cache
from winnerstays.arena.engine.commit_queue import CommitQueue
from winnerstays.arena.engine.learner import LearnerState, LearningRules
from winnerstays.arena.engine.models import MIN_ANSWERS, ModelKeeper
from winnerstays.arena.engine.state_size import check_size, compile_steps
from winnerstays.arena.errors import (
    DeletedArenaError,
    DifferentArenaError,
    StoreError,
    UnknownArenaError,
    UnknownUserError,
    UnusableArenaError,
)
from winnerstays.arena.figures import counts
from winnerstays.arena.figures.health import Health, health
from winnerstays.arena.figures.likely import Poll, Turn, poll, turn
from winnerstays.arena.figures.standing import standing, summary
from winnerstays.arena.figures.uplift import Uplift, uplift
from winnerstays.arena.history import chain
from winnerstays.arena.history.events import Names, event_of, names_of
from winnerstays.arena.history.removing import Removed, delete_arena, erase_user, prune
from winnerstays.arena.history.replay import heads, replay
from winnerstays.arena.history.totals import TotalsKeeper
from winnerstays.arena.items import ItemChanges
from winnerstays.arena.operations import Operation
from winnerstays.arena.records import (
    UNDO,
    Ask,
    Bias,
    Deleted,
    Erased,
    Event,
    Heads,
    Permit,
    Popularity,
    Pruned,
    Replay,
    Request,
    Result,
    Rewarded,
    Standing,
    Summary,
    Totals,
    in_pages,
)
from winnerstays.arena.settings import Settings
from winnerstays.arena.stores import learner_statements, open_store, statements
from winnerstays.arena.stores.base import Reader, Store, Transaction
from winnerstays.arena.stores.migrations import check_own
from winnerstays.arena.stores.model_statements import data_of
from winnerstays.arena.text import check_text
from winnerstays.errors import WinnerstaysError

T = TypeVar("T")


class LocalBackend:
    """All arenas of one database. Besides what every Backend offers: replay, and what a service needs."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time, address: str = "") -> None:
        self.address = address
        self.store = store
        self._clock = clock
        self._cache = Cache(lambda arena_id, version: store.read(lambda reader: data_of(reader, arena_id, version)))
        self.models = ModelKeeper(store, clock, self._arena_by_id)
        """Makes the versions of models of tastes."""
        self._moment = threading.local()
        """The reader of the figures that are of one moment, and what is settled then."""
        self.totals_keeper = TotalsKeeper(store)
        self._refusals = RefusalCounter(store)
        self.queue: CommitQueue[Request, Result] = CommitQueue(self._execute, store.writers, self.execute_now)
        """The asks and answers that wait for a transaction."""

    @classmethod
    def open(cls, address: str, clock: Callable[[], float] = time.time, *, upgrade: bool = False) -> "LocalBackend":
        """Open the database at an address; tables of an older version are changed only with `upgrade`."""
        backend = cls(open_store(address, upgrade=upgrade), clock, address)
        backend.models.start()
        return backend

    def ping(self, now: float) -> None:
        """Write to the database; StoreError if it cannot be written to."""
        self.store.run(lambda transaction: statements.touch(transaction, now))

    def prepare(self, arena: str) -> None:
        """Read an arena and compile the steps of its learners, before anybody waits for them."""
        compile_steps(self._arena(arena).rules)

    def takes_long(self, requests: Sequence[Request]) -> bool:
        """Whether others may feel these requests: of large arenas, of unknown ones, or to take an answer back."""
        return any(map(self._takes_long, requests))

    def _takes_long(self, request: Request) -> bool:
        if not isinstance(request, Ask) and request.outcome == UNDO:
            return True
        if request.arena is not None:
            arena = self._cache.by_name.get(request.arena)
            return arena is None or arena.large
        known = None if isinstance(request, Ask) else self._cache.arena_of_duel(request.duel)
        return known is not None and known.large

    def close(self) -> None:
        self.models.close()
        self.totals_keeper.close()
        self._refusals.close()
        self.store.close()

    def names(self) -> list[str]:
        return self.store.read(statements.arena_names)

    def arenas(self) -> list[Settings]:
        """Return the settings of all arenas that can be used, by name, in one transaction."""

        def look(reader: Reader) -> list[Settings]:
            usable = []
            for id_, _, head in statements.arena_list(reader):
                with suppress(UnusableArenaError):
                    self._cache.refresh(reader, [(id_, head)])
                    usable.append(self._cache.arena_by_id(reader, id_).settings)
            return usable

        return self._read(look)

    def remembered(self, arena: str) -> Settings | None:
        """Return the settings of an arena as this process last read them, without asking the database."""
        known = self._cache.by_name.get(arena)
        return None if known is None else known.settings

    def create(self, settings: Settings) -> Settings:
        check_size(settings)
        compile_steps(LearningRules(settings))
        if settings.changes or settings.first_items or any(item.retired for item in settings.items):
            raise WinnerstaysError(
                "A new arena has no retired items and no changes; add, retire and restore them later."
            )
        text = settings.model_dump_json()
        now = float(self._clock())
        self.store.run(lambda transaction: chain.add_arena(transaction, settings.name, text, now))
        existing = self.get_arena(settings.name)
        existing.check_same(settings.given())
        return existing

    def get_arena(self, arena: str) -> Settings:
        return self._arena(arena).settings

    def permitted(self, arena: str, permit: Permit, *, remembered: bool = False) -> int:
        """Return the id of an arena; UnknownArenaError unless it exists for whoever has this permit.

        `remembered` if a transaction checks it again: then it may be as this process last read it.
        """
        runtime = (self._cache.by_name.get(arena) if remembered else None) or self._arena(arena)
        if not permit.covers(runtime.id, runtime.name, runtime.settings.public):
            raise UnknownArenaError.of(arena)
        return runtime.id

    def change_items(self, arena: str, **changed: Any) -> Settings:
        check_text("The name of an arena", arena)
        changes = ItemChanges.of(**changed)

        def change(transaction: Transaction) -> Settings:
            id_, before = _lock(transaction, arena)
            after = items.apply(before, changes)
            if changes.add:
                check_size(after)
            if after != before:
                text, now = after.model_dump_json(), float(self._clock())
                chain.change_arena(transaction, id_, arena, text, "items", now, **changes.counts())
            return after

        return self.store.run(change)

    def change_arena(self, arena: str, /, **changed: Any) -> Settings:
        check_text("The name of an arena", arena)

        def change(transaction: Transaction) -> Settings:
            id_, before = _lock(transaction, arena)
            after = before.changed(changed)
            if after != before:
                if after.name != before.name and statements.find_arena(transaction, after.name) is not None:
                    raise DifferentArenaError(f"There is an arena {after.name!r} already; choose another name.")
                text, now = after.model_dump_json(), float(self._clock())
                chain.change_arena(transaction, id_, after.name, text, "changed", now, fields=sorted(changed))
            return after

        return self.store.run(change)

    def delete_arena(self, arena: str) -> Deleted:
        check_text("The name of an arena", arena)
        arena_id = self.store.read(lambda reader: self._cache.arena_id(reader, arena))
        with suppress(UnusableArenaError):  # nobody is served there anyway
            if not self._arena(arena).settings.closed:
                self.change_arena(arena, closed=True)
        rows, learners = delete_arena(self.store, arena_id, float(self._clock()))
        self._cache.forget(arena_id)
        return Deleted(arena, rows, learners, tuple(self.store.forget()))

    def call(self, operation: Operation[T], arena: str, /, **arguments: Any) -> T:
        reply: T = getattr(self, operation.name)(arena, **arguments)
        return reply

    def execute(self, requests: Sequence[Request]) -> list[Result]:
        return self.queue.run(requests) if requests else []

    def execute_now(self, requests: list[Request]) -> list[Result]:
        """Execute requests for a thread that has no time to wait: BusyError if the store must be waited for."""
        return self._execute(requests, now=True)

    def _execute(self, requests: list[Request], now: bool = False) -> list[Result]:
        def work(transaction: Transaction) -> tuple[TransactionBatch, list[Result]]:
            batch = TransactionBatch(self._cache, transaction, float(self._clock()), self.models, hasty=now)
            return batch, batch.execute(requests)

        try:
            batch, results = (self.store.run_now if now else self.store.run)(work)
        except DeletedArenaError:  # forgotten by now
            return self._execute(requests, now)
        batch.remember()
        self.totals_keeper.appended(len(batch.log.entries))
        if taught := batch.log.taught:
            self.models.answered(taught)
        if batch.log.refused:
            self._refusals.count(batch.log.refused, batch.log.logged)
        return results

    def look(self, arena: str, figure: Callable[..., T], *arguments: Any) -> T:
        return self._read(lambda reader: figure(reader, self._current(reader, arena), *arguments))

    def best(self, arena: str, user: str | None) -> str:
        def favourite(reader: Reader, runtime: ArenaRuntime) -> str:
            return runtime.item_ids[runtime.rules.best(self._learner(reader, runtime, user)[1])]

        return self.look(arena, favourite)

    def eligible(self, arena: str, permit: Permit, among: Sequence[str] | str | None = None) -> list[str]:
        """Return the ids of the items that may be shown to whoever has this permit, of those asked for."""
        runtime = self._arena(arena)
        return [runtime.item_ids[place] for place in sorted(find_items(runtime, among, permit.items))]

    def check_eligible(self, ask: Ask) -> str | None:
        """Return which items of a request would be passed over, as a sentence; an error if too few are left."""
        return find_eligible(self._arena(ask.arena), ask)[1]

    def top(self, arena: str, user: str | None, count: int, among: Sequence[str] | str | None) -> list[str]:
        if not (isinstance(count, int) and count >= 1):
            raise WinnerstaysError(f"The number of favourites is {count!r}, but it must be at least 1.")

        def favourites(reader: Reader, runtime: ArenaRuntime) -> list[str]:
            _, state = self._learner(reader, runtime, user)
            eligible = sorted(find_items(runtime, among))
            if not eligible:
                raise WinnerstaysError(f"Of the items asked for, the arena {arena!r} has none that is not retired.")
            return [runtime.item_ids[arm] for arm in runtime.rules.top(state, count, eligible)]

        return self.look(arena, favourites)

    def standing(self, arena: str, user: str | None, p: float | None, level: float) -> Standing:
        _check_level(level)

        def find(reader: Reader, runtime: ArenaRuntime) -> Standing:
            return standing(reader, runtime, *self._learner(reader, runtime, user), user, p, level)

        return self.look(arena, find)

    def turn(self, arena: str, user: str) -> Turn:
        """Return what a person's own answers say, and the pair to show them next."""
        return self.look(arena, turn, user)

    def poll(self, arena: str) -> Poll:
        """Return what a group of people has voted so far."""
        return self.look(arena, poll)

    def health(self, arena: str) -> Health:
        """Return what whoever operates an arena watches."""
        return self.look(arena, health)

    def bias(self, arena: str, group: str | None = None) -> Bias:
        if group is not None:
            check_text("A user's group", group)
        return self.look(arena, counts.bias, group)

    def totals(self, arena: str, robots: bool) -> Totals:
        return self.look(arena, counts.count, robots)

    def popular(self, arena: str, level: float) -> list[Popularity]:
        return self.look(arena, counts.popular, _check_level(level))

    def uplift(self, arena: str, level: float) -> Uplift:
        return self.look(arena, uplift, _check_level(level))

    def summary(self, arena: str, level: float) -> Summary:
        return self.look(arena, summary, _check_level(level))

    def reward(self, arena: str, user: str, value: float, key: str | None) -> Rewarded:
        check_text("The name of an arena", arena)
        now = float(self._clock())
        return self.store.run(partial(reward, cache=self._cache, name=arena, user=user, value=value, key=key, now=now))

    def events(
        self, arena: str | None, after: int, user: str | None = None, limit: int | None = None
    ) -> Iterator[Event]:
        if not (isinstance(after, int) and 0 <= after < 2**63):
            raise WinnerstaysError(f"after is {after!r}, but it must be the number of an event, or 0.")
        arena_id = None if arena is None else self._arena(arena).id
        if user is not None:
            check_text("A user's name", user)
        names = cache(partial(names_of, self._arena_by_id, self._arena_name))
        last = self.store.settled()

        def fetch(after: int, size: int) -> list[Event]:
            rows = self.store.read(lambda reader: statements.events(reader, after, last, size, arena_id, user))
            return [event_of(row, names(row[2])) for row in rows]

        yield from in_pages(fetch, after, limit)

    def newest(self, arena: str, limit: int) -> list[Event]:
        last = self._settled()

        def find(reader: Reader, runtime: ArenaRuntime) -> list[Event]:
            rows = statements.newest_events(reader, last, int(limit), runtime.id)
            return [event_of(row, Names(runtime.name, runtime.item_ids)) for row in rows]

        return self.look(arena, find)

    def erase(self, arena: str, user: str) -> Erased:
        check_own(self.store.version, "Erasing a user")
        check_text("A user's name", user)

        def work(transaction: Transaction) -> Removed:
            arena_id = self._cache.arena_id(transaction, arena)
            return erase_user(transaction, arena_id, user, float(self._clock()))

        removed = self.store.run(work)
        if not any(removed):
            raise UnknownUserError(f"The arena {arena!r} knows no user {user!r}.")
        with suppress(StoreError):  # an arena that cannot be used has no model to make anew
            self.models.answered([self._arena(arena).id] * MIN_ANSWERS)
        return Erased(user, removed.rows, removed.learners, tuple(self.store.forget()))

    def refusals(self, arena: str | None) -> dict[str, int]:
        """Return how many answers of an arena (None: of no arena) were refused, by kind, in the log or only counted."""
        arena_id = None if arena is None else self._arena(arena).id
        return self.store.read(lambda reader: statements.refusals(reader, arena_id))

    def replay(self, expect: str | None = None) -> Replay:
        """Check every row and every learner; `expect` is a head that was kept elsewhere."""
        check_own(self.store.version, "Replay")
        return replay(self.store, self._arena_by_id, expect)

    def prune(self, before: float) -> Pruned:
        """Replace the rows from before a Unix time by a snapshot of each learner; `replay` goes on from there."""
        check_own(self.store.version, "Pruning")
        now = float(self._clock())
        if not (isinstance(before, int | float) and 0 <= before <= now):
            raise WinnerstaysError(f"before is {before!r}, but it must be a Unix time that is past.")
        self.totals_keeper.catch_up()
        return prune(self.store, self._cache.arena_by_id, float(before), now)

    def heads(self) -> Heads:
        """Return hashes that change with every row, to be kept elsewhere."""
        with self.store.snapshot() as snapshot:
            return heads(snapshot)

    def at_one_moment(self, look: Callable[[], T]) -> T:
        """Return what `look` returns; all figures that it reads are of the same moment, in one transaction."""
        last = self.store.settled()

        def work(reader: Reader) -> T:
            self._moment.reader, self._moment.settled = reader, last
            try:
                return look()
            finally:
                self._moment.reader = None

        return self.store.read(work)

    def _read(self, look: Callable[[Reader], T]) -> T:
        reader: Reader | None = getattr(self._moment, "reader", None)
        return self.store.read(look) if reader is None else look(reader)

    def _settled(self) -> int:
        """Return a sequence number up to which no row can appear any more."""
        inside = getattr(self._moment, "reader", None) is not None
        return self._moment.settled if inside else self.store.settled()

    def _current(self, reader: Reader, name: str) -> ArenaRuntime:
        check_text("The name of an arena", name)
        return self._cache.current(reader, name)

    def _arena(self, name: str) -> ArenaRuntime:
        """Return an arena as it is now, or as it was last read where the database cannot be asked."""
        check_text("The name of an arena", name)
        try:
            return self._read(lambda reader: self._cache.current(reader, name))
        except StoreError:
            known = self._cache.by_name.get(name)
            if known is None:
                raise
            return known

    def _learner(self, reader: Reader, arena: ArenaRuntime, user: str | None) -> tuple[int, LearnerState]:
        """Return the id and the state of a user's learner, with the newest model."""
        id_, state = _find_learner(reader, arena, user)
        if arena.uses_models:
            state = arena.rules.with_model(state, self.models.newest(reader, arena.id))
        return id_, state

    def _arena_by_id(self, id_: int) -> ArenaRuntime:
        def read(reader: Reader) -> ArenaRuntime:
            self._cache.refresh(reader, statements.arena_heads(reader, [id_]))
            return self._cache.arena_by_id(reader, id_)

        return self.store.read(read)

    def _arena_name(self, id_: int) -> str:
        return self.store.read(lambda reader: statements.get_arena(reader, id_)[1])


def _find_learner(reader: Reader, arena: ArenaRuntime, user: str | None) -> tuple[int, LearnerState]:
    """Return the id and the state of a user's learner."""
    if user is None and not arena.shared:
        raise WinnerstaysError(f"The arena {arena.name!r} has a learner for each user: say which user.")
    username = "" if arena.shared else check_text("A user's name", user)
    row = learner_statements.find_learner(reader, arena.id, username)
    if row is None or not row[1]:  # a learner without bytes was asked, but nothing could be served
        who = "anybody" if arena.shared else f"{user!r}"
        raise UnknownUserError(f"The arena {arena.name!r} has not served a duel to {who} yet.")
    state = arena.rules.load(*row)
    return row[0], arena.rules.prepare(state, arena.rules.changes(state))


def _check_level(level: object) -> float:
    if not (isinstance(level, int | float) and 0 < level < 1):
        raise WinnerstaysError(f"level is {level!r}, but it must be above 0 and below 1.")
    return level


def _lock(transaction: Transaction, arena: str) -> tuple[int, Settings]:
    """Lock an arena, so that nobody else changes it meanwhile; return its id and its settings."""
    row = statements.lock_arena(transaction, arena)
    if row is None:
        raise UnknownArenaError.of(arena)
    return row[0], Settings.stored(row[1])
