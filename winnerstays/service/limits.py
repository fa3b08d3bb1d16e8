"""The limits of connections: what a stranger may send, how long it may take, how many may come."""

import asyncio
import logging
import time
from collections import Counter
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Protocol

from winnerstays.service import metrics

log = logging.getLogger("winnerstays.service")
SWEEP_SECONDS = 0.5
"""How often connections are looked through for those whose time is over."""
MAX_DIGITS = 12
"""Of a length that a request says."""
LOG_SECONDS = 10.0
"""A reason for refusing is logged once in this time, with how often it applied."""


@dataclass(frozen=True)
class Limits:
    """Limits of each worker, for everybody, before anything of that size is allocated."""

    head_bytes: int = 32_768
    """Request line and headers."""
    url_bytes: int = 8_192
    headers: int = 100
    body_bytes: int = 1_000_000
    head_seconds: float = 10.0
    """From the connection, or from the first byte of a later request, to the end of its headers."""
    body_seconds: float = 30.0
    """From the end of the headers to the end of the body."""
    read_seconds: float = 60.0
    """Within which whoever gets a response must take some of it."""
    connections: int = 4_096
    connections_of_address: int = 512
    pipelined: int = 16
    """Requests on one connection that wait for the responses to those before them."""

    @property
    def raw_body_bytes(self) -> int:
        """What may arrive for a body, chunk sizes and trailers included."""
        return 2 * self.body_bytes + 65_536


def network(address: str) -> str:
    """Return what limits by address count: an IPv4 address, or the /64 of an IPv6 address, which one person has.

    >>> network("192.0.2.7"), network("::ffff:192.0.2.7"), network("2001:db8:0:1:a::9"), network("testclient")
    ('192.0.2.7', '192.0.2.7', '2001:db8:0:1::/64', 'testclient')
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv4Address):
        return address
    return str(parsed.ipv4_mapped or ip_network((int(parsed) >> 64 << 64, 64)))


class Connection(Protocol):
    """What `Connections` needs to know of one."""

    deadline: float

    def expire(self) -> None:
        """End what takes too long."""


class Connections:
    """The open connections of a worker: counted by address, and ended when their time is over."""

    def __init__(self, limits: Limits, loop: asyncio.AbstractEventLoop) -> None:
        self._limits, self._loop = limits, loop
        self._open: set[Connection] = set()
        self._of_address: Counter[str] = Counter()
        self._sweeping = False

    def add(self, connection: Connection, address: str) -> str | None:
        """Count a new connection; return why it is one too many, if it is."""
        if len(self._open) >= self._limits.connections:
            return f"The service has {self._limits.connections} connections, and takes no more."
        if self._of_address[address] >= self._limits.connections_of_address:
            return f"Your address has {self._limits.connections_of_address} connections, and gets no more."
        self._open.add(connection)
        self._of_address[address] += 1
        if not self._sweeping:
            self._sweeping = True
            self._loop.call_later(SWEEP_SECONDS, self._sweep)
        return None

    def remove(self, connection: Connection, address: str) -> None:
        """Forget a connection that was counted."""
        if connection in self._open:
            self._open.remove(connection)
            self._of_address[address] -= 1
            if not self._of_address[address]:
                del self._of_address[address]

    def _sweep(self) -> None:
        now = self._loop.time()
        for connection in [each for each in self._open if each.deadline < now]:
            connection.expire()
        self._sweeping = bool(self._open)
        if self._sweeping:
            self._loop.call_later(SWEEP_SECONDS, self._sweep)


class RefusalLog:
    """Logs what strangers are refused: a line per reason and LOG_SECONDS, with how many there were."""

    def __init__(self) -> None:
        self._suppressed: Counter[str] = Counter()
        self._logged_at: dict[str, float] = {}

    def refuse(self, reason: str, address: str, detail: str) -> None:
        """Count a refusal, and log it unless the same reason was logged lately."""
        metrics.count_refusal(reason)
        now = time.monotonic()
        if now - self._logged_at.get(reason, float("-inf")) < LOG_SECONDS:
            self._suppressed[reason] += 1
            return
        self._logged_at[reason] = now
        more = self._suppressed.pop(reason, 0)
        log.warning("refused %s (%s): %s%s", address, reason, detail, f" And {more} more like it." if more else "")


refusals = RefusalLog()
