"""Refused answers: kept up to a bound per duel and per kind in an arena, then only counted."""

import pytest

from winnerstays.arena import Answer, Arenas
from winnerstays.arena.engine import transaction

ITEMS = ["ramen", "tacos", "pho"]


def kinds(arenas):
    return [event.kind for event in arenas.events()]


def counts(arenas, name):
    return arenas.database.refusals(name)


@pytest.fixture
def _bounds(monkeypatch):
    monkeypatch.setattr(transaction, "MAX_REFUSED_OF_DUEL", 3)
    monkeypatch.setattr(transaction, "MAX_REFUSED_OF_KIND", 5)


@pytest.mark.usefixtures("_bounds")
def test_refused_answers_are_bounded(address):
    """Three conflicts of a duel are rows, and five of an arena; all are refused and counted, in one batch or many."""
    with Arenas.open(address) as arenas:
        lunch = arenas.create("lunch", ITEMS)
        duels = [lunch.ask(user) for user in ("ada", "bob", "kim")]
        for duel in duels:
            assert lunch.tell(duel, winner=duel.left).status == "learned"
        for duel in duels:
            receipts = lunch.tell_many([(duel, duel.right)] * 2)
            receipts += [lunch.tell(duel, winner=duel.right) for _ in range(2)]
            assert {receipt.status for receipt in receipts} == {"conflict"}
        assert kinds(arenas).count("conflict") == 5 and counts(arenas, "lunch") == {"conflict": 12}
        results = arenas.execute([Answer(f"nonsense{number}", "pho") for number in range(20)])
        assert {result.status for result in results} == {"unknown"} and kinds(arenas).count("unknown") == 5
        assert counts(arenas, None) == {"unknown": 20}
        last = lunch.ask("ada")
        assert lunch.tell(last, winner=last.left).status == "learned", "what is accepted is always kept"
        assert arenas.replay().equal


def test_ten_batches_of_refused_answers_store_little(tmp_path):
    """Ten thousand answers with texts as long as may be take no more than 2,000 rows of the log."""
    path = tmp_path / "arena.db"
    with Arenas.open(str(path)) as arenas:
        arenas.create("lunch", ITEMS)
        for batch in range(10):
            arenas.execute([
                Answer(f"{batch}-{number}-" + "d" * 300, "w" * 300, "o" * 300, "r" * 300, "u" * 150, "a" * 200)
                for number in range(1000)
            ])  # fmt: skip
        assert counts(arenas, None) == {"unknown": 10_000}
    assert path.stat().st_size < 3_000_000
