"""Lines of text: arrows, scores, winners behind a colon; and files that are known but not read."""

import pytest

from tests.problems.test_duel_files import read
from winnerstays import WinnerstaysError


@pytest.mark.parametrize("arrow", ["->", "-->", "=>", "\u2192", "\u227b", "\u00bb", "\u21d2"])
def test_arrows_are_read_as_greater(tmp_path, arrow):
    orders = [f"Ann {arrow} Bob {arrow} Cy", f"Bob{arrow}Cy{arrow}Ann"]
    for text, name in (
        ("\n".join(orders) + "\n", "v.txt"),
        (f"voter,ranking\n1,{orders[0]}\n2,{orders[1]}\n", "v.csv"),
    ):
        found, note = read(tmp_path, text, name=name)
        assert found == {"Ann>Bob": 1, "Ann>Cy": 1, "Bob>Cy": 2, "Bob>Ann": 1, "Cy>Ann": 1}
        assert f"{arrow} is read as >" in note


def test_quotation_marks_and_names_with_dashes_are_no_arrows(tmp_path):
    found, note = read(tmp_path, "\u00abAnn\u00bb > A-B\nA-B > \u00abAnn\u00bb\n", name="v.txt")
    assert found == {"\u00abAnn\u00bb>A-B": 1, "A-B>\u00abAnn\u00bb": 1} and "read as" not in note


@pytest.mark.parametrize(
    "lines",
    [
        ["Ann 2-1 Bob", "Bob 0:0 Cy", "Ann 1-3 Cy"],
        ["Ann - Bob 2:1", "Bob - Cy 0:0", "Ann - Cy 1:3"],
        ["Ann \u2013 Bob 2\u20131", "Bob vs. Cy 0-0", "Ann v Cy 1-3"],
        ["1. Ann 2-1 Bob", "2. Bob 0:0 Cy", "3. Ann 1-3 Cy"],
        ["Ann vs Bob: Ann", "Bob vs Cy: tie", "Ann vs Cy: Cy"],
        ["Ann vs Bob -> Ann", "Bob vs Cy -> draw", "Ann versus Cy -> cy"],
        ["Results of May", "Ann vs Bob: Ann", "Bob vs Cy: tie", "Ann vs Cy: Cy"],
    ],
)
def test_scores_and_winners_in_lines(tmp_path, lines):
    found, note = read(tmp_path, "\n".join(lines) + "\n", name="games.txt")
    assert found == {"Ann>Bob": 1, "Bob>Cy": 0.5, "Cy>Bob": 0.5, "Cy>Ann": 1}
    assert ("the higher score wins" in note or "the winner stands behind both" in note) and "counts" not in note


@pytest.mark.parametrize("line", ["Ann 6-4 6-2 Bob", "2024-05-01 Ann 2-1 Bob", "Ann vs Bob: Cy"])
def test_lines_that_may_mean_anything_are_no_duels(tmp_path, line):
    with pytest.raises(WinnerstaysError):
        read(tmp_path, f"{line}\n{line}\n", name="games.txt")


def test_names_with_numbers_keep_them(tmp_path):
    found, _ = read(tmp_path, "Schalke 04 2-1 Hannover 96\n1860 Munich 0-1 Schalke 04\n", name="games.txt")
    assert found == {"Schalke 04>Hannover 96": 1, "Schalke 04>1860 Munich": 1}


def test_a_damaged_line_is_named(tmp_path):
    for text in ("A > B > C\nB > > A\nC > A\n", "A > B > C\nB > A >\nC > A\n"):
        with pytest.raises(WinnerstaysError, match=r"line 2 is 'B >.*', but it must be a ranking such as a > b"):
            read(tmp_path, text, name="v.txt")
        assert read(tmp_path, text, name="v.txt", skip_bad=True)[0] == {"A>B": 1, "A>C": 1, "B>C": 1, "C>A": 1}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("dump.sql", "-- MySQL dump 10.13\nINSERT INTO `v` VALUES (1,'a','b');\n", "a dump of a database in SQL"),
        ("pg.sql", "CREATE TABLE v (winner text);\nINSERT INTO v VALUES ('a');\n", "a dump of a database in SQL"),
        ("combined_data_1.txt", "1:\n1488844,3,2005-09-06\n822109,5,2005-05-13\n", "form of the Netflix Prize"),
        ("mv_0000001.txt", "12:\n1488844,3\n822109,5\n", "form of the Netflix Prize"),
        ("a.pwg", "2\n1,A\n2,B\n4,12,3\n3,1,2\n", "PrefLib's graphs"),
        ("a.wmd", "# NUMBER ALTERNATIVES: 2\n1,2,1.0\n", "PrefLib's graphs"),
    ],
)
def test_formats_that_are_not_read_are_known(tmp_path, name, text, said):
    with pytest.raises(WinnerstaysError, match=said):
        read(tmp_path, text, name=name)
