"""`winnerstays research exact` and `winnerstays research bounds` as a person calls them."""

import json

import pytest
from typer.testing import CliRunner

from winnerstays import WinnerstaysError
from winnerstays.cli import app


def call(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_exact_as_json():
    data = json.loads(call("research", "exact", "cyclic", "--rounds", 4, "--json", "-"))
    names = {"round", "duels", "weak_binary", "weak_utility", "strong_binary", "strong_utility", "wrong_winner"}
    assert all(names <= set(one) for one in [*data["rounds"], data["total"]])
    assert data["rounds"][3]["wrong_winner"] == pytest.approx(0.196307, abs=5e-7)
    assert data["total"]["weak_binary"] + data["remainder"] == pytest.approx(46.6499, rel=0.01)


def test_exact_total_as_json():
    data = json.loads(call("research", "exact", "mslr", "--rule", "random", "--json", "-"))
    assert data["total"]["weak_binary"] == pytest.approx(44.9498, abs=5e-5)
    assert data["total"]["strong_binary"] is None and 0 < data["remainder"] <= 1e-6


def test_exact_table_shows_value_bound_and_ratio():
    text = call("research", "exact", "total-order:n_arms=3,p=0.8")
    assert "1.0295" in text and "ratio" in text and "Theorem 1, corrected" in text


def test_ws_s_table():
    assert "Theorems 3, 4 in rounds" in call("research", "exact", "cyclic", "--algorithm", "ws-s", "--rounds", 3)
    assert "nothing is proved" in call("research", "exact", "cyclic", "--algorithm", "ws-s", "--beta", 2, "--rounds", 3)


def test_estimate():
    text = call("research", "exact", "total-order:n_arms=40,p=0.9", "--estimate", "--runs", 50)
    assert "+-" in text and "50 runs" in text


def test_json_to_file(tmp_path):
    path = tmp_path / "exact.json"
    call("research", "exact", "cyclic", "--rounds", 2, "--json", path)
    assert json.loads(path.read_text())["problem"] == "cyclic"
    with pytest.raises(WinnerstaysError, match="exists already"):
        call("research", "exact", "cyclic", "--rounds", 2, "--json", path)
    call("research", "exact", "cyclic", "--rounds", 3, "--json", path, "--force")
    assert len(json.loads(path.read_text())["rounds"]) == 3


def test_bounds_of_a_setting():
    text = call("research", "bounds", "--arms", 50, "--p", 0.8, "--horizon", 1000)
    assert "5,529.31" in text and "9,398.15" in text and "within the theory" in text
    data = json.loads(call("research", "bounds", "--arms", 50, "--p", 0.8, "--json", "-"))
    assert data["theorems"][0]["value"] == pytest.approx(5529, abs=0.5)
    assert data["largest_beta"]["p"] == pytest.approx(4)


def test_bounds_of_a_problem():
    assert "beta = 1.1 is outside the theory: p1/(1-p1) = 1.049" in call("research", "bounds", "sushi")
    assert "beta = 1.1 is within the theory: p1/(1-p1) = 1.151" in call("research", "bounds", "mslr")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("research", "bounds"), "--arms and --p"),
        (("research", "bounds", "--arms", 5, "--p", 0.5), "p is 0.5"),
        (("research", "exact", "cyclic", "--tolerance", 0), "tolerance is 0.0"),
        (("research", "exact", "random-condorcet:n_arms=40"), "up to 20"),
        (("research", "exact", "nowhere"), "no problem 'nowhere'"),
        (("research", "exact", "cyclic", "--json", "/nowhere/x.json"), "no folder /nowhere"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(WinnerstaysError, match=message):
        call(*arguments)
