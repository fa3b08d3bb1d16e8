"""Advice: what is played, what is recommended, what a log says, and bad input."""

import json
import sys

import numpy as np
import pytest

from winnerstays.advice import BASELINES, WAYS, Outcome, advise, advise_from_log
from winnerstays.advice.policies import Learners
from winnerstays.advice.site import Site, World, play
from winnerstays.arena import Arena, Settings
from winnerstays.cli import main
from winnerstays.errors import WinnerstaysError

LIKES = ["pho", "ramen", "tacos", "curry"]


@pytest.fixture
def command(capsys, monkeypatch):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["winnerstays", "advise", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        said = capsys.readouterr()
        return stop.value.code, said.out, said.err

    return run


def test_a_policy_that_knows_all_shows_every_favourite():
    """Everything is counted against the visitor's own eligible items, before and after they change."""
    world = World(Site("a", 1.5, 0.0, 1.5, visitors=60, items=20, change=4, zones=0.5, clicks=(2, 6)), 1)

    class Knows(Learners):
        def ask(self, visitor, eligible):
            first, second = eligible[np.argsort(-world.utilities[visitor, eligible])[:2]]
            return int(first), int(second)

        def tell(self, visitor, first, second, first_won): ...

    played = play(world, Knows(world, algorithm="ws-root"))
    assert (played.favourite, played.five, played.seen) == (100, 100, 100)


def test_the_learners_of_an_arena_show_only_what_may_be_shown():
    world = World(Site("a", 1.5, 0.0, 1.5, visitors=60, items=20, change=4, zones=0.5, clicks=(2, 6)), 2)
    for settings in ({"audience": "user"}, {"audience": "everyone"}):

        class Checked(Learners):
            def ask(self, visitor, eligible):
                first, second = super().ask(visitor, eligible)
                assert first != second and {first, second} <= set(eligible.tolist())
                return first, second

        played = play(world, Checked(world, algorithm="ws-root", **settings))
        assert 5 < played.favourite < 90 and played.seen > 0


def test_common_tastes_want_a_crowd_and_own_tastes_a_learner_for_each():
    """Of 40 items and 60 visitors; the best is what shows most favourites, and each difference has its own error."""
    common = advise(40, 60, (6, 10), tastes="common", error=20)
    assert [one.way for one in common.outcomes] == [*WAYS, *BASELINES]
    by_way = {one.way: one for one in common.outcomes}
    alone, random = by_way["each user, ws-root, alone"], by_way["random pairs"]
    assert common.best.share > alone.share + 2 * alone.behind_error and common.best.behind == 0
    assert abs(random.share - 5) < 4 * random.error + 1, "2 of 40 items"
    own = advise(8, 40, 40, tastes="own", error=20)
    shares = {one.way: one.share for one in own.outcomes}
    assert own.settings["audience"] == "user" and own.best.share > shares["everyone, ws-root"] + 10
    assert "what" in common.unknown[0] or common.unknown[0].startswith("whether tastes are like that")


def test_what_is_close_or_better_is_said():
    one, two = Outcome("each user, tastes", 50.0, 1.0, 0.0, 0.0), Outcome("everyone, ws-root", 49.0, 1.0, 1.0, 0.6)
    own = Outcome("Bradley-Terry of the crowd", 60.0, 1.0, -10.0, 1.0)
    advice = advise(3, 4, 2, error=100)
    said = str(type(advice)("A case", "share", (one, two, own), one, {}, ()))
    assert said == (
        "A case: take 'each user, tastes' (50.0 ± 1.0 %); 'everyone, ws-root' may be as good. "
        "Bradley-Terry of the crowd does better: 60.0 %."
    )


def test_more_visitors_than_can_be_played_are_said():
    advice = advise(4, 10**6, 5, error=100, max_duels=100)
    assert any("the first 20 were played" in one for one in advice.unknown) and advice.settings["holdout"] == 0.01
    assert [one.way for one in advise(4, 1, 5, error=100).outcomes if one.is_setting] == [
        way for way in WAYS if way.startswith("each user")
    ]


def test_a_log_is_replayed(tmp_path, command):
    """All like pho best and curry least: everything that learns is right in more random pairs than chance is."""
    path = tmp_path / "menu.db"
    with Arena.open(str(path), "menu", LIKES, holdout=0.6, seed=1) as arena:
        with pytest.raises(WinnerstaysError, match="has 0 answers to random pairs, but 200 are needed"):
            advise_from_log(arena)
        for user in range(60):
            for _ in range(8):
                duel = arena.ask(f"user {user}")
                arena.tell(duel, winner=min(duel.left, duel.right, key=LIKES.index))
        advice = advise_from_log(arena)
    by_way = {one.way: one for one in advice.outcomes}
    assert by_way["the two most popular"].share > 90 and by_way["Bradley-Terry of the crowd"].share > 90
    assert abs(by_way["random pairs"].share - 50) < 4 * by_way["random pairs"].error
    assert by_way["each user, ws-root, alone"].share > 60 and advice.best.share > 85
    code, said, _ = command(path)
    assert code == 0 and "to random pairs: take" in " ".join(said.split())


def test_the_settings_are_settings_of_an_arena(command):
    words = ("--items", 3, "--visitors", 30, "--answers-each", "3-5", "--tastes", "own")
    code, said, _ = command(*words, "--json")
    advice = json.loads(said)
    assert code == 0 and advice["settings"]["holdout"] == 0 and len(advice["outcomes"]) == len(WAYS) + len(BASELINES)
    known = {name: value for name, value in advice["settings"].items() if value != "tastes"}
    assert Settings(name="a", items=("x", "y", "z"), **known).max_open == 4
    code, said, _ = command(*words)
    assert code == 0 and "Arena.open(" in said and "Not known: " in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Give all of --items, --visitors and --answers-each"),
        (["--items", 1, "--visitors", 10, "--answers-each", 5], "items is 1, but must be a whole number from 2"),
        (["--items", 10**6, "--visitors", 10, "--answers-each", 5], "items is 1000000, but must be"),
        (["--items", 5, "--visitors", 0, "--answers-each", 5], "visitors is 0"),
        (["--items", 5, "--visitors", 10, "--answers-each", "9-3"], "answers is (9, 3)"),
        (["--items", 5, "--visitors", 10, "--answers-each", "often"], "answers-each is 'often'"),
        (["--items", 5, "--visitors", 10, "--answers-each", 5, "--open", 0], "open is 0"),
        (["--items", 5, "--visitors", 10, "--answers-each", 5, "--change", 6], "change is 6, but there are only 5"),
        (["--items", 5, "--visitors", 10, "--answers-each", 5, "--tastes", "odd"], "odd"),
        (["--items", "many", "--visitors", 10, "--answers-each", 5], "many"),
        (["--items", 5, "--visitors", 10, "--answers-each", 5, "--seed", -1], "seed is -1"),
        (["nothing-there.db"], "nothing-there.db"),
    ],
)
def test_bad_input_gets_a_sentence(command, words, sentence):
    code, _, said = command(*words)
    assert code == 2 and sentence in said and "Traceback" not in said


def test_numbers_are_whole():
    with pytest.raises(WinnerstaysError, match=r"visitors is 2\.5"):
        advise(5, 2.5, 3)
