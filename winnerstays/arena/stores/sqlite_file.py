"""The file of a SQLite database: copying it while it is in use, and noticing that it was removed or replaced.

SQLite goes on writing into a file that has no name any more, and what it writes there is lost with the process. So the
store looks at the file after each commit, before anything is acknowledged.
"""

import os
import secrets
import sqlite3
import threading
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

from winnerstays.arena.stores.base import StoreError
from winnerstays.errors import WinnerstaysError

HEADER_SIZE = 100
MAGIC = b"SQLite format 3\0"
_COUNTER, _ID = slice(24, 28), slice(68, 72)
"""Where the header holds the number of changes, and the id that `mark` gives (`application_id`)."""


def make_private(path: str) -> None:
    """Make an empty file that only its owner may read and write, unless there is a file."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def mark(connection: sqlite3.Connection) -> int:
    """Give the database a random id, unless it has one; return it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        (id_,) = connection.execute("PRAGMA application_id").fetchone()
        if not id_:
            id_ = secrets.randbelow(2**31 - 1) + 1
            connection.execute(f"PRAGMA application_id = {id_}")
    finally:
        connection.execute("COMMIT")
    return int(id_)


class _Descriptors:
    """Descriptors of database files, one for each file, open for as long as a store of this process uses it.

    Closing any descriptor of a file gives up all locks that the process holds on it (POSIX), SQLite's own included:
    another process would believe that nobody uses the database, and remove its write-ahead log.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[int, int], int] = {}
        self._users: Counter[int] = Counter()

    def take(self, path: str) -> int:
        """Return a descriptor of this file."""
        with self._lock:
            status = os.stat(path)
            key = status.st_dev, status.st_ino
            if key not in self._known:
                self._known[key] = os.open(path, os.O_RDONLY)
            self._users[self._known[key]] += 1
            return self._known[key]

    def give_back(self, descriptor: int) -> None:
        """Close the descriptor unless another store uses it."""
        with self._lock:
            self._users[descriptor] -= 1
            if not self._users[descriptor]:
                del self._users[descriptor]
                self._known = {key: known for key, known in self._known.items() if known != descriptor}
                os.close(descriptor)


_descriptors = _Descriptors()


class DatabaseFile:
    """A database's file and its write-ahead log, as they were when the database was opened."""

    def __init__(self, path: str, id_: int) -> None:
        self.path = path
        self._id = id_.to_bytes(4, "big")
        self._counter = 0
        self._files = [self._identify(name) for name in (path, path + "-wal")]
        self._changed_at = 0
        self._descriptor = _descriptors.take(path)

    def close(self) -> None:
        """Forget the file, after the connections to it were closed."""
        _descriptors.give_back(self._descriptor)

    def check(self) -> None:
        """StoreError unless the files are still the same ones."""
        try:
            now = os.stat(self.path)
            log = os.stat(self.path + "-wal")
        except OSError:
            raise self._gone("was removed") from None
        if [(now.st_dev, now.st_ino), (log.st_dev, log.st_ino)] != self._files:
            raise self._gone("was replaced by another file")
        if now.st_mtime_ns != self._changed_at:  # rarely: when the write-ahead log was copied into it
            self._check_header()
            self._changed_at = now.st_mtime_ns

    def _check_header(self) -> None:
        header = os.pread(self._descriptor, HEADER_SIZE, 0)
        counter = int.from_bytes(header[_COUNTER], "big")
        if not header.startswith(MAGIC) or header[_ID] not in (self._id, bytes(4)) or counter < self._counter:
            raise self._gone("was overwritten")
        self._counter = counter

    def _gone(self, what: str) -> StoreError:
        return StoreError(
            f"The database file {self.path} {what} while it was in use. Nothing is written any more: put it back, or "
            "stop all processes that use it and start them again."
        )

    @staticmethod
    def _identify(name: str) -> tuple[int, int]:
        status = os.stat(name)
        return status.st_dev, status.st_ino


def back_up(path: Path, target: Path) -> None:
    """Copy the database in a file to a new file, which only its owner may read, and which is complete or not there."""
    if not path.is_file():
        if "postgres" in str(path) and ":/" in str(path):  # an address, perhaps with a password
            raise WinnerstaysError("A database in PostgreSQL is backed up by its own pg_dump; give a SQLite file.")
        raise WinnerstaysError(f"There is no database {path}; what is in PostgreSQL is backed up by its own pg_dump.")
    if target.exists():
        raise WinnerstaysError(f"{target} exists already; give the name of a new file.")
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(unfinished)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a write-ahead log beside it
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(target)
    except (OSError, sqlite3.Error) as error:
        with suppress(OSError):
            unfinished.unlink()
        raise StoreError(f"{path} cannot be copied to {target}: {error}.") from error
