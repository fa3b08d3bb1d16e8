"""Lines of a table that are no rows of it are left out and named; rows that lack something are not."""

import pytest

from tests.problems.test_duel_files import read
from tests.problems.test_formats import put
from winnerstays import WinnerstaysError
from winnerstays.problems import load

ROWS = "winner,loser,when\nA,B,2024-01-01\nB,C,2024-01-02\n"


@pytest.mark.parametrize(
    "line",
    [
        "Source: https://localhost/x,,", "Notes,,", "TOTAL,,", "Round 3,,", "Spieltag 4,,", "Quarter-finals,,",
        "Saturday 4 May 2024,,", '"Note: a, b and c",,', "Exported by hand", "* after extra time,,", ",,second leg",
        "Group B,,", "Total", ",Week 7,", "Last updated 2024-05-01,,",
    ],
)  # fmt: skip
def test_a_line_with_one_cell_alone_is_left_out_and_named(tmp_path, line):
    found, note = read(tmp_path, ROWS + line + "\nC,A,2024-01-03\n")
    assert found == {"A>B": 1, "B>C": 1, "C>A": 1}
    assert "1 line with one cell alone left out (line 4 " in note
    assert read(tmp_path, (ROWS + line + "\n").replace(",", ";"))[0] == {"A>B": 1, "B>C": 1}


@pytest.mark.parametrize("line", ["A,,", "Zoe,,", "Zoe Smith,,", ",B,", "Round,,2024-01-01", "Total,,7"])
def test_a_row_that_lacks_something_is_a_bad_row(tmp_path, line):
    with pytest.raises(WinnerstaysError, match="line 4 has no"):
        read(tmp_path, ROWS + line + "\n")


def test_an_item_that_is_called_like_a_heading_is_one(tmp_path):
    with pytest.raises(WinnerstaysError, match="line 3 has no loser"):
        read(tmp_path, "winner,loser,when\nRound 1,B,1\nRound 1,,\n")
    assert read(tmp_path, "winner,loser\nA,B\nTotal,\n", skip_bad=True)[0] == {"A>B": 1}


def test_lines_within_a_quoted_cell_are_no_headings(tmp_path):
    found, note = read(tmp_path, 'winner,loser,text\nA,B,"one\nRound 2\nTotal"\nB,A,x\n')
    assert found == {"A>B": 1, "B>A": 1} and "left out" not in note


def test_a_footer_below_a_matrix(tmp_path):
    found, note = read(tmp_path, ",A,B\nA,,3\nB,1,\nSource: by hand,,\n")
    assert found == {"A>B": 3, "B>A": 1} and "1 line with one cell alone left out (line 4 'Source: by hand')" in note
    upper = ",A,B,Round 3\nA,,0.7,0.6\nB,,,0.9\nRound 3,,,\n"
    assert "with one cell alone" not in load(put(tmp_path, "u.csv", upper)).note


def test_points_are_judged_by_all_rows(tmp_path):
    rows = "winner;loser;n\n" + "a;b;1.050\n" * 400
    with pytest.raises(WinnerstaysError, match=r"which may be 1050 or 1\.0500"):
        read(tmp_path, rows)
    assert read(tmp_path, rows + "b;a;0.5\n")[0] == {"a>b": pytest.approx(420), "b>a": 0.5}
    with pytest.raises(WinnerstaysError, match=r"which may be 1050 or 1\.0500"):
        read(tmp_path, rows + "St. Pauli v1.2;a;3\n")
