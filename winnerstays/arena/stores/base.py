"""The store interface: a few statements inside a transaction. Everything above it is the same on every store.

A statement is written once, in the SQL that SQLite and PostgreSQL share, with `?` for a value and `IN ?` for a list.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]


class Transaction(Protocol):
    """All or nothing. Rows read with `FOR UPDATE` change for nobody else until the end."""

    def rows(self, statement: str, *values: Any) -> list[Row]:
        """What the statement selects or returns."""

    def together(self, *questions: tuple[Any, ...]) -> list[list[Row]]:
        """What several statements select, each given with its values; an empty list as the last value selects nothing.

        They run in this order, and take one round trip where there is one.
        """

    def change(self, statement: str, *values: Any) -> int:
        """Run the statement; the number of rows it changed."""

    def insert(self, table: str, columns: str, rows: Sequence[Row], *, unless_there: bool = False) -> None:
        """Add rows with these columns, numbered in this order; `unless_there`, not those that a constraint forbids."""

    def update(self, table: str, columns: str, rows: Sequence[Row]) -> None:
        """Change rows: the last column says which, the others get new values."""


class Snapshot(Protocol):
    """The database as it was at one moment, to read at leisure while others write."""

    def stream(self, statement: str, *values: Any) -> Iterator[Row]:
        """What the statement selects, row by row."""


class Store(Protocol):
    """A database. `run` is the only way to write: when it returns, what was done is durable."""

    writers: int
    """How many transactions of this process may be under way at once."""

    def run(self, work: Callable[[Transaction], T]) -> T:
        """Do the work in a transaction; it may be called again if the database asks for that."""

    def run_now(self, work: Callable[[Transaction], T]) -> T:
        """The same for who has no time to wait: raises BusyError if it would take unusually long."""

    def snapshot(self) -> AbstractContextManager[Snapshot]: ...

    def settled(self) -> int:
        """The number of a row in the log up to which no row can appear any more."""

    def close(self) -> None: ...
