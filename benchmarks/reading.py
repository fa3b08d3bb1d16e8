"""How fast a file of duels is read, and in how much memory, beside Python's own `csv.DictReader` and `Counter`."""

import csv
import tempfile
import time
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._timing import best_seconds, row
from winnerstays.problems import load

ROWS, ITEMS, MANY_ITEMS = 1_000_000, 1_000, 100_000


def _written(path: Path, items: int, rows: int = ROWS) -> Path:
    rng = np.random.default_rng(1)
    winner = rng.integers(0, items, rows)
    loser = (winner + rng.integers(1, items, rows)) % items
    pairs = zip(winner.tolist(), loser.tolist(), strict=True)
    path.write_text("winner,loser\n" + "".join(f"item-{one},item-{other}\n" for one, other in pairs))
    return path


def _counted(path: Path) -> Counter[tuple[str, str]]:
    with path.open(newline="") as file:
        return Counter((duel["winner"], duel["loser"]) for duel in csv.DictReader(file))


def rows() -> list[dict[str, Any]]:
    """One row for each measurement; both readers run in this process, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        path = _written(Path(folder) / "duels.csv", ITEMS)
        seconds = best_seconds(lambda: load(path), 3, time.process_time)
        plain = best_seconds(lambda: _counted(path), 3, time.process_time)
        sparse = _written(Path(folder) / "sparse.csv", MANY_ITEMS)
        load(_written(Path(folder) / "few.csv", MANY_ITEMS, 5_000))  # imports and compiles, which is not measured
        tracemalloc.start()
        pairs = load(sparse, items=MANY_ITEMS).pair_counts
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert pairs is not None
    counts = sum(getattr(pairs, name).nbytes for name in ("first", "second", "won", "lost"))
    return [
        row("reading: a million rows of winner,loser", seconds, "s", "<= 2", "CPU time, 1000 items"),
        row("reading: beside csv.DictReader and a Counter", seconds / plain, "times", "<= 1.5", "the same file"),
        row("reading: memory, 100,000 items", peak / counts, "times", "<= 3", "the memory of the counts"),
    ]
