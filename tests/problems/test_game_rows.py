"""Games with a row for either side are read as duels where every game has two; else it is asked."""

import pytest

from tests.problems.test_duel_files import read
from winnerstays import WinnerstaysError

EXPECTED = {"A>B": 1.5, "B>A": 0.5, "C>A": 1}


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("game_id,team,score", "1,A,3 1,B,2 2,A,1 2,B,1 3,A,0 3,C,7"),
        ("MatchID,player,points,date", "1,A,3,x 2,A,1,x 1,B,2,x 3,A,0,x 3,C,7,x 2,B,1,x"),
        ("date,game,team_id,team_name,runs", "1,x,1,A,3 1,x,2,B,2 1,y,1,A,1 1,y,2,B,1 1,z,1,A,0 1,z,3,C,7"),
        ("match_id,player,result", "1,A,W 1,B,L 2,A,draw 2,B,D 3,A,lost 3,C,won"),
        ("fixture_id,club,goals,outcome", "1,A,2,win 1,B,1,loss 2,A,0,tie 2,B,0,tie 3,A,0,loss 3,C,1,win"),
        ("battle,model,won", "1,A,1 1,B,0 2,A,0.5 2,B,0.5 3,A,0 3,C,1"),
    ],
)
def test_two_rows_are_one_game(tmp_path, header, rows):
    found, note = read(tmp_path, header + "\n" + rows.replace(" ", "\n") + "\n")
    assert found == EXPECTED and "are one game" in note


def test_more_sides_are_asked_about_and_can_be_said(tmp_path):
    text = "game_id,team,score\n1,A,3\n1,B,2\n1,C,1\n2,A,1\n2,B,4\n"
    hint = "user=game_id,item=team,rating=score"
    with pytest.raises(WinnerstaysError, match=f"game_id '1' has 3 rows, .*--columns {hint} if the higher score wins"):
        read(tmp_path, text)
    assert read(tmp_path, text, columns=hint)[0] == {"A>B": 1, "B>A": 1, "A>C": 1, "B>C": 1}
    with pytest.raises(WinnerstaysError, match="game_id '2' has one row, and the two sides of a game have one each"):
        read(tmp_path, "game_id,team,score\n1,A,3\n1,B,2\n2,A,1\n")


def test_places_in_a_game_are_a_ranking(tmp_path):
    found, note = read(tmp_path, "match_id,player,place\n1,A,1\n1,B,2\n1,C,3\n2,B,1\n2,A,2\n")
    assert found == {"A>B": 1, "B>A": 1, "A>C": 1, "B>C": 1} and "place 1 is the best place" in note


def test_games_without_a_score_were_not_played(tmp_path):
    found, note = read(tmp_path, "game_id,team,score\n1,A,3\n1,B,2\n2,A,\n2,B,\n")
    assert found == {"A>B": 1} and "1 without a decision left out" in note


def test_results_that_contradict_each_other_are_bad(tmp_path):
    with pytest.raises(WinnerstaysError, match=r"line 3.*is 'W and W', but it must be .*; skip_bad"):
        read(tmp_path, "match_id,player,result\n1,A,W\n1,B,W\n2,A,W\n2,B,L\n")
