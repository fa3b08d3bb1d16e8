"""Other processes that open and close a SQLite file while it is in use: its write-ahead log stays where it is."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing

from winnerstays.arena import Arenas

PROGRAM = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("SELECT COUNT(*) FROM log").fetchone()[0])
connection.close()
"""


def look(path):
    """Another process that reads the database and goes; the last one to go would remove the write-ahead log."""
    return int(subprocess.run([sys.executable, "-c", PROGRAM, path], capture_output=True, check=True).stdout)


def test_file_that_others_look_at(tmp_path):
    path = str(tmp_path / "arena.db")
    with Arenas.open(path) as arenas:
        lunch = arenas.create("lunch", ["ramen", "tacos", "pho"])
        for number in range(3):
            duel = lunch.ask(f"user{number}")
            lunch.tell(duel, winner=duel.left)
            with closing(sqlite3.connect(path)) as other:
                other.execute("PRAGMA wal_checkpoint")  # changes the file itself, whose header is then looked at
            assert lunch.ask(f"user{number}").id != duel.id
            assert look(path) == 2 + 3 * number + 2 and os.path.exists(path + "-wal")
        with Arenas.open(path) as second:
            assert second["lunch"].ask("user0").arena == "lunch"
        assert look(path) == 10 and os.path.exists(path + "-wal"), "a store that was closed took no locks with it"
        assert lunch.ask("last").arena == "lunch" and arenas.replay().equal
