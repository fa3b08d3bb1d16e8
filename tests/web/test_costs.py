"""How many transactions a page takes, and what pages do with arenas that change meanwhile."""

from collections import Counter

import pytest

from tests.web.conftest import pages
from tests.web.test_pages import ask, open_duel
from winnerstays.web import sushi

ITEMS = ["ramen", "tacos", "pho"]


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """A service on a file, and the transactions of its store by kind."""
    with pages(str(tmp_path / "arena.db"), key_seconds=1e9) as site:
        store, done = site.arenas.database.store, Counter()

        def count(way):
            original = getattr(store, way)

            def run(*arguments):
                done[way] += 1
                return original(*arguments)

            monkeypatch.setattr(store, way, run)

        for way in ("run", "run_now", "read", "snapshot"):
            count(way)
        yield site, done


def test_an_answer_takes_two_writes_and_a_read(counted):
    """The next pair follows from the answer: it is read between the two writes."""
    site, done = counted
    site.arenas.create("lunch", ITEMS)
    id_, (left, _) = open_duel(site, "/play/lunch")
    done.clear()
    answer = {"duel": id_, "winner": left, "outcome": "winner"}
    site.post("/play/lunch", data=answer, headers={"X-Fragment": "board"}).raise_for_status()
    assert done["read"] + done["snapshot"] <= 1 and done["run"] + done["run_now"] <= 2, done
    assert site.arenas["lunch"].totals().kinds["learned"] == 1


def test_a_dashboard_takes_three_transactions_however_many_users_came(counted):
    site, done = counted
    lunch = site.arenas.create("lunch", ITEMS)
    site.get("/").raise_for_status()  # reads the keys
    for count in (1, 150):
        lunch.tell_many((duel, duel.left) for duel in lunch.ask_many(f"user {count} {k}" for k in range(count)))
        done.clear()
        site.get("/arenas/lunch").raise_for_status()
        assert done.total() <= 3, done
    done.clear()
    site.get("/").raise_for_status()
    site.get("/arenas").raise_for_status()
    assert done.total() <= 2, done


def test_the_first_page_offers_what_can_be_played(site):
    site.arenas.create("closed", ITEMS).change(closed=True)
    site.arenas.create("lunch", ITEMS).retire(["ramen"])
    page = site.get("/").text
    assert "/play/lunch" in page and "/play/closed" not in page and "ramen" not in page


def test_too_many_answers_in_a_minute_are_the_same_status_on_pages_as_in_the_api(site, caplog):
    site.arenas.create("lunch", ITEMS, answers_per_minute=1)
    for _ in range(2):
        id_, (left, _) = open_duel(site, "/play/lunch")
        found = site.post("/play/lunch", data={"duel": id_, "winner": left, "outcome": "winner"})
    assert found.status_code == 429 and found.headers["Retry-After"] == "60" and not caplog.records


def test_items_that_come_while_people_play_break_no_page(site):
    """The cards are those of the arena when the pair was made."""
    arena = sushi.ready_arena(site.arenas)
    other = site.arenas.get(arena.name)
    for number in range(6):
        id_, (left, _) = open_duel(site)
        other.add([f"new {number}"])
        found = site.post("/play/sushi", data={"duel": id_, "winner": left}, headers={"X-Fragment": "board"})
        assert found.status_code == 200
    assert ask(site).status_code == 200
