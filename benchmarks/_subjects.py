"""Stores under attack: their databases, and the servers and the power that can be taken away from them."""

import itertools
import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg

from benchmarks._power import PowerLoss
from benchmarks._victims import PATIENCE_SECONDS, call
from tests.arena.crash_load import create
from tests.postgres import Postgres

_SETTINGS = {
    "checkpoint_timeout": "30s", "max_wal_size": "32MB", "min_wal_size": "2MB", "shared_buffers": "32MB",
    "recovery_init_sync_method": "syncfs",
}  # fmt: skip
"""Small, with many checkpoints; what a recovery finds was made durable when the power was cut (`_power.py`)."""


class Files:
    """SQLite files in a folder. This process and its children must have been started with the power's environment."""

    def __init__(self, folder: Path, power: PowerLoss | None) -> None:
        self._folder = folder
        self._power = power

    def new_database(self) -> str:
        for path in self._folder.iterdir():
            path.unlink()
        address = str(self._folder / "arena.db")
        call(lambda: create(address))
        if self._power is not None:
            self._power.begin()
        return address

    def cut_power(self, rng: random.Random) -> int:
        """Drop what was not fsynced, after all processes were killed; return how many writes that were."""
        assert self._power is not None
        return self._power.cut(rng)

    def drop(self, address: str) -> None:
        """Nothing: the next database is in the same place."""

    def stop(self) -> None:
        """Nothing: nobody else uses the files."""


class Server:
    """PostgreSQL with fsync, whose processes can be killed and whose power can be cut."""

    def __init__(self, folder: Path, scratch: Path, *, power: bool) -> None:
        self._server = Postgres(folder)
        self._folder = Path(self._server.server.pgdata)
        with psycopg.connect(self._server.server.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM RESET fsync")
            for name, value in _SETTINGS.items():
                connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")
        self._template = self._server.database()
        call(lambda: create(self._template))
        self._server._control("-m", "fast", "stop")
        self._server.execute("pg_resetwal", "--wal-segsize=1")  # small files: less to be copied when the power is cut
        self._power = PowerLoss(self._folder, scratch) if power else None
        self._numbers = itertools.count()
        if self._power is not None:
            self._power.begin()
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        for lock in [self._folder / "postmaster.pid", *self._folder.glob(".s.PGSQL*")]:
            lock.unlink(missing_ok=True)  # of a server that was killed
        with environment(self._power.environment if self._power else {}):
            log = str(self._server.server.log)
            self._server._control("-W", "-o", f'-h "" -k {self._folder}', "-l", log, "start")
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            with suppress(psycopg.OperationalError):
                self._connect().close()
                return
            if time.monotonic() > end:
                raise RuntimeError("PostgreSQL did not start again.")
            time.sleep(0.01)

    def _connect(self) -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(self._server.server.get_uri(), autocommit=True)

    def new_database(self) -> str:
        name = f"chaos_{next(self._numbers)}"
        with self._connect() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {_name(self._template)}")  # type: ignore[arg-type]
            # else a crash would set the copied sequences back: their values were logged for the template only
            connection.execute("CHECKPOINT")
        return str(self._server.server.get_uri(name))

    def drop(self, address: str) -> None:
        with self._connect() as connection:
            connection.execute(f"DROP DATABASE {_name(address)} WITH (FORCE)")  # type: ignore[arg-type]

    def cut_power(self, rng: random.Random) -> int:
        """Drop what was not fsynced, after the server was killed; return how many writes that were."""
        assert self._power is not None
        return self._power.cut(rng)

    def kill(self) -> None:
        """Kill all processes of the server at once: the first is stopped, so that it starts no others."""
        first = int((self._folder / "postmaster.pid").read_text().split()[0])
        os.kill(first, signal.SIGSTOP)
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for pid in [*map(int, children), first]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in [*map(int, children), first]:
            while _is_running(pid):
                time.sleep(0.001)

    def stop(self) -> None:
        self._server.stop()


def _name(address: str) -> str:
    """Return the name of the database at an address."""
    return address.partition("?")[0].rpartition("/")[2]


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextmanager
def environment(values: dict[str, str]) -> Iterator[None]:
    """Set environment variables for a while."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
