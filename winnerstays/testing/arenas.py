"""The contract of a store and of the arena on it, as checks that anyone can run on a store of their own.

    import pytest
    from winnerstays.testing.arenas import CHECKS

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_store(check):
        check(open_my_store())

Each check takes an empty Store and raises AssertionError if the contract is broken. Seeds are fixed.
"""

import random
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from winnerstays.arena.api import Arena, Arenas
from winnerstays.arena.settings import (
    Answer,
    DifferentArenaError,
    Duel,
    Item,
    Receipt,
    UnknownArenaError,
    UnknownDuelError,
    UnknownUserError,
    WrongUserError,
)
from winnerstays.arena.stores.base import Store, Transaction
from winnerstays.arena.transaction import Ask, Tell
from winnerstays.errors import WinnerstaysError

ITEMS = ["ramen", "tacos", "pho", "curry"]


class Clock:
    """A time that moves only when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def _arena(store: Store, name: str = "lunch", **rules: Any) -> tuple[Arena, Clock]:
    clock = Clock()
    return Arenas(store, clock).create(name, ITEMS, **{"seed": 7, **rules}), clock


def _kinds(arena: Arena) -> Counter[str]:
    return Counter(event.kind for event in arena.events())


def _raises(kind: type[Exception], call: Callable[[], object], holding: str = "") -> None:
    said = None
    try:
        call()
    except kind as error:
        said = str(error)
    assert said is not None, f"no {kind.__name__} was raised"
    assert holding in said, f"{said} does not mention {holding}"


def check_all_or_nothing(store: Store) -> None:
    """Work that fails leaves no trace, and the next work is not hurt."""
    insert = "INSERT INTO log (at, kind, reason) VALUES (?, 'note', ?)"

    def fail(transaction: Transaction) -> None:
        transaction.change(insert, 1.0, "half")
        raise KeyError("stop")

    _raises(KeyError, lambda: store.run(fail))
    store.run(lambda transaction: transaction.change(insert, 2.0, "whole"))
    found = store.run(lambda transaction: transaction.rows("SELECT reason FROM log"))
    assert found == [("whole",)], found


def check_rows_keep_their_order(store: Store) -> None:
    """Rows appended together are numbered in the order given."""
    rows = [(float(k), str(k)) for k in range(200)]
    store.run(lambda transaction: transaction.insert("log", "at, kind", rows))
    found = store.run(lambda transaction: transaction.rows("SELECT at, kind FROM log ORDER BY seq"))
    assert found == rows


def check_lists_of_values(store: Store) -> None:
    """`IN ?` takes a list, also an empty one, of texts with any characters or of numbers."""
    texts = ["a", "it's", 'quo"ted', "日本", "per%cent", "back\\slash", "?"]
    store.run(lambda transaction: transaction.insert("log", "at, kind", [(1.5, text) for text in texts]))

    def read(values: list[Any], column: str) -> list[Any]:
        return store.run(lambda transaction: transaction.rows(f"SELECT kind FROM log WHERE {column} IN ?", values))

    assert {row[0] for row in read(texts[1:], "kind")} == set(texts[1:])
    assert len(read([1, 3, 99], "seq")) == 2
    assert read([], "seq") == []


def check_snapshot_stands_still(store: Store) -> None:
    """A snapshot does not see what is written after it was taken, and does not hinder it."""
    arena, _ = _arena(store)
    with store.snapshot() as snapshot:
        before = list(snapshot.stream("SELECT seq FROM log"))
        arena.ask("ada")
        assert list(snapshot.stream("SELECT seq FROM log")) == before
    with store.snapshot() as snapshot:
        assert len(list(snapshot.stream("SELECT seq FROM log"))) == len(before) + 1


def check_no_lost_update(store: Store) -> None:
    """Many threads that read, lock and write the same row do not undo each other."""
    insert = "INSERT INTO learners (arena, username, state) VALUES (1, 'x', ?)"
    store.run(lambda transaction: transaction.change(insert, b"0"))

    def add(transaction: Transaction) -> None:
        ((state,),) = transaction.rows("SELECT state FROM learners WHERE username = ? FOR UPDATE", "x")
        transaction.change("UPDATE learners SET state = ?", str(int(state) + 1).encode())

    _in_threads(8, lambda _: [store.run(add) for _ in range(20)])
    assert store.run(lambda transaction: transaction.rows("SELECT state FROM learners")) == [(b"160",)]


def _in_threads(count: int, work: Callable[[int], object]) -> None:
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def check_first_answer_wins(store: Store) -> None:
    """The same answer again is a duplicate, another one a conflict; one is learned."""
    arena, _ = _arena(store)
    duel = arena.ask("ada")
    assert arena.tell(duel, winner=duel.left).status == "learned"
    assert arena.tell(duel.id, winner=duel.left, user="ada").status == "duplicate"
    assert arena.tell(duel.id, winner=duel.right).status == "conflict"
    assert arena.tell(duel.id, outcome="skip").status == "conflict"
    assert arena.tell(duel.id, winner=duel.left).status == "duplicate"
    assert arena.standing("ada").learned == 1
    assert _kinds(arena) == {"created": 1, "served": 1, "learned": 1, "conflict": 2}


def check_open_duel_is_asked_again(store: Store) -> None:
    """A user's open duel is returned until it is answered or has expired; expired answers are late, also repeatedly."""
    arena, clock = _arena(store, expires_after=10)
    duel = arena.ask("ada")
    assert arena.ask("ada") == duel and arena.ask("bob") != duel
    clock.now += 9.9
    assert arena.ask("ada") == duel
    clock.now += 0.1
    other = arena.ask("ada")
    assert other.id != duel.id
    for _ in range(2):
        assert arena.tell(duel, winner=duel.left).status == "late"
    assert arena.tell(other, winner=other.left).status == "learned"
    clock.now += 100
    assert arena.tell(other, winner=other.left).status == "duplicate"
    assert _kinds(arena)["late"] == 2 and arena.standing("ada").learned == 1


def check_refusals_are_kept(store: Store) -> None:
    """Unknown ids, wrong users and wrong answers are errors that leave a row; the duel can still be answered."""
    arena, _ = _arena(store)
    duel = arena.ask("ada")
    _raises(UnknownDuelError, lambda: arena.tell("nonsense", winner="tacos"), "nonsense")
    _raises(UnknownDuelError, lambda: arena.tell("\0\ud800 ' --", winner="tacos"))
    _raises(WrongUserError, lambda: arena.tell(duel, winner=duel.left, user="eve"))
    outside = next(item for item in ITEMS if item not in duel)
    _raises(WinnerstaysError, lambda: arena.tell(duel, winner=outside), outside)
    _raises(WinnerstaysError, lambda: arena.tell(duel, winner="sushi"), "sushi")
    _raises(WinnerstaysError, lambda: arena.tell(duel), "None")
    _raises(WinnerstaysError, lambda: arena.tell(duel, outcome="maybe"), "maybe")
    _raises(WinnerstaysError, lambda: arena.tell(duel, winner=duel.left, outcome="tie"), "tie")
    assert _kinds(arena) == {"created": 1, "served": 1, "unknown": 2, "wrong-user": 1, "invalid": 5}
    assert all(event.reason for event in arena.events() if event.kind not in ("created", "served"))
    assert arena.tell(duel, winner=duel.left, user="ada").status == "learned"


def check_bad_questions(store: Store) -> None:
    """Sentences for what cannot be: no items, unknown names, users that cannot be stored."""
    arena, _ = _arena(store)
    arenas = arena.arenas
    _raises(UnknownArenaError, lambda: arenas.get("lunhc"), "did you mean 'lunch'")
    _raises(WinnerstaysError, lambda: arenas.create("solo", ["ramen"]), "2 items")
    _raises(WinnerstaysError, lambda: arenas.create("twice", ["ramen", "ramen"]), "twice")
    _raises(WinnerstaysError, lambda: arenas.create("odd", ITEMS, audience="nobody"), "nobody")
    _raises(WinnerstaysError, lambda: arenas.create("odd", ITEMS, colour="red"), "colour")
    _raises(WinnerstaysError, lambda: arenas.create("odd", ITEMS, algorithm="ws-v"), "ws-w")
    _raises(DifferentArenaError, lambda: arenas.create("lunch", ITEMS[:2]), "items")
    _raises(DifferentArenaError, lambda: arenas.create("lunch", ITEMS, patience=9), "patience")
    _raises(WinnerstaysError, arena.ask, "which user")
    for name in ("", " ", "a\0b", "x" * 201, "\ud800", 7):
        _raises(WinnerstaysError, lambda name=name: arena.ask(name))  # type: ignore[misc]
    _raises(UnknownUserError, lambda: arena.best("nobody"), "nobody")
    _raises(UnknownUserError, lambda: arena.erase("nobody"), "nobody")
    assert arenas.create("lunch", ITEMS).settings == arena.settings
    assert _kinds(arena) == {"created": 1}


def check_learner_is_never_stuck(store: Store) -> None:
    """After `patience` answers that teach nothing the learner shows another pair, and says so."""
    arena, _ = _arena(store, patience=3)
    pairs, receipts = [], []
    for outcome in ("skip", "none", "tie", "skip"):
        duel = arena.ask("ada")
        pairs.append({duel.left, duel.right})
        receipts.append(arena.tell(duel, outcome=outcome, reason="both dull"))
    assert all(receipt.status == "noted" and "both dull" in str(receipt.reason) for receipt in receipts)
    assert [receipt.moved_on for receipt in receipts] == [False, False, True, False], receipts
    assert pairs[0] == pairs[1] == pairs[2] != pairs[3], pairs
    assert "coin" in str(receipts[2].reason)


def check_coins_teach_if_wished(store: Store) -> None:
    """Where the arena says so, ties and empty answers are learned as the fall of a coin."""
    arena, _ = _arena(store, ties="coin", nones="coin")
    for outcome in ("tie", "none"):
        assert arena.tell(arena.ask("ada"), outcome=outcome).status == "learned"
    assert arena.tell(arena.ask("ada"), outcome="skip").status == "noted"
    assert arena.standing("ada").learned == 2


def check_many_open_duels(store: Store) -> None:
    """For everyone many duels are open; what a pair that is no longer current says is noted, not learned."""
    arena, _ = _arena(store, audience="everyone")
    duels = arena.ask_many([None, "ada", "bob", None, None, None])
    assert len({duel.id for duel in duels}) == 6 and len({frozenset((duel.left, duel.right)) for duel in duels}) == 1
    pair = sorted((duels[0].left, duels[0].right))
    receipts = arena.tell_many([(duel, pair[0]) for duel in duels])
    statuses = Counter(receipt.status for receipt in receipts)
    assert statuses["learned"] >= 1 and statuses["noted"] >= 1 and sum(statuses.values()) == 6, statuses
    assert arena.standing().learned == statuses["learned"]
    _raises(WrongUserError, lambda: arena.tell(arena.ask("ada"), winner=pair[0], user="bob"))


def check_batches_mix(store: Store) -> None:
    """Asks and tells of several arenas in one transaction; each gets its own result, mistakes included."""
    arena, _ = _arena(store)
    other = arena.arenas.create("music", ["bach", "abba"], audience="everyone", seed=3)
    duel = arena.ask("ada")
    results = arena.arenas.perform([
        Ask("music"),
        Tell(Answer(duel.id, duel.right)),
        Ask("lunch", "ada"),
        Ask("lunch", "ada"),
        Ask("nowhere", "ada"),
        Tell(Answer(duel.id, duel.right)),
        Tell(Answer(duel.id, duel.right), arena="music"),
        Ask("lunch"),
    ])  # fmt: skip
    kinds = [result.status if isinstance(result, Receipt) else type(result).__name__ for result in results]
    expected = ["Duel", "learned", "Duel", "Duel", "UnknownArenaError", "duplicate", "unknown", "WinnerstaysError"]
    assert kinds == expected, kinds
    first = results[0]
    assert isinstance(first, Duel) and results[2] == results[3] != duel
    assert arena.arenas.tell(Answer(first.id, "abba")).status == "learned"
    assert [one.name for one in arena.arenas] == ["lunch", "music"] and other.best() in ("bach", "abba")


def check_items_are_data(store: Store) -> None:
    """Whatever an item says comes back as it was."""
    items = [Item("a", "<b>'\"; DROP TABLE log; --", "p.png", "https://x/?a=1&b=2", "日本 %s ?"), Item("b", text="{}")]
    arena = Arenas(store).create("odd 'name'", items)
    assert Arenas(store).get("odd 'name'").items == tuple(items) == arena.items
    duel = arena.ask("o'brien ?%s")
    assert arena.tell(duel, winner="a", user="o'brien ?%s").status == "learned"


def check_sides_are_fair(store: Store) -> None:
    """400 duels of the same learner: left and right within 4 standard errors (40) of 200; bias sees who clicks left."""
    arena, _ = _arena(store, audience="everyone")
    duels = arena.ask_many([None] * 400)
    lefts = Counter(duel.left for duel in duels)
    assert len(lefts) == 2 and all(abs(count - 200) <= 40 for count in lefts.values()), lefts
    arena.tell_many([(duel, duel.left if k % 4 else duel.right) for k, duel in enumerate(duels)])
    bias = arena.bias()
    assert (bias.left, bias.right) == (300, 100) and bias.low < 0.75 < bias.high and bias.low > 0.5, bias


def check_learns_the_favourite(store: Store) -> None:
    """Who always chooses tacos is known to like tacos, with a confidence that counts."""
    arena, _ = _arena(store)
    for _ in range(120):
        duel = arena.ask("ada")
        arena.tell(duel, winner="tacos" if "tacos" in duel else duel.left)
    standing = arena.standing("ada", p=0.8)
    assert arena.best("ada") == standing.favourite == "tacos"
    assert standing.sure and standing.confidence > 0.95 and standing.duels_needed == 0, standing
    assert standing.certificate is not None and standing.certificate < 0.01 and "tacos" in str(standing)


def check_erase(store: Store) -> None:
    """Erasing a user removes learner, rows and name, is logged, and leaves the rest valid."""
    arena, _ = _arena(store)
    shared = arena.arenas.create("all", ITEMS, audience="everyone", seed=5)
    for user in ("ada", "bob"):
        for one in (arena, shared):
            one.tell(one.ask(user), outcome="tie")
        open_duel = arena.ask(user)
    _raises(WrongUserError, lambda: arena.tell(open_duel, winner=open_duel.left, user="ada"))
    gone = arena.ask("ada")
    before = _kinds(shared)
    erased = arena.erase("ada")
    assert (erased.rows, erased.learners) == (3, 1), erased
    assert shared.erase("ada").learners == 0
    assert _kinds(shared) == before + Counter(erased=1)
    assert "ada" not in {event.user for event in arena.arenas.events()}
    assert {event.user for event in arena.events()} == {None, "bob"} and _kinds(arena)["erased"] == 1
    _raises(UnknownDuelError, lambda: arena.tell(gone, winner=gone.left))
    _raises(UnknownUserError, lambda: arena.best("ada"))
    assert arena.ask("ada").id != gone.id
    replay = arena.arenas.replay()
    assert replay.equal and replay.learners == 3, replay


def check_no_name_is_left(store: Store) -> None:
    """Whatever the name looks like, and wherever it was written down, it is gone when its user is erased."""
    arena, _ = _arena(store)
    for user in ("ada", "back\\slash", 'it\'s "quoted"', "tab\t and no-break\u00a0space", "👨\u200d👩\u200d👧"):
        other = arena.ask("bob")
        arena.ask(user)
        answers = [Answer(other.id, other.left, user=user), Answer("nonsense", "ramen", user=user)]
        refused = arena.arenas.perform([Tell(answers[0]), Tell(answers[1]), Tell(answers[1], "lunch")])
        assert [one.status for one in refused if isinstance(one, Receipt)] == ["wrong-user", "unknown", "unknown"]
        assert user in {event.user for event in arena.arenas.events()}
        arena.erase(user)
        assert {event.user for event in arena.arenas.events()} == {None, "bob"}


def check_reasons_come_back(store: Store) -> None:
    """A reason is kept as it was given."""
    arena, _ = _arena(store)
    reason = 'two\nlines, "quoted" 👨\u200d👩'
    assert arena.tell(arena.ask("ada"), outcome="skip", reason=reason).reason.endswith(f"({reason})")  # type: ignore[union-attr]


def check_erased_by_another_process(store: Store) -> None:
    """A process that remembers an erased user starts afresh, and does not write the name down again."""
    here, clock = _arena(store)
    shared = here.arenas.create("all", ITEMS, audience="everyone", seed=5)
    elsewhere = Arenas(store, clock)
    before, named = here.ask("ada"), shared.ask("ada")
    elsewhere["lunch"].erase("ada")
    elsewhere["all"].erase("ada")
    _raises(UnknownDuelError, lambda: here.tell(before, winner=before.left))
    assert shared.tell(named, winner=named.left).status == "learned"
    assert "ada" not in {event.user for event in here.arenas.events()}
    after = here.ask("ada")
    assert after.id != before.id and elsewhere["lunch"].ask("ada") == after
    assert elsewhere["lunch"].tell(after, winner=after.left).status == "learned"
    assert here.tell(after, winner=after.left).status == "duplicate"
    assert here.arenas.replay().equal


def check_events_come_in_order(store: Store) -> None:
    """Who reads on from the last event misses nothing, though a transaction with smaller numbers may end later."""
    arena, _ = _arena(store)
    seen: list[int] = []
    written, release = threading.Event(), threading.Event()

    def note(transaction: Transaction) -> None:
        transaction.change("INSERT INTO log (arena, at, kind) SELECT id, 1.5, 'note' FROM arenas")

    def write_slowly(transaction: Transaction) -> None:
        note(transaction)
        written.set()
        release.wait(10)

    def follow() -> None:
        seen.extend(event.seq for event in arena.events(after=seen[-1] if seen else 0))

    slow, quick, reader = (
        threading.Thread(target=target) for target in (lambda: store.run(write_slowly), lambda: store.run(note), follow)
    )
    slow.start()
    written.wait(10)
    for thread in (quick, reader):
        thread.start()
        thread.join(0.2)  # each may have to wait for the slow one
    release.set()
    for thread in (slow, quick, reader):
        thread.join()
    follow()
    assert seen == [event.seq for event in arena.events()] and len(seen) == 3, seen


def check_replay(store: Store) -> None:
    """Replay rebuilds every learner byte for byte, and notices one that was tampered with."""
    arena, clock = _arena(store, patience=2, expires_after=5)
    shared = arena.arenas.create("all", ITEMS, audience="everyone", algorithm="ws-s", ties="coin")
    luck = random.Random(3)
    duels: list[Duel] = []
    for _ in range(300):
        one = luck.choice((arena, shared))
        duels.append(one.ask(luck.choice("abc")))
        duel = luck.choice(duels[-6:])
        outcome = luck.choice(("winner", "winner", "tie", "skip", "none"))
        winner = luck.choice((duel.left, duel.right)) if outcome == "winner" else None
        arena.arenas.tell(Answer(duel.id, winner, outcome))
        clock.now += luck.random()
    replay = arena.arenas.replay()
    assert replay.equal and replay.learners == 4 and replay.accepted > 100, replay
    store.run(lambda transaction: transaction.change("UPDATE log SET kind = 'noted' WHERE kind = 'learned'"))
    assert not arena.arenas.replay().equal


def check_hammered_duels(store: Store) -> None:
    """64 clients answer the same duels at once: exactly one answer of each duel is accepted."""
    arena, _ = _arena(store, audience="everyone", algorithm="ws-w")
    duels = arena.ask_many([None] * 20)
    receipts: list[tuple[str, Receipt]] = []

    def client(number: int) -> None:
        luck = random.Random(number)
        for duel in luck.sample(duels, len(duels)):
            winner = luck.choice((duel.left, duel.right))
            receipts.append((winner, arena.tell(duel, winner=winner)))

    _in_threads(64, client)
    accepted = {receipt.duel: winner for winner, receipt in receipts if receipt.status in ("learned", "noted")}
    counts = Counter(receipt.status for _, receipt in receipts)
    assert counts["learned"] + counts["noted"] == len(accepted) == 20 and sum(counts.values()) == 64 * 20, counts
    for winner, receipt in receipts:
        if receipt.status in ("duplicate", "conflict"):
            assert (winner == accepted[receipt.duel]) == (receipt.status == "duplicate")
    logged = {event.duel: event.winner for event in arena.events() if event.kind in ("learned", "noted")}
    assert logged == accepted and _kinds(arena)["conflict"] == counts["conflict"]
    assert arena.arenas.replay().equal


CHECKS: list[Callable[[Store], None]] = [check for name, check in globals().items() if name.startswith("check_")]
