"""Processes killed under load, and a server that is restarted. Counts are printed (pytest -rP)."""

import os
import random
import threading
import time

from tests.arena.crash_load import Ledger, create, load, make, read_all, start
from tests.waiting import PATIENCE_SECONDS
from winnerstays.arena import Arenas, StoreError

KILLS = 60
AT_ONCE = 2


def kill_under_load(forks, address, seed, ledger):
    rng = random.Random(seed)
    victims = [start(forks, load, address, seed * AT_ONCE + k) for k in range(AT_ONCE)]
    for _, reading in victims:
        assert os.read(reading.fileno(), 6) == b"ready\n"
    for process, reading in victims:
        beginning = b""
        while b"\n" not in beginning:
            beginning += os.read(reading.fileno(), 4096)
        time.sleep(rng.random() * 0.03)  # so that it is at any place when it is killed
        process.kill()
        process.join()
        ledger.add((beginning + read_all(reading)).rpartition(b"\n")[0])


def test_kills_under_load(forks, durable):
    create(durable)
    ledger = Ledger()
    for seed in range(KILLS // AT_ONCE):
        kill_under_load(forks, durable, seed, ledger)
        if seed % 20 == 0:
            ledger.check(durable)
    counts = ledger.check(durable)
    assert sum(ledger.statuses.values()) + ledger.changes >= KILLS and counts["acknowledged"] > 0
    print(f"{KILLS} kills under load on {durable.partition(':')[0][-12:]}: {counts}, {dict(ledger.statuses)}")


def test_kills_while_a_database_is_made(forks, tmp_path):
    rng = random.Random(1)
    made = 0
    for number in range(20):
        address = str(tmp_path / f"{number}.db")
        process, reading = start(forks, make, address)
        time.sleep(rng.random() * 0.4)
        process.kill()
        process.join()
        made += read_all(reading) == b"made\n"
        create(address)
        with Arenas.open(address) as arenas:
            arenas["each"].ask("ada")
            assert arenas.names() == ["all", "each", "starters", "tasting"] and arenas.replay().equal
    print(f"20 kills while a database was made; {made} came too late")


def test_server_restarted_under_load(postgres):
    address = postgres.database()
    create(address)
    ledger, failures, stop, answered = Ledger(), [], threading.Event(), threading.Event()
    lock = threading.Lock()

    def client(number):
        rng = random.Random(number)
        with Arenas.open(address) as arenas:
            arena = arenas.get(rng.choice(("each", "all")))
            while not stop.is_set():
                try:
                    duel = arena.ask(f"user{number}")
                    receipt = arena.tell(duel, winner=duel.left)
                except StoreError as error:
                    failures.append(str(error))
                else:
                    with lock:
                        ledger.add(f"answer {duel.id} {duel.left} {receipt.status}\n".encode())
                    answered.set()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for restarts in range(4):
        assert answered.wait(PATIENCE_SECONDS), f"nothing was learned after {restarts} restarts"
        time.sleep(0.2)
        if restarts < 3:
            postgres.restart()
        answered.clear()
    stop.set()
    for thread in threads:
        thread.join()
    print(f"PostgreSQL restarted 3 times under load: {ledger.check(address)}, {len(failures)} clean failures")
