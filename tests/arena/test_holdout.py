"""The control group: who is in it, what it gets, what it teaches, and whether its intervals hold at any time."""

from collections import Counter

import numpy as np
import pytest

from tests.arena.contract import Clock
from winnerstays.arena import Arena, Settings
from winnerstays.arena.engine.holdout import SCALE, Person, draw, random_pair
from winnerstays.errors import WinnerstaysError
from winnerstays.intervals import anytime, wilson
from winnerstays.randomness import stream

ITEMS = ["ramen", "tacos", "pho", "curry", "pizza"]


def play(arena, users, answers=6):
    for user in users:
        for _ in range(answers):
            duel = arena.ask(user)
            arena.tell(duel, winner=min(duel.left, duel.right))


def served(arena, user):
    return [event for event in arena.events(user=user) if event.kind == "served"]


def test_a_person_by_hand():
    """Three duels: 0-1 (0 chosen), 1-2 (2 chosen), 0-2 (skipped); the favourite is 2, chosen last, seen in 2 of 3."""
    person = Person().serve(0, 1).answer("winner", 0).serve(1, 2).answer("winner", 2)
    before, person = person, person.serve(0, 2).answer("skip", None)
    assert person.favourite == 2 and person.items == ((0, 2, 1), (1, 2, 0), (2, 2, 1))
    two, one = 2 * SCALE // 3, SCALE // 3
    assert person.sums() == (1, 3, two, two * two // SCALE, two, two * two // SCALE, one, one * one // SCALE)
    assert person.added_since(before)[:3] == (0, 1, two - SCALE // 2)
    assert Person.load(person.dump() + b"rest") == (person, len(person.dump()))
    back = person.take_back("winner", 2)
    assert (back.favourite, back.answered, back.served) == (0, 1, 3)
    assert back.take_back("winner", 0).favourite == -1
    with pytest.raises(WinnerstaysError, match="damaged"):
        Person.load(Person().dump()[:-1] + b"\xff\x7f")


def test_the_draw_is_fair_and_of_its_seed():
    """Of 20,000 names 10 % are below 0.1, give or take 4 standard errors; another seed draws others."""
    below = [draw(1, f"user {number}") < 0.1 for number in range(20_000)]
    assert abs(sum(below) - 2000) < 4 * np.sqrt(20_000 * 0.1 * 0.9)
    other = [draw(2, f"user {number}") < 0.1 for number in range(20_000)]
    assert abs(sum(map(lambda one, two: one and two, below, other)) - 200) < 4 * np.sqrt(200)


def test_random_pairs_are_uniform():
    """Of 6000 pairs of 3 items each of the 6 ordered ones comes 1000 times, give or take 4 standard errors (116)."""
    rng = stream(1)
    counts = Counter(random_pair([4, 7, 9], rng) for _ in range(6000))
    assert len(counts) == 6 and max(abs(count - 1000) for count in counts.values()) < 116, counts


def test_the_control_group_gets_random_pairs_and_teaches_nobody_else():
    """Its own learner learns from random pairs with ws-root, not with ws-w; others learn as if it were not there."""
    users = [f"user {number}" for number in range(30)]
    for algorithm in ("ws-root", "ws-w"):
        with Arena.open("memory:", "a", ITEMS, algorithm=algorithm, holdout=0.3, seed=1) as arena:
            play(arena, users)
            arms = {user: {event.arm for event in served(arena, user)} for user in users}
            control = [user for user in users if arms[user] == {"random"}]
            assert all(arms[user] == {"learner"} for user in users if user not in control)
            assert control == [user for user in users if draw(1, user) < 0.3] and 3 < len(control) < 20
            statuses = {event.kind for event in arena.events(user=control[0])} - {"served"}
            assert statuses == ({"learned"} if algorithm == "ws-root" else {"noted"})
            assert arena.standing(control[0]).learned == (6 if algorithm == "ws-root" else 0)
            pairs = {frozenset((one.left, one.right)) for user in control for one in served(arena, user)}
            assert len(pairs) == 10, "all pairs of five items come, some time"
            treated = [user for user in users if user not in control]
            shown = {user: [(one.left, one.right) for one in served(arena, user)] for user in treated[:1]}
            assert arena.arenas.replay().equal
        with Arena.open("memory:", "a", ITEMS, algorithm=algorithm, seed=1) as alone:
            play(alone, users[: users.index(treated[0]) + 1])  # the same learner id, and so the same randomness
            assert [(one.left, one.right) for one in served(alone, treated[0])] == shown[treated[0]]


def test_the_crowd_leaves_the_control_group_out():
    """Those with random pairs all love `pizza`, the others `curry`: a new user starts with curry."""
    with Arena.open("memory:", "a", ITEMS, algorithm="ws-root", holdout=0.5, seed=1) as arena:
        users = [f"user {number}" for number in range(60)]
        for user in users:
            for _ in range(8):
                duel = arena.ask(user)
                favourite = "pizza" if draw(1, user) < 0.5 else "curry"
                arena.tell(duel, winner=favourite if favourite in duel else duel.left)
        news = [name for name in (f"new {number}" for number in range(20)) if draw(1, name) >= 0.5]
        assert sum("curry" in arena.ask(name) for name in news) == len(news) > 5


def test_a_fixed_list_is_shown_two_by_two():
    with Arena.open("memory:", "a", ITEMS, holdout=0.99, control=["pho", "ramen", "curry"], seed=1) as arena:
        play(arena, ["ada"], 3)
        shown = [{one.left, one.right} for one in served(arena, "ada")]
        assert shown == [{"pho", "ramen"}, {"curry", "pho"}, {"ramen", "curry"}]
        assert {one.arm for one in served(arena, "ada")} == {"fixed"}
        arena.retire(["pho", "ramen"])  # one of the list is left: random pairs of those that are there
        play(arena, ["ada"], 4)
        later = served(arena, "ada")[3:]
        assert {one.arm for one in later} == {"random"} and not any("pho" in (one.left, one.right) for one in later)
        assert arena.arenas.replay().equal


def test_several_duels_of_one_person_in_the_control_group_are_different_pairs():
    with Arena.open("memory:", "a", ITEMS[:4], algorithm="ws-root", holdout=0.99, seed=1) as arena:
        for user in ("ada", "bob", "cy"):
            assert len({frozenset((duel.left, duel.right)) for duel in arena.ask_many(user, 4)}) == 4
        arena.change(control=["pho", "ramen"])
        assert {arena.ask_many("dee", 3)[2].left, arena.ask_many("dee", 3)[2].right} == {"pho", "ramen"}
        assert {event.arm for event in arena.events() if event.kind == "served"} == {"random", "fixed"}
        assert arena.arenas.replay().equal


def test_a_control_group_can_come_later_and_go():
    """Who came before is not compared; when it is over, all get learned pairs, and late answers still count."""
    with Arena.open("memory:", "a", ITEMS, algorithm="ws-w", seed=1) as arena:
        play(arena, ["early"], 2)
        assert "Nothing to compare" in str(arena.uplift())
        arena.change(holdout=0.9)
        play(arena, ["early", "ada", "bob", "cy"], 2)
        assert {event.arm for event in served(arena, "early")} == {None}
        before = arena.uplift()
        assert before.control.people + before.learner.people == 3 and before.control.people >= 1
        duel, user = next((arena.ask(user), user) for user in ("ada", "bob", "cy") if draw(1, user) < 0.9)
        arena.change(holdout=0.0)
        assert arena.tell(duel, winner=duel.left).status == "noted"
        after = arena.uplift()
        assert (after.control.people, after.control.duels) == (before.control.people, before.control.duels + 1)
        arena.ask(user), arena.ask(user, fresh=True)
        assert served(arena, user)[-1].arm is None and arena.uplift() == after
        assert arena.arenas.replay().equal


def test_pruned_rows_leave_the_sums_as_they_are():
    """Ada has answered a random pair, and not a fixed one: that takes from the sums of the fixed ones."""
    clock = Clock()
    with Arena.open("memory:", "a", ITEMS, holdout=0.99, seed=1, expires_after=10, clock=clock) as arena:
        play(arena, ["ada"], 1)
        arena.change(control=["pho", "ramen"])
        arena.ask("ada")
        before = arena.uplift()
        assert before["answered"].control.share == pytest.approx(0.5)
        clock.now += 100
        assert arena.arenas.prune(clock.now).rows == 3
        assert arena.uplift() == before and arena.arenas.replay().equal


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"holdout": 1.0}, "holdout is 1.0, but it should be less than 1"),
        ({"holdout": True}, "holdout is True"),
        ({"holdout": "much"}, "holdout is 'much'"),
        ({"control": ["pho"]}, r"control is \('pho',\), but must be a list of two or more"),
        ({"control": ["pho", "pho"]}, "different ids"),
        ({"control": "pho"}, "control is 'pho'"),
        ({"control": ["pho", "sushi"]}, "control holds 'sushi', which is no item"),
        (
            {"holdout": 0.1, "pairs": "caller", "audience": "everyone", "algorithm": "random"},
            "chooses the pairs itself",
        ),
    ],
)
def test_bad_settings_get_a_sentence(given, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        Settings(name="a", items=ITEMS, **given)


def test_intervals_hold_at_any_time():
    """200 times two groups that do not differ, of people who do: how often 0 is ever outside of the difference.

    People's rates are 0 or 1 mostly (beta 1/2, 1/2), each has 1 to 30 duels; one looks after each of the first 50
    people, then after each tenth up to 600; a tenth of the people are in the smaller group. 5 % are allowed. The usual
    interval of each duel (Wilson's) is wrong in most of these runs, so the test can tell.
    """
    draws = np.random.default_rng(3)
    runs, people = 200, 600
    looks = [*range(2, 50), *range(50, people + 1, 10)]
    wrong = usual = rare = 0
    for _ in range(runs):
        rates, duels = draws.beta(0.5, 0.5, people), draws.integers(1, 31, people)
        won = draws.binomial(duels, rates)
        control = draws.random(people) < 0.1
        skips = draws.binomial(duels, 0.02) / duels
        ever = ever_usual = ever_rare = False
        for group in (control, ~control):
            shares, of, all_ = (np.cumsum(np.where(group, one, 0)) for one in (won / duels, won, duels))
            squares, count = np.cumsum(np.where(group, (won / duels) ** 2, 0)), np.cumsum(group)
            few, few_squares = np.cumsum(np.where(group, skips, 0)), np.cumsum(np.where(group, skips**2, 0))
            low, high = wilson(of, all_ - of)
            for look in looks:
                k = look - 1
                interval = anytime(int(count[k]), shares[k], squares[k], 0.975)
                ever |= not interval[0] <= 0.5 <= interval[1]
                interval = anytime(int(count[k]), few[k], few_squares[k], 0.975)
                ever_rare |= not interval[0] <= 0.02 <= interval[1]
                ever_usual |= not low[k] <= 0.5 <= high[k]
        wrong, usual, rare = wrong + ever, usual + ever_usual, rare + ever_rare
    assert wrong <= 0.05 * runs and rare <= 0.05 * runs, (wrong, rare)
    assert usual > 0.5 * runs, usual
