"""Records of JSON with objects in their fields, as the servers of football, chess and games give them."""

import json

import pytest

from tests.problems.test_duel_files import read, wins
from tests.problems.test_formats import put
from winnerstays import WinnerstaysError
from winnerstays.problems import load
from winnerstays.problems.readers.opening import Source
from winnerstays.problems.readers.table import read_table

A_AND_TIE = {"A>B": 1.5, "B>A": 0.5}
"""A beats B at home, and ties with B there."""


def pair(home, away, **more):
    return {"home": home, "away": away, **more}


def team(number, name, **more):
    return {"id": number, "name": name, "shortName": name.lower(), "tla": 3 * name, **more}


def goals(home, away):
    return {"home": home, "away": away}


FOOTBALL_DATA = {
    "filters": {"season": "2024"},
    "resultSet": {"count": 3, "first": "2024-08-01"},
    "matches": [
        {"id": 9, "area": {"id": 1, "name": "England"}, "homeTeam": team(1, "A"), "awayTeam": team(2, "B"),
         "score": {"winner": "HOME_TEAM", "fullTime": goals(2, 1), "halfTime": goals(0, 1)}, "status": "FINISHED"},
        {"id": 8, "area": {"id": 1, "name": "England"}, "homeTeam": team(1, "A"), "awayTeam": team(2, "B"),
         "score": {"winner": "DRAW", "fullTime": goals(1, 1), "halfTime": goals(0, 1)}, "status": "FINISHED"},
        {"id": 7, "area": {"id": 1, "name": "England"}, "homeTeam": team(1, "A"), "awayTeam": team(2, "B"),
         "score": {"winner": None, "fullTime": goals(None, None), "halfTime": goals(None, None)}, "status": "TIMED"},
    ],
}  # fmt: skip
OPENFOOTBALL = {
    "name": "League 2024/25",
    "matches": [
        {"round": "1", "team1": "A", "team2": "B", "score": {"ft": [2, 1], "ht": [0, 1]}},
        {"round": "1", "team1": "A", "team2": "B", "score": {"ft": [1, 1], "ht": [0, 1]}},
        {"round": "2", "team1": "B", "team2": "A"},
    ],
}
API_FOOTBALL = {
    "get": "fixtures", "errors": [], "results": 2,
    "response": [
        {"fixture": {"id": 1, "status": {"long": "Match Finished", "short": "FT"}}, "league": {"id": 1, "name": "L"},
         "teams": pair(team(1, "A", winner=True), team(2, "B", winner=False)), "goals": goals(2, 1)},
        {"fixture": {"id": 2, "status": {"long": "Match Finished", "short": "FT"}}, "league": {"id": 1, "name": "L"},
         "teams": pair(team(1, "A", winner=None), team(2, "B", winner=None)), "goals": goals(1, 1)},
    ],
}  # fmt: skip
LICHESS = [
    {"id": "x", "status": "mate", "winner": "white", "players": {"white": {"user": team("a", "A"), "rating": 1500},
     "black": {"user": team("b", "B")}}},
    {"id": "y", "status": "stalemate", "players": {"white": {"user": team("a", "A")},
     "black": {"user": team("b", "B")}}},
]  # fmt: skip
FULL_TIME = "winner=,left_score=score.fullTime.home,right_score=score.fullTime.away"
CHESS_COM = {
    "games": [
        {"url": "x", "white": {"username": "A", "result": "win", "rating": 1}, "black": {"username": "B",
         "result": "resigned"}},
        {"url": "y", "white": {"username": "A", "result": "agreed"}, "black": {"username": "B", "result": "agreed"}},
    ]
}  # fmt: skip


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (FOOTBALL_DATA, {}),
        (FOOTBALL_DATA, {"columns": "winner=score.winner"}),
        (FOOTBALL_DATA, {"columns": f"left=homeTeam.name,right=awayTeam.name,{FULL_TIME}"}),
        (OPENFOOTBALL, {}),
        (API_FOOTBALL, {}),
        (CHESS_COM, {}),
        (LICHESS, {}),
        ([{"pair": ["A", "B"], "winner": "A"}, {"pair": ["A", "B"], "winner": "tie"}], {}),
        ([{"teams": [team(1, "A"), team(2, "B")], "choice": c} for c in (0, "tie")], {}),
        (OPENFOOTBALL, {"columns": "left=team1,right=team2,score=score.ft"}),
        (API_FOOTBALL, {"columns": "left_won=,right_won=,left_score=goals.home,right_score=goals.away"}),
        (CHESS_COM, {"columns": "winner=white.result", "codes": "win=left,resigned=right,agreed=tie"}),
        ([{**pair("A", "B"), "score": [2, 1]}, {**pair("A", "B"), "score": [0, 0]}], {}),
        ([{**pair("A", "B"), "score": goals(2, 1)}, {**pair("A", "B"), "score": goals(0, 0)}], {}),
        ({"rounds": [{"name": "1", "matches": [{**pair("A", "B"), "result": "H"}]}, {"name": "2", "matches": []},
                     {"name": "3", "matches": [{**pair("A", "B"), "result": "D"}]}]}, {}),
        ([{"day": {"games": [{**pair("A", "B"), "result": r}]}} for r in "HD"], {}),
        ({"g1": {**pair("A", "B"), "result": "H"}, "g2": {**pair("A", "B"), "result": "D"}}, {}),
    ],
)  # fmt: skip
def test_fields_of_objects_are_columns(tmp_path, data, options):
    assert read(tmp_path, json.dumps(data), "t.json", **options)[0] == A_AND_TIE


def test_lines_of_nested_records(tmp_path):
    def side(name):
        return {"user": {"name": name, "id": name.lower()}, "rating": 1500}

    game = {"id": "q", "players": {"white": side("A"), "black": side("B")}, "winner": "white"}
    other = {"id": "r", "players": {"white": side("A"), "black": side("B")}, "winner": "black"}
    path = put(tmp_path, "t.ndjson", f"{json.dumps(game)}\n{json.dumps(other)}\n")
    assert wins(path)[0] == {"A>B": 1, "B>A": 1}
    assert wins(path, columns="left=players.white.user.id,right=players.black.user.id")[0] == {"a>b": 1, "b>a": 1}
    assert wins(put(tmp_path, "one.ndjson", json.dumps(game)))[0] == {"A>B": 1}


def test_names_of_objects_have_to_be_asked_for(tmp_path):
    path = put(tmp_path, "t.json", json.dumps(FOOTBALL_DATA))
    short = wins(path, columns=f"left=homeTeam.shortName,right=awayTeam.shortName,{FULL_TIME}")
    assert short[0] == {"a>b": 1.5, "b>a": 0.5}
    with pytest.raises(WinnerstaysError, match=r"There is no column 'homeTeam\.fullName'"):
        load(path, columns="left=homeTeam.fullName,right=awayTeam.shortName")


def test_dictionaries_and_deep_objects_are_no_columns(tmp_path):
    deep = {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}}
    records = [{"winner": "A", "loser": "B", "x": {str(k): 1 for k in range(k, k + 60)}, "y": deep} for k in (0, 60)]
    header = read_table(Source(put(tmp_path, "t.json", json.dumps(records)))).header
    assert header == ["winner", "loser", "x", "y.a.b.c.d"]
    assert read(
        tmp_path, json.dumps([{"a.b": "A", "a": {"b": "C"}, "loser": "B"}]), "t.json", columns="winner=a.b,loser=loser"
    )[0] == {"A>B": 1}


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("t.json", '{"A>B": 3, "A>B": 2}', "the key 'A>B' twice, with '3' and '2'; leave one of them out"),
        ("t.json", '[{"winner": "A", "loser": "B", "winner": "C"}]', "the key 'winner' twice, with 'A' and 'C'"),
        ("t.jsonl", '{"winner": "A", "loser": "B"}\n{"winner": "A", "loser": "B", "loser": "C"}\n',
         "line 2: an object has the key 'loser' twice"),
        ("t.jsonl", '{"winner": "A", "winner": "B"}\n{"winner": "A", "loser": "B"}\n', "the key 'winner' twice"),
    ],
)  # fmt: skip
def test_an_object_that_says_two_things_is_refused(tmp_path, name, text, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        read(tmp_path, text, name)
    assert read(tmp_path, '[{"winner": "A", "loser": "B", "loser": "B"}]', "same.json")[0] == {"A>B": 1}


@pytest.mark.parametrize("words", [("wins", "losses"), ("won", "lost"), ("games_won", "games_lost")])
def test_totals_of_items_are_no_duels(tmp_path, words):
    totals = {"Ann": dict.fromkeys(words, 3), "Bob": dict.fromkeys(words, 1)}
    with pytest.raises(WinnerstaysError, match=f"'Ann' has {words[0]}, {words[1]}, which is what it won and lost in"):
        read(tmp_path, json.dumps(totals), "t.json")
    assert read(tmp_path, '{"Ann": {"Bob": 3}, "Bob": {"Ann": 1}}', "u.json")[0] == {"Ann>Bob": 3, "Bob>Ann": 1}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            [{"name": name, "wins": 3, "losses": 1} for name in ("Ann", "Bob")],
            "wins and losses of each item do",
        ),
        ({name: {"Pizza": 5, "Sushi": 3} for name in "uv"}, "'u' has numbers for Pizza, Sushi; if these are items"),
        ([{"voter": name, "Pizza": 5, "Sushi": 3} for name in "uv"], r"the columns are .*--cells ranks"),
    ],
)
def test_numbers_of_items_are_asked_about(tmp_path, data, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        read(tmp_path, json.dumps(data), "t.json")


def test_records_of_voters(tmp_path):
    records = [{"voter": "u", "Pizza": 5, "Sushi": 3}, {"voter": "v", "Pizza": 1, "Sushi": 1}]
    found, _ = read(tmp_path, json.dumps(records), "t.json", cells="ratings")
    assert found == {"Pizza>Sushi": 1.5, "Sushi>Pizza": 0.5}
