"""Measure the arena as a library: durable asks and tells per second, bytes per learner."""

import importlib.util
import random
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks._timing import row
from winnerstays.arena import Arena
from winnerstays.arena.engine.learner import LearningRules
from winnerstays.arena.settings import Item, Settings

N_ITEMS = 100
ITEMS = [f"item{number}" for number in range(N_ITEMS)]
MILLION = 1_000_000


def rate(work: Callable[[], int], repeats: int = 3) -> float:
    """Return how many per second the best of several tries did: others on the machine can only slow it down."""
    best = 0.0
    for _ in range(repeats):
        start = time.perf_counter()
        done = work()
        best = max(best, done / (time.perf_counter() - start))
    return best


def raw_commits(folder: Path) -> float:
    """Return what the disk allows: commits of one small row per second, with SQLite alone."""
    connection = sqlite3.connect(folder / "raw.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS log (seq INTEGER PRIMARY KEY, text TEXT)")

    def work() -> int:
        for _ in range(300):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO log (text) VALUES (?)", ("x" * 100,))
            connection.execute("COMMIT")
        return 300

    found = rate(work)
    connection.close()
    return found


def ask_and_tell(arena: Arena, user: str, times: int) -> int:
    for _ in range(times):
        duel = arena.ask(user)
        arena.tell(duel.id, winner=duel.left)
    return times


def in_threads(arena: Arena, threads: int, times: int) -> int:
    clients = [threading.Thread(target=ask_and_tell, args=(arena, f"user{k}", times)) for k in range(threads)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return threads * times


def told_at_once(arena: Arena, users: list[str | None]) -> float:
    """Return the outcomes per second in one `tell_many`; asking is not counted."""
    best = 0.0
    for _ in range(3):
        answers = [(duel.id, duel.left) for duel in arena.ask_many(users)]
        start = time.perf_counter()
        arena.tell_many(answers)
        best = max(best, len(answers) / (time.perf_counter() - start))
    return best


def ask_seconds(arena: Arena, users: list[str], times: int = 300) -> float:
    """Return the median time of an ask that serves a new duel to one of these users."""
    rng = random.Random(1)
    found = []
    for user in rng.choices(users, k=times):
        duel = arena.ask(user)
        arena.tell(duel.id, winner=duel.left)
        start = time.perf_counter()
        arena.ask(user)
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def among(folder: Path, count: int) -> tuple[Arena, list[str]]:
    """Return an arena that has served a duel to each of this many users, and the users."""
    arena = Arena.open(str(folder / f"{count}.db"), items=ITEMS)
    users = [f"user{number}" for number in range(count)]
    for start in range(0, count, 2000):
        arena.ask_many(users[start : start + 2000])
    return arena, users


def learner_bytes() -> int:
    """Return the size of the largest state of a learner of 100 items in 5000 duels."""
    rules = LearningRules(Settings(name="size", items=tuple(map(Item.of, ITEMS)), seed=1))
    state, largest = rules.fresh(MILLION), 0
    for _ in range(5000):
        first, second, _ = rules.serve(state)
        state = rules.learn(state, first, second, state.step, "winner", min(first, second)).state
        largest = max(largest, len(rules.dump(state)))
    return largest


def speed(folder: Path) -> list[dict[str, Any]]:
    raw = raw_commits(folder)
    with Arena.open(str(folder / "speed.db"), items=ITEMS) as arena:
        ask_and_tell(arena, "warm", 5)
        one = rate(lambda: ask_and_tell(arena, "ada", 300))
        many = rate(lambda: in_threads(arena, 32, 60))
        users = told_at_once(arena, [f"user{number}" for number in range(1000)])
        shared = told_at_once(arena.arenas.create("all", ITEMS, audience="everyone"), [None] * 1000)
    note = f"two commits each; {2 * one / raw:.0%} of the commits SQLite alone makes here"
    return [
        row("SQLite alone, commits of one row", raw, "/s", note="what the disk allows in this run"),
        row("durable ask+tell, 1 thread", one, "/s", ">= 1000", note),
        row("durable ask+tell, 32 threads", many, "/s", ">= 5000", f"{2 * many / raw:.1f} operations a raw commit"),
        row("tell_many of 1000, everyone", shared, "outcomes/s", ">= 30000"),
        row("tell_many of 1000, 1000 users", users, "outcomes/s", "", "a learner loaded and saved for each"),
    ]


def size(folder: Path, many: int = MILLION) -> list[dict[str, Any]]:
    few_arena, few = among(folder, 100)
    many_arena, all_users = among(folder, many)
    times = [ask_seconds(few_arena, few), ask_seconds(many_arena, all_users)]
    few_arena.close()
    many_arena.close()
    megabytes = (folder / f"{many}.db").stat().st_size / 1e6
    note = f"{times[1] * 1e3:.2f} ms against {times[0] * 1e3:.2f} ms; the file has {megabytes:.0f} MB"
    return [
        row("learner of 100 items in the store", learner_bytes(), "bytes", "<= 300"),
        row(f"ask among {many} users / among 100", times[1] / times[0], "times", "<= 2", note),
    ]


def log(folder: Path, algorithm: str, users: int = 500, answers: int = 40) -> list[dict[str, Any]]:
    """Return the bytes of a SQLite file per answer, its duel and the learners included, and the time of a replay."""
    path = folder / f"{algorithm}.db"
    with Arena.open(str(path), items=ITEMS, algorithm=algorithm, seed=1) as arena:
        names = [f"user{number}" for number in range(users)]
        for _ in range(answers):
            arena.tell_many([(duel.id, min(duel.left, duel.right)) for duel in arena.ask_many(names)])
        start = time.process_time()
        assert arena.arenas.replay().equal
        seconds = time.process_time() - start
    count, note = users * answers, f"{users} users with {answers} answers each"
    return [
        row(f"SQLite file per answer, {algorithm}", path.stat().st_size / count, "bytes", "", note),
        row(f"replay of a million answers, {algorithm}", seconds / count * MILLION, "s of CPU", "", note),
    ]


def optuna_rate(folder: Path) -> dict[str, Any]:
    name = "Optuna ask+tell, durable on SQLite"
    if importlib.util.find_spec("optuna") is None:
        return row(name, 63, "/s", note="version 5, measured earlier on a 2-core machine; not installed here")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(storage=f"sqlite:///{folder / 'optuna.db'}")

    def work() -> int:
        for _ in range(20):
            trial = study.ask()
            trial.suggest_categorical("pair", list(range(10)))
            study.tell(trial, 1.0)
        return 20

    return row(name, rate(work), "/s", note=f"version {optuna.__version__}, in this run")


def rows() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        logs = [found for algorithm in ("tastes", "ws-root", "ws-w") for found in log(folder, algorithm)]
        return [*speed(folder), optuna_rate(folder), *logs, *size(folder)]
