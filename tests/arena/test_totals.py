"""Running totals are the counts of the log, however it was changed and whoever reads them when."""

import random
from collections import Counter

from tests.arena.contract import Clock
from winnerstays.arena import Answer, Arenas
from winnerstays.arena.history import totals
from winnerstays.arena.records import UNDO
from winnerstays.arena.stores.totals import MARK

ITEMS = ["ramen", "tacos", "pho", "curry"]


def counted(arena):
    """The totals of an arena, counted from its events without those of robots."""
    kinds, sides, wins, won, lost = (Counter() for _ in range(5))
    for event in arena.events():
        if (event.user or "").startswith("robot-") and arena.settings.audience == "user":
            continue
        kinds[event.kind] += 1
        if event.kind in ("learned", "noted", "undone") and event.outcome == "winner":
            times = -1 if event.kind == "undone" else 1
            loser = event.right if event.winner == event.left else event.left
            sides[event.winner == event.left] += times
            wins[event.winner, loser] += times
            won[event.winner] += times
            lost[loser] += times
    pairs = {pair: times for pair, times in wins.items() if times}
    return dict(kinds), sides[True], sides[False], pairs, {item: (won[item], lost[item]) for item in ITEMS}


def read(arena):
    found = arena.totals()
    assert sum(sum(hours.values()) for hours in found.hours.values()) == sum(found.kinds.values())
    bias = arena.bias()
    assert (bias.left, bias.right) == (found.left, found.right)
    kinds = {kind: count for kind, count in found.kinds.items() if count}
    pairs = {(win.winner, win.loser): win.times for win in found.wins}
    return kinds, found.left, found.right, pairs, {one.item: (one.won, one.lost) for one in arena.popular()}


def test_totals_are_the_counts_of_the_log(address, monkeypatch):
    """Added up in steps of 50 rows at random moments, with answers taken back and users erased before and after."""
    monkeypatch.setattr(totals, "ROWS_AT_ONCE", 50)
    rng, clock = random.Random(5), Clock()
    with Arenas.open(address, clock=clock) as arenas:
        played = [arenas.create("lunch", ITEMS, seed=1), arenas.create("all", ITEMS, audience="everyone", seed=2)]
        duels = []
        for number in range(160):
            arena = rng.choice(played)
            duels.append(arena.ask(rng.choice(("ada", "bob", "kim", "robot-1"))))
            for duel in rng.sample(duels[-5:], min(len(duels), 2)):
                outcome = rng.choice(("winner", "winner", "tie"))
                winner = rng.choice((duel.left, duel.right)) if outcome == "winner" else None
                arenas.execute([Answer(duel.id, winner, outcome)])
            if number % 8 == 3:
                arenas.execute([Answer(duels[-1].id, duels[-1].left)])
                arenas.execute([Answer(duels[-1].id, outcome=UNDO)])
            clock.now += 400
            if number % 40 == 25:
                arenas.database.totals_keeper.catch_up()
            if number in (60, 110):
                played[0].erase("ada")
        for arena in played:
            assert read(arena) == counted(arena)
        assert read(played[0])[0]["undone"] > 2
        check_totals_after_pruning(arenas, clock.now - 20_000)


def check_totals_after_pruning(arenas, before):
    """What was pruned is in the sums as before; with a user who is erased goes what was pruned of theirs."""
    found = [arena.popular() for arena in arenas]
    assert arenas.prune(before).rows > 50 and [arena.popular() for arena in arenas] == found
    arenas["lunch"].erase("bob")
    kinds, *_, pairs, items = read(arenas["lunch"])
    assert kinds["erased"] == 3 and sum(pairs.values()) == sum(won for won, _ in items.values()) > 0
    assert arenas["lunch"].popular() != found[1]
    replay = arenas.replay()
    assert replay.equal, replay.differences


def test_totals_are_kept_in_the_background(address, monkeypatch):
    """After enough rows a thread adds them up; closing waits for it."""
    monkeypatch.setattr(totals, "ROWS_BETWEEN", 20)
    with Arenas.open(address) as arenas:
        arena = arenas.create("all", ITEMS, audience="everyone", seed=2)
        arena.tell_many([(duel, duel.left) for duel in arena.ask_many([None] * 30)])
        arenas.database.totals_keeper.close()
        mark = arenas.database.store.run(lambda transaction: transaction.rows(MARK))[0][0]
        assert mark >= 31 and read(arena) == counted(arena)
