"""How WS-T does in the league: beside the best other algorithm, its tail beside that of D-TS, and its targets."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from winnerstays.league.cells import Cell, Place, Stat, ranking

RIVAL, PAIR = "dts", ("dts", "ws-s")
"""Whose tail is compared with, and whose binary regret."""
AVERAGE, BINARY = "strong-average", "strong-binary"


class Verdict(NamedTuple):
    """One algorithm on one problem at one time, beside the others."""

    problem: str
    t: int
    own: Stat
    other: Place
    """The best of the others in average strong regret."""
    first: bool
    """Whether it is first, or within one standard error of the difference of the first."""
    binary: float
    """Its binary strong regret divided by the smaller of those of D-TS and WS-S."""
    p99: float
    """Its 99th percentile divided by that of D-TS."""
    worst: float
    """Its worst run divided by that of D-TS; who has more runs has worse ones."""


def verdicts(problems: Mapping[str, Sequence[Cell]], about: str, times: Sequence[int]) -> list[Verdict]:
    """Judge one algorithm everywhere; a ratio is nan where the other did not get so far."""
    found = []
    for name, cells in problems.items():
        by_label = {cell.algorithm: cell for cell in cells}
        for t in times:
            own = by_label[about].at(AVERAGE, t) if about in by_label else None
            others = [place for place in ranking(cells, AVERAGE, t) if place.algorithm != about]
            if own is None or not others:
                continue
            other = others[0]
            within = own.mean - other.stat.mean <= math.hypot(own.sem, other.stat.sem)
            rival = by_label[RIVAL].at(AVERAGE, t) if RIVAL in by_label else None
            binaries = [one for label in PAIR if label in by_label and (one := by_label[label].at(BINARY, t))]
            mine = by_label[about].at(BINARY, t)
            best = min((one.mean for one in binaries), default=math.nan)
            found.append(
                Verdict(
                    problem=name,
                    t=t,
                    own=own,
                    other=other,
                    first=within,
                    binary=math.nan if mine is None else _over(mine.mean, best),
                    p99=math.nan if rival is None else _over(own.p99, rival.p99),
                    worst=math.nan if rival is None else _over(own.worst, rival.worst),
                )
            )
    return found


def _over(one: float, other: float) -> float:
    return one / other if other > 0 else math.nan
