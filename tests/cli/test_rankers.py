"""`winnerstays problems rankers`: from rows of features to a problem."""

import pytest

from winnerstays.problems import problem

ROWS = "".join(
    f"{grade} qid:{query} 1:{grade} 2:{-grade} 3:7 # row\n" for query in range(5) for grade in (0, 1, 2, 3, 4)
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text(ROWS)
    return str(path)


def test_a_problem_is_made_and_read_again(run, file, tmp_path):
    matrix = str(tmp_path / "matrix.npz")
    command = ("problems", "rankers", file, "--clicks", "perfect", "--sessions", "2000", "--out", matrix)
    code, said, _ = run(*command, "--features", "1,2")
    assert code == 0 and "queries: 5, results: 25; perfect clicks, team_draft" in said and "Condorcet winner: 1" in said
    found = problem(matrix)
    assert found.items == ["1", "2"] and found.preferences[0, 1] > 0.9
    assert f"{found.preferences[0, 1]:.3f}"[1:] in said
    code, _, error = run(*command)
    assert code == 2 and "exists already; use --force" in error


def test_the_generated_corpus(run):
    code, said, _ = run(
        "problems", "rankers", "generated", "--queries", "50", "--sessions", "1000", "--features", "bm25,length"
    )
    assert code == 0 and "queries: 50, results: 1500" in said and "Condorcet winner: bm25" in said


def test_problems_are_shown_as_before(run):
    listed, shown, spelled = run("problems")[1], run("problems", "cyclic")[1], run("problems", "show", "cyclic")[1]
    assert "sushi" in listed and "Condorcet winner" in shown and shown == spelled
    assert "--columns" in run("problems", "--help")[1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere.txt"], "nowhere.txt cannot be read (No such file or directory)."),
        (["generated", "--features", "bm25,pagerank"], "There is no feature 'pagerank'; did you mean 'page-rank'?"),
        (["generated", "--clicks", "perfekt"], "There is no click model 'perfekt'; did you mean 'perfect'?"),
        (["generated", "--method", "optimized"], "There is no method of simulated sessions 'optimized'"),
        (["generated", "--workers", "0"], "workers is 0, but it must be above 0."),
        (["generated", "--queries", "0"], "queries is 0, but it must be above 0."),
        (["generated", "--out", "matrix.csv"], "matrix.csv: counts are written as .npz."),
    ],
)
def test_refusals(run, words, sentence):
    code, _, error = run("problems", "rankers", *words)
    assert code == 2 and sentence in error


def test_a_file_of_something_else(run, tmp_path):
    path = tmp_path / "image.txt"
    path.write_bytes(b"\xff\xd8\xff\xe0")
    assert "cannot be read ('utf-8' codec" in run("problems", "rankers", str(path))[2]
    path.write_text("winner,loser\na,b\n")
    assert "Line 1: the grade is 'winner,loser', but it must be 0 to 4" in run("problems", "rankers", str(path))[2]
