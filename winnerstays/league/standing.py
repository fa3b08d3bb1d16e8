"""Who is first where, and by how much."""

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
    found = sorted(((label, one) for label, one in known if one is not None), key=lambda pair: pair[1].mean)
    if not found:
        return []
    best = found[0][1].mean
    return [
        Place(label, one, one.mean / best if best > 0 else 1.0 if one.mean == 0 else math.inf) for label, one in found
    ]


def number(value: float) -> str:
    """Return three digits or so.

    >>> number(1234.5), number(1.234), number(math.nan)
    ('1,234', '1.23', '-')
    """
    if math.isnan(value):
        return "-"
    return "∞" if math.isinf(value) else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
