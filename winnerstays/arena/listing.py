"""The arenas of a database at a glance, from their stored settings: no learners, no algorithms, no compiler."""

import json
from typing import NamedTuple

from winnerstays.arena.stores import open_store, statements
from winnerstays.errors import WinnerstaysError


class Listed(NamedTuple):
    """An arena in a list; `fault` says why its settings cannot be read."""

    name: str
    items: int = 0
    algorithm: str = ""
    audience: str = ""
    fault: str = ""


def listed_arenas(address: str) -> list[Listed]:
    """List the arenas of a database by name; one that is damaged does not hide the others."""
    store = open_store(address)
    try:
        rows = store.run(statements.stored_settings)
    finally:
        store.close()
    return [_listed(name, text) for name, text in rows]


def _listed(name: str, text: str) -> Listed:
    try:
        stored = json.loads(text)
        if len(stored["items"]) >= 2 and stored["audience"] in ("user", "everyone"):
            return Listed(name, len(stored["items"]), stored["algorithm"], stored["audience"])
    except (ValueError, TypeError, KeyError):
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
