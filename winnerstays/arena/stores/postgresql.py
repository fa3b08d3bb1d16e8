"""An arena in PostgreSQL: any number of processes, each learner's row locked while it learns.

A transaction that fails before its end is tried again, with a new connection where the old one broke. One whose end is
not acknowledged fails: whoever asked may ask again, because answers are accepted once.
"""

import itertools
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, TypeVar

from winnerstays.arena.errors import BusyError, StoreError
from winnerstays.arena.stores.base import Row
from winnerstays.arena.stores.migrations import HEAD, upgrade
from winnerstays.arena.stores.statements import last_seq
from winnerstays.errors import WinnerstaysError, missing_extra

T = TypeVar("T")
PATIENCE_SECONDS = 15.0
"""How long the server is waited for, and a transaction tried again while it is away."""
HURRIED_SECONDS, COMMIT_SECONDS = 0.25, 2.0
"""How long the server may be silent when there is no time to wait; longer when the disk may be slow."""
MOST_CONNECTIONS = 8
"""Of one process; further threads wait for one."""

_HURRY, _NO_HURRY = (f"SET lock_timeout = {int(500 * seconds)}" for seconds in (HURRIED_SECONDS, PATIENCE_SECONDS))
_WRITING = (
    "SELECT pid, virtualtransaction FROM pg_locks"
    " WHERE relation = 'log'::regclass AND mode = 'RowExclusiveLock' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid <> pg_backend_pid()"
)


@cache
def translate(statement: str) -> str:
    """
    >>> translate("SELECT id FROM learners WHERE arena = ? AND username IN ?")
    'SELECT id FROM learners WHERE arena = $1 AND username = ANY($2)'
    """
    first, *rest = statement.replace("IN ?", "= ANY(?)").split("?")
    return first + "".join(f"${number}{part}" for number, part in enumerate(rest, 1))


@cache
def insert_all(table: str, columns: str, unless_there: bool) -> str:
    rest = " ON CONFLICT DO NOTHING" if unless_there else ""
    return f"INSERT INTO {table} ({columns}) SELECT * FROM {_rows(table, columns)}{rest}"


@cache
def update_all(table: str, columns: str) -> str:
    """
    >>> update_all("arenas", "name, id")
    'UPDATE arenas SET name = n.name FROM unnest(?::TEXT[], ?::BIGINT[]) AS n(name, id) WHERE arenas.id = n.id'
    """
    *changed, key = columns.split(", ")
    values = ", ".join(f"{column} = n.{column}" for column in changed)
    return f"UPDATE {table} SET {values} FROM {_rows(table, columns)} WHERE {table}.{key} = n.{key}"


def _rows(table: str, columns: str) -> str:
    """Rows come as an array for each column: sent one by one they cost twice the time."""
    from sqlalchemy.dialects.postgresql import dialect

    from winnerstays.arena.stores.schema import metadata

    own = dialect()  # type: ignore[no-untyped-call]
    types = [metadata.tables[table].c[column].type.compile(own) for column in columns.split(", ")]
    return f"unnest({', '.join(f'?::{each}[]' for each in types)}) AS n({columns})"


def _arrays(rows: Sequence[Row]) -> list[str]:
    """A column's values as PostgreSQL writes an array; Psycopg's own way takes almost twice the time of a transaction.

    >>> _arrays([(1, "x", None), (2, 'a "b"', b"c")])
    ['{1,2}', '{"x","a \\\\"b\\\\""}', '{NULL,"\\\\\\\\x63"}']
    """
    return [f"{{{','.join(map(_literal, column))}}}" for column in zip(*rows, strict=True)]


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f'"\\\\x{value.hex()}"' if isinstance(value, bytes) else str(value)


@cache
def _connection_class() -> Any:
    import psycopg

    class Connection(psycopg.Connection[Any]):
        """A connection that gives up if the server is silent for `most_seconds`."""

        def __init__(self, *options: Any) -> None:
            super().__init__(*options)
            self.most_seconds: float | None = None
            self.hurried: bool | None = None
            """Whether the server was told not to wait long for a lock; nothing was said yet."""
            self.names: dict[str, str] = {}
            """Statements that are prepared, and what they are called."""
            self.cursor_factory = psycopg.ClientCursor
            self.server_cursor_factory = psycopg.RawServerCursor

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
            raise missing_extra("PostgreSQL", "postgresql") from None
        self._psycopg: Any = psycopg
        self._address = address.replace("postgresql+psycopg://", "postgresql://", 1)
        self._idle: list[Any] = []
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
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

    def _connect(self, patience: float = PATIENCE_SECONDS) -> Any:
        return _connection_class().connect(
            self._address, autocommit=True, connect_timeout=max(2, round(patience)), client_encoding="UTF8"
        )

    def _connect_anew(self, patience: float) -> Any:
        try:
            return self._connect(patience)
        except self._psycopg.OperationalError as error:
            raise BusyError(str(self._sentence(error))) from error

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One of the few connections that a process may have."""
        if not self._free.acquire(timeout=PATIENCE_SECONDS):
            raise StoreError(f"All {MOST_CONNECTIONS} connections to the database are in use; ask again.")
        try:
            yield
        finally:
            self._free.release()

    def _sentence(self, error: Exception) -> StoreError:
        text = " ".join(str(error).split())
        return StoreError(f"The PostgreSQL database cannot be used: {text.rstrip('.') or type(error).__name__}.")

    def run(self, work: Callable[[Any], T]) -> T:
        deadline = time.monotonic() + PATIENCE_SECONDS
        wait = 0.01
        with self._turn():
            while True:
                left = max(1.0, deadline - time.monotonic())
                try:
                    return self._once(self._take() or self._connect_anew(left), work, left)
                except BusyError as error:
                    if time.monotonic() > deadline:
                        raise StoreError(str(error)) from error
                    time.sleep(wait)
                    wait = min(2 * wait, 0.5)

    def run_now(self, work: Callable[[Any], T]) -> T:
        connection = self._take()
        if connection is None:
            raise BusyError("No connection to the database is idle.")
        return self._once(connection, work, hurried=True)

    def _take(self) -> Any:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _once(
        self, connection: Any, work: Callable[[Any], T], patience: float = HURRIED_SECONDS, *, hurried: bool = False
    ) -> T:
        """Try once; BusyError if it is certain that nothing was done and it may be tried again."""
        ending = False
        try:
            statements = Statements(connection, hurried)
            connection.most_seconds = patience
            result = work(statements)
            ending = True
            connection.most_seconds = COMMIT_SECONDS if hurried else patience
            statements.commit()
        except self._psycopg.IntegrityError:
            self._put_back(connection)
            raise
        except self._psycopg.DataError as error:
            self._put_back(connection)
            raise WinnerstaysError(f"The database cannot hold this: {error}") from error
        except self._psycopg.Error as error:
            unsure = ending and connection.closed  # it may have been done, or not
            again = isinstance(error, self._psycopg.OperationalError | self._psycopg.InterfaceError)
            if not again:
                connection.close()  # perhaps what it has prepared is out of date
            self._put_back(connection)
            if unsure or not again:
                raise self._sentence(error) from error
            raise BusyError(str(self._sentence(error))) from error
        except BaseException:
            self._put_back(connection)
            raise
        connection.hurried = hurried
        self._put_back(connection, clean=True)
        return result

    def _put_back(self, connection: Any, *, clean: bool = False) -> None:
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
    def snapshot(self) -> Iterator["Snapshot"]:
        with self._turn():
            try:
                connection = self._reader()
            except self._psycopg.Error as error:
                raise self._sentence(error) from error
            snapshot = Snapshot(connection)
            try:
                yield snapshot
            except self._psycopg.Error as error:
                raise self._sentence(error) from error
            finally:
                snapshot.close()
                self._put_back(connection)

    def _reader(self) -> Any:
        """A connection in a transaction that only reads; a new one if that which was idle is broken."""
        idle = self._take()
        if idle is not None:
            with suppress(self._psycopg.OperationalError):
                return self._begin_reading(idle)
        return self._begin_reading(self._connect())

    def _begin_reading(self, connection: Any) -> Any:
        connection.most_seconds = PATIENCE_SECONDS
        try:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        except self._psycopg.Error:
            self._put_back(connection)
            raise
        return connection

    def settled(self) -> int:
        """Rows are numbered when they are written, not when they are committed: wait for those who are in between.

        Nobody is hindered meanwhile: who is writing is seen from the locks they hold.
        """

        def read(transaction: Statements) -> int:
            last = last_seq(transaction)
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
    """A transaction on a connection. What can wait is sent with what cannot: an ask or a tell takes two messages.

    Statements are prepared under a name: the server plans them once for a connection.
    """

    def __init__(self, connection: Any, hurried: bool) -> None:
        self._connection = connection
        self._pending = ["BEGIN"]
        if hurried != connection.hurried:
            self._pending.append(_HURRY if hurried else _NO_HURRY)
        self._values: list[Any] = []

    def commit(self) -> None:
        self._pending.append("COMMIT")
        self._send()

    def rows(self, statement: str, *values: Any) -> list[Row]:
        return self.together((statement, *values))[0]

    def together(self, *questions: tuple[Any, ...]) -> list[list[Row]]:
        asked = [question for question in questions if question[-1] != []]
        before = len(self._pending)
        for question in asked:
            self._later(*question)
        found = self._results(before) if asked else iter(())
        return [next(found) if question[-1] != [] else [] for question in questions]

    def _results(self, skipped: int) -> Iterator[list[Row]]:
        cursor = self._send()
        for number in itertools.count():
            if number >= skipped:
                yield cursor.fetchall()
            if not cursor.nextset():
                break

    def change(self, statement: str, *values: Any) -> int:
        self._later(statement, *values)
        cursor = self._send()
        while cursor.nextset():
            pass
        return cursor.rowcount  # type: ignore[no-any-return]

    def insert(self, table: str, columns: str, rows: Sequence[Row], *, unless_there: bool = False) -> None:
        self._later(insert_all(table, columns, unless_there), *_arrays(rows))

    def update(self, table: str, columns: str, rows: Sequence[Row]) -> None:
        self._later(update_all(table, columns), *_arrays(rows))

    def _later(self, statement: str, *values: Any) -> None:
        names = self._connection.names
        name = names.get(statement)
        if name is None:
            name = f"statement{len(names)}"
            self._connection.execute(f"PREPARE {name} AS {translate(statement)}")
            names[statement] = name
        self._pending.append(f"EXECUTE {name}({', '.join(['%s'] * len(values))})" if values else f"EXECUTE {name}")
        self._values += values

    def _send(self) -> Any:
        pending, values = self._pending, self._values
        self._pending, self._values = [], []
        return self._connection.execute("; ".join(pending), values or None)


class Snapshot:
    """Reads on a connection, row by row."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._cursors: list[Any] = []

    def stream(self, statement: str, *values: Any) -> Iterator[Row]:
        cursor = self._connection.cursor(name=f"stream{len(self._cursors)}")
        self._cursors.append(cursor)
        cursor.execute(translate(statement), values)
        yield from cursor

    def close(self) -> None:
        """The connection will be used for something else: no cursor may close itself on it later."""
        import psycopg

        for cursor in self._cursors:
            with suppress(psycopg.Error):
                cursor.close()
