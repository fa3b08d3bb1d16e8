"""The interface behind `Arenas`: on a database of this process (local.py), or on a service over HTTP (remote.py)."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeVar

from winnerstays.arena.operations import Operation
from winnerstays.arena.records import Event, Request, Result
from winnerstays.arena.settings import Settings

T = TypeVar("T")


class Backend(Protocol):
    """Everything that all arenas need. An arena is named by its name."""

    address: str
    """Where the arenas are, as given when they were opened."""

    def names(self) -> list[str]:
        """Return the names of all arenas, in alphabetical order."""

    def create(self, settings: Settings) -> Settings:
        """Make an arena, unless one of this name exists; return its settings.

        DifferentArenaError if it exists and differs in a setting that was given (`settings.model_fields_set`).
        """

    def call(self, operation: Operation[T], arena: str, /, **arguments: Any) -> T:
        """Do one of the operations on an arena; UnknownArenaError if there is none of this name."""

    def execute(self, requests: Sequence[Request]) -> list[Result]:
        """Return a result for each request, in the same order, once all of them are durable."""

    def events(self, arena: str | None, after: int, user: str | None = None) -> Iterator[Event]:
        """Yield the rows of the log after the sequence number `after`; of one arena (and one user of it) or of all."""

    def close(self) -> None:
        """Close all connections."""
