"""Items in order, with intervals: those that the data cannot tell apart share a rank."""

from collections.abc import Mapping
from dataclasses import dataclass

from winnerstays.arena import Arena, Summary, Totals
from winnerstays.intervals import shared_ranks, wilson


@dataclass(frozen=True)
class Ranked:
    """One item. `share` is the share of visitors whose favourite it is, or of its duels that it won."""

    rank: int
    item: str
    count: int
    of: int
    share: float
    low: float
    high: float


def rank_items(arena: Arena, summary: Summary, totals: Totals) -> list[Ranked]:
    """Return the items by how many visitors prefer them; in an arena for everyone by the duels they won."""
    if arena.settings.audience == "user":
        of = sum(summary.favourites.values())
        return ranked({item.id: (summary.favourites.get(item.id, 0), of) for item in arena.items})
    won, lost = {item.id: 0 for item in arena.items}, {item.id: 0 for item in arena.items}
    for win in totals.wins:
        won[win.winner] += win.times
        lost[win.loser] += win.times
    return ranked({item: (won[item], won[item] + lost[item]) for item in won})


def ranked(counts: Mapping[str, tuple[int, int]]) -> list[Ranked]:
    """Return the items given as {item: (count, of)}; an item's rank is one more than those surely above it.

    >>> [(one.item, one.rank) for one in ranked({"a": (90, 100), "b": (5, 100), "c": (5, 100)})]
    [('a', 1), ('b', 2), ('c', 2)]
    >>> [(one.item, one.rank) for one in ranked({"a": (2, 3), "b": (1, 3)})]
    [('a', 1), ('b', 1)]
    """
    lows, highs = wilson([count for count, _ in counts.values()], [of - count for count, of in counts.values()])
    ends = zip(shared_ranks(lows, highs), lows.tolist(), highs.tolist(), strict=True)
    found = [
        Ranked(rank, item, count, of, count / of if of else 0.0, low, high)
        for (item, (count, of)), (rank, low, high) in zip(counts.items(), ends, strict=True)
    ]
    return sorted(found, key=lambda one: (one.rank, -one.share))
