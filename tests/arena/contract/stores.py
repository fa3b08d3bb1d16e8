"""The contract of a store, as checks. Each takes an empty Store and raises AssertionError if the contract is broken."""

import threading
from collections.abc import Callable
from typing import Any

from tests.arena.contract.support import check_raises, run_threads
from winnerstays.arena.stores.base import Row, Statement, Store, Transaction


def _add_row(transaction: Transaction, kind: str = "note") -> None:
    transaction.change("INSERT INTO log (at, kind) VALUES (1.5, ?)", kind)


def check_all_or_nothing(store: Store) -> None:
    """A failed transaction changes nothing, and the next one works."""

    def fail(transaction: Transaction) -> None:
        _add_row(transaction, "half")
        raise KeyError("stop")

    check_raises(KeyError, lambda: store.run(fail))
    store.run(lambda transaction: _add_row(transaction, "whole"))
    kinds = store.run(lambda transaction: transaction.rows("SELECT kind FROM log"))
    assert kinds == [("whole",)], kinds


def check_rows_keep_their_order(store: Store) -> None:
    """Rows appended together are numbered in the order given."""
    rows = [(float(k), str(k)) for k in range(200)]
    store.run(lambda transaction: transaction.insert("log", "at, kind", rows))
    stored = store.run(lambda transaction: transaction.rows("SELECT at, kind FROM log ORDER BY seq"))
    assert stored == rows


def check_lists_of_values(store: Store) -> None:
    """Lists may be empty or long, and hold numbers or texts with any characters."""
    texts = ["a", "it's", 'quo"ted', "日本", "per%cent", "back\\slash", "?"]
    store.run(lambda transaction: transaction.insert("log", "at, kind", [(1.5, text) for text in texts]))

    def read(values: list[Any], column: str) -> list[Row]:
        select = Statement(lambda sql: f"SELECT kind FROM log WHERE {sql.is_among(column)}")
        return store.run(lambda transaction: transaction.rows(select, values))

    assert {row[0] for row in read(texts[1:], "kind")} == set(texts[1:])
    assert len(read([1, 3, 99], "seq")) == 2
    assert read([], "seq") == []


def check_snapshot_stands_still(store: Store) -> None:
    """A snapshot does not see what is written after it was taken, and does not hinder it."""
    store.run(_add_row)
    with store.snapshot() as snapshot:
        before = list(snapshot.stream("SELECT seq FROM log"))
        store.run(_add_row)
        assert list(snapshot.stream("SELECT seq FROM log")) == before
    with store.snapshot() as snapshot:
        assert len(list(snapshot.stream("SELECT seq FROM log"))) == len(before) + 1 == 2


def check_looks_after_itself(store: Store) -> None:
    """An undamaged store passes its own check; `forget` and `vacuum` keep the rows."""
    store.run(_add_row)
    faults, unchecked = store.check()
    assert faults == [] and all(isinstance(sentence, str) for sentence in unchecked), (faults, unchecked)
    assert all(isinstance(sentence, str) for sentence in [*store.forget(), *store.vacuum()])
    assert store.run(lambda transaction: transaction.rows("SELECT kind FROM log")) == [("note",)]


def check_no_lost_update(store: Store) -> None:
    """Many threads that read, lock and write the same row do not undo each other."""
    insert = "INSERT INTO learners (id, arena_id, username, state) VALUES (1, 1, 'x', ?)"
    store.run(lambda transaction: transaction.change(insert, b"0"))

    def add(transaction: Transaction) -> None:
        select = Statement(lambda sql: f"SELECT state FROM learners WHERE username = ?{sql.for_update}")
        ((state,),) = transaction.rows(select, "x")
        transaction.change("UPDATE learners SET state = ?", str(int(state) + 1).encode())

    run_threads(8, lambda _: [store.run(add) for _ in range(20)])
    assert store.run(lambda transaction: transaction.rows("SELECT state FROM learners")) == [(b"160",)]


def check_nothing_appears_before_what_is_settled(store: Store) -> None:
    """Reading up to `settled` misses no row, even if a transaction with smaller numbers commits later."""
    settled: list[int] = []
    written, release = threading.Event(), threading.Event()

    def write_slowly(transaction: Transaction) -> None:
        _add_row(transaction)
        written.set()
        release.wait(10)

    def read() -> list[Row]:
        last = store.settled()
        return store.run(lambda transaction: transaction.rows("SELECT seq FROM log WHERE seq <= ?", last))

    slow, quick, reader = (
        threading.Thread(target=target)
        for target in (
            lambda: store.run(write_slowly),
            lambda: store.run(_add_row),
            lambda: settled.extend(row[0] for row in read()),
        )
    )
    slow.start()
    written.wait(10)
    for thread in (quick, reader):
        thread.start()
        thread.join(0.2)  # each may have to wait for the slow one
    release.set()
    for thread in (slow, quick, reader):
        thread.join()
    rows = [row[0] for row in read()]
    assert len(rows) == 2 and settled == rows[: len(settled)], (settled, rows)


CHECKS: list[Callable[[Store], None]] = [
    check for name, check in globals().items() if name.startswith("check_") and name != "check_raises"
]
