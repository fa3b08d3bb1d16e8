"""One arena that cannot be used does not stop the others."""

import sys

import pytest

from winnerstays.algorithms import registry
from winnerstays.arena import Answer, Arenas, Ask, StoreError
from winnerstays.cli import main

ITEMS = ["ramen", "tacos", "pho"]


@pytest.fixture(params=["not installed", "damaged"])
def broken(request, tmp_path, monkeypatch):
    """A database with a good arena, and one whose algorithm is gone or whose settings are damaged."""
    path = str(tmp_path / "arena.db")
    with Arenas.open(path) as arenas:
        good = arenas.create("good", ITEMS)
        bad = arenas.create("bad", ITEMS, algorithm="rucb", audience="everyone", horizon=100)
        for arena in (good, bad):
            arena.tell(arena.ask("ada"), outcome="tie")
        duels = [good.ask("ada"), bad.ask("ada")]
        if request.param == "damaged":
            change = "UPDATE arenas SET settings = replace(settings, 'everyone', 'nobody') WHERE name = 'bad'"
            arenas.database.store.run(lambda transaction: transaction.change(change))
    if request.param == "not installed":
        monkeypatch.setattr(
            registry, "_registry", {name: one for name, one in registry._registry.items() if name != "rucb"}
        )
    return path, duels, request.param


def test_the_other_arena_goes_on(broken):
    path, (good, bad), how = broken
    with Arenas.open(path) as arenas:
        results = arenas.execute([Ask("good", "bob"), Ask("bad", "bob")])
        assert results[0].arena == "good" and isinstance(results[1], StoreError) and "bad" in str(results[1])
        if how == "not installed":
            results = arenas.execute([Answer(bad.id, bad.left), Answer(good.id, good.left)])
            assert isinstance(results[0], StoreError) and results[1].status == "learned"
            with pytest.raises(StoreError, match="rucb"):
                arenas["bad"].best()
            assert len(list(arenas.events())) == 10 and arenas["bad"].erase("ada").learners == 0
            found = arenas.replay()
            assert found.equal and any("'bad'" in one for one in found.unchecked)
        else:
            with pytest.raises(StoreError, match="settings are damaged"):
                arenas["bad"].ask("ada")
            assert arenas["good"].tell(good, winner=good.left).status == "learned"
            assert len(list(arenas["good"].events())) == 6
            assert {event.left for event in arenas.events() if event.arena == "bad" and event.duel} <= {
                "item 0", "item 1", "item 2",
            }  # fmt: skip
            assert not arenas.replay().equal


@pytest.mark.parametrize("words", [["list"], ["replay"], ["erase", "ada"], ["export"]])
def test_commands_go_on(broken, words, capsys, monkeypatch):
    path, _, how = broken
    command, *rest = words
    monkeypatch.setattr(sys, "argv", ["winnerstays", "arena", command, path, *rest])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert ended.value.code == (1 if (command, how) == ("replay", "damaged") else 0), said
    assert "good" in said.out or command in ("replay", "erase")
    assert command != "list" or "bad" in said.out
