"""Matrices in memory are problems: arrays and lists of rows."""

import re
from pathlib import Path

import numpy as np
import polars
import pytest

from tests.reference.timeline import timeline
from winnerstays import Problem, WinnerstaysError, problem, simulate
from winnerstays.theory.expected import expected_regret

ROWS = [[0.5, 0.6, 0.8], [0.4, 0.5, 0.7], [0.2, 0.3, 0.5]]
NAMES = ["tacos", "ramen", "pho"]
PAGE = Path(__file__).parents[2] / "docs" / "data.md"


@pytest.mark.parametrize(
    "matrix",
    [
        ROWS,
        tuple(map(tuple, ROWS)),
        np.array(ROWS),
        list(np.array(ROWS)),
    ],
    ids=["list", "tuple", "array", "rows"],
)
def test_a_matrix_is_a_problem_everywhere(matrix):
    found = problem(matrix)
    assert np.allclose(found.preferences, ROWS) and np.array_equal(Problem(matrix).preferences, found.preferences)
    assert found.items == ["0", "1", "2"]
    same = simulate(Problem(ROWS), "ws-w", horizon=20, runs=2)
    assert np.array_equal(simulate(matrix, "ws-w", horizon=20, runs=2).records[0], same.records[0])
    assert expected_regret(matrix).total == expected_regret(Problem(ROWS)).total
    assert timeline(matrix, 3) == timeline(Problem(ROWS), 3)


def test_several_matrices_are_several_problems():
    for several in ([np.array(ROWS)] * 2, np.array([ROWS] * 2), [ROWS, ROWS], [np.array(ROWS), "mslr"]):
        assert len(simulate(several, "ws-w", horizon=20, runs=2).others) == 1


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        (
            [[0, 12], [7, 0]],
            "is 12, but a probability must lie between 0 and 1; divide percentages by 100, and give",
        ),
        ([[50, 60], [40, 50]], "give counts of wins to Problem.from_counts"),
        ([[0, 0.6], [0.4, 0]], "against itself must be 0.5 (numpy.fill_diagonal(matrix, 0.5) sets that)"),
        (np.zeros((2, 3)), "must be square, but its shape is (2, 3)"),
        (3.0, "a path, a matrix (an array or a list of rows) or a data frame, not a float"),
        ({"a": 1}, "not a dict"),
        ([1, 2], "A problem is a Problem, a name"),
    ],
    ids=str,
)
def test_what_is_no_matrix_is_said_with_what_to_do(matrix, sentence):
    for use in (problem, lambda given: simulate(given, "ws-w"), expected_regret):
        with pytest.raises(WinnerstaysError, match=re.escape(sentence)):
            use(matrix)


def test_options_of_files_are_not_for_matrices():
    with pytest.raises(WinnerstaysError, match="prior says how a file or a data frame is read, but this"):
        problem(ROWS, prior=1.0)


def test_a_frame_is_a_table_and_its_numbers_are_a_matrix():
    frame = polars.DataFrame(ROWS, schema=NAMES, orient="row")
    assert Problem(frame.to_numpy(), items=frame.columns).items == NAMES
    with pytest.raises(WinnerstaysError, match="the columns are 'tacos', 'ramen', 'pho', but a table must have"):
        problem(frame)


def test_the_examples_in_the_docs_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    scope = {}
    for example in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S):
        exec(example, scope)
    assert "tacos" in capsys.readouterr().out
