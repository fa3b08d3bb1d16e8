"""Measure the service on bad days: many strangers, huge headers, large arenas.

With and without the strangers takes turns of a few seconds. They come from 20 addresses of loopback, send a byte of a
header every second, and come back when they are thrown out; they run in a process of their own, on the same cores.
"""

import multiprocessing
import socket
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from benchmarks import _load as load
from benchmarks._timing import row
from benchmarks.service import CONNECTIONS, ITEMS, person
from tests.service.serving import command
from winnerstays.arena import Arenas

STRANGERS, ADDRESSES = 2000, 20
TURNS, SECONDS = 4, 4.0
MEGABYTES = 120
LOGGED = 100_000
LARGE = (("rucb", 900), ("ws-w", 100_000))


def besiege(port: int, begin: Any, stop: Any) -> None:
    """Hold connections with half a request each, and replace those that are closed, until told to stop."""
    while not stop.is_set():
        begin.wait()
        held: dict[int, socket.socket] = {}
        while begin.is_set() and not stop.is_set():
            start = time.monotonic()
            for number in range(STRANGERS):
                connection = held.get(number)
                try:
                    if connection is None:
                        connection = socket.socket()
                        connection.bind((f"127.0.1.{number % ADDRESSES + 1}", 0))
                        connection.settimeout(1.0)
                        connection.connect((load.HOST, port))
                        connection.setblocking(False)
                        held[number] = connection
                        connection.send(b"GET /v1/arenas HTTP/1.1\r\nHost: localhost\r\nX: ")
                    connection.send(b"y")
                except OSError:
                    if connection is not None:
                        connection.close()
                    held.pop(number, None)
            time.sleep(max(0.0, 1.0 - (time.monotonic() - start)))
        for connection in held.values():
            connection.close()


def resident(pid: int) -> float:
    """Return the megabytes of memory of a process, as Linux counts them."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1000


def send_endlessly(port: int, start: bytes, piece: bytes) -> None:
    """Send a request that begins so and goes on and on, for as long as the service takes it."""
    with closing(socket.create_connection((load.HOST, port), timeout=10)) as connection, suppress(OSError):
        connection.sendall(start)
        for _ in range(MEGABYTES):
            connection.sendall(piece)


def reader(_: int) -> load.Player:
    """Ask for the bias again and again."""
    while True:
        yield load.request("GET", "/v1/arenas/lunch/bias")


def beside_readers(folder: Path) -> tuple[load.Load, load.Load]:
    """Return the loads of 4 askers alone, and beside 60 clients who ask for the bias of a long log."""
    address = str(folder / "readers.db")
    with Arenas.open(address) as arenas:
        arena = arenas.create("lunch", ITEMS, audience="everyone")
        for _ in range(LOGGED // 1000):
            arena.tell_many([(duel, duel.left) for duel in arena.ask_many([None] * 1000)])
    with command(address, log=folder / "readers.log") as process:
        port = int(process.url.rpartition(":")[2])
        askers = [person(number) for number in range(4)]
        alone = load.run(port, askers, SECONDS, 0.5)
        context = multiprocessing.get_context("spawn")
        crowd = context.Process(target=read_endlessly, args=(port,), daemon=True)
        crowd.start()
        time.sleep(4.0)  # until the readers have started
        beside = load.run(port, [person(number) for number in range(4)], SECONDS, 0.5)
        crowd.terminate()
        crowd.join()
    return alone, beside


def read_endlessly(port: int) -> None:
    load.run(port, [reader(number) for number in range(60)], 60.0, 0.0)


def longest_silence(folder: Path, algorithm: str, n_items: int) -> float:
    """Return the longest time that /healthz took while 20 people asked in an arena with this many items."""
    address = str(folder / f"{algorithm}.db")
    with Arenas.open(address) as arenas:
        arenas.create("large", [f"item{number}" for number in range(n_items)], algorithm=algorithm)
    with command(address, log=folder / f"{algorithm}.log") as process:
        port = int(process.url.rpartition(":")[2])
        asks = [load.request("POST", "/v1/arenas/large/duels", {"user": f"user{number}"}) for number in range(20)]
        with ThreadPoolExecutor(20) as people:
            answers = [people.submit(exchange, port, ask) for ask in asks]
            longest = 0.0
            while not all(answer.done() for answer in answers):
                start = time.perf_counter()
                exchange(port, load.request("GET", "/healthz"))
                longest = max(longest, time.perf_counter() - start)
            for answer in answers:
                assert b" 201 " in answer.result()
    return longest


def exchange(port: int, request: bytes) -> bytes:
    """Send a request on a connection of its own; return the beginning of the response."""
    with closing(socket.create_connection((load.HOST, port), timeout=300)) as connection:
        connection.sendall(request)
        return connection.recv(65536)


def rows() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        pairs, many = (longest_silence(Path(folder), *arena) for arena in LARGE)
        alone, beside = beside_readers(Path(folder))
    return [
        *_besieged(),
        row("longest /healthz during 20 asks, rucb with 900 items", pairs * 1e3, "ms"),
        row("longest /healthz during 20 asks, ws-w with 100,000 items", many * 1e3, "ms"),
        row(f"4 askers beside 60 readers of {LOGGED} answers / alone", beside.rate / alone.rate, "x", "",
            f"{beside.rate:.0f} and {alone.rate:.0f} requests/s; slowest {max(beside.latencies, default=9e9):.2f} s"),
    ]  # fmt: skip


def _besieged() -> list[dict[str, Any]]:
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        address = str(Path(folder) / "one.db")
        with Arenas.open(address) as arenas:
            arenas.create("lunch", ITEMS)
        with command(address, log=Path(folder) / "log") as process:
            port, pid = int(process.url.rpartition(":")[2]), process.process.pid

            def play() -> load.Load:
                return load.run(port, [person(number) for number in range(CONNECTIONS)], SECONDS, 1.0)

            play()
            begin, stop = context.Event(), context.Event()
            strangers = context.Process(target=besiege, args=(port, begin, stop), daemon=True)
            strangers.start()
            calm, besieged = _in_turns(play, begin)
            stop.set()
            begin.set()
            strangers.join(30)
            before = resident(pid)
            line = b"GET /healthz HTTP/1.1\r\n"
            send_endlessly(port, line, b"a: b\r\n" * 166_667)
            send_endlessly(port, line + b"X: ", b"y" * 1_000_000)
            send_endlessly(port, b"GET /", b"u" * 1_000_000)
            after = resident(pid)
    ratio = besieged.rate / calm.rate
    note = f"{besieged.rate:.0f} and {calm.rate:.0f} requests/s, {calm.errors + besieged.errors} errors"
    return [
        row(f"HTTP, duels besieged by {STRANGERS} connections / in peace", ratio, "x", ">= 0.7", note),
        row(f"memory after {3 * MEGABYTES} MB of headers and URLs", after, "MB", "", f"{before:.0f} MB before"),
    ]  # fmt: skip


def _in_turns(play: Callable[[], load.Load], begin: Any) -> tuple[load.Load, load.Load]:
    calm, besieged = load.Load(), load.Load()
    for _ in range(TURNS):
        for total, siege in ((calm, False), (besieged, True)):
            (begin.set if siege else begin.clear)()
            time.sleep(3.0)  # until all strangers have come or gone
            found = play()
            total.seconds += found.seconds
            total.latencies += found.latencies
            total.errors += found.errors
    begin.clear()
    return calm, besieged
