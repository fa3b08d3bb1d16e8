"""Files that could be misread: read rightly with a note, or asked about with a hint that works."""

import io
import os
import re
import threading
from itertools import permutations

import numpy as np
import pytest

from tests.problems.test_formats import put, wins_of
from winnerstays import WinnerstaysError
from winnerstays.problems import load, problem, rating_problems, read_preflib
from winnerstays.problems.readers.encodings import looks_wrong


def read(folder, text, name="t.csv", **options):
    one = load(put(folder, name, text), **options)
    table = one.preferences if one.counts is None else one.counts
    found = {(one.items[i], one.items[j]): table[i, j] for i, j in np.argwhere(~np.eye(one.n_arms, dtype=bool))}
    return {pair: pytest.approx(value, abs=1e-3) for pair, value in found.items() if value}, one.note


P_OVER_Q = {("P", "Q"): 2, ("Q", "P"): 9}
Q_OVER_P = {("P", "Q"): 9, ("Q", "P"): 2}


@pytest.mark.parametrize(
    ("corner", "wins"),
    [
        ("winner", P_OVER_Q),
        ("Winner \\ Loser", P_OVER_Q),
        ("Gewinner/Verlierer", P_OVER_Q),
        ("closest", P_OVER_Q),
        ("wins against", P_OVER_Q),
        ("loser", Q_OVER_P),
        ("Loser / Winner", Q_OVER_P),
        ("lost to", Q_OVER_P),
        ("defeated by", Q_OVER_P),
        ("Losses", Q_OVER_P),
        ("P(column beats row)", Q_OVER_P),
        ("P(column > row)", Q_OVER_P),
        ("P(row > column)", P_OVER_Q),
    ],
)
def test_the_corner_of_a_matrix_says_who_wins_and_not_that_it_is_none(tmp_path, corner, wins):
    found, note = read(tmp_path, f"{corner},P,Q\nP,0,2\nQ,9,0\n")
    assert found == wins
    assert ("the row beats the column" if wins is P_OVER_Q else "the column beats the row") in note


@pytest.mark.parametrize(
    ("title", "wins"),
    [
        ("How often the row beat the column", P_OVER_Q),
        ("Season of 2024", P_OVER_Q),
        ("# rows lose to columns", Q_OVER_P),
        ("Head to head (column = winner),,", Q_OVER_P),
        ("Columns are the winners\n", Q_OVER_P),
    ],
)
def test_the_title_of_a_matrix_says_who_wins(tmp_path, title, wins):
    assert read(tmp_path, f"{title}\n,P,Q\nP,0,2\nQ,9,0\n")[0] == wins


def test_rows_decides_whatever_the_file_says(tmp_path):
    for corner in ("winner", "loser", "team"):
        text = f"{corner},P,Q\nP,0,2\nQ,9,0\n"
        assert read(tmp_path, text, rows="winners")[0] == P_OVER_Q
        assert read(tmp_path, text, rows="losers")[0] == Q_OVER_P
    with pytest.raises(WinnerstaysError, match="no side of a matrix 'loosers'; did you mean 'losers'"):
        read(tmp_path, text, rows="loosers")
    with pytest.raises(WinnerstaysError, match=r"'winner' and 'columns beat rows' contradict.*--rows winners"):
        read(tmp_path, "columns beat rows\n\nwinner,P,Q\nP,0,2\nQ,9,0\n")


@pytest.mark.parametrize(
    ("text", "sentence", "options"),
    [
        (
            ",a,b,c\na,0,3,4\nb,3,0,5\nc,4,5,0\n",
            "all equal, as if it held how often each two met",
            {"matrix": "counts"},
        ),
        ("w1,w2\n3,5\n4,6\n", "an?.* must lie between 0 and 1; .*say --matrix counts", {"matrix": "counts"}),
        ("Ann,Bob,3\nBob,Cyd,2\n", "winner=1,loser=2,count=3 where", {"columns": "winner=1,loser=2,count=3"}),
        ('[["Ann", "Bob", 3], ["Bob", "Cyd", 2]]', "winner=1,loser=2,count=3", {"columns": "winner=1,loser=2,count=3"}),
        ('{"x": {"x": 0, "y": 3}, "y": {"x": 1, "y": 0}}', "--rows winners if", {"rows": "winners"}),
        ("a > b > a\na > b\n", "line 1 ranks 'a' twice; skip_bad", {"skip_bad": True}),
        ("voter,1st,2nd\n1,A,A\n2,A,B\n", "line 2 ranks 'A' twice; skip_bad", {"skip_bad": True}),
        (
            "a>b\n" * 301 + "a,b\n",
            "line 302 is 'a,b', but it must be a ranking such as a > b; skip",
            {"skip_bad": True},
        ),
        ("id,ranking\n" + "1,a>b\n" * 301 + "9,b;a\n", "line 303 has 'b;a' in ranking", {"skip_bad": True}),
    ],
)
def test_a_hint_works_when_it_is_followed(tmp_path, text, sentence, options):
    with pytest.raises(WinnerstaysError, match=sentence):
        read(tmp_path, text)
    assert read(tmp_path, text, **options)[0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"A vs B": 3}', "'A vs B' has 3, but it must be how often each won, such as"),
        ('["a", "b"]', "the file holds a list with 'a', but it must hold rankings"),
        ('{"candidates": ["a", "b", "c"], "ballots": [[1, 2], [2, 1]]}', "may be counted from 0 or from 1"),
        ('{"q": "is a > b?", "r": "yes"}\n' * 2, "the columns are q, r; a table of duels has"),
        ('prompt,response\n"is 3 > 2?",yes\n"is a > b > c?",no\n', "the first row is 'prompt', 'response'"),
        ("a > b > c: 3\nb > a > c\n", "ends with a number.*write it in front, as '3: a > b > c'"),
        ("Ballot 1 (3 votes): a > b\nBallot 2 (1 vote): b > a\n", r"'Ballot 1 \(3 votes\)' stands in front"),
        (
            "id,path\n1,home > shoes > red\n2,home > hats > red\n3,home > shoes > blue\n",
            "the first row is 'id', 'path'",
        ),
        (
            "team,a,b,c,GP\na,,3,4,10\nb,1,,5,9\nc,1,2,,8\n",
            "a column 'GP' and no row of that name; leave",
        ),
        ("a,b > c\na > b > c\n", "line 1 has 'a,b', which may be items that are tied; write = between"),
        ("name,1st place votes,2nd place votes\na,10,3\nb,3,10\n", "the first row is 'name', '1st place votes'"),
        (
            "first,second\na,b\nb,a\n",
            "first and second name two sides, .*--columns winner=first,loser=second if first always won",
        ),
        ("5;a>b;7\n9;b>a;4\n", "a number in front and one behind"),
        (
            ",a,b\na,0.5,1.7\nb,0.3,0.5\n",
            "line 2, cell 3: the number in row 1, column 2 is 1.7, but a probability must",
        ),
        ("\n,a,b,c\na,0,2,1\nb,1,0,x1\nc,3,0,0\n", "line 4, cell 4: the cell in row 2, column 3 is 'x1'"),
        (",A,B\nA,,3-1\nB,2-2,\n", "is '3-1', but it must be a number .or wins and losses, 7-3 with 3-7 opposite"),
        (",A,B\nA,0,0\nB,0,0\n", "together they must be 1, not 0"),
        ("left,right,slider\nA,B,3\nB,C,7\n", "left and right name two sides, but no column is known to say who won"),
        ("user,a,b,c\nu1,5,3,1\nu2,4,4,2\nu3,1,5,5\n", "the first row is 'user', 'a', 'b', 'c'"),
        ('"winner,loser"\n"a,b"\n"b,c"\n', "the table has one column, 'winner,loser'.*not within quotes"),
        ("winner,loser\n", "there are 0 items to compare: the file has no row of data"),
        ("user,item,rating\n1,a,5\n2,b,3\n3,c,4\n", "3 items, but no two of them were compared: nobody rated two"),
    ],
)
def test_what_is_not_beyond_doubt_is_asked(tmp_path, text, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        read(tmp_path, text)


def test_rows_are_not_to_be_left_out_where_none_can_be_read(tmp_path):
    for text in ("voter,1st,2nd,3rd\n1,a,a,b\n2,b,a,b\n", "user,item,rating\nu,a,good\nu,b,bad\n"):
        with pytest.raises(WinnerstaysError, match=r"line 2 .*; no row can be read so\.$"):
            read(tmp_path, text)
        with pytest.raises(WinnerstaysError, match="can be read: 2 bad rows left out"):
            read(tmp_path, text, skip_bad=True)
    with pytest.raises(WinnerstaysError, match=r"line 2 .*--skip-bad"):
        read(tmp_path, "user,item,rating\nu,a,good\nu,b,3\nu,c,4\n")
    with pytest.raises(WinnerstaysError, match=r"line 301 has no winner.*--skip-bad"):
        read(tmp_path, "a beats b\n" * 300 + "rain\n")


ONCE = {("a", "b"): 1, ("b", "a"): 1}
HALF = {("Ann (I)", "Bob"): 0.5, ("Bob", "Ann (I)"): 0.5}


@pytest.mark.parametrize(
    ("text", "wins"),
    [
        ("1) a > b\n2) b > a\n", ONCE),
        ("0; a > b\n1; b > a\n", ONCE),
        ("Ann: a > b\nBob: b > a\n", ONCE),
        ('"a > b"\n"b > a"\n', ONCE),
        ("a > b,\nb > a,\n", ONCE),
        ("- a > b\n- b > a\n", ONCE),
        ("a > b # Ann\nb > a\n", ONCE),
        ("(5) a > b\n(3) b > a\n", {("a", "b"): 5, ("b", "a"): 3}),
        ("id;1. choice;2. choice;3. choice\n1;a;b;\n2;b;a;\n", ONCE),
        ('{"columns": ["a", "b"], "data": [[0, 7], [3, 0]]}', {("a", "b"): 7, ("b", "a"): 3}),
        ("user,item,rating,timestamp\nu,a,5,1700000000000\nu,a,1,1600000000000\nu,b,3,15\n", {("a", "b"): 1}),
        ("17 votes: a > b\n4 votes: b > a\n", {("a", "b"): 17, ("b", "a"): 4}),
        ("5 a>b\n3 b>a\n", {("a", "b"): 5, ("b", "a"): 3}),
        ("a > b (5)\nb > a (3)\n", {("a", "b"): 5, ("b", "a"): 3}),
        ("a > b x5\nb > a x3\n", {("a", "b"): 5, ("b", "a"): 3}),
        ("1;a>b;7\n2;b>a;4\n", {("a", "b"): 7, ("b", "a"): 4}),
        ("a > b\nb\n", {("a", "b"): 1}),
        ("7 Up > Coke\n", {("7 Up", "Coke"): 1}),
        ("1.5 > 2.5\n2.5 > 1.5\n", {("1.5", "2.5"): 1, ("2.5", "1.5"): 1}),
        ("10:30 > 11:00\n", {("10:30", "11:00"): 1}),
        ("1. FC > Bayern\nBayern > 1. FC\n", {("1. FC", "Bayern"): 1, ("Bayern", "1. FC"): 1}),
        ("Alien: C > Jaws\nStar: W > Jaws\n", {("Alien: C", "Jaws"): 1, ("Star: W", "Jaws"): 1}),
        ("M (1979) > N (1986)\n", {("M (1979)", "N (1986)"): 1}),
        ("n,ranking\n1,a>b\n2,b>a\n", ONCE),
        ("n,ranking\n2,a>b\n5,b>a\n", {("a", "b"): 2, ("b", "a"): 5}),
        ("1st,2nd,3rd\n101,102,\n", {("101", "102"): 1}),
        ("Your first choice?,Your second choice?\na,b\nb,a\n", ONCE),
        ("rank1,rank2,rank10\na,b,\nb,,a\n", ONCE),
        ("race,driver,position\n1,a,1\n1,b,2\n2,a,2\n2,b,1\n", ONCE),
        ("t,Lunch [a],Lunch [b]\n1,1st choice,2nd choice\n2,2nd choice,1st choice\n", ONCE),
        ("choice 1,choice 2\nE=mc2,b\n", {("E=mc2", "b"): 1}),
        ('{"a > b": 1, "b>a": 1}', ONCE),
        ("{a, b} > c\nc > (b, a)\n", dict.fromkeys(permutations("abc", 2), 1)),
        ("{Ann (I), Bob} > Cyd\n", {("Ann (I)", "Cyd"): 1, ("Bob", "Cyd"): 1, **HALF}),
        ("2: a > {b}\n", {("a", "b"): 2}),
        ("a beats b\nb beat a 3-1.\n", ONCE),
        ("result\na beats b\nb beats a\n", ONCE),
        ("a defeated b\nb def. a, 6-4 6-3\n", ONCE),
        ("1. a over b\n2. a lost to b\n", ONCE),
        ("- a bt b\n- a was beaten by b (2:1)\n", ONCE),
        ("3: a wins over b\n1: b drew with a\n", {("a", "b"): 3.5, ("b", "a"): 0.5}),
        ("Ann Lee defeats Bob O. 2\u20131\n", {("Ann Lee", "Bob O."): 1}),
        ('{"a>b>c": 3, "b>a": 1}', {("a", "b"): 3, ("a", "c"): 3, ("b", "c"): 3, ("b", "a"): 1}),
        ('["a > b", "b > a"]', ONCE),
        ("id,said\n1,a>b\n2,b>a\n", ONCE),
        ('{"n": 2, "title": "x", "matrix": [[0, 7], [3, 0]], "names": ["a", "b"]}', {("a", "b"): 7, ("b", "a"): 3}),
        ('{"results": {"a": {"b": 1}, "b": {"a": 1}}}', ONCE),
        ('[["winner", "loser"], ["a", "b"], ["b", "a"]]', ONCE),
        ('{"0": {"winner": "a", "loser": "b"}, "1": {"winner": "b", "loser": "a"}}', ONCE),
        (
            '{"schema": {"fields": [{"name": "x"}]}, "data": [{"index": 0, "winner": "a", "loser": "b"}]}',
            {("a", "b"): 1},
        ),
        ('{"voter": 1, "ranking": ["a", "b"]}\n{"voter": 2, "ranking": ["b", "a"]}\n', ONCE),
        ("| | a | b |\n|---|---|---|\n| a | 0 | 5 |\n| b | 3 | 0 |\n", {("a", "b"): 5, ("b", "a"): 3}),
        (" winner | loser | n \n--------+-------+---\n a | b | 1\n b | a | 1\n(2 rows)\n\n", ONCE),
        ("winner  loser\n------  -----\na       b\nb       a\n\n2 rows selected.\n", ONCE),
        ("+---+---+\n| winner | loser |\n+---+---+\n| a | b |\n| b | a |\n+---+---+\n2 rows in set (0.00 sec)\n", ONCE),
        ("winner,loser\na,b\nb,a\n\x1a", ONCE),
        ('winner,loser\n="007",b\n', {("007", "b"): 1}),
        (",0,1\n0,,3\n1,7,\n", {("0", "1"): 3, ("1", "0"): 7}),
        ("user,item,rating,date\nu,a,5,2024-03-01\nu,b,3,2024-01-01\nu,a,1,2024-02-01\n", {("a", "b"): 1}),
    ],
)
def test_what_is_beyond_doubt_is_read(tmp_path, text, wins):
    assert read(tmp_path, text, "t.txt")[0] == wins


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("0.5,0.7\n0.3,0.5\n", "the row beats the column; preferences"),
        (",a,b\na,0,70\nb,30,0\n", r"percentages \(if wins were counted: --matrix counts\)"),
        (",a,b\na,,7-3\nb,3-7,\n", "cells such as 7-3 are wins and losses"),
        (",a,b\na,,70\nb,30,\n", r"percentages \(if wins were counted: --matrix counts\)"),
        ("winner,loser\na,b\n# c,d\nb,a\n", "1 row behind # left out"),
        ("user,item,rating,time\nu,a,5,9\nu,b,3,7\nu,a,1,8\n", r"1 rating replaced by a later one .*\(by time\)"),
        ("user,item,rating\nu,a,5\nu,b,3\nu,a,1\n", r"1 rating replaced by a later one .*\(in the file\)"),
        ("user,item,rating,date\nu,a,5,31/1/24\nu,b,3,x\nu,a,1,x\n", "in the file, since date holds no times such as"),
        ("user,item,rating\nu,a,0\nu,b,3\n", "1 ratings are 0, and count as such"),
        ("user,item,rating\nu,a,99\nu,b,-3.5\n", "1 ratings are 99, and count as such"),
    ],
)
def test_what_was_assumed_is_noted(tmp_path, text, note):
    assert re.search(note, read(tmp_path, text)[1])


def test_grades_of_one_scale_are_not_odd(tmp_path):
    assert "count as such" not in read(tmp_path, "user,item,rating\nu,a,0\nu,b,0.5\nu,c,3\n")[1]


def test_min_duels_are_those_among_the_items_kept(tmp_path):
    """d met c alone; without d, c has one duel left; without c, a and b have two with each other."""
    path = put(tmp_path, "t.csv", "winner,loser\na,b\na,b\nb,c\nc,d\n")
    one = load(path, min_duels=2)
    assert one.items == ["a", "b"] and "2 of 4 items that took part in at least 2 duels, with 2 of 4 duels" in one.note


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        ("Юлия,Пётр", "cp1251"),
        ("Александр,Мария", "koi8-r"),
        ("北京,上海", "gbk"),
        ("寿司,天ぷら", "shift_jis"),
        ("Müller,Zoé", "mac_roman"),
        ("Łódź,Gdańsk", "cp1250"),
        ("Αθήνα,Πάτρα", "iso8859-7"),
    ],
)
def test_another_encoding_is_doubted_and_can_be_said(tmp_path, words, encoding):
    content = f"winner,loser\n{words}\n".encode(encoding)
    assert "looks wrong: say the encoding (--encoding" in read(tmp_path, content)[1]
    found, note = read(tmp_path, content, encoding=encoding)
    assert found == {tuple(words.split(",")): 1} and f"read as {encoding}" in note


def test_names_of_western_europe_are_not_doubted():
    names = "Ångström,SØRENSEN,O\u2019Neil,naïve,Željko,Œuvre,São Tomé,Peña,Müller,GRÖSSE,Ça va,Élodie"
    assert looks_wrong(names) is None


def test_encodings_that_are_wrong_or_unknown(tmp_path):
    path = put(tmp_path, "t.csv", "winner,loser\nMüller,b\n".encode("cp1252"))
    with pytest.raises(WinnerstaysError, match="the encoding 'klingon' is not known"):
        load(path, encoding="klingon")
    with pytest.raises(WinnerstaysError, match=r"t.csv: the file is damaged or not written in utf-8"):
        load(path, encoding="utf-8")
    votes = put(tmp_path, "v.soc", "# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: Юлия\n1: 1,2\n".encode("cp1251"))
    assert read_preflib(votes, encoding="cp1251").items == ["Юлия", "2"] == load(votes, encoding="cp1251").items
    rated = put(tmp_path, "r.csv", "user,item,rating\nu,Юлия,3\nu,b,1\n".encode("cp1251"))
    assert rating_problems(rated, min_ratings=2, encoding="cp1251")["u"].items == ["Юлия", "b"]


@pytest.mark.parametrize("text", ["winner,loser\na,b\n", "a > b\n", "user,item,rating\nu,a,2\nu,b,1\n", "0,1\n0,0\n"])
def test_a_pipe_is_read_once(tmp_path, text):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=[text])
    writer.start()
    one = problem(path, **({"matrix": "counts"} if text.startswith("0") else {}))
    writer.join()
    assert wins_of(one, one.counts) == {("a", "b"): 1} and one.name == "pipe"


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"winner,loser\na,b\n")))
    assert problem("-").items == ["a", "b"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(WinnerstaysError, match="the file is empty"):
        problem("-")


def test_names_that_are_no_files(tmp_path):
    with pytest.raises(WinnerstaysError, match=r"^http://localhost/x.csv is an address; download it"):
        problem("http://localhost/x.csv")
    with pytest.raises(WinnerstaysError, match=r"\*.csv is a pattern; give the name of one file"):
        problem(tmp_path / "*.csv")


def test_archives(tmp_path):
    import tarfile
    import zipfile

    put(tmp_path, "d.csv", "winner,loser\na,b\n")
    with tarfile.open(tmp_path / "d.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "d.csv", "d.csv")
    with pytest.raises(WinnerstaysError, match="an archive made by tar; unpack it"):
        load(tmp_path / "d.tar.gz")
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("README.txt", "about")
        archive.write(tmp_path / "d.csv", "d.csv")
    assert load(tmp_path / "d.zip").items == ["a", "b"]


def test_many_long_rankings_are_counted_in_one_table(tmp_path, monkeypatch):
    """Where items are many, once a voter ranks half of them, short rankings before it count all the same."""
    monkeypatch.setattr("winnerstays.problems.readers.voting.LARGEST_TABLE", 3)
    names = [f"n{k}" for k in range(9)]
    text = "n0 > n1\n" + " > ".join(names) + "\n" + " > ".join(reversed(names)) + "\nn1 > n0\n"
    found, _ = read(tmp_path, text, "v.txt")
    assert found[("n0", "n1")] == 2 and found[("n1", "n0")] == 2 and found[("n3", "n8")] == 1


def loaded(folder, text, **options):
    return load(put(folder, "t.csv", text), **options)


@pytest.mark.parametrize(
    "text",
    [
        "voter,item,rank,comment\nu,a,1,so good\nu,b,2,\n",
        "id,voter,item,rank\n1,u,a,1\n2,u,b,2\n",
        "voter,item,rank,date\nu,b,2,2024-01-02\nu,a,1,2024-01-01\n",
        "judge,date,wine,place,notes\nu,2024,a,1,x\nu,2024,b,2,y\n",
        "voter,candidate,party,rank\nu,a,x,1\nu,b,x,2\n",
        "voter,item,rank\nu,a,1\nu,b,2\nv,b,\nv,a,1\n",
        "race,driver,position\n1,a,1\n1,b,2\n2,b,DNF\n2,a,1\n",
    ],
)
def test_a_row_for_each_voter_and_item_whatever_stands_beside(tmp_path, text):
    assert read(tmp_path, text)[0] == {("a", "b"): 1}


def test_rankings_by_one_voter_that_another_column_tells_apart_are_asked_about(tmp_path):
    with pytest.raises(WinnerstaysError, match="line 4 is the second that gives the place 1 for 'u'; leave out topic"):
        loaded(tmp_path, "voter,item,rank,topic\nu,a,1,x\nu,b,2,x\nu,c,1,y\nu,d,2,y\n")
    assert loaded(tmp_path, "voter,item,rank\nu x,a,1\nu x,b,2\nu y,c,1\nu y,d,2\n").counts.sum() == 2
    with pytest.raises(WinnerstaysError, match="no column is known"):  # drivers or teams
        loaded(tmp_path, "race,driver,team,position\n1,a,x,1\n1,b,y,2\n1,c,y,3\n")


@pytest.mark.parametrize("name", ["rank", "place", "Final position"])
def test_a_place_that_is_given_as_a_rating_is_the_better_the_lower(tmp_path, name):
    one = loaded(tmp_path, f"who,what,{name}\nu,a,1\nu,b,2\n", columns=f"user=who,item=what,rating={name}")
    assert one.counts.tolist() == [[0, 1], [0, 0]] and "1 is the best place" in one.note


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("home;away;home_points;away_points\nA;B;1.050;980\nB;C;900;1.100\n", {}),
        ("home;away;score\nA;B;1.050-980\nB;C;900:1.100\n", {}),
        ("a;b;wins_a;wins_b\nA;B;1.050;980\nB;C;900;1.100\n", {}),
        (";A;B;C\nA;0;1.050;980\nB;4;0;900\nC;1;2;0\n", {"matrix": "counts"}),
        (";A;B;C\nA;0;1.050;980\nB;4;0;900\nC;1;2;0\n", {}),
        ("A;B;C\n0;1.050;980\n4;0;900\n1;2;0\n", {"matrix": "counts"}),
    ],
)
def test_a_point_before_three_digits_in_a_file_with_semicolons_is_asked_about(tmp_path, text, options):
    with pytest.raises(WinnerstaysError, match=r"may be 1050 or 1\.0500; write it as one of these"):
        loaded(tmp_path, text, **options)
    whole = loaded(tmp_path, text.replace("1.", "1"), **options)
    assert whole.counts[0, 1] > 0
    if options or "A;0" not in text:
        assert loaded(tmp_path, re.sub(r"(1\.\d+)", r"\g<1>0", text), **options).counts[0, 1] in (0, 1.05)


def test_percentages_with_three_decimals_are_no_counts(tmp_path):
    assert loaded(tmp_path, ";A;B\nA;50;55.125\nB;44.875;50\n").preferences[0, 1] == pytest.approx(0.55125)


@pytest.mark.parametrize(
    "matrix", [[[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]], [[0, 7, 3], [3, 0, 7], [7, 3, 0]]]
)
def test_numbers_of_a_circle_are_no_names(tmp_path, matrix):
    """Each row holds the numbers of the first, so does each column: the matrix has no names all the same."""
    path = tmp_path / "circle.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in matrix) + "\n")
    found = load(path)
    assert found.n_arms == 3 and list(found.items) == ["0", "1", "2"]
    assert found.preferences[0, 1] > 0.5 > found.preferences[0, 2]


@pytest.mark.parametrize(
    ("other", "result"),
    [
        ("toss_winner", "winning_team"),
        ("TossWinner", "WinningTeam"),
        ("coin_toss_winner", "victor"),
        ("first_blood_winner", "winner"),
        ("expected_winner", "match_winner"),
    ],
)
def test_who_won_the_toss_is_not_who_won(tmp_path, other, result):
    text = f"team1,team2,{other},{result}\nRR,GT,RR,GT\nRCB,RR,RR,RR\nRCB,GT,GT,RCB\nRR,GT,GT,GT\n"
    assert read(tmp_path, text)[0] == {("GT", "RR"): 2, ("RR", "RCB"): 1, ("RCB", "GT"): 1}
    with pytest.raises(WinnerstaysError):
        read(tmp_path, f"team1,team2,{other},venue\nRR,GT,RR,X\nRCB,RR,RR,Y\n")
