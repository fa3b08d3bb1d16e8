"""A port that several worker processes share fairly.

If they all listen on one socket, whoever wakes first takes every connection that waits, and the others idle. So on
Linux each worker listens on a socket of its own, and the kernel deals connections out among them.
"""

import os
import socket
import sys
from typing import Any

from winnerstays.errors import WinnerstaysError


class Port(socket.socket):
    """A bound socket that becomes another one, on the same port, when it is handed to a process.

    It is bound as the only one of its port, and shared afterwards: a second server does not slip in unnoticed.
    """

    @classmethod
    def of(cls, bound: socket.socket) -> "Port":
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        return cls(bound.family, bound.type, bound.proto, bound.detach())

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _another, (self.family, self.getsockname())


def _another(family: int, address: Any) -> socket.socket:
    made = socket.socket(family)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections that ended lately do not matter
    made.bind(address)
    return made


def shared(bound: socket.socket) -> socket.socket:
    """The bound socket as something to hand to workers."""
    return Port.of(bound) if sys.platform == "linux" else bound


def check(host: str, port: int) -> None:
    """Whether one can listen there; uvicorn's own words would not say where."""
    try:
        socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise WinnerstaysError(
            f"The service cannot listen on {host}, port {port} ({reason}); choose another --port or --host."
        ) from None
