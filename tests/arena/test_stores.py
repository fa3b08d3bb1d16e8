"""One contract on every store: memory, SQLite, PostgreSQL."""

import threading
import time

import pytest

from winnerstays.arena import Arenas, StoreError, postgresql
from winnerstays.arena.conformance import CHECKS
from winnerstays.arena.store import open_store


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract(check, address):
    store = open_store(address)
    check(store)
    store.close()


def test_who_reads_events_hinders_nobody(postgres):
    """While a reader waits for a slow transaction to end, others ask and tell."""
    written, release = threading.Event(), threading.Event()

    def write_slowly(transaction):
        transaction.change("INSERT INTO log (arena, at, kind) SELECT id, 1.5, 'note' FROM arenas")
        written.set()
        release.wait(30)

    with Arenas.open(postgres.database()) as arenas:
        lunch = arenas.create("lunch", ["ramen", "tacos", "pho"])
        seen = []
        slow = threading.Thread(target=lambda: arenas.store.run(write_slowly))
        reader = threading.Thread(target=lambda: seen.extend(arenas.events()))
        slow.start()
        written.wait(30)
        reader.start()
        time.sleep(0.1)
        for user in ("ada", "bob"):
            duel = lunch.ask(user)
            assert lunch.tell(duel, winner=duel.left).status == "learned"
        assert reader.is_alive() and not seen
        release.set()
        slow.join()
        reader.join()
        assert [event.kind for event in seen] == ["created"]
        assert len(list(arenas.events(after=seen[-1].seq))) == 5


def test_a_writer_that_does_not_end_gets_a_sentence(postgres, monkeypatch):
    monkeypatch.setattr(postgresql, "PATIENCE_SECONDS", 0.2)
    with Arenas.open(postgres.database()) as arenas:
        arenas.create("lunch", ["ramen", "tacos", "pho"])

        def write(transaction):
            transaction.change("INSERT INTO log (at, kind) VALUES (1.5, 'note')")
            with pytest.raises(StoreError, match="writing to the log"):
                list(arenas.events())

        arenas.store.run(write)
        assert [event.kind for event in arenas.events()] == ["created", "note"]
