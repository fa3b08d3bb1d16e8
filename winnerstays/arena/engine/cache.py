"""What a process remembers of a database: arenas, the states of learners, duels that were served."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Generic, TypeVar

from winnerstays.arena.engine.crowd import Crowd
from winnerstays.arena.engine.duels import KEY_SIZE, DuelIds
from winnerstays.arena.engine.learner import LearnerState, LearningRules
from winnerstays.arena.engine.state_size import fresh_bytes, is_large
from winnerstays.arena.engine.tastes import ArenaModels
from winnerstays.arena.errors import UnknownArenaError, UnusableArenaError
from winnerstays.arena.records import Shown
from winnerstays.arena.settings import Settings
from winnerstays.arena.stores import statements
from winnerstays.arena.stores.base import Reader, Transaction
from winnerstays.arena.stores.rows import ServedDuel
from winnerstays.arena.text import loggable
from winnerstays.errors import WinnerstaysError

FindModel = Callable[[int, int], bytes | None]
"""Finds the bytes of a version of the model of an arena, by both numbers."""
K = TypeVar("K")
V = TypeVar("V")
MAX_ENTRIES = 10_000
"""Of each kind: ids of learners, duels."""
MAX_STATES_BYTES = 128_000_000
"""Of the states of learners that a process remembers, as they are in memory."""
MAX_REMEMBERED_ITEMS = 400_000
"""Of the arenas that a process remembers, all items together; the arena that was used last is always remembered."""
DUELS = "duels"
"""The name of the secret that hides in the id of a duel whose it is."""


class BoundedCache(Generic[K, V]):
    """The entries that were used last, as many as have room. Threads may share it.

    >>> cache = BoundedCache(10)
    >>> for name in ("ada", "bob", "kim"):
    ...     cache.put(name, name.upper(), 4)
    >>> cache.get("ada"), cache.get("bob")
    (None, 'BOB')
    """

    def __init__(self, room: float = MAX_ENTRIES) -> None:
        self._room = room
        self._used = 0.0
        self._entries: OrderedDict[K, tuple[V, float]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key, which is used now."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: K, value: V, size: float = 1) -> None:
        """Add or replace an entry; the entries that were not used for longest make room."""
        with self._lock:
            replaced = self._entries.pop(key, None)
            self._entries[key] = (value, size)
            self._used += size if replaced is None else size - replaced[1]
            while self._used > self._room and self._entries:
                self._used -= self._entries.popitem(last=False)[1][1]

    def pop(self, key: K) -> V | None:
        """Remove an entry and return its value."""
        with self._lock:
            entry = self._entries.pop(key, None)
            if entry is None:
                return None
            self._used -= entry[1]
            return entry[0]

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._entries.clear()
            self._used = 0.0


class ArenaRuntime:
    """An arena with everything that follows from its settings, as they were when its chain had the hash `head`.

    It stays as it is: transactions of other threads are using it. After a change there is another one.
    """

    def __init__(self, id_: int, settings: Settings, head: bytes | None, models: ArenaModels | None = None) -> None:
        self.id = id_
        self.head = head
        self.settings = settings
        self.name = settings.name  # several times faster than an attribute of a pydantic model
        self.expires_after = settings.expires_after
        self.fault: UnusableArenaError | None = None
        """Why nothing can be learned here; what was learned can still be listed, exported and erased."""
        self._rules: LearningRules | None = None
        self.state_bytes = 0
        """Of a learner in memory, about."""
        self.large = False
        try:
            self._rules = LearningRules(settings, models)
            self.state_bytes = fresh_bytes(self._rules)
            self.large = is_large(self._rules, self.state_bytes)
        except Exception as error:  # whatever an algorithm of somebody else does
            self.fault = UnusableArenaError(f"The arena {settings.name!r} cannot be used: {error}")
        self.uses_models = self._rules is not None and self._rules.uses_models
        self.item_ids = [item.id for item in settings.items]
        self.arms = {item: arm for arm, item in enumerate(self.item_ids)}
        self.shown = [Shown(item.title, item.picture, item.link, item.text) for item in settings.items]
        self.there = {arm for arm, item in enumerate(settings.items) if not item.retired}
        self.max_open = settings.max_open
        self.give_up = settings.give_up
        self.shared = settings.audience == "everyone"
        self.crowds: BoundedCache[str | None, tuple[Crowd, int]] = BoundedCache()
        """What new users of a group start with, as far as this process has looked, and new learners since then."""
        self.counted_learners = (0, 0)
        """How many learners of people this process has counted, and the highest id among them."""
        self.holdout, self.probes = settings.holdout, settings.probes
        self.control = [self.arms[id_] for id_ in settings.control if id_ in self.arms]

    @property
    def rules(self) -> LearningRules:
        if self._rules is None:
            assert self.fault is not None
            raise self.fault
        return self._rules


class Cache:
    """Whatever was used last. Arenas are read again when their chains have grown."""

    def __init__(self, find_model: FindModel) -> None:
        self._find_model = find_model
        self.by_name: dict[str, ArenaRuntime] = {}
        self.by_id: OrderedDict[int, ArenaRuntime] = OrderedDict()
        self.largest_state = 0
        """The bytes of the largest learner that any arena remembered so far has."""
        self._items = 0
        """Of all arenas that are remembered."""
        self.states: BoundedCache[int, tuple[bytes, LearnerState]] = BoundedCache(MAX_STATES_BYTES)
        """States as they were last saved, with their bytes: one is used only if the store holds the same bytes."""
        self.learner_ids: BoundedCache[tuple[int, str], int] = BoundedCache()
        """The learners of (arena's id, username), when last seen: an erased user has another one afterwards."""
        self.duels: BoundedCache[str, ServedDuel] = BoundedCache()
        """Served duels; but none that names a user, because the name may be erased by another process."""
        self.arenas_of_duels: BoundedCache[str, int] = BoundedCache()
        """The ids of the arenas in which the duels were served that name a user."""
        self._duel_ids: DuelIds | None = None

    def duel_ids(self, transaction: Transaction, now: float) -> DuelIds:
        """Return what makes and reads the ids of duels; its key is made when first asked for."""
        if self._duel_ids is not None:
            return self._duel_ids
        new = secrets.token_bytes(KEY_SIZE)
        key = statements.make_secret(transaction, DUELS, new, now)
        duel_ids = DuelIds(key)
        if key != new:  # a new one is remembered when it was committed
            self._duel_ids = duel_ids
        return duel_ids

    def arena(self, reader: Reader, name: str) -> ArenaRuntime:
        """Return the arena with this name; UnknownArenaError if there is none."""
        return self.by_name.get(name) or self._remember(*self._find(reader, name))

    def arena_id(self, reader: Reader, name: str) -> int:
        """Return the id of the arena with this name, also of one that cannot be used."""
        return self._find(reader, name)[0]

    def _find(self, reader: Reader, name: str) -> tuple[int, str, str, bytes | None]:
        row = statements.find_arena(reader, name) if loggable(name) == name else None
        if row is None:
            raise UnknownArenaError.of(name)
        return row

    def current(self, reader: Reader, name: str) -> ArenaRuntime:
        """Return the arena with this name as it is now; UnknownArenaError if there is none."""
        arena = self.arena(reader, name)
        heads = statements.arena_heads(reader, [arena.id])
        self.refresh(reader, heads)
        if not heads:
            self.forget(arena.id)
        known = self.by_id.get(arena.id)
        return known if known is not None and known.name == name else self.arena(reader, name)

    def forget(self, id_: int) -> None:
        """Forget an arena that was deleted."""
        arena = self.by_id.pop(id_, None)
        if arena is not None:
            self._items -= len(arena.item_ids)
        if arena is not None and self.by_name.get(arena.name) is arena:
            del self.by_name[arena.name]

    def arena_by_id(self, reader: Reader, id_: int) -> ArenaRuntime:
        return self.by_id.get(id_) or self._remember(*statements.get_arena(reader, id_))

    def refresh(self, reader: Reader, heads: Iterable[tuple[int, bytes | None]]) -> None:
        """Read those arenas again whose chains have not the heads that are remembered."""
        for id_, head in heads:
            known = self.by_id.get(id_)
            if known is not None and known.head != head:
                self._remember(*statements.get_arena(reader, id_))

    def _remember(self, id_: int, name: str, settings: str, head: bytes | None) -> ArenaRuntime:
        known = self.by_id.get(id_)
        try:
            stored = Settings.stored(settings)
        except WinnerstaysError as error:
            raise UnusableArenaError(f"The arena {name!r} cannot be used. {error}") from error
        if known is None or known.head != head:
            self._items += len(stored.items) - (0 if known is None else len(known.item_ids))
            if known is not None and known.name != stored.name:
                self.by_name.pop(known.name, None)
            known = ArenaRuntime(id_, stored, head, ArenaModels(stored, partial(self._find_model, id_)))
            self.largest_state = max(self.largest_state, known.state_bytes)
        self.by_name[known.name] = self.by_id[id_] = known
        self.by_id.move_to_end(id_)
        while len(self.by_id) > 1 and self._items > MAX_REMEMBERED_ITEMS:
            self.forget(next(iter(self.by_id)))
        return known

    def arena_of_duel(self, duel_id: str) -> ArenaRuntime | None:
        """Return the arena of a duel, if both are remembered."""
        served = self.duels.get(duel_id)
        id_ = self.arenas_of_duels.get(duel_id) if served is None else served.arena_id
        return None if id_ is None else self.by_id.get(id_)

    def take_state(self, arena: ArenaRuntime, learner_id: int, data: bytes) -> LearnerState:
        """Return the state with these bytes, for its only user: learning changes it in place."""
        kept = self.states.pop(learner_id)
        if kept is not None and kept[0] == data:
            return arena.rules.adopt(kept[1])
        return arena.rules.load(learner_id, data)

    def keep_state(self, arena: ArenaRuntime, learner_id: int, data: bytes, state: LearnerState) -> None:
        """Remember a state with its bytes, until others need the room."""
        self.states.put(learner_id, (data, state), arena.state_bytes + len(data))
