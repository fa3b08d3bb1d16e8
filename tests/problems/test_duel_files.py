"""Tables of duels that could be misread: each is read as its writer meant it, or asked about, never silently wrong.

Every case is a file of a few rows whose wins are counted by hand.
"""

import json

import pytest

from tests.problems.test_formats import put
from winnerstays import WinnerstaysError
from winnerstays.problems import load
from winnerstays.problems.readers.scores import score_of


def wins(path, **options):
    """Return how often each item was chosen over each, as `a>b`, and the note."""
    one = load(path, **options)
    found = {f"{one.items[i]}>{one.items[j]}": one.counts[i, j] for i, j in zip(*one.counts.nonzero(), strict=True)}
    return found, one.note


def read(folder, text, name="t.csv", **options):
    return wins(put(folder, name, text), **options)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("player,opponent,result\nA,B,W\nB,A,L\nA,C,D\nC,A,D\n", {"A>B": 1, "A>C": 0.5, "C>A": 0.5}),
        ("day,team,opponent,team_pts,opponent_pts\n1,A,B,3,1\n1,B,A,1,3\n2,A,B,0,1\n2,B,A,1,0\n", {"A>B": 1, "B>A": 1}),
        ("player,opponent,wins,losses\nA,B,7,3\nB,A,3,7\n", {"A>B": 7, "B>A": 3}),
    ],
)  # fmt: skip
def test_games_listed_from_both_sides_count_once(tmp_path, table, expected):
    found, note = read(tmp_path, table)
    assert found == expected and "each game is listed from both sides and counted once" in note


def test_games_that_only_look_alike_count_each(tmp_path):
    assert read(tmp_path, "team,opponent,team_score,opponent_score\nA,B,3,1\nB,A,2,3\n")[0] == {"A>B": 2}
    assert read(tmp_path, "date,player,opponent,result\n1,A,B,W\n2,B,A,L\n")[0] == {"A>B": 2}
    assert read(tmp_path, "home,away,result\nA,B,W\nB,A,L\n")[0] == {"A>B": 2}
    path = put(tmp_path, "t.csv", "player,opponent,result\nA,B,W\nB,A,L\n")
    assert wins(path, columns="left=player,right=opponent")[0] == {"A>B": 2}


def test_a_log_with_one_twin_missing_is_asked_about(tmp_path):
    rows = "".join(f"{day},A,B,W\n{day},B,A,L\n" for day in range(10))
    path = put(tmp_path, "t.csv", "day,player,opponent,result\n" + rows + "11,A,B,W\n")
    with pytest.raises(
        WinnerstaysError, match=r"of 21 rows all but 1 have a twin .*--columns left=player,right=opponent"
    ):
        load(path)
    assert wins(path, columns="left=player,right=opponent")[0] == {"A>B": 21}


def test_fields_that_come_late_are_seen(tmp_path):
    records = [{"winner": "A", "loser": "B"}] * 1500 + [{"winner": "A", "loser": "B", "tie": 1}]
    for name, text in (("t.json", json.dumps(records)), ("t.jsonl", "\n".join(map(json.dumps, records)))):
        assert read(tmp_path, text, name)[0] == {"A>B": 1500.5, "B>A": 0.5}


@pytest.mark.parametrize(
    ("table", "expected", "said"),
    [
        ("n,winner,loser\n1,x,y\n2,y,z\n3,x,z\n", {"x>y": 1, "y>z": 1, "x>z": 1}, "n numbers the rows"),
        ("num;winner;loser\n0;x;y\n1;y;z\n", {"x>y": 1, "y>z": 1}, "num numbers the rows"),
        ("winner,loser,n\nx,y,1\ny,z,2\nx,z,3\n", {"x>y": 1, "y>z": 2, "x>z": 3}, "each row counts n times"),
        ("a,b,wins_a,wins_b,n\nx,y,7,3,10\ny,z,1,1,2\n", {"x>y": 7, "y>x": 3, "y>z": 1, "z>y": 1}, "n is the sum"),
        ("a,b,wins_a,wins_b,ties,count\nx,y,7,2,1,10\n", {"x>y": 7.5, "y>x": 2.5}, "count is the sum"),
    ],
)
def test_what_is_called_a_count_may_be_none(tmp_path, table, expected, said):
    found, note = read(tmp_path, table)
    assert found == expected and said in note


def test_a_count_beside_wins_that_is_not_their_sum_is_asked_about(tmp_path):
    path = put(tmp_path, "t.csv", "a,b,wins_a,wins_b,n\nx,y,2,1,3\ny,z,2,1,2\n")
    with pytest.raises(
        WinnerstaysError, match=r"n, which is not their sum in line 3, .*--columns count=n.*count= for none"
    ):
        load(path)
    assert wins(path, columns="count=")[0]["x>y"] == 2 and wins(path, columns="count=n")[0]["x>y"] == 6


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("0,125", "2,250", (0.125, 2.25)),
        ("1,234", "12,5", (1.234, 12.5)),
        ("1,234", "12", (1234, 12)),
        ("1,234,567", "1,200.5", (1234567, 1200.5)),
    ],
)
def test_a_comma_means_one_thing_in_a_column(tmp_path, one, other, expected):
    found, note = read(tmp_path, f'winner,loser,weight\nA,B,"{one}"\nB,C,"{other}"\n')
    assert (found["A>B"], found["B>C"]) == expected
    assert ("in weight a comma stands before decimals" in note) == (
        expected[1] % 1 != 0 and "," in other and "." not in other
    )


def test_a_comma_means_one_thing_in_a_file(tmp_path):
    assert read(tmp_path, 'home,away,home_score,away_score\nA,B,"1,500","2,5"\n')[0] == {"B>A": 1}
    assert read(tmp_path, 'home,away,home_score,away_score\nA,B,"1,500","2,000"\n')[0] == {"B>A": 1}


@pytest.mark.parametrize(
    "table",
    [
        "winner,loser,result\nA,B,win\nB,C,draw\n",
        "winner,loser,result\nA,B,2-0\nB,C,1-1\n",
        "left,right,winner,tie\nA,B,A,0\nB,C,B,1\n",
        "a,b,winner,is_draw\nA,B,A,false\nB,C,,true\n",
        "home,away,home_win,draw\nA,B,1,0\nC,B,0,1\n",
        "winner,loser,verdict\nA,B,clear\nB,C,Tied\n",
        "winner,loser,score\nA,B,2-1\nB,C,1-1\n",
        "winner,loser,winner_score,loser_score\nA,B,2,1\nB,C,2,2\n",
        "WTeam,LTeam,WPts,LPts\nA,B,2,1\nB,C,2,2\n",
        "winner,loser,outcome\nA,B,1\nB,C,0.5\n",
        "chosen,rejected,label\nA,B,chosen\nB,C,tie\n",
        "winner,loser,ties\nA,B,0\nB,C,1\n",
        "Sieger;Verlierer;Ergebnis\nA;B;ok\nB;C;tie\n",
        "Week,Winner/tie,Loser/tie,PtsW,PtsL\n1,A,B,20,10\n2,B,C,10,10\n",
    ],
)
def test_ties_said_in_a_column_of_their_own(tmp_path, table):
    assert read(tmp_path, table)[0] == {"A>B": 1, "B>C": 0.5, "C>B": 0.5}


@pytest.mark.parametrize(
    "table",
    [
        "home,away,home_score,away_score,winner\nx,y,2,1,y\nx,z,2,1,x\n",
        "winner,loser,score\ny,x,1-2\nx,z,3-0\n",
        "HomeTeam,AwayTeam,FTHG,FTAG,FTR\nx,y,2,1,A\nx,z,2,1,H\n",
        "winner,loser,winner_score,loser_score\ny,x,1,3\nx,z,2,0\n",
        "home,away,home_score,away_score,home_win\nx,y,2,1,0\nx,z,2,1,1\n",
        "home,away,home_score,away_score,winner\nx,y,1,1,y\nx,z,2,1,x\n",
    ],
)
def test_a_winner_whom_the_score_contradicts_counts_and_is_named(tmp_path, table):
    found, note = read(tmp_path, table)
    assert found == {"y>x": 1, "x>z": 1}
    assert "in 1 row, first in line 2, the score says otherwise, but who is named as the winner counts" in note


def test_points_of_a_ranking_are_no_score(tmp_path):
    header = "winner_name,winner_rank_points,loser_name,loser_rank_points,score\n"
    found, note = read(tmp_path, header + "A,500,B,500,6-4 6-2\nB,100,C,400,W/O\n")
    assert found == {"A>B": 1, "B>C": 1} and "score says" not in note


def test_what_cannot_be_a_flag_can_be_left_aside(tmp_path):
    path = put(tmp_path, "t.csv", "home,away,draw,result\nA,B,3.4,H\nB,C,3.1,D\n")
    with pytest.raises(WinnerstaysError, match=r"the column draw holds 3.1, 3.4, .*--columns tie= leaves it aside"):
        load(path)
    assert wins(path, columns="tie=")[0] == {"A>B": 1, "B>C": 0.5, "C>B": 0.5}
    odds = "home_team,away_team,odds_home,odds_draw,odds_away,result\nA,B,1.9,3.4,4,H\n"
    assert read(tmp_path, odds)[0] == {"A>B": 1}


def test_where_fewer_points_win_all_scores_contradict(tmp_path):
    _, note = read(tmp_path, "winner,loser,winner_score,loser_score\nA,B,68,70\nB,C,66,71\n")
    assert "in 2 rows" in note and "perhaps fewer points win" in note


def test_games_that_were_not_played_are_no_ties(tmp_path):
    rows = "A,B,1,0,FINISHED\nA,C,0,0,SCHEDULED\nA,C,,,POSTPONED\nB,C,,,\nB,C,0,0,finished\n"
    found, note = read(tmp_path, "home,away,home_score,away_score,match_status\n" + rows)
    assert found == {"A>B": 1, "B>C": 0.5, "C>B": 0.5} and "3 without a decision left out" in note
    found, note = read(tmp_path, "home,away,score\nA,B,2-1\nA,C,\nB,C,-\n")
    assert found == {"A>B": 1} and "2 without a decision left out" in note


def test_penalties_decide_an_equal_score(tmp_path):
    table = "home,away,home_goals,away_goals,home_penalties,away_penalties\nA,B,1,1,3,4\nA,C,1,1,,\nA,B,2,1,,\n"
    found, note = read(tmp_path, table)
    assert found == {"B>A": 1, "A>B": 1, "A>C": 0.5, "C>A": 0.5}
    assert "equal scores by home_penalties and away_penalties" in note


def test_an_empty_winner_is_decided_by_the_score(tmp_path):
    found, note = read(tmp_path, "home,away,home_score,away_score,winner\nA,B,2,1,A\nB,C,1,1,\nA,C,,,\n")
    assert found == {"A>B": 1, "B>C": 0.5, "C>B": 0.5}
    assert "2 rows without winner by their score" in note and "1 without a decision left out" in note


def chat(text):
    return [{"role": "user", "content": "well?"}, {"role": "assistant", "content": text}]


@pytest.mark.parametrize(
    "items",
    [
        [{"name": "A", "elo": 1}, {"name": "B", "elo": 2}, {"name": "A", "elo": 3}],
        [{"id": "A", "tags": ["x"]}, {"id": "B"}, {"id": "A"}],
        [{"$oid": "A"}, {"$oid": "B"}, {"$oid": "A"}],
        [{"_id": {"$oid": "A"}, "x": 1}, {"_id": {"$oid": "B"}}, {"_id": {"$oid": "A"}}],
        [chat("A"), chat("B"), chat("A")],
    ],
)
def test_objects_are_called_by_their_name(tmp_path, items):
    one, other, again = items
    records = [{"winner": one, "loser": other}, {"winner": again, "loser": other}]
    found, note = read(tmp_path, json.dumps(records), "t.json")
    assert found == {"A>B": 2}
    assert ("of the chat messages in winner the last counts" in note) == isinstance(one, list)


def test_ids_of_objects_are_looked_up(tmp_path):
    home, away = {"id": 2, "name": "A"}, {"id": 1, "name": "B"}
    records = [{"home": home, "away": away, "winner": {"id": 1}}, {"home": away, "away": home, "winner": {"id": 1}}]
    found, note = read(tmp_path, json.dumps(records), "t.json")
    assert found == {"B>A": 2} and "winner is looked up in home.id and away.id" in note


@pytest.mark.parametrize(
    ("thing", "sentence"),
    [
        ({"x": 1, "y": 2}, "the columns are winner.x, winner.y, loser; a table of duels has"),
        (["A", "B"], r"record 1, column 1 \(winner\) is .*, but it must be text, or an object"),
        ({"name": {"first": "A"}}, "the columns are winner.name.first, loser; a table of duels has"),
    ],
)
def test_objects_without_a_name_are_asked_about(tmp_path, thing, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        read(tmp_path, json.dumps([{"winner": thing, "loser": "B"}]), "t.json")
    assert read(tmp_path, json.dumps([{"winner": "A", "loser": "B", "more": thing}]), "u.json")[0] == {"A>B": 1}


def test_what_is_no_item(tmp_path):
    found, note = read(tmp_path, 'winner,loser\n="A",B\nwinner,loser\nA,BYE\nWinner,Loser\n')
    assert found == {"A>B": 1} and "1 bye left out" in note and "2 rows of headers left out" in note
    found, note = read(tmp_path, "winner,loser\nA,B\n", columns="winner=1,loser=2")
    assert found == {"A>B": 1} and "1 row of headers left out" in note
    for missing in ("#N/A", "#REF!", r"\N", "#VALUE!"):
        with pytest.raises(WinnerstaysError, match="line 2 has no loser"):
            read(tmp_path, f"winner,loser\nA,{missing}\n")
    games = '[White "?"]\n[Black "A"]\n[Result "1-0"]\n\n[White "B"]\n[Black "A"]\n[Result "1-0"]\n'
    with pytest.raises(WinnerstaysError, match="line 1 has no White"):
        read(tmp_path, games, "t.pgn")


def test_names_that_look_the_same_are_named(tmp_path):
    _, note = read(tmp_path, "winner,loser\nA,B\nA\u200b,C\n007,7\n")
    assert r"'A' and 'A\u200b', '007' and '7' are taken for different items" in note


def test_a_winner_in_another_spelling(tmp_path):
    found, note = read(tmp_path, "home,away,winner\nReal  Madrid,Leeds,real madrid\nLeeds,12,12.0\n")
    assert read(tmp_path, "home,away,winner\nA,B,A\u200b\n")[0] == {"A>B": 1}  # A is no away
    assert found == {"Real  Madrid>Leeds": 1, "12>Leeds": 1} and "'real madrid' for 'Real  Madrid'" in note


def test_whose_number_comes_first_is_asked(tmp_path):
    for last in ("score", "result"):
        path = put(tmp_path, "t.csv", f"away,home,{last}\nA,B,2-1\n")
        with pytest.raises(
            WinnerstaysError, match=f"the first number in {last} may be of either; .*--columns left=away"
        ):
            load(path)
        role = "score" if last == "score" else "winner"
        assert wins(path, columns=f"left=away,right=home,{role}={last}")[0] == {"A>B": 1}
    assert read(tmp_path, "away,home,winner\nA,B,A\n")[0] == {"A>B": 1}


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("6-4 3-6 7-5", 1), ("4-6, 6-3, 6-7(5)", 0), ("7-6 (7-5) 6-4", 1), ("1-1 (pens 3-2)", 1), ("1-1 (3-4 p)", 0),
        ("0-2 (aet)", 0), ("3:2 n.V.", 1), ("1.5-0.5", 1), ("½-½", 0.5), ("1½:½", 1), ("2-1 (1-1)", 1), ("1\u22122", 0),
        ("1-1 (1-0)", None), ("6-4 4-6", None), ("1-1 (SO)", None), ("6-4 2-1 RET", None), ("2024-05-01", None),
    ],
)  # fmt: skip
def test_scores_as_people_write_them(text, share):
    assert score_of(text) == share


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("player,opponent,result\nA,B,W 3-1\nA,C,Drew\nB,C,L 0-2\n", {"A>B": 1, "A>C": 0.5, "C>A": 0.5, "C>B": 1}),
        ("home,away,result\nA,B,home win\nA,C,Away wins\n", {"A>B": 1, "C>A": 1}),
        ("model_a,model_b,winner\nx,y,A wins\nx,y,both_good\n", {"x>y": 1.5, "y>x": 0.5}),
        ("white,black,result\nA,B,1/2\nA,B,0-1\n", {"A>B": 0.5, "B>A": 1.5}),
        ("home,away,home_score,away_score\nA,B,-3,-1\n", {"B>A": 1}),
        ("Team 1,Score,Team 2,Score\nA,3,B,1\n", {"A>B": 1}),
        ("Away,Points,Home,Points\nA,3,B,1\n", {"A>B": 1}),
        ("game,winner\nA @ B,B\n", {"B>A": 1}),
        ("Mandante;Visitante;Resultado\nA;B;2-1\n", {"A>B": 1}),
        ("Thuisploeg Thuis;Ploeg Uit;Thuis;Uit;Uitslag\nx;y;A;B;2-1\n", {"A>B": 1}),
        ("Vencedor,Perdedor\nA,B\n", {"A>B": 1}),
        ("home,away,home_score,away_score,home_score_half,away_score_half\nA,B,2,1,0,1\n", {"A>B": 1}),
        ("HOME_TEAM_ID,VISITOR_TEAM_ID,PTS_home,PTS_away,HOME_TEAM_WINS\n10,11,9,8,1\n", {"10>11": 1}),
        ("p1_id,p1,p2_id,p2,winner\n5,Ann,6,Bob,6\n", {"Bob>Ann": 1}),
        ("home,away,home_score,away_score\nA,B,1,0\nB,A,\\N,\\N\n", {"A>B": 1}),
        ("Winnaar,Verliezer,Aantal\nA,B,3\n", {"A>B": 3}),
    ],
)
def test_more_ways_to_say_who_won(tmp_path, table, expected):
    assert read(tmp_path, table)[0] == expected


@pytest.mark.parametrize("header", ["option_a,option_b,option_c", "p1,p2,p3"])
def test_three_of_a_kind_are_no_two_sides(tmp_path, header):
    with pytest.raises(WinnerstaysError, match="no column is known"):
        read(tmp_path, f"{header},winner\nx,y,z,x\ny,x,z,y\n")


def test_a_column_whose_name_holds_a_comma(tmp_path):
    path = put(tmp_path, "t.csv", '"Won, finally",Lost\na,b\n')
    assert wins(path, columns='winner="Won, finally",loser=Lost')[0] == {"a>b": 1}
    with pytest.raises(WinnerstaysError, match=r"columns has 'finally', which has no `=`; .* in quotes where a comma"):
        load(path, columns="winner=Won, finally,loser=Lost")


def test_the_true_cause_comes_first(tmp_path):
    with pytest.raises(WinnerstaysError, match=r"in line 4 a quote .* is opened that is never closed"):
        read(tmp_path, 'winner,loser\nA,B\nA,C\n"B,C\nC,B\n')
    with pytest.raises(WinnerstaysError, match="is 'Rams' where 0 or 1"):
        read(tmp_path, "home,away,home_win\nRams,Bills,Rams\n")
    with pytest.raises(WinnerstaysError, match=r"There is no column 'x'. Known: League 2023\."):
        load(put(tmp_path, "t.csv", ",,League 2023\na,b,c\n"), columns="winner=x,loser=y")
    with pytest.raises(WinnerstaysError, match=r"There is no role of a column 'victor'. Known"):
        load(put(tmp_path, "t.csv", "a,b,c\na,b,c\n"), columns="victor=a")
    with pytest.raises(WinnerstaysError, match="the columns are none; a table of duels has"):
        read(tmp_path, "[{}]", "t.json")


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("winner,loser,winner_coach_name,loser_coach_name", "a,b,x,y"),
        ("HomeTeam,AwayTeam,FTHG,FTAG,FTR,HomeCoachName,AwayCoachName", "a,b,2,1,H,x,y"),
        ("home_team,away_team,home_score,away_score,home_qb_name,away_qb_name", "a,b,2,1,x,y"),
        ("white,black,result,white_club_name,black_club_name", "a,b,1-0,x,y"),
        ("player_1,player_2,winner,coach_1_name,coach_2_name", "a,b,a,x,y"),
        ("left,right,winner,left_file_name,right_file_name", "a,b,left,x,y"),
        ("winner,loser,tie,winner_team_name,loser_team_name", "a,b,0,x,y"),
        ("chosen,rejected,chosen_author_name,rejected_author_name", "a,b,x,y"),
        ("home,away,home_name,away_name,home_referee_name,away_referee_name,result", "1,2,a,b,x,y,H"),
        ("winner_id,winner_full_name,loser_id,loser_full_name", "1,a,2,b"),
        ("left,right,winner,left_image_url,right_image_url", "a,b,left,x,y"),
        ("winner,loser,winner_country,loser_country", "a,b,x,y"),
        ("player1,player2,winner,player1_race,player2_race", "a,b,1,x,y"),
        ("White,Black,Result,WhiteTeam,BlackTeam", "a,b,1-0,x,y"),
        ("player_1,player_2,club_1,club_2,winner", "a,b,x,y,player_1"),
        ("fighter_a,fighter_b,country_a,country_b,winner", "a,b,x,y,fighter_a"),
        ("Home Team,Away Team,Home Goals,Away Goals,Home xG,Away xG", "a,b,2,1,0.4,1.3"),
        ("model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie", "a,b,p,x,y,1,0,0"),
    ],
)
def test_the_plain_pair_names_the_items_whatever_stands_beside(tmp_path, header, row):
    assert read(tmp_path, f"{header}\n{row}\n")[0] == {"a>b": 1}


@pytest.mark.parametrize(
    ("table", "hint"),
    [
        ("home_team,away_team,home,away,result\na,b,2,1,H\n", "left=home_team,right=away_team,winner=result"),
        ("white,black,result,white_club,black_club\n7,8,1-0,a,b\n", "left=white_club,right=black_club,winner=result"),
        ("home,away,winner,player_1,player_2\nx,y,a,a,b\n", "left=player_1,right=player_2,winner=winner"),
    ],
)
def test_a_plain_pair_of_numbers_or_of_other_sides_is_asked_about(tmp_path, table, hint):
    path = put(tmp_path, "t.csv", table)
    with pytest.raises(WinnerstaysError, match=r"the items may be .* or .*--columns left="):
        load(path)
    assert wins(path, columns=hint)[0] == {"a>b": 1}


@pytest.mark.parametrize("name", ["score", "result"])
def test_scores_in_brackets_beside_decided_ones_are_those_at_half_time(tmp_path, name):
    found, note = read(tmp_path, f"home,away,{name}\na,b,2:1 (1:0)\nb,a,1-1 [0-1]\na,b,0:0 (0:0)\n")
    assert found == {"a>b": 2, "b>a": 1} and "half-time" in note


@pytest.mark.parametrize("first", ["2:1", "2:1 (1:0)", "2:1 (3:3)"])
def test_scores_in_brackets_that_may_be_penalties_are_refused(tmp_path, first):
    with pytest.raises(WinnerstaysError, match=r"line 3.*1:1 \(4:3\)"):
        read(tmp_path, f"home,away,score\na,b,{first}\nb,a,1:1 (4:3)\n")


@pytest.mark.parametrize(
    "table",
    [
        "player,opponent,wins,losses,draws,Win %\na,b,3,1,0,75\n",
        "player,opponent,wins,losses,player win rate\na,b,3,1,75.0\n",
        "a,b,wins_a,wins_b,win_pct_a,win_pct_b\na,b,3,1,75,25\n",
        "home,away,home_wins,away_wins,Home Win %,Away Win %\na,b,3,1,75,25\n",
    ],
)
def test_a_percentage_beside_counts_is_no_flag(tmp_path, table):
    assert read(tmp_path, table)[0] == {"a>b": 3, "b>a": 1}


def test_rows_are_not_to_be_left_out_where_none_can_be_read(tmp_path):
    with pytest.raises(WinnerstaysError, match=r"line 2.*no row can be read so; codes \(--codes 'good 1'=tie\)"):
        read(tmp_path, "home,away,result\na,b,good 1\nb,a,bad 2\n")
    with pytest.raises(WinnerstaysError, match=r"line 2.*--skip-bad"):
        read(tmp_path, "home,away,result\na,b,good\nb,a,H\n")


@pytest.mark.parametrize(
    "table",
    [
        "n,winner,loser\n10,a,b\n11,a,b\n12,a,b\n",
        "winner,loser,num\n" + "".join(f"a,b,{k}\n" for k in range(40, 30, -1)),
        "times,winner,loser\n1704067200,a,b\n1704067201,a,b\n1704067999,a,b\n",
    ],
)
def test_numbers_of_rows_and_times_of_day_are_no_counts(tmp_path, table):
    found, note = read(tmp_path, table)
    assert found == {"a>b": table.count("a,b")} and "is not used" in note


def test_three_rows_counted_downwards_are_asked_about(tmp_path):
    table = "n,winner,loser\n3,a,b\n2,a,b\n1,a,b\n"
    with pytest.raises(WinnerstaysError, match="--columns count=n"):
        read(tmp_path, table)
    assert read(tmp_path, table, columns="count=n")[0] == {"a>b": 6}
    assert read(tmp_path, table, columns="count=")[0] == {"a>b": 3}
    assert read(tmp_path, table.replace("n,", "count,", 1))[0] == {"a>b": 6}


@pytest.mark.parametrize("name", ["game_id", "MatchID", "gameid"])
def test_a_game_that_is_listed_from_both_sides_counts_once(tmp_path, name):
    header = f"{name},team_a,team_b,score_a,score_b\n"
    found, note = read(tmp_path, f"{header}1,a,b,2,1\n1,b,a,1,2\n2,a,b,0,3\n2,b,a,3,0\n")
    assert found == {"a>b": 1, "b>a": 1} and "counted once" in note
    assert read(tmp_path, f"{header}1,a,b,2,1\n2,b,a,1,2\n")[0] == {"a>b": 2}
    table = f"{name},model_a,model_b,winner\n1,x,y,x\n1,y,x,x\n"
    with pytest.raises(WinnerstaysError, match="--columns left=model_a,right=model_b"):
        read(tmp_path, table)
    assert read(tmp_path, table, columns="left=model_a,right=model_b")[0] == {"x>y": 2}


def test_two_texts_and_two_numbers_are_proposed_as_sides_and_scores(tmp_path):
    table = "Date,Hosts,Visiting side,For,Against\n2024-01-01,a,b,2,1\n2024-01-02,b,c,2,1\n2024-01-03,b,c,3,1\n"
    hint = "left=Hosts,right=Visiting side,left_score=For,right_score=Against"
    with pytest.raises(WinnerstaysError, match=f"--columns '{hint}' if the higher number wins"):
        read(tmp_path, table)
    assert read(tmp_path, table, columns=hint)[0] == {"a>b": 1, "b>c": 2}
