"""Where arenas are kept: one interface, SQLite and PostgreSQL."""

import re
from pathlib import Path

from winnerstays.arena.stores.base import Store
from winnerstays.arena.stores.postgresql import ADDRESS_HINT, PostgreSQL
from winnerstays.arena.stores.sqlite import MEMORY, SQLite
from winnerstays.errors import WinnerstaysError

SCHEMES = ("postgresql://", "postgres://", "postgresql+psycopg://")
_OPTIONS = re.compile(r"(^|\s)(host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*=")


def open_store(address: str, *, upgrade: bool = False) -> Store:
    """Return the store at `postgresql://...`, `memory:`, or the path of a SQLite file (after `sqlite:///` or not).

    Tables of an older version are changed only with `upgrade`.

    What was meant as an address of PostgreSQL does not become a file, and its password is not repeated.
    """
    if address.startswith(SCHEMES):
        authority = re.split(r"[/?#]", address.partition("://")[2])[0]
        if authority.count("@") > 1:
            raise WinnerstaysError(f"The address of the PostgreSQL database has two @; {ADDRESS_HINT}.")
        return PostgreSQL(address, upgrade=upgrade)
    if _is_for_postgresql(address):
        raise WinnerstaysError(f"This is neither a file nor the address of a PostgreSQL database; {ADDRESS_HINT}.")
    path = address.removeprefix("sqlite:///")
    if "://" in path:
        scheme = path.partition("://")[0]
        raise WinnerstaysError(
            f"There is no store for {scheme}://...; give a file, postgresql://..., or a service's http://..."
        )
    return SQLite(MEMORY if is_memory(path) else path, upgrade=upgrade)


def is_memory(address: str) -> bool:
    return address.removeprefix("sqlite:///") in (MEMORY, ":memory:")


def is_missing_file(address: str) -> bool:
    """Whether this is the path of a SQLite file that is not there, in a folder that is."""
    path = Path(address.removeprefix("sqlite:///"))
    if is_memory(address) or not address or "://" in str(address.removeprefix("sqlite:///")):
        return False
    return path.absolute().parent.is_dir() and not path.exists() and not _is_for_postgresql(address)


def _is_for_postgresql(address: str) -> bool:
    """Whether this was meant as an address of PostgreSQL, but is none."""
    return (address.startswith(("postgres", "pgsql")) and ("@" in address or ":" in address)) or bool(
        _OPTIONS.search(address)
    )


__all__ = ["is_memory", "is_missing_file", "open_store"]
