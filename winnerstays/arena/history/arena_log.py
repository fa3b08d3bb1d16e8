"""The rows of the log about an arena itself: made, changed, pruned. They have a chain of their own."""

import json
from typing import Any

from winnerstays.arena.history import chain
from winnerstays.arena.stores import statements
from winnerstays.arena.stores.base import Transaction
from winnerstays.arena.stores.rows import LogEntry


def append(transaction: Transaction, entry: LogEntry) -> None:
    """Append an entry of an arena to the log and to the arena's chain, which is locked here.

    A transaction that also locks learners locks them first.
    """
    arena_id = int(entry.arena_id or 0)
    created_at, head = statements.lock_head(transaction, arena_id)
    row = chain.seal(entry, head or chain.first_of_arena(arena_id, created_at))
    statements.append_log(transaction, [row])
    statements.save_head(transaction, arena_id, row[-1])


def add_arena(transaction: Transaction, name: str, settings: str, now: float) -> None:
    """Add an arena with these settings (JSON) and log it, unless there is one of this name."""
    id_ = statements.add_arena(transaction, name, settings, now)
    if id_ is not None:
        append(transaction, LogEntry(id_, None, now, "created", data=_data(name, settings)))


def change_arena(
    transaction: Transaction, id_: int, name: str, settings: str, kind: str, now: float, **more: Any
) -> None:
    """Give a locked arena another name or settings (JSON), and log it."""
    statements.change_arena(transaction, id_, name, settings)
    append(transaction, LogEntry(id_, None, now, kind, data=_data(name, settings, **more)))


def _data(name: str, settings: str, **more: Any) -> str:
    """Return the `data` of a row after which an arena has this name and these settings (JSON): it proves them."""
    return json.dumps({"settings": chain.settings_hash(name, settings), **more})
