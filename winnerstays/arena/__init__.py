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

_HOMES = ("errors", "records", "settings", "figures.uplift", "api", "asynchronous")
"""Where the names live. A module is imported when one is used: listing arenas does not wait for the compiler."""


def __getattr__(name: str) -> Any:
    if name in __all__:
        for home in _HOMES:
            value = getattr(import_module(f"winnerstays.arena.{home}"), name, None)
            if value is not None:
                globals()[name] = value
                return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
