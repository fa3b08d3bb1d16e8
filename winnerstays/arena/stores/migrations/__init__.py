"""The migrations of a database from any earlier version to this one (Alembic)."""

from pathlib import Path
from typing import Any

from winnerstays.arena.stores.base import StoreError
from winnerstays.errors import missing_extra

HEAD = "0001"
"""The newest version; opening a database that has it touches no migration."""


def upgrade(url: Any, to: str = "head") -> None:
    """Create the tables, or upgrade those of an earlier version, in one transaction; other processes wait meanwhile."""
    try:
        import sqlalchemy as sa
        from alembic.config import Config
        from alembic.runtime.environment import EnvironmentContext
        from alembic.script import ScriptDirectory
        from alembic.util import CommandError
    except ImportError:
        raise missing_extra("Creating or upgrading a database", "arena") from None
    script = ScriptDirectory(str(Path(__file__).parent))
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
            steps = EnvironmentContext(Config(), script, fn=lambda version, _: script._upgrade_revs(to, version))
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


__all__ = ["HEAD", "upgrade"]
