"""Kill processes and cut the power, again and again, and count what is lost.

    python -m benchmarks chaos --minutes 30

Clients ask, answer, take answers back, give rewards, erase users and change items, while versions of models are made;
they report what was acknowledged. Something is killed at a random moment, and they go on. After every 40 kills all that
was acknowledged must be in the database once, and `replay` must be equal. Changes of items that a kill met (made again,
or made without an acknowledgement) are counted as cut. Kills:

- library, one process: one of two processes that use the library is killed, and replaced;
- library, all: both at once;
- service, one worker: of `winnerstays serve --workers 2` one worker is killed, and replaced by the supervisor;
- service, group: the supervisor and all workers at once;
- server killed: all processes of PostgreSQL at once;
- power cut: everything at once (on PostgreSQL the server), and what was not fsynced is dropped (`_power.py`).

All of these run side by side, each on databases of its own. The files are in memory (`--folder` says where else): a
kill leaves what was written, and of a power cut the journal of writes and fsyncs says what is left, wherever they are.
A kill of several processes at once counts once. `--add FILE` adds the counts to those of earlier runs in that file.
"""

import argparse
import gc
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from benchmarks._power import PowerLoss
from benchmarks._subjects import Files, Server
from benchmarks._timing import row
from benchmarks._victims import PATIENCE_SECONDS, Processes, Service, call, client, unsafe_client
from tests.arena.crash_load import warm_up

MAX_SECONDS = 0.02
"""The longest time between the first answer after a kill and the next kill."""
KILLS_OF_A_DATABASE = 40
OVERTIME_SECONDS = PATIENCE_SECONDS + 60.0
"""An attacker may take this much longer, to notice that nothing goes on, or to compare its last database."""
ATTACKS: dict[str, tuple[str, ...]] = {
    "library": ("library, one process", "library, all"),
    "service": ("service, one worker", "service, group"),
    "server": ("server killed",),
    "power": ("power cut",),
}
"""The ways in which one attacker, a process of its own, kills by turns."""
STORES = {"SQLite": ("library", "service", "power"), "PostgreSQL": tuple(ATTACKS)}
COLUMNS = (
    "kills",
    "answers",
    "item changes",
    "undone",
    "rewards",
    "erased",
    "versions",
    "cut",
    "lost",
    "doubled",
    "not equal",
    "writes dropped",
)
Counts = dict[str, Counter[str]]


def attack(store: str, attacker: str, folder: Path, scratch: Path, end: float, seed: int, unsafe: bool) -> None:
    """Attack a store until a Unix time; print the counts of each way to kill after each database, all that is known."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    warm_up()
    gc.collect()
    gc.freeze()
    rng, seeds = random.Random(f"{store} {attacker} {seed}"), itertools.count(1)
    subject: Files | Server
    if store == "SQLite":
        subject = Files(folder, PowerLoss(folder, scratch) if attacker == "power" else None)
    else:
        subject = Server(folder, scratch, power=attacker == "power")
    counts: Counts = {way: Counter() for way in ATTACKS[attacker]}
    try:
        for way in itertools.cycle(ATTACKS[attacker]):
            attack_database(subject, way, rng, seeds, counts[way], end, unsafe)
            print(json.dumps(counts), flush=True)
            if time.time() > end:
                return
    finally:
        subject.stop()


def attack_database(
    subject: Files | Server, way: str, rng: random.Random, seeds: Any, counts: Counter[str], end: float, unsafe: bool
) -> None:
    """Kill again and again while a new database is used; then compare it with what was acknowledged."""
    address = subject.new_database()
    crew: Processes | Service
    if way.startswith("service"):
        crew = Service(address, seeds)
    else:
        crew = Processes(address, seeds, target=unsafe_client if unsafe else client)
    for _ in range(KILLS_OF_A_DATABASE):
        crew.wait()
        crew.live(rng.random() * MAX_SECONDS)
        counts["writes dropped"] += kill(subject, crew, way, rng)
        counts["kills"] += 1
        if time.time() > end:
            break
    ledger = crew.stop()
    try:
        found = call(lambda: ledger.compare(address)._asdict())
    except RuntimeError:  # it cannot even be read
        found = ledger.nothing_found()._asdict()
    if found["lost"] or found["doubled"] or not found["equal"]:
        print(f"{address} after {way}: {found}", file=sys.stderr)
    counts.update({
        "answers": found["acknowledged"], "item changes": found["changes"], "not equal": int(not found["equal"]),
        **{name: found[name] for name in ("undone", "rewards", "erased", "versions", "cut", "lost", "doubled")},
    })  # fmt: skip
    subject.drop(address)


def kill(subject: Files | Server, crew: Processes | Service, way: str, rng: random.Random) -> int:
    """Kill, and bring back what was killed; return how many writes were dropped."""
    if way in ("library, one process", "service, one worker"):
        crew.kill_one(rng)
        return 0
    dropped = 0
    if isinstance(subject, Server) and way in ("server killed", "power cut"):
        subject.kill()
        if way == "power cut":
            dropped = subject.cut_power(rng)
        subject.start()
        return dropped
    crew.kill_all()
    if way == "power cut":
        crew.wait_for_end()
        dropped = subject.cut_power(rng)
    crew.start_all()
    return dropped


def run(
    seconds: float, seed: int, stores: list[str], attackers: list[str], folder: str, unsafe: bool
) -> dict[str, Counts]:
    """Start all attackers side by side; return their counts by store."""
    found: dict[str, Counts] = {store: {} for store in stores}
    with tempfile.TemporaryDirectory(prefix="chaos-", dir=folder) as scratch:
        os.chmod(scratch, 0o755)
        processes, failed, end = [], [], time.time() + seconds
        for store in stores:
            for attacker in STORES[store]:
                if attacker in attackers:
                    processes.append((store, attacker, _start(store, attacker, Path(scratch), end, seed, unsafe)))
        for store, attacker, process in processes:
            printed, over = _finish(process, end + OVERTIME_SECONDS)
            if process.returncode and not over:
                failed.append((store, attacker))
            counts = json.loads(printed.splitlines()[-1]) if printed else {}
            found[store] |= {way: Counter(one) for way, one in counts.items()}
    for store, attacker in failed:
        found[store]["failed attackers"] = Counter({"not equal": 1})
        print(f"The attacker {attacker!r} of {store} failed.", file=sys.stderr)
    return found


def _finish(process: "subprocess.Popen[bytes]", end: float) -> tuple[bytes, bool]:
    """Return what an attacker printed, and whether it was still at its last database when its time was over."""
    try:
        return process.communicate(timeout=max(1.0, end - time.time()))[0], False
    except subprocess.TimeoutExpired:
        process.terminate()
        return process.communicate()[0], True


def _start(store: str, attacker: str, scratch: Path, end: float, seed: int, unsafe: bool) -> "subprocess.Popen[bytes]":
    """Start an attacker; SQLite's power can only be cut if its processes were started with the journal's library."""
    own = scratch / f"{store}-{attacker}"
    folder = own / "data"
    folder.mkdir(parents=True)
    power = PowerLoss(folder, own).environment if (store, attacker) == ("SQLite", "power") else {}
    command = [
        sys.executable,
        "-m",
        "benchmarks",
        "chaos",
        "--attack-once",
        store,
        attacker,
        str(own),
        str(end),
        str(seed),
    ]
    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore", "TMPDIR": str(own)}
    return subprocess.Popen(
        [*command, "unsafe" if unsafe else "safe"], stdout=subprocess.PIPE, env={**os.environ, **single, **power}
    )


def add_up(found: dict[str, Counts], path: Path) -> dict[str, Counts]:
    """Add counts to those in a file; return the sums."""
    before = json.loads(path.read_text()) if path.exists() else {}
    for store, ways in before.items():
        for way, counts in ways.items():
            own = found.setdefault(store, {})
            own[way] = Counter(counts) + own.get(way, Counter())
    path.write_text(json.dumps(found, indent=1) + "\n")
    return found


def total(found: dict[str, Counts]) -> Counter[str]:
    return sum((counts for ways in found.values() for counts in ways.values()), Counter())


def show(found: dict[str, Counts]) -> None:
    table = Table("store", "killed", box=SIMPLE)
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for store, ways in found.items():
        for way, counts in ways.items():
            table.add_row(store, way, *(f"{counts[column]:,}" for column in COLUMNS))
    table.add_row("all", "", *(f"{total(found)[column]:,}" for column in COLUMNS))
    Console(width=120).print(table)


def rows() -> list[dict[str, Any]]:
    """Return the counts of one minute, for `python -m benchmarks`."""
    whole = total(run(60.0, 1, list(STORES), list(ATTACKS), default_folder(), False))
    note = f"{whole['kills']} kills, {whole['answers']} acknowledged answers, {whole['item changes']} changes of items"
    return [row("answers lost or doubled in a minute of kills", whole["lost"] + whole["doubled"], "", "0", note)]


def default_folder() -> str:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()


def main(words: list[str]) -> None:
    if words[:1] == ["--attack-once"]:
        store, attacker, own, end, seed, safety = words[1:]
        scratch = Path(own)
        unsafe = safety == "unsafe"
        attack(store, attacker, scratch / "data", scratch, float(end), int(seed), unsafe)
        return
    parser = argparse.ArgumentParser(description="Kill processes and cut the power; count what is lost.")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", action="append", choices=list(STORES))
    parser.add_argument("--attack", action="append", choices=list(ATTACKS), dest="attackers")
    parser.add_argument("--folder", default=default_folder(), help="Where the databases are made.")
    parser.add_argument("--add", type=Path, help="A file with the counts of earlier runs.")
    parser.add_argument("--unsafe", action="store_true", help="SQLite without fsync: shows that losses are noticed.")
    options = parser.parse_args(words)
    stores, attackers = options.store or list(STORES), options.attackers or list(ATTACKS)
    found = run(60 * options.minutes, options.seed, stores, attackers, options.folder, options.unsafe)
    if options.add:
        found = add_up(found, options.add)
    show(found)
    whole = total(found)
    if whole["lost"] or whole["doubled"] or whole["not equal"]:
        raise SystemExit(1)
