"""What the contract is checked on: arenas behind a Subject, with a clock that stands still."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from winnerstays.arena import (
    Arena,
    Arenas,
    Replay,
)
from winnerstays.arena.local import LocalBackend
from winnerstays.arena.stores.base import Store

ITEMS = ["ramen", "tacos", "pho", "curry"]


class Clock:
    """A time that moves only when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Subject:
    """What is checked: a database, empty at first, and a way to reach its arenas."""

    connect: Callable[[Clock], Arenas]
    """Opens the arenas with a clock; a second call stands for another process on the same database."""
    replay: Callable[[], Replay]
    """Replays the log where the database is."""


def on_store(store: Store) -> Subject:
    """Return the arenas on a store, in this process."""
    return Subject(lambda clock: Arenas(LocalBackend(store, clock)), lambda: Arenas(LocalBackend(store)).replay())


def new_arena(subject: Subject, name: str = "lunch", **settings: Any) -> tuple[Arena, Clock]:
    clock = Clock()
    return subject.connect(clock).create(name, ITEMS, **{"seed": 7, **settings}), clock


def assert_replays(subject: Subject) -> None:
    found = subject.replay()
    assert found.equal, found.differences


def kinds(arena: Arena) -> Counter[str]:
    return Counter(event.kind for event in arena.events())
