"""PrefLib's rankings, counted by hand."""

import pytest

from winnerstays import WinnerstaysError, simulate
from winnerstays.problems import Limits, load

LUNCH = """# FILE NAME: 00001-00000001.toi
# TITLE: Lunch: a vote
# DATA TYPE: toi
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 6
# NUMBER UNIQUE ORDERS: 3
# ALTERNATIVE NAME 1: tacos, al pastor
# ALTERNATIVE NAME 2: ramen
# ALTERNATIVE NAME 3: pho
# ALTERNATIVE NAME 4: pizza
3: 1,2,3,4
2: {2,3},1
1: 4
"""
BELOW = [[0, 3, 3, 5], [2, 0, 4, 5], [2, 1, 0, 5], [1, 1, 1, 0]]
UNKNOWN = [[0, 3, 3, 3], [2, 0, 4, 3], [2, 1, 0, 3], [0, 0, 0, 0]]


def written(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize("suffix", ["soc", "soi", "toc", "toi"])
def test_counts_by_hand(tmp_path, suffix):
    """Three voters rank all; two tie ramen and pho and leave out pizza; one names pizza alone."""
    path = written(tmp_path / f"lunch.{suffix}", LUNCH)
    one = load(path)
    assert one.items == ["tacos, al pastor", "ramen", "pho", "pizza"] and one.name == "lunch"
    assert one.counts.tolist() == UNKNOWN
    assert one.preferences[0, 3] == pytest.approx(4 / 5)
    assert one.note == (
        "6 voters (PrefLib); ties are half a win; 3 voters left items out, which are not compared (unranked=below "
        "would count them as beaten)"
    )
    below = load(path, unranked="below")
    assert below.counts.tolist() == BELOW and "count as beaten" in below.note
    assert simulate(path, "ws-w", horizon=20, runs=2).problem.name == "lunch"


def test_a_file_that_was_cut_off_says_so(tmp_path):
    one = load(written(tmp_path / "a.toi", LUNCH.removesuffix("1: 4\n")))
    assert "5 voters (PrefLib), but the file declares 6" in one.note


def test_alternatives_without_a_name_get_their_number(tmp_path):
    text = "# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 2: x\n# ALTERNATIVE NAME 3: x\n1: 1,2,3\n"
    assert load(written(tmp_path / "a.soc", text)).items == ["1", "x (2)", "x (3)"]


@pytest.mark.parametrize(
    ("orders", "sentence"),
    [
        ("1,2\n", "line 2 is '1,2', but it must be a count of voters, a colon and an order"),
        ("x: 1,2\n", "line 2 is 'x: 1,2'"),
        ("1: 1,7\n", "line 2 ranks the alternative '7', which the file does not name"),
        ("1: 1,b\n", "ranks the alternative 'b'"),
        ("1: 1,{2,1}\n", "line 2 ranks an alternative twice"),
        ("1: \n", "line 2 ranks nothing"),
        ("", "the file holds no orders"),
    ],
)
def test_damaged_rankings_get_a_sentence(tmp_path, orders, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        load(written(tmp_path / "a.soi", "# NUMBER ALTERNATIVES: 3\n" + orders))


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.soc", "3\n1,x\n", "does not begin with `#`"),
        ("a.soc", "# NUMBER ALTERNATIVES: 1\n1: 1\n", "there are 1 items to compare"),
        ("a.soc", "# NUMBER ALTERNATIVES: many\n", "'many' as number alternatives, but it must be a whole number"),
        (
            "a.soc",
            "# NUMBER ALTERNATIVES: 99999999\n1: 1\n",
            "there are 99999999 items to compare, but there must",
        ),
        ("a.wmd", "# NUMBER ALTERNATIVES: 2\n", ".wmd files of PrefLib hold no rankings; .soc, .soi, .toc, .toi do"),
    ],
)
def test_files_that_hold_no_rankings_get_a_sentence(tmp_path, name, text, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        load(written(tmp_path / name, text))


def test_bad_orders_may_be_left_out_and_unranked_must_be_known(tmp_path):
    path = written(tmp_path / "a.soi", "# NUMBER ALTERNATIVES: 2\n1: 1,2\n1: 1,3\n")
    assert "1 bad row left out (line 3 ranks the alternative '3'" in load(path, skip_bad=True).note
    with pytest.raises(WinnerstaysError, match="no value of unranked 'last'"):
        load(path, unranked="last")
    with pytest.raises(WinnerstaysError, match="there are at least 2 items in one ranking, but at most 1"):
        load(path, limits=Limits(ranked=1))
