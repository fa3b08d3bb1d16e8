"""Bad wishes about items get sentences: too few left, very many at once, unknown ids, an erased user."""

import pytest

from winnerstays import Arena
from winnerstays.arena.engine import state_size
from winnerstays.errors import WinnerstaysError

ITEMS = ["ramen", "tacos", "pho"]


@pytest.fixture
def arena():
    with Arena.open("memory:", items=ITEMS, seed=1) as arena:
        yield arena


def test_two_items_stay(arena):
    arena.retire(["pho"])
    for id_ in ("ramen", "tacos"):
        with pytest.raises(WinnerstaysError, match="1 item left, but a duel needs 2; add others first"):
            arena.retire([id_])
    with pytest.raises(WinnerstaysError, match="0 items left"):
        arena.sync([])
    assert {arena.ask("ada").left, arena.ask("ada").right} == {"ramen", "tacos"}


@pytest.mark.slow
def test_a_hundred_thousand_items_at_once(arena):
    """They are there, and shown to a learner of before."""
    duel = arena.ask("ada")
    arena.add([f"dish {number}" for number in range(100_000)])
    assert arena.tell(duel, winner=duel.left).status == "learned"
    assert len(arena.items) == 100_003 and "dish" in arena.ask("ada").left + arena.ask("ada").right
    assert len(arena.popular()) == 100_003
    arena.retire([f"dish {number}" for number in range(99_999)])
    assert {item.id for item in arena.items if not item.retired} == {*ITEMS, "dish 99999"}
    assert arena.arenas.replay().equal


def test_more_items_than_a_learner_can_have_are_none(arena, monkeypatch):
    monkeypatch.setattr(state_size, "MAX_STATE_BYTES", 50_000)
    arena = arena.arenas.create("root", ITEMS, algorithm="ws-root")
    with pytest.raises(WinnerstaysError, match=r"With 1003 items a learner of ws-root has about .* items\. Use fewer"):
        arena.add([f"dish {number}" for number in range(1000)])
    assert [item.id for item in Arena(arena.arenas, arena.arenas["root"].settings).items] == ITEMS


def test_what_may_be_shown_is_named_by_ids_or_a_set(arena):
    for wrong in ({"among": "asia"}, {"among": ["ramen", 7]}):
        with pytest.raises(WinnerstaysError, match=r"asia|7"):
            arena.ask("ada", **wrong)
    with pytest.raises(WinnerstaysError, match=r"may show 1.*'sushi'"):
        arena.ask("ada", among=["ramen", "sushi"])
    with pytest.raises(WinnerstaysError, match="may show 1"):
        arena.ask("ada", among=["ramen"])
    for wrong in ({"among": 5}, {"without": 5}):
        with pytest.raises(WinnerstaysError, match="are 5, but they must be a list of ids or the name of a set"):
            arena.ask("ada", **wrong)
    arena.add([f"dish {number}" for number in range(20)])
    with pytest.raises(WinnerstaysError, match=r"without=\['ramen', .*\] and 18 more"):
        arena.ask("ada", without=[item.id for item in arena.items])


def test_what_is_listed_twice_is_added_to_no_arena(arena):
    with pytest.raises(WinnerstaysError, match="'soup' is listed twice"):
        arena.add(["soup", "stew", "soup"])
    with pytest.raises(WinnerstaysError, match="has an item 'pho' already; edit it"):
        arena.add(["soup", "pho"])
    assert [item.id for item in arena.items] == ITEMS


def test_what_is_no_setting_is_not_called_fixed(arena):
    with pytest.raises(WinnerstaysError, match="no setting of an arena 'colour'"):
        arena.change(colour="red")
    with pytest.raises(WinnerstaysError, match="'algorithm' of an arena is fixed"):
        arena.change(algorithm="ws-w")
    for change in (arena.retire, arena.restore):
        with pytest.raises(WinnerstaysError, match="There is no item 'sushi'"):
            change(["sushi"])
    with pytest.raises(WinnerstaysError, match="There is no item 'sushi'"):
        arena.edit("sushi", title="Sushi")


def test_items_are_edited_while_a_user_is_erased(arena):
    """Neither waits for the other: the open duel is gone with the user, and a new one shows the new title."""
    duel = arena.ask("ada")
    arena.edit("ramen", title="Ramen, hot")
    arena.erase("ada")
    arena.edit("tacos", title="Tacos al pastor")
    with pytest.raises(WinnerstaysError, match="no duel"):
        arena.tell(duel, winner=duel.left)
    new = arena.ask("ada", among=["ramen", "tacos"])
    assert {new.left_item.title, new.right_item.title} == {"Ramen, hot", "Tacos al pastor"}
    assert arena.arenas.replay().equal
