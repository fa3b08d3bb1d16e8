"""What a request costs: how many transactions, which rows are read, how much is held in memory."""

import sqlite3
import threading
from collections import Counter

import pytest

from winnerstays import WinnerstaysError
from winnerstays.algorithms import registry
from winnerstays.arena import Answer, Arena, Arenas, UnknownArenaError
from winnerstays.arena.engine import answer, cache, transaction
from winnerstays.arena.records import UNDO

ITEMS = ["ramen", "tacos", "pho"]


def test_reading_does_not_wait_for_a_writer(durable):
    """While a transaction that writes is open, names, settings, favourites and figures are read."""
    with Arenas.open(durable) as arenas:
        lunch = arenas.create("lunch", ITEMS)
        lunch.tell(lunch.ask("ada"), winner="left")
        written, release = threading.Event(), threading.Event()

        def write_slowly(transaction):
            transaction.change("UPDATE arenas SET head = head WHERE name = 'lunch'")
            written.set()
            release.wait(60)

        writer = threading.Thread(target=lambda: arenas.database.store.run(write_slowly))
        writer.start()
        written.wait(60)
        try:
            assert arenas.names() == ["lunch"] and arenas["lunch"].best("ada") in ITEMS
            assert lunch.standing("ada").learned == lunch.summary().learners == 1
            assert sum(one.won for one in lunch.popular()) == 1
            assert writer.is_alive()
        finally:
            release.set()
            writer.join()


def test_the_rows_of_a_small_arena_are_found_by_an_index(tmp_path):
    path = tmp_path / "arena.db"
    with Arenas.open(str(path)) as arenas:
        arenas.create("small", ITEMS).ask("ada")
        arenas.create("large", ITEMS).ask_many(f"user {number}" for number in range(500))
    connection = sqlite3.connect(path)
    for order in ("", " DESC"):
        select = f"SELECT seq FROM log WHERE seq > 0 AND seq <= 600 AND arena_id = 1 ORDER BY seq{order} LIMIT 50"
        plan = " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {select}"))
        assert "USING COVERING INDEX log_arena_seq (arena_id=? AND seq>? AND seq<?)" in plan and "TEMP" not in plan
    connection.close()


def test_the_cache_is_bounded_by_bytes_and_forgets_what_was_not_used():
    remembered = cache.BoundedCache(100)
    for number in range(20):
        remembered.put(number, str(number), 30)
        remembered.get(0)
    assert [number for number in range(20) if remembered.get(number) is not None] == [0, 18, 19]
    remembered.put(0, "large", 101)
    assert remembered.get(0) is None and remembered.get(19) is None
    remembered.put("a", "A", 60)
    remembered.put("a", "A", 90)
    assert remembered.pop("a") == "A" and remembered.pop("a") is None


def test_learners_of_many_users_are_held_within_bounds(monkeypatch):
    monkeypatch.setattr(cache, "MAX_STATES_BYTES", 1_000_000)
    with Arenas.open("memory:") as arenas:
        large = arenas.create("large", [f"item {number}" for number in range(100)], algorithm="rucb", horizon=1000)
        size = arenas.database._cache.by_name["large"].state_bytes
        assert size > 50_000
        for number in range(3 * 1_000_000 // size):
            large.ask(f"user {number}")
        states = arenas.database._cache.states
        assert 0.5e6 < states._used <= 1e6 and len(states._entries) <= 1e6 / size
        assert arenas.replay().equal


def test_a_transaction_holds_few_large_learners(address, monkeypatch):
    """Requests that were sent together are refused with a sentence; those of others that wait are done one by one."""
    monkeypatch.setattr(transaction, "MAX_TRANSACTION_BYTES", 500_000)
    with Arenas.open(address) as arenas:
        large = arenas.create("large", [f"item {number}" for number in range(100)], algorithm="rucb", horizon=1000)
        with pytest.raises(WinnerstaysError, match=r"need 20 learners of up to 0\.\d MB at once; send at most \d "):
            large.ask_many(f"user {number}" for number in range(20))
        assert large.ask_many(["ada", "bob"])[1].user == "bob" and [e.kind for e in large.events()].count("served") == 2


def test_arenas_are_remembered_up_to_a_number_of_items(monkeypatch):
    monkeypatch.setattr(cache, "MAX_REMEMBERED_ITEMS", 10)
    with Arenas.open("memory:") as arenas:
        for number in range(8):
            arenas.create(f"arena {number}", ITEMS).ask("ada")
        assert len(arenas.database._cache.by_id) == len(arenas.database._cache.by_name) == 3
        assert all(arenas[name].standing("ada").learned == 0 for name in arenas.names())
        assert arenas.replay().equal


@pytest.mark.parametrize("algorithm", ["ws-root", "ws-w"])
def test_undos_are_bounded_and_replay_passes_over_them_once(algorithm, monkeypatch, address):
    """A hundred answers taken back one after the other: each row is learned a few times, not once for each undo."""
    with Arena.open(address, items=ITEMS, algorithm=algorithm, seed=3) as arena:
        monkeypatch.setattr(answer, "MAX_UNDOS", 100)
        for _ in range(101):
            duel = arena.ask("ada")
            arena.tell(duel, winner=duel.left)
            receipt = arena.tell_many([Answer(duel.id, outcome=UNDO)])[0]
        assert receipt.status == "conflict" and "take back 100 answers" in receipt.reason
        learned = Counter()
        rules = type(arena.arenas.database._cache.by_name["default"].rules)
        learn = rules._learn

        def count(self, *arguments):
            learned["rows"] += 1
            return learn(self, *arguments)

        monkeypatch.setattr(rules, "_learn", count)
        assert arena.arenas.replay().equal and learned["rows"] < 3 * 101


def test_several_open_duels_and_undos_replay(address):
    """Duels of one user that overlap, answered and taken back in another order than they were served."""
    with Arena.open(address, items=[*ITEMS, "curry", "soup"], seed=3) as arena:
        for step in range(30):
            duels = arena.ask_many("ada", 3)
            one = duels[step % 3]
            arena.tell(one, winner=one.left)
            if step % 2:
                assert arena.undo(one).status == "undone"
            if step % 5 == 4:
                other = arena.ask_many("ada", 3)[(step + 1) % 3]
                arena.tell(other, winner=other.right)
        found = arena.arenas.replay()
        assert found.equal, found.differences


def test_an_arena_whose_algorithm_is_missing_is_closed_renamed_and_deleted(durable, monkeypatch):
    with Arenas.open(durable) as arenas:
        arenas.create("bad", ITEMS, algorithm="rucb", horizon=100).ask("ada")
    known = {name: one for name, one in registry._registry.items() if name != "rucb"}
    monkeypatch.setattr(registry, "_registry", known)
    with Arenas.open(durable) as arenas:
        arena = arenas["bad"]
        arena.change(name="worse", closed=True)
        assert arenas.names() == ["worse"] and arenas["worse"].settings.closed
        assert arenas.delete("worse").learners == 1 and arenas.names() == []


def test_errors_of_many_answers_are_raised(address):
    """An arena that another process renamed: nothing is answered, and that is said."""
    with Arenas.open(address) as arenas:
        lunch, other = arenas.create("lunch", ITEMS), arenas.get("lunch")
        duel = lunch.ask("ada")
        other.change(name="dinner")
        with pytest.raises(UnknownArenaError):
            lunch.tell_many([(duel, duel.left)])
        assert other.tell_many([(duel, duel.left)])[0].status == "learned"


def test_a_long_reason_is_kept_whole_or_refused(address):
    with Arena.open(address, items=ITEMS) as arena:
        duel = arena.ask("ada")
        with pytest.raises(WinnerstaysError, match="The reason has 1,001 characters, but may have 1,000"):
            arena.tell(duel, winner=duel.left, reason="x" * 1001)
        assert arena.tell(duel, winner=duel.left, reason="y" * 1000).status == "learned"
        assert list(arena.events())[-1].reason == "y" * 1000
