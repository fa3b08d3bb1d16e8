"""Rows of the log as events: with the names of arenas and items instead of their ids."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.engine.duel_data import DuelData
from winnerstays.arena.engine.holdout import ARMS, PROBE, chance, is_probe
from winnerstays.arena.errors import UnusableArenaError
from winnerstays.arena.records import Event
from winnerstays.arena.stores.base import NoArenaError, Row


class _Numbered:
    """Names for items that nobody knows any more, because the settings of their arena are damaged."""

    def __getitem__(self, place: int) -> str:
        return f"item {place}"


class Names(NamedTuple):
    """The names that rows of an arena need."""

    arena: str
    item_ids: Any
    """The ids of the items, by place."""


NOBODY = Names("", _Numbered())
"""For rows of no arena."""


def names_of(find: Callable[[int], ArenaRuntime], find_name: Callable[[int], str], arena_id: int | None) -> Names:
    """Return the names of an arena; where its settings are damaged, items have numbers; a deleted one has no names."""
    if arena_id is None:
        return NOBODY
    try:
        arena = find(arena_id)
        return Names(arena.name, arena.item_ids)
    except UnusableArenaError:
        return Names(find_name(arena_id), NOBODY.item_ids)
    except NoArenaError:
        return NOBODY


def event_of(row: Row, names: Names) -> Event:
    """Return a row of `statements.events` as an event."""
    (
        seq, at, _, user, kind, duel_id, first, second, flipped, outcome, winner, reason, expires_at, arm, group,
        rewarded, served,
    ) = row  # fmt: skip
    left, right = (None, None) if first is None else (names.item_ids[first], names.item_ids[second])
    if flipped:
        left, right = right, left
    chosen = names.item_ids[winner] if winner is not None and winner >= 0 else None
    who = None if arm is None else ARMS[arm % PROBE]
    reward = json.loads(rewarded or "{}")
    data = DuelData.of(served)
    return Event(
        seq, at, names.arena, user or None, kind, duel_id, left, right, outcome, chosen, reason, expires_at, who, group,
        names.item_ids[first] if is_probe(arm) else None, reward.get("value"), reward.get("key"),
        data.model[0] if data.model else None, chance(arm, data.drawn),
    )  # fmt: skip
