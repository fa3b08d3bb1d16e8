"""Any registered algorithm learns in an arena, for each user and for everyone, and replays byte for byte."""

import random

import pytest

from winnerstays.algorithms import registered
from winnerstays.arena import Arenas, Item

ITEMS = [Item(id=f"item{k}", features=tuple(float(k == j) for j in range(4))) for k in range(4)]


@pytest.mark.parametrize("name", registered())
def test_any_algorithm(name):
    rng = random.Random(1)
    with Arenas.open("memory:") as arenas:
        for audience in ("user", "everyone"):
            arena = arenas.create(audience, ITEMS, algorithm=name, audience=audience, horizon=1000, seed=1, patience=2)
            waiting = []
            for _ in range(60):
                waiting.append(arena.ask(rng.choice("ab")))
                duel = waiting.pop(rng.randrange(len(waiting)) if len(waiting) > 5 else 0)
                winner = "item2" if "item2" in duel else rng.choice((duel.left, duel.right))
                receipt = arena.tell(duel, winner) if rng.random() < 0.9 else arena.tell(duel, outcome="skip")
                assert receipt.status in ("learned", "noted", "duplicate", "conflict")
            assert arena.standing("a").favourite in {item.id for item in ITEMS}
        replay = arenas.replay()
    assert replay.equal, replay.differences
