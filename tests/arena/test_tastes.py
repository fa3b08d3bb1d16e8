"""Arenas that choose by a model of all visitors' tastes: its versions, and what replay makes of them."""

import math
from collections import Counter

import numpy as np
import pytest

from tests.waiting import wait_until
from winnerstays.arena import Arena, Arenas, Item
from winnerstays.arena.engine import models, tastes
from winnerstays.arena.engine.models import MIN_ANSWERS
from winnerstays.arena.engine.tastes import policies
from winnerstays.arena.local import LocalBackend
from winnerstays.arena.stores import model_statements, open_store
from winnerstays.errors import WinnerstaysError
from winnerstays.tastes import WON, Crowd, fit

ITEMS = [f"item {number}" for number in range(12)]
WORTH = dict(zip(ITEMS, np.linspace(-2, 2, len(ITEMS)), strict=True)) | {"new": 5.0}


@pytest.fixture
def backend(address):
    backend = LocalBackend(open_store(address))
    yield backend
    backend.close()


@pytest.fixture
def arena(backend):
    return Arenas(backend).create("shop", ITEMS, seed=7, holdout=0.0)


def visit(arena, visitors, duels=5, seed=0, **asked):
    """Let visitors answer: all like the last items best, with some noise."""
    r = np.random.default_rng(seed)
    for visitor in visitors:
        for _ in range(duels):
            duel = arena.ask(visitor, **asked)
            gap = WORTH[duel.left] - WORTH[duel.right]
            arena.tell(duel, winner="left" if r.random() < 1 / (1 + np.exp(-gap)) else "right")


def versions(backend, arena_id=1):
    return backend.store.read(lambda reader: list(model_statements.all_of(reader, arena_id)))


def test_new_visitors_start_from_what_all_like(arena, backend):
    visit(arena, [f"visitor {k}" for k in range(40)])
    assert backend.models.update(1)
    shown = [duel for k in range(20) for duel in [arena.ask(f"later {k}")]]
    assert sum(any(item in duel for item in ITEMS[-3:]) for duel in shown) >= 17
    assert arena.best("later 0") in ITEMS[-3:]
    assert backend.replay().equal


def test_a_version_is_made_when_answers_have_grown(arena, backend):
    visit(arena, ["ada"], MIN_ANSWERS - 1)
    assert not backend.models.update(1)
    visit(arena, ["ada"], 1)
    assert backend.models.update(1) and not backend.models.update(1)
    assert [(row.version, row.answers) for row in versions(backend)] == [(1, MIN_ANSWERS)]
    arena.ask("bob")
    found = backend.health("shop")
    assert (found.visitors, found.silent, found.events["learned"]) == (2, 1, MIN_ANSWERS)
    assert found.model_at is not None


def test_replay_gives_the_same_after_all_that_can_happen(arena, backend):
    visit(arena, [f"visitor {k}" for k in range(10)], group="north")
    backend.models.update(1)
    arena.add(["new"])
    arena.retire([ITEMS[0]])
    visit(arena, [f"visitor {k}" for k in range(5, 15)], seed=1)
    backend.models.update(1)
    duel = arena.ask("visitor 7")
    arena.tell(duel, winner=duel.left)
    assert arena.undo(duel).status == "undone"
    arena.tell(arena.ask("visitor 7"), outcome="skip")
    arena.restore([ITEMS[0]])
    visit(arena, ["visitor 7"], 12, seed=2, among=ITEMS[:4])
    backend.models.update(1)
    visit(arena, ["visitor 7"], seed=3)
    assert len(versions(backend)) == 3
    found = backend.replay()
    assert found.equal and not [said for said in found.unchecked if "model" in said], found


def test_a_model_that_was_changed_is_noticed(arena, backend):
    visit(arena, [f"visitor {k}" for k in range(10)])
    backend.models.update(1)
    data = versions(backend)[0].data
    wrong = bytes(data[:-1]) + bytes([data[-1] ^ 1])
    backend.store.run(lambda transaction: transaction.change("UPDATE models SET data = ?", wrong))
    assert "not what was written" in backend.replay().differences[0]


def test_erasing_a_user_makes_a_version_without_them(arena, backend):
    visit(arena, [f"visitor {k}" for k in range(10)])
    backend.models.update(1)
    visit(arena, ["visitor 3"])
    arena.erase("visitor 3")
    assert backend.models.update(1)
    old, new = versions(backend)
    assert old.data is None and (new.answers, new.stale) == (45, 0)
    visit(arena, ["visitor 4"])
    found = backend.replay()
    assert found.equal and any("deleted after a user was erased" in said for said in found.unchecked)


def test_pruned_answers_still_count(address):
    now = [1e6]
    backend = LocalBackend(open_store(address), lambda: now[0])
    arena = Arenas(backend).create("shop", ITEMS, seed=7)
    visit(arena, [f"visitor {k}" for k in range(10)])
    backend.models.update(1)
    now[0] += 1e6
    backend.prune(now[0] - 10)
    visit(arena, [f"visitor {k}" for k in range(5, 15)])
    assert backend.models.update(1)
    assert versions(backend)[-1].answers == 100
    assert backend.replay().equal
    backend.close()


def test_two_processes_make_a_version_once(arena, backend, monkeypatch):
    """The second looks while the first is at work, and loads what the first made."""
    other = LocalBackend(backend.store)
    visit(arena, [f"visitor {k}" for k in range(10)])
    made = []
    make = other.models._make
    monkeypatch.setattr(other.models, "_make", lambda *given: made.append(given) or make(*given))
    first_make = backend.models._make

    def slow(*given):
        assert not other.models.update(1)
        first_make(*given)

    monkeypatch.setattr(backend.models, "_make", slow)
    assert backend.models.update(1)
    assert other.models.update(1) and not made


def test_the_thread_makes_versions(address, monkeypatch):
    monkeypatch.setattr(models, "PAUSE_SECONDS", 0.01)
    with Arena.open(address, "shop", ITEMS, seed=7) as arena:
        backend = arena.arenas.backend
        visit(arena, [f"visitor {k}" for k in range(4)])
        wait_until(lambda: versions(backend))


def test_a_state_is_small(arena, backend):
    many = Arenas(backend).create("many", [f"item {k}" for k in range(200)], seed=7)
    for _ in range(17):
        duel = many.ask("ada")
        many.tell(duel, winner=duel.left)
    ((data,),) = backend.store.read(lambda reader: reader.rows("SELECT state FROM learners WHERE username = 'ada'"))
    assert len(data) < 400


def test_the_oldest_pairs_of_somebody_who_stays_are_forgotten(monkeypatch):
    monkeypatch.setattr(tastes, "MAX_PAIRS", 5)
    backend = LocalBackend(open_store("memory:"))
    arena = Arenas(backend).create("shop", ITEMS, seed=7)
    visit(arena, ["ada"], 30)
    state = backend._arena("shop").rules.load(
        1, backend.store.read(lambda r: r.rows("SELECT state FROM learners"))[0][0]
    )
    assert state.algorithm_state.answers.shape == (6, 5) and backend.replay().equal
    backend.close()


def test_features_carry_answers_to_items_like_it(backend):
    """Whoever likes red items is shown another red one."""
    items = [Item(f"{'red' if k % 2 else 'blue'} {k}", features=(float(k % 2),)) for k in range(20)]
    arena = Arenas(backend).create("colours", items, seed=3)
    for k in range(30):
        for _ in range(5):
            duel = arena.ask(f"visitor {k}")
            likes = "red" if k % 3 else "blue"
            liked = [side for side in ("left", "right") if likes in getattr(duel, side)]
            arena.tell(duel, winner=liked[0] if liked else "left")
    backend.models.update(1)
    assert "red" in arena.best("visitor 1") and "blue" in arena.best("visitor 0")


def test_a_policy_of_ones_own(backend, monkeypatch):
    monkeypatch.setitem(policies, "first two", lambda situation: (situation.items[0], situation.items[1]))
    arena = Arenas(backend).create("shop", ITEMS, params={"policy": "first two"})
    visit(arena, ["ada"])
    duel = arena.ask("bob", without=ITEMS[:3])
    assert {duel.left, duel.right} == set(ITEMS[3:5])
    assert backend.replay().equal
    monkeypatch.setitem(policies, "first two", lambda situation: ("pizza", "soup"))
    with pytest.raises(WinnerstaysError, match="must return two different ids"):
        arena.ask("kim")


def test_a_policy_of_an_installed_package(backend, tmp_path, monkeypatch):
    (tmp_path / "own-1.dist-info").mkdir()
    (tmp_path / "own-1.dist-info/METADATA").write_text("Name: own\nVersion: 1\n")
    (tmp_path / "own-1.dist-info/entry_points.txt").write_text("[winnerstays.policies]\ncautious = own:cautious\n")
    (tmp_path / "own.py").write_text("def cautious(situation):\n    return tuple(situation.items[-2:])\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(tastes, "policies", dict(policies))
    arena = Arenas(backend).create("shop", ITEMS, params={"policy": "cautious"})
    assert set(arena.ask("ada").items) == set(ITEMS[-2:])


def test_entropy_pursuit_asks_what_tells_more_than_the_pair_of_the_default(backend):
    """An answer about the favourite and an item of which nothing is known tells most about an item of that kind."""
    arena = Arenas(backend).create("shop", ITEMS, seed=7, params={"policy": "entropy-pursuit"})
    visit(arena, [f"visitor {k}" for k in range(30)], duels=8)
    backend.models.update(1)
    visit(arena, ["ada"], duels=12)
    pairs = [frozenset((event.left, event.right)) for event in arena.events(user="ada") if event.kind == "served"]
    assert len(set(pairs)) == 12, "what was just asked is asked again"
    assert backend.replay().equal


def test_what_it_refuses(backend):
    with pytest.raises(WinnerstaysError, match="learns the taste of each visitor"):
        Arenas(backend).create("all", ITEMS, algorithm="tastes", audience="everyone")
    assert Arenas(backend).create("all", ITEMS, audience="everyone").settings.algorithm == "ws-root"


def test_the_chosen_item_of_a_feed_beats_each_of_the_others():
    """The next version of the model is that of three duels for each feed of four."""
    with Arena.open("memory:", "a", list("abcdef"), seed=3) as arena:
        backend = arena.arenas.database
        for number in range(12):
            feed = arena.ask(f"user {number}", show=4)
            arena.tell(feed, winner=min(feed.items))
        assert backend.models.update(1)
        made = backend.store.read(lambda reader: model_statements.data_of(reader, 1, 1))
        pairs = [
            (event.winner, other)
            for event in arena.events()
            if event.kind == "learned"
            for other in event.shown
            if other != event.winner
        ]
        first, second = np.array([["abcdef".index(item) for item in pair] for pair in pairs]).T
        expected = fit(Crowd(np.empty((6, 0))), np.repeat(np.arange(12), 3), first, second, np.full(36, WON))
        assert expected.dump() == made
        assert arena.arenas.replay().equal


def test_feeds_are_shown_in_any_order_and_compared_by_lot():
    """240 feeds of 4: each place has the favourite 60 times, and each other item is compared 80 times, give or take 4
    standard errors."""
    with Arena.open("memory:", "a", list("abcd"), seed=3) as arena:
        places, compared = Counter(), Counter()
        for number in range(240):
            feed = arena.ask(f"user {number}", show=4)
            places[feed.items.index("a")] += 1
            arena.tell(feed, winner="a")
        for event in arena.newest_events(480):
            if event.kind == "learned":
                compared[event.right if event.left == "a" else event.left] += 1
        assert max(abs(places[place] - 60) for place in range(4)) < 4 * math.sqrt(240 * 3 / 16)
        assert max(abs(compared[item] - 80) for item in "bcd") < 4 * math.sqrt(240 * 2 / 9)


def test_a_policy_chooses_feeds():
    """It is asked again without the item that it chose second; the order to show them is drawn."""
    policies["first"] = lambda situation: (situation.items[0], situation.items[-1])
    try:
        with Arena.open("memory:", "a", list("abcdef"), seed=3, params={"policy": "first"}) as arena:
            orders = {arena.ask(f"user {number}", show=4).items for number in range(10)}
            assert {frozenset(order) for order in orders} == {frozenset("afed")} and len(orders) > 3
            assert arena.arenas.replay().equal
    finally:
        del policies["first"]
