"""The contracts of stores and of arenas, on every store: memory, SQLite, PostgreSQL."""

import threading

import pytest

from tests.arena import contract as arena_contract
from tests.arena.contract import stores as store_contract
from winnerstays.arena import Answer, Arenas, Ask, UnknownArenaError
from winnerstays.arena.local import LocalBackend
from winnerstays.arena.stores import open_store
from winnerstays.errors import WinnerstaysError


@pytest.fixture
def store(address):
    store = open_store(address)
    yield store
    store.close()


@pytest.mark.parametrize("check", store_contract.CHECKS, ids=lambda check: check.__name__)
def test_contract_of_stores(check, store):
    check(store)


@pytest.mark.parametrize("check", arena_contract.CHECKS, ids=lambda check: check.__name__)
def test_contract_of_arenas(check, store):
    check(arena_contract.on_store(store))


def test_an_answer_of_an_impossible_user_hurts_no_other(address):
    """It is refused and kept in the log."""
    with Arenas.open(address) as arenas:
        arena = arenas.create("lunch", ["ramen", "tacos", "pho"], audience="everyone")
        for user in ("a\0b", "\ud800", "x" * 1000, ["l"], 12345, ""):
            duel, good = arena.ask(), arena.ask()
            bad, receipt = arenas.execute([Answer(duel.id, duel.left, user=user), Answer(good.id, good.left)])
            assert bad.status == "invalid" and "user" in bad.reason and receipt.accepted
        assert sum(event.kind == "invalid" for event in arena.events()) == 6


def test_an_arena_that_does_not_exist_hurts_no_other(address):
    """Neither a question nor an answer to it."""
    with Arenas.open(address) as arenas:
        arenas.create("lunch", ["ramen", "tacos", "pho"])
        for name in ("nope", "a\0b", "\ud800", 12345):
            requests = [Ask("lunch", "zoe"), Answer("nonsense", "ramen", arena=name), Ask(name, "zoe")]
            duel, *wrong = arenas.execute(requests)
            assert "ramen" in duel or "tacos" in duel
            assert [type(error) for error in wrong] == [UnknownArenaError] * 2
        assert sum(event.kind == "unknown" for event in arenas.events()) == 4


@pytest.mark.parametrize("after", [-1, 2**70, 1.5, "x"])
def test_no_such_event(after):
    with Arenas.open("memory:") as arenas, pytest.raises(WinnerstaysError, match="number of an event"):
        list(arenas.events(after=after))


def test_arenas_made_while_the_log_is_read_are_known(address, monkeypatch):
    """Events of an arena that did not exist when the reading began have its name; replay knows it, too."""
    monkeypatch.setattr("winnerstays.arena.records.EVENTS_AT_ONCE", 7)
    with Arenas.open(address) as arenas:
        one = arenas.create("one", ["a", "b"])

        def make():
            for number in range(25):
                arenas.create(f"more{number}", ["c", "d"]).ask("ada")

        thread = threading.Thread(target=make)
        thread.start()
        while thread.is_alive():
            one.ask_many(["ada", "bob"])
            names = {event.arena for event in arenas.events()}
            assert "" not in names and "one" in names
            assert arenas.replay().equal
        thread.join()
        found = list(arenas.events())
        assert [event.seq for event in found] == sorted({event.seq for event in found})
        assert len(found) == 3 + 2 * 25


def test_replay_notices_a_log_that_was_changed(store):
    arenas = Arenas(LocalBackend(store))
    arena = arenas.create("lunch", ["ramen", "tacos", "pho"])
    arena.tell(arena.ask("ada"), outcome="skip")
    assert arenas.replay().equal
    store.run(lambda transaction: transaction.change("UPDATE log SET kind = 'learned' WHERE kind = 'noted'"))
    assert not arenas.replay().equal
