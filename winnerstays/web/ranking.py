"""Items in order, with intervals: those that the data cannot tell apart share a rank."""

from collections.abc import Mapping
from dataclasses import dataclass

from winnerstays.arena import Arena, Summary, Totals
from winnerstays.arena.figures.counts import rank


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

    >>> [(place.item, place.rank) for place in ranked({"a": (90, 100), "b": (5, 100), "c": (5, 100)})]
    [('a', 1), ('b', 2), ('c', 2)]
    >>> [(place.item, place.rank) for place in ranked({"a": (2, 3), "b": (1, 3)})]
    [('a', 1), ('b', 1)]
    """
    places = rank(list(counts), [(count, of - count) for count, of in counts.values()])
    return [
        Ranked(place.rank, place.item, place.won, of, place.won / of if of else 0.0, place.low, place.high)
        for place in places
        for of in [place.won + place.lost]
    ]
