"""The arenas of a database at a glance, from their stored settings: no learners, no algorithms, no compiler."""

import json
from typing import TYPE_CHECKING, NamedTuple

from winnerstays.arena.stores import open_store, statements
from winnerstays.errors import WinnerstaysError

if TYPE_CHECKING:
    from winnerstays.arena.api import Arena


class Listed(NamedTuple):
    """An arena in a list; `fault` says why its settings cannot be read."""

    name: str
    items: int = 0
    """Those that are not retired."""
    retired: int = 0
    algorithm: str = ""
    audience: str = ""
    closed: bool = False
    fault: str = ""

    @classmethod
    def of(cls, arena: "Arena") -> "Listed":
        """Return an open arena as a list shows it."""
        settings, retired = arena.settings, sum(item.retired for item in arena.items)
        return cls(
            arena.name, len(arena.items) - retired, retired, settings.algorithm, settings.audience, settings.closed
        )


def listed_arenas(address: str) -> list[Listed]:
    """List the arenas of a database by name; one that is damaged does not hide the others."""
    store = open_store(address)
    try:
        rows = store.read(statements.stored_settings)
    finally:
        store.close()
    return [_listed(name, text) for name, text in rows]


def _listed(name: str, text: str) -> Listed:
    try:
        stored = json.loads(text)
        items, retired = len(stored["items"]), sum(item.get("retired", False) for item in stored["items"])
        if items >= 2 and stored["audience"] in ("user", "everyone"):
            closed = stored.get("closed", False)
            return Listed(name, items - retired, retired, stored["algorithm"], stored["audience"], closed)
    except (ValueError, TypeError, KeyError, AttributeError):
        pass
    return Listed(name, fault=_fault(text))


def _fault(text: str) -> str:
    """Return the sentence that says what is wrong with stored settings."""
    from winnerstays.arena.settings import Settings

    try:
        Settings.stored(text)
    except WinnerstaysError as error:
        return str(error)
    return "Its settings are damaged."
