"""Pruned logs: what was learned, counted and proved stays; what was logged before a day is gone."""

import random
from dataclasses import replace

import pytest

from tests.arena.contract import Clock
from winnerstays import WinnerstaysError
from winnerstays.arena import Answer, Arenas
from winnerstays.arena.history import removing

ITEMS = ["ramen", "tacos", "pho"]
DAY = 86400.0


def play(arenas, clock, days, seed=1):
    """Some days of asks and answers, some of them late, refused, or never given."""
    rng = random.Random(seed)
    lunch = arenas.create("lunch", ITEMS, seed=1, expires_after=DAY / 2)
    everyone = arenas.create("all", ITEMS, audience="everyone", seed=2, expires_after=DAY / 2)
    duels = []
    for _ in range(days * 12):
        for arena, user in ((lunch, rng.choice(("ada", "bob"))), (everyone, rng.choice(("ada", None)))):
            duels.append(arena.ask(user))
        for duel in rng.sample(duels[-8:], min(3, len(duels))):
            arenas.tell(Answer(duel.id, rng.choice((duel.left, duel.right))))
        clock.now += DAY / 12
    arenas.execute([Answer("nonsense", "ramen", arena="lunch")])
    return lunch, everyone


def seen(arenas):
    """Everything that pruning must not change."""
    found = [arenas.heads().arenas["all"] is not None]
    for name in ("lunch", "all"):
        arena = arenas[name]
        found += [arena.bias(), arena.totals().wins]
        for user in ("ada", "bob") if name == "lunch" else (None,):
            found.append(replace(arena.standing(user), likely=None, answers=0, people=0, places=()))
    return found


def test_pruning_keeps_what_was_learned(address, monkeypatch):
    monkeypatch.setattr(removing, "ROWS_AT_ONCE", 15)  # in several steps
    clock = Clock()
    with Arenas.open(address, clock=clock) as arenas:
        lunch, everyone = play(arenas, clock, 4)
        assert arenas.database.models.update(1), "a version of the model, made of answers that are pruned later"
        open_duels = lunch.ask("ada"), everyone.ask("kim")
        before, rows = seen(arenas), len(list(arenas.events()))
        heads = arenas.heads()
        day = clock.now - 2 * DAY
        pruned = arenas.prune(day)
        assert pruned.rows > 50 and pruned.learners == 3
        assert seen(arenas) == before
        kept = [event for event in arenas.events() if event.at < day]
        assert {event.kind for event in kept} <= {
            "created",
            "snapshot",
            "served",
            "late",
            "learned",
            "noted",
            "conflict",
        }
        assert rows - len(list(arenas.events())) == pruned.rows - 3 - 2  # three snapshots, two rows that say so
        found = arenas.replay()
        assert found.equal, found.differences
        assert any("pruned" in one for one in found.unchecked)
        assert arenas.heads().database != heads.database, "that rows were pruned is seen"
        for duel in open_duels:
            assert arenas.tell(Answer(duel.id, duel.left)).accepted
        clock.now += DAY
        assert arenas.prune(clock.now - DAY / 2).rows > 0 and arenas.replay().equal
        assert arenas.prune(clock.now - DAY / 2).rows == 0
        assert lunch.tell(lunch.ask("ada"), winner=lunch.ask("ada").left).status == "learned"
        assert lunch.erase("ada").learners == 1
        found = arenas.replay()
        assert found.equal, found.differences
        assert "ada" not in str(list(lunch.events()))


def test_snapshot_that_was_changed_is_noticed(durable):
    clock = Clock()
    with Arenas.open(durable, clock=clock) as arenas:
        play(arenas, clock, 2)
        clock.now += DAY
        arenas.prune(clock.now)
        assert arenas.replay().equal
        change = "UPDATE log SET data = replace(data, 'rows', 'sows') WHERE kind = 'snapshot'"
        assert arenas.database.store.run(lambda transaction: transaction.change(change)) == 3
        assert "snapshot" in arenas.replay().differences[0]


def test_only_the_past_is_pruned():
    with Arenas.open("memory:", clock=Clock()) as arenas:
        for before in (Clock().now + 1, -1.0, float("nan"), "yesterday"):
            with pytest.raises(WinnerstaysError, match="before"):
                arenas.prune(before)
