"""The contract of arenas, as checks for any way to reach them: on a store of one's own, or through a service.

    import pytest
    from winnerstays.testing.arenas import CHECKS, on_store

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_arenas(check):
        check(on_store(open_my_store()))

Each check takes a Subject with an empty database and raises AssertionError if the contract is broken. Seeds are fixed.
"""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from winnerstays.arena import (
    Answer,
    Arena,
    Arenas,
    Ask,
    DifferentArenaError,
    Duel,
    Event,
    Item,
    Receipt,
    Replay,
    TooManyAnswersError,
    UnknownArenaError,
    UnknownDuelError,
    UnknownUserError,
    WrongUserError,
)
from winnerstays.arena.local import LocalBackend
from winnerstays.arena.stores.base import Store
from winnerstays.errors import WinnerstaysError
from winnerstays.testing._support import check_raises, run_threads

ITEMS = ["ramen", "tacos", "pho", "curry"]


class Clock:
    """A time that moves only when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Subject:
    """What is checked: a database, empty at first, and a way to reach its arenas."""

    connect: Callable[[Clock], Arenas]
    """Opens the arenas with a clock; a second call stands for another process on the same database."""
    replay: Callable[[], Replay]
    """Replays the log where the database is."""


def on_store(store: Store) -> Subject:
    """Return the arenas on a store, in this process."""
    return Subject(lambda clock: Arenas(LocalBackend(store, clock)), lambda: Arenas(LocalBackend(store)).replay())


def _arena(subject: Subject, name: str = "lunch", **settings: Any) -> tuple[Arena, Clock]:
    clock = Clock()
    return subject.connect(clock).create(name, ITEMS, **{"seed": 7, **settings}), clock


def _check_replay(subject: Subject) -> None:
    found = subject.replay()
    assert found.equal, found.differences


def _kinds(arena: Arena) -> Counter[str]:
    return Counter(event.kind for event in arena.events())


def check_first_answer_wins(subject: Subject) -> None:
    """The same answer again is a duplicate, another one a conflict; one is learned."""
    arena, _ = _arena(subject)
    duel = arena.ask("ada")
    assert arena.tell(duel, winner=duel.left).status == "learned"
    assert arena.tell(duel.id, winner=duel.left, user="ada").status == "duplicate"
    assert arena.tell(duel.id, winner=duel.right).status == "conflict"
    assert arena.tell(duel.id, outcome="skip").status == "conflict"
    assert arena.tell(duel.id, winner=duel.left).status == "duplicate"
    assert arena.standing("ada").learned == 1
    assert _kinds(arena) == {"created": 1, "served": 1, "learned": 1, "conflict": 2}


def check_open_duel_is_asked_again(subject: Subject) -> None:
    """A user's open duel is returned until it is answered or has expired; expired answers are late, also repeatedly."""
    arena, clock = _arena(subject, expires_after=10)
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


def check_late_stays_late(subject: Subject) -> None:
    """A duel to which an answer was late stays closed, also for a clock that goes back, in another process."""
    mine, clock = _arena(subject, expires_after=10)
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
    arena, _ = _arena(subject)
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
    assert _kinds(arena) == {"created": 1, "served": 1, "unknown": 2, "wrong-user": 1, "invalid": 5}
    assert all(event.reason for event in arena.events() if event.kind not in ("created", "served"))
    assert arena.tell(duel, winner=duel.left, user="ada").status == "learned"


def check_bad_questions(subject: Subject) -> None:
    """Sentences for what cannot be: no items, unknown names, users that cannot be stored."""
    arena, _ = _arena(subject)
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
    assert _kinds(arena) == {"created": 1}


def check_learner_is_never_stuck(subject: Subject) -> None:
    """After `patience` answers that teach nothing the learner shows another pair, and says so."""
    arena, _ = _arena(subject, algorithm="ws-w", patience=3)
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
    arena, _ = _arena(subject, ties="coin", nones="coin")
    for outcome in ("tie", "none"):
        assert arena.tell(arena.ask("ada"), outcome=outcome).status == "learned"
    assert arena.tell(arena.ask("ada"), outcome="skip").status == "noted"
    assert arena.standing("ada").learned == 2


def check_many_open_duels(subject: Subject) -> None:
    """For everyone many duels are open; what a pair that is no longer current says is noted by ws-w, not learned."""
    arena, _ = _arena(subject, algorithm="ws-w", audience="everyone")
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
    arena, _ = _arena(subject)
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


def check_callers_choose(subject: Subject) -> None:
    """Where the caller chooses the pairs, they are served as given, sides and all; answers in any order are learned."""
    arena, _ = _arena(subject, audience="everyone", algorithm="random", pairs="caller")
    one, other, *_ = (item.id for item in arena.items)
    duels = [arena.ask(pair=(one, other)), arena.ask("ada", pair=(other, one))]
    assert [(duel.left, duel.right) for duel in duels] == [(one, other), (other, one)]
    assert [arena.tell(duel, winner=one).status for duel in reversed(duels)] == ["learned", "learned"]
    assert (arena.bias().left, arena.bias().right) == (1, 1)
    for _ in range(5):  # skips throw no coins here: nobody has to be led to another pair
        assert not arena.tell(arena.ask(pair=(one, other)), outcome="skip").moved_on
    assert arena.standing().learned == 2 and subject.replay().equal
    wrong: list[Any] = [None, (one,), (one, one), (one, "nothing"), (one, 7), "ab", [[], {}]]
    for pair in wrong:
        check_raises(WinnerstaysError, partial(arena.ask, pair=pair))
    theirs = subject.connect(Clock()).create("learners", ["a", "b"], audience="everyone")
    check_raises(WinnerstaysError, lambda: theirs.ask(pair=("a", "b")), "chooses the pairs itself")
    check_raises(WinnerstaysError, lambda: subject.connect(Clock()).create("x", ["a", "b"], pairs="caller"), "caller")


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


def check_sides_are_fair(subject: Subject) -> None:
    """400 duels of the same learner: left and right within 4 standard errors (40) of 200; bias sees the habit."""
    arena, _ = _arena(subject, algorithm="ws-w", audience="everyone")
    duels = arena.ask_many([None] * 400)
    lefts = Counter(duel.left for duel in duels)
    assert len(lefts) == 2 and all(abs(count - 200) <= 40 for count in lefts.values()), lefts
    arena.tell_many([(duel, duel.left if k % 4 else duel.right) for k, duel in enumerate(duels)])
    bias = arena.bias()
    assert (bias.left, bias.right) == (300, 100) and bias.low < 0.75 < bias.high and bias.low > 0.5, bias


def check_learns_the_favourite(subject: Subject) -> None:
    """Whoever always chooses tacos is known to like tacos, with a confidence that counts."""
    arena, _ = _arena(subject, algorithm="ws-w")
    for _ in range(120):
        duel = arena.ask("ada")
        arena.tell(duel, winner="tacos" if "tacos" in duel else duel.left)
    standing = arena.standing("ada", p=0.8)
    assert arena.best("ada") == standing.favourite == "tacos"
    assert standing.sure and standing.confidence > 0.95 and standing.duels_needed == 0, standing
    assert standing.certificate is not None and standing.certificate < 0.01 and "tacos" in str(standing)


def check_erase(subject: Subject) -> None:
    """Erasing a user removes learner, rows and name, is logged, and leaves the rest valid."""
    arena, _ = _arena(subject)
    shared = arena.arenas.create("all", ITEMS, audience="everyone", seed=5)
    for user in ("ada", "bob"):
        for one in (arena, shared):
            one.tell(one.ask(user), outcome="tie")
        open_duel = arena.ask(user)
    check_raises(WrongUserError, lambda: arena.tell(open_duel, winner=open_duel.left, user="ada"))
    gone = arena.ask("ada")
    before = _kinds(shared)
    erased = arena.erase("ada")
    assert (erased.rows, erased.learners) == (3, 1), erased
    assert shared.erase("ada").learners == 0
    assert _kinds(shared) == before + Counter(erased=1)
    assert "ada" not in {event.user for event in arena.arenas.events()}
    assert {event.user for event in arena.events()} == {None, "bob"} and _kinds(arena)["erased"] == 1
    check_raises(UnknownDuelError, lambda: arena.tell(gone, winner=gone.left))
    check_raises(UnknownUserError, lambda: arena.best("ada"))
    assert arena.ask("ada").id != gone.id
    replay = subject.replay()
    assert replay.equal and replay.learners == 3, replay


def check_no_name_is_left(subject: Subject) -> None:
    """Whatever the name looks like, and wherever it was written down, it is gone when its user is erased."""
    arena, _ = _arena(subject)
    for user in ("ada", "back\\slash", 'it\'s "quoted"', "tab\t and no-break\u00a0space", "👨\u200d👩\u200d👧"):
        other = arena.ask("bob")
        arena.ask(user)
        refused = arena.arenas.execute([
            Answer(other.id, other.left, user=user),
            Answer("nonsense", "ramen", user=user),
            Answer("nonsense", "ramen", user=user, arena="lunch"),
        ])  # fmt: skip
        assert [one.status for one in refused if isinstance(one, Receipt)] == ["wrong-user", "unknown", "unknown"]
        assert user in {event.user for event in arena.arenas.events()}
        arena.erase(user)
        assert {event.user for event in arena.arenas.events()} == {None, "bob"}


def check_reasons_come_back(subject: Subject) -> None:
    """A reason is kept as it was given."""
    arena, _ = _arena(subject)
    reason = 'two\nlines, "quoted" 👨\u200d👩'
    assert arena.tell(arena.ask("ada"), outcome="skip", reason=reason).reason.endswith(f"({reason})")  # type: ignore[union-attr]


def check_erased_by_another_process(subject: Subject) -> None:
    """A process that remembers an erased user starts afresh, and does not write the name down again."""
    here, clock = _arena(subject)
    shared = here.arenas.create("all", ITEMS, audience="everyone", seed=5)
    elsewhere = subject.connect(clock)
    before, named = here.ask("ada"), shared.ask("ada")
    elsewhere["lunch"].erase("ada")
    elsewhere["all"].erase("ada")
    check_raises(UnknownDuelError, lambda: here.tell(before, winner=before.left))
    assert shared.tell(named, winner=named.left).status == "learned"
    assert "ada" not in {event.user for event in here.arenas.events()}
    after = here.ask("ada")
    assert after.id != before.id and elsewhere["lunch"].ask("ada") == after
    assert elsewhere["lunch"].tell(after, winner=after.left).status == "learned"
    assert here.tell(after, winner=after.left).status == "duplicate"
    _check_replay(subject)


def check_figures(subject: Subject) -> None:
    """Totals and the summary are those of the log, by pair, side and kind; robots are counted apart."""
    arena, _ = _arena(subject, algorithm="ws-w")
    for user in ("ada", "bob", "robot-1"):
        for _ in range(6):
            duel = arena.ask(user)
            arena.tell(duel, winner="pho" if "pho" in duel else duel.left)
    arena.tell(arena.ask("ada"), outcome="skip")
    arena.ask("bob")
    for robots in (False, True):
        events = [one for one in arena.events() if (one.user or "").startswith("robot-") == robots]
        wins = Counter(
            (event.winner, event.right if event.winner == event.left else event.left)
            for event in events if event.winner is not None
        )  # fmt: skip
        totals = arena.totals(robots=robots)
        assert {(win.winner, win.loser): win.times for win in totals.wins} == wins
        assert totals.kinds == Counter(event.kind for event in events)
        assert totals.left == sum(event.winner == event.left for event in events if event.winner is not None)
        assert totals.left + totals.right == wins.total() == (6 if robots else 12)
        assert totals.hours["served"] == {277: totals.kinds["served"]}  # the clock stands in the hour 277 since 1970
    assert arena.bias().left + arena.bias().right == 12
    summary = arena.summary()
    favourites = Counter(arena.best(user) for user in ("ada", "bob"))
    assert summary.favourites == favourites and summary.learners == summary.summarised == summary.looked_at == 2
    assert sum(summary.rounds.values()) == 2 and summary.sure == 0 and set(summary.newest) == {"ada", "bob"}
    check_raises(WinnerstaysError, lambda: arena.summary(level=1.0), "level")


def check_undo(subject: Subject) -> None:
    """The latest answer can be taken back, one step: the pair comes again, the figures forget it, the log does not."""
    arena, _ = _arena(subject, algorithm="ws-w")
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
    assert _kinds(arena)["undone"] == 2 and _kinds(arena)["learned"] == 7
    shared, _ = _arena(subject, "shared", audience="everyone")
    duel = shared.ask("ada")
    shared.tell(duel, winner=duel.left)
    check_raises(WinnerstaysError, lambda: shared.undo(duel), "everybody")
    assert subject.replay().equal
    arena.erase("ada")
    assert subject.replay().equal


def check_undo_with_several_open_duels(subject: Subject) -> None:
    """Other answers and other open duels stay; what was served after the answer is gone, and the pair comes again."""
    arena, _ = _arena(subject, algorithm="ws-root", crowd=False)
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
    _check_replay(subject)
    alone, _ = _arena(subject, "alone", algorithm="ws-root", nones="losses")
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
    _check_replay(subject)


def check_none_of_the_two_counts_against_both(subject: Subject) -> None:
    """Where the arena says so both items lose to a third one; algorithms that cannot learn that say so."""
    arena, _ = _arena(subject, algorithm="ws-root", audience="everyone", nones="losses")
    for _ in range(60):
        duel = arena.ask()
        receipt = arena.tell(duel, winner="pho") if "pho" in duel else arena.tell(duel, outcome="none")
        assert receipt.status == "learned"
    assert arena.best() == "pho" and arena.standing().learned > 60
    check_raises(WinnerstaysError, lambda: _arena(subject, "walk", algorithm="ws-w", nones="losses"), "ws-root")
    two = arena.arenas.create("two", ["a", "b"], algorithm="ws-root", nones="losses")
    assert two.tell(two.ask("ada"), outcome="none").status == "noted"
    _check_replay(subject)


def check_answers_in_a_minute(subject: Subject) -> None:
    """A user's answers beyond the bound are refused, teach nothing, and can be sent again in the next minute."""
    mine, clock = _arena(subject, answers_per_minute=3)
    shared = mine.arenas.create("all", ITEMS, audience="everyone", answers_per_minute=3)
    elsewhere = subject.connect(clock)
    clock.now = 60 * 20_000.0
    for arena in (mine, shared):
        for one in (arena, elsewhere[arena.name], arena):
            assert one.tell(one.ask("ada"), outcome="tie", user="ada").accepted
        duel = arena.ask("ada")
        before = arena.standing("ada")
        check_raises(TooManyAnswersError, partial(arena.tell, duel, winner=duel.left), "3 answers")
        many = elsewhere[arena.name].tell_many([Answer(duel.id, duel.left, user="ada")])
        assert [receipt.status for receipt in many] == ["busy"] and arena.standing("ada") == before
        assert arena.tell(arena.ask("bob"), outcome="tie", user="bob").accepted
    assert shared.tell(shared.ask(), outcome="tie").accepted  # of nobody in particular
    clock.now += 60
    assert mine.tell(mine.ask("ada"), winner=mine.ask("ada").left).status == "learned"
    assert _kinds(mine)["busy"] == 2
    mine.change(answers_per_minute=None)
    for _ in range(5):
        mine.tell(mine.ask("ada"), outcome="tie")
    mine.erase("ada")
    _check_replay(subject)


def check_groups(subject: Subject) -> None:
    """New users start from their group where it differs from the crowd; sides are counted by group; replay agrees."""
    many = [f"dish {number}" for number in range(10)]
    arena = subject.connect(Clock()).create("groups", many, algorithm="ws-root", seed=4)
    for number in range(30):
        group, favourite = ("de", many[0]) if number % 2 else ("fr", many[9])
        for turn in range(12):
            duel = arena.ask(f"user {number}", group=group if turn == 0 else None)  # said once
            arena.tell(duel, winner=favourite if favourite in duel else duel.left)
    for group, favourite in (("de", many[0]), ("fr", many[9])):
        assert all(favourite in arena.ask(f"new {group} {number}", group=group) for number in range(5))
    totals = arena.totals()
    assert set(totals.groups) == {"de", "fr"} and sum(map(sum, totals.groups.values())) == 360
    bias = arena.bias("de")
    assert (bias.left, bias.right) == totals.groups["de"] and arena.bias("nobody").left == 0
    assert {event.group for event in arena.events(user="user 1")} == {"de"}
    wrongs: tuple[Any, ...] = ("", "x" * 1000, 7)
    for wrong in wrongs:
        check_raises(WinnerstaysError, partial(arena.ask, "ada", group=wrong), "group")
    shared = arena.arenas.create("all", many, audience="everyone")
    duel = shared.ask("ada", group="de")
    shared.tell(duel, winner=duel.left)
    assert sum(shared.totals().groups["de"]) == 1
    _check_replay(subject)


def check_events_of_one_user(subject: Subject) -> None:
    """The rows of one user are those of the log with that name; the newest rows come in the order of the log."""
    for audience in ("user", "everyone"):
        arena, _ = _arena(subject, audience, audience=audience)
        for user in ("ada", "bob", "ada"):
            arena.tell(arena.ask(user), outcome="tie", user=user)
        everything = list(arena.events())
        assert list(arena.events(user="ada")) == [event for event in everything if event.user == "ada"]
        assert arena.newest_events(3) == everything[-3:] and arena.newest_events() == everything
        assert list(arena.events(user="nobody")) == []


def check_replay(subject: Subject) -> None:
    """Replay rebuilds every learner byte for byte."""
    arena, clock = _arena(subject, patience=2, expires_after=5)
    shared = arena.arenas.create("all", ITEMS, audience="everyone", algorithm="ws-s", ties="coin")
    rng = random.Random(3)
    duels: list[Duel] = []
    for _ in range(300):
        one = rng.choice((arena, shared))
        duels.append(one.ask(rng.choice("abc")))
        duel = rng.choice(duels[-6:])
        outcome = rng.choice(("winner", "winner", "tie", "skip", "none"))
        winner = rng.choice((duel.left, duel.right)) if outcome == "winner" else None
        arena.arenas.tell(Answer(duel.id, winner, outcome))
        clock.now += rng.random()
    replay = subject.replay()
    assert replay.equal and replay.learners == 4 and replay.accepted > 100, replay


def check_items_come_and_go(subject: Subject) -> None:
    """Added items are shown, retired ones are not, to learners of before and after; all of it is in the log."""
    arena, clock = _arena(subject)
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
    assert seen[gone] and _kinds(arena)["items"] == 4
    _check_replay(subject)


def check_open_duel_of_a_retired_item(subject: Subject) -> None:
    """It can still be answered; the last two items cannot be retired; what is wrong with a change is said."""
    for algorithm in ("ws-w", "ws-s", "ws-root"):
        arena, _ = _arena(subject, f"with {algorithm}", algorithm=algorithm)
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
    fixed, _ = _arena(subject, "fixed", algorithm="rucb")
    check_raises(WinnerstaysError, lambda: fixed.add(["sushi"]), "ws-root")
    fixed.edit(ITEMS[0], title="RAMEN")
    _check_replay(subject)


def check_items_are_synced(subject: Subject) -> None:
    """What a list has and the arena has not is added or restored, what it has not is retired, what differs edited."""
    arena, _ = _arena(subject)
    wanted: list[Any] = [{"id": "tacos", "title": "Tacos!"}, "pho", "sushi"]
    found = arena.sync(wanted).counts()
    assert found == {"added": ["sushi"], "retired": ["ramen", "curry"], "edited": ["tacos"]}, found
    assert not arena.sync(wanted)
    assert arena.sync(["ramen", "tacos"]).counts() == {
        "retired": ["pho", "sushi"], "restored": ["ramen"], "edited": ["tacos"],
    }  # fmt: skip
    assert arena.arenas.create("lunch", ITEMS).settings == arena.settings
    assert sorted(item.id for item in arena.items if not item.retired) == ["ramen", "tacos"]


def check_choosing_among_items(subject: Subject) -> None:
    """Only eligible items are shown; sets stand for lists; two must be left; favourites are of those asked for."""
    sets = {"noodles": ["ramen", "pho"]}
    arena, _ = _arena(subject, algorithm="ws-root", sets=sets)
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
    check_raises(WinnerstaysError, lambda: arena.ask("ada", among=["ramen", "caviar"]), "caviar")
    check_raises(WinnerstaysError, lambda: arena.ask("ada", among="soups"), "soups")
    literal, _ = _arena(subject, "literal", algorithm="ws-w")
    check_raises(WinnerstaysError, lambda: literal.ask("ada", without=["pho"]), "ws-root")
    check_raises(UnknownUserError, lambda: literal.best("ada"))
    arena.change(sets={"soups": ["ramen", "pho"]})
    assert {arena.ask("eve", among="soups").left} <= {"ramen", "pho"}
    _check_replay(subject)


def check_fresh_duels(subject: Subject) -> None:
    """Whoever asks for another duel gets another pair, up to `max_open`; the old ones can still be answered."""
    arena, clock = _arena(subject, algorithm="ws-root", max_open=3, give_up=60, expires_after=1000)
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
    literal, _ = _arena(subject, "literal", algorithm="ws-w")
    one, other = literal.ask("ada"), literal.ask("ada", fresh=True)
    assert {one.left, one.right} != {other.left, other.right}
    assert literal.tell(one, winner=one.left).status == "late"
    _check_replay(subject)


def check_several_duels_for_one_user(subject: Subject) -> None:
    """A feed gets different pairs, each answered on its own, and the open ones again when it is asked for again."""
    arena, _ = _arena(subject, algorithm="ws-root", max_open=4)
    duels = arena.ask_many("ada", 3)
    assert len({frozenset((duel.left, duel.right)) for duel in duels}) == 3
    assert arena.ask_many("ada", 3) == duels
    assert arena.tell(duels[1], winner=duels[1].right).status == "learned"
    again = arena.ask_many("ada", 3)
    assert again[:2] == [duels[0], duels[2]] and again[2] not in duels
    check_raises(WinnerstaysError, lambda: arena.ask_many("ada", 5), "hold 4 duels")
    check_raises(WinnerstaysError, lambda: arena.ask_many("ada"), "count")
    check_raises(WinnerstaysError, lambda: _arena(subject, "one", algorithm="ws-w")[0].ask_many("ada", 2), "ws-root")
    _check_replay(subject)


def check_open_duels_of_everyone_expire(subject: Subject) -> None:
    """Where open duels are counted, those that nobody answered are given up when they have expired."""
    arena, clock = _arena(subject, algorithm="ws-root", audience="everyone", expires_after=10, ties="halves")
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
    _check_replay(subject)


def check_new_users_start_from_the_crowd(subject: Subject) -> None:
    """Where tastes agree, a new user's first duel has everybody's favourite, unless the arena says otherwise."""
    many = [f"dish {number}" for number in range(12)]
    arenas = subject.connect(Clock())
    shares = {}
    for crowd in (True, False):
        arena = arenas.create(f"crowd {crowd}", many, algorithm="ws-root", crowd=crowd, seed=4)
        for turn in range(8 * 14):
            duels = arena.ask_many(f"user {turn // 14} {number}" for number in range(5))
            arena.tell_many((duel, min((duel.left, duel.right), key=many.index)) for duel in duels)
        shares[crowd] = sum(many[0] in duel for duel in arena.ask_many(f"new {number}" for number in range(10)))
    assert shares[True] == 10 and shares[False] < 7, shares
    _check_replay(subject)


def check_popular_items(subject: Subject) -> None:
    """Items over all people, the best first; ranks are shared where the answers do not tell."""
    arena, _ = _arena(subject, algorithm="ws-root", crowd=False)
    assert [one.rank for one in arena.popular()] == [1, 1, 1, 1]
    arena.retire(["curry"])
    for number in range(30):
        for _ in range(3):
            duel = arena.ask(f"user {number}")
            arena.tell(duel, winner="pho" if "pho" in duel else duel.left)
    first, *others = arena.popular()
    assert (first.item, first.rank, first.lost) == ("pho", 1, 0) and first.low > max(one.high for one in others)
    assert [one.rank for one in others] == [2, 2] and sum(one.won for one in (first, *others)) == 90


def check_control_group(subject: Subject) -> None:
    """The log says who is in the control group; the uplift is that of the log, robots left out; replay is equal."""
    for audience, algorithm in (("user", "ws-root"), ("user", "ws-w"), ("everyone", "ws-root")):
        arena, _ = _arena(subject, f"{audience} {algorithm}", audience=audience, algorithm=algorithm, holdout=0.5)
        for number in range(8):
            user, rng = f"{'robot-' if number == 0 else ''}{number}", random.Random(number)
            for _ in range(5):
                duel = arena.ask(user, fresh=True)
                outcome = rng.choice(("winner", "winner", "winner", "tie", "skip", "none", ""))
                if outcome:
                    arena.tell(duel, duel.left if outcome == "winner" else None, outcome=outcome)
                    if outcome == "winner" and number == 3 and audience == "user":
                        arena.undo(duel)
        uplift, found = arena.uplift(), _shares_of_log(arena)
        assert found["control"] and found["learner"], found
        for group in ("control", "learner"):
            people = found[group]
            assert getattr(uplift, group).people == len(people)
            for place, one in enumerate(uplift.comparisons):
                mean = getattr(one, group)
                expected = sum(shares[place] for shares in people) / len(people)
                assert abs(mean.share - expected) < 1e-5 and mean.low <= mean.share <= mean.high, (one, expected)
    check_raises(WinnerstaysError, lambda: arena.uplift(level=0), "level")
    _check_replay(subject)
    arena.arenas["user ws-w"].erase("1")
    _check_replay(subject)


def _shares_of_log(arena: Arena) -> dict[str, list[tuple[float, float, float]]]:
    """Return the shares of duels with the favourite, answered, and passed over: of each person, or of each duel."""
    shared = arena.settings.audience == "everyone"
    visits: dict[str, list[Event]] = {}
    for event in arena.events():
        if event.arm is not None:
            visits.setdefault(str(event.duel if shared else event.user), []).append(event)
    found: dict[str, list[tuple[float, float, float]]] = {"control": [], "learner": []}
    for rows in visits.values():
        undone = {row.duel for row in rows if row.kind == "undone"}
        shown = [row for row in rows if row.kind == "served"]
        answers = [row for row in rows if row.kind in ("learned", "noted") and row.duel not in undone]
        won = Counter(row.winner for row in answers if row.winner is not None)
        latest = {row.winner: place for place, row in enumerate(answers)}
        best = max(won, key=lambda item: (won[item], latest[item]), default=None)
        favourite = arena.best() if shared else best
        counts = (
            sum(favourite in (row.left, row.right) for row in shown),
            sum(row.outcome in ("winner", "tie") for row in answers),
            sum(row.outcome in ("skip", "none") for row in answers),
        )
        shares = tuple(count / len(shown) for count in counts)
        found["learner" if shown[0].arm == "learner" else "control"].append((shares[0], shares[1], shares[2]))
    return found


def check_arenas_change(subject: Subject) -> None:
    """An arena gets another name, and is closed; what learning depends on cannot be changed."""
    arena, clock = _arena(subject)
    arena.arenas.create("music", ["bach", "abba"])
    elsewhere = subject.connect(clock)["lunch"]
    duel = elsewhere.ask("ada")
    check_raises(DifferentArenaError, lambda: arena.change(name="music"), "music")
    check_raises(WinnerstaysError, lambda: arena.change(algorithm="ws-s"), "fixed")
    arena.change(name="dinner")
    assert arena.name == "dinner" and arena.arenas.names() == ["dinner", "music"]
    check_raises(UnknownArenaError, lambda: elsewhere.ask("ada"))
    assert arena.ask("ada").id == duel.id and subject.connect(clock)["dinner"].ask("ada").id == duel.id
    arena.change(closed=True)
    check_raises(WinnerstaysError, lambda: arena.ask("bob"), "closed")
    assert arena.tell(duel, winner=duel.left).status == "learned"
    arena.change(closed=False)
    assert arena.ask("bob").arena == "dinner"
    _check_replay(subject)


def check_delete(subject: Subject) -> None:
    """A deleted arena is gone for everybody at once, with its learners and rows; the others stay, its name is free."""
    arena, clock = _arena(subject)
    shared = arena.arenas.create("all", ITEMS, audience="everyone", seed=5)
    elsewhere = subject.connect(clock)["lunch"]
    for user in ("ada", "bob"):
        for one in (arena, shared):
            one.tell(one.ask(user), outcome="tie")
    duel, before = elsewhere.ask("ada"), list(shared.events())
    deleted = arena.arenas.delete("lunch")
    assert (deleted.arena, deleted.learners) == ("lunch", 2) and deleted.rows >= 6, deleted
    assert arena.arenas.names() == ["all"] and list(shared.events()) == before and shared.totals().kinds["served"] == 2
    assert {event.arena for event in arena.arenas.events()} == {"all", ""}
    for gone in (arena, elsewhere):
        check_raises(UnknownArenaError, lambda gone=gone: gone.tell(duel, winner=duel.left))  # type: ignore[misc]
        check_raises(UnknownArenaError, lambda gone=gone: gone.ask("ada"))  # type: ignore[misc]
    check_raises(UnknownArenaError, lambda: arena.arenas.delete("lunch"), "lunch")
    arena.arenas.create("lunch", ["soup", "salad"])
    assert "soup" in elsewhere.ask("ada") and arena.ask("ada") == elsewhere.ask("ada")
    _check_replay(subject)


def check_hammered_duels(subject: Subject) -> None:
    """64 clients answer the same duels at once: exactly one answer of each duel is accepted."""
    arena, _ = _arena(subject, audience="everyone", algorithm="ws-w")
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
    assert logged == accepted and _kinds(arena)["conflict"] == counts["conflict"]
    _check_replay(subject)


CHECKS: list[Callable[[Subject], None]] = [
    check for name, check in globals().items() if name.startswith("check_") and name != "check_raises"
]
