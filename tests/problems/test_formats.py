"""Every format that docs/data.md lists is read, with the right answer; what is not beyond doubt is asked."""

import gzip

import numpy as np
import pytest

from tests.problems.formats import FORMATS, PAGE, TABLE, arena_log, listing, page_with, zipped
from winnerstays import WinnerstaysError
from winnerstays.arena.history.export import FORMATS as LOGS
from winnerstays.problems import load, rating_problem, read_duels


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def wins_of(problem, table):
    names = problem.items if {"a", "b"} & {*problem.items} else "abc"
    return {
        (names[i], names[j]): table[i, j]
        for i, j in np.argwhere(~np.eye(problem.n_arms, dtype=bool))
        if problem.counts is None or table[i, j]
    }


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.id)
def test_format(one, tmp_path):
    problem = load(put(tmp_path, one.name, one.content), **one.options)
    found = wins_of(problem, problem.preferences if problem.counts is None else problem.counts)
    assert found == pytest.approx(one.wins)
    assert one.note in problem.note
    assert problem.name == one.name.partition(".")[0]


@pytest.mark.parametrize("format_", LOGS)
def test_the_log_of_an_arena(tmp_path, format_):
    problem = load(arena_log(tmp_path, format_))
    assert wins_of(problem, problem.counts) == {("a", "b"): 1.5, ("b", "a"): 0.5}
    assert "2 duels, 1 of them ties" in problem.note and "1 without a decision left out" in problem.note


def test_the_page_lists_what_is_tested():
    assert PAGE.read_text() == page_with(listing()), "run python -m tests.problems.formats"


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("foo_a,foo_b,bar_a,bar_b,winner\n1,2,3,4,a\n", "items may be foo_a and foo_b or bar_a and bar_b; say which"),
        ("model_a,model_b,team_a,team_b,winner\n1,2,3,4,a\n", "may be model_a and model_b or team_a and team_b"),
        ("home_club,away_club,home_team,away_team,result\na,b,c,d,H\n", "home_club and away_club or home_team and"),
        ("a,b,result,outcome\nx,y,a,b\n", "who won may be in result or outcome; say which"),
        ("winner,loser,n,weight\na,b,1,2\n", "how often a row counts may be in n or weight"),
        ("a,b,result\nx,y,0\ny,z,1\n", "the column result holds 0, 1, which may mean several things"),
        ("a,b,winner\nx,y,0\ny,z,1\nx,z,2\n", "the column winner holds 0, 1, 2, which may mean several things"),
        ("a,b,winner\nx,y,3\n", "the column winner holds 3"),
        ("0,1\n0,0\n", "0 and 1 alone, which may be certain preferences or one duel for each pair"),
        (",a,b\na,0.5,0.7\nc,0.3,0.5\n", "contradict each other: 'c' stands where the header has 'b'"),
        ("a,b\nx,0.5,0.7\ny,0.3,0.5\n", "contradict each other: 'x' stands where the header has 'a'"),
        ("winner,winner,loser\na,b,c\n", "2 columns are called winner; rename all but one"),
        ("winner;loser;n\na;b;1.234\nb;a;12\n", "is '1.234', which may be 1234 or 1.2340; write it as one of these"),
        (",a,b,c\na,X,1,½\nb,0,X,1\nc,½,0,X\n", "0, 1/2 and 1 alone, which may be certain preferences or one duel"),
        ("0,7,-6\n3,0,9\n5,0,0\n", "the number in row 1, column 3 is -6, but it must be a probability or a count"),
        ("winner,loser,n\na,b,99999999999999999999999\n", "must be a number from 0 to below"),
        ("voter,1st,2nd\n1,x,y\n2,y,y\n", "line 3 ranks 'y' twice"),
        (",0.7,\n,,0.9\n,,\n", "the cells of rows 1 and 3 against each other are both empty"),
    ],
)  # fmt: skip
def test_what_is_open_is_asked(tmp_path, table, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        load(put(tmp_path, "t.csv", table))


@pytest.mark.parametrize(
    ("header", "items"),
    [
        ("id,score_a,score_b,team_a,team_b,winner", "team"),
        ("elo_1,elo_2,player_1,player_2,winner", "player"),
        ("model_a,model_b,winner,conversation_a,conversation_b", "model"),
        ("rank_left,rank_right,name_left,name_right,winner", "name"),
    ],
)
def test_measures_are_no_items(tmp_path, header, items):
    """Columns such as score_a and elo_1 come in pairs too, but say something about the items."""
    names = header.split(",")
    first, second = (name for name in names if items in name)
    values = {first: "x", second: "y", "winner": "x"}
    path = put(tmp_path, "t.csv", header + "\n" + ",".join(values.get(name, "7") for name in names) + "\n")
    one = load(path)
    assert one.items == ["x", "y"] and one.counts.tolist() == [[0, 1], [0, 0]]
    assert f"columns: left {first}, right {second}" in one.note


@pytest.mark.parametrize("winner", ["tiebreak-a", "drawing b", "bothered", "tied up"])
def test_a_winner_whose_name_begins_like_a_tie_is_no_tie(tmp_path, winner):
    with pytest.raises(WinnerstaysError, match=f"line 2, column 3 .winner. is '{winner}'"):
        load(put(tmp_path, "t.csv", f"model_a,model_b,winner\nx,y,{winner}\n"))
    one = load(put(tmp_path, "u.csv", f"model_a,model_b,winner\n{winner},y,{winner}\n"))
    assert one.counts[0, 1] == 1


UNKNOWN = {
    "a league table": "Pos,Team,Pld,W,D,L\n1,x,38,26,6,6\n2,y,38,20,10,8\n",
    "rows of events": "event,team,score\n1,x,3\n1,y,2\n2,y,1\n2,z,4\n",
    "probabilities of pairs": "i,j,p_ij\nx,y,0.6\ny,z,0.55\nx,z,0.7\n",
    "ranks of items": "voter,tea,coffee,juice\n1,1,2,3\n2,2,1,1\n",
    "numbers": "foo,bar,baz\n1,2,3\n4,5,6\n7,8,9\n1,1,1\n",
    "one line": "x,y\n",
    "sides with a dash": "Match,Home goals,Away goals\nx - y,2,1\ny - z,0,3\n",
    "HTML in cells": "page,text\n1,<b>x</b>\n2,<i>y</i>\n",
}


@pytest.mark.parametrize("options", [{}, {"skip_bad": True}, {"min_duels": 2}], ids=str)
@pytest.mark.parametrize("table", UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_columns_are_named_whatever_else_is_asked(tmp_path, table, options):
    with pytest.raises(
        WinnerstaysError,
        match=r"the first row is '.*of which no column is known as a winner|i and j name two sides, but no column",
    ):
        load(put(tmp_path, "t.csv", table), **options)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("t.xlsx", zipped("[Content_Types].xml", "<Types/>"), "a workbook .* save the sheet as CSV"),
        ("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a workbook of a spreadsheet program"),
        ("t.html", b"<!DOCTYPE html><table></table>", "a web page; save its table as CSV"),
        ("t.jsonl", b'{"a": "x", "b": "y", "winner": NaN}\n' * 2, "line 1 has no winner"),
    ],
)  # fmt: skip
def test_files_of_other_programs_get_a_sentence(tmp_path, name, content, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        load(put(tmp_path, name, content))


def test_ties_are_what_was_tied_and_not_what_is_even(tmp_path):
    one = load(put(tmp_path, "t.csv", "item_a,item_b,wins_a,wins_b,ties\nx,y,2,2,0\ny,z,1,0,2\n"))
    assert "7 duels, 2 of them ties" in one.note and one.ties.sum() == 4


def test_an_item_may_be_called_total(tmp_path):
    one = load(put(tmp_path, "m.csv", ",a,b,total\na,0,7,6\nb,3,0,9\ntotal,5,0,0\n"))
    assert one.items == ["a", "b", "total"] and one.counts.sum() == 30


def test_counts_may_be_left_aside(tmp_path):
    path = put(tmp_path, "t.csv", "winner,loser,weight\na,b,10\nb,a,2\n")
    assert load(path).counts.tolist() == [[0, 10], [2, 0]]
    assert load(path, columns="count=").counts.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ("lefty=a", "There is no role of a column 'lefty'; did you mean 'left'"),
        ("left=z", "There is no column 'z'"),
        ({"left": "a"}, "the columns are a, b, c; a table of duels has"),
        ("user=a", "the columns are a, b, c; a table of duels has|table of ratings has"),
    ],
)
def test_columns_that_do_not_fit(tmp_path, columns, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        load(put(tmp_path, "t.csv", "a,b,c\nx,y,z\n"), columns=columns)


BAD = "model_a,model_b,winner\na,b,model_a\na,b,nobody\na,,tie\nb,c\n" + "b,c,model_b\n" * 3


def test_one_bad_row_does_not_refuse_the_good_ones(tmp_path):
    path = put(tmp_path, "t.csv", BAD)
    with pytest.raises(WinnerstaysError, match=r"line 3, column 3 \(winner\) is 'nobody'.*skip_bad \(--skip-bad\)"):
        load(path)
    one = load(path, skip_bad=True)
    assert one.counts.sum() == 4
    assert "3 bad rows left out (line 3, column 3 (winner) is 'nobody'" in one.note
    assert "line 4 has no model_b, line 5 has no winner" in one.note
    with pytest.raises(WinnerstaysError, match="no row can be read: 1 bad row left out"):
        read_duels(put(tmp_path, "u.csv", "winner,loser\na,\n"), skip_bad=True)
    rated = put(tmp_path, "r.csv", "user,item,rating\nu,a,5\nu,b,good\nu,c,1\n")
    assert "1 bad row left out (line 3 has the rating 'good'" in rating_problem(rated, skip_bad=True).note


def test_lines_are_those_of_the_file(tmp_path):
    """Comments, blank lines and line breaks in quotes count."""
    text = '# by hand\n\nwinner,loser,text\na,b,"one\ntwo\nthree"\n# note\n\nb,,x\n'
    with pytest.raises(WinnerstaysError, match="line 9 has no loser"):
        load(put(tmp_path, "t.csv", text))
    with pytest.raises(WinnerstaysError, match="record 2 has no winner"):
        load(put(tmp_path, "t.json", '[{"a": "x", "b": "y", "winner": "a"}, {"a": "x", "b": "y"}]'))
    with pytest.raises(WinnerstaysError, match="line 2 is no JSON object"):
        load(put(tmp_path, "t.jsonl", '{"winner": "x", "loser": "y"}\nwell\n'))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv.gz", gzip.compress(TABLE.encode() * 100)[:60]),
        ("t.zip", b"PK\x03\x04 and no more"),
        ("t.parquet", b"PAR1 and no more"),
        ("t.csv", bytes(range(256)) * 20),
    ],
    ids=["gzip", "zip", "parquet", "bytes"],
)
def test_damaged_files_get_a_sentence(tmp_path, name, content):
    with pytest.raises(WinnerstaysError, match=r"t\.\w+(\.gz)?: the file (is damaged|holds neither)"):
        load(put(tmp_path, name, content))


def test_an_option_for_another_kind_of_file_is_refused(tmp_path):
    path = put(tmp_path, "m.csv", "0.5,0.7\n0.3,0.5\n")
    with pytest.raises(WinnerstaysError, match="min_duels does not apply to a file of matrix"):
        load(path, min_duels=3)
    with pytest.raises(WinnerstaysError, match="no option of a file 'colums'; did you mean 'columns'"):
        load(path, colums="x")


def test_titles_of_the_oldest_movielens(tmp_path):
    put(tmp_path, "u.data", "1\t1\t5\t9\n1\t2\t3\t9\n")
    put(tmp_path, "u.item", "1|Toy Story (1995)|01-Jan\n2|Misérables, Les|x\n".encode("latin-1"))
    assert load(tmp_path / "u.data").items == ["Toy Story (1995)", "Misérables, Les"]
    named = put(tmp_path, "names.tsv", "id\tname\n1\tOne\n2\tTwo\n")
    assert load(tmp_path / "u.data", titles=named).items == ["One", "Two"]
