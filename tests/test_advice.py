"""Advice: what is played, what is recommended, and bad input."""

import json
import sys

import pytest

from winnerstays.advice import WAYS, Case, _size, advise
from winnerstays.arena import Settings
from winnerstays.cli import main
from winnerstays.errors import WinnerstaysError


@pytest.fixture
def command(capsys, monkeypatch):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["winnerstays", "advise", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        said = capsys.readouterr()
        return stop.value.code, said.out, said.err

    return run


def test_how_many_are_played():
    """All of few visitors, several times; of many the later half of as many as fit."""
    assert _size(Case(10, 50, 10), 3000) == (50, 0, 6)
    assert _size(Case(10, 10**6, 10), 3000) == (75, 37, 4)
    assert _size(Case(10, 10**6, 1000), 40) == (2, 1, 4)


def test_tastes_in_common_are_worth_a_crowd():
    """60 items, 10 answers: with the crowd twice as many duels have the favourite as alone, three standard errors more.

    Where tastes have nothing in common, one learner for everyone shows favourites no more often than by chance does.
    """
    agree = advise(60, 100_000, 10, correlated=True, max_duels=6000)
    crowd, alone, *_ = agree.outcomes
    assert agree.best == crowd and crowd.on_screen > 2 * alone.on_screen
    assert crowd.on_screen - alone.on_screen > 3 * crowd.error
    assert agree.settings["crowd"] and agree.settings["audience"] == "user" and agree.settings["holdout"] == 0.01
    assert agree.visitors == 300 and "Take an arena for each user with ws-root" in str(agree)
    differ = advise(60, 100_000, 10, max_duels=2000)
    assert differ.outcomes[3].on_screen < 2 / 60 + 4 * differ.outcomes[3].error
    assert differ.best.way.startswith("each user") and differ.best.on_screen > 2 / 60


def test_open_duels_cost_winner_stays_what_they_teach():
    """With one open duel all is learned; with 50, ws-w learns little, and its visitors see less of their favourite."""
    one, fifty = (
        {each.way: each for each in advise(10, 300, 10, open_duels=count, correlated=True, max_duels=3000).outcomes}
        for count in (1, 50)
    )
    assert one["everyone, ws-w"].taught_nothing == 0 < 0.5 < fifty["everyone, ws-w"].taught_nothing
    assert fifty["everyone, ws-root"].taught_nothing == 0
    assert fifty["everyone, ws-w"].on_screen < one["everyone, ws-w"].on_screen


def test_one_visitor_has_no_crowd_and_no_arena_for_everyone():
    """Others are not there to learn from, and 200 items are too many for so few answers: both are said."""
    advice = advise(200, 1, 5, max_duels=300)
    assert [one.way for one in advice.outcomes] == [way for way in WAYS if way.startswith("each user")]
    said = str(advice)
    assert said.startswith("1 visitor, 5 answers, 200 items: the favourite is seen with chance ")
    assert "Take an arena for each user with ws-root; but few see" in said


def test_another_way_is_taken_only_if_it_is_clearly_better():
    """Of two items both are always shown: no way is better, so the defaults of an arena are taken."""
    advice = advise(2, 10, 5, max_duels=400)
    assert advice.best == advice.outcomes[0] and advice.settings["algorithm"] == "ws-root"
    assert "few see" not in str(advice) and "crowd" not in str(advice)
    agree = advise(10, 300, 10, open_duels=1, correlated=True, max_duels=2000)
    others = [one for one in agree.outcomes if one.on_screen > agree.best.on_screen]
    assert all(one.on_screen - agree.best.on_screen < 3 * (one.error + agree.best.error) for one in others)


def test_the_settings_are_settings_of_an_arena_and_few_visitors_get_no_control_group(command):
    code, said, _ = command("--items", 3, "--visitors", 30, "--answers-each", 5, "--json")
    advice = json.loads(said)
    assert code == 0 and advice["settings"]["holdout"] == 0 and len(advice["outcomes"]) == len(WAYS)
    assert Settings(name="a", items=("x", "y", "z"), **advice["settings"]).max_open == 5
    code, said, _ = command("--items", 3, "--visitors", 30, "--answers-each", 5)
    assert code == 0 and "Arena.open(" in said and "too few visitors" in " ".join(said.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Give all of --items, --visitors and --answers-each"),
        (["--items", 1, "--visitors", 10, "--answers-each", 5], "items is 1, but must be a whole number from 2"),
        (["--items", 10**6, "--visitors", 10, "--answers-each", 5], "items is 1000000, but must be"),
        (["--items", 5, "--visitors", 0, "--answers-each", 5], "visitors is 0"),
        (["--items", 5, "--visitors", 10, "--answers-each", -1], "answers-each is -1"),
        (["--items", 5, "--visitors", 10, "--answers-each", 5, "--open", 0], "open is 0"),
        (["--items", "many", "--visitors", 10, "--answers-each", 5], "many"),
        (["--items", 5, "--visitors", 10, "--answers-each", 5, "--seed", -1], "seed is -1"),
    ],
)
def test_bad_input_gets_a_sentence(command, words, sentence):
    code, _, said = command(*words)
    assert code == 2 and sentence in said and "Traceback" not in said


def test_a_case_is_made_of_whole_numbers():
    with pytest.raises(WinnerstaysError, match=r"visitors is 2\.5"):
        advise(5, 2.5, 3)
