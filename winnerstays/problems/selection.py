"""Select the items of a file that become arms: all, the most frequent ones, or all with enough duels."""

import numpy as np

from winnerstays._types import Ints
from winnerstays.errors import WinnerstaysError
from winnerstays.problems.pair_counts import PairCounts

MAX_ITEMS = 5_000
"""The most items that are taken by default."""
MOST_ITEMS = 100_000


def check_items(number: int) -> None:
    """Refuse fewer than two items."""
    if not 2 <= number <= MOST_ITEMS:
        raise WinnerstaysError(f"there are {number} items to compare, but there must be 2 to {MOST_ITEMS}.")


def check_selection(items: int | None, min_duels: int) -> None:
    """Check the options `items` and `min_duels`."""
    if items is not None:
        check_items(items)
    if min_duels < 0:
        raise WinnerstaysError(f"min_duels is {min_duels}, but it must be at least 0.")


def select(
    pairs: PairCounts, names: list[str], items: int | None = None, min_duels: int = 0
) -> tuple[PairCounts, list[str], str]:
    """Return the counts and names of the chosen items, in the file's order, and what was left out."""
    check_selection(items, min_duels)
    if not names:
        raise WinnerstaysError("there are 0 items to compare: the file has no row of data.")
    if len(names) < 2:
        check_items(len(names))
    if not pairs.duels:
        raise WinnerstaysError(f"there are {len(names)} items, but no two of them were compared.")
    able = _that_met(pairs, min_duels)
    met = pairs.met()
    most = items or MAX_ITEMS
    chosen = np.sort(able[np.argsort(-met[able], kind="stable")[:most]])
    if chosen.size < 2:
        raise WinnerstaysError(
            f"{chosen.size} of {len(names)} items had {min_duels} duels (most: {met.max():g}); lower min_duels."
        )
    if chosen.size == len(names):
        return pairs, names, ""
    among = pairs.among(chosen)
    few = f" that took part in at least {min_duels} duels" if min_duels and able.size <= most else ""
    note = f"{chosen.size} of {len(names)} items{few or ', those that met most'}"
    note += f", with {among.duels:.15g} of {pairs.duels:.15g} duels"
    return among, [names[arm] for arm in chosen], note


def _that_met(pairs: PairCounts, min_duels: int) -> Ints:
    """Return the arms that took part in so many duels with each other, without those against arms left out."""
    arms = np.arange(pairs.n_arms)
    while min_duels and arms.size:
        often = pairs.among(arms).met() >= min_duels
        if often.all():
            break
        arms = arms[often]
    return arms
