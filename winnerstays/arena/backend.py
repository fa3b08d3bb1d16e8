"""The interface behind `Arenas`: on a database of this process (local.py), or on a service over HTTP (remote.py)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from winnerstays.arena.figures.uplift import Uplift
from winnerstays.arena.items import ItemChanges
from winnerstays.arena.records import (
    Bias,
    Deleted,
    Erased,
    Event,
    Popularity,
    Request,
    Result,
    Standing,
    Summary,
    Totals,
)
from winnerstays.arena.settings import Settings


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

    def settings(self, arena: str) -> Settings:
        """Return the settings of an arena; UnknownArenaError if there is none of this name."""

    def change_items(self, arena: str, changes: ItemChanges) -> Settings:
        """Add, retire, restore and edit items, all or none; return the settings afterwards."""

    def change_settings(self, arena: str, changed: Mapping[str, Any]) -> Settings:
        """Give an arena another name, other sets, or other values of settings that can be changed; return them."""

    def delete(self, arena: str) -> Deleted:
        """Remove an arena with everything that was learned and logged in it."""

    def execute(self, requests: Sequence[Request]) -> list[Result]:
        """Return a result for each request, in the same order, once all of them are durable."""

    def best(self, arena: str, user: str | None) -> str:
        """Return the favourite so far."""

    def top(self, arena: str, user: str | None, count: int, among: Sequence[str] | str | None) -> list[str]:
        """Return the favourites so far, the best first: of all items, of these, or of a set."""

    def standing(self, arena: str, user: str | None, p: float | None, level: float) -> Standing:
        """Return the favourite and how sure it is."""

    def bias(self, arena: str, group: str | None = None) -> Bias:
        """Return how often the left item was chosen, by all people or by those of a group."""

    def totals(self, arena: str, robots: bool) -> Totals:
        """Return how often what happened in an arena: what people did, or what robots did."""

    def popular(self, arena: str, level: float) -> list[Popularity]:
        """Return the items that are not retired by how often people chose them when shown, the best first."""

    def uplift(self, arena: str, level: float) -> Uplift:
        """Compare the people of an arena with its control group."""

    def summary(self, arena: str, level: float) -> Summary:
        """Return what the people of an arena like."""

    def events(self, arena: str | None, after: int, user: str | None = None) -> Iterator[Event]:
        """Yield the rows of the log after the sequence number `after`; of one arena (and one user of it) or of all."""

    def newest_events(self, arena: str, limit: int) -> list[Event]:
        """Return the newest rows of the log of an arena, the oldest of them first."""

    def erase(self, arena: str, user: str) -> Erased:
        """Remove a user from an arena."""

    def close(self) -> None:
        """Close all connections."""
