"""What an arena survives: kills, torn files, a full disk, a server that goes away. Counts are printed (pytest -rP)."""

import multiprocessing
import os
import random
import shutil
import sqlite3
import threading
import time

import pytest

from tests.arena.crash import Ledger, create, load, load_until_full, make, run
from winnerstays.arena import Arena, Arenas, Ask, BusyError, StoreError

KILLS = 110
AT_ONCE = 2


@pytest.fixture(scope="module")
def forks():
    """Processes that start in milliseconds: forked from one that has imported everything and started nothing."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.arena.warm", "psycopg"])
    return context


def start(forks, target, *arguments):
    """A process and the end of the pipe where its report arrives."""
    reading, writing = forks.Pipe(duplex=False)
    process = forks.Process(target=run, args=(target, arguments, writing), daemon=True)
    process.start()
    writing.close()
    return process, reading


def read_all(reading):
    text = b""
    while part := os.read(reading.fileno(), 65536):
        text += part
    reading.close()
    return text


def kill_under_load(forks, address, seed, ledger):
    luck = random.Random(seed)
    victims = [start(forks, load, address, seed * AT_ONCE + k) for k in range(AT_ONCE)]
    for _, reading in victims:
        assert os.read(reading.fileno(), 6) == b"ready\n"
    beginning = os.read(victims[0][1].fileno(), 4096)
    for process, reading in victims:
        time.sleep(luck.random() * 0.03)
        process.kill()
        process.join()
        ledger.add((beginning + read_all(reading)).rpartition(b"\n")[0])
        beginning = b""


def test_kills_under_load(forks, durable):
    create(durable)
    ledger = Ledger()
    for seed in range(KILLS // AT_ONCE):
        kill_under_load(forks, durable, seed, ledger)
        if seed % 20 == 0:
            ledger.check(durable)
    counts = ledger.check(durable)
    assert counts["acknowledged"] > KILLS
    print(f"{KILLS} kills under load on {durable.partition(':')[0][-12:]}: {counts}, {dict(ledger.statuses)}")


def test_kills_while_a_database_is_made(forks, tmp_path):
    luck = random.Random(1)
    made = 0
    for number in range(20):
        address = str(tmp_path / f"{number}.db")
        process, reading = start(forks, make, address)
        time.sleep(luck.random() * 0.4)
        process.kill()
        process.join()
        made += read_all(reading) == b"made\n"
        create(address)
        with Arenas.open(address) as arenas:
            arenas["each"].ask("ada")
            assert arenas.names() == ["all", "each"] and arenas.replay().equal
    print(f"20 kills while a database was made; {made} came too late")


def test_torn_write_ahead_log(tmp_path):
    """Whatever the end of the WAL looks like, what opens is the valid beginning of the log, and it goes on."""
    path = tmp_path / "arena.db"
    create(str(path))
    with Arena.open(str(path), "each") as arena:
        for _ in range(30):
            duel = arena.ask("ada")
            arena.tell(duel, winner=duel.left)
        whole = [event.seq for event in arena.events()]
        wal = (tmp_path / "arena.db-wal").read_bytes()
        main = path.read_bytes()
    luck = random.Random(2)
    lengths = []
    for number in range(40):
        copy = tmp_path / f"copy{number}.db"
        copy.write_bytes(main)
        torn = bytearray(wal[: luck.randrange(len(wal))])
        if number % 2 and len(torn) > 100:
            for _ in range(20):
                torn[luck.randrange(len(torn) * 3 // 4, len(torn))] ^= 0xFF
        (tmp_path / f"copy{number}.db-wal").write_bytes(torn)
        with Arena.open(str(copy), "each") as arena:
            seqs = [event.seq for event in arena.events()]
            assert seqs == whole[: len(seqs)]
            assert arena.arenas.replay().equal
            duel = arena.ask("ada")
            assert arena.tell(duel, winner=duel.right).status == "learned"
            assert arena.arenas.replay().equal
        lengths.append(len(seqs))
    assert len(set(lengths)) > 10
    print(f"40 torn write-ahead logs: all opened and equal on replay, with {min(lengths)} to {max(lengths)} rows")


def test_full_database(tmp_path):
    """When no page can be added, telling fails with a sentence; with room again it goes on, nothing lost."""
    address = str(tmp_path / "arena.db")
    create(address)
    ledger = Ledger()
    with Arena.open(address, "each") as arena:
        pages = arena.arenas.database.store.run(lambda transaction: transaction.rows("PRAGMA page_count"))[0][0]
        limit = arena.arenas.database.store._connection
        limit.execute(f"PRAGMA max_page_count = {pages + 4}")
        failures = 0
        while failures < 5:
            try:
                duel = arena.ask("ada")
                receipt = arena.tell(duel, winner=duel.left)
            except StoreError as error:
                failures += "full" in str(error)
            else:
                ledger.add(f"{duel.id} {duel.left} {receipt.status}\n".encode())
        limit.execute("PRAGMA max_page_count = 1000000")
        duel = arena.ask("ada")
        assert arena.tell(duel, winner=duel.left).accepted
    print(f"database full 5 times: {ledger.check(address)}")


def test_full_disk(forks, tmp_path):
    """The operating system refuses to let a file grow: a sentence, and all that was acknowledged is there."""
    for number, limit in enumerate((150_000, 250_000, 400_000)):
        address = str(tmp_path / f"{number}.db")
        create(address)
        ledger = Ledger()
        process, reading = start(forks, load_until_full, address, limit)
        report = read_all(reading)
        process.join()
        assert report.count(b"StoreError") == 1
        ledger.add(b"\n".join(line for line in report.splitlines() if not line.startswith(b"StoreError")))
        print(f"disk full at {limit} bytes: {ledger.check(address)}")


def test_server_restarted_under_load(postgres):
    address = postgres.database()
    create(address)
    ledger, failures, stop = Ledger(), [], threading.Event()
    lock = threading.Lock()

    def client(number):
        luck = random.Random(number)
        with Arenas.open(address) as arenas:
            arena = arenas.get(luck.choice(("each", "all")))
            while not stop.is_set():
                try:
                    duel = arena.ask(f"user{number}")
                    receipt = arena.tell(duel, winner=duel.left)
                except StoreError as error:
                    failures.append(str(error))
                else:
                    with lock:
                        ledger.add(f"{duel.id} {duel.left} {receipt.status}\n".encode())

    threads = [threading.Thread(target=client, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    done = []
    for _ in range(3):
        time.sleep(0.3)
        postgres.restart()
        done.append(ledger.statuses.total())
    time.sleep(0.5)
    stop.set()
    for thread in threads:
        thread.join()
    assert ledger.statuses.total() > done[-1] > done[0] > 0, "nothing was learned after a restart"
    print(f"PostgreSQL restarted 3 times under load: {ledger.check(address)}, {len(failures)} clean failures")


def test_another_process_holds_the_file(tmp_path, monkeypatch):
    """A file that another program keeps locked is waited for, then refused with a sentence; later it works."""
    monkeypatch.setattr("winnerstays.arena.stores.sqlite.WAIT_SECONDS", 0.1)
    path = tmp_path / "arena.db"
    create(str(path))
    with Arena.open(str(path), "each") as arena:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            arena.ask("ada")
        with pytest.raises(BusyError, match="locked"):
            arena.arenas.database.execute_now([Ask("each", "ada")])
        other.execute("COMMIT")
        other.close()
        assert arena.ask("ada").id


def test_copy_of_the_file_goes_on(tmp_path):
    """A closed database is one file; a copy of it has the same future."""
    create(str(tmp_path / "one.db"))
    with Arena.open(str(tmp_path / "one.db"), "each") as arena:
        for _ in range(10):
            duel = arena.ask("ada")
            arena.tell(duel, winner=duel.left)
    shutil.copy(tmp_path / "one.db", tmp_path / "two.db")
    shown = []
    for name in ("one.db", "two.db"):
        with Arena.open(str(tmp_path / name), "each") as arena:
            duel = arena.ask("ada")
            shown.append((duel.left, duel.right))
    assert shown[0] == shown[1]
