"""The process that supervises workers, and the folder that they share."""

import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from pathlib import Path
from socket import socket

import uvicorn
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

try:
    import fcntl
except ImportError:  # on Windows folders of killed services stay
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger("winnerstays.service")
STEADY_SECONDS = 10.0
"""A worker that lived this long is replaced at once."""
FIRST_WAIT_SECONDS, MAX_WAIT_SECONDS = 0.5, 30.0
PREFIX, LOCK = "winnerstays-serve-", "lock"


class Supervisor(Multiprocess):
    """Replaces workers that end, for ever; after each that did not live long, the next waits longer."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket]) -> None:
        super().__init__(config, sockets)
        self._born: dict[int, float] = {}
        self._short_lives: dict[int, int] = {}
        self._due: dict[int, float] = {}
        """When the next worker of a place starts, if there is none."""

    def keep_subprocess_alive(self) -> None:
        for place, process in enumerate(self.processes):
            if self.should_exit.is_set():
                return
            now = time.monotonic()
            if place in self._due:
                if now >= self._due[place]:
                    self._start(place, now)
            elif not answers(process, self.config.timeout_worker_healthcheck):
                process.kill()
                process.join()
                self._count_end(place, process, now)

    def _count_end(self, place: int, process: Process, now: float) -> None:
        born = self._born.setdefault(place, now)
        self._short_lives[place] = 0 if now - born >= STEADY_SECONDS else self._short_lives.get(place, 0) + 1
        seconds = pause(self._short_lives[place])
        log.error(
            "worker [%s] ended with code %s; another starts in %g seconds", process.pid, process.exitcode, seconds
        )
        self._due[place] = now + seconds

    def _start(self, place: int, now: float) -> None:
        del self._due[place]
        self.processes[place] = Process(self.config, self.sockets)
        self.processes[place].start()
        self._born[place] = now

    def init_processes(self) -> None:
        super().init_processes()
        self._born = dict.fromkeys(range(len(self.processes)), time.monotonic())


def answers(process: Process, seconds: float) -> bool:
    """Whether a worker answers in time; one that ends meanwhile is not waited for."""
    if not process.process.is_alive():
        return False
    with suppress(OSError, EOFError):
        process.parent_conn.send(b"ping")
        if process.parent_conn in wait([process.parent_conn, process.process.sentinel], seconds):
            process.parent_conn.recv()
            return True
    return False


def pause(short_lives: int) -> float:
    """Return the seconds to wait before the next worker, after this many in a row that did not live long.

    >>> [pause(lives) for lives in (0, 1, 2, 3, 9)]
    [0.0, 0.5, 1.0, 2.0, 30.0]
    """
    return 0.0 if not short_lives else min(FIRST_WAIT_SECONDS * 2.0 ** (short_lives - 1), MAX_WAIT_SECONDS)


@contextmanager
def shared_folder() -> Iterator[Path]:
    """Make a folder for what workers share, and remove it and those of services that were killed."""
    remove_abandoned()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def remove_abandoned() -> None:
    """Remove the folders of services that were killed: nobody holds their locks any more."""
    if fcntl is None:
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # somebody else's, or just gone
            lock = os.open(folder / LOCK, os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
