"""PostgreSQL only: locks, silence, broken connections, encodings."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import psycopg
import pytest

from winnerstays.arena import Arenas, Ask, BusyError, StoreError
from winnerstays.arena.stores import postgresql
from winnerstays.errors import WinnerstaysError


def test_reading_events_hinders_nobody(postgres):
    """While a reader waits for a slow transaction to end, others ask and tell."""
    written, release = threading.Event(), threading.Event()

    def write_slowly(transaction):
        transaction.change("INSERT INTO log (arena_id, at, kind) SELECT id, 1.5, 'note' FROM arenas")
        written.set()
        release.wait(120)

    with Arenas.open(postgres.arenas()) as arenas:
        lunch = arenas.create("lunch", ["ramen", "tacos", "pho"])
        seen = []
        slow = threading.Thread(target=lambda: arenas.database.store.run(write_slowly))
        reader = threading.Thread(target=lambda: seen.extend(arenas.events()))
        slow.start()
        written.wait(120)
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


@pytest.fixture
def clock(monkeypatch):
    """A clock on which nothing takes long but sleeping: no server is silent, however slow this machine is."""
    now = [0.0]

    def sleep(seconds):
        now[0] += 1.0

    monkeypatch.setattr(postgresql, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))


def test_a_writer_that_does_not_end_gets_a_sentence(postgres, clock):
    with Arenas.open(postgres.arenas()) as arenas:
        arenas.create("lunch", ["ramen", "tacos", "pho"])

        def write(transaction):
            transaction.change("INSERT INTO log (at, kind) VALUES (1.5, 'note')")
            with pytest.raises(StoreError, match="writing to the log"):
                list(arenas.events())

        arenas.database.store.run(write)
        assert [event.kind for event in arenas.events()] == ["created", "note"]


def in_a_row_lock(arenas, meanwhile):
    """Do something while another transaction holds the row of a learner."""
    held, release = threading.Event(), threading.Event()

    def hold(transaction):
        transaction.rows("SELECT id FROM learners FOR UPDATE")
        held.set()
        release.wait(120)

    holder = threading.Thread(target=lambda: arenas.database.store.run(hold))
    holder.start()
    held.wait(120)
    try:
        meanwhile()
    finally:
        release.set()
        holder.join()


def test_execute_now_does_not_wait(postgres, clock):
    with Arenas.open(postgres.arenas()) as arenas:
        lunch = arenas.create("lunch", ["ramen", "tacos", "pho"])
        duel = lunch.ask("ada")
        ask = [Ask("lunch", "ada")]
        assert arenas.database.execute_now(ask) == [duel]

        def hurry():
            lunch.arenas.names()  # so that there is a connection
            with pytest.raises(BusyError, match="timeout"):
                arenas.database.execute_now(ask)

        in_a_row_lock(arenas, hurry)
        assert arenas.database.execute_now(ask) == [duel]


def test_lock_timeout_of_a_connection(postgres, clock):
    """`run` waits longer for a lock than `run_now`, also on a connection that `run_now` used before."""

    def patience(transaction):
        return transaction.rows("SELECT current_setting('lock_timeout')")[0][0]

    def defect(transaction):
        patience(transaction)
        raise ZeroDivisionError

    with Arenas.open(postgres.arenas()) as arenas:
        store = arenas.database.store
        assert store.run(patience) == "7500ms"
        for run in (store.run_now, store.run_now, store.run, store.run):
            with pytest.raises(ZeroDivisionError):
                run(defect)  # what it changed is undone
            assert run(patience) == ("125ms" if run == store.run_now else "7500ms")


def test_tables_that_change_break_nothing_for_long(postgres):
    """What was prepared may be out of date after a migration: the connection is given up, the next one is right."""
    address = postgres.database()
    with Arenas.open(address) as arenas, psycopg.connect(address, autocommit=True) as other:
        arenas.create("lunch", ["ramen", "tacos", "pho"])
        assert arenas["lunch"].ask("ada").user == "ada"
        other.execute("ALTER TABLE learners ALTER username TYPE varchar(100)")
        with pytest.raises(StoreError, match="cached plan"):
            arenas["lunch"].ask("ada")
        assert arenas["lunch"].ask("ada").user == "ada" and arenas.names() == ["lunch"]


def test_a_server_that_is_silent_is_noticed(postgres):
    """A backend that was stopped in the middle: `run_now` does not wait for it, `run` gets another connection."""
    with Arenas.open(postgres.arenas()) as arenas:
        lunch = arenas.create("lunch", ["ramen", "tacos", "pho"])
        duel = lunch.ask("ada")
        ((backend,),) = arenas.database.store.run(lambda transaction: transaction.rows("SELECT pg_backend_pid()"))
        os.kill(backend, signal.SIGSTOP)
        try:
            with pytest.raises(BusyError, match="silent"):
                arenas.database.execute_now([Ask("lunch", "ada")])
            assert lunch.ask("ada") == duel
        finally:
            os.kill(backend, signal.SIGCONT)


def test_few_connections_however_many_threads(postgres):
    address = postgres.database()
    with Arenas.open(address) as arenas:
        lunch = arenas.create("lunch", ["ramen", "tacos", "pho"])
        lunch.ask("ada")

        def read(_):
            return lunch.standing("ada").learned, lunch.bias().left, len(list(lunch.events())), lunch.best("ada")

        with ThreadPoolExecutor(40) as threads:
            found = set(threads.map(read, range(200)))
        assert len(found) == 1
        with psycopg.connect(address, autocommit=True) as other:
            used = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
            assert 1 <= other.execute(used).fetchone()[0] - 1 <= postgresql.MAX_CONNECTIONS


def test_no_wait_is_endless(postgres, monkeypatch):
    """A table that somebody else holds, and a server that has stopped, are given up with a sentence."""
    address = postgres.database()
    with Arenas.open(address) as arenas, psycopg.connect(address) as other:
        lunch = arenas.create("lunch", ["ramen", "tacos", "pho"])
        duel = lunch.ask("ada")
        other.execute("LOCK TABLE learners")
        monkeypatch.setattr(postgresql, "WAIT_SECONDS", 0.4)
        with pytest.raises(StoreError, match="silent"):
            lunch.ask("ada")
        with pytest.raises(StoreError, match="silent"), arenas.database.store.snapshot() as snapshot:
            list(snapshot.stream("SELECT * FROM learners"))
        other.rollback()
        monkeypatch.undo()
        assert lunch.ask("ada") == duel


def test_connections_that_broke_while_idle_are_replaced(postgres):
    address = postgres.database()
    with Arenas.open(address) as arenas, psycopg.connect(address, autocommit=True) as other:
        arenas.create("lunch", ["ramen", "tacos", "pho"])
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> %s"
        for use in (arenas.names, lambda: reading(arenas.database.store), lambda: list(arenas.events())):
            arenas.names()
            other.execute(end, [other.info.backend_pid])
            assert use()


def reading(store):
    with store.snapshot() as snapshot:
        return list(snapshot.stream("SELECT 1"))


def test_streams_that_are_left_disturb_nobody(postgres):
    """A snapshot's connection is used again; what was read of it in part is over."""
    with Arenas.open(postgres.arenas()) as arenas:
        arenas.create("lunch", ["ramen", "tacos", "pho"]).ask_many(f"user{number}" for number in range(300))
        with arenas.database.store.snapshot() as snapshot:
            left = snapshot.stream("SELECT seq FROM log ORDER BY seq")
            assert next(left) == (1,)
        with arenas.database.store.snapshot() as snapshot:
            rows = snapshot.stream("SELECT seq FROM log ORDER BY seq")
            assert next(rows) == (1,)
            left.close()
            assert len(list(rows)) == 300


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_database_that_is_not_utf8(postgres, encoding):
    """What it cannot hold is refused, and nothing else."""
    with Arenas.open(postgres.database(f"ENCODING '{encoding}' TEMPLATE template0 LOCALE 'C'")) as arenas:
        arenas.create("lunch", ["ramen", "tacos", "pho"])
        strange, usual = "日本", "Zoë"
        results = arenas.execute([Ask("lunch", usual), Ask("lunch", "ada")])
        assert [duel.user for duel in results] == [usual, "ada"]
        if encoding == "LATIN1":
            with pytest.raises(WinnerstaysError, match="cannot hold"):
                arenas["lunch"].ask(strange)
        else:
            assert arenas["lunch"].ask(strange).user == strange
        assert {event.user for event in arenas.events()} >= {usual, "ada"} and arenas.replay().equal


def test_missing_rights_to_make_tables_are_a_sentence(postgres):
    address = postgres.database()
    with psycopg.connect(address, autocommit=True) as other:
        other.execute(f"ALTER DATABASE {other.info.dbname} SET default_transaction_read_only = on")
    with pytest.raises(StoreError, match=r"cannot be made or upgraded: .*read-only"):
        Arenas.open(address)


def test_durability_is_pinned_and_its_absence_said(postgres, caplog):
    """Whatever a database's or the server's setting becomes, a session that is open commits to disk."""
    address = postgres.database()
    with psycopg.connect(address, autocommit=True) as other:
        other.execute(f"ALTER DATABASE {other.info.dbname} SET synchronous_commit = off")
    with Arenas.open(address) as arenas:
        read = "SELECT current_setting('synchronous_commit')"
        assert arenas.database.store.run(lambda transaction: transaction.rows(read)) == [("on",)]
        assert "fsync = off" in caplog.text and caplog.text.count("loses power") == 1
