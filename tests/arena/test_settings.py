"""Settings and answers: what is accepted, and sentences for what is not."""

import json
import re
import subprocess
import sys

import pytest

from winnerstays import Arena, WinnerstaysError
from winnerstays.arena import Answer, DifferentArenaError, Item, Settings, UnknownArenaError

ITEMS = ["ramen", "tacos", "pho"]


def test_reopened_arena_keeps_its_settings(tmp_path):
    path = str(tmp_path / "arena.db")
    with Arena.open(path, "lunch", ITEMS, patience=5, algorithm="ws-s", params={"beta": 1.3}) as arena:
        settings = arena.settings
    with Arena.open(path, "lunch") as arena:
        assert arena.settings == settings and arena.settings.params == {"beta": 1.3}
    with Arena.open(path, "lunch", ITEMS, patience=5) as arena:
        assert arena.settings == settings
    with pytest.raises(DifferentArenaError, match="patience=5"):
        Arena.open(path, "lunch", patience=6)
    with pytest.raises(UnknownArenaError, match="did you mean 'lunch'"):
        Arena.open(path, "lunhc")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"items": "ramen"}, "list of items"),
        ({"items": [{"title": "x"}, "b"]}, "id is needed"),
        ({"items": [{"id": "x", "size": 3}, "b"]}, "fields"),
        ({"items": ["a", 7]}, "must be a text"),
        ({"items": ["a", ""]}, "1 to 200"),
        ({"items": [Item(id="a", features=(1.0,)), "b"]}, "equally many features"),
        ({"name": "a/b"}, "'/'"),
        ({"patience": 0}, "patience is 0"),
        ({"expires_after": -1}, "expires_after is -1"),
        ({"seed": -1}, "seed is -1"),
        ({"ties": "win"}, "'nothing', 'coin'"),
        ({"params": {"beta": 2}}, "beta"),
    ],
)
def test_wrong_settings_are_sentences(settings, said):
    with pytest.raises(WinnerstaysError, match=said):
        Settings(**{"name": "lunch", "items": ITEMS, **settings})


@pytest.mark.parametrize("answer", ["duel", ("a", "b", "c"), {"winner": "x"}, {"duel": "x", "colour": "red"}])
def test_wrong_answers_are_sentences(answer):
    with pytest.raises(WinnerstaysError, match="answer"):
        Answer.of(answer)


def test_items_may_be_mappings_and_answers_too():
    with Arena.open("memory:", items=[{"id": "a", "title": "A"}, {"id": "b", "link": "https://b"}]) as arena:
        assert [item.title for item in arena.items] == ["A", "b"]
        duels = arena.ask_many(["ada", "bob"])
        receipts = arena.tell_many([{"duel": duels[0].id, "winner": "a"}, {"duel": duels[1].id, "outcome": "tie"}])
        assert [receipt.status for receipt in receipts] == ["learned", "noted"]


def say(code):
    """What a new process prints that runs this code."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_learner_needs_no_extra():
    code = "import winnerstays, sys; winnerstays.Learner; print({'pydantic', 'sqlalchemy'} & {*sys.modules})"
    assert say(code) == "set()\n"


def test_sqlite_arena_needs_no_web_server(tmp_path):
    code = (
        "import sys; from winnerstays import Arena\n"
        f"Arena.open({str(tmp_path / 'arena.db')!r}, items=['a', 'b']).ask('ada')\n"
        "print({'fastapi', 'starlette', 'uvicorn', 'httpx', 'psycopg'} & {*sys.modules})"
    )
    assert say(code) == "set()\n"


@pytest.mark.parametrize(
    ("hidden", "address", "extra"),
    [
        ("pydantic", "memory:", "arena"),
        ("alembic", "memory:", "arena"),
        ("psycopg", "postgresql://localhost/x", "postgresql"),
        ("httpx", "http://localhost", "remote"),
    ],
)
def test_missing_extra_is_named(hidden, address, extra):
    code = (
        f"import sys; sys.modules[{hidden!r}] = None; import winnerstays\n"
        f"try: winnerstays.Arena.open({address!r}, items=['a', 'b'])\n"
        "except winnerstays.WinnerstaysError as error: print(error)"
    )
    assert re.search(rf"pip install '.*\[{extra}\]'", say(code))


def test_settings_that_were_given_are_compared():
    settings = Settings(name="lunch", items=ITEMS, patience=5, seed=None)
    assert settings.given() == {"items": settings.items, "patience": 5} and 0 <= settings.seed < 2**63
    with pytest.raises(DifferentArenaError, match="patience=5, not 6"):
        settings.check_same({"patience": 6})
    with pytest.raises(WinnerstaysError, match="no setting of an arena 'colour'"):
        settings.check_same({"colour": "red"})


def test_settings_come_back_from_json():
    items = [Item(id="a", title="A", features=(1, 2.5)), {"id": "b", "features": [0, 1e-9]}]
    settings = Settings(name="lunch", items=items, algorithm="ws-s", params={"beta": 1.3}, horizon=100)
    assert (
        Settings(**json.loads(settings.model_dump_json()))
        == settings
        == Settings.model_validate_json(settings.model_dump_json())
    )


@pytest.mark.parametrize("features", ["12", [True], ["1"], [float("nan")], [10**400], [10**5000], [1e300], 7, {"a": 1}])
def test_features_are_numbers(features):
    with pytest.raises(
        WinnerstaysError,
        match=r"eature.* of item 'a' is .*, but (it should be a valid tuple|must be a number from)",
    ):
        Item(id="a", features=features)


def test_an_arena_can_be_made_public_later():
    arena = Arena.open("memory:", items=["ramen", "tacos", "pho"])
    arena.change(public=True)
    assert arena.settings.public
    with pytest.raises(WinnerstaysError, match="fixed"):
        arena.change(audience="everyone")


def test_tell_many_is_for_one_arena():
    with Arena.open("memory:", "lunch", ITEMS) as arena:
        duel = arena.ask("ada")
        for answer in (Answer(duel.id, duel.left, arena="music"), {"duel": duel.id, "arena": "music"}):
            with pytest.raises(WinnerstaysError, match="'music'"):
                arena.tell_many([answer])
        assert arena.tell_many([Answer(duel.id, duel.left)])[0].status == "learned"


def test_many_items_with_one_twice_are_refused_at_once():
    """Counting each of 110,000 ids in a list of them took minutes; the suite would not end."""
    with pytest.raises(WinnerstaysError, match="'item 7' is listed twice"):
        Settings(name="many", items=[*(f"item {number}" for number in range(110_000)), "item 7"])


def test_a_regret_stands_for_the_algorithm_that_is_made_for_it():
    for regret, algorithm in (("weak", "tastes"), ("strong", "ws-t")):
        with Arena.open("memory:", "lunch", ["ramen", "tacos"], regret=regret) as arena:
            assert arena.settings.algorithm == algorithm
    with Arena.open("memory:", "lunch", ["ramen", "tacos"], regret="strong", algorithm="dts") as arena:
        assert arena.settings.algorithm == "dts"
    with pytest.raises(WinnerstaysError, match="middling"):
        Arena.open("memory:", "lunch", ["ramen", "tacos"], regret="middling")


@pytest.mark.parametrize("given", [{}, {"items": ["a", "b"], "audience": "usr"}, {"items": ["a"]}, {"items": "ab"},
                                   {"items": ["a", "b"], "algorithm": "none"}])  # fmt: skip
def test_an_arena_that_is_refused_leaves_no_file(tmp_path, given):
    with pytest.raises(WinnerstaysError):
        Arena.open(str(tmp_path / "none.db"), **given)
    assert not list(tmp_path.iterdir())
