"""The processes that serve: sockets, workers and their supervisor.

If several workers listen on one socket, whichever wakes first takes every connection that waits, and the others idle.
So on Linux each worker listens on a socket of its own, and the kernel deals connections out among them.
"""

import gc
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.supervisors import Multiprocess

from winnerstays.errors import WinnerstaysError
from winnerstays.service import logs, metrics, rates
from winnerstays.service.app import create_app
from winnerstays.service.config import Config
from winnerstays.service.protocol import LimitedProtocol

WORKER = "winnerstays.service.server:create_worker"
SECONDS_TO_STOP = 20
"""Requests under way may take this long after SIGTERM."""
SECONDS_TO_ANSWER = 30
"""The supervisor replaces a worker that does not answer it for this long."""
SUPERVISOR_CHECK_SECONDS = 1.0
MAX_DESCRIPTORS, SPARE_DESCRIPTORS = 65_536, 128
"""Files and connections of a process at most, and how many of them are kept for the database."""
OBJECTS_BEFORE_COLLECTION = 10_000
"""Collecting garbage after every 700 objects, among all that was imported, took a third of the time of a request."""


def run(
    config: Config,
    host: str,
    port: int,
    *,
    worker: str = WORKER,
    access_log: bool = False,
    log_level: str = "info",
    log_format: logs.Format = "text",
    announce: Callable[[int], None] = lambda port: None,
) -> None:
    """Serve until SIGTERM or Ctrl-C: in this process, or in this many workers that this process supervises.

    `worker` names the function that makes the application of a process, as `module:function`. `announce` is called
    with the port as soon as it is known, which may be before anybody answers there.
    """
    check_port(host, port)
    config = replace(config, max_connections=min(config.max_connections, _descriptors() - SPARE_DESCRIPTORS))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises it again once all requests are answered
    options: dict[str, Any] = {
        "app": worker,
        "http": partial(LimitedProtocol, limits=config.limits),
        "factory": True,
        "host": host,
        "port": port,
        "workers": config.workers,
        "access_log": access_log,
        "log_level": log_level,
        "log_config": logs.config(log_format),
        "ws": "none",
        "server_header": False,
        "timeout_graceful_shutdown": SECONDS_TO_STOP,
        "timeout_worker_healthcheck": SECONDS_TO_ANSWER,
    }
    if config.workers == 1:
        config.to_environment()
        server = uvicorn.Server(uvicorn.Config(**options))
        bound = None if port else [server.config.bind_socket()]  # any free port: which one is known once it is bound
        announce(bound[0].getsockname()[1] if bound else port)
        with suppress(KeyboardInterrupt):
            server.run(bound)
        if not server.should_exit:
            raise WinnerstaysError("The server ended although nobody asked it to.")
        return
    with tempfile.TemporaryDirectory(prefix="winnerstays-serve-", ignore_cleanup_errors=True) as folder:
        os.environ[metrics.FOLDER] = folder
        rates_file = Path(folder) / "rates"
        rates.make_file(rates_file)
        replace(config, rates_file=str(rates_file)).to_environment()
        settings = uvicorn.Config(**options)
        listener = settings.bind_socket()
        announce(listener.getsockname()[1])
        Multiprocess(settings, [shared(listener)]).run()  # until a signal asks it to end


def _descriptors() -> int:
    """Return how many files and connections a process may have open, after asking for as many as it may get."""
    try:
        import resource
    except ImportError:  # on Windows
        return MAX_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MAX_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return MAX_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def create_worker(create: Callable[[Config], Starlette] = create_app) -> Starlette:
    """Make the application of one process."""
    config = Config.from_environment()
    app = create(config)
    if config.workers > 1:
        threading.Thread(target=_stop_with, args=(config.supervisor,), daemon=True).start()
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    return app


def _stop_with(supervisor: int) -> None:
    """Stop this worker when its supervisor was killed, and remove the folder that the workers share."""
    while os.getppid() == supervisor:
        time.sleep(SUPERVISOR_CHECK_SECONDS)
    shutil.rmtree(os.environ[metrics.FOLDER], ignore_errors=True)
    os.kill(os.getpid(), signal.SIGTERM)


class SharedSocket(socket.socket):
    """A bound socket that becomes another one, on the same port, when it is handed to a process.

    It is bound as the only one of its port, and shared afterwards: a second server does not slip in unnoticed.
    """

    @classmethod
    def of(cls, bound: socket.socket) -> "SharedSocket":
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        return cls(bound.family, bound.type, bound.proto, bound.detach())

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _bind_another, (self.family, self.getsockname())


def _bind_another(family: int, address: Any) -> socket.socket:
    bound = socket.socket(family)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections that ended lately do not matter
    bound.bind(address)
    return bound


def shared(bound: socket.socket) -> socket.socket:
    """Return the bound socket as one that can be handed to several workers."""
    return SharedSocket.of(bound) if sys.platform == "linux" else bound


def check_port(host: str, port: int) -> None:
    """Refuse an address on which nobody can listen; uvicorn's own words would not say which."""
    try:
        socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise WinnerstaysError(
            f"The service cannot listen on {host}, port {port} ({reason}); choose another --port or --host."
        ) from None
