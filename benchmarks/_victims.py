"""Processes to be killed, forked from one that has imported and compiled everything and has no threads."""

import ctypes
import json
import multiprocessing
import os
import random
import select
import signal
import socket
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn._subprocess

from tests.arena.crash_load import Ledger, load, load_service
from winnerstays.arena.stores.sqlite import SQLite
from winnerstays.service import server, supervisor
from winnerstays.service.config import Config
from winnerstays.service.key_ring import default_path

PATIENCE_SECONDS = 90.0
LOOK_SECONDS = 0.02
"""How often a supervisor looks whether its workers are there, instead of every half second."""
_PR_SET_PDEATHSIG = 1


class Victim:
    """A forked process with the report that it writes."""

    def __init__(self, target: Callable[..., None], *arguments: Any) -> None:
        """Run `target(report, *arguments)` in a process and a group of its own."""
        self._reading, writing = os.pipe()
        self.text = b""
        self.ended = False
        """Whether its report has ended."""
        self._waited = False
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setpgid(0, 0)
                ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # nothing outlives the attacker
                trouble = os.dup(2)
                threading.excepthook = partial(_give_up, trouble)
                silence = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(silence, stream)
                target(writing, *arguments)
            except BaseException:
                os.write(trouble, traceback.format_exc().encode())
            finally:
                os._exit(1)
        os.close(writing)
        with suppress(PermissionError):  # it did so itself already
            os.setpgid(self.pid, self.pid)

    def read(self, seconds: float) -> bytes:
        """Return what is reported next, within that time; b'' if nothing is."""
        if not select.select([self._reading], [], [], seconds)[0]:
            return b""
        part = os.read(self._reading, 65536)
        self.text += part
        self.ended = not part
        return part

    def kill(self, *, group: bool = False) -> None:
        (os.killpg if group else os.kill)(self.pid, signal.SIGKILL)

    def wait_for_end(self) -> None:
        """Wait for the end of a process that was killed."""
        if not self._waited:
            os.waitpid(self.pid, 0)
            self._waited = True

    def finish(self) -> bytes:
        """Wait for the end of a process that was killed; return the complete lines of its report."""
        self.wait_for_end()
        while self.read(PATIENCE_SECONDS):
            pass
        os.close(self._reading)
        return self.text.partition(b"ready\n")[2].rpartition(b"\n")[0]


def _give_up(trouble: int, thread: threading.ExceptHookArgs) -> None:
    """End a process of which one thread failed: if nobody reads its report any more, without a word."""
    if thread.exc_type is not BrokenPipeError:
        text = traceback.format_exception(thread.exc_type, thread.exc_value, thread.exc_traceback)
        os.write(trouble, "".join(text).encode())
    os._exit(1)


def drain(victims: list[Victim], seconds: float) -> None:
    """Let victims live on, reading what they report."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        for victim in victims:
            victim.read(left / len(victims))


def call(work: Callable[[], Any]) -> Any:
    """Return what some work returns in a process of its own: this one must not get any threads."""

    def report(writing: int) -> None:
        text = json.dumps(work()).encode()
        while text:
            text = text[os.write(writing, text) :]

    helper = Victim(report)
    while helper.read(PATIENCE_SECONDS):
        pass
    helper.finish()
    if not helper.text:
        raise RuntimeError(f"{work} failed in its process.")
    return json.loads(helper.text)


def client(report: int, address: str, seed: int) -> None:
    load(address, report, seed)


def unsafe_client(report: int, address: str, seed: int) -> None:
    """Use a SQLite that does not wait for the disk: what it acknowledges is lost when the power is cut."""
    prepare = SQLite._prepare

    def prepare_unsafe(store: SQLite) -> Any:
        connection = prepare(store)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    SQLite._prepare = prepare_unsafe  # type: ignore[method-assign]
    load(address, report, seed)


class Processes:
    """Some processes that use the library on the same database."""

    def __init__(self, address: str, seeds: Any, size: int = 2, target: Callable[..., None] = client) -> None:
        self._start = lambda: Victim(target, address, next(seeds))
        self._ledger = Ledger()
        self._victims = [self._start() for _ in range(size)]
        self._read_before = [0] * size
        self._awaited = list(range(size))

    def wait(self) -> None:
        """Wait until each that a kill concerned has reported an answer since then."""
        end = time.monotonic() + PATIENCE_SECONDS
        for place in self._awaited:
            victim = self._victims[place]
            while victim.text.count(b"\n") < self._read_before[place] + 2:
                if not victim.read(1.0) and (victim.ended or time.monotonic() > end):
                    raise RuntimeError(f"A process has reported nothing for {PATIENCE_SECONDS:g} seconds.")

    def live(self, seconds: float) -> None:
        drain(self._victims, seconds)
        self._read_before = [victim.text.count(b"\n") for victim in self._victims]
        self._awaited = list(range(len(self._victims)))

    def kill_one(self, rng: random.Random) -> None:
        place = rng.randrange(len(self._victims))
        self._victims[place].kill()
        self._replace([place])
        self._awaited = [place]

    def kill_all(self) -> None:
        for victim in self._victims:
            victim.kill()

    def wait_for_end(self) -> None:
        """Wait until all that were killed are gone."""
        for victim in self._victims:
            victim.wait_for_end()

    def start_all(self) -> None:
        """Replace all of them, after they were killed."""
        self._replace(range(len(self._victims)))

    def _replace(self, places: Any) -> None:
        for place in places:
            self._ledger.add(self._victims[place].finish())
            self._victims[place] = self._start()
            self._read_before[place] = 0

    def stop(self) -> Ledger:
        """Kill all, once each has answered; return what was acknowledged."""
        self.live(0.0)
        self.wait()
        self.kill_all()
        for victim in self._victims:
            self._ledger.add(victim.finish())
        return self._ledger


class Impatient(supervisor.Supervisor):
    """Looks after its workers often."""

    def __init__(self, *options: Any) -> None:
        super().__init__(*options)
        wait = self.should_exit.wait
        self.should_exit.wait = lambda _=None: wait(LOOK_SECONDS)  # type: ignore[method-assign]


def serve(report: int, address: str, port: int) -> None:
    """Serve with two workers that are forked, too, and so share one socket."""
    uvicorn._subprocess.spawn = multiprocessing.get_context("fork")  # type: ignore[assignment]
    server.shared = lambda bound: bound
    supervisor.STEADY_SECONDS = 0.0  # so that a worker is replaced at once
    server.Supervisor = Impatient  # type: ignore[misc]
    config = Config(address, default_path(address), workers=2, supervisor=os.getpid())
    server.run(config, "127.0.0.1", port, log_level="critical")


class Service:
    """`winnerstays serve` with two workers, and a process with its clients, which is not killed."""

    def __init__(self, address: str, seeds: Any) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self._port = int(probe.getsockname()[1])
        self._start = lambda: Victim(serve, address, self._port)
        self._service = self._start()
        self._clients = Victim(lambda report: load_service(self._port, report, next(seeds)))
        self._read_before = 0

    def wait(self) -> None:
        """Wait until the clients have reported an answer since the last kill."""
        end = time.monotonic() + PATIENCE_SECONDS
        while self._clients.text.count(b"\n") < self._read_before + 2:
            if not self._clients.read(1.0) and (self._clients.ended or time.monotonic() > end):
                raise RuntimeError(f"The service has answered nothing for {PATIENCE_SECONDS:g} seconds.")

    def live(self, seconds: float) -> None:
        drain([self._clients], seconds)
        self._read_before = self._clients.text.count(b"\n")

    def kill_one(self, rng: random.Random) -> None:
        """Kill a worker; the supervisor replaces it."""
        workers: list[str] = []
        end = time.monotonic() + PATIENCE_SECONDS
        while not workers and time.monotonic() < end:
            workers = Path(f"/proc/{self._service.pid}/task/{self._service.pid}/children").read_text().split()
        with suppress(ProcessLookupError):
            os.kill(int(rng.choice(workers)), signal.SIGKILL)

    def kill_all(self) -> None:
        self._service.kill(group=True)

    def wait_for_end(self) -> None:
        self._service.wait_for_end()

    def start_all(self) -> None:
        self._service.finish()
        self._service = self._start()

    def stop(self) -> Ledger:
        self.kill_all()
        self._service.finish()
        self._clients.kill()
        ledger = Ledger()
        ledger.add(self._clients.finish())
        return ledger
