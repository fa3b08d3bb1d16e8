"""Running totals are the counts of the log, however it was changed and whoever reads them when."""

import random
from collections import Counter

from winnerstays.arena import Answer, Arenas
from winnerstays.arena.stores import totals
from winnerstays.testing.arenas import Clock

ITEMS = ["ramen", "tacos", "pho", "curry"]


def counted(arena):
    """The totals of an arena, counted from its events."""
    kinds, sides, wins = Counter(), Counter(), Counter()
    for event in arena.events():
        kinds[event.kind] += 1
        if event.kind in ("learned", "noted") and event.outcome == "winner":
            sides[event.winner == event.left] += 1
            wins[event.winner, event.right if event.winner == event.left else event.left] += 1
    return dict(kinds), sides[True], sides[False], dict(wins)


def read(arena):
    found = arena.totals()
    assert sum(sum(hours.values()) for hours in found.hours.values()) == sum(found.kinds.values())
    bias = arena.bias()
    assert (bias.left, bias.right) == (found.left, found.right)
    kinds = {kind: count for kind, count in found.kinds.items() if count}
    return kinds, found.left, found.right, {(win.winner, win.loser): win.times for win in found.wins}


def test_totals_are_the_counts_of_the_log(address, monkeypatch):
    """Added up in steps of 50 rows at random moments, with users erased before and after their rows were added."""
    monkeypatch.setattr(totals, "ROWS_AT_ONCE", 50)
    rng, clock = random.Random(5), Clock()
    with Arenas.open(address, clock=clock) as arenas:
        played = [arenas.create("lunch", ITEMS, seed=1), arenas.create("all", ITEMS, audience="everyone", seed=2)]
        duels = []
        for number in range(160):
            arena = rng.choice(played)
            duels.append(arena.ask(rng.choice(("ada", "bob", "kim"))))
            for duel in rng.sample(duels[-5:], min(len(duels), 2)):
                outcome = rng.choice(("winner", "winner", "tie"))
                winner = rng.choice((duel.left, duel.right)) if outcome == "winner" else None
                arenas.execute([Answer(duel.id, winner, outcome)])
            clock.now += 400
            if number % 40 == 25:
                arenas.database._dispatcher.totals.catch_up()
            if number in (60, 110):
                played[0].erase("ada")
        for arena in played:
            assert read(arena) == counted(arena)
        found = arenas.replay()
        assert found.equal, found.differences


def test_totals_are_kept_in_the_background(address, monkeypatch):
    """After enough rows a thread adds them up; closing waits for it."""
    monkeypatch.setattr("winnerstays.arena.totals.ROWS_AT_ONCE", 20)
    with Arenas.open(address) as arenas:
        arena = arenas.create("all", ITEMS, audience="everyone", seed=2)
        arena.tell_many([(duel, duel.left) for duel in arena.ask_many([None] * 30)])
        arenas.database._dispatcher.totals.close()
        mark = arenas.database.store.run(lambda transaction: transaction.rows(totals.MARK))[0][0]
        assert mark >= 31 and read(arena) == counted(arena)
