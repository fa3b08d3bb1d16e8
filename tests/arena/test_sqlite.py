"""SQLite only: the file, and others who use it."""

import shutil
import sqlite3

import pytest

from tests.arena.crash_load import create
from winnerstays.arena import Arena, Ask, BusyError, StoreError

ITEMS = ["ramen", "tacos", "pho"]


def test_another_process_holds_the_file(tmp_path, monkeypatch):
    """A file that another program keeps locked is waited for, then refused with a sentence; later it works."""
    monkeypatch.setattr("winnerstays.arena.stores.sqlite.WAIT_SECONDS", 0.1)
    path = tmp_path / "arena.db"
    create(str(path))
    with Arena.open(str(path), "each") as arena:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            arena.ask("ada")
        with pytest.raises(BusyError, match="locked"):
            arena.arenas.database.execute_now([Ask("each", "ada")])
        other.execute("COMMIT")
        other.close()
        assert arena.ask("ada").id


def test_copy_of_the_file_goes_on(tmp_path):
    """A closed database is one file; a copy of it has the same future."""
    create(str(tmp_path / "one.db"))
    with Arena.open(str(tmp_path / "one.db"), "each") as arena:
        for _ in range(10):
            duel = arena.ask("ada")
            arena.tell(duel, winner=duel.left)
    shutil.copy(tmp_path / "one.db", tmp_path / "two.db")
    shown = []
    for name in ("one.db", "two.db"):
        with Arena.open(str(tmp_path / name), "each") as arena:
            duel = arena.ask("ada")
            shown.append((duel.left, duel.right))
    assert shown[0] == shown[1]


def test_erased_user_is_gone_from_the_file(tmp_path):
    path = tmp_path / "arena.db"
    with Arena.open(str(path), items=ITEMS) as arena:
        for user in ("adalovelace", "bob"):
            arena.tell(arena.ask(user), outcome="skip", reason=f"{user} is tired")
        arena.erase("adalovelace")
    assert b"adalovelace" not in path.read_bytes() and b"bob" in path.read_bytes()
