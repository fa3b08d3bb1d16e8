"""The command line: readable answers, and one sentence with exit code 2 for what is wrong."""

import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from unittest.mock import Mock

import polars
import pytest
import typer

from winnerstays import progress, registered, simulation
from winnerstays.cli import main
from winnerstays.cli.app import ORDER, out
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
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_WORDS", math.inf)  # however slow the machine

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


def test_simulate_says_what_was_read_from_a_file(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("left,right,winner,count\nx,y,right,3\nx,y,left,1\n")
    code, output, errors = run("simulate", path, "ws-w", "--horizon", 20, "--runs", 2, "--json", "-")
    assert code == 0 and json.loads(output)
    assert "4 duels; columns: left, right, winner, count" in errors
    assert "4 duels" in run("research", "exact", path)[2]
    assert "duels" not in run("simulate", "mslr", "ws-w", "--horizon", 20, "--runs", 2)[2]


def test_simulate_writes_json_picture_and_table(run, tmp_path):
    files = [tmp_path / name for name in ("r.json", "r.png", "r.svg", "r.parquet")]
    common = (
        "simulate",
        "mslr",
        "ws-s:beta=1.3",
        "--horizon",
        200,
        "--runs",
        4,
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


def test_a_plugin_in_the_wrong_place_is_told_its_place(run, tmp_path):
    file = tmp_path / "own_stubborn.py"
    file.write_text(PLUGIN)
    code, _, errors = run("simulate", "mslr", file, "ws-w")
    assert code == 2 and f"{file} is a file; give it as --plugin {file}, and the name of the algorithm here." in errors


def test_an_own_algorithm_is_described(tmp_path):
    (tmp_path / "own.py").write_text(f'"""It never learns."""\n{PLUGIN}')
    command = [sys.executable, "-m", "winnerstays", "algorithms", "stubborn", "--plugin", "own.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and "stubborn: Always arm 0" in done.stdout
    assert "It never learns." in done.stdout


def test_catalogues_name_everything(run):
    listed = run("algorithms")[1]
    assert all(name in listed for name in registered())
    listed = run("problems")[1]
    assert all(name in listed for name in [*FIXED, *GENERATED])


@pytest.mark.parametrize("name", registered())
def test_every_algorithm_describes_itself(run, name):
    code, output, _ = run("algorithms", name)
    one = registered()[name]
    assert code == 0 and one.title in output and one.facts.paper and one.facts.guarantee
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
        (("simulate", "mslr", "ws-s", "beta=1.2"), "There is no algorithm 'beta=1.2'"),
        (("simulate", "ws-w", "mslr"), "'ws-w' is an algorithm, but the problem comes first: 'sushi', then 'ws-w'"),
        (("simulate", "mslr", "ws-w,rucb"), "There is no algorithm 'ws-w,rucb'"),
        (("simulate", "mslr", "none.py"), "none.py is a file; give it as --plugin none.py"),
        (("simulate", "mslr", "ws-w", "--regret", "weak"), "several kinds of weak regret; say which: 'weak-binary' or"),
        (("simulate", "mslr", "ws-w", "--horizon", "0"), "horizon is 0"),
        (("simulate", "mslr", "ws-w", "--runs", "0"), "runs is 0"),
        (("simulate", "mslr", "ws-w", "--horizon", "many"), "'many'"),
        (("simulate", "mslr"), "Missing argument"),
        (("simulate", "mslr", "ws-w", "--nothing"), "No such option"),
        (("nothing",), "No such command 'nothing'"),
        (("simulate", "mslr", "ws-s", "ws-s:beta=1.1"), "'ws-s' and 'ws-s beta=1.1' are the same"),
        (("simulate", "mslr", "ws-w", "--json", "a.png", "--plot", "./a.png"), "a.png: curves are written as .json"),
        (
            ("simulate", "mslr", "ws-w", "--workers", "100000"),
            "workers is 100000, but on one machine it",
        ),
        (("simulate", "mslr", "racing:n_max=1e30"), "n_max is 1e30, but it must be a whole number from 1 to"),
        (("problems", "total-order:seed=-1"), "seed is -1"),
        (("problems", "."), ". is a folder"),
        (("simulate", "mslr", "ws-w", "--json", "no/such/folder/r.json"), "there is no folder no/such/folder"),
        (("simulate", "mslr", "ws-w", "--plot", "picture.txt"), "a picture is written as .png"),
        (("simulate", "mslr", "ws-w", "--plugin", "none.py"), "There is no file none.py"),
        (("simulate", "mslr", "ws-w", "--runs", "99999999999"), "runs is 99999999999, but it must be at most 1e+08"),
        (("research", "bounds", "--arms", "1000000000000", "--p", "0.8"), "it must be from 2 to 1e+07"),
        (("research", "bounds", "mslr", "--arms", "7"), "those of mslr"),
        (("research", "bounds", "--arms", "5", "--p", "0.8", "--beta", "nan"), "beta is nan"),
        (("research", "exact", "cyclic", "--beta", "1.5"), "ws-w has none"),
        (("research", "paper", "--quick", "--full"), "contradict each other"),
        (("research", "paper", "lemma-2", "--seed", "-1"), "seed is -1, but it must be a whole number of at least 0"),
        (
            ("research", "paper", "--city", "Paris"),
            "--city is 'Paris', but it chooses among the cities of --yelp; give both",
        ),
        (
            ("research", "paper", "--yelp", "nodir"),
            "nodir is no folder; give the folder with Yelp's business.json and review.json",
        ),
        (
            ("research", "exact", "mslr", "--precision", "0.1"),
            "precision is 0.1, but it belongs to an estimate; use --estimate",
        ),
        (("research", "exact", "mslr", "--seed", "1"), "seed is 1, but it belongs to an estimate; use --estimate"),
        (
            ("research", "exact", "mslr", "--estimate", "--seed", "-1"),
            "seed is -1, but it must be a whole number of at least 0",
        ),
        (("research", "paper", "sushi"), "no panel or claim 'sushi'; did you mean 'sushi-"),
        (("research", "paper", "figure-9"), "no panel or claim 'figure-9'"),
        (("research", "paper", "theorem4"), "more."),
        (("research", "paper", "--markdown", "nowhere/page.md"), "no folder nowhere"),
        (("research", "paper", "--markdown", "README.md"), "README.md exists already; use --force to overwrite it"),
        (("simulate", "missing.csv", "ws-w"), "missing.csv: the file cannot be read"),
        (("algorithms", "ws"), "no algorithm 'ws'"),
        (("problems", "nothing"), "no problem 'nothing'"),
        (("simulate", "mslr", "ws-w", "--seed", "1.5"), "'--seed': '1.5' is not a whole number, such as 100000"),
        (("simulate", "mslr", "ws-w", "--precision", "x%"), "'x%' is not a number, such as 0.95 or 95%"),
        (("research", "exact", "cyclic", "--beta", "big"), "'--beta': 'big' is not a number, such as 0.5; see"),
        (
            ("research", "bounds", "--arms", "5", "--p", "80%", "--horizon", "10^x"),
            "'10^x' is not a whole number, such as 100000",
        ),
        (
            ("pick", "ramen", "tacos"),
            "`printf '%s\\n' ramen tacos > items.txt`, then `winnerstays pick items.txt",
        ),
        (("pick", "README.md"), "`winnerstays pick README.md --judge me` asks you"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(run, arguments, sentence):
    code, output, errors = run(*arguments)
    assert code == 2
    assert sentence in errors and errors.count("\n") == 1 and len(errors) < 1000
    assert "Traceback" not in errors + output


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("simulate", "--help"), (), ("arena",), ("arena", "--help"), ("arena", "keys"), ("research",)],
    ids=str,
)
def test_help_is_help(run, arguments):
    code, output, errors = run(*arguments)
    assert (code, errors) == (0, "") and output.startswith("Usage: ")
    assert "..." not in output.partition("Commands:")[2]


@pytest.mark.parametrize("group", [(), ("arena",), ("arena", "items"), ("arena", "keys"), ("research",)], ids=str)
def test_commands_are_listed_in_their_order(run, group):
    listed = [line.split()[0] for line in run(*group)[1].partition("Commands:")[2].splitlines() if line[2:3].isalpha()]
    assert tuple(listed) == ORDER[group[-1] if group else "winnerstays"]
    assert len(listed) <= (13 if not group else 15)


def test_help_of_simulate_fits_a_screen(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("simulate", "--help")[1].rstrip().splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 80
    assert "--columns" in run("problems", "--help")[1]


@pytest.mark.parametrize(("noise", "odds"), [("1e-9", "any value"), ("1e20", "1")])
def test_problems_with_hardly_any_noise_or_hardly_anything_else(run, noise, odds):
    code, output, _ = run("problems", f"linear-utilities:noise={noise}")
    assert code == 0 and f"beta below p/(1-p) = {odds};" in " ".join(output.split())


def test_version(run):
    assert run("--version") == (0, f"winnerstays {version('winnerstays')}\n", "")


def test_exit_codes_of_commands_and_interrupts(run, monkeypatch):
    """A command's own exit code is kept; Ctrl-C, whatever typer makes of it, is said."""
    from winnerstays.algorithms import registry

    for stop, answer in [
        (typer.Exit(1), (1, "", "")),
        (KeyboardInterrupt(), (130, "", "winnerstays: interrupted.\n")),
        (typer.Abort(), (130, "", "winnerstays: interrupted.\n")),
    ]:
        monkeypatch.setattr(registry, "registered", Mock(side_effect=stop))
        assert run("algorithms") == answer


def test_numbers_are_never_cut(run, monkeypatch):
    asked = ("simulate", "sushi", "ws-s:beta=1.2345", "self-sparring", "--horizon", 2000, "--runs", 3)
    monkeypatch.setattr(out, "_width", 200)
    wide = run(*asked)[1]
    numbers = re.findall(r"[\d.,]+ ± [\d.,]+", wide)
    for width in (70, 40):
        monkeypatch.setattr(out, "_width", width)
        narrow = run(*asked)[1]
        assert re.findall(r"[\d.,]+ ± [\d.,]+", narrow) == numbers and "…" not in narrow
    assert len(numbers) == 6 and "ws-s beta=1.2345" not in narrow


def test_an_interrupted_simulation_says_what_is_missing(run, monkeypatch, tmp_path):
    """Ctrl-C when ten runs of WS-W are complete and none of RUCB."""
    simulate = simulation.simulate

    def interrupted(*arguments, **options):
        result = simulate(*arguments, **{**options, "runs": 10})
        return replace(result, records=[result.records[0], result.records[1][:0]], interrupted=True)

    monkeypatch.setattr(simulation, "simulate", interrupted)
    files = [tmp_path / name for name in ("r.json", "r.svg", "r.parquet")]
    asked = ("simulate", "mslr", "ws-w", "rucb", "--horizon", 100, "--runs", 400)
    code, output, errors = run(*asked, "--json", files[0], "--plot", files[1], "--parquet", files[2])
    assert code == 130 and "ws-w" in output
    assert errors == (
        "winnerstays: interrupted; of 400 runs are complete: 10 of ws-w, 0 of rucb; there is no curve of rucb.\n"
    )
    assert json.loads(files[0].read_text())["interrupted"]
    assert ", interrupted" in files[1].read_text()
    assert polars.read_parquet(files[2])["interrupted"].all()


def test_a_precision_that_was_not_reached_is_no_error_but_said(run):
    asked = ("simulate", "mslr", "ws-w", "--runs", 3, "--precision", "5%", "--horizon", 100)
    code, output, errors = run(*asked)
    assert code == 0 and "5 arms, 3 runs" in output
    assert errors.startswith("winnerstays: ws-w: the precision 0.05 was not reached in 3 runs")
    assert json.loads(run(*asked, "--json", "-")[1])["warnings"]
    assert "5 arms, 1 run," in run("simulate", "mslr", "ws-w", "--runs", 1, "--horizon", 10)[1]


def test_a_circle_has_regrets_of_its_own(run, tmp_path):
    path = tmp_path / "circle.json"
    path.write_text("[[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]]")
    said = " ".join(run("problems", path)[1].split())
    assert "no Condorcet winner" in said
    assert "nearest (Copeland): 0, 1, 2, each beat 1 of 2 others" in said
    code, output, _ = run("simulate", path, "ws-w", "ccb", "--horizon", 50, "--runs", 2)
    assert code == 0 and "cumulative weak-copeland regret" in output
    assert "ws-w: no guarantee without a Condorcet winner" in output
    code, _, errors = run("simulate", path, "ws-w", "--regret", "weak-binary")
    assert code == 2 and "weak-binary regret is not defined; weak-copeland, strong-copeland" in errors


def test_how_a_file_is_read_can_be_said(run, tmp_path):
    """Each option of `load` on the command line."""
    games = tmp_path / "games.csv"
    games.write_text("one,two,won\n" + "p,q,1\n" * 3 + "p,r,1\nq,r,nobody\n")
    code, _, errors = run("problems", games)
    assert code == 2 and "--columns" in errors and errors.count("\n") == 1
    columns = ("--columns", "left=one,right=two,winner=won", "--codes", "1=left", "--skip-bad")
    said = run("problems", games, *columns)[1]
    assert "Condorcet winner: p" in said and "1 bad row left out" in " ".join(said.split())
    assert "2 arms" in run("problems", games, *columns, "--items", 2)[1]
    assert "2 arms" in run("problems", games, *columns, "--min-duels", 3)[1]
    assert "fitted (Bradley-Terry)" in " ".join(run("problems", games, *columns, "--fit", "bradley-terry")[1].split())
    votes = tmp_path / "v.soi"
    votes.write_text("# NUMBER ALTERNATIVES: 3\n1: 1,2\n1: 2,1\n1: 2,3\n")
    assert "count as beaten" in " ".join(run("problems", votes, "--unranked", "below")[1].split())
    matrix = tmp_path / "m.csv"
    matrix.write_text("0,3\n1,0\n")
    assert "4 comparisons" in run("problems", matrix, "--matrix", "counts")[1]
    games.write_bytes("winner,loser\n\u042e\u043b\u0438\u044f,b\n".encode("cp1251"))
    assert "\u042e\u043b\u0438\u044f" in run("problems", games, "--encoding", "cp1251")[1]
    ratings = tmp_path / "r.csv"
    ratings.write_text(
        "user,item,rating\n" + "".join(f"{user},{item},{item % 5}\n" for user in "uv" for item in range(20))
    )
    assert "2 people, a problem each" in run("problems", ratings, "--people", 2)[1]
    code, output, _ = run("simulate", ratings, "ws-w", "--people", 2, "--horizon", 20, "--runs", 2)
    assert code == 0 and "r-u and 1 more" in output
    code, _, errors = run("problems", "sushi", "--items", 3)
    assert code == 2 and "items says how a file is read, but sushi is a built-in problem" in errors


def test_a_yelp_folder_is_looked_at(run, tmp_path):
    from winnerstays.problems.yelp.city import write_city

    write_city(tmp_path, seed=1)
    code, output, _ = run("problems", tmp_path, "--items", 60, "--people", 3)
    assert code == 0 and "3 people, a problem each" in output and "60 arms" in output


def test_whatever_simulate_takes_can_be_said(run, tmp_path):
    kept = tmp_path / "r.npz"
    asked = (
        "simulate",
        "mslr",
        "ws-w",
        "--horizon",
        200,
        "--runs",
        40,
        "--times",
        "10,200",
        "--no-relabel",
        "--save",
        kept,
    )
    more = ("--precision", 0.5, "--precision-regret", "weak-binary", "--min-runs", 5, "--cache", tmp_path / "runs")
    code, _, errors = run(*asked, *more)
    assert code == 0, errors
    result = simulation.Simulation.load(kept)
    assert result.times.tolist() == [10, 200] and result.runs < 4000 and list((tmp_path / "runs").iterdir())
    assert run("simulate", "mslr", "ws-w", "--times", "ten")[0] == 2
    assert run("simulate", "mslr", "ws-w", "--save", tmp_path / "r.txt")[2].endswith("is saved as .npz.\n")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "below(rng, state.n_arms), 0",
            "99, 0",
            r"choose \(stubborn.py, line 11\) returned \(99, 0\), but the arms are 0 to 4",
        ),
        (
            "below(rng, state.n_arms), 0",
            "-1, 0",
            r"choose \(stubborn.py, line 11\) returned \(-1, 0\), but the arms are 0 to 4",
        ),
        ("return State(n_arms)", "raise KeyError(n_arms)", r"init failed: KeyError: 5 \(stubborn.py, line 9\)\."),
        (
            "return below(rng, state.n_arms), 0",
            "return state.nothing, 0",
            r"attribute 'nothing' .*\(stubborn.py, line 13\)",
        ),
    ],
)
def test_a_plugin_that_plays_wrong_gets_a_sentence(run, tmp_path, old, new, sentence):
    (tmp_path / "stubborn.py").write_text(PLUGIN.replace(old, new))
    code, _, errors = run("simulate", "mslr", "stubborn", "--plugin", tmp_path / "stubborn.py")
    assert code == 2 and re.search(sentence, errors, re.S) and "Traceback" not in errors, errors


def test_check_says_what_is_broken_and_what_to_do(run, tmp_path):
    (tmp_path / "stubborn.py").write_text(PLUGIN)
    code, output, _ = run("check", tmp_path / "stubborn.py")
    assert code == 1 and "ok      arms in range: Every duel is between arms that exist" in output
    assert "BROKEN  finds obvious winner" in output and "There are several causes" in output
    assert output.startswith("stubborn: Always arm 0\n") and "\nstubborn BREAKS the contract: " in output
    (tmp_path / "empty.py").write_text("")
    assert "registers no algorithm" in run("check", tmp_path / "empty.py")[2]


def test_check_names_each_of_several(run, tmp_path):
    """Also one that goes wrong late: compiled code would read beyond an array."""
    text = PLUGIN.replace("n_arms: int", "n_arms: int\n    seen: np.ndarray").replace("stubborn", "overlong")
    text = "import numpy as np" + text.replace("State(n_arms)", "State(n_arms, np.zeros(1500))")
    late = "    state.seen[int(state.seen[0])] += 0\n    state.seen[0] += 1\n    return state\n"
    text = text.replace("    return state\n", late) + "@kernel\ndef rest(state, first, second, first_won, rng):\n"
    text += "    return state\nregister(Algorithm('still', 'Arm 0 too', init, choose, rest, best))\n"
    (tmp_path / "several.py").write_text(text)
    code, output, _ = run("check", tmp_path / "several.py")
    assert code == 1 and "\nBROKEN  overlong: update failed: IndexError: index 1500" in output
    assert re.search(r"\(several.py, line \d+\)", output) and "overlong BREAKS the contract: it cannot be" in output
    assert "\nstill: Arm 0 too\nok" in output and "2 of 2 algorithms break the contract: overlong, still" in output


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


@pytest.mark.parametrize("written", ["1e2", "1_00", "10^2", "100"])
def test_large_numbers_may_be_written_short(run, tmp_path, written):
    code, _, _ = run("simulate", "mslr", "ws-w", "--horizon", written, "--runs", "2e0", "--save", tmp_path / "r.npz")
    assert code == 0 and simulation.Simulation.load(tmp_path / "r.npz").horizon == 100


@pytest.mark.parametrize("written", ["1.5", "ten", "1e", "2^x", "inf"])
def test_what_is_no_whole_number_is_said(run, written):
    for command in (("simulate", "mslr", "ws-w"), ("research", "league")):
        code, _, errors = run(*command, "--horizon", written)
        assert code == 2 and f"'{written}' is not a whole number, such as 100000, 100_000, 1e5 or 10^5" in errors


def test_no_time_is_shown_twice(run):
    code, output, _ = run(
        "simulate", "mslr", "ws-w", "--times", "1e1,1e2", "--horizon", 100, "--runs", 2, "--seed", "1e3"
    )
    assert code == 0 and output.count("t=10 ") == 1 and "t=100" in output and "seed 1000" in output


def test_every_file_that_is_written_is_named(run, tmp_path):
    files = {"--json": "r.json", "--parquet": "r.parquet", "--save": "r.npz", "--plot": "r.png"}
    options = [part for option, name in files.items() for part in (option, tmp_path / name)]
    code, output, _ = run("simulate", "mslr", "ws-w", "--horizon", "20", "--runs", "2", *options)
    assert code == 0 and all(str(tmp_path / name) in output for name in files.values())
    assert run("simulate", "mslr", "ws-w", "--parquet", tmp_path / "a.csv")[2].endswith("is written as .parquet.\n")
    assert run("simulate", "mslr", "ws-w", "--json", tmp_path / "a.txt")[2].endswith("are written as .json.\n")


def test_a_question_is_followed_by_a_sentence_of_its_own(run):
    assert run("arena", "stand")[2].endswith("Did you mean 'standing'? See winnerstays arena --help.\n")


def test_bibtex_of_an_algorithm(run):
    code, output, _ = run("algorithms", "ws-w", "--bibtex")
    assert code == 0 and output.startswith("@inproceedings{chen2017,") and output.count("@") == 1
    code, output, _ = run("algorithms", "--bibtex")
    cited = set(re.findall(r"[\w+-]+", " ".join(re.findall(r"keywords = \{([^}]*)\}", output))))
    assert cited == set(registered()) - {"random"}
    code, _, errors = run("algorithms", "random", "--bibtex")
    assert code == 2 and "random has no BibTeX entry; its source is folklore." in errors
