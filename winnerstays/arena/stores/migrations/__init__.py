"""The migrations of a database from any earlier version to this one (Alembic).

A version is `major.minor`. A minor version only adds tables, and columns that may be left out. So a release that knows
an earlier minor version goes on reading and writing, while others are upgraded.
"""

import re
from pathlib import Path
from typing import Any

from winnerstays.arena.stores.base import StoreError
from winnerstays.errors import missing_extra

HEAD = "1.0"
"""The newest version; opening a database that has it touches no migration."""
FOLDER = Path(__file__).parent


def must_migrate(version: str | None, where: str, *, upgrade: bool) -> bool:
    """Whether tables of this version (None: there are none yet) must be made or upgraded before they are used.

    StoreError if that was not asked for, or if no release as old as this one can use them.
    """
    if version is None or version == HEAD:
        return version is None
    if not re.fullmatch(r"\d+\.\d+", version):
        raise StoreError(f"The tables of {where} have no version that is known: {version!r}.")
    stored, known = (tuple(map(int, one.split("."))) for one in (version, HEAD))
    if stored[0] > known[0]:
        raise StoreError(
            f"{where} was made by a newer winnerstays (version {version} of the tables, this one knows {HEAD}); "
            "install a newer winnerstays."
        )
    if stored < known and not upgrade:
        raise StoreError(
            f"{where} was made by an older winnerstays (version {version} of the tables, this one needs {HEAD}). Back "
            "it up, then upgrade it: winnerstays serve --upgrade, or winnerstays arena replay DB --upgrade."
        )
    return stored < known


def check_own(version: str, what: str) -> None:
    """Refuse what needs to know all columns on tables of a newer version."""
    if version != HEAD:
        raise StoreError(
            f"{what} needs to know all columns, but the tables have version {version}, and this winnerstays knows "
            f"{HEAD}; install a newer winnerstays."
        )


def upgrade(url: Any) -> None:
    """Create the tables, or upgrade those of an earlier version, in one transaction; other processes wait meanwhile."""
    try:
        import sqlalchemy as sa
        from alembic.config import Config
        from alembic.runtime.environment import EnvironmentContext
        from alembic.script import ScriptDirectory
        from alembic.util import CommandError

        from winnerstays.arena.stores.schema import make_metadata
    except ImportError:
        raise missing_extra("Creating or upgrading a database", "arena") from None
    script = ScriptDirectory(str(FOLDER))
    options = {} if str(url).startswith("sqlite") else {"client_encoding": "UTF8"}
    engine = sa.create_engine(url, poolclass=sa.pool.NullPool, connect_args=options)
    try:
        with engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                connection.exec_driver_sql("PRAGMA busy_timeout = 30000")
                connection.exec_driver_sql("PRAGMA secure_delete = ON")  # tables are copied: no old copy may be left
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7206537)")

            def find_steps(version: Any, _: Any) -> Any:
                if version:
                    return script._upgrade_revs("head", version)
                make_metadata(lite=engine.dialect.name == "sqlite").create_all(connection)
                return script._stamp_revs("head", version)

            steps = EnvironmentContext(Config(), script, fn=find_steps)
            with steps:
                steps.configure(connection=connection, transactional_ddl=True)
                steps.run_migrations()
            connection.commit()
    except CommandError as error:
        raise StoreError(f"The tables of the database have no version that is known: {error}.") from error
    except sa.exc.DBAPIError as error:
        reason = str(error.orig).strip().partition("\n")[0]
        raise StoreError(f"The tables of the database cannot be made or upgraded: {reason}.") from error
    finally:
        engine.dispose()


__all__ = ["FOLDER", "HEAD", "check_own", "must_migrate", "upgrade"]
