"""Measure what the hash chain and the limits of requests cost.

With and without take turns, of which the median ratio counts. Only this benchmark can do without: the chain is replaced
by a constant in this process, the limited protocol by the one of uvicorn that it extends, in a service of its own.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks import _load as load
from benchmarks._timing import row
from benchmarks.arena import ask_and_tell
from benchmarks.service import ITEMS, person
from tests.service.serving import command
from winnerstays.arena import Arena, Arenas
from winnerstays.arena.history import chain

TURNS, TIMES = 15, 300
SECONDS, CONNECTIONS = 2.0, 16
WITHOUT_LIMITS = """
import sys
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from winnerstays.cli import main
from winnerstays.service import server
server.LimitedProtocol = lambda *options, limits, **more: HttpToolsProtocol(*options, **more)
main()
"""


@contextmanager
def without_hashes() -> Iterator[None]:
    """Let every row have the same hash."""
    hash_row, constant = chain.hash_row, bytes(chain.SIZE)
    chain.hash_row = lambda *_: constant
    try:
        yield
    finally:
        chain.hash_row = hash_row


def cpu_of_asks(arena: Arena) -> float:
    """Return the CPU seconds of this process per ask and answer."""
    start = time.process_time()
    ask_and_tell(arena, "ada", TIMES)
    return (time.process_time() - start) / TIMES


def cpu_of(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def cpu_of_requests(port: int, pid: int) -> float:
    """Return the CPU seconds of a service per ask and answer, which are two requests."""
    start = cpu_of(pid)
    found = load.run(port, [person(number) for number in range(CONNECTIONS)], SECONDS, 0.0)
    return 2 * (cpu_of(pid) - start) / len(found.latencies)


def compare(measure_with: Callable[[], float], measure_without: Callable[[], float]) -> tuple[float, float, float]:
    """Return the median ratio of two measurements that take turns, and the median of each."""
    pairs = []
    for turn in range(TURNS + 1):
        order = (measure_with, measure_without) if turn % 2 else (measure_without, measure_with)
        first, second = (measure() for measure in order)
        pairs.append((first, second) if turn % 2 else (second, first))
    pairs = pairs[1:]  # the first is for warming up
    ratio = statistics.median(one / other for one, other in pairs)
    return ratio, *(statistics.median(side) for side in zip(*pairs, strict=True))


def hash_chain(folder: Path) -> tuple[float, float, float]:
    with Arena.open(str(folder / "chain.db"), items=ITEMS) as arena:

        def bare() -> float:
            with without_hashes():
                return cpu_of_asks(arena)

        return compare(lambda: cpu_of_asks(arena), bare)


def limits(folder: Path) -> tuple[float, float, float]:
    measures = []
    with ExitStack() as stack:
        for name, program in (("limited", ("-m", "winnerstays")), ("unlimited", ("-c", WITHOUT_LIMITS))):
            address = str(folder / f"{name}.db")
            with Arenas.open(address) as arenas:
                arenas.create("lunch", ITEMS)
            served = stack.enter_context(command(address, log=folder / f"{name}.log", program=program))
            port, pid = int(served.url.rpartition(":")[2]), served.process.pid
            measures.append(lambda port=port, pid=pid: cpu_of_requests(port, pid))
        return compare(*measures)


def rows() -> list[dict[str, Any]]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, measure in (("hash chain", hash_chain), ("limits of requests, over HTTP", limits)):
            ratio, one, other = measure(Path(folder))
            note = f"{one * 1e6:.0f} and {other * 1e6:.0f} microseconds of CPU per ask and answer, {TURNS} turns"
            found.append(row(f"ask+tell with the {name} / without", ratio, "times", "<= 1.1", note))
    return found
