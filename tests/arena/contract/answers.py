"""Answers: counted once, refused, late, taken back, by coin, in batches, from many threads."""

import random
from collections import Counter

from tests.arena.contract.subject import ITEMS, Subject, assert_replays, kinds, new_arena
from tests.arena.contract.support import check_raises, run_threads
from winnerstays.arena import (
    Answer,
    Ask,
    DifferentArenaError,
    Duel,
    Receipt,
    UnknownArenaError,
    UnknownDuelError,
    UnknownUserError,
    WrongUserError,
)
from winnerstays.errors import WinnerstaysError


def check_first_answer_wins(subject: Subject) -> None:
    """The same answer again is a duplicate, another one a conflict; one is learned."""
    arena, _ = new_arena(subject)
    duel = arena.ask("ada")
    assert arena.tell(duel, winner=duel.left).status == "learned"
    assert arena.tell(duel.id, winner=duel.left, user="ada").status == "duplicate"
    assert arena.tell(duel.id, winner=duel.right).status == "conflict"
    assert arena.tell(duel.id, outcome="skip").status == "conflict"
    assert arena.tell(duel.id, winner=duel.left).status == "duplicate"
    assert arena.standing("ada").learned == 1
    assert kinds(arena) == {"created": 1, "served": 1, "learned": 1, "conflict": 2}


def check_open_duel_is_asked_again(subject: Subject) -> None:
    """A user's open duel is returned until it is answered or has expired; expired answers are late, also repeatedly."""
    arena, clock = new_arena(subject, expires_after=10)
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
    assert kinds(arena)["late"] == 2 and arena.standing("ada").learned == 1


def check_late_stays_late(subject: Subject) -> None:
    """A duel to which an answer was late stays closed, also for a clock that goes back, in another process."""
    mine, clock = new_arena(subject, expires_after=10)
    shared = mine.arenas.create("all", ITEMS, audience="everyone", expires_after=10)
    for arena in (mine, shared):
        duel = arena.ask("ada")
        clock.now += 11
        assert arena.tell(duel, winner=duel.left).status == "late"
        clock.now -= 10
        assert arena.tell(duel, winner=duel.left).status == "late"
        assert subject.connect(clock)[arena.name].tell(duel, winner=duel.left).status == "late"
        assert arena.ask("ada").id != duel.id
    assert subject.replay().equal


def check_refusals_are_kept(subject: Subject) -> None:
    """Unknown ids, wrong users and wrong answers are errors that leave a row; the duel can still be answered."""
    arena, _ = new_arena(subject)
    duel = arena.ask("ada")
    check_raises(UnknownDuelError, lambda: arena.tell("nonsense", winner="tacos"), "nonsense")
    check_raises(UnknownDuelError, lambda: arena.tell("\0\ud800 ' --", winner="tacos"))
    check_raises(WrongUserError, lambda: arena.tell(duel, winner=duel.left, user="eve"))
    outside = next(item for item in ITEMS if item not in duel)
    check_raises(WinnerstaysError, lambda: arena.tell(duel, winner=outside), outside)
    check_raises(WinnerstaysError, lambda: arena.tell(duel, winner="sushi"), "sushi")
    check_raises(WinnerstaysError, lambda: arena.tell(duel), "None")
    check_raises(WinnerstaysError, lambda: arena.tell(duel, outcome="maybe"), "maybe")
    check_raises(WinnerstaysError, lambda: arena.tell(duel, winner=duel.left, outcome="tie"), "tie")
    assert kinds(arena) == {"created": 1, "served": 1, "unknown": 2, "wrong-user": 1, "invalid": 5}
    assert all(event.reason for event in arena.events() if event.kind not in ("created", "served"))
    assert arena.tell(duel, winner=duel.left, user="ada").status == "learned"


def check_bad_questions(subject: Subject) -> None:
    """Sentences for what cannot be: no items, unknown names, users that cannot be stored."""
    arena, _ = new_arena(subject)
    arenas = arena.arenas
    check_raises(UnknownArenaError, lambda: arenas.get("lunhc"), "did you mean 'lunch'")
    check_raises(WinnerstaysError, lambda: arenas.create("solo", ["ramen"]), "2 items")
    check_raises(WinnerstaysError, lambda: arenas.create("twice", ["ramen", "ramen"]), "twice")
    check_raises(WinnerstaysError, lambda: arenas.create("odd", ITEMS, audience="nobody"), "nobody")
    check_raises(WinnerstaysError, lambda: arenas.create("odd", ITEMS, colour="red"), "colour")
    check_raises(WinnerstaysError, lambda: arenas.create("odd", ITEMS, algorithm="ws-v"), "ws-w")
    check_raises(DifferentArenaError, lambda: arenas.create("lunch", ITEMS[:2]), "items")
    check_raises(DifferentArenaError, lambda: arenas.create("lunch", ITEMS, patience=9), "patience")
    check_raises(WinnerstaysError, arena.ask, "which user")
    for name in ("", " ", "a\0b", "x" * 201, "\ud800", 7):
        check_raises(WinnerstaysError, lambda name=name: arena.ask(name))  # type: ignore[misc]
    check_raises(UnknownUserError, lambda: arena.best("nobody"), "nobody")
    check_raises(UnknownUserError, lambda: arena.erase("nobody"), "nobody")
    assert arenas.create("lunch", ITEMS).settings == arena.settings
    assert kinds(arena) == {"created": 1}


def check_learner_is_never_stuck(subject: Subject) -> None:
    """After `patience` answers that teach nothing the learner shows another pair, and says so."""
    arena, _ = new_arena(subject, algorithm="ws-w", patience=3)
    pairs, receipts = [], []
    for outcome in ("skip", "none", "tie", "skip"):
        duel = arena.ask("ada")
        pairs.append({duel.left, duel.right})
        receipts.append(arena.tell(duel, outcome=outcome, reason="both dull"))
    assert all(receipt.status == "noted" and "both dull" in str(receipt.reason) for receipt in receipts)
    assert [receipt.moved_on for receipt in receipts] == [False, False, True, False], receipts
    assert pairs[0] == pairs[1] == pairs[2] != pairs[3], pairs
    assert "coin" in str(receipts[2].reason)


def check_coins_teach_if_wished(subject: Subject) -> None:
    """Where the arena says so, ties and empty answers are learned as the result of a coin."""
    arena, _ = new_arena(subject, ties="coin", nones="coin")
    for outcome in ("tie", "none"):
        assert arena.tell(arena.ask("ada"), outcome=outcome).status == "learned"
    assert arena.tell(arena.ask("ada"), outcome="skip").status == "noted"
    assert arena.standing("ada").learned == 2


def check_many_open_duels(subject: Subject) -> None:
    """For everyone many duels are open; what a pair that is no longer current says is noted by ws-w, not learned."""
    arena, _ = new_arena(subject, algorithm="ws-w", audience="everyone")
    duels = arena.ask_many([None, "ada", "bob", None, None, None])
    assert len({duel.id for duel in duels}) == 6 and len({frozenset((duel.left, duel.right)) for duel in duels}) == 1
    pair = sorted((duels[0].left, duels[0].right))
    receipts = arena.tell_many([(duel, pair[0]) for duel in duels])
    statuses = Counter(receipt.status for receipt in receipts)
    assert statuses["learned"] >= 1 and statuses["noted"] >= 1 and sum(statuses.values()) == 6, statuses
    assert arena.standing().learned == statuses["learned"]
    check_raises(WrongUserError, lambda: arena.tell(arena.ask("ada"), winner=pair[0], user="bob"))


def check_batches_mix(subject: Subject) -> None:
    """Asks and tells of several arenas in one transaction; each gets its own result, mistakes included."""
    arena, _ = new_arena(subject)
    other = arena.arenas.create("music", ["bach", "abba"], audience="everyone", seed=3)
    duel = arena.ask("ada")
    results = arena.arenas.execute([
        Ask("music"),
        Answer(duel.id, duel.right),
        Ask("lunch", "ada"),
        Ask("lunch", "ada"),
        Ask("nowhere", "ada"),
        Answer(duel.id, duel.right),
        Answer(duel.id, duel.right, arena="music"),
        Ask("lunch"),
    ])  # fmt: skip
    kinds = [result.status if isinstance(result, Receipt) else type(result).__name__ for result in results]
    expected = ["Duel", "learned", "Duel", "Duel", "UnknownArenaError", "duplicate", "unknown", "WinnerstaysError"]
    assert kinds == expected, kinds
    first = results[0]
    assert isinstance(first, Duel) and results[2] == results[3] != duel
    assert arena.arenas.tell(Answer(first.id, "abba")).status == "learned"
    assert [one.name for one in arena.arenas] == ["lunch", "music"] and other.best() in ("bach", "abba")


def check_undo(subject: Subject) -> None:
    """The latest answer can be taken back, one step: the pair comes again, the figures forget it, the log does not."""
    arena, _ = new_arena(subject, algorithm="ws-w")
    for _ in range(5):
        duel = arena.ask("ada")
        arena.tell(duel, winner=duel.left)
    before, totals = arena.standing("ada"), arena.totals()
    shown = arena.ask("ada")
    arena.tell(shown, winner=shown.right)
    following = arena.ask("ada")
    assert arena.undo(shown, user="ada").status == "undone" and arena.undo(shown).status == "duplicate"
    assert arena.standing("ada") == before
    assert (arena.totals().wins, arena.totals().left) == (totals.wins, totals.left)
    again = arena.ask("ada")
    assert (again.left, again.right) == (shown.left, shown.right) and again.id not in (shown.id, following.id)
    assert arena.tell(following, winner=following.left).status == "late"
    assert arena.tell(shown, winner=shown.right).status == "conflict"
    assert arena.undo(duel).status == "conflict"  # one step only
    assert arena.undo(again).status == "conflict"  # not answered yet
    assert arena.tell(again, winner=again.left).status == "learned"
    assert arena.undo(again).status == "undone" and arena.standing("ada") == before
    check_raises(WrongUserError, lambda: arena.undo(again, user="bob"))
    check_raises(UnknownDuelError, lambda: arena.undo("nonsense"))
    assert kinds(arena)["undone"] == 2 and kinds(arena)["learned"] == 7
    shared, _ = new_arena(subject, "shared", audience="everyone")
    duel = shared.ask("ada")
    shared.tell(duel, winner=duel.left)
    check_raises(WinnerstaysError, lambda: shared.undo(duel), "everybody")
    assert subject.replay().equal
    arena.erase("ada")
    assert subject.replay().equal


def check_undo_with_several_open_duels(subject: Subject) -> None:
    """Other answers and other open duels stay; what was served after the answer is gone, and the pair comes again."""
    arena, _ = new_arena(subject, algorithm="ws-root", crowd=False)
    one, two, three = arena.ask_many("ada", 3)
    arena.tell(two, winner=two.left)
    before = arena.standing("ada")
    arena.tell(one, winner=one.right)
    later = arena.ask("ada", fresh=True)
    assert arena.undo(one).status == "undone" and arena.standing("ada") == before
    assert arena.tell(later, winner=later.left).status == "late"
    assert arena.tell(one, winner=one.right).status == "conflict"
    assert arena.undo(two).status == "conflict"  # one step only
    assert arena.ask("ada").id == three.id and arena.tell(three, winner=three.left).status == "learned"
    assert_replays(subject)
    alone, _ = new_arena(subject, "alone", algorithm="ws-root", nones="losses")
    for outcome in ("winner", "none", "tie", "none", "skip", "winner"):
        duel = alone.ask("ada")
        learned = alone.standing("ada")
        alone.tell(duel, winner=duel.left if outcome == "winner" else None, outcome=outcome)
        alone.ask("ada")
        assert alone.undo(duel).status == "undone"
        assert alone.standing("ada") == learned
        again = alone.ask("ada")
        assert (again.left, again.right) == (duel.left, duel.right)
        alone.tell(again, winner=again.left if outcome == "winner" else None, outcome=outcome)
    assert_replays(subject)


def check_none_of_the_two_counts_against_both(subject: Subject) -> None:
    """Where the arena says so both lose to the favourite, if it is neither; algorithms that cannot do that say so."""
    arena, _ = new_arena(subject, algorithm="ws-root", audience="everyone", nones="losses")
    arena.tell(arena.ask(among=["pho", "tacos"]), winner="pho")
    for among, status, lost in ((["ramen", "tacos"], "learned", 2), (["pho", "tacos"], "noted", 0)):
        before = arena.standing().learned
        assert arena.tell(arena.ask(among=among), outcome="none").status == status
        assert arena.best() == "pho" and arena.standing().learned == before + lost
    check_raises(WinnerstaysError, lambda: new_arena(subject, "walk", algorithm="ws-w", nones="losses"), "ws-root")
    two = arena.arenas.create("two", ["a", "b"], algorithm="ws-root", nones="losses")
    assert two.tell(two.ask("ada"), outcome="none").status == "noted"
    assert_replays(subject)


def check_fresh_duels(subject: Subject) -> None:
    """Whoever asks for another duel gets another pair, up to `max_open`; the old ones can still be answered."""
    arena, clock = new_arena(subject, algorithm="ws-root", max_open=3, give_up=60, expires_after=1000)
    duels = [arena.ask("ada"), *(arena.ask("ada", fresh=True) for _ in range(3))]
    assert len({frozenset((duel.left, duel.right)) for duel in duels}) == 4
    assert arena.ask("ada") == duels[-1]
    assert arena.tell(duels[0], winner=duels[0].left).status == "late"
    assert [arena.tell(duel, winner=duel.left).status for duel in duels[2:0:-1]] == ["learned", "learned"]
    clock.now += 60
    given_up = arena.ask("ada")
    assert given_up.id != duels[-1].id and arena.tell(duels[-1], winner=duels[-1].left).status == "learned"
    clock.now += 1000
    arena.ask("ada")
    literal, _ = new_arena(subject, "literal", algorithm="ws-w")
    one, other = literal.ask("ada"), literal.ask("ada", fresh=True)
    assert {one.left, one.right} != {other.left, other.right}
    assert literal.tell(one, winner=one.left).status == "late"
    assert_replays(subject)


def check_several_duels_for_one_user(subject: Subject) -> None:
    """A feed gets different pairs, each answered on its own, and the open ones again when it is asked for again."""
    arena, _ = new_arena(subject, algorithm="ws-root", max_open=4)
    duels = arena.ask_many("ada", 3)
    assert len({frozenset((duel.left, duel.right)) for duel in duels}) == 3
    assert arena.ask_many("ada", 3) == duels
    assert arena.tell(duels[1], winner=duels[1].right).status == "learned"
    again = arena.ask_many("ada", 3)
    assert again[:2] == [duels[0], duels[2]] and again[2] not in duels
    check_raises(WinnerstaysError, lambda: arena.ask_many("ada", 5), "hold 4 duels")
    assert arena.ask_many("ada", 3) == again and arena.totals().kinds["served"] == 4  # nothing was served by it
    check_raises(WinnerstaysError, lambda: arena.ask_many("ada"), "count")
    check_raises(WinnerstaysError, lambda: new_arena(subject, "one", algorithm="ws-w")[0].ask_many("ada", 2), "ws-root")
    assert_replays(subject)


def check_open_duels_of_everyone_expire(subject: Subject) -> None:
    """Where open duels are counted, those that nobody answered are given up when they have expired."""
    arena, clock = new_arena(subject, algorithm="ws-root", audience="everyone", expires_after=10, ties="halves")
    rng = random.Random(5)
    duels: list[Duel] = []
    for _ in range(150):
        duels.append(arena.ask(rng.choice((None, "ada"))))
        if rng.random() < 0.6:
            duel = rng.choice(duels[-8:])
            winner = "pho" if "pho" in duel else duel.left
            assert arena.tell(duel, winner=winner).status in ("learned", "duplicate", "late", "conflict")
        elif rng.random() < 0.5:
            assert arena.tell(arena.ask(), outcome="tie").status == "learned"
        clock.now += rng.random() * 3
    assert arena.best() == "pho"
    assert_replays(subject)


def check_hammered_duels(subject: Subject) -> None:
    """64 clients answer the same duels at once: exactly one answer of each duel is accepted."""
    arena, _ = new_arena(subject, audience="everyone", algorithm="ws-w")
    duels = arena.ask_many([None] * 10)
    receipts: list[tuple[str, Receipt]] = []

    def client(number: int) -> None:
        rng = random.Random(number)
        for duel in rng.sample(duels, len(duels)):
            winner = rng.choice((duel.left, duel.right))
            receipts.append((winner, arena.tell(duel, winner=winner)))

    run_threads(64, client)
    accepted = {receipt.duel: winner for winner, receipt in receipts if receipt.status in ("learned", "noted")}
    counts = Counter(receipt.status for _, receipt in receipts)
    assert counts["learned"] + counts["noted"] == len(accepted) == 10 and sum(counts.values()) == 64 * 10, counts
    for winner, receipt in receipts:
        if receipt.status in ("duplicate", "conflict"):
            assert (winner == accepted[receipt.duel]) == (receipt.status == "duplicate")
    logged = {event.duel: event.winner for event in arena.events() if event.kind in ("learned", "noted")}
    assert logged == accepted and kinds(arena)["conflict"] == counts["conflict"]
    assert_replays(subject)


def check_feeds(subject: Subject) -> None:
    """Of several items shown at once the chosen one beats each of the others, once, in any order; it can be undone."""
    arena, clock = new_arena(subject, sets={"three": ["ramen", "tacos", "pho"]}, max_open=3)
    duel = arena.ask("ada", show=4)
    assert sorted(duel.items) == sorted(ITEMS) and duel.items[:2] == (duel.left, duel.right)
    assert [shown.title for shown in duel.more_items] == list(duel.more) and arena.ask("ada", show=4) == duel
    winner, *others = duel.items[::-1]
    check_raises(WinnerstaysError, lambda: arena.tell(duel, winner="caviar"), "'caviar' is not in the duel")
    elsewhere = subject.connect(clock)["lunch"]
    assert [one.tell(duel.id, winner=winner).status for one in (elsewhere, arena)] == ["learned", "duplicate"]
    assert arena.tell(duel.id, winner=others[0]).status == "conflict"
    assert arena.standing("ada").learned == 1 and arena.best("ada") == winner
    assert sum(win.times for win in arena.totals().wins) == 1 and arena.bias().right + arena.bias().left == 1
    served, learned = (event for event in arena.events(user="ada") if event.kind in ("served", "learned"))
    assert served.shown == learned.shown == duel.items and learned.winner == winner
    assert arena.undo(duel).status == "undone" and not any(win.times for win in arena.totals().wins)
    again = arena.ask("ada", show=4)
    assert again.id != duel.id and arena.standing("ada").learned == 0
    for side in ("right", "left"):
        feed = arena.ask("eve", show=3, among="three")
        assert sorted(feed.items) == ["pho", "ramen", "tacos"] and feed.left_item is not None
        assert elsewhere.tell(feed, winner=side).status == "learned"
    for outcome in ("skip", "tie", "none"):
        assert arena.tell(arena.ask("eve", show=3), outcome=outcome).status == "noted"
    pair = arena.ask("eve")
    feeds = [arena.ask("eve", show=3, fresh=True) for _ in range(2)]
    assert arena.ask("eve") == pair and arena.ask("eve", show=3) == feeds[1] and not pair.more
    arena.retire([feeds[1].items[2]])
    assert feeds[1].items[2] not in arena.ask("eve", show=3).items
    assert arena.tell(feeds[1], winner=feeds[1].items[2]).status == "learned"
    for show in (1, 21, 4):  # one item is retired
        check_raises(WinnerstaysError, lambda show=show: arena.ask("ada", show=show), "show")  # type: ignore[misc]
    check_raises(WinnerstaysError, lambda: arena.ask("ada", show=3, without=["ramen", "tacos"]), "needs 3 items")
    literal, _ = new_arena(subject, "literal", algorithm="ws-root")
    check_raises(WinnerstaysError, lambda: literal.ask("ada", show=3), "'tastes' can")
    assert_replays(subject)


def check_feeds_with_a_control_group(subject: Subject) -> None:
    """The control group gets random feeds, or the next items of the list; no feed is a probe; replay agrees."""
    for control in ((), tuple(ITEMS)):
        arena, _ = new_arena(subject, f"with {len(control)}", holdout=0.5, probes=1.0, control=control)
        for number in range(12):
            user = f"user {number % 4}"
            feed = arena.ask(user, show=3)
            assert feed.arm in ("learner", "fixed" if control else "random") and len(set(feed.items)) == 3
            arena.tell(feed, winner=min(feed.items))
            duel = arena.ask(user)
            arena.tell(duel, winner=duel.left)
        feeds = [event for event in arena.events() if event.shown]
        assert len(feeds) == 24 and not any(event.probe for event in feeds)
        assert {event.arm for event in feeds} == {"learner", "fixed" if control else "random"}
    assert_replays(subject)
