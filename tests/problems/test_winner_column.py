"""What a winner's column means: names, ids, sides or codes, decided once from all rows, or asked about."""

import pytest

from tests.problems.test_duel_files import read, wins
from tests.problems.test_formats import put
from winnerstays import WinnerstaysError
from winnerstays.problems import load

IDS = [
    ("player1_id,player1_name,player2_id,player2_name,winner_id", "2,Bob,1,Ann,1", "1,Ann,2,Bob,1"),
    ("home_id,home_name,away_id,away_name,winner", "2,Bob,1,Ann,1", "1,Ann,2,Bob,1"),
    ("home_id,home,away_id,away,winner_id", "2,Bob,0,Ann,0", "0,Ann,2,Bob,0"),
    ("left,left_id,right,right_id,winner", "Bob,12,Ann,17,17", "Ann,17,Bob,12,17"),
    ("team_a_id,team_a,team_b_id,team_b,winner_id", "x2,Bob,x1,Ann,x1", "x1,Ann,x2,Bob,x1"),
    ("model_a,model_b,model_a_id,model_b_id,winner_id", "Bob,Ann,7,8,8.0", "Ann,Bob,8,7,8.0"),
]


@pytest.mark.parametrize("rows", IDS, ids=lambda rows: rows[0])
def test_an_id_of_the_winner_is_looked_up_beside_the_names(tmp_path, rows):
    found, note = read(tmp_path, "\n".join(rows))
    assert found == {"Ann>Bob": 2} and "is looked up in" in note


def test_an_id_of_the_winner_is_no_side(tmp_path):
    path = put(tmp_path, "t.csv", "player_1,player_2,winner_id\nx,y,1\ny,x,2\n")
    with pytest.raises(WinnerstaysError, match=r"line 2, column 3 \(winner_id\) is '1'.*--codes 1=left"):
        load(path)
    assert wins(path, codes="1=left,2=right")[0] == {"x>y": 2}


def test_two_ids_of_one_name_are_named(tmp_path):
    _, note = read(tmp_path, "winner_id,winner_name,loser_id,loser_name\n1,Bob,2,Ann\n7,Bob,2,Ann\n")
    assert "'Bob' has the ids 1, 7" in note


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("model_a,model_b,winner\nC,A,A\nB,D,A\nD,C,B\n", {"C>A": 1, "B>D": 1, "C>D": 1}),
        ("home,away,result\nA,H,H\nA,X,H\nX,H,A\n", {"A>H": 1, "A>X": 1, "H>X": 1}),
        ("team1,team2,winner\n3,1,1\n4,3,2\n4,2,2\n", {"3>1": 1, "3>4": 1, "2>4": 1}),
        ("left,right,winner\n0,5,0\n5,3,1\n3,4,0\n", {"0>5": 1, "3>5": 1, "3>4": 1}),
        ("a,b,outcome\n-1,1,1\n1,7,-1\n7,0,0\n", {"-1>1": 1, "7>1": 1, "7>0": 0.5, "0>7": 0.5}),
    ],
)
def test_a_side_is_a_side_in_every_row(tmp_path, table, expected):
    """Items are called like sides: some rows can only mean sides, so all of them do."""
    found, note = read(tmp_path, table)
    assert found == expected and "in winner, " in note.replace("in result", "in winner").replace(
        "in outcome", "in winner"
    )


def test_what_is_called_like_a_column_is_a_side_in_every_row_or_in_none(tmp_path):
    header = "player1,player2,winner\nPlayer 2,Player 1,Player 1\n"
    assert read(tmp_path, header + "Player 1,Player 3,Player 3\n")[0] == {
        "Player 1>Player 2": 1,
        "Player 3>Player 1": 1,
    }
    assert read(tmp_path, header + "Ann,Bob,Player 2\n")[0] == {"Player 2>Player 1": 1, "Bob>Ann": 1}


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("model_a,model_b,winner\nC,A,A\nA,B,B\nB,C,C\n", {"A>C": 1, "B>A": 1, "C>B": 1}),
        ("team1,team2,winner\n2,1,1\n1,3,3\n3,2,2\n", {"1>2": 1, "3>1": 1, "2>3": 1}),
    ],
)
def test_a_name_is_a_name_in_every_row(tmp_path, table, expected):
    assert read(tmp_path, table)[0] == expected


@pytest.mark.parametrize(
    ("table", "sentence", "codes", "expected"),
    [
        ("model_a,model_b,winner\nC,A,A\nB,D,A\nD,C,C\n", "'a' may be an item or a side: in line 3, 'a' is no item",
         "a=left", {"C>A": 1, "B>D": 1, "C>D": 1}),
        ("left,right,winner\nA,B,1\nB,C,2\nA,C,0\n", "holds 0, 1, 2, which may mean.*--codes 0=tie,1=left,2=right",
         "0=tie,1=left,2=right", {"A>B": 1, "C>B": 1, "A>C": 0.5, "C>A": 0.5}),
        ("left,right,winner\nA,B,1\nB,C,1\n", "holds 1, which may mean several things.*--codes 1=left if",
         "1=left", {"A>B": 1, "B>C": 1}),
        ("left,right,winner\nA,B,0\nB,C,0\n", "holds 0, which may mean several things", "0=left", {"A>B": 1, "B>C": 1}),
        ("a,b,label\nA,B,1\nB,C,2\nC,A,3\nB,A,0\n", "holds 0, 1, 2, 3, which may mean",
         {1: "left", 2: "right", 3: "tie", 0: "none"}, {"A>B": 1, "C>B": 1, "A>C": 0.5, "C>A": 0.5}),
        ("left,right,winner\nA,B,hw\nB,C,aw\n", "holds 'hw', 'aw'.*codes hw=left,aw=right",
         "hw=left,aw=right", {"A>B": 1, "C>B": 1}),
    ],
)  # fmt: skip
def test_what_codes_mean_can_be_said(tmp_path, table, sentence, codes, expected):
    path = put(tmp_path, "t.csv", table)
    with pytest.raises(WinnerstaysError, match=sentence):
        load(path)
    if "codes" not in sentence:
        with pytest.raises(WinnerstaysError):
            load(path, skip_bad=True)  # which never turns a code into another
    assert wins(path, codes=codes)[0] == expected


def test_a_letter_that_may_be_a_tie_is_no_side(tmp_path):
    for header in ("option_one,option_two,winner", "casa,trasferta,risultato"):
        with pytest.raises(WinnerstaysError, match="is 'T', but it must be"):
            read(tmp_path, header + "\nx,y,T\n")
    with pytest.raises(WinnerstaysError, match=r"is 'A\+', but it must be"):
        read(tmp_path, "model_a,model_b,winner\nB,C,A+\n")


def test_votes_beside_a_winner_are_said_to_be_unused(tmp_path):
    found, note = read(tmp_path, "a,b,votes_a,votes_b,winner\nx,y,60,40,x\n")
    assert found == {"x>y": 1} and "votes_a and votes_b are not used, since winner says who won" in note


def test_codes_that_mean_nothing(tmp_path):
    path = put(tmp_path, "t.csv", "left,right,winner\nA,B,1\n")
    with pytest.raises(WinnerstaysError, match="codes says 1=first, but it must be one of left, right, tie, none"):
        load(path, codes="1=first")
    with pytest.raises(WinnerstaysError, match=r"codes says what stands in a winner's column .* there is none"):
        load(put(tmp_path, "u.csv", "winner,loser\nA,B\n"), codes="1=left")


@pytest.mark.parametrize(("second", "expected"), [("2", {"A>B": 10001, "B>A": 10000}), ("0.5", None)])
def test_codes_are_known_from_the_last_row_on(tmp_path, second, expected):
    found, note = read(tmp_path, "left,right,winner\n" + "A,B,1\n" * 10001 + f"A,B,{second}\n" * 10000)
    assert found == (expected or {"A>B": 15001, "B>A": 5000}) and "in winner, 1 is left" in note


def test_sides_with_numbers_say_what_numbers_mean(tmp_path):
    found, note = read(tmp_path, "player_1,player_2,result\nA,B,1\nB,C,0\nC,A,2\n")
    assert found == {"A>B": 1, "B>C": 0.5, "C>B": 0.5, "A>C": 1} and "0 a tie" in note
    assert read(tmp_path, "p0_name,p1_name,winner\nA,B,0\nB,C,0\n")[0] == {"A>B": 1, "B>C": 1}


@pytest.mark.parametrize("values", [["12"], ["-2", "0", "3"], ["1", "4", "7"], ["1.98", "2.4"]])
def test_numbers_that_are_no_codes_are_not_called_so(tmp_path, values):
    rows = "".join(f"x,y,{value}\n" for value in values)
    with pytest.raises(
        WinnerstaysError, match=rf"holds {', '.join(values)}: in line 2, {values[0]} is no item"
    ) as caught:
        read(tmp_path, "left,right,winner\n" + rows)
    assert "--codes" not in str(caught.value)


def test_one_wrong_number_among_names_that_are_numbers_is_a_bad_row(tmp_path):
    path = put(tmp_path, "t.csv", "left,right,winner\n" + "11,12,12\n12,13,13\n" * 5 + "11,13,1\n")
    with pytest.raises(WinnerstaysError, match=r"line 12, column 3 \(winner\) is '1'.*skip_bad"):
        load(path)
    assert wins(path, skip_bad=True)[0] == {"12>11": 5, "13>12": 5}


def test_a_flag_that_is_none_is_refused_also_with_skip_bad(tmp_path):
    path = put(tmp_path, "t.csv", "left,right,winner\nA,B,1\nB,C,2\n")
    with pytest.raises(WinnerstaysError, match=r"holds 2, where 0 or 1 .* give it as winner .--columns winner=winner"):
        load(path, columns="left_won=winner", skip_bad=True)
    assert wins(path, columns="winner=winner")[0] == {"A>B": 1, "C>B": 1}
