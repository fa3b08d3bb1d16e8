"""An arena in one SQLite file: WAL, synchronous=FULL, one writer.

`memory:` is the same without a file. A process has one connection that writes, so none of its threads waits for a lock
of the database; another process that writes to the same file is waited for.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from winnerstays.arena.stores.base import SQLITE, BusyError, Row, Statement, StoreError, write
from winnerstays.arena.stores.migrations import HEAD, must_migrate, upgrade
from winnerstays.arena.stores.sqlite_file import DatabaseFile, make_private, mark
from winnerstays.arena.stores.statements import last_seq

T = TypeVar("T")
MEMORY = "memory:"
WAIT_SECONDS, SHORT_WAIT_SECONDS = 15.0, 0.25
"""How long another process that writes is waited for; the short wait is for `run_now`."""
FORGET_SECONDS = 2.0
"""How long readers of the write-ahead log are waited for before it is emptied; writers wait meanwhile."""
MAX_FAULTS = 20


@cache
def insert_one(table: str, columns: str, unless_there: bool) -> str:
    """Return the statement that adds one row."""
    values = ", ".join("?" for _ in columns.split(", "))
    return f"INSERT INTO {table} ({columns}) VALUES ({values}){' ON CONFLICT DO NOTHING' if unless_there else ''}"


@cache
def update_one(table: str, columns: str) -> str:
    """Return the statement that updates one row.

    >>> update_one("learners", "open_duel_id, state, id")
    'UPDATE learners SET open_duel_id = ?, state = ? WHERE id = ?'
    """
    *changed, key = columns.split(", ")
    return f"UPDATE {table} SET {', '.join(f'{column} = ?' for column in changed)} WHERE {key} = ?"


def _bindable(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([_json(value) if isinstance(value, list) else value for value in values])


def _json(values: Sequence[Any]) -> str:
    """Return a list of texts, whole numbers or tuples as JSON; several times faster than `json.dumps` for a few."""
    return f"[{','.join([_json_of.get(type(value), str)(value) for value in values])}]"


_json_of: dict[type, Callable[[Any], str]] = {str: quoted, tuple: _json}


class SQLite:
    """A store in a file, or in memory."""

    writers = 1

    def __init__(self, path: str, *, upgrade: bool = False) -> None:
        """`upgrade` allows to change the tables of an older version."""
        self.path = path
        self.version = HEAD
        self._name = ":memory:" if path == MEMORY else os.path.abspath(path)
        self._lock = threading.RLock()
        self._busy_timeout = WAIT_SECONDS
        self._readers: list[sqlite3.Connection] = []
        """Connections for reading that nobody uses now."""
        self._file: DatabaseFile | None = None
        """None in memory."""
        self._connection = self._prepare(upgrade)

    def _prepare(self, may_upgrade: bool) -> sqlite3.Connection:
        if self.path != MEMORY:
            if Path(self.path).is_dir():
                raise StoreError(f"{self.path} is a folder; give the name of a database file.")
            if not Path(self.path).absolute().parent.is_dir():
                raise StoreError(f"{self.path} cannot be opened: there is no folder {Path(self.path).parent}.")
            try:
                make_private(self._name)
            except OSError as error:
                raise StoreError(f"{self.path} cannot be made: {error.strerror}.") from error
        with self._readable_errors():
            connection = self._connect(create=True)
            try:
                version = _version(connection)
                if version is None and self.path != MEMORY and _has_tables(connection):
                    raise StoreError(f"{self.path} is a SQLite database of something else; give another name.")
                migrate = must_migrate(version, self.path, upgrade=may_upgrade)
                if self.path != MEMORY:
                    connection.execute("PRAGMA journal_mode = WAL")
                    connection.execute("PRAGMA synchronous = FULL")
                    connection.execute("PRAGMA secure_delete = ON")  # an erased user is gone from the file
                if migrate:
                    self._migrate(connection)
                else:
                    self.version = version or HEAD
                if self.path != MEMORY:
                    self._file = DatabaseFile(self._name, mark(connection))
            except BaseException:
                connection.close()
                raise
            return connection

    def _connect(self, *, create: bool = False) -> sqlite3.Connection:
        """Connect; only to make a database is a file made that is not there."""
        file = self.path != MEMORY and not create
        return sqlite3.connect(
            f"file:{quote(self._name)}?mode=rw" if file else self._name,
            uri=file, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256,
        )  # fmt: skip

    def _migrate(self, connection: sqlite3.Connection) -> None:
        if self.path == MEMORY:
            with closing(sqlite3.connect(":memory:")) as template:
                template.executescript(_fresh_tables())
                template.backup(connection)
        else:
            upgrade(f"sqlite:///{self._name}")

    @contextmanager
    def _readable_errors(self) -> Iterator[None]:
        """Turn SQLite's errors into sentences."""
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except (sqlite3.Error, UnicodeDecodeError) as error:  # even a message of SQLite may hold damaged text
            raise StoreError(f"The database {self.path} cannot be used: {str(error).rstrip('.')}.") from error

    def run(self, work: Callable[[Any], T]) -> T:
        with self._lock, self._readable_errors():
            self._begin(WAIT_SECONDS)
            return self._finish(work)

    def run_now(self, work: Callable[[Any], T]) -> T:
        if not self._lock.acquire(timeout=SHORT_WAIT_SECONDS):
            raise BusyError(f"The database {self.path} is being written to.")
        try:
            with self._readable_errors():
                try:
                    self._begin(SHORT_WAIT_SECONDS)
                except sqlite3.OperationalError as error:
                    raise BusyError(f"The database {self.path} cannot be used: {error}.") from error
                return self._finish(work)
        finally:
            self._lock.release()

    def _begin(self, wait_seconds: float) -> None:
        if wait_seconds != self._busy_timeout:
            self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * wait_seconds)}")
            self._busy_timeout = wait_seconds
        self._connection.execute("BEGIN IMMEDIATE")

    def _finish(self, work: Callable[[Any], T]) -> T:
        connection = self._connection
        try:
            result = work(Statements(connection))
            connection.execute("COMMIT")
        except BaseException:
            # SQLite ends the transaction itself when the disk is full
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        if self._file is not None:
            self._file.check()  # before anything is acknowledged
        return result

    def read(self, work: Callable[[Any], T]) -> T:
        if self.path == MEMORY:
            with self._lock, self._readable_errors():
                return work(Statements(self._connection))
        with self._readable_errors():
            connection = self._reader()
            try:
                if self._file is not None:
                    self._file.check()
                connection.execute("BEGIN")
                return work(Statements(connection))
            finally:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                self._readers.append(connection)

    def _reader(self) -> sqlite3.Connection:
        """Return a connection that nobody uses now; there are as many as threads that read at once."""
        with suppress(IndexError):
            return self._readers.pop()
        return self._connect()

    @contextmanager
    def snapshot(self) -> Iterator["Statements"]:
        with self._readable_errors():
            if self.path == MEMORY:
                with closing(self._connect()) as connection:
                    with self._lock:
                        self._connection.backup(connection)
                    yield Statements(connection)
            else:
                with closing(self._connect()) as connection:
                    connection.execute("BEGIN")
                    yield Statements(connection)

    def check(self) -> tuple[list[str], list[str]]:
        try:
            with self.snapshot() as snapshot:
                faults = [str(row[0]) for row in snapshot.rows(f"PRAGMA integrity_check({MAX_FAULTS})")]
        except StoreError as error:
            return [str(error)], []
        return ([] if faults == ["ok"] else faults), []

    def forget(self) -> list[str]:
        """Copy the write-ahead log into the file, where what was removed is overwritten, and empty it."""
        if self.path == MEMORY:
            return []
        with self._readable_errors(), closing(self._connect()) as connection:
            connection.execute(f"PRAGMA busy_timeout = {int(1000 * FORGET_SECONDS)}")
            ((busy, _, _),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if not busy:
            return []
        return [f"{self.path}-wal, while somebody reads it; afterwards: winnerstays arena prune {self.path} --vacuum"]

    def vacuum(self) -> list[str]:
        with self._lock, self._readable_errors():
            self._connection.execute("VACUUM")
        return self.forget()

    def settled(self) -> int:
        return self.read(last_seq)

    def close(self) -> None:
        with self._lock:
            while self._readers:
                self._readers.pop().close()
            self._connection.close()
            if self._file is not None:
                self._file.close()
                self._file = None


class Statements:
    """Statements on a connection: a Transaction and a Snapshot."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, statement: str | Statement, *values: Any) -> list[Row]:
        return self._execute(statement, values).fetchall()

    def together(self, *questions: tuple[Any, ...]) -> list[list[Row]]:
        return [self.rows(*question) if question[-1] != [] else [] for question in questions]

    def change(self, statement: str | Statement, *values: Any) -> int:
        return self._execute(statement, values).rowcount

    def _execute(self, statement: str | Statement, values: tuple[Any, ...]) -> sqlite3.Cursor:
        text, values = write(statement, values, SQLITE)
        return self._connection.execute(text, _bindable(values))

    def lock_tables(self, *tables: str) -> None:
        """Nothing: whoever is in a transaction is the only writer."""

    def insert(self, table: str, columns: str, rows: Sequence[Row], *, unless_there: bool = False) -> None:
        self._connection.executemany(insert_one(table, columns, unless_there), rows)

    def update(self, table: str, columns: str, rows: Sequence[Row]) -> None:
        self._connection.executemany(update_one(table, columns), rows)

    def stream(self, statement: str | Statement, *values: Any) -> Iterator[Row]:
        for row in self._execute(statement, values):  # noqa: UP028
            yield row  # `yield from` would close the cursor of a reader who stops early, perhaps after the connection


def _version(connection: sqlite3.Connection) -> str | None:
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone():
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return row and str(row[0])


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None


@cache
def _fresh_tables() -> str:
    """Return the SQL that makes the tables of the newest version, as the migrations make them."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fresh.db"
        upgrade(f"sqlite:///{path}")
        with closing(sqlite3.connect(path)) as connection:
            return "\n".join(line for line in connection.iterdump() if "sqlite_sequence" not in line)
