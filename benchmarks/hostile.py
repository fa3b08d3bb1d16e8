"""Duels while strangers hold 2,000 connections with requests that never end, and memory under giant headers.

With and without the strangers takes turns of a few seconds. They come from 20 addresses of loopback, send a byte of a
header every second, and come back when they are thrown out; they run in a process of their own, on the same cores.
"""

import multiprocessing
import socket
import tempfile
import time
from collections.abc import Callable
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


def rows() -> list[dict[str, Any]]:
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
