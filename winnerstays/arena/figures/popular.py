"""Items by how often they were chosen when shown."""

from collections.abc import Sequence

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.history import totals
from winnerstays.arena.records import Popularity
from winnerstays.arena.stores.base import Reader
from winnerstays.arena.stores.totals import Key
from winnerstays.intervals import shared_ranks, wilson


def popular(reader: Reader, arena: ArenaRuntime, level: float) -> list[Popularity]:
    """Return the items that are not retired, the best first."""
    won, lost = (totals.read(reader, arena.id, measure) for measure in ("won", "lost"))
    shown = {item: (won[Key("won", "", item)], lost[Key("lost", "", item)]) for item in sorted(arena.there)}
    return rank([arena.item_ids[item] for item in shown], list(shown.values()), level)


def rank(items: Sequence[str], counts: Sequence[tuple[int, int]], level: float = 0.95) -> list[Popularity]:
    """Return items, the best first, given for each how often it was chosen and how often it was not.

    >>> [(place.rank, place.item) for place in rank(["pho", "curry"], [(2, 30), (30, 2)])]
    [(1, 'curry'), (2, 'pho')]
    >>> [(place.rank, place.item) for place in rank(["pho", "curry"], [(2, 1), (1, 2)])]
    [(1, 'pho'), (1, 'curry')]
    """
    lows, highs = wilson([won for won, _ in counts], [lost for _, lost in counts], level)
    ends = zip(shared_ranks(lows, highs), lows.tolist(), highs.tolist(), strict=True)
    ranked = [
        Popularity(place, item, won, lost, won / (won + lost) if won + lost else 0.5, low, high)
        for item, (won, lost), (place, low, high) in zip(items, counts, ends, strict=True)
    ]
    return sorted(ranked, key=lambda item: (item.rank, -item.share))
