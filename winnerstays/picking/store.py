"""The log of a pick: which questions were asked and how they were answered, in memory or in a SQLite file.

It is append-only, and all of a pick follows from it. A row is a question (`outcome` is empty) or what became of one:
`left`, `right`, `tie`, `skip` (no opinion) or `failed`, which is no answer. `share` is the left one's part of a point.
"""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from winnerstays.errors import WinnerstaysError
from winnerstays.picking.items import Items, as_text

APPLICATION = 0x57535031
"""Marks a SQLite file as the store of a pick."""
SCHEMA = """
CREATE TABLE pick (seed INTEGER NOT NULL, swap TEXT NOT NULL, examples INTEGER, examples_digest TEXT NOT NULL);
CREATE TABLE item (place INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL);
CREATE TABLE log (id INTEGER PRIMARY KEY, question INTEGER NOT NULL, duel INTEGER NOT NULL, left TEXT NOT NULL,
  right TEXT NOT NULL, example INTEGER, judge TEXT, outcome TEXT, share REAL, reason TEXT, tokens INTEGER, cost REAL,
  time REAL NOT NULL);
CREATE VIEW answers AS SELECT id, left, right, example, judge, outcome, share, reason, tokens, cost, time FROM log
  WHERE outcome IN ('left', 'right', 'tie', 'skip') ORDER BY id;
"""
LAST_SEED = 2**63 - 1


class Row(NamedTuple):
    """A row of the log."""

    id: int
    question: int
    duel: int
    left: str
    right: str
    example: int | None
    judge: str | None = None
    outcome: str | None = None
    share: float | None = None
    reason: str | None = None
    tokens: int | None = None
    cost: float | None = None
    time: float = 0.0


class Log:
    """A log in memory."""

    def __init__(self, seed: int, names: Sequence[str], rows: Sequence[Row] = ()) -> None:
        self.seed = seed
        self.names = tuple(names)
        """The items in the order of the log."""
        self.rows = list(rows)

    def write(self, rows: Sequence[Row]) -> None:
        """Keep rows; what follows from them may be used after that."""
        self.rows += rows

    def close(self) -> None:
        """Close what was opened."""


class Store(Log):
    """A log in a file. Every batch of rows is one transaction, durable before anything follows from it."""

    def __init__(self, path: str, items: Items, examples: tuple[Any, ...] | None, swap: str, seed: int) -> None:
        if "://" in path:
            raise WinnerstaysError(f"The store is {_hidden(path)!r}, but it must be the name of a file.")
        self._path = path
        digests = [digest(as_text(value) or "") for value in items.values]
        given = swap, None if examples is None else len(examples), _digest_of_all(examples)
        self._connection = connect(path, new=True)
        try:
            with self._connection:
                kept = self._connection.execute("SELECT * FROM pick").fetchone()
                if kept is None:
                    kept = (min(seed, LAST_SEED), *given)
                    self._connection.execute("INSERT INTO pick VALUES (?, ?, ?, ?)", kept)
                    rows = zip(range(len(digests)), items.names, digests, strict=True)
                    self._connection.executemany("INSERT INTO item VALUES (?, ?, ?)", rows)
            stored = self._connection.execute("SELECT name, digest FROM item ORDER BY place").fetchall()
            _check_items(path, dict(zip(items.names, digests, strict=True)), dict(stored))
            _check_settings(path, given, kept[1:])
            super().__init__(int(kept[0]), [name for name, _ in stored], read(self._connection))
        except BaseException:
            self._connection.close()
            raise

    def write(self, rows: Sequence[Row]) -> None:
        now = time.time()
        timed = [row._replace(time=now) for row in rows]
        try:
            with self._connection:
                self._connection.executemany(f"INSERT INTO log VALUES ({', '.join('?' * len(Row._fields))})", timed)
        except sqlite3.IntegrityError:
            raise WinnerstaysError(f"{self._path}: another pick is writing to this store; wait for its end.") from None
        except sqlite3.Error as error:
            raise WinnerstaysError(f"{self._path}: the answers cannot be kept ({error}).") from None
        super().write(timed)

    def check_judges(self, judges: Sequence[str], *, same: bool) -> None:
        """Refuse a judge to whom none of the answers belong, as far as it and theirs are known."""
        others = sorted({row.judge for row in self.rows if row.judge and row.share is not None})
        if others and judges and not (set(judges) & set(others) or same):
            raise WinnerstaysError(
                f"{self._path} holds the answers of another judge, {others[0]!r}; this one is {judges[0]!r}. Use "
                "another store, or same_judge=True to go on with these answers."
            )

    def close(self) -> None:
        self._connection.close()


def connect(path: str, *, new: bool = False) -> sqlite3.Connection:
    """Open a store; with `new` it may be made. It is a sentence if the file is something else."""
    if not new and not Path(path).is_file():
        raise WinnerstaysError(f"There is no file {path}.")
    try:
        connection = sqlite3.connect(path, timeout=10)
    except sqlite3.Error as error:
        raise WinnerstaysError(f"{path}: the store cannot be opened ({error}).") from None
    try:
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if mark != APPLICATION:
            if tables or not new:
                raise WinnerstaysError(f"{path} is a database of something else; the store of a pick needs its own.")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(f"BEGIN; {SCHEMA} PRAGMA application_id = {APPLICATION}; COMMIT;")
        connection.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error as error:
        connection.close()
        raise WinnerstaysError(f"{path}: this is no store of a pick ({error}).") from None
    except BaseException:
        connection.close()
        raise
    return connection


def read(connection: sqlite3.Connection) -> list[Row]:
    """Return all rows of a store."""
    return [Row(*row) for row in connection.execute("SELECT * FROM log ORDER BY id")]


def is_pick(path: str | Path) -> bool:
    """Tell the store of a pick from other files, by the mark in its header."""
    try:
        with Path(path).open("rb") as file:
            header = file.read(72)
    except OSError:
        return False
    return header.startswith(b"SQLite format 3\0") and header[68:72] == APPLICATION.to_bytes(4, "big")


def answers_of(path: str) -> list[Row]:
    """Return the answers in a store: choices and ties."""
    with closing(connect(path)) as connection:
        return [row for row in read(connection) if row.share is not None]


def digest(text: str) -> str:
    """Return a short text that differs where the given one does.

    >>> digest("Be brief.")
    '213c22ed7234'
    """
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _digest_of_all(examples: tuple[Any, ...] | None) -> str:
    return "" if examples is None else digest("\0".join(as_text(example) or "" for example in examples))


def _hidden(address: str) -> str:
    scheme, _, rest = address.partition("://")
    return f"{scheme}://…@{rest.rpartition('@')[2]}" if "@" in rest else address


def _check_items(path: str, given: dict[str, str], stored: dict[str, str]) -> None:
    if given != stored:
        here, there = (", ".join(map(repr, sorted(names))) for names in (given, stored))
        differ = "" if here != there else ", whose contents were others"
        raise WinnerstaysError(
            f"{path} holds another pick, of {there}{differ}; this one is of {here}. Use another store."
        )


def _check_settings(path: str, given: tuple[Any, ...], stored: tuple[Any, ...]) -> None:
    if given != tuple(stored):
        here, there = (f"swap={swap!r} and {examples or 'no'} examples" for swap, examples, _ in (given, stored))
        differ = "" if here != there else ", which were others"
        raise WinnerstaysError(
            f"{path} holds another pick, with {there}{differ}; this one is with {here}. Use another store."
        )
