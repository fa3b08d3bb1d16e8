"""Measure what partitions of the log and of the learners cost on PostgreSQL.

Measured is the CPU time of the client and of its server processes (Linux only), by turns, in this order and in the
opposite one; with one partition PostgreSQL plans and executes as without any. The server is one from a wheel.
"""

import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg

from benchmarks._timing import row
from benchmarks.arena import ITEMS, ask_and_tell, in_threads
from benchmarks.scale import play
from tests.postgres import Postgres
from winnerstays.arena import Arena
from winnerstays.arena.stores import schema

COUNTS = (1, 4, 8, 16)
TURNS = 11
USERS = [f"user{number}" for number in range(1000)]


def at_once(arena: Arena) -> int:
    """Let a thousand users ask at once, and answer at once."""
    play(arena, USERS)
    return len(USERS)


WORK = {
    "one after the other": lambda arena: ask_and_tell(arena, "ada", 150),
    "16 threads": lambda arena: in_threads(arena, 16, 50),
    "1,000 users, 500 in one request": at_once,
}


def cpu_seconds(address: str) -> float:
    """Return the CPU time so far of this process, and of the server's processes for a database."""
    with psycopg.connect(address) as connection:
        own = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        backends = [Path(f"/proc/{pid}/schedstat") for (pid,) in connection.execute(own).fetchall()]
        return time.process_time() + sum(int(one.read_text().split()[0]) for one in backends) / 1e9


def microseconds(name: str, arena: Arena) -> float:
    """Return the CPU time of an ask with its answer."""
    address = arena.arenas.database.address
    start = cpu_seconds(address)
    done = WORK[name](arena)
    return 1e6 * (cpu_seconds(address) - start) / done


def rows() -> list[dict[str, Any]]:
    server = Postgres(Path(tempfile.mkdtemp(prefix="partitions-")))
    try:
        with ExitStack() as stack:
            arenas = {}
            for count in COUNTS:
                with patch.object(schema, "PARTITIONS", count):
                    arenas[count] = stack.enter_context(Arena.open(server.database(), items=ITEMS, algorithm="ws-w"))
            return [one for name in WORK for one in compare(name, arenas)]
    finally:
        server.stop()


def compare(name: str, arenas: dict[int, Arena]) -> list[dict[str, Any]]:
    """Return for each number of partitions how long the work takes, as a ratio to that with one."""
    times: dict[int, list[float]] = {count: [] for count in arenas}
    for arena in arenas.values():
        microseconds(name, arena)
    for turn in range(TURNS):
        for count in list(arenas)[:: 1 if turn % 2 else -1]:
            times[count].append(microseconds(name, arenas[count]))
    return [
        row(
            f"ask+tell with {count} partitions / with one, {name}",
            statistics.median(mine / one for mine, one in zip(times[count], times[1], strict=True)), "times", "",
            f"{statistics.median(times[count]):.0f} microseconds, {TURNS} turns",
        )
        for count in arenas if count > 1
    ]  # fmt: skip
