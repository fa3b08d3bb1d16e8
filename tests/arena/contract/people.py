"""People: their groups, what they start from, how much they may answer, and how they are forgotten."""

from collections import Counter
from functools import partial
from typing import Any

from tests.arena.contract.subject import ITEMS, Clock, Subject, assert_replays, kinds, new_arena
from tests.arena.contract.support import check_raises
from winnerstays.arena import (
    Answer,
    Receipt,
    TooManyAnswersError,
    UnknownDuelError,
    UnknownUserError,
    WrongUserError,
)
from winnerstays.errors import WinnerstaysError


def check_erase(subject: Subject) -> None:
    """Erasing a user removes learner, rows and name, is logged, and leaves the rest valid."""
    arena, _ = new_arena(subject)
    shared = arena.arenas.create("all", ITEMS, audience="everyone", seed=5)
    for user in ("ada", "bob"):
        for one in (arena, shared):
            one.tell(one.ask(user), outcome="tie")
        open_duel = arena.ask(user)
    check_raises(WrongUserError, lambda: arena.tell(open_duel, winner=open_duel.left, user="ada"))
    gone = arena.ask("ada")
    before = kinds(shared)
    erased = arena.erase("ada")
    assert (erased.rows, erased.learners) == (3, 1), erased
    assert shared.erase("ada").learners == 0
    assert kinds(shared) == before + Counter(erased=1)
    assert "ada" not in {event.user for event in arena.arenas.events()}
    assert {event.user for event in arena.events()} == {None, "bob"} and kinds(arena)["erased"] == 1
    check_raises(UnknownDuelError, lambda: arena.tell(gone, winner=gone.left))
    check_raises(UnknownUserError, lambda: arena.best("ada"))
    assert arena.ask("ada").id != gone.id
    replay = subject.replay()
    assert replay.equal and replay.learners == 3, replay


def check_no_name_is_left(subject: Subject) -> None:
    """Whatever the name looks like, and wherever it was written down, it is gone when its user is erased."""
    arena, _ = new_arena(subject)
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
    arena, _ = new_arena(subject)
    reason = 'two\nlines, "quoted" 👨\u200d👩'
    assert arena.tell(arena.ask("ada"), outcome="skip", reason=reason).reason.endswith(f"({reason})")  # type: ignore[union-attr]


def check_erased_by_another_process(subject: Subject) -> None:
    """A process that remembers an erased user starts afresh, and does not write the name down again."""
    here, clock = new_arena(subject)
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
    assert_replays(subject)


def check_answers_in_a_minute(subject: Subject) -> None:
    """A user's answers beyond the bound are refused, teach nothing, and can be sent again in the next minute."""
    mine, clock = new_arena(subject, answers_per_minute=3)
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
    assert kinds(mine)["busy"] == 2
    mine.change(answers_per_minute=None)
    for _ in range(5):
        mine.tell(mine.ask("ada"), outcome="tie")
    mine.erase("ada")
    assert_replays(subject)


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
    assert_replays(subject)


def check_events_of_one_user(subject: Subject) -> None:
    """The rows of one user are those of the log with that name; the newest rows come in the order of the log."""
    for audience in ("user", "everyone"):
        arena, _ = new_arena(subject, audience, audience=audience)
        for user in ("ada", "bob", "ada"):
            arena.tell(arena.ask(user), outcome="tie", user=user)
        everything = list(arena.events())
        assert list(arena.events(user="ada")) == [event for event in everything if event.user == "ada"]
        assert arena.newest_events(3) == everything[-3:] and arena.newest_events() == everything
        assert list(arena.events(user="nobody")) == []


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
    assert_replays(subject)
