"""Many learners, their items and an append-only log: every click kept, each learned exactly once.

Two facts are durable: a duel was served, an outcome was accepted. A learner's state is the fold of its rows in the log.
"""

from winnerstays.arena.api import Arena, Arenas
from winnerstays.arena.settings import (
    Answer,
    Bias,
    BusyError,
    DifferentArenaError,
    Duel,
    Erased,
    Event,
    Item,
    Receipt,
    Replay,
    Rival,
    Settings,
    Standing,
    StoreError,
    UnknownArenaError,
    UnknownDuelError,
    UnknownUserError,
    WrongUserError,
)  # fmt: skip
from winnerstays.arena.transaction import Ask, Tell

__all__ = [
    "Answer", "Arena", "Arenas", "Ask", "Bias", "BusyError", "DifferentArenaError", "Duel", "Erased", "Event", "Item",
    "Receipt", "Replay", "Rival", "Settings", "Standing", "StoreError", "Tell", "UnknownArenaError", "UnknownDuelError",
    "UnknownUserError", "WrongUserError",
]  # fmt: skip
