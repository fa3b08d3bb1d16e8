"""The control group: who is in it, what it gets, what it teaches, and whether its intervals hold at any time."""

from collections import Counter

import numpy as np
import pytest

from benchmarks.uplift import COLUMNS, World, study
from tests.arena.contract import Clock
from winnerstays.arena import Arena, Settings
from winnerstays.arena.engine.holdout import SCALE, Person, Sums, draw, draw_probe, random_pair
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
    """Three duels: one answered, a probe whose recommended item lost, one skipped; then two rewards."""
    person = Person().serve().answer("winner", None).serve().answer("winner", False)
    before, person = person, person.serve().answer("skip", None)
    two, one = 2 * SCALE // 3, SCALE // 3
    assert person.sums() == Sums(1, 3, two, two * two // SCALE, one, one * one // SCALE, 1)
    assert person.added_since(before) == (0, 1, two - SCALE, two * two // SCALE - SCALE, one, one * one // SCALE)
    rich = person.add_reward(2.5).add_reward(0.1)
    assert rich.added_since(person) == (0,) * 9 + (1, 2600, 6760)
    assert Person.load(rich.dump() + b"rest") == (rich, len(rich.dump()))
    assert person.answer("winner", False, -1) == Person(served=3, answered=1, passed=1)
    with pytest.raises(WinnerstaysError, match="damaged"):
        Person.load(rich.dump()[:-2])


def test_probes_are_drawn_in_advance_in_both_groups_alike():
    """The turn of a person decides, whatever was answered: in 20 % of turns, give or take 4 standard errors."""
    turns = {name: [draw_probe(1, name, turn) < 0.2 for turn in range(2500)] for name in ("ada", "bob")}
    assert all(abs(sum(found) - 500) < 4 * np.sqrt(2500 * 0.2 * 0.8) for found in turns.values())
    assert turns["ada"] != turns["bob"]
    users = [f"user {number}" for number in range(40)]
    with Arena.open("memory:", "a", ITEMS, holdout=0.5, probes=0.5, seed=1) as arena:
        play(arena, users)
        for user in users:
            probes = [event.probe is not None for event in served(arena, user)]
            assert probes == [draw_probe(1, user, turn) < 0.5 for turn in range(6)]


def test_a_probe_shows_the_recommended_item_and_a_random_one_that_may_be_shown():
    """The favourite among the eligible items, and each of the other two in about half of the probes, on both sides."""
    with Arena.open("memory:", "a", ITEMS, holdout=0.001, probes=0.0, seed=1) as arena:
        play(arena, ["ada"], 12)
        arena.change(probes=1.0)
        others, sides = Counter(), Counter()
        for _ in range(60):
            best = arena.best("ada", among=["tacos", "pho", "pizza"])
            duel = arena.ask("ada", among=["tacos", "pho", "pizza"])
            assert best in duel and served(arena, "ada")[-1].probe == best and duel.arm == "learner"
            others[duel.right if duel.left == best else duel.left] += 1
            sides[duel.left == best] += 1
            arena.tell(duel, winner=best)
        assert set(others) | {best} == {"tacos", "pho", "pizza"} and min(others.values()) > 14 < min(sides.values())
        assert arena.arenas.replay().equal


def test_a_probe_teaches_winner_stays_nothing():
    """Its pair is not the one that ws-w asks about: the answer is noted, and the pair comes next."""
    with Arena.open("memory:", "a", ITEMS, algorithm="ws-w", holdout=0.001, probes=1.0, seed=1) as arena:
        for _ in range(8):
            duel = arena.ask("ada")
            assert arena.tell(duel, winner=duel.left).status == "noted"
        assert arena.standing("ada").learned == 0
        arena.change(probes=0.0)
        duel = arena.ask("ada")
        assert arena.tell(duel, winner=duel.left).status == "learned" and arena.arenas.replay().equal


def test_rewards_stay_when_answers_are_taken_back_or_rows_are_pruned():
    clock = Clock()
    with Arena.open("memory:", "a", ITEMS, holdout=0.5, probes=0.5, seed=1, expires_after=10, clock=clock) as arena:
        for user in ("ada", "bob", "cy", "dee"):
            duel = arena.ask(user)
            arena.tell(duel, winner=duel.left)
            arena.reward(user, 2.5, key="order 1")
            arena.undo(duel)
        before = arena.uplift()
        assert before["reward"].learner.mean == before["reward"].control.mean == 2.5
        for key in ("order 2", "order 3"):
            clock.now += 100
            assert arena.arenas.prune(clock.now).rows and arena.arenas.replay().equal
            arena.reward("ada", 1.0, key=key)
            assert all(arena.reward("ada", 2.5, key="order 1").duplicate for _ in range(2))
            assert arena.reward("ada", 1.0, key=key).duplicate and arena.arenas.replay().equal
        one, two = arena.uplift()["reward"], before["reward"]
        counts = {group: getattr(one, group).people for group in ("learner", "control")}
        gained = sum((getattr(one, group).mean - getattr(two, group).mean) * counts[group] for group in counts)
        assert gained == pytest.approx(2.0)


def test_no_gain_is_seen_where_there_is_none_and_a_gain_is_seen_as_large_as_it_is():
    """60 sites without taste, 30 with a common one: in 7 % at most is a 95 % interval wrong at one of four looks."""
    nothing = study(World("nothing", None, left=0.7), 60, visitors=60)
    common = study(World("common", "common", settings=(("algorithm", "ws-root"),)), 30, visitors=60)
    always = COLUMNS.index("always")
    for found in (nothing, common):
        assert min(found[always:]) >= 0.93, found
    gain, truth = COLUMNS.index("gain"), COLUMNS.index("truth")
    assert abs(nothing[gain]) < 0.04 and nothing[truth] == 0, "4 standard errors: .5 / sqrt(60 * 45)"
    assert abs(common[gain] - common[truth]) < 0.06 and common[truth] > 0.15, common


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
        with Arena.open("memory:", "a", ITEMS, algorithm=algorithm, holdout=0.3, probes=0.0, seed=1) as arena:
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
    with Arena.open("memory:", "a", ITEMS, algorithm="ws-root", holdout=0.5, probes=0.0, seed=1) as arena:
        users = [f"user {number}" for number in range(60)]
        for user in users:
            for _ in range(8):
                duel = arena.ask(user)
                favourite = "pizza" if draw(1, user) < 0.5 else "curry"
                arena.tell(duel, winner=favourite if favourite in duel else duel.left)
        news = [name for name in (f"new {number}" for number in range(20)) if draw(1, name) >= 0.5]
        assert sum("curry" in arena.ask(name) for name in news) == len(news) > 5


def test_a_fixed_list_is_shown_two_by_two():
    with Arena.open(
        "memory:", "a", ITEMS, holdout=0.99, probes=0.0, control=["pho", "ramen", "curry"], seed=1
    ) as arena:
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
    with Arena.open("memory:", "a", ITEMS[:4], algorithm="ws-root", holdout=0.99, probes=0.0, seed=1) as arena:
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
    with Arena.open("memory:", "a", ITEMS, holdout=0.5, probes=0.0, seed=1, expires_after=10, clock=clock) as arena:
        assert draw(1, "ada") < 0.5 < draw(1, "bob")
        play(arena, ["ada", "bob"], 1)
        arena.change(control=["pho", "ramen"])
        arena.ask("ada")
        before = arena.uplift()
        assert before["answered"].control.mean == pytest.approx(0.5)
        clock.now += 100
        assert arena.arenas.prune(clock.now).rows == 5
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
