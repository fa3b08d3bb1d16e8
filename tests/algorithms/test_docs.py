"""docs/algorithms.md and results/algorithms/ name every algorithm and every published value."""

from benchmarks._results import read_results
from tests.reference.measured_elsewhere import BY_OTHERS, BY_OURSELVES, DISAGREEING, UNTOLD
from winnerstays import registered


def test_every_algorithm_has_a_speed():
    found = [row for row in read_results("algorithms/speed") if row["problem"] == "fifty"]
    assert {row["algorithm"] for row in found} == set(registered())
    assert all(float(row["nanoseconds"]) > 0 for row in found)


def test_every_published_value_is_there_with_its_verdict():
    rows = read_results("algorithms/regret")
    known = [(one.problem, one.label, one.regret, str(one.horizon), one.source) for one in (*BY_OTHERS, *BY_OURSELVES)]
    assert [(row["problem"], row["algorithm"], row["regret"], row["t"], row["source"]) for row in rows] == known
    disagreeing = [one.source == UNTOLD and (one.problem, one.name) in DISAGREEING for one in BY_OTHERS]
    disagreeing += [False for _ in BY_OURSELVES]
    assert [row["verdict"] == "disagrees" for row in rows] == disagreeing
    assert [abs(float(row["distance"])) > 4 for row in rows] == disagreeing
