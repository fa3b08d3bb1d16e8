"""Whatever is not recognised gets a sentence with columns and codes that work when they are typed."""

import csv
import re
import shlex

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, example, given, settings

from winnerstays import WinnerstaysError
from winnerstays.problems import load
from winnerstays.problems.readers.columns import as_option, layout_of, parse

NEARLY = ["Winner", "loser ", "Left", "RIGHT", "winner", "loser", "left", "right", "model_a", "user", "item", "Rating"]
NAME = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8) | st.sampled_from(NEARLY)


def typed(sentence, option):
    """Return what a shell hands over for the option that a sentence shows last."""
    words = shlex.split(sentence[sentence.rindex(f"--{option} ") :].partition(" (columns=")[0].partition(" (codes=")[0])
    return words[1]


def attempt(path, **options):
    """Return the problem of a file, or the sentence that refuses it."""
    try:
        return load(path, delimiter=",", **options)
    except WinnerstaysError as error:
        return str(error)


@given(
    header=st.lists(NAME, min_size=2, max_size=5, unique=True),
    rows=st.lists(st.lists(st.sampled_from("1234"), min_size=5, max_size=5), max_size=4),
)
@example(header=["home, team", "it's", 'a "b"'], rows=[])
@example(header=["Left", "Right", "Winner"], rows=[["1", "2", "1", "", ""], ["1", "2", "3", "", ""]])
@example(header=["winner", "loser", "left", "right"], rows=[])
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_who_types_what_the_sentences_say_gets_a_problem(tmp_path, header, rows):
    """The columns that are proposed, and then perhaps the codes; in the last row all cells differ."""
    path = tmp_path / "a.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *(row[: len(header)] for row in [*rows, list("12345")])])
    found = attempt(path)
    if isinstance(found, str) and "--columns" in found:
        assert all(repr(name) in found for name in header)
        options = {"columns": typed(found, "columns")}
        found = attempt(path, **options)
        if isinstance(found, str) and "--codes" in found:
            found = attempt(path, **options, codes=typed(found, "codes"))
    assert not isinstance(found, str) or "matrix" in found or "compared" in found or "at least 2 are needed" in found


@pytest.mark.parametrize(
    ("header", "mapped", "proposed"),
    [
        ("home,away,result", None, "left=home,right=away,winner=result"),
        ("Left,Right,won", None, "left=Left,right=Right,winner=won"),
        ("User,Item,stars", None, "user=User,item=Item,rating=stars"),
        ("a,b,c", "left=a,right=b", "left=a,right=b,winner=c"),
        ("a,b,c,d", "left_score=c,right_score=d,left=a", "left=a,right=b,left_score=c,right_score=d"),
        ("winner,who", None, "winner=winner,loser=who"),
    ],
)
def test_what_is_proposed(header, mapped, proposed):
    with pytest.raises(WinnerstaysError) as error:
        layout_of(header.split(","), mapped)
    assert typed(str(error.value), "columns") == proposed
    layout_of(header.split(","), proposed)


@pytest.mark.parametrize("cells", ["H,A,D", "1,2", "home team,it's,x=y,\"", "win,,loss"])
def test_values_that_are_not_known_get_codes_that_work(tmp_path, cells):
    path = tmp_path / "a.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("left", "right", "winner"), *(("a", "b", cell) for cell in cells.split(","))])
    with pytest.raises(
        WinnerstaysError, match="but it must be an item of its row, left, right or tie; codes say"
    ) as error:
        load(path)
    assert load(path, codes=typed(str(error.value), "codes")).counts.tolist() == (
        [[0, 1.5], [1.5, 0]] if len(cells.split(",")) > 2 else [[0, 1], [1, 0]]
    )


def test_a_word_that_is_an_item_gets_codes_that_work(tmp_path):
    (tmp_path / "a.csv").write_text("left,right,winner\nx,left,left\n")
    with pytest.raises(WinnerstaysError, match="is both an item and a word for a side") as error:
        load(tmp_path / "a.csv")
    assert load(tmp_path / "a.csv", codes=typed(str(error.value), "codes")).counts.tolist() == [[0, 1], [0, 0]]


@given(st.dictionaries(NAME, NAME, max_size=4))
@settings(deadline=None)
def test_what_is_typed_is_what_is_meant(pairs):
    pairs = {re.sub("=", "", key).strip() or "x": value for key, value in pairs.items()}
    assert parse(shlex.split(as_option("columns", pairs))[1], "columns") == pairs
