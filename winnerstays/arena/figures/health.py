"""What whoever operates an arena watches: its traffic, silent visitors, how old its model is."""

from typing import NamedTuple

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.figures.standing import wins_of_learners
from winnerstays.arena.history import totals
from winnerstays.arena.stores import learner_statements, model_statements
from winnerstays.arena.stores.base import Reader

NEWEST_VISITORS = 100


class Health(NamedTuple):
    """Of people; robots are left out."""

    events: dict[str, int]
    """How often what happened, by the kind of event."""
    visitors: int
    """The newest that were looked at; 0 where the arena remembers none."""
    silent: int
    """Those of them who have chosen nothing."""
    model_at: float | None
    """When the newest version of the model was begun."""


def health(reader: Reader, arena: ArenaRuntime) -> Health:
    """Return how an arena is."""
    events = {key.label: count for key, count in totals.of_people(totals.read(reader, arena.id, "kind")).items()}
    newest = [] if arena.shared else learner_statements.newest_states(reader, arena.id, NEWEST_VISITORS)
    wins = wins_of_learners(reader, [row[1] for row in newest])
    model = model_statements.newest(reader, arena.id) if arena.uses_models else None
    silent = sum(not found for found in wins.values())
    return Health(events, len(newest), silent, None if model is None else model.at)
