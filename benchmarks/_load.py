"""A small load generator: keep-alive connections to a service on this machine, bounded in time.

A player is a Python generator: it yields the bytes of a request and is sent (status, body) of its response.
"""

import asyncio
import json
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

Player = Generator[bytes, tuple[int, bytes], None]
HOST = "127.0.0.1"


def request(method: str, path: str, body: object = None, key: str | None = None) -> bytes:
    content = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: {HOST}\r\n"
    if key:
        head += f"Authorization: Bearer {key}\r\n"
    if body is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    return head.encode() + b"\r\n" + content


@dataclass
class Load:
    """The latencies and errors of a run, after its warm-up."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    errors: int = 0

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class _Connection(asyncio.Protocol):
    def __init__(self, player: Player, load: Load, begin: float, end: float, interval: float, start: float) -> None:
        self.player, self.load, self.begin, self.end = player, load, begin, end
        self.interval, self.due = interval, start
        self.buffer = b""
        self.loop = asyncio.get_running_loop()
        self.closed = self.loop.create_future()
        self.message = next(player)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        self.loop.call_later(max(0.0, self.due - time.perf_counter()), self.send)

    def send(self) -> None:
        if not self.interval:
            self.due = time.perf_counter()
        self.transport.write(self.message)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head = self.buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        place = self.buffer.find(b"content-length: ", 0, head) + 16
        end = head + 4 + int(self.buffer[place : self.buffer.find(b"\r", place)])
        if len(self.buffer) < end:
            return
        status, content = int(self.buffer[9:12]), self.buffer[head + 4 : end]
        self.buffer = self.buffer[end:]
        now = time.perf_counter()
        if now >= self.end:
            self.transport.close()
            return
        if self.due >= self.begin:
            self.load.latencies.append(now - self.due)
            self.load.errors += status >= 300
        self.message = self.player.send((status, content))
        if self.interval:
            self.due += self.interval  # what was due is due, however late the answer before it was
            if self.due > now:
                self.loop.call_at(self.loop.time() + self.due - now, self.send)
                return
        self.send()

    def connection_lost(self, error: Exception | None) -> None:
        self.load.errors += error is not None or time.perf_counter() < self.end
        if not self.closed.done():
            self.closed.set_result(None)


async def _run(port: int, players: list[Player], seconds: float, warm_up: float, rate: float | None) -> Load:
    start = time.perf_counter() + 0.05
    load = Load(seconds)
    begin, end = start + warm_up, start + warm_up + seconds
    interval = len(players) / rate if rate else 0.0
    connections = []
    for number, player in enumerate(players):
        first = start + interval * number / len(players)
        make: Callable[[], _Connection] = lambda player=player, first=first: _Connection(  # type: ignore[misc]  # noqa: E731
            player, load, begin, end, interval, first
        )
        connections.append((await asyncio.get_running_loop().create_connection(make, HOST, port))[1])
    await asyncio.wait([connection.closed for connection in connections], timeout=warm_up + seconds + 5.0)
    return load


def run(
    port: int, players: list[Player], seconds: float = 3.0, warm_up: float = 1.0, rate: float | None = None
) -> Load:
    """Run every player on a connection of its own: as fast as responses come, or all at `rate` requests per second.

    At a given rate, latency counts from the moment a request was due.
    """
    import uvloop

    return uvloop.run(_run(port, players, seconds, warm_up, rate))
