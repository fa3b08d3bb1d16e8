"""Processes killed, servers killed, power cut, again and again: is anything lost that was acknowledged?

    python -m benchmarks.chaos --minutes 30

Two processes with three threads each ask and answer, report what was acknowledged, and are killed at a random moment.
Then every acknowledged answer must be in the log once, and `replay` must be equal. Kinds of ends: one process after the
other is killed; all at once; the power is cut (all are killed, and what was not fsynced is dropped, `_power.py`); on
PostgreSQL also: all processes of the server are killed. Each column of the table is a count over all rounds.
"""

import argparse
import itertools
import multiprocessing
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from benchmarks._power import PowerLoss
from benchmarks._timing import row
from tests.arena.crash_load import Ledger, create, load, read_all, start
from tests.postgres import Postgres
from winnerstays.arena.stores.sqlite import SQLite

VICTIMS = 2
MAX_SECONDS = 0.12
"""The most time that the victims have after their first acknowledged answer."""
ROUNDS_OF_A_DATABASE = 10
"""Then it is compared with what was acknowledged, and a new one is begun."""
PATIENCE_SECONDS = 120.0
COLUMNS = ("kills", "acknowledged", "lost", "doubled", "not equal", "writes dropped")


class Subject:
    """A store under attack: its database, and the ways in which its processes may end."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder / "data"
        self.power = PowerLoss(self._make_folder(), folder)
        self.ends: list[str] = ["one by one", "all at once", "power cut"]
        self.load: Callable[[str, int, int], None] = quiet_load

    def _make_folder(self) -> Path:
        self.folder.mkdir()
        return self.folder

    def new_database(self) -> str:
        for path in self.folder.iterdir():
            path.unlink()
        address = str(self.folder / "arena.db")
        create(address)
        self.power.begin()
        return address

    def stop(self) -> None:
        """End whatever is not a victim."""

    def end(self, kind: str, victims: list[Any], rng: random.Random) -> int:
        """Kill the victims; return how many writes were dropped."""
        for process in victims:
            if kind == "one by one":
                time.sleep(rng.random() * MAX_SECONDS / 4)
            process.kill()
        for process in victims:
            process.join()
        return self.power.cut(rng) if kind == "power cut" else 0


class Server(Subject):
    """PostgreSQL with fsync, whose processes can be killed and whose power can be cut."""

    def __init__(self, folder: Path) -> None:
        super().__init__("PostgreSQL", folder)
        self.ends = ["one by one", "server killed", "power cut"]

    def _make_folder(self) -> Path:
        self.server = Postgres(self.folder)
        self.folder = Path(self.server.server.pgdata)
        with psycopg.connect(self.server.server.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM RESET fsync")
        return self.folder

    def new_database(self) -> str:
        address = self.server.database()
        create(address)
        self.server._control("-m", "fast", "stop")
        self.power.begin()
        self._start()
        return address

    def _start(self) -> None:
        for lock in [self.folder / "postmaster.pid", *self.folder.glob(".s.PGSQL*")]:
            lock.unlink(missing_ok=True)  # of a server that was killed
        with _environment(self.power.environment):
            self.server._control("-o", f'-h "" -k {self.folder}', "-l", str(self.server.server.log), "start")

    def stop(self) -> None:
        self.server.stop()

    def end(self, kind: str, victims: list[Any], rng: random.Random) -> int:
        if kind != "one by one":
            self._kill_server()
        gone = 0
        for process in victims:
            process.kill()
            process.join()
        if kind == "power cut":
            gone = self.power.cut(rng)
        if kind != "one by one":
            self._start()
        return gone

    def _kill_server(self) -> None:
        """Kill all processes of the server at once: the first is stopped, so that it starts no others."""
        first = int((self.folder / "postmaster.pid").read_text().split()[0])
        os.kill(first, signal.SIGSTOP)
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for pid in [*map(int, children), first]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in map(int, children):
            while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2:3]:
                time.sleep(0.001)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def quiet_load(address: str, report: int, seed: int) -> None:
    """Ask and answer until killed; what fails when a server is killed is nobody's news."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    load(address, report, seed)


def unsafe_load(address: str, report: int, seed: int) -> None:
    """Do the same with a SQLite that does not wait for the disk: what it acknowledges is lost when the power is cut."""
    prepare = SQLite._prepare

    def prepare_unsafe(store: SQLite) -> Any:
        connection = prepare(store)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    SQLite._prepare = prepare_unsafe  # type: ignore[method-assign]
    quiet_load(address, report, seed)


def attack(subject: Subject, forks: Any, seconds: float, seed: int, counts: dict[str, Counter[str]]) -> None:
    """Go on until the time is over; add to the counts of each kind of end."""
    rng = random.Random(seed)
    end = time.monotonic() + seconds
    kinds = itertools.cycle(subject.ends)
    while time.monotonic() < end:
        address, kind = subject.new_database(), next(kinds)
        ledger = Ledger()
        for number in range(ROUNDS_OF_A_DATABASE):
            dropped = one_round(subject, forks, address, kind, rng, ledger, number)
            counts[kind].update({"kills": VICTIMS, "writes dropped": dropped})
            if time.monotonic() > end:
                break
        found = ledger.compare(address)
        counts[kind].update({
            "acknowledged": found.acknowledged, "lost": found.lost, "doubled": found.doubled,
            "not equal": int(not found.equal),
        })  # fmt: skip


def one_round(
    subject: Subject, forks: Any, address: str, kind: str, rng: random.Random, ledger: Ledger, number: int
) -> int:
    """Start the victims, kill them, note what they acknowledged; return how many writes were dropped."""
    victims = [start(forks, subject.load, address, number * VICTIMS + place) for place in range(VICTIMS)]
    reports = [reading for _, reading in victims]
    beginnings = list(map(_first_answer, reports))
    time.sleep(rng.random() * MAX_SECONDS)
    dropped = subject.end(kind, [process for process, _ in victims], rng)
    for beginning, reading in zip(beginnings, reports, strict=True):
        report = (beginning + read_all(reading)).partition(b"ready\n")[2]
        ledger.add(report.rpartition(b"\n")[0])
    return dropped


def _first_answer(reading: Any) -> bytes:
    """Read a report until an answer was acknowledged."""
    text = b""
    while text.count(b"\n") < 2 and (part := os.read(reading.fileno(), 4096)):
        text += part
    return text


def run(
    seconds: float, seed: int, stores: list[str], end: str | None = None, *, unsafe: bool = False
) -> dict[tuple[str, str], Counter[str]]:
    """Attack each store for its share of the time; return the counts by store and kind of end."""
    makers: dict[str, Callable[[Path], Subject]] = {
        "SQLite": lambda folder: Subject("SQLite", folder), "PostgreSQL": Server,
    }  # fmt: skip
    found = {}
    for name in stores:
        with tempfile.TemporaryDirectory(prefix="chaos-") as scratch:
            os.chmod(scratch, 0o755)
            subject = makers[name](Path(scratch))
            subject.ends = [kind for kind in subject.ends if end in (None, kind)]
            if unsafe:
                subject.load = unsafe_load
            counts: dict[str, Counter[str]] = {kind: Counter() for kind in subject.ends}
            try:
                with _environment(subject.power.environment):
                    forks = _forkserver()
                    attack(subject, forks, seconds / len(stores), seed, counts)
            finally:
                subject.stop()
        found.update({(name, kind): count for kind, count in counts.items()})
    return found


def _forkserver() -> Any:
    """Start the process from which victims are forked, in the environment of now."""
    from multiprocessing import forkserver

    with suppress(Exception):
        forkserver._forkserver._stop()  # type: ignore[attr-defined]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.arena.crash_preload", "psycopg"])
    return context


def show(found: dict[tuple[str, str], Counter[str]]) -> None:
    table = Table("store", "end", *COLUMNS, box=SIMPLE)
    for (store, kind), counts in found.items():
        table.add_row(store, kind, *(f"{counts[column]:,}" for column in COLUMNS))
    whole: Counter[str] = sum(found.values(), Counter())
    table.add_row("all", "", *(f"{whole[column]:,}" for column in COLUMNS))
    Console(width=110).print(table)


def rows() -> list[dict[str, Any]]:
    """Return the counts of one minute, for `python -m benchmarks`."""
    found = run(60.0, 1, ["SQLite", "PostgreSQL"])
    whole: Counter[str] = sum(found.values(), Counter())
    note = f"{whole['kills']} kills, {whole['acknowledged']} acknowledged answers"
    return [row("answers lost or doubled in a minute of kills", whole["lost"] + whole["doubled"], "", "0", note)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Kill processes and cut the power; count what is lost.")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", action="append", choices=["SQLite", "PostgreSQL"])
    parser.add_argument("--end", help="Only this kind of end, for example 'power cut'.")
    parser.add_argument("--unsafe", action="store_true", help="SQLite without fsync: shows that losses are noticed.")
    options = parser.parse_args()
    stores = options.store or ["SQLite", "PostgreSQL"]
    found = run(60 * options.minutes, options.seed, stores, options.end, unsafe=options.unsafe)
    show(found)
    if any(counts["lost"] or counts["doubled"] or counts["not equal"] for counts in found.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
