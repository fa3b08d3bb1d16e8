"""An arena in PostgreSQL: any number of processes, each learner's row locked while it learns.

A transaction that fails before its end is tried again, with a new connection where the old one broke. One whose end is
not acknowledged fails: whoever asked may ask again, because answers are accepted once.
"""

import itertools
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, TypeVar

from winnerstays.arena.stores.base import POSTGRESQL, BusyError, Row, Statement, StoreError, count_parameters, write
from winnerstays.arena.stores.migrations import HEAD, must_migrate, upgrade
from winnerstays.arena.stores.statements import last_seq
from winnerstays.errors import WinnerstaysError, missing_extra

T = TypeVar("T")
WAIT_SECONDS = 15.0
"""How long the server is waited for, and a transaction is tried again while it is away."""
SHORT_WAIT_SECONDS, COMMIT_SECONDS = 0.25, 2.0
"""How long the server may be silent in `run_now`; longer at the commit, when the disk may be slow."""
ADDRESS_HINT = (
    "write postgresql://user:password@host:5432/name, with @ : / and other such characters of the password as "
    "%40 %3A %2F"
)
_PASSING = ("starting up", "shutting down", "recovery", "too many", "remaining connection")
"""Words of a server that refuses a connection for a while only."""
MAX_CONNECTIONS = 8
"""The most connections of one process; further threads wait for one."""

_LOCK_TIMEOUT, _SHORT_LOCK_TIMEOUT = (int(500 * seconds) for seconds in (WAIT_SECONDS, SHORT_WAIT_SECONDS))
"""Milliseconds that the server waits for a lock: half the time that it may be silent."""
_PLANS = {"plan_cache_mode": "force_generic_plan", "jit": "off", "cpu_tuple_cost": "1", "cpu_index_tuple_cost": "1"} | {
    f"enable_{way}": "off" for way in ("seqscan", "bitmapscan", "hashjoin", "mergejoin", "material")
}
"""Prepared statements are planned once, for any values: to plan for partitions takes longer than to execute. What is
planned while a table is small must be right for a large one: few rows are looked up one by one, by the right index.
"""
_SETTINGS = (
    f"{'; '.join(f'SET {name} = {value}' for name, value in _PLANS.items())};"
    " SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'"
    " ELSE current_setting('synchronous_commit') END, false), current_setting('fsync'),"
    " current_setting('full_page_writes')"
)
_READ = (
    f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {'; '.join(f'SET LOCAL {name} = DEFAULT' for name in _PLANS)}"
)
"""Whoever reads a snapshot may read much of it."""
_WRITERS = (
    "SELECT pid, virtualtransaction FROM pg_locks"
    " WHERE relation = 'log'::regclass AND mode = 'RowExclusiveLock' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid <> pg_backend_pid()"
)


@cache
def _connection_class() -> Any:
    import psycopg

    class Connection(psycopg.Connection[Any]):
        """A connection that gives up if the server is silent for `max_silence` seconds."""

        def __init__(self, *options: Any) -> None:
            super().__init__(*options)
            self.max_silence: float | None = None
            self.lock_timeout: int | None = None
            """The milliseconds that the server was told to wait for a lock; None before it was told."""
            self.prepared: dict[str, str] = {}
            """The names of the prepared statements."""
            self.cursor_factory = psycopg.ClientCursor
            self.server_cursor_factory = psycopg.RawServerCursor

        def wait(self, gen: Any, *options: Any, **more: Any) -> Any:
            if self.max_silence is not None:
                gen = self._bounded(gen, time.monotonic() + self.max_silence)
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
    """A store in PostgreSQL.

    It keeps its own idle connections: psycopg_pool takes the same time for a transaction (3.6 microseconds to take a
    connection and put it back), but waits a second before it connects again. After a restart of the server, 3 threads
    under load had their next answer after 0.15 seconds here and after 0.64 there (medians of 5).
    """

    writers = 2

    def __init__(self, address: str, *, upgrade: bool = False) -> None:
        """`upgrade` allows to change the tables of an older version."""
        try:
            import psycopg
        except ImportError:
            raise missing_extra("PostgreSQL", "postgresql") from None
        self._psycopg: Any = psycopg
        self._address = address.replace("postgresql+psycopg://", "postgresql://", 1)
        self._idle: list[Any] = []
        self._warned = False
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self.version = HEAD
        self._prepare(upgrade)

    def _prepare(self, may_upgrade: bool) -> None:
        try:
            with self._connect() as connection:
                if connection.execute("SELECT to_regclass('alembic_version')").fetchone()[0] is None:
                    version = None
                else:
                    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
                    version = row and str(row[0])
            if must_migrate(version, "The database", upgrade=may_upgrade):
                upgrade(self._address.replace("postgres://", "postgresql://", 1).replace("://", "+psycopg://", 1))
            else:
                self.version = str(version)
        except self._psycopg.Error as error:
            raise self._unopened(error) from error

    def _unopened(self, error: Exception) -> StoreError:
        """Return why the database cannot be opened; BusyError if it may come yet.

        The password is not repeated: of an address that is malformed, nobody knows where it is.
        """
        if isinstance(error, self._psycopg.ProgrammingError) and error.sqlstate is None:
            return StoreError(f"The address of the PostgreSQL database is malformed; {ADDRESS_HINT}.")
        text = str(error)
        refused = "FATAL" in text and not any(words in text for words in _PASSING)
        comes = isinstance(error, self._psycopg.OperationalError) and not refused and "Servname" not in text
        return BusyError(str(self._sentence(error))) if comes else self._sentence(error)

    def _connect(self, timeout: float = WAIT_SECONDS) -> Any:
        """Connect; whatever the server's settings become, a commit of this session is on disk when it returns."""
        connection = _connection_class().connect(
            self._address, autocommit=True, connect_timeout=max(2, round(timeout)), client_encoding="UTF8"
        )
        try:
            cursor = connection.execute(_SETTINGS)
            while cursor.nextset():
                pass
            _, *durable = cursor.fetchone()
        except self._psycopg.Error:
            connection.close()
            raise
        if "off" in durable and not self._warned:
            self._warned = True
            logging.getLogger(__name__).warning(
                "The PostgreSQL server runs with fsync = %s and full_page_writes = %s: what was acknowledged can be"
                " lost if its machine loses power. Switch both on.",
                *durable,
            )
        return connection

    def _connect_again(self, timeout: float) -> Any:
        """Connect; BusyError if that may be tried again."""
        try:
            return self._connect(timeout)
        except self._psycopg.OperationalError as error:
            raise BusyError(str(self._sentence(error))) from error

    @contextmanager
    def _slot(self) -> Iterator[None]:
        """Wait until this process may use one more connection."""
        if not self._free.acquire(timeout=WAIT_SECONDS):
            raise StoreError(f"All {MAX_CONNECTIONS} connections to the database are in use; ask again.")
        try:
            yield
        finally:
            self._free.release()

    def _sentence(self, error: Exception) -> StoreError:
        text = " ".join(str(error).split())
        return StoreError(f"The PostgreSQL database cannot be used: {text.rstrip('.') or type(error).__name__}.")

    def run(self, work: Callable[[Any], T]) -> T:
        deadline = time.monotonic() + WAIT_SECONDS
        wait = 0.01
        with self._slot():
            while True:
                left = max(1.0, deadline - time.monotonic())
                try:
                    return self._try(self._take() or self._connect_again(left), work, left)
                except BusyError as error:
                    if time.monotonic() > deadline:
                        raise StoreError(str(error)) from error
                    time.sleep(wait)
                    wait = min(2 * wait, 0.5)

    def run_now(self, work: Callable[[Any], T]) -> T:
        connection = self._take()
        if connection is None:
            raise BusyError("No connection to the database is idle.")
        return self._try(connection, work, SHORT_WAIT_SECONDS, COMMIT_SECONDS, _SHORT_LOCK_TIMEOUT)

    def _take(self) -> Any:
        """Take an idle connection; None if there is none."""
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _try(
        self,
        connection: Any,
        work: Callable[[Any], T],
        max_silence: float,
        max_commit_silence: float | None = None,
        lock_timeout: int = _LOCK_TIMEOUT,
    ) -> T:
        """Try the work once; BusyError if it is certain that nothing was done and it may be tried again."""
        committing = False
        try:
            statements = Statements(connection, lock_timeout)
            connection.max_silence = max_silence
            result = work(statements)
            committing = True
            connection.max_silence = max_commit_silence or max_silence
            statements.commit()
        except self._psycopg.IntegrityError:
            self._put_back(connection)
            raise
        except self._psycopg.DataError as error:
            self._put_back(connection)
            raise WinnerstaysError(f"The database cannot hold this: {error}") from error
        except self._psycopg.Error as error:
            perhaps_done = committing and connection.closed
            transient = isinstance(error, self._psycopg.OperationalError | self._psycopg.InterfaceError)
            if not transient:
                connection.close()  # perhaps what it has prepared is out of date
            self._put_back(connection)
            if perhaps_done or not transient:
                raise self._sentence(error) from error
            raise BusyError(str(self._sentence(error))) from error
        except BaseException:
            self._put_back(connection)
            raise
        connection.lock_timeout = lock_timeout
        self._put_back(connection, clean=True)
        return result

    def _put_back(self, connection: Any, *, clean: bool = False) -> None:
        """Keep a connection for the next transaction; a clean one is in none."""
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

    def read(self, work: Callable[[Any], T]) -> T:
        with self.snapshot() as reader:
            return work(reader)

    @contextmanager
    def snapshot(self) -> Iterator["SnapshotReader"]:
        with self._slot():
            try:
                connection = self._reader()
            except self._psycopg.Error as error:
                raise self._sentence(error) from error
            snapshot = SnapshotReader(connection)
            try:
                yield snapshot
            except self._psycopg.Error as error:
                raise self._sentence(error) from error
            finally:
                snapshot.close()
                self._put_back(connection)

    def _reader(self) -> Any:
        """Return a connection in a transaction that only reads; a new one if the idle one is broken."""
        idle = self._take()
        if idle is not None:
            with suppress(self._psycopg.OperationalError):
                return self._begin_reading(idle)
        return self._begin_reading(self._connect())

    def _begin_reading(self, connection: Any) -> Any:
        connection.max_silence = WAIT_SECONDS
        try:
            connection.execute(_READ)
        except self._psycopg.Error:
            self._put_back(connection)
            raise
        return connection

    def check(self) -> tuple[list[str], list[str]]:
        """Say what PostgreSQL checks by itself: checksums of pages, if it was set up with them."""
        unchecked = ["the indexes of PostgreSQL (pg_amcheck checks them)"]
        checksums = self.run(lambda transaction: transaction.rows("SELECT current_setting('data_checksums')"))
        if checksums == [("off",)]:
            unchecked.append("pages that no row was read from: data checksums are off (pg_checksums switches them on)")
        return [], unchecked

    def forget(self) -> list[str]:
        return ["the files of PostgreSQL, until `winnerstays arena prune --vacuum`; its write-ahead log and backups"]

    def vacuum(self) -> list[str]:
        """Rewrite the tables into new files. A vacuum that is not full leaves old bytes in the free space of pages.

        So are PostgreSQL's statistics, which hold values of columns: names, words. Only a superuser may rewrite those.
        """
        from winnerstays.arena.stores.schema import metadata

        left = ["the write-ahead log of PostgreSQL (pg_wal), until the server has used its files again; backups"]
        with self._slot():
            try:
                with self._connect() as connection:
                    for table in metadata.tables:
                        connection.execute(f"VACUUM (FULL, ANALYZE) {table}")
                    if connection.execute("SHOW is_superuser").fetchone() == ("on",):
                        connection.execute("VACUUM FULL pg_catalog.pg_statistic")
                    else:
                        left.append("old statistics, until a superuser runs VACUUM FULL pg_catalog.pg_statistic")
            except self._psycopg.Error as error:
                raise self._sentence(error) from error
        return left

    def settled(self) -> int:
        """Wait for the transactions that are writing now: rows are numbered when written, not when committed.

        No transaction is hindered by it: the locks that each holds show which are writing.
        """

        def read(transaction: Statements) -> int:
            last = last_seq(transaction)
            deadline = time.monotonic() + WAIT_SECONDS
            writing = before = set(transaction.rows(_WRITERS))
            while writing & before:
                if time.monotonic() > deadline:
                    raise StoreError(
                        f"A transaction has been writing to the log for {WAIT_SECONDS:g} seconds; which events "
                        "come before its own cannot be told yet. Ask again."
                    )
                time.sleep(0.002)
                writing = set(transaction.rows(_WRITERS))
            return last

        return self.run(read)

    def close(self) -> None:
        with self._lock:
            for connection in self._idle:
                connection.close()
            self._idle.clear()


def _unnest(types: str) -> str:
    """Return rows to be read from, given as an array for each column: sent one by one they cost twice the time."""
    return f"unnest({', '.join(f'?::{each}[]' for each in types.split(', '))})"


@cache
def insert_all(table: str, columns: str, unless_there: bool) -> str:
    """Return the statement that adds many rows."""
    rest = " ON CONFLICT DO NOTHING" if unless_there else ""
    return f"INSERT INTO {table} ({columns}) SELECT * FROM {_rows(table, columns)}{rest}"


@cache
def update_all(table: str, columns: str) -> str:
    """Return the statement that updates many rows.

    >>> update_all("arenas", "name, id")
    'UPDATE arenas SET name = n.name FROM unnest(?::TEXT[], ?::BIGINT[]) AS n(name, id) WHERE arenas.id = n.id'
    """
    *changed, key = columns.split(", ")
    values = ", ".join(f"{column} = n.{column}" for column in changed)
    return f"UPDATE {table} SET {values} FROM {_rows(table, columns)} WHERE {table}.{key} = n.{key}"


@cache
def update_one(table: str, columns: str) -> str:
    """Return the statement that updates one row.

    >>> update_one("arenas", "name, id")
    'UPDATE arenas SET name = ?::TEXT WHERE id = ?::BIGINT'
    """
    values = [f"{column} = ?::{each}" for column, each in zip(columns.split(", "), _types(table, columns), strict=True)]
    return f"UPDATE {table} SET {', '.join(values[:-1])} WHERE {values[-1]}"


def _rows(table: str, columns: str) -> str:
    return f"{_unnest(', '.join(_types(table, columns)))} AS n({columns})"


def _types(table: str, columns: str) -> list[str]:
    from sqlalchemy.dialects.postgresql import dialect

    from winnerstays.arena.stores.schema import metadata

    own = dialect()  # type: ignore[no-untyped-call]
    return [metadata.tables[table].c[column].type.compile(own) for column in columns.split(", ")]


def _arrays(rows: Sequence[Row]) -> list[str]:
    """Return each column's values as PostgreSQL writes an array; Psycopg's own way almost doubles a transaction's time.

    >>> _arrays([(1, "x", None), (2, 'a "b"', b"c")])
    ['{1,2}', '{"x","a \\\\"b\\\\""}', '{NULL,"\\\\\\\\x63"}']
    """
    return [f"{{{','.join(map(_literal, column))}}}" for column in zip(*rows, strict=True)]


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], tuple)


def _plain(value: Any) -> Any:
    """Return a value as it is sent alone; bytes as the text that PostgreSQL reads them from."""
    return f"\\x{value.hex()}" if isinstance(value, bytes) else value


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f'"\\\\x{value.hex()}"' if isinstance(value, bytes) else str(value)


class Statements:
    """A transaction on a connection. Statements without a result are sent with the next one that has one: an ask or an
    answer takes two round trips.

    Statements are prepared under a name: the server plans them once for a connection.
    """

    def __init__(self, connection: Any, lock_timeout: int) -> None:
        self._connection = connection
        self._pending = ["BEGIN"]
        if lock_timeout != connection.lock_timeout:
            self._pending.append(f"SET lock_timeout = {lock_timeout}")
        self._values: list[Any] = []

    def commit(self) -> None:
        """Send everything that is pending, and commit."""
        self._pending.append("COMMIT")
        self._send()

    def rows(self, statement: str | Statement, *values: Any) -> list[Row]:
        return self.together((statement, *values))[0]

    def stream(self, statement: str | Statement, *values: Any) -> Iterator[Row]:
        yield from self.rows(statement, *values)

    def together(self, *questions: tuple[Any, ...]) -> list[list[Row]]:
        asked = [question for question in questions if question[-1] != []]
        before = len(self._pending)
        for question in asked:
            self._later(*question)
        answers = self._results(before) if asked else iter(())
        return [next(answers) if question[-1] != [] else [] for question in questions]

    def _results(self, skipped: int) -> Iterator[list[Row]]:
        cursor = self._send()
        for number in itertools.count():
            if number >= skipped:
                yield cursor.fetchall()
            if not cursor.nextset():
                break

    def change(self, statement: str | Statement, *values: Any) -> int:
        self._later(statement, *values)
        cursor = self._send()
        while cursor.nextset():
            pass
        return cursor.rowcount  # type: ignore[no-any-return]

    def lock_tables(self, *tables: str) -> None:
        self._pending.append(f"LOCK TABLE {', '.join(tables)} IN SHARE ROW EXCLUSIVE MODE")

    def insert(self, table: str, columns: str, rows: Sequence[Row], *, unless_there: bool = False) -> None:
        self._later(insert_all(table, columns, unless_there), *_arrays(rows))

    def update(self, table: str, columns: str, rows: Sequence[Row]) -> None:
        if len(rows) == 1:
            self._later(update_one(table, columns), *map(_plain, rows[0]))
        else:
            self._later(update_all(table, columns), *_arrays(rows))

    def _later(self, statement: str | Statement, *given: Any) -> None:
        """Prepare a statement and leave it pending."""
        text, given = write(statement, given, POSTGRESQL)
        values = [value for each in given for value in (_arrays(each) if _is_rows(each) else (each,))]
        names = self._connection.prepared
        name = names.get(text)
        if name is None:
            name = f"statement{len(names)}"
            self._connection.execute(f"PREPARE {name} AS {count_parameters(text)}")
            names[text] = name
        self._pending.append(f"EXECUTE {name}({', '.join(['%s'] * len(values))})" if values else f"EXECUTE {name}")
        self._values += values

    def _send(self) -> Any:
        pending, values = self._pending, self._values
        self._pending, self._values = [], []
        return self._connection.execute("; ".join(pending), values or None)


class SnapshotReader:
    """Reads on a connection, in a transaction that only reads."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._cursors: list[Any] = []

    def rows(self, statement: str | Statement, *values: Any) -> list[Row]:
        import psycopg

        text, values = write(statement, values, POSTGRESQL)
        given = [value for each in values for value in (_arrays(each) if _is_rows(each) else (each,))]
        return psycopg.RawCursor(self._connection).execute(count_parameters(text), given, prepare=False).fetchall()

    def stream(self, statement: str | Statement, *values: Any) -> Iterator[Row]:
        cursor = self._connection.cursor(name=f"stream{len(self._cursors)}")
        self._cursors.append(cursor)
        text, values = write(statement, values, POSTGRESQL)
        cursor.execute(count_parameters(text), values)
        yield from cursor

    def close(self) -> None:
        """Close all cursors: the connection will be used for something else, and none may close itself on it later."""
        import psycopg

        for cursor in self._cursors:
            with suppress(psycopg.Error):
                cursor.close()
