"""Which items of a file become arms: all, those that met most, those that met often enough."""

import numpy as np

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.pair_counts import PairCounts

MAX_ITEMS = 5_000
"""Items that are taken unless more are asked for."""
MOST_ITEMS = 100_000


def check_items(number: int) -> None:
    """Refuse fewer than two items."""
    if not 2 <= number <= MOST_ITEMS:
        raise WinnerstaysError(f"there are {number} items to compare; it must be 2 to {MOST_ITEMS}.")


def check_selection(items: int | None, min_duels: int) -> None:
    """Refuse an `items` or `min_duels` with which nothing could be chosen."""
    if items is not None:
        check_items(items)
    if min_duels < 0:
        raise WinnerstaysError(f"min_duels is {min_duels}, but it must be at least 0.")


def select(
    pairs: PairCounts, names: list[str], items: int | None = None, min_duels: int = 0
) -> tuple[PairCounts, list[str], str]:
    """Return the counts and names of the chosen items, in the file's order, and what was left out."""
    check_selection(items, min_duels)
    if len(names) < 2:
        check_items(len(names))
    if not pairs.duels:
        raise WinnerstaysError(f"there are {len(names)} items, but no two of them were compared.")
    met = pairs.met()
    able = np.flatnonzero(met >= min_duels)
    most = items or MAX_ITEMS
    kept = np.sort(able[np.argsort(-met[able], kind="stable")[:most]])
    if kept.size < 2:
        raise WinnerstaysError(
            f"{kept.size} of {len(names)} items took part in {min_duels} duels (most: {met.max():g}); lower min_duels."
        )
    if kept.size == len(names):
        return pairs, names, ""
    few = f" that took part in at least {min_duels} duels" if min_duels and able.size <= most else ""
    note = f"{kept.size} of {len(names)} items{few or ', those that met most'}"
    return pairs.among(kept), [names[arm] for arm in kept], note
