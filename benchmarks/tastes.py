"""Measure what the model of tastes costs: the fit of a million answers, an ask and an answer, a visitor's bytes."""

import resource
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._timing import row
from tests.postgres import Postgres
from winnerstays.arena import Arena, Arenas
from winnerstays.arena.stores import learner_statements
from winnerstays.tastes import Crowd, fit

ITEMS, VISITORS, EACH, FEATURES = 200, 100_000, 10, 4
MANY = 10_000
STATE_ITEMS, STATE_ANSWERS = 200, 17
TURNS, TURN = 5, 100


def log(items: int, visitors: int) -> list[Any]:
    """Return so many answers of visitors, half of whose tastes are in common."""
    r = np.random.default_rng(1)
    quality, who = r.normal(0, 1.5, items), np.repeat(np.arange(visitors), EACH)
    first = r.integers(items, size=who.size)
    second = (first + r.integers(1, items, who.size)) % items
    gap = quality[first] - quality[second] + r.normal(0, 2.1, who.size)
    return [who, first, second, (r.random(who.size) < 1 / (1 + np.exp(-gap))).astype(np.int64)]


def fits() -> list[dict[str, Any]]:
    features = np.random.default_rng(2).normal(size=(ITEMS, FEATURES))
    fit(Crowd(features), *log(ITEMS, 100))
    answers, start = log(ITEMS, VISITORS), time.process_time()
    fit(Crowd(features), *answers)
    seconds, megabytes = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    note = f"{VISITORS:,} visitors, {ITEMS} items with {FEATURES} features; {megabytes:.0f} MB at most"
    return [row(f"fit of {VISITORS * EACH:,} answers", seconds, "s of CPU", "<= 60", note)]


def ask_and_tell(arena: Arena, name: str) -> float:
    """Return the seconds of CPU of an ask and an answer: on a busy machine the time that passes says little."""
    start = time.process_time()
    for number in range(TURN):
        duel = arena.ask(f"{name} {number // 10}")
        arena.tell(duel, winner=duel.left)
    return (time.process_time() - start) / TURN


def speeds(store: str, address: str) -> list[dict[str, Any]]:
    """Return how fast the model of tastes is beside ws-root, by turns."""
    with Arenas.open(address) as arenas:
        names = [f"item {number}" for number in range(ITEMS)]
        both = [arenas.create(algorithm, names, algorithm=algorithm) for algorithm in ("tastes", "ws-root")]
        found = [[ask_and_tell(arena, f"turn {turn}") for arena in both] for turn in range(TURNS + 1)][1:]
        ratio = statistics.median(root / tastes for tastes, root in found)
        rates = " and ".join(f"{1 / statistics.median(column):.0f}" for column in zip(*found, strict=True))
        note = f"{rates} per second of CPU, {ITEMS} items, 10 answers each"
        return [row(f"ask and answer on {store}, tastes / ws-root", ratio, "times", ">= 0.8", note)]


def sizes(folder: Path) -> list[dict[str, Any]]:
    with Arena.open(str(folder / "many.db"), items=[f"item {k}" for k in range(MANY)], seed=1) as arena:
        ask_and_tell(arena, "warm")
        many = statistics.median(ask_and_tell(arena, f"visitor {turn}") for turn in range(TURNS))
    with Arena.open(str(folder / "state.db"), items=[f"item {k}" for k in range(STATE_ITEMS)], seed=1) as arena:
        for _ in range(STATE_ANSWERS):
            duel = arena.ask("ada")
            arena.tell(duel, winner=duel.left)
        ((_, _, state),) = arena.arenas.database.store.read(lambda r: learner_statements.newest_states(r, 1, 1))
    note = f"{STATE_ITEMS} items, {STATE_ANSWERS} answers"
    return [
        row(f"ask and answer with {MANY:,} items", 1e3 * many, "ms of CPU", "", "on SQLite"),
        row("state of a visitor", len(state), "bytes", "<= 4096", note),
    ]


def rows() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        server = Postgres(Path(name) / "postgresql")
        try:
            found = speeds("SQLite", str(Path(name) / "speed.db")) + speeds("PostgreSQL", server.database())
        finally:
            server.stop()
        return [*found, *sizes(Path(name)), *fits()]
