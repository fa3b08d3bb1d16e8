"""SQLite only: the file, and others who use it."""

import os
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


def remove(path, _):
    path.unlink()


def move_another_into_its_place(path, other):
    other.replace(path)


def copy_another_over_it(path, other):
    path.write_bytes(other.read_bytes())
    os.utime(path, ns=(1, 1))  # another moment than that of the last write, however coarse the clock of the files is


def empty(path, _):
    path.write_bytes(b"")
    os.utime(path, ns=(1, 1))


def remove_its_log(path, _):
    path.with_name(path.name + "-wal").unlink()


@pytest.mark.parametrize(
    "change",
    [remove, move_another_into_its_place, copy_another_over_it, empty, remove_its_log],
    ids=lambda one: one.__name__,
)
def test_a_file_that_is_removed_or_replaced_acknowledges_nothing(change, tmp_path):
    path, other = tmp_path / "arena.db", tmp_path / "other.db"
    create(str(path))
    create(str(other))
    with Arena.open(str(path), "each") as arena:
        duel = arena.ask("ada")
        change(path, other)
        for _ in range(2):
            with pytest.raises(StoreError, match=r"arena\.db .*while it was in use"):
                arena.tell(duel, winner=duel.left)
            with pytest.raises(StoreError, match="while it was in use"):
                arena.arenas.database.execute_now([Ask("each", "bob")])
            with pytest.raises(StoreError, match=r"while it was in use|cannot be used"):
                arena.standing("ada")
        assert path.exists() == (change is not remove), "reading makes no empty file"


def test_a_file_that_is_put_back_goes_on(tmp_path):
    path, aside = tmp_path / "arena.db", tmp_path / "aside.db"
    create(str(path))
    with Arena.open(str(path), "each") as arena:
        duel = arena.ask("ada")
        path.rename(aside)
        with pytest.raises(StoreError, match="removed"):
            arena.ask("bob")
        aside.rename(path)
        assert arena.tell(duel, winner=duel.left).status == "learned"
    with Arena.open(str(path), "each") as arena:
        assert arena.arenas.replay().equal and arena.standing("ada").learned == 1


def test_checkpoints_and_other_processes_are_no_replacement(tmp_path):
    path = str(tmp_path / "arena.db")
    create(path)
    with Arena.open(path, "each") as arena:
        for number in range(5):
            with Arena.open(path, "each") as elsewhere:
                elsewhere.ask(f"user{number}")
                elsewhere.arenas.database.store.forget()
            arena.ask(f"other{number}")
            arena.arenas.database.store.vacuum()
            arena.ask("ada")
        assert arena.arenas.replay().equal


def test_new_files_are_for_their_owner_only(tmp_path):
    before = os.umask(0)
    try:
        with Arena.open(str(tmp_path / "arena.db"), items=ITEMS) as arena:
            arena.ask("ada")
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"arena.db": 0o600, "arena.db-wal": 0o600, "arena.db-shm": 0o600}


def test_a_sentence_about_a_closed_database_has_one_full_stop(tmp_path):
    arena = Arena.open(str(tmp_path / "lunch.db"), items=["a", "b"])
    arena.close()
    with pytest.raises(StoreError, match=r"closed database\.$"):
        arena.ask("ada")
