"""A cell of the league: one algorithm on one problem, summed up and kept in a file; who is first by the cells."""

import csv
import hashlib
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import NamedTuple

import numpy as np

from winnerstays.errors import WinnerstaysError
from winnerstays.files import as_json, write_whole
from winnerstays.simulation import Curve

QUANTILES = {"p90": 0.9, "p99": 0.99}


@dataclass(frozen=True)
class Stat:
    """Cumulative regret at one time, over the runs."""

    mean: float
    sem: float
    p90: float
    p99: float
    worst: float
    runs: int


def stat(curve: Curve, place: int) -> Stat:
    """Sum up a curve at one of its times; the standard error of a single run is not known, and infinite here."""
    values = curve.values[:, place]
    sem = float(curve.sem[place]) if len(values) > 1 else float("inf")
    tail = {name: float(np.quantile(values, q)) for name, q in QUANTILES.items()}
    return Stat(mean=float(values.mean()), sem=sem, **tail, worst=float(values.max()), runs=len(values))


@dataclass(frozen=True)
class Cell:
    """What one algorithm did on one problem: a Stat for each regret and each time that it could reach."""

    problem: str
    algorithm: str
    stats: Mapping[str, Mapping[int, Stat]]
    seconds: float
    """Of computing time, for a run up to the last time."""
    note: str = ""
    """Why a time is missing."""

    def at(self, regret: str, t: int) -> Stat | None:
        return self.stats.get(regret, {}).get(t)


class CellStore:
    """A folder with a file for each cell; a file that cannot be read is ignored.

    `plan` holds what a cell depends on besides the names, such as the algorithm's source and the problem's numbers.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WinnerstaysError(f"{folder} cannot be the folder of the league ({error.strerror}).") from None

    def path(self, problem: str, algorithm: str, plan: object) -> Path:
        key = hashlib.sha256(f"{problem}\n{algorithm}\n{plan}".encode()).hexdigest()[:16]
        return self.folder / f"{algorithm.split()[0]}-{key}.json"

    def load(self, problem: str, algorithm: str, plan: object) -> Cell | None:
        try:
            stored = json.loads(self.path(problem, algorithm, plan).read_text(encoding="utf-8"))
            stats = {
                regret: {int(t): Stat(**numbers) for t, numbers in at.items()} for regret, at in stored["stats"].items()
            }
            return Cell(stored["problem"], stored["algorithm"], stats, stored["seconds"], stored["note"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, cell: Cell, plan: object) -> None:
        as_json(asdict(cell), self.path(cell.problem, cell.algorithm, plan), force=True)


def by_problem(cells: Iterable[Cell]) -> dict[str, list[Cell]]:
    """Group cells by their problem, in order of appearance."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.problem, []).append(cell)
    return groups


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


def write_csv(path: Path, cells: Iterable[Cell], *, force: bool) -> None:
    """Write a line for each problem, algorithm, regret and time."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("problem", "algorithm", "regret", "t", *(field.name for field in fields(Stat))))
    for cell in cells:
        for regret, at in cell.stats.items():
            writer.writerows((cell.problem, cell.algorithm, regret, t, *astuple(stat_)) for t, stat_ in at.items())
    write_whole(path, text.getvalue(), force=force)
