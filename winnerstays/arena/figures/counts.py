"""How often what happened in an arena, and how often people chose the left item."""

from collections import Counter

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.history import totals
from winnerstays.arena.records import Bias, Totals, Win
from winnerstays.arena.stores import learner_statements
from winnerstays.arena.stores.base import Reader
from winnerstays.arena.stores.totals import Key
from winnerstays.intervals import bias as bias_of


def bias(reader: Reader, arena: ArenaRuntime, group: str | None) -> Bias:
    """Return how often the left item was chosen, by all people or by those of a group."""
    measure, label = ("side", "") if group is None else ("group", group)
    sides = totals.read(reader, arena.id, measure)
    return bias_of(sides[Key(measure, label, 0)], sides[Key(measure, label, 1)])


def count_learners(reader: Reader, arena: ArenaRuntime) -> int:
    """Return how many learners of people an arena has: those that this process has counted, and those since.

    An arena from which a user was erased is read again, and so counted again.
    """
    known, last = arena.counted_learners
    count, newest = learner_statements.count_learners(reader, arena.id, last)
    arena.counted_learners = known + count, newest or last
    return known + count


def count(reader: Reader, arena: ArenaRuntime, robots: bool) -> Totals:
    """Return the totals of an arena: of people, or of robots."""
    choose = totals.of_robots if robots else totals.of_people
    kinds, hours, sides, groups, wins = (
        choose(totals.read(reader, arena.id, measure)) for measure in ("kind", "hour", "side", "group", "win")
    )
    by_hour: dict[str, dict[int, int]] = {}
    for key, times in hours.items():
        by_hour.setdefault(key.label, {})[key.first] = times
    ids = arena.item_ids
    return Totals(
        {key.label: times for key, times in kinds.items()},
        by_hour,
        sides[Key("side", "", 0)],
        sides[Key("side", "", 1)],
        tuple(Win(ids[key.first], ids[key.second], times) for key, times in sorted(wins.items()) if times),
        {label: (groups[Key("group", label, 0)], groups[Key("group", label, 1)]) for label in _labels(groups)},
    )


def _labels(counted: Counter[Key]) -> list[str]:
    """Return the labels of what was counted, in alphabetical order."""
    return sorted({key.label for key, times in counted.items() if times})
