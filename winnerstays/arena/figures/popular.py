"""Items by how often they were chosen when shown."""

from collections.abc import Mapping, Sequence

from winnerstays.arena.records import Popularity
from winnerstays.intervals import shared_ranks, wilson


def rank(ids: Sequence[str], shown: Mapping[int, tuple[int, int]], level: float) -> list[Popularity]:
    """Return items, the best first, given for each how often it was chosen and how often it was not.

    >>> [(one.rank, one.item) for one in rank(["pho", "curry"], {0: (2, 30), 1: (30, 2)}, 0.95)]
    [(1, 'curry'), (2, 'pho')]
    """
    lows, highs = wilson([won for won, _ in shown.values()], [lost for _, lost in shown.values()], level)
    ends = zip(shared_ranks(lows, highs), lows.tolist(), highs.tolist(), strict=True)
    found = [
        Popularity(place, ids[item], won, lost, won / (won + lost) if won + lost else 0.5, low, high)
        for (item, (won, lost)), (place, low, high) in zip(shown.items(), ends, strict=True)
    ]
    return sorted(found, key=lambda one: (one.rank, -one.share))
