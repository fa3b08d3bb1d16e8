"""Rankings: which algorithm is first on a problem, and by how much."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from winnerstays.league.cells import Cell, Stat


class Place(NamedTuple):
    """An algorithm on one problem, in one regret, at one time."""

    algorithm: str
    stat: Stat
    ratio: float
    """Of its mean to the smallest mean."""


def ranking(cells: Sequence[Cell], regret: str, t: int) -> list[Place]:
    """Return the algorithms that reached time t, the smallest mean first."""
    known = [(cell.algorithm, cell.at(regret, t)) for cell in cells]
    ranked = sorted(((label, stat) for label, stat in known if stat is not None), key=lambda pair: pair[1].mean)
    if not ranked:
        return []
    best = ranked[0][1].mean
    return [
        Place(label, stat, stat.mean / best if best > 0 else 1.0 if stat.mean == 0 else math.inf)
        for label, stat in ranked
    ]


def number(value: float) -> str:
    """Return three digits or so.

    >>> number(1234.5), number(1.234), number(math.nan)
    ('1,234', '1.23', '-')
    """
    if math.isnan(value):
        return "-"
    return "∞" if math.isinf(value) else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
