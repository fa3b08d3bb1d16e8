"""Items: what they carry, that they come and go, and which may be shown."""

from collections import Counter
from typing import Any

from tests.arena.contract.subject import ITEMS, Clock, Subject, assert_replays, kinds, new_arena
from tests.arena.contract.support import check_raises
from winnerstays.arena import (
    Item,
    UnknownUserError,
)
from winnerstays.errors import WinnerstaysError


def check_items_are_data(subject: Subject) -> None:
    """Whatever an item says comes back as it was."""
    items = [
        Item(id="a", title="<b>'\"; DROP TABLE log; --", picture="p.png", link="https://x/?a=1&b=2", text="日本 %s ?"),
        Item(id="b", text="{}"),
    ]
    arena = subject.connect(Clock()).create("odd 'name'", items)
    assert subject.connect(Clock()).get("odd 'name'").items == tuple(items) == arena.items
    duel = arena.ask("o'brien ?%s")
    assert arena.tell(duel, winner="a", user="o'brien ?%s").status == "learned"


def check_items_come_and_go(subject: Subject) -> None:
    """Added items are shown, retired ones are not, to learners of before and after; all of it is in the log."""
    arena, clock = new_arena(subject)
    elsewhere = subject.connect(clock)["lunch"]
    for user in ("ada", "bob"):
        arena.tell(arena.ask(user), winner=arena.ask(user).left)
    first = elsewhere.ask("ada")
    arena.add(["sushi", Item(id="pizza", title="Pizza!")])
    gone = next(item for item in ITEMS if item not in first)
    elsewhere.retire([gone])
    assert elsewhere.ask("ada") == first and arena.tell(first, winner=first.left).status == "learned"
    seen: Counter[str] = Counter()
    for one in (arena, elsewhere):
        for user in ("ada", "eve"):
            for _ in range(40):
                duel = one.ask(user)
                seen.update((duel.left, duel.right))
                one.tell(duel, winner="sushi" if "sushi" in duel else duel.left)
    assert gone not in seen and {"sushi", "pizza"} <= set(seen), seen
    assert arena.best("ada") == arena.best("eve") == "sushi" and elsewhere.standing("ada").favourite == "sushi"
    arena.restore([gone])
    arena.edit("pizza", title="Pizza margherita", text="with basil")
    assert subject.connect(clock)["lunch"].settings == arena.settings
    item = next(item for item in arena.items if item.id == "pizza")
    assert (item.title, item.text, item.retired) == ("Pizza margherita", "with basil", False)
    for _ in range(60):
        duel = elsewhere.ask("ada")
        seen.update((duel.left, duel.right))
        elsewhere.tell(duel, winner="sushi" if "sushi" in duel else duel.left)
        for id_, shown in ((duel.left, duel.left_item), (duel.right, duel.right_item)):
            assert shown is not None and (id_ != "pizza" or shown.text == "with basil")
    assert seen[gone] and kinds(arena)["items"] == 4
    assert_replays(subject)


def check_open_duel_of_a_retired_item(subject: Subject) -> None:
    """It can still be answered; the last two items cannot be retired; what is wrong with a change is said."""
    for algorithm in ("ws-w", "ws-s", "ws-root"):
        arena, _ = new_arena(subject, f"with {algorithm}", algorithm=algorithm)
        duel = arena.ask("ada")
        arena.retire([duel.left])
        assert arena.tell(duel, winner=duel.left).accepted
        assert all(duel.left not in arena.tell(arena.ask("ada"), outcome="skip").duel for _ in range(3))
        for _ in range(5):
            new = arena.ask("ada")
            assert duel.left not in new
            arena.tell(new, winner=new.left)
        left = [item.id for item in arena.items if not item.retired]
        check_raises(WinnerstaysError, lambda arena=arena, left=left: arena.retire(left[:2]), "2")  # type: ignore[misc]
        check_raises(WinnerstaysError, lambda arena=arena: arena.retire(["caviar"]), "caviar")  # type: ignore[misc]
        check_raises(WinnerstaysError, lambda arena=arena: arena.add([ITEMS[1]]), ITEMS[1])  # type: ignore[misc]
        check_raises(WinnerstaysError, lambda arena=arena, left=left: arena.restore(left[:1]), left[0])  # type: ignore[misc]
        check_raises(WinnerstaysError, lambda arena=arena: arena.edit(ITEMS[0], colour="red"), "colour")  # type: ignore[misc]
    fixed, _ = new_arena(subject, "fixed", algorithm="rucb")
    check_raises(WinnerstaysError, lambda: fixed.add(["sushi"]), "ws-root")
    fixed.edit(ITEMS[0], title="RAMEN")
    assert_replays(subject)


def check_items_are_synced(subject: Subject) -> None:
    """What a list has and the arena has not is added or restored, what it has not is retired, what differs edited.

    Fields of which the list says nothing stay as they are.
    """
    arena, _ = new_arena(subject)
    wanted: list[Any] = [{"id": "tacos", "title": "Tacos!"}, "pho", "sushi"]
    found = arena.sync(wanted).counts()
    assert found == {"added": ["sushi"], "retired": ["ramen", "curry"], "edited": ["tacos"]}, found
    assert not arena.sync(wanted)
    assert arena.sync(["ramen", "tacos"]).counts() == {
        "retired": ["pho", "sushi"], "restored": ["ramen"],
    }  # fmt: skip
    assert {item.id: item.title for item in arena.items}["tacos"] == "Tacos!"
    assert arena.sync(["ramen", {"id": "tacos", "title": ""}]).counts() == {"edited": ["tacos"]}
    assert arena.arenas.create("lunch", ITEMS).settings == arena.settings
    assert sorted(item.id for item in arena.items if not item.retired) == ["ramen", "tacos"]


def check_choosing_among_items(subject: Subject) -> None:
    """Only eligible items are shown; sets stand for lists; two must be left; favourites are of those asked for."""
    sets = {"noodles": ["ramen", "pho"]}
    arena, _ = new_arena(subject, algorithm="ws-root", sets=sets)
    for _ in range(10):
        duel = arena.ask("ada", among="noodles")
        assert {duel.left, duel.right} == {"ramen", "pho"}
        arena.tell(duel, winner="pho")
        other = arena.ask("ada", without=["pho", "curry"])
        assert {other.left, other.right} == {"ramen", "tacos"}
        assert arena.ask("ada", among=["tacos", "ramen", "curry"]) == other
        arena.tell(other, winner="tacos")
    assert arena.top(4, "ada")[-1] == "ramen" and arena.best("ada", among=["ramen", "curry"]) == "curry"
    assert arena.best("ada", among="noodles") == arena.top(1, "ada", among="noodles")[0] == "pho"
    check_raises(WinnerstaysError, lambda: arena.ask("ada", among=["ramen"]), "2 items")
    check_raises(WinnerstaysError, lambda: arena.ask("ada", among=["ramen", "caviar"]), "may show 1")
    check_raises(WinnerstaysError, lambda: arena.ask("ada", among=["ramen", 7]), "7")  # type: ignore[list-item]
    check_raises(WinnerstaysError, lambda: arena.ask("ada", among="soups"), "soups")
    check_raises(WinnerstaysError, lambda: arena.best("ada", among=[]), "none that is not retired")
    literal, _ = new_arena(subject, "literal", algorithm="ws-w")
    check_raises(WinnerstaysError, lambda: literal.ask("ada", without=["pho"]), "ws-root")
    check_raises(UnknownUserError, lambda: literal.best("ada"))
    arena.change(sets={"soups": ["ramen", "pho"]})
    assert {arena.ask("eve", among="soups").left} <= {"ramen", "pho"}
    assert_replays(subject)


def check_ids_are_passed_over(subject: Subject) -> None:
    """Unknown and retired ids in a list are passed over, and the duel says so; so it is for several users and duels."""
    arena, _ = new_arena(subject, sets={"noodles": ["ramen", "pho"], "no soup": ["tacos", "curry"]})
    assert arena.ask("ada").warning is None and arena.ask("ada", among="noodles").warning is None
    arena.add(["sushi"])
    arena.retire(["curry"])
    duel = arena.ask("eve", among=["caviar", "ramen", "tacos", "curry"], without=["nothing", "curry"])
    assert {duel.left, duel.right} == {"ramen", "tacos"} and duel.warning is not None
    assert duel.warning.endswith("may not show: ['caviar', 'curry', 'nothing'].")
    assert arena.tell(duel, winner="ramen").status == "learned"
    assert arena.top(5, "eve", among=["caviar", "tacos", "ramen"]) == ["ramen", "tacos"]
    many = arena.ask_many(["ada", "bob"], among=[*(f"x{number}" for number in range(8)), "pho", "tacos"], group="de")
    for duel in many:
        assert {duel.left, duel.right} == {"pho", "tacos"} and str(duel.warning).endswith("'x4'] and 3 more.")
    pairs = [frozenset((duel.left, duel.right)) for duel in arena.ask_many("cy", 2, without="no soup")]
    assert pairs[0] != pairs[1] and pairs[0] | pairs[1] <= {"ramen", "pho", "sushi"}
    assert {event.group for event in arena.events(user="bob")} == {"de"}
    assert_replays(subject)


def check_open_duels_are_replaced(subject: Subject) -> None:
    """One with an item that may not be shown any more is replaced at the next ask, and can still be answered once."""
    arena, _ = new_arena(subject, algorithm="tastes", max_open=3)
    first = arena.ask("ada")
    arena.retire([first.left])
    second = arena.ask("ada")
    assert first.left not in second and arena.ask("ada") == second
    assert [arena.tell(first, winner=first.left).status for _ in range(2)] == ["learned", "duplicate"]
    there = [item.id for item in arena.items if not item.retired]
    third = arena.ask("ada", without=[second.left])
    assert second.left not in third and arena.ask("ada", among=there) == third
    both = arena.ask_many("ada", 2)
    assert [duel.id for duel in both] == [second.id, third.id]
    new = arena.ask_many("ada", 3)[2]  # three are open now
    arena.restore([first.left])
    arena.retire([third.left])
    kept = [duel for duel in (second, third, new) if third.left not in duel]
    after = arena.ask_many("ada", len(kept) + 1)
    assert [duel.id for duel in after[:-1]] == [duel.id for duel in kept] and third.left not in after[-1]
    gone = next(duel for duel in (second, third, new) if duel not in kept)
    assert arena.tell(gone, winner=gone.left).status == "late"
    assert all(arena.tell(duel, winner=duel.left).status == "learned" for duel in after)
    literal, _ = new_arena(subject, "literal", algorithm="ws-w")
    open_duel = literal.ask("ada")
    literal.retire([open_duel.right])
    assert open_duel.right not in literal.ask("ada")
    assert literal.tell(open_duel, winner=open_duel.left).status == "late"
    assert_replays(subject)
