"""Many learners, their items and an append-only log: every answer kept, each learned exactly once.

Two facts are durable: a duel was served, an answer was accepted. A learner's state follows from its rows in the log.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from winnerstays.arena.api import Arena, Arenas
    from winnerstays.arena.asynchronous import AsyncArena, AsyncArenas
    from winnerstays.arena.errors import (
        BusyError,
        DifferentArenaError,
        StoreError,
        TooManyAnswersError,
        UnknownArenaError,
        UnknownDuelError,
        UnknownUserError,
        WrongUserError,
    )
    from winnerstays.arena.figures.uplift import Uplift
    from winnerstays.arena.records import (
        Answer,
        Ask,
        Bias,
        Deleted,
        Duel,
        Erased,
        Event,
        Heads,
        Pruned,
        Receipt,
        Replay,
        Rival,
        Standing,
        Summary,
        Totals,
        Win,
    )
    from winnerstays.arena.settings import Item, Settings

__all__ = [
    "Answer", "Arena", "Arenas", "Ask", "AsyncArena", "AsyncArenas", "Bias", "BusyError", "Deleted",
    "DifferentArenaError", "Duel", "Erased", "Event", "Heads", "Item", "Pruned", "Receipt", "Replay", "Rival",
    "Settings", "Standing", "StoreError", "Summary", "TooManyAnswersError", "Totals", "UnknownArenaError",
    "UnknownDuelError", "UnknownUserError", "Uplift", "Win", "WrongUserError",
]  # fmt: skip

_HOMES = {
    "winnerstays.arena.api": ("Arena", "Arenas"),
    "winnerstays.arena.asynchronous": ("AsyncArena", "AsyncArenas"),
    "winnerstays.arena.errors": (
        "BusyError", "DifferentArenaError", "StoreError", "TooManyAnswersError", "UnknownArenaError",
        "UnknownDuelError", "UnknownUserError", "WrongUserError",
    ),
    "winnerstays.arena.records": (
        "Answer", "Ask", "Bias", "Deleted", "Duel", "Erased", "Event", "Heads", "Pruned", "Receipt", "Replay", "Rival",
        "Standing", "Summary", "Totals", "Win",
    ),
    "winnerstays.arena.settings": ("Item", "Settings"),
    "winnerstays.arena.figures.uplift": ("Uplift",),
}  # fmt: skip
"""Where each name lives: imported when it is used, so that listing arenas does not wait for the compiler."""


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(home), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
