"""A copy of a SQLite file while it is in use, as it was at one moment."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from winnerstays.arena.stores.base import StoreError
from winnerstays.errors import WinnerstaysError


def back_up(path: Path, target: Path) -> None:
    """Copy the database in a file to a new file, which only its owner may read, and which is complete or not there."""
    if not path.is_file():
        if "postgres" in str(path) and ":/" in str(path):  # an address, perhaps with a password
            raise WinnerstaysError("A database in PostgreSQL is backed up by its own pg_dump; give a SQLite file.")
        raise WinnerstaysError(f"There is no database {path}; what is in PostgreSQL is backed up by its own pg_dump.")
    if target.exists():
        raise WinnerstaysError(f"{target} exists already; give the name of a new file.")
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(unfinished)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a write-ahead log beside it
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(target)
    except (OSError, sqlite3.Error) as error:
        with suppress(OSError):
            unfinished.unlink()
        raise StoreError(f"{path} cannot be copied to {target}: {error}.") from error
