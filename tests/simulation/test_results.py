"""Results that can be looked at and kept."""

import io
import subprocess
import sys

import numpy as np
import pytest

from winnerstays import Problem, Simulation, WinnerstaysError, algorithm, simulate
from winnerstays.algorithms import registry

CIRCLE = Problem([[0.5, 0.9, 0.4], [0.1, 0.5, 0.6], [0.6, 0.4, 0.5]], items=["a", "b", "c"], name="circle")


@pytest.fixture
def result():
    return simulate("mslr", ["ws-w", algorithm("ws-s", beta=1.2)], horizon=100, runs=5, seed=3)


def test_repr_is_a_table(result):
    first, *rows = repr(result).split("\n")
    assert first == (
        "<Simulation of mslr: 5 arms, horizon 100, 5 runs, seed 3; cumulative weak-binary regret at the end:"
    )
    assert sorted(row.split()[0] for row in rows) == ["ws-s", "ws-w"] and all("±" in row for row in rows)
    assert repr(result.curve("ws-w", "weak-binary")).startswith("<Curve of ws-w: weak-binary regret ")


def test_notebooks_show_a_table_and_a_picture(result):
    shown = result._repr_html_()
    assert shown.count("<tr>") == 3 and "<th>strong-average</th>" in shown and shown.count("<svg") == 1
    assert simulate(CIRCLE, "ws-w", horizon=10, runs=1)._repr_html_().count("weak-copeland") >= 1


def test_a_curve_that_is_not_there_is_explained(result):
    assert result.curve("ws-w") is result.curve("ws-w", "weak-binary")
    narrow = simulate("mslr", "ws-w", horizon=10, runs=1, regrets="weak-utility")
    for asked, regret, sentence in (
        (result, "weak", "There are several kinds of weak regret; say which: 'weak-binary' or 'weak-utility'"),
        (result, "week-binary", "no regret 'week-binary'; did you mean 'weak-binary'"),
        (narrow, "weak-binary", "weak-binary regret was not recorded, but weak-utility; simulate with regrets="),
        (simulate(CIRCLE, "ws-w", horizon=10, runs=1), "weak-binary", "circle: no arm beats every other arm"),
    ):
        with pytest.raises(WinnerstaysError, match=sentence):
            asked.curve("ws-w", regret)


def test_a_table_may_be_csv(tmp_path, result):
    lines = result.to_csv(tmp_path / "r.csv").read_text().splitlines()
    assert len(lines) == 1 + result.to_frame().height and lines[0].startswith("problem,algorithm,label,regret")
    with pytest.raises(WinnerstaysError, match=r"\.csv"):
        result.to_csv(tmp_path / "r.txt")


def test_what_must_be_known_is_shown_and_kept(tmp_path):
    found = simulate(CIRCLE, ["ws-w", "ccb"], horizon=10, runs=3, precision=0.01)
    promise = "ws-w: no guarantee without a Condorcet winner"
    assert len(found.warnings) == 2 and found.notes == (*found.warnings, promise)
    for note in found.notes:
        assert note in repr(found) and note in found._repr_html_()
    assert found.to_dict()["warnings"] == list(found.warnings)
    assert Simulation.load(found.save(tmp_path / "r.npz")).warnings == found.warnings
    assert simulate("mslr", "ws-w", horizon=10, runs=1).notes == ()


def test_frames_have_what_a_figure_needs(result):
    frame = result.to_frame()
    row = frame.filter((frame["label"] == "ws-s beta=1.2") & (frame["t"] == 100)).row(0, named=True)
    assert row["seed"] == 3 and row["runs"] == 5 and row["horizon"] == 100 and '"beta": 1.2' in row["params"]
    assert row["low"] < row["mean"] < row["high"]
    assert row["high"] - row["mean"] == pytest.approx(1.959964 * row["sem"])
    assert list(result.to_pandas().columns) == frame.columns


@pytest.mark.parametrize("problem", ["mslr", "total-order:n_arms=4", CIRCLE, [CIRCLE, "mslr"],
                                     Problem.from_comparisons([("a", "b"), ("b", "c"), ("a", "c")])],
                         ids=["matrix", "rule", "circle", "several", "counted"])  # fmt: skip
def test_saved_and_loaded_is_the_same(tmp_path, problem):
    before = simulate(problem, ["ws-w", algorithm("ws-s", beta=1.5)], horizon=50, runs=3, seed=2)
    path = before.save(tmp_path / "r.npz")
    after = Simulation.load(path)
    assert after.to_dict() == before.to_dict() and repr(after) == repr(before)
    assert all(np.array_equal(*pair) for pair in zip(after.records, before.records, strict=True))
    assert after.problem.items == before.problem.items and after.problem.note == before.problem.note
    again = simulate([after.problem, *after.others], after.algorithms, horizon=50, runs=3, seed=2)
    assert np.array_equal(again.records[0], before.records[0])
    with pytest.raises(WinnerstaysError, match="exists already"):
        before.save(path)


def test_a_simulation_needs_its_algorithms_to_be_loaded(tmp_path, result, monkeypatch):
    path = result.save(tmp_path / "r.npz")
    monkeypatch.setattr(registry, "_registry", {k: v for k, v in registry._registry.items() if k != "ws-s"})
    with pytest.raises(WinnerstaysError, match="ws-s is not registered here; import the module that registers it"):
        Simulation.load(path)


def other_archive():
    held = io.BytesIO()
    np.savez(held, facts=np.zeros(3))
    return held.getvalue()


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", other_archive()])
def test_what_is_no_saved_simulation_gets_a_sentence(tmp_path, content):
    (tmp_path / "r.npz").write_bytes(content)
    with pytest.raises(WinnerstaysError, match=r"r\.npz was not written by Simulation\.save, or it is damaged\.$"):
        Simulation.load(tmp_path / "r.npz")
    with pytest.raises(WinnerstaysError, match=r"none\.npz: the file cannot be read"):
        Simulation.load(tmp_path / "none.npz")
    with pytest.raises(WinnerstaysError, match=r"r\.txt: a simulation is saved as \.npz"):
        simulate("mslr", "ws-w", horizon=10, runs=1).save(tmp_path / "r.txt")


def test_endings_say_the_format(tmp_path, result):
    with pytest.raises(WinnerstaysError, match=r"a\.csv: a table is written as \.parquet"):
        result.to_parquet(tmp_path / "a.csv")
    with pytest.raises(WinnerstaysError, match=r"a\.txt: curves are written as \.json"):
        result.to_json(tmp_path / "a.txt")


@pytest.mark.parametrize("command", [["--version"], ["--help"], ["arena", "--help"], ["simulate", "--help"]])
def test_help_does_not_wait_for_the_compiler(command):
    code = (
        "import sys; sys.argv[1:] = COMMAND\n"
        "from winnerstays.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numba', 'numpy', 'scipy', 'matplotlib', 'sqlalchemy', 'polars'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code.replace("COMMAND", repr(command))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_comparison_is_the_mean_difference_of_the_runs():
    result = simulate("mslr", ["ws-w", "ws-root"], horizon=300, runs=40, seed=1, times=[100, 300])
    ours, theirs = (result.curve(name, "strong-average").values[:, 0] for name in ("ws-w", "ws-root"))
    found = result.compare("ws-w", "ws-root", "strong-average", t=100)
    assert found.mean == pytest.approx((ours - theirs).mean()) and found.runs == 40 and not found.paired
    assert found.sem == pytest.approx((ours - theirs).std(ddof=1) / 40**0.5)
    low, high = found.interval
    assert high - low == pytest.approx(2 * 1.959964 * found.sem) and "at t=100, 40 runs>" in repr(found)
    with pytest.raises(WinnerstaysError, match="t is 7, but it must be a recorded time: 100, 300"):
        result.compare("ws-w", "ws-root", t=7)


def test_paired_runs_share_the_outcomes_of_each_pair():
    """The order of the algorithms does not matter, and differences have a smaller standard error."""
    result = simulate("total-order:n_arms=2,p=0.6", ["ws-w", "random"], horizon=500, runs=5, paired=True, seed=3)
    again = simulate("total-order:n_arms=2,p=0.6", ["random", "ws-w"], horizon=500, runs=5, paired=True, seed=3)
    for name in ("ws-w", "random"):
        assert (result.curve(name).values == again.curve(name).values).all()
    spread = {}
    for paired in (False, True):
        one = simulate("mslr", ["ws-w", "ws-root"], horizon=1000, runs=200, seed=1, times=[100], paired=paired)
        spread[paired] = one.compare("ws-w", "ws-root", "strong-average").sem
        assert one.paired is paired
    assert spread[True] < 0.9 * spread[False], "common random numbers make the difference sharper"


def test_a_frame_of_runs_has_the_values():
    result = simulate("mslr", "ws-w", horizon=50, runs=3, seed=1, times=[10, 50], regrets="weak-binary")
    frame = result.to_frame(runs=True)
    assert frame["run"].to_list() == [0, 0, 1, 1, 2, 2] and frame["t"].to_list() == [10, 50] * 3
    assert frame["value"].to_list() == result.curve("ws-w").values.ravel().tolist()
    assert frame["seed"].to_list() == [1] * 6
