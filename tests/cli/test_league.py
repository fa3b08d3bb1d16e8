"""`winnerstays research league`."""

import pytest

from tests.cli.test_cli import PLUGIN, run  # noqa: F401 - a fixture

SMALL = ("--horizon", 1000, "--runs", 4, "--workers", 1)


def test_a_league_with_ones_own_algorithm_and_file(run, tmp_path):  # noqa: F811
    (tmp_path / "mine.py").write_text(PLUGIN)
    (tmp_path / "mine.csv").write_text(".5,.9\n.1,.5\n")
    table = tmp_path / "table.csv"
    code, output, _ = run(
        "research", "league", tmp_path / "mine.csv", "--algorithm", "ws-t", "--algorithm", "stubborn", *SMALL,
        "--plugin", tmp_path / "mine.py", "--out", tmp_path / "out", "--csv", table,
    )  # fmt: skip
    assert code == 0 and "ws-t" in output and "stubborn" in output
    assert "stubborn,strong-average,1000," in table.read_text()


def test_sets_are_listed(run):  # noqa: F811
    code, output, _ = run("research", "league", "--sets")
    assert code == 0 and "near-ties: total-order:n_arms=2,p=0.51" in output


def test_a_league_without_enough_time_says_so(run, tmp_path):  # noqa: F811
    asked = (
        "research",
        "league",
        "mslr",
        "--horizon",
        "1e3",
        "--runs",
        4,
        "--algorithm",
        "ws-w",
        "--algorithm",
        "ws-t",
    )
    code, output, errors = run(*asked, "--seconds", 1e-6, "--workers", 1, "--out", tmp_path)
    assert code == 0 and output.count("not reached") == 3 and "2 runs to 1 (" in errors
    assert "winnerstays: mslr: ws-w, ws-t: a run to 10 takes too long; give more --seconds (now 1e-06)." in errors


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("research", "league", "nowhere"), "nowhere"),
        (
            ("research", "league", "mslr", "--horizon", 5),
            "horizon is 5, but it must be a whole number from 10 to 10^12",
        ),
        (("research", "league", "mslr", "--runs", 0), "runs is 0, but it must be above 0"),
        (("research", "league", "mslr", "--workers", 0), "workers is 0, but it must be above 0"),
        (
            ("research", "league", "mslr", "--precision", 5),
            "precision is 5.0, but it must be a fraction between 0 and 1",
        ),
        (
            ("research", "league", "mslr", "--precision", 0),
            "precision is 0.0, but it must be a fraction between 0 and 1",
        ),
        (
            ("research", "league", "mslr", "--regret", "strong"),
            "There are several kinds of strong regret; say which: 'strong-bin",
        ),
    ],
)
def test_what_cannot_be_played_is_said_in_a_sentence(run, arguments, sentence):  # noqa: F811
    code, _, errors = run(*arguments)
    assert code == 2 and sentence in errors and "Traceback" not in errors
