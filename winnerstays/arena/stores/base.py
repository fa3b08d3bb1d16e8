"""The interface of a store: statements inside a transaction. Everything above it is the same on every store.

A statement is a text in the SQL that SQLite and PostgreSQL share, with `?` for each value, or a `Statement`: a function
that writes it in a dialect. The dialects differ in lists of values, in rows that are looked up and that are locked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeVar

from winnerstays.errors import WinnerstaysError

T = TypeVar("T")
Row = tuple[Any, ...]


class StoreError(WinnerstaysError):
    """The database cannot be used now; nothing that was acknowledged is lost."""

    code = "store"


class NoArenaError(StoreError):
    """There is no arena with this id: it was deleted, or the database is damaged."""


class BusyError(StoreError):
    """The database must be waited for; nothing was done."""


class Dialect:
    """The parts of statements that differ. A list is one value; of tuples, it is a list of rows.

    These are the parts as SQLite has them: lists are sent as JSON, and nothing is locked, for a transaction that writes
    is alone.
    """

    for_update = ""
    """Behind a select: the rows change for nobody else until the end of the transaction."""

    def is_among(self, column: str) -> str:
        """Return the condition that a column has one of the values of a list."""
        return f"{column} IN (SELECT value FROM json_each(?))"

    def listed(self, type_: str) -> str:
        """Return the select of the values of a list."""
        return "SELECT value FROM json_each(?)"

    def look_up(self, table: str, columns: Mapping[str, str]) -> str:
        """Return `FROM ... WHERE ...` for the rows of a table that have the values of a row of a list.

        `columns` are given with their types. Each row is looked up by itself, by an index and in its own partition.
        """
        values = ", ".join(f"json_extract(value, '$[{k}]') AS wanted_{name}" for k, name in enumerate(columns))
        return f"FROM (SELECT {values} FROM json_each(?)) AS wanted CROSS JOIN {table} WHERE {_equal(columns)}"

    def lock(self, select: str, table: str, ids: str) -> str:
        """Return the statement that locks the rows with these ids (a select), in the order of the ids."""
        return f"SELECT {select} FROM {table} WHERE id IN ({ids}) ORDER BY id"


class PostgreSQLDialect(Dialect):
    """PostgreSQL: lists are sent as arrays, one for each column of a row."""

    for_update = " FOR UPDATE"

    def is_among(self, column: str) -> str:
        return f"{column} = ANY(?)"

    def listed(self, type_: str) -> str:
        return f"SELECT * FROM unnest(?::{type_}[])"

    def look_up(self, table: str, columns: Mapping[str, str]) -> str:
        """What is behind OFFSET is planned alone: a plan that is made while the table is small may read all of it."""
        arrays = ", ".join(f"?::{type_}[]" for type_ in columns.values())
        names = ", ".join(f"wanted_{name}" for name in columns)
        one = f"SELECT * FROM {table} WHERE {_equal(columns)} OFFSET 0"
        return f"FROM unnest({arrays}) AS wanted({names}) CROSS JOIN LATERAL ({one}) AS {table} WHERE TRUE"

    def lock(self, select: str, table: str, ids: str) -> str:
        """Rows are locked each by itself: one that somebody else changed meanwhile would be dropped from a join."""
        wanted = f"SELECT DISTINCT * FROM ({ids}) AS listed(wanted) ORDER BY 1"
        one = f"SELECT * FROM {table} WHERE id = wanted FOR UPDATE"
        return f"SELECT {select} FROM ({wanted}) AS listed CROSS JOIN LATERAL ({one}) AS {table} ORDER BY id"


class OneRow(Dialect):
    """Either dialect, for a list of one row, whose values are sent by themselves."""

    def __init__(self, dialect: Dialect) -> None:
        self.for_update = dialect.for_update

    def is_among(self, column: str) -> str:
        return f"{column} = ?"

    def listed(self, type_: str) -> str:
        return "SELECT ?"

    def look_up(self, table: str, columns: Mapping[str, str]) -> str:
        return f"FROM {table} WHERE {' AND '.join(f'{name} = ?' for name in columns)}"

    def lock(self, select: str, table: str, ids: str) -> str:
        return f"SELECT {select} FROM {table} WHERE id = ?{self.for_update}"


def _equal(columns: Mapping[str, str]) -> str:
    return " AND ".join(f"{name} = wanted_{name}" for name in columns)


SQLITE, POSTGRESQL = Dialect(), PostgreSQLDialect()
_ONE: dict[Dialect, Dialect] = {SQLITE: OneRow(SQLITE), POSTGRESQL: OneRow(POSTGRESQL)}


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement that the dialects write differently."""

    write: Callable[[Dialect], str]
    one_by_equality: bool = False
    """A list of one row, as its last value, is compared instead: PostgreSQL then opens one partition only."""


class Reader(Protocol):
    """The database as it was at one moment, or as a transaction sees it."""

    def rows(self, statement: str | Statement, *values: Any) -> list[Row]:
        """Return the rows that a statement selects or returns."""

    def stream(self, statement: str | Statement, *values: Any) -> Iterator[Row]:
        """Yield the rows that a statement selects."""


class Transaction(Reader, Protocol):
    """All or nothing. Rows that are read to be updated change for nobody else until the end."""

    def together(self, *questions: tuple[Any, ...]) -> list[list[Row]]:
        """Return the rows that each of several statements selects; an empty list as its last value selects nothing.

        A question is a statement with its values. They run in this order, in one round trip to a server.
        """

    def change(self, statement: str | Statement, *values: Any) -> int:
        """Run a statement; return the number of rows that it changed."""

    def lock_tables(self, *tables: str) -> None:
        """Let nobody else write to these tables until the end."""

    def insert(self, table: str, columns: str, rows: Sequence[Row], *, unless_there: bool = False) -> None:
        """Add rows with these columns, numbered in this order; `unless_there` leaves out what a constraint forbids."""

    def update(self, table: str, columns: str, rows: Sequence[Row]) -> None:
        """Update rows; the last column says which, the others get new values."""


class Store(Protocol):
    """A database. `run` is the only way to write: when it returns, what was done is durable."""

    writers: int
    """How many transactions of this process may be under way at once."""
    version: str
    """The version of its tables."""

    def run(self, work: Callable[[Transaction], T]) -> T:
        """Do the work in a transaction; it may be called again if the database asks for that."""

    def run_now(self, work: Callable[[Transaction], T]) -> T:
        """Do the same for a thread that has no time to wait: BusyError if it would take unusually long."""

    def read(self, work: Callable[[Reader], T]) -> T:
        """Do work that only reads, on the database as it is now. It waits for no writer, and no writer for it."""

    def snapshot(self) -> AbstractContextManager[Reader]:
        """Open the database as it is now, to be read for long while others write."""

    def check(self) -> tuple[list[str], list[str]]:
        """Run the database's own check of its files; return what it found wrong, and what it does not check."""

    def forget(self) -> list[str]:
        """Overwrite, as far as the store can without hindering others, what was removed; return what may be left."""

    def vacuum(self) -> list[str]:
        """Rewrite the database without what was removed; others wait meanwhile. Return what may be left elsewhere."""

    def settled(self) -> int:
        """Return a sequence number of the log up to which no row can appear any more."""

    def close(self) -> None:
        """Close all connections."""


@cache
def _written(statement: Statement, dialect: Dialect) -> str:
    return statement.write(dialect)


def write(statement: str | Statement, values: tuple[Any, ...], dialect: Dialect) -> tuple[str, tuple[Any, ...]]:
    """Return a statement in a dialect, and its values.

    >>> heads = Statement(lambda sql: f"SELECT head {sql.look_up('log', {'duel_id': 'TEXT'})}", one_by_equality=True)
    >>> write(heads, ([("a",)],), SQLITE)
    ('SELECT head FROM log WHERE duel_id = ?', ('a',))
    """
    if isinstance(statement, str):
        return statement, values
    if statement.one_by_equality and len(values[-1]) == 1:
        (row,) = values[-1]
        values = (*values[:-1], *(row if isinstance(row, tuple) else (row,)))
        return _written(statement, _ONE[dialect]), values
    return _written(statement, dialect), values


def count_parameters(statement: str) -> str:
    """Return a statement with numbers in the place of `?`, as PostgreSQL wants it.

    >>> count_parameters("SELECT id FROM arenas WHERE name = ? AND head = ?")
    'SELECT id FROM arenas WHERE name = $1 AND head = $2'
    """
    first, *rest = statement.split("?")
    return first + "".join(f"${number}{part}" for number, part in enumerate(rest, 1))
