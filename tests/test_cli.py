"""The command line: readable answers, and one sentence with exit code 2 for what is wrong."""

import json
import subprocess
import sys

import pytest

from winnerstays import registered
from winnerstays.cli import main
from winnerstays.problems import FIXED, GENERATED

MATRIX = "0.5,0.7\n0.3,0.5\n"
PLUGIN = """
from typing import NamedTuple
from winnerstays import Algorithm, below, kernel, register

class State(NamedTuple):
    n_arms: int

def init(n_arms, rng):
    return State(n_arms)

@kernel
def choose(state, rng):
    return below(rng, state.n_arms), 0

@kernel
def update(state, first, second, first_won, rng):
    return state

@kernel
def best(state):
    return 0

register(Algorithm("stubborn", "Always arm 0", init, choose, update, best))
"""


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["winnerstays", *map(str, arguments)])
        try:
            main()
        except SystemExit as stop:
            code = stop.code
        else:
            code = 0
        captured = capsys.readouterr()
        return code or 0, captured.out, captured.err

    return call


def test_simulate_shows_a_table_with_a_curve(run):
    code, output, errors = run("simulate", "mslr", "ws-w", "ws-s:beta=1.2", "--horizon", 500, "--runs", 5)
    assert (code, errors) == (0, "")
    assert "ws-s beta=1.2" in output and "weak-binary" in output and "█" in output and "±" in output
    assert max(map(len, output.splitlines())) <= 80


def test_simulate_writes_json_picture_and_table(run, tmp_path):
    files = [tmp_path / name for name in ("r.json", "r.png", "r.svg", "r.parquet")]
    common = (
        "simulate",
        "mslr",
        "ws-s",
        "--horizon",
        200,
        "--runs",
        4,
        "--param",
        "ws-s.beta=1.3",
        "--regret",
        "strong-utility",
    )
    assert run(*common, "--json", files[0], "--plot", files[1], "--parquet", files[3])[0] == 0
    assert run(*common, "--plot", files[2])[0] == 0
    assert all(file.stat().st_size > 500 for file in files)
    data = json.loads(files[0].read_text())
    assert data["curves"][0]["params"]["beta"] == 1.3
    code, _, errors = run(*common, "--json", files[0])
    assert code == 2 and f"{files[0]} exists already; use --force" in errors
    assert run(*common, "--json", files[0], "--force")[0] == 0


def test_json_on_standard_output_is_nothing_but_json(run):
    code, output, _ = run("simulate", "mslr", "ws-w", "ws-s", "--horizon", 100, "--runs", 3, "--seed", 5, "--json", "-")
    data = json.loads(output)
    assert code == 0 and {"problem", "horizon", "runs", "seed", "version"} <= set(data)
    assert {(c["algorithm"], c["regret"]) for c in data["curves"]} >= {
        ("ws-w", "weak-binary"),
        ("ws-s", "strong-average"),
    }


def test_a_file_is_a_problem(run, tmp_path):
    (tmp_path / "mine.csv").write_text(MATRIX)
    assert "mine: cumulative" in run("simulate", tmp_path / "mine.csv", "ws-w", "--horizon", 20, "--runs", 2)[1]
    assert "p = 0.7" in run("problems", tmp_path / "mine.csv")[1]


def test_a_stranger_brings_an_algorithm_in_a_file(tmp_path):
    (tmp_path / "stubborn.py").write_text(PLUGIN)
    command = [
        sys.executable,
        "-m",
        "winnerstays",
        "simulate",
        "mslr",
        "stubborn",
        "--plugin",
        "stubborn.py",
        "--horizon",
        "50",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "stubborn" in done.stdout, done.stderr


def test_catalogues_name_everything(run):
    listed = run("algorithms")[1]
    assert all(name in listed for name in registered())
    listed = run("problems")[1]
    assert all(name in listed for name in [*FIXED, *GENERATED])


@pytest.mark.parametrize("name", registered())
def test_every_algorithm_describes_itself(run, name):
    code, output, _ = run("algorithms", name)
    one = registered()[name]
    assert code == 0 and one.title in output and one.paper and one.guarantee
    for parameter in one.parameters:
        assert parameter in output


def test_problems_show_what_they_know(run):
    output = run("problems", "mslr")[1]
    for part in ("5 arms", "0.276", "p = 0.51", "p1 = 0.535", "totally ordered: yes", ".613"):
        assert part in output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("simulate", "sushy", "ws-w"), "did you mean 'sushi'?"),
        (("simulate", "mslr", "wsw"), "did you mean 'ws-w'?"),
        (("simulate", "mslr", "ws-s:gamma=1"), "no parameter of ws-s 'gamma'"),
        (("simulate", "mslr", "ws-s:beta=1"), "beta is 1, but it must be a finite number above 1"),
        (("simulate", "mslr", "ws-s:beta=inf"), "beta is inf"),
        (("simulate", "mslr", "ws-s:beta"), "must look like ws-s:option=value"),
        (("simulate", "mslr", "ws-s:beta=2,beta=3"), "gives beta twice"),
        (("simulate", "mslr", "WS-W"), "did you mean 'ws-w'?"),
        (("simulate", "mslr", "ws-s", "--param", "beta=2"), "must look like ws-s.beta=1.2"),
        (("simulate", "mslr", "ws-w", "--param", "ws-s.beta=2"), "not among the algorithms asked for"),
        (("simulate", "mslr", "ws-w", "--regret", "weak"), "did you mean 'weak-"),
        (("simulate", "mslr", "ws-w", "--horizon", "0"), "horizon is 0"),
        (("simulate", "mslr", "ws-w", "--runs", "0"), "runs is 0"),
        (("simulate", "mslr", "ws-w", "--horizon", "many"), "Invalid value"),
        (("simulate", "mslr"), "Missing argument"),
        (("simulate", "mslr", "ws-w", "--json", "no/such/folder/r.json"), "there is no folder no/such/folder"),
        (("simulate", "mslr", "ws-w", "--plot", "picture.txt"), "a picture is written as .png"),
        (("simulate", "mslr", "ws-w", "--plugin", "none.py"), "none.py is not a Python file"),
        (("simulate", "mslr", "ws-w", "--runs", "99999999999"), "runs is 99999999999, but it must be at most 1e+08"),
        (("bounds", "--arms", "1000000000000", "--p", "0.8"), "it must be from 2 to 1e+07"),
        (("bounds", "mslr", "--arms", "7"), "those of mslr"),
        (("bounds", "--arms", "5", "--p", "0.8", "--beta", "nan"), "beta is nan"),
        (("exact", "cyclic", "--beta", "1.5"), "ws-w has none"),
        (("paper", "--quick", "--full"), "contradict each other"),
        (("paper", "sushi"), "no panel 'sushi'"),
        (("paper", "--markdown", "nowhere/page.md"), "no folder nowhere"),
        (("paper", "--markdown", "README.md"), "README.md exists already"),
        (("simulate", "missing.csv", "ws-w"), "missing.csv: the file cannot be read"),
        (("algorithms", "ws"), "no algorithm 'ws'"),
        (("problems", "nothing"), "no problem 'nothing'"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(run, arguments, sentence):
    code, output, errors = run(*arguments)
    assert code == 2
    assert sentence in " ".join(errors.split())
    assert "Traceback" not in errors + output


def test_a_circle_has_no_regret(run, tmp_path):
    (tmp_path / "circle.json").write_text("[[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]]")
    code, _, errors = run("simulate", tmp_path / "circle.json", "ws-w")
    assert code == 2 and "no Condorcet winner" in errors
    assert "no Condorcet winner" in run("problems", tmp_path / "circle.json")[1]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("below(rng, state.n_arms), 0", "99, 0", "stubborn chose an arm that does not exist; the 5 arms are 0 to 4"),
        ("below(rng, state.n_arms), 0", "-1, 0", "stubborn chose an arm that does not exist"),
        ("return State(n_arms)", "raise KeyError(n_arms)", "An algorithm of your own failed: KeyError: 5"),
        ("return below(rng, state.n_arms), 0", "return state.nothing, 0", "An algorithm of your own failed"),
    ],
)
def test_a_plugin_that_plays_wrong_gets_a_sentence(tmp_path, old, new, sentence):
    (tmp_path / "stubborn.py").write_text(PLUGIN.replace(old, new))
    command = [sys.executable, "-m", "winnerstays", "simulate", "mslr", "stubborn", "--plugin", "stubborn.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and sentence in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_a_plugin_runs_in_processes_too(tmp_path):
    (tmp_path / "stubborn.py").write_text(PLUGIN)
    command = [sys.executable, "-m", "winnerstays", "simulate", "mslr", "stubborn", "--plugin", "stubborn.py"]
    command += ["--horizon", "50", "--cluster", "processes"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "stubborn" in done.stdout, done.stderr


def test_a_full_standard_output_is_a_sentence():
    command = [sys.executable, "-m", "winnerstays", "problems"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2 and "cannot be written (No space left on device)" in done.stderr


def test_items_are_data_not_markup(run, tmp_path):
    (tmp_path / "m.json").write_text('{"preferences": [[0.5, 0.6], [0.4, 0.5]], "items": ["[/red]", "[bold]x"]}')
    code, output, _ = run("problems", tmp_path / "m.json")
    assert code == 0 and "[/red]" in output


def test_a_plugin_that_fails_gets_a_sentence(run, tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0")
    code, _, errors = run("simulate", "mslr", "ws-w", "--plugin", tmp_path / "broken.py")
    assert code == 2 and "ZeroDivisionError: division by zero" in errors
