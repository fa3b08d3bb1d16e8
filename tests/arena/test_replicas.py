"""A read replica: whatever reads an arena works on a server that takes no writes."""

import pytest

from winnerstays.arena import Arenas, StoreError


def test_reports_and_exports_read_from_a_replica(postgres):
    address = postgres.database()
    with Arenas.open(address) as arenas:
        lunch = arenas.create("lunch", ["ramen", "tacos", "pho"])
        for number in range(30):
            duel = lunch.ask(f"user {number}")
            lunch.tell(duel, winner=duel.left)
    with Arenas.open(f"{address}&options=-c%20default_transaction_read_only%3Don") as replica:
        lunch = replica["lunch"]
        assert lunch.standing("user 1").likely and lunch.popular() and lunch.uplift()
        assert (
            len([event for event in lunch.events() if event.kind == "learned"]) == lunch.totals().kinds["learned"] == 30
        )
        assert replica.replay().equal
        with pytest.raises(StoreError, match="read-only"):
            lunch.ask("ada")
