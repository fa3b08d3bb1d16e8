"""Arenas in a database of this process: what `Arenas` does, on a store."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any, TypeVar

from winnerstays.arena import items
from winnerstays.arena.engine.ask import find_items
from winnerstays.arena.engine.batch import Dispatcher
from winnerstays.arena.engine.cache import MAX_NAMES, ArenaRuntime, Cache
from winnerstays.arena.engine.commit_queue import CommitQueue
from winnerstays.arena.engine.learner import LearnerState, LearningRules
from winnerstays.arena.engine.rebuilding import PrunedLearner
from winnerstays.arena.engine.state_size import check_size, compile_steps
from winnerstays.arena.errors import (
    DifferentArenaError,
    StoreError,
    UnknownArenaError,
    UnknownUserError,
    UnusableArenaError,
)
from winnerstays.arena.figures import standing as confidence
from winnerstays.arena.figures.popular import rank
from winnerstays.arena.figures.uplift import Sums, Uplift, by_group, compare
from winnerstays.arena.history import arena_log, totals
from winnerstays.arena.history.deleting import delete_arena
from winnerstays.arena.history.erasing import Removed, erase_user
from winnerstays.arena.history.events import Names, event_of, names_of
from winnerstays.arena.history.pruning import prune
from winnerstays.arena.history.replay import heads, replay
from winnerstays.arena.items import ItemChanges
from winnerstays.arena.operations import Operation
from winnerstays.arena.records import (
    Ask,
    Bias,
    Deleted,
    Erased,
    Event,
    Heads,
    Popularity,
    Pruned,
    Replay,
    Request,
    Result,
    Rival,
    Standing,
    Summary,
    Totals,
    Win,
)
from winnerstays.arena.settings import Settings
from winnerstays.arena.stores import learner_statements, open_store, statements
from winnerstays.arena.stores.base import Reader, Row, Store, Transaction
from winnerstays.arena.stores.totals import Key
from winnerstays.arena.text import check_text
from winnerstays.errors import WinnerstaysError
from winnerstays.intervals import bias as bias_of

T = TypeVar("T")
MAX_SUMMARISED, MAX_STANDINGS = 5000, 100
"""A summary looks at the states of this many learners, the newest, and at the confidence of this many."""
EVENTS_AT_ONCE = 1000
"""Events are read this many at a time: nobody who reads slowly keeps the database from tidying up."""


class LocalBackend:
    """All arenas of one database. Besides what every Backend offers: replay, and what a service needs."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time, address: str = "") -> None:
        self.address = address
        self.store = store
        self._clock = clock
        self._cache = Cache()
        self._dispatcher = Dispatcher(store, clock, self._cache)

    @classmethod
    def open(cls, address: str, clock: Callable[[], float] = time.time) -> "LocalBackend":
        """Open the database at an address."""
        return cls(open_store(address), clock, address)

    @property
    def queue(self) -> CommitQueue[Request, Result]:
        """The asks and answers that wait for a transaction."""
        return self._dispatcher.queue

    def ping(self, now: float) -> None:
        """Write to the database; StoreError if it cannot be written to."""
        self.store.run(lambda transaction: statements.touch(transaction, now))

    def prepare(self, arena: str) -> None:
        """Read an arena and compile the steps of its learners, before anybody waits for them."""
        compile_steps(self._arena(arena).rules)

    def takes_long(self, requests: Sequence[Request]) -> bool:
        """Whether requests may take long enough to be felt by others: of arenas that are large, or not read yet."""
        return any(map(self._takes_long, requests))

    def _takes_long(self, request: Request) -> bool:
        if request.arena is not None:
            arena = self._cache.by_name.get(request.arena)
            return arena is None or arena.large
        id_ = None if isinstance(request, Ask) else self._cache.arenas_of_duels.get(request.duel)
        known = None if id_ is None else self._cache.by_id.get(id_)
        return known is not None and known.large

    def close(self) -> None:
        self._dispatcher.totals.close()
        self.store.close()

    def names(self) -> list[str]:
        return self.store.read(statements.arena_names)

    def create(self, settings: Settings) -> Settings:
        check_size(settings)
        compile_steps(LearningRules(settings))
        if settings.changes or settings.first_items or any(item.retired for item in settings.items):
            raise WinnerstaysError(
                "A new arena has no retired items and no changes; add, retire and restore them later."
            )
        text = settings.model_dump_json()
        now = float(self._clock())
        self.store.run(lambda transaction: arena_log.add_arena(transaction, settings.name, text, now))
        found = self.get_arena(settings.name)
        found.check_same(settings.given())
        return found

    def get_arena(self, arena: str) -> Settings:
        return self._arena(arena).settings

    def change_items(
        self, arena: str, add: Any = (), retire: Any = (), restore: Any = (), edit: Any = None
    ) -> Settings:
        check_text("The name of an arena", arena)
        changes = ItemChanges.of(add, retire, restore, edit)

        def change(transaction: Transaction) -> Settings:
            id_, before = _lock(transaction, arena)
            after = items.apply(before, changes)
            if changes.add:
                check_size(after)
            if after != before:
                text, now = after.model_dump_json(), float(self._clock())
                arena_log.change_arena(transaction, id_, arena, text, "items", now, **changes.counts())
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
                arena_log.change_arena(transaction, id_, after.name, text, "changed", now, fields=sorted(changed))
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
        return self._dispatcher.execute(requests)

    def execute_now(self, requests: list[Request]) -> list[Result]:
        """Execute requests for a thread that has no time to wait: BusyError if the store must be waited for."""
        return self._dispatcher.execute_now(requests)

    def best(self, arena: str, user: str | None) -> str:
        runtime = self._arena(arena)
        _, state = self._learner(runtime, user)
        return runtime.item_ids[runtime.rules.best(state)]

    def top(self, arena: str, user: str | None, count: int, among: Sequence[str] | str | None) -> list[str]:
        if not (isinstance(count, int) and count >= 1):
            raise WinnerstaysError(f"The number of favourites is {count!r}, but it must be at least 1.")
        runtime = self._arena(arena)
        _, state = self._learner(runtime, user)
        eligible = sorted(find_items(runtime, among))
        if not eligible:
            raise WinnerstaysError(f"Of the items asked for, the arena {arena!r} has none that is not retired.")
        return [runtime.item_ids[arm] for arm in runtime.rules.top(state, count, eligible)]

    def standing(self, arena: str, user: str | None, p: float | None, level: float) -> Standing:
        _check_level(level)
        runtime = self._arena(arena)
        learner_id, state = self._learner(runtime, user)
        round_ = runtime.rules.round(state)
        with self.store.snapshot() as snapshot:
            rivals = _rivals(snapshot, runtime, learner_id, state)
        return Standing(
            arena=arena,
            user=user,
            favourite=runtime.item_ids[runtime.rules.best(state)],
            learned=state.step,
            round=round_,
            confidence=confidence.confidence(rivals),
            rivals=rivals,
            duels_needed=confidence.duels_needed(rivals, level),
            level=level,
            certificate=None if p is None or state.known else confidence.certificate(round_, p),
        )

    def bias(self, arena: str, group: str | None = None) -> Bias:
        runtime, measure = self._arena(arena), "side" if group is None else "group"
        label = "" if group is None else check_text("A user's group", group)
        with self.store.snapshot() as snapshot:
            sides = totals.read(snapshot, runtime.id, measure)
        return bias_of(sides[Key(measure, label, 0)], sides[Key(measure, label, 1)])

    def totals(self, arena: str, robots: bool) -> Totals:
        runtime = self._arena(arena)
        with self.store.snapshot() as snapshot:
            found = [totals.read(snapshot, runtime.id, one) for one in ("kind", "hour", "side", "group", "win")]
        kinds, hours, sides, groups, wins = (
            totals.of_robots(one) if robots else totals.of_people(one) for one in found
        )
        by_hour: dict[str, dict[int, int]] = {}
        for key, count in hours.items():
            by_hour.setdefault(key.label, {})[key.first] = count
        items = runtime.item_ids
        return Totals(
            {key.label: count for key, count in kinds.items()},
            by_hour,
            sides[Key("side", "", 0)],
            sides[Key("side", "", 1)],
            tuple(Win(items[key.first], items[key.second], count) for key, count in sorted(wins.items()) if count),
            {label: (groups[Key("group", label, 0)], groups[Key("group", label, 1)]) for label in _labels(groups)},
        )

    def popular(self, arena: str, level: float) -> list[Popularity]:
        _check_level(level)
        runtime = self._arena(arena)
        with self.store.snapshot() as snapshot:
            won, lost = (totals.read(snapshot, runtime.id, measure) for measure in ("won", "lost"))
        shown = {item: (won[Key("won", "", item)], lost[Key("lost", "", item)]) for item in sorted(runtime.there)}
        return rank(runtime.item_ids, shown, level)

    def uplift(self, arena: str, level: float) -> Uplift:
        runtime = self._arena(arena)
        _check_level(level)
        best = self._favourite_of_everyone(runtime)
        with self.store.snapshot() as snapshot:
            sums = totals.read(snapshot, runtime.id, "arm")
            shown = Counter[Key]() if best is None else totals.read(snapshot, runtime.id, "shown", best)
        groups = by_group({(int(key.label), key.first): count for key, count in sums.items()})
        screens = by_group({(int(key.label), 0): count for key, count in shown.items() if key.first == best})
        learner, control = (
            Sums.of(group, None if best is None else screen.get(0, 0))
            for group, screen in zip(groups, screens, strict=True)
        )
        unit = "duel" if runtime.shared else "person"
        return compare(runtime.name, runtime.holdout, unit, learner, control, level)

    def _favourite_of_everyone(self, arena: ArenaRuntime) -> int | None:
        """Return the favourite of an arena for everyone, which stands for that of each person there."""
        if not arena.shared:
            return None
        try:
            return arena.rules.best(self._learner(arena, None)[1])
        except UnknownUserError:
            return 0

    def summary(self, arena: str, level: float) -> Summary:
        runtime = self._arena(arena)
        _check_level(level)
        if runtime.fault is not None:
            raise runtime.fault
        rules = runtime.rules
        count, newest = self.store.read(
            lambda reader: learner_statements.newest_learners(reader, runtime.id, MAX_SUMMARISED)
        )
        favourites: Counter[str] = Counter()
        rounds: Counter[int] = Counter()
        states = [rules.load(learner_id, data) for _, learner_id, data in newest]
        states = [rules.prepare(state, rules.changes(state)) for state in states]  # they know which items are there
        for state in states:
            if state.step:
                favourites[runtime.item_ids[rules.best(state)]] += 1
                rounds[rules.round(state) or 0] += 1
        looked_at, sure = [], 0
        with self.store.snapshot() as snapshot:
            for (username, learner_id, data), state in zip(newest[:MAX_STANDINGS], states, strict=False):
                if data:
                    looked_at.append(username)
                    sure += confidence.confidence(_rivals(snapshot, runtime, learner_id, state)) >= level
        return Summary(
            learners=count, summarised=len(newest), favourites=dict(favourites),
            rounds=dict(sorted(rounds.items())) if rules.algorithm.round is not None else {},
            looked_at=len(looked_at), sure=sure, level=level, newest=tuple(user for user in looked_at if user)[:20],
            refused=self.refusals(arena),
        )  # fmt: skip

    def events(self, arena: str | None, after: int, user: str | None = None) -> Iterator[Event]:
        if not (isinstance(after, int) and 0 <= after < 2**63):
            raise WinnerstaysError(f"after is {after!r}, but it must be the number of an event, or 0.")
        arena_id = None if arena is None else self._arena(arena).id
        if user is not None:
            check_text("A user's name", user)
        names = cache(partial(names_of, self._arena_by_id, self._arena_name))
        last = self.store.settled()
        rows: list[Row] = [()] * EVENTS_AT_ONCE
        while len(rows) == EVENTS_AT_ONCE:
            with self.store.snapshot() as snapshot:
                rows = statements.events(snapshot, after, last, EVENTS_AT_ONCE, arena_id, user)
            for row in rows:
                yield event_of(row, names(row[2]))
            after = rows[-1][0] if rows else last

    def newest(self, arena: str, limit: int) -> list[Event]:
        runtime = self._arena(arena)
        last = self.store.settled()
        with self.store.snapshot() as snapshot:
            rows = statements.newest_events(snapshot, last, int(limit), runtime.id)
        return [event_of(row, Names(runtime.name, runtime.item_ids)) for row in rows]

    def erase(self, arena: str, user: str) -> Erased:
        check_text("A user's name", user)

        def work(transaction: Transaction) -> Removed:
            arena_id = self._cache.arena_id(transaction, arena)
            return erase_user(transaction, arena_id, user, float(self._clock()))

        removed = self.store.run(work)
        if not any(removed):
            raise UnknownUserError(f"The arena {arena!r} knows no user {user!r}.")
        return Erased(user, removed.rows, removed.learners, tuple(self.store.forget()))

    def refusals(self, arena: str | None) -> dict[str, int]:
        """Return how many answers of an arena (None: of no arena) were refused, by kind, in the log or only counted."""
        arena_id = None if arena is None else self._arena(arena).id
        return self.store.read(lambda reader: statements.refusals(reader, arena_id))

    def replay(self, expect: str | None = None) -> Replay:
        """Check every row and every learner; `expect` is a head that was kept elsewhere."""
        return replay(self.store, self._arena_by_id, expect)

    def prune(self, before: float) -> Pruned:
        """Replace the rows from before a Unix time by a snapshot of each learner; `replay` goes on from there."""
        now = float(self._clock())
        if not (isinstance(before, int | float) and 0 <= before <= now):
            raise WinnerstaysError(f"before is {before!r}, but it must be a Unix time that is past.")
        self._dispatcher.totals.catch_up()
        return prune(self.store, self._cache.arena_by_id, float(before), now)

    def heads(self) -> Heads:
        """Return hashes that change with every row, to be kept elsewhere."""
        with self.store.snapshot() as snapshot:
            return heads(snapshot)

    def _arena(self, name: str) -> ArenaRuntime:
        """Return an arena as it is now, or as it was last read where the database cannot be asked."""
        check_text("The name of an arena", name)
        try:
            return self.store.read(lambda reader: self._cache.current(reader, name))
        except StoreError:
            known = self._cache.by_name.get(name)
            if known is None:
                raise
            return known

    def _arena_by_id(self, id_: int) -> ArenaRuntime:
        def read(reader: Reader) -> ArenaRuntime:
            self._cache.refresh(reader, statements.arena_heads(reader, [id_]))
            return self._cache.arena_by_id(reader, id_)

        return self.store.read(read)

    def _arena_name(self, id_: int) -> str:
        return self.store.read(lambda reader: statements.get_arena(reader, id_)[1])

    def _learner(self, arena: ArenaRuntime, user: str | None) -> tuple[int, LearnerState]:
        """Return the id and the state of a user's learner."""
        name = arena.name
        if user is None and not arena.shared:
            raise WinnerstaysError(f"The arena {name!r} has a learner for each user: say which user.")
        username = "" if arena.shared else check_text("A user's name", user)
        found = self.store.read(lambda reader: learner_statements.find_learner(reader, arena.id, username))
        if found is None or not found[1]:  # a learner without bytes was asked, but nothing could be served
            who = "anybody" if arena.shared else f"{user!r}"
            raise UnknownUserError(f"The arena {name!r} has not served a duel to {who} yet.")
        learner_id, data = found
        state = arena.rules.load(learner_id, data)
        return learner_id, arena.rules.prepare(state, arena.rules.changes(state))


def _rivals(view: Reader, arena: ArenaRuntime, learner_id: int, state: LearnerState) -> tuple[Rival, ...]:
    """Return the record of a learner's favourite against every other item, the least certain first."""
    favourite = arena.rules.best(state)
    wins = _count_wins(view, arena, learner_id, favourite)
    return confidence.rivals(arena.item_ids, favourite, wins, arena.there)


def _count_wins(view: Reader, arena: ArenaRuntime, learner_id: int, item: int) -> Mapping[tuple[int, int], int]:
    """Return how often an item was chosen over each other one, and these over it: {(winner, loser): times}."""
    if arena.shared:
        found = totals.read(view, arena.id, "win", item)
        return {(key.first, key.second): count for key, count in found.items()}
    wins = Counter({(one, other): count for one, other, count in statements.count_wins(view, learner_id)})
    pruned = statements.find_snapshot(view, learner_id)
    if pruned is not None:
        for key, count in PrunedLearner.of(pruned).totals.items():
            if key.measure == "win":
                wins[key.first, key.second] += count
    return wins


def _check_level(level: object) -> None:
    if not (isinstance(level, int | float) and 0 < level < 1):
        raise WinnerstaysError(f"level is {level!r}, but it must be above 0 and below 1.")


def _labels(found: Counter[Key]) -> list[str]:
    """Return the labels of what was counted, in alphabetical order."""
    return sorted({key.label for key, count in found.items() if count})


def _lock(transaction: Transaction, arena: str) -> tuple[int, Settings]:
    """Lock an arena, so that nobody else changes it meanwhile; return its id and its settings."""
    found = statements.lock_arena(transaction, arena)
    if found is None:
        raise UnknownArenaError.of(arena, statements.arena_names(transaction, MAX_NAMES))
    return found[0], Settings.stored(found[1])
