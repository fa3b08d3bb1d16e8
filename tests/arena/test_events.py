"""The log as a stream of events: a cursor skips and doubles nothing, and each row says who chose the pair and how."""

import re
import sqlite3
import threading
from pathlib import Path

import pytest

from tests.service.serving import service
from winnerstays import Arena, WinnerstaysError

GUIDE = (Path(__file__).parents[2] / "docs" / "arena.md").read_text()
ITEMS = ["ramen", "tacos", "pho"]


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request, tmp_path):
    if request.param == "postgresql":
        return request.getfixturevalue("postgres").arenas()
    return str(tmp_path / "lunch.db")


def poller(tmp_path, monkeypatch):
    """The warehouse and the function of the page on arenas."""
    monkeypatch.chdir(tmp_path)
    (block,) = [text for text in re.findall(r"```python\n(.*?)```", GUIDE, re.S) if "def copy(" in text]
    *lines, last = block.strip().split("\n")
    assert last.startswith("copy(")
    names = {"Arena": Arena}
    exec("\n".join(lines), names)
    return names["warehouse"], names["copy"]


def test_the_poller_of_the_page_skips_and_doubles_nothing_while_others_write(address, tmp_path, monkeypatch):
    warehouse, copy = poller(tmp_path, monkeypatch)
    ended = threading.Event()

    def write(arena, place):
        for turn in range(40):
            duels = arena.ask_many([f"user {place} {turn} {n}" for n in range(place + 1)])
            arena.tell_many([(duel, "left") for duel in duels])

    with Arena.open(address, items=ITEMS) as arena, Arena.open(address) as reader:
        threads = [threading.Thread(target=write, args=(arena, place)) for place in range(4)]
        for thread in threads:
            thread.start()
        waiter = threading.Thread(target=lambda: ([thread.join() for thread in threads], ended.set()))
        waiter.start()
        while not ended.is_set():
            copy(reader)
        waiter.join()
        copy(reader)
        expected = [(event.seq, event.kind, event.duel, event.winner) for event in arena.events()]
    copied = warehouse.execute("SELECT seq, kind, duel, winner FROM log ORDER BY rowid").fetchall()
    assert copied == expected and len(copied) == 1 + 2 * 40 * (1 + 2 + 3 + 4)
    warehouse.close()


def test_a_copy_that_fails_is_made_whole_by_the_next(tmp_path, monkeypatch):
    warehouse, copy = poller(tmp_path, monkeypatch)
    with Arena.open("memory:", items=ITEMS) as arena:
        arena.ask_many(["ada", "bob", "eve"])
        events = arena.events
        broken = (row for row in [*list(events())[:2], None])
        arena.events = lambda **_: broken
        with pytest.raises(AttributeError):
            copy(arena)
        arena.events = events
        copy(arena)
    assert warehouse.execute("SELECT COUNT(*), COUNT(DISTINCT seq) FROM log").fetchone() == (4, 4)
    warehouse.close()


def test_limits(tmp_path):
    with service(str(tmp_path / "lunch.db")) as client:
        client.arenas.create("lunch", ITEMS)
        remote = Arena.open(str(client.base_url), "lunch")
        for arena, limit in ((client.arenas["lunch"], 0), (remote, -1)):
            with pytest.raises(WinnerstaysError, match=f"limit is {limit}"):
                list(arena.events(limit=limit))
        client.arenas["lunch"].ask_many([f"user {n}" for n in range(5)])
        lines = client.get("/v1/arenas/lunch/events?after=1&limit=2").text.splitlines()
        assert len(lines) == 2 and '"seq":2' in lines[0] and '"seq":3' in lines[1]
        assert client.get("/v1/events?limit=0").status_code == 422
        assert [event.seq for event in remote.events(limit=4)] == [1, 2, 3, 4]
        remote.close()


def test_rows_say_who_chose_and_how_likely_that_was(address):
    """Of three items a random pair has the chance 1/3, and the random item of a probe 1/2."""
    chances = {("learner", False): None, ("learner", True): 1 / 2, ("random", False): 1 / 3, ("random", True): 1 / 3}
    with Arena.open(address, items=ITEMS, holdout=0.5, probes=0.5, seed=3) as arena:
        for user in range(20):
            for _ in range(3):
                duel = arena.ask(f"user {user}")
                arena.tell(duel, winner=duel.left)
        arena.tell(duel, winner=duel.right)  # a conflict
        rows = [event for event in arena.events() if event.duel]
        assert {(row.arm, row.probe is not None) for row in rows} == set(chances)
        for row in rows:
            assert row.chance == chances[row.arm, row.probe is not None] and row.model == 0
        assert rows[-1].kind == "conflict"
        arena.retire(["pho"])
        arena.ask("user 99")
        (*_, last) = arena.events()
        assert last.chance in (None, 1.0)


def test_rows_name_the_version_of_the_model(tmp_path):
    path = str(tmp_path / "lunch.db")
    with Arena.open(path, items=ITEMS) as arena:
        arena.tell(arena.ask("ada"), winner="left")
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT COUNT(*) FROM log WHERE data LIKE '%\"model\":[0%'").fetchone() == (1,)
    connection.close()
    with Arena.open(path) as arena:
        assert [event.model for event in arena.events()] == [None, 0, 0]


def test_an_algorithm_without_a_model_names_none():
    with Arena.open("memory:", items=ITEMS, algorithm="ws-w") as arena:
        arena.tell(arena.ask("ada"), winner="left")
        assert {(event.model, event.chance, event.arm) for event in arena.events()} == {(None, None, None)}
