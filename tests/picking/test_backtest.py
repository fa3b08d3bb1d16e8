"""The backtest on small files whose answer is known."""

import json

import pytest

from winnerstays import WinnerstaysError
from winnerstays.picking.backtest import backtest


def write(path, rows):
    path.write_text("model_a,model_b,winner\n" + "".join(f"{','.join(row)}\n" for row in rows))
    return path


def records(share, ties=0):
    """100 judgements of each pair of x, y, z; the first of the alphabet has this share of the decided ones."""
    rows = []
    for one, other in (("x", "y"), ("x", "z"), ("y", "z")):
        rows += [(one, other, "tie")] * ties
        rows += [(one, other, "model_a")] * share + [(other, one, "model_a")] * (100 - share)
    return rows


def test_the_table_for_the_decision(tmp_path):
    found = backtest(write(tmp_path / "log.csv", records(80, ties=50)), runs=60, seed=1)
    assert (found.best, found.judgements, found.items, found.notes) == ("x", 450, ("x", "y", "z"), ())
    (way,) = found.ways
    assert way.name == "pick" and 10 < way.calls < 150 and way.right >= 0.9 <= way.certified
    text = str(found)
    assert "the best is x" in text and "pick" in text and "60 replays" in text
    assert json.loads(found.to_json())["ways"][0]["name"] == "pick"


def test_pairs_without_enough_judgements_are_named(tmp_path):
    rows = [*records(80), ("x", "new", "model_a"), ("y", "new", "tie")]
    found = backtest(write(tmp_path / "log.csv", rows), runs=2)
    assert found.items == ("x", "y", "z")
    assert found.notes == ("left out, because they were not compared with all others: new",)
    few = backtest(write(tmp_path / "few.csv", [*records(80)[:-95], ("y", "z", "model_a")]), runs=2)
    assert "1 of 3 pairs have fewer than 20 judgements (z and y have 6)" in few.notes[0]


def test_questions_are_examples(tmp_path):
    """x wins 30 of 40 questions against y and z, y 24 against z; each is there once, and no call is made twice."""
    rows = [
        f"{one},{other},{'left' if question < won else 'right'},q{question}"
        for one, other, won in (("x", "y", 30), ("z", "x", 10), ("y", "z", 24)) for question in range(40)
    ]  # fmt: skip
    path = tmp_path / "log.csv"
    path.write_text("left,right,winner,question\n" + "\n".join(rows))
    found = backtest(path, runs=20, question="question")
    way = found.ways[1]
    assert (way.name, found.best, way.right, way.certified) == ("pick, each question once", "x", 1, 1)
    assert way.most <= 2 * 3 * 40 and way.calls < found.ways[0].calls
    with pytest.raises(WinnerstaysError, match="There is no column 'prompt'"):
        backtest(path, question="prompt", runs=1)


def test_records_without_a_best_item(tmp_path):
    rows = [("x", "y", "model_a")] * 30 + [("y", "z", "model_a")] * 30 + [("z", "x", "model_a")] * 30
    found = backtest(write(tmp_path / "log.csv", rows), runs=10)
    assert found.best is None and found.ways[0].right == 1 and "no item beats all others" in str(found)


def test_what_cannot_be_replayed(tmp_path):
    with pytest.raises(WinnerstaysError, match="runs is 0"):
        backtest(write(tmp_path / "log.csv", records(80)), runs=0)
    with pytest.raises(WinnerstaysError, match=r"nothing\.csv"):
        backtest(tmp_path / "nothing.csv")
