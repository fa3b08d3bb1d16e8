"""Measure a million users and ten million rows on PostgreSQL, beside a small arena.

The large database is made by statements on the server: learners and rows as an arena writes them, except that the
hashes are stand-ins of the same length, so `replay` is no part of this. Then both arenas are asked and answered by
turns, in the same process, by threads that each take a random user. The server is one from a wheel, with fsync.
"""

import os
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

from benchmarks._timing import row
from tests.postgres import Postgres
from winnerstays.arena import Arena, Arenas
from winnerstays.arena.stores import totals

ITEMS = [f"item{number}" for number in range(200)]
USERS, DUELS_EACH = int(os.environ.get("SCALE_USERS", 1_000_000)), 5
SMALL_USERS = 1000
SHARED_OUTCOMES = int(os.environ.get("SCALE_OUTCOMES", USERS))
TURNS, SECONDS, THREADS = 7, 4.0, 16
_INDEXES = ("log_duel_phase", "log_served_to_learner", "log_arena_username")
_ROWS = """
INSERT INTO log (arena_id, learner_id, at, kind, duel_id, phase, first, second, flipped, step, expires_at, outcome,
                 winner, hash)
SELECT {arena}, {learner}, {at} + n, CASE phase WHEN 0 THEN 'served' ELSE 'learned' END,
       '1' || lpad(to_hex({arena} * 100000000::bigint + n), 12, '0') || substr(md5(n::text), 1, 20), phase,
       n % 200, (n + 1 + n / 200 % 199) % 200, n % 2, 0, {at} + 86400 + n, CASE phase WHEN 1 THEN 'winner' END,
       CASE phase WHEN 1 THEN n % 200 END, sha256(n::text::bytea)
FROM generate_series(0, {count} - 1) AS n, generate_series(0, 1) AS phase
"""


def play(arena: Arena, users: list[str], count: int = 1) -> None:
    """Let each user answer some duels."""
    for _ in range(count):
        for start in range(0, len(users), 500):
            duels = arena.ask_many(users[start : start + 500])
            arena.tell_many([(duel.id, duel.left) for duel in duels])


def fill(address: str, large: str, shared: str) -> float:
    """Make a million learners and their rows, and the rows of an arena for everyone; return the seconds it took."""
    start = time.perf_counter()
    with psycopg.connect(address, autocommit=True) as connection:

        def run(statement: str, *values: Any) -> Any:
            return connection.execute(statement, values or None)  # type: ignore[arg-type]

        run("SET synchronous_commit = off")
        run("SET maintenance_work_mem = '512MB'")
        (arena,), (everyone,) = (
            run("SELECT id FROM arenas WHERE name = %s", one).fetchone() for one in (large, shared)
        )
        (model,) = run("SELECT id FROM learners WHERE arena_id = %s", arena).fetchone()
        (crowd,) = run("SELECT id FROM learners WHERE arena_id = %s", everyone).fetchone()
        definitions = [
            run("SELECT indexdef FROM pg_indexes WHERE indexname = %s", name).fetchone()[0].replace(" ON ONLY ", " ON ")
            for name in _INDEXES
        ]
        for name in _INDEXES:
            run(f"DROP INDEX {name}")
        run(
            "INSERT INTO usernames (arena_id, username) SELECT %s, 'user' || n FROM generate_series(1, %s - 1) AS n",
            arena, USERS,
        )  # fmt: skip
        run(
            "INSERT INTO learners (id, arena_id, username, state, head)"
            " SELECT learner_id, own.arena_id, own.username, state, sha256(own.username::bytea)"
            " FROM learners, usernames AS own WHERE id = %s AND own.arena_id = %s AND learner_id <> id"
            " ORDER BY learner_id",
            model, arena,
        )  # fmt: skip
        at = time.time() - 40_000_000
        (first,) = run("SELECT MIN(id) FROM learners WHERE arena_id = %s AND id > %s", arena, crowd).fetchone()
        learner = f"CASE WHEN n < {DUELS_EACH} THEN {model} ELSE {first} - 1 + n / {DUELS_EACH} END"
        run(_ROWS.format(arena=arena, learner=learner, at=at, count=USERS * DUELS_EACH))
        run(_ROWS.format(arena=everyone, learner=crowd, at=at, count=SHARED_OUTCOMES))
        for definition in definitions:
            run(definition)
        (last,) = run("SELECT MAX(seq) FROM log").fetchone()
        ((mark,),) = run("SELECT seq FROM marks WHERE name = 'totals'").fetchall()
        for counts in totals._COUNTS.values():
            run(totals._INSERT + counts.format(sign="", rows=f"seq > {mark} AND seq <= {last}") + totals._ADD)
        run("UPDATE marks SET seq = %s WHERE name = 'totals'", last)
        run("VACUUM ANALYZE")
        run("CHECKPOINT")
    return time.perf_counter() - start


def turn(arena: Arena, users: int, seed: int) -> float:
    """Return the asks and answers per second of several threads, each for a random user at a time."""
    end = time.perf_counter() + SECONDS
    done = [0] * THREADS

    def client(number: int) -> None:
        rng = random.Random(seed * 1000 + number)
        while time.perf_counter() < end:
            duel = arena.ask(f"user{rng.randrange(users)}")
            arena.tell(duel, winner=duel.left)
            done[number] += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / SECONDS


def milliseconds(work: Callable[[], object], times: int = 9) -> float:
    """Return the median time of some work."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(1e3 * (time.perf_counter() - start))
    return statistics.median(found)


def measure(small: Arena, large: Arena, shared: Arena) -> list[dict[str, Any]]:
    for arena, users in ((small, SMALL_USERS), (large, USERS)):
        turn(arena, users, 0)
    pairs = [(turn(small, SMALL_USERS, number), turn(large, USERS, number)) for number in range(1, TURNS + 1)]
    ratio = statistics.median(many / few for few, many in pairs)
    few, many = (statistics.median(rates) for rates in zip(*pairs, strict=True))
    note = f"{many:.0f} against {few:.0f} per second, {TURNS} turns of {SECONDS:g} s each, {THREADS} threads"
    numbers = iter(range(1000))
    adding = milliseconds(lambda: large.add([f"new{next(numbers)}"]))
    size = f"{USERS:,} users"
    found = [
        row(f"ask+tell among {size} / {SMALL_USERS:,}", ratio, "times", ">= 0.8", note),
        row(f"an item added to an arena with {size}", adding, "ms", "<= 50", "median of 9"),
    ]
    reads: dict[str, Callable[[], object]] = {
        "bias": shared.bias, "standing": shared.standing, "popular": shared.popular,
        "standing of a user": lambda: large.standing("user77"),
    }  # fmt: skip
    for name, read in reads.items():
        found.append(row(f"{name}, {SHARED_OUTCOMES:,} outcomes", milliseconds(read), "ms", "<= 20", "median of 9"))
    return found


def rows() -> list[dict[str, Any]]:
    server = Postgres(Path(tempfile.mkdtemp(prefix="scale-")))
    try:
        with psycopg.connect(server.server.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM RESET fsync")
            for setting in ("shared_buffers = '1GB'", "max_wal_size = '16GB'", "checkpoint_timeout = '30min'"):
                connection.execute(f"ALTER SYSTEM SET {setting}")  # type: ignore[arg-type]
        server.restart()
        small_address, large_address = server.database(), server.database()
        for address in (small_address, large_address):
            with Arenas.open(address) as arenas:
                play(arenas.create("each", ITEMS, algorithm="ws-w"), ["user0"], DUELS_EACH)
                play(arenas.create("all", ITEMS, audience="everyone", algorithm="ws-root"), ["user0"])
        with Arena.open(small_address, "each") as arena:
            play(arena, [f"user{number}" for number in range(SMALL_USERS)], DUELS_EACH)
        seconds = fill(large_address, "each", "all")
        with psycopg.connect(large_address) as connection:
            count, size = (
                connection.execute("SELECT COUNT(*), pg_database_size(current_database()) FROM log").fetchone() or ()
            )
        with Arenas.open(small_address) as few, Arenas.open(large_address) as many:
            found = measure(few["each"], many["each"], many["all"])
        note = f"{size / 1e9:.1f} GB; made in {seconds:.0f} s by statements on the server"
        return [row(f"rows of the log with {USERS:,} users and {len(ITEMS)} items", count, "", ">= 1e7", note), *found]
    finally:
        server.stop()
