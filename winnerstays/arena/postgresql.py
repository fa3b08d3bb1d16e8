"""An arena in PostgreSQL: any number of processes, each learner's row locked while it learns.

A transaction that fails before its end is tried again, with a new connection where the old one broke. One whose end is
not acknowledged fails: whoever asked may ask again, because answers are accepted once.
"""

import json
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, TypeVar

from winnerstays.arena.migrations import HEAD, upgrade
from winnerstays.arena.model import BusyError, StoreError
from winnerstays.arena.store import LAST_ROW, Row
from winnerstays.errors import WinnerstaysError, missing_extra

T = TypeVar("T")
PATIENCE_SECONDS = 15.0
"""How long a transaction is tried again while the server is away."""
HURRIED_SECONDS, COMMIT_SECONDS = 0.25, 5.0
"""How long the server may be silent when there is no time to wait; longer when the disk may be slow."""

_HURRY = f"SET LOCAL statement_timeout = {int(1000 * HURRIED_SECONDS) // 2}"
_WRITING = (
    "SELECT pid, virtualtransaction FROM pg_locks"
    " WHERE relation = 'log'::regclass AND mode = 'RowExclusiveLock' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid <> pg_backend_pid()"
)


@cache
def translate(statement: str) -> str:
    return statement.replace("IN ?", "= ANY(?)").replace("%", "%%").replace("?", "%s")


@cache
def insert_all(table: str, columns: str, unless_there: bool) -> str:
    """Rows come as one list of JSON objects: sent one by one they cost twice the time."""
    rest = " ON CONFLICT DO NOTHING" if unless_there else ""
    return f"INSERT INTO {table} ({columns}) SELECT {columns} FROM json_populate_recordset(NULL::{table}, %s){rest}"


@cache
def update_all(table: str, columns: str) -> str:
    """
    >>> update_all("learners", "open, id")
    'UPDATE learners SET open = n.open FROM json_populate_recordset(NULL::learners, %s) AS n WHERE learners.id = n.id'
    """
    *changed, key = columns.split(", ")
    values = ", ".join(f"{column} = n.{column}" for column in changed)
    return (
        f"UPDATE {table} SET {values} FROM json_populate_recordset(NULL::{table}, %s) AS n"
        f" WHERE {table}.{key} = n.{key}"
    )


def _json(columns: str, rows: Sequence[Row]) -> str:
    names = columns.split(", ")
    return json.dumps([dict(zip(names, row, strict=True)) for row in rows], default=lambda value: f"\\x{value.hex()}")


@cache
def _connection_class() -> Any:
    import psycopg

    class Connection(psycopg.Connection[Any]):
        """A connection that gives up if the server is silent for `most_seconds`."""

        most_seconds: float | None = None

        def wait(self, gen: Any, *options: Any, **more: Any) -> Any:
            if self.most_seconds is not None:
                gen = self._bounded(gen, time.monotonic() + self.most_seconds)
            return super().wait(gen, *options, **more)

        def _bounded(self, generator: Any, deadline: float) -> Generator[Any, Any, Any]:
            ready = None
            while True:
                try:
                    ready = yield generator.send(ready)
                except StopIteration as end:
                    return end.value
                if not ready and time.monotonic() > deadline:
                    self.pgconn.finish()
                    raise psycopg.OperationalError("the server is silent")

    return Connection


class PostgreSQL:
    """A store in PostgreSQL."""

    writers = 2

    def __init__(self, address: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise missing_extra("PostgreSQL", "service") from None
        self._psycopg: Any = psycopg
        self._address = address.replace("postgresql+psycopg://", "postgresql://", 1)
        self._idle: list[Any] = []
        self._lock = threading.Lock()
        self._prepare()

    def _prepare(self) -> None:
        try:
            with self._connect() as connection:
                if connection.execute("SELECT to_regclass('alembic_version')").fetchone()[0] is None:
                    version = None
                else:
                    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
                    version = row and str(row[0])
            if version != HEAD:
                if version is not None and version > HEAD:
                    raise StoreError(
                        f"The database was made by a newer winnerstays (version {version} of the tables, "
                        f"this one knows {HEAD}); install a newer winnerstays."
                    )
                upgrade(self._address.replace("postgres://", "postgresql://", 1).replace("://", "+psycopg://", 1))
        except self._psycopg.Error as error:
            raise self._sentence(error) from error

    def _connect(self) -> Any:
        return _connection_class().connect(self._address, autocommit=False, connect_timeout=10)

    def _connect_anew(self) -> Any:
        try:
            return self._connect()
        except self._psycopg.OperationalError as error:
            raise BusyError(str(self._sentence(error))) from error

    def _sentence(self, error: Exception) -> StoreError:
        text = " ".join(str(error).split())
        return StoreError(f"The PostgreSQL database cannot be used: {text or type(error).__name__}")

    def run(self, work: Callable[[Any], T]) -> T:
        deadline = time.monotonic() + PATIENCE_SECONDS
        wait = 0.01
        while True:
            try:
                return self._once(self._take() or self._connect_anew(), work)
            except BusyError as error:
                if time.monotonic() > deadline:
                    raise StoreError(str(error)) from error
                time.sleep(wait)
                wait = min(2 * wait, 0.5)

    def run_now(self, work: Callable[[Any], T]) -> T:
        connection = self._take()
        if connection is None:
            raise BusyError("There is no connection to the database yet.")
        return self._once(connection, work, hurried=True)

    def _take(self) -> Any:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _once(self, connection: Any, work: Callable[[Any], T], *, hurried: bool = False) -> T:
        """Try once; BusyError if it is certain that nothing was done and it may be tried again."""
        ending = False
        try:
            statements = Statements(connection, hurried)
            connection.most_seconds = HURRIED_SECONDS if hurried else None
            result = work(statements)
            ending = True
            connection.most_seconds = COMMIT_SECONDS if hurried else None
            statements.commit()
        except self._psycopg.IntegrityError:
            self._put_back(connection)
            raise
        except self._psycopg.DataError as error:
            self._put_back(connection)
            raise WinnerstaysError(f"The database cannot hold this: {error}") from error
        except self._psycopg.Error as error:
            unsure = ending and connection.closed  # it may have been done, or not
            self._put_back(connection)
            again = isinstance(error, self._psycopg.OperationalError | self._psycopg.InterfaceError)
            if unsure or not again:
                raise self._sentence(error) from error
            raise BusyError(str(self._sentence(error))) from error
        except BaseException:
            self._put_back(connection)
            raise
        self._put_back(connection, clean=True)
        return result

    def _put_back(self, connection: Any, *, clean: bool = False) -> None:
        if connection is None:
            return
        if not clean:
            with suppress(self._psycopg.Error):
                connection.rollback()
        if connection.closed or connection.broken:
            with suppress(self._psycopg.Error):
                connection.close()
            self.close()  # what broke one connection broke the others that were idle
            return
        with self._lock:
            self._idle.append(connection)

    @contextmanager
    def snapshot(self) -> Iterator["Statements"]:
        try:
            with self._connect() as connection:
                connection.isolation_level = self._psycopg.IsolationLevel.REPEATABLE_READ
                connection.read_only = True
                yield Statements(connection)
        except self._psycopg.Error as error:
            raise self._sentence(error) from error

    def settled(self) -> int:
        """Rows are numbered when they are written, not when they are committed: wait for those who are in between.

        Nobody is hindered meanwhile: who is writing is seen from the locks they hold.
        """

        def read(transaction: Statements) -> int:
            last = int(transaction.rows(LAST_ROW)[0][0])
            deadline = time.monotonic() + PATIENCE_SECONDS
            writing = before = set(transaction.rows(_WRITING))
            while writing & before:
                if time.monotonic() > deadline:
                    raise StoreError(
                        f"A transaction has been writing to the log for {PATIENCE_SECONDS:g} seconds; which events "
                        "come before its own cannot be told yet. Ask again."
                    )
                time.sleep(0.002)
                writing = set(transaction.rows(_WRITING))
            return last

        return self.run(read)

    def close(self) -> None:
        with self._lock:
            for connection in self._idle:
                connection.close()
            self._idle.clear()


class Statements:
    """Statements on a connection: a Transaction and a Snapshot."""

    def __init__(self, connection: Any, hurried: bool = False) -> None:
        self._connection = connection
        self._streams = 0
        self._pending: list[tuple[str, tuple[str, ...]]] = [(_HURRY, ())] if hurried else []

    def commit(self) -> None:
        """What is still to be written goes to the server together with the end of the transaction: one round trip."""
        with self._connection.pipeline():
            self._write_pending()
            self._connection.commit()

    def _write_pending(self) -> None:
        pending, self._pending = self._pending, []
        for statement, values in pending:
            self._connection.execute(statement, values)

    def rows(self, statement: str, *values: Any) -> list[Row]:
        return self.together((statement, *values))[0]

    def together(self, *questions: tuple[Any, ...]) -> list[list[Row]]:
        with self._connection.pipeline():
            self._write_pending()
            cursors = [
                self._connection.execute(translate(statement), values) if values[-1:] != [[]] else None
                for statement, *values in questions
            ]
            return [cursor.fetchall() if cursor else [] for cursor in cursors]

    def change(self, statement: str, *values: Any) -> int:
        self._write_pending()
        return self._connection.execute(translate(statement), values).rowcount  # type: ignore[no-any-return]

    def insert(self, table: str, columns: str, rows: Sequence[Row], *, unless_there: bool = False) -> None:
        self._pending.append((insert_all(table, columns, unless_there), (_json(columns, rows),)))

    def update(self, table: str, columns: str, rows: Sequence[Row]) -> None:
        self._pending.append((update_all(table, columns), (_json(columns, rows),)))

    def stream(self, statement: str, *values: Any) -> Iterator[Row]:
        self._streams += 1
        with self._connection.cursor(name=f"stream{self._streams}") as cursor:
            cursor.execute(translate(statement), values)
            yield from cursor
