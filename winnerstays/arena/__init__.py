"""Many learners, their items and an append-only log: every answer kept, each learned exactly once.

Two facts are durable: a duel was served, an answer was accepted. A learner's state is the fold of its rows in the log.
"""

from winnerstays.arena.api import Arena, Arenas
from winnerstays.arena.errors import (
    BusyError,
    DifferentArenaError,
    StoreError,
    UnknownArenaError,
    UnknownDuelError,
    UnknownUserError,
    WrongUserError,
)
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
from winnerstays.arena.uplift import Uplift

__all__ = [
    "Answer",
    "Arena",
    "Arenas",
    "Ask",
    "Bias",
    "BusyError",
    "Deleted",
    "DifferentArenaError",
    "Duel",
    "Erased",
    "Event",
    "Heads",
    "Item",
    "Pruned",
    "Receipt",
    "Replay",
    "Rival",
    "Settings",
    "Standing",
    "StoreError",
    "Summary",
    "Totals",
    "UnknownArenaError",
    "UnknownDuelError",
    "UnknownUserError",
    "Uplift",
    "Win",
    "WrongUserError",
]  # fmt: skip
