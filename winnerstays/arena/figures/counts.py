"""How often what happened in an arena, how often people chose the left item, and each item when it was shown."""

from collections import Counter
from collections.abc import Sequence

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.history import totals
from winnerstays.arena.records import Bias, Popularity, Totals, Win
from winnerstays.arena.stores import learner_statements
from winnerstays.arena.stores.base import Reader
from winnerstays.arena.stores.totals import Key
from winnerstays.intervals import bias as bias_of
from winnerstays.intervals import shared_ranks, wilson


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


def popular(reader: Reader, arena: ArenaRuntime, level: float) -> list[Popularity]:
    """Return the items that are not retired, the best first."""
    won, lost = (totals.read(reader, arena.id, measure) for measure in ("won", "lost"))
    shown = {item: (won[Key("won", "", item)], lost[Key("lost", "", item)]) for item in sorted(arena.there)}
    return rank([arena.item_ids[item] for item in shown], list(shown.values()), level)


def rank(items: Sequence[str], counts: Sequence[tuple[int, int]], level: float = 0.95) -> list[Popularity]:
    """Return items, the best first, given for each how often it was chosen and how often it was not.

    >>> [(one.rank, one.item) for one in rank(["pho", "curry"], [(2, 30), (30, 2)])]
    [(1, 'curry'), (2, 'pho')]
    >>> [(one.rank, one.item) for one in rank(["pho", "curry"], [(2, 1), (1, 2)])]
    [(1, 'pho'), (1, 'curry')]
    """
    lows, highs = wilson([won for won, _ in counts], [lost for _, lost in counts], level)
    ends = zip(shared_ranks(lows, highs), lows.tolist(), highs.tolist(), strict=True)
    ranked = [
        Popularity(place, item, won, lost, won / (won + lost) if won + lost else 0.5, low, high)
        for item, (won, lost), (place, low, high) in zip(items, counts, ends, strict=True)
    ]
    return sorted(ranked, key=lambda item: (item.rank, -item.share))
