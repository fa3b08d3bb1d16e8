"""Who is first where, by how much, and what the tail of an algorithm is beside that of another."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from winnerstays.league.cells import Cell, Stat

RIVAL, PAIR = "dts", ("dts", "ws-s")
"""Whose tail is compared with, and whose binary regret."""
AVERAGE, BINARY = "strong-average", "strong-binary"


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


def mean_ranks(problems: Mapping[str, Sequence[Cell]], regret: str, t: int) -> dict[str, tuple[float, float, int]]:
    """Return by algorithm its mean rank, the geometric mean of its ratio to the best, and on how many problems.

    Who did not reach the time on a problem is not ranked there.
    """
    places: dict[str, list[tuple[int, float]]] = {}
    for cells in problems.values():
        for rank, place in enumerate(ranking(cells, regret, t), 1):
            places.setdefault(place.algorithm, []).append((rank, place.ratio))
    found = {
        label: (
            sum(rank for rank, _ in at) / len(at),
            math.exp(sum(math.log(ratio) for _, ratio in at) / len(at)),
            len(at),
        )
        for label, at in places.items()
    }
    return dict(sorted(found.items(), key=lambda item: (-item[1][2], item[1][1])))


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


class Target(NamedTuple):
    """What an algorithm should reach on every line of the league, and on how many it does."""

    name: str
    limit: float
    met: int
    lines: int
    worst: Verdict | None
    """The line that is farthest from it."""
    ratio: float
    """There."""


def targets(found: Sequence[Verdict]) -> list[Target]:
    """Return the targets of WS-T, with the lines on which each can be judged; tails at the last time alone."""
    last = max((one.t for one in found), default=0)
    late = [one for one in found if one.t == last]
    mean = {one: one.own.mean / one.other.stat.mean for one in found if one.other.stat.mean > 0}
    return [
        _target("mean: first, or within one standard error", 1.0, mean, {one: one.first for one in found}),
        *(
            _target(name, limit, known, {one: ratio <= limit for one, ratio in known.items()})
            for name, limit, known in (
                ("binary strong regret / the better of D-TS and WS-S", 1.2, _known(found, "binary")),
                ("p99 / that of D-TS, at the last time", 1.2, _known(late, "p99")),
                ("worst run / that of D-TS, at the last time", 2.0, _known(late, "worst")),
            )
        ),
    ]


def _known(found: Sequence[Verdict], what: str) -> dict[Verdict, float]:
    return {one: getattr(one, what) for one in found if not math.isnan(getattr(one, what))}


def _target(name: str, limit: float, ratios: Mapping[Verdict, float], met: Mapping[Verdict, bool]) -> Target:
    worst = max(ratios, key=ratios.__getitem__, default=None)
    ratio = math.nan if worst is None else ratios[worst]
    return Target(name, limit, sum(met.values()), len(met), worst, ratio)


def _over(one: float, other: float) -> float:
    return one / other if other > 0 else math.nan
