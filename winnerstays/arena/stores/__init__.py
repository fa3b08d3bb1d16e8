"""Where arenas are kept: one interface, SQLite and PostgreSQL."""

from winnerstays.arena.stores.base import Store
from winnerstays.arena.stores.postgresql import PostgreSQL
from winnerstays.arena.stores.sqlite import SQLite


def open_store(address: str) -> Store:
    """Return the store at `postgresql://...`, `memory:`, or the path of a SQLite file (after `sqlite:///` or not)."""
    if address.startswith(("postgresql://", "postgres://", "postgresql+psycopg://")):
        return PostgreSQL(address)
    return SQLite(address.removeprefix("sqlite:///"))


__all__ = ["open_store"]
