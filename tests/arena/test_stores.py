"""One contract on every store: memory, SQLite, PostgreSQL."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from winnerstays.arena import Answer, Arenas, Ask, BusyError, StoreError, UnknownArenaError
from winnerstays.arena.stores import open_store, postgresql
from winnerstays.errors import WinnerstaysError
from winnerstays.testing import arenas as arena_contract
from winnerstays.testing import stores as store_contract


@pytest.fixture
def store(address):
    store = open_store(address)
    yield store
    store.close()


@pytest.mark.parametrize("check", store_contract.CHECKS, ids=lambda check: check.__name__)
def test_contract_of_stores(check, store):
    check(store)


@pytest.mark.parametrize("check", arena_contract.CHECKS, ids=lambda check: check.__name__)
def test_contract_of_arenas(check, store):
    check(arena_contract.on_store(store))


def test_who_reads_events_hinders_nobody(postgres):
    """While a reader waits for a slow transaction to end, others ask and tell."""
    written, release = threading.Event(), threading.Event()

    def write_slowly(transaction):
        transaction.change("INSERT INTO log (arena_id, at, kind) SELECT id, 1.5, 'note' FROM arenas")
        written.set()
        release.wait(30)

    with Arenas.open(postgres.database()) as arenas:
        lunch = arenas.create("lunch", ["ramen", "tacos", "pho"])
        seen = []
        slow = threading.Thread(target=lambda: arenas.database.store.run(write_slowly))
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

        arenas.database.store.run(write)
        assert [event.kind for event in arenas.events()] == ["created", "note"]


def in_a_row_lock(arenas, meanwhile):
    """Do something while another transaction holds the row of a learner."""
    held, release = threading.Event(), threading.Event()

    def hold(transaction):
        transaction.rows("SELECT id FROM learners FOR UPDATE")
        held.set()
        release.wait(30)

    holder = threading.Thread(target=lambda: arenas.database.store.run(hold))
    holder.start()
    held.wait(30)
    try:
        meanwhile()
    finally:
        release.set()
        holder.join()


def test_who_cannot_wait_is_told_so(postgres):
    with Arenas.open(postgres.database()) as arenas:
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


def test_patience_of_a_connection(postgres):
    """Who has time waits longer for a lock, also on a connection that was used by who has none."""

    def patience(transaction):
        return transaction.rows("SELECT current_setting('lock_timeout')")[0][0]

    def defect(transaction):
        patience(transaction)
        raise ZeroDivisionError

    with Arenas.open(postgres.database()) as arenas:
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
        assert arenas.names() == ["lunch"]
        other.execute("ALTER TABLE arenas ALTER name TYPE varchar(100)")
        with pytest.raises(StoreError, match="cached plan"):
            arenas.names()
        assert arenas.names() == ["lunch"]


def test_a_server_that_is_silent_is_noticed(postgres):
    """A backend that was stopped in the middle: who cannot wait does not; who can gets another connection."""
    with Arenas.open(postgres.database()) as arenas:
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


def test_an_answer_of_an_impossible_user_hurts_no_other(address):
    """It is refused and kept in the log."""
    with Arenas.open(address) as arenas:
        arena = arenas.create("lunch", ["ramen", "tacos", "pho"], audience="everyone")
        for user in ("a\0b", "\ud800", "x" * 1000, ["l"], 12345, ""):
            duel, good = arena.ask(), arena.ask()
            bad, receipt = arenas.execute([Answer(duel.id, duel.left, user=user), Answer(good.id, good.left)])
            assert bad.status == "invalid" and "user" in bad.reason and receipt.accepted
        assert sum(event.kind == "invalid" for event in arena.events()) == 6


def test_an_arena_that_does_not_exist_hurts_no_other(address):
    """Neither a question nor an answer to it."""
    with Arenas.open(address) as arenas:
        arenas.create("lunch", ["ramen", "tacos", "pho"])
        for name in ("nope", "a\0b", "\ud800", 12345):
            requests = [Ask("lunch", "zoe"), Answer("nonsense", "ramen", arena=name), Ask(name, "zoe")]
            duel, *wrong = arenas.execute(requests)
            assert "ramen" in duel or "tacos" in duel
            assert [type(error) for error in wrong] == [UnknownArenaError] * 2
        assert sum(event.kind == "unknown" for event in arenas.events()) == 4


@pytest.mark.parametrize("after", [-1, 2**70, 1.5, "x"])
def test_no_such_event(after):
    with Arenas.open("memory:") as arenas, pytest.raises(WinnerstaysError, match="number of an event"):
        list(arenas.events(after=after))


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
            assert 1 <= other.execute(used).fetchone()[0] - 1 <= postgresql.MOST_CONNECTIONS


def test_no_wait_is_endless(postgres, monkeypatch):
    """A table that somebody else holds, and a server that has stopped, are given up with a sentence."""
    monkeypatch.setattr(postgresql, "PATIENCE_SECONDS", 0.4)
    address = postgres.database()
    with Arenas.open(address) as arenas, psycopg.connect(address) as other:
        lunch = arenas.create("lunch", ["ramen", "tacos", "pho"])
        duel = lunch.ask("ada")
        other.execute("LOCK TABLE learners")
        with pytest.raises(StoreError, match="silent"):
            lunch.ask("ada")
        with pytest.raises(StoreError, match="silent"), arenas.database.store.snapshot() as snapshot:
            list(snapshot.stream("SELECT * FROM learners"))
        other.rollback()
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
    with Arenas.open(postgres.database()) as arenas:
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


def test_who_may_not_make_tables_gets_a_sentence(postgres):
    address = postgres.database()
    with psycopg.connect(address, autocommit=True) as other:
        other.execute(f"ALTER DATABASE {other.info.dbname} SET default_transaction_read_only = on")
    with pytest.raises(StoreError, match=r"cannot be made or upgraded: .*read-only"):
        Arenas.open(address)


def test_arenas_made_while_the_log_is_read_are_known(address, monkeypatch):
    """Events of an arena that did not exist when the reading began have its name; replay knows it, too."""
    monkeypatch.setattr("winnerstays.arena.local.EVENTS_AT_ONCE", 7)
    with Arenas.open(address) as arenas:
        one = arenas.create("one", ["a", "b"])

        def make():
            for number in range(25):
                arenas.create(f"more{number}", ["c", "d"]).ask("ada")

        thread = threading.Thread(target=make)
        thread.start()
        while thread.is_alive():
            one.ask_many(["ada", "bob"])
            names = {event.arena for event in arenas.events()}
            assert "" not in names and "one" in names
            assert arenas.replay().equal
        thread.join()
        found = list(arenas.events())
        assert [event.seq for event in found] == sorted({event.seq for event in found})
        assert len(found) == 3 + 2 * 25
