"""The interface of a store: statements inside a transaction. Everything above it is the same on every store.

A statement is a text in the SQL that SQLite and PostgreSQL share, with `?` for each value, or a `Statement` that each
dialect writes in its own way (dialects.py).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from winnerstays.arena.stores.dialects import Statement
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
