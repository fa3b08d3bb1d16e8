"""The simulator: the right numbers, the same on any number of threads, and in every form."""

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars
import pytest

from tests.waiting import PATIENCE_SECONDS
from winnerstays import REGRETS, Problem, WinnerstaysError, algorithm, problem, simulate
from winnerstays.compiling import COMPILED
from winnerstays.problems.chances import chance
from winnerstays.randomness import shuffle, stream, uniform
from winnerstays.simulation import scheduler
from winnerstays.simulation.api import MIN_RUNS
from winnerstays.simulation.experiment import Experiment, run_batch
from winnerstays.simulation.regret import regret_of_duel
from winnerstays.simulation.scheduler import StoppingRule


def test_the_loop_is_the_step_functions_played_one_by_one():
    """Run 3 of seed 7, replayed by hand with init, choose and update: the same regret at every time."""
    for name in ("ws-w", "ws-s"):
        one, where, times = algorithm(name), problem("mslr"), np.array([1, 5, 40, 300])
        record = run_batch(one, Experiment(where, 300, times, 7), [3])[0]
        rng, outcome_rng = stream(7, 3, 0), stream(7, 3, 1)
        label = np.arange(where.n_arms)
        shuffle(label, outcome_rng)
        state = one.start(where.n_arms, rng)
        total = dict.fromkeys(REGRETS, 0.0)
        for t in range(1, 301):
            first, second = one.choose(state, rng)
            costs = regret_of_duel(where, int(label[first]), int(label[second]))
            total = {key: so_far + costs[key] for key, so_far in total.items()}
            if first == second:
                state = one.update(state, first, second, True, rng)
            else:
                won = bool(uniform(outcome_rng) < chance(where.chances, label[first], label[second]))
                state = one.update(state, first, second, won, rng)
            if t in times:
                assert record[list(times).index(t)].tolist() == pytest.approx(list(total.values()))


def test_bit_identical_on_any_number_of_threads():
    results = [
        simulate("cyclic", ["ws-w", "ws-s"], horizon=700, runs=37, seed=4, workers=workers) for workers in (1, 2, 7)
    ]
    for other in results[1:]:
        for mine, theirs in zip(results[0].records, other.records, strict=True):
            assert np.array_equal(mine, theirs)


def test_a_run_does_not_depend_on_the_other_runs_or_algorithms():
    alone = simulate("mslr", "ws-s", horizon=500, runs=5, seed=2)
    among = simulate("mslr", ["ws-w", "ws-s"], horizon=500, runs=9, seed=2)
    assert np.array_equal(alone.records[0], among.records[1][:5])
    longer = simulate("mslr", "ws-s", horizon=5000, runs=5, seed=2, times=[500, 5000])
    assert np.array_equal(alone.records[0][:, -1], longer.records[0][:, 0])


def test_curves():
    result = simulate("mslr", ["ws-w", algorithm("ws-s", beta=1.3)], horizon=200, runs=12, seed=3, times=[10, 200])
    curve = result.curve("ws-s beta=1.3", "strong-utility")
    assert (curve.algorithm, curve.params["beta"], curve.runs) == ("ws-s", 1.3, 12)
    assert curve.mean == pytest.approx(curve.values.mean(axis=0))
    assert curve.sem == pytest.approx(curve.values.std(axis=0, ddof=1) / np.sqrt(12))
    assert curve.quantile(0.5) == pytest.approx(np.median(curve.values, axis=0))
    assert len(result.curves) == 2 * len(REGRETS)
    assert np.isnan(simulate("mslr", "ws-w", horizon=10, runs=1).curve("ws-w", "weak-binary").sem).all()


def test_default_times_hold_every_decade_and_the_horizon():
    times = simulate("mslr", "ws-w", horizon=20_000 if COMPILED else 2000, runs=1).times
    assert {1, 10, 100, 1000, times[-1]} <= set(times.tolist())
    assert (np.diff(times) > 0).all()


def test_precision_stops_early_and_does_not_depend_on_threads():
    horizon, precision = (300, 0.2) if COMPILED else (60, 0.4)
    asked = {"horizon": horizon, "runs": 5000, "seed": 1, "precision": precision, "times": [horizon]}
    results = [simulate("mslr", ["ws-w", "ws-s"], workers=workers, **asked) for workers in (1, 3)]
    assert [len(record) for record in results[0].records] == [len(record) for record in results[1].records]
    for result in results:
        for curve in result.curves:
            assert MIN_RUNS <= curve.runs < 5000
            assert (curve.sem <= precision * curve.mean).all()
    assert simulate("mslr", "ws-w", precision_regrets=["strong-binary"], **asked).runs == MIN_RUNS


def test_rare_expensive_runs_are_asked_for_before_an_error_is_trusted():
    """Of 1000 runs 995 have regret 10 or 12 and 5 have 40: the error is 0.6 % of the mean, but 5 runs make most of it.

    The squared skewness is about 106, so 21,200 runs are wanted; without those five 1000 are enough.
    """
    rule = StoppingRule(10**6, 64, 0.01, (0,))
    usual = np.tile([10.0, 12.0], 500)

    def asked(expensive):
        values = usual.copy()
        values[:expensive] = 40.0
        return rule.next_goal(values.reshape(-1, 1, 1))

    assert asked(0) is None
    following, enough = asked(5)
    assert following == 1500 and 20_000 < enough < 23_000
    loose = replace(rule, precision=0.05)  # also where the error is far below what was asked: it may be too small
    assert loose.next_goal(np.where(np.arange(1000) < 5, 40.0, usual).reshape(-1, 1, 1)) == (following, enough)


def test_a_precision_that_was_not_reached_is_said():
    asked = {"horizon": 100, "seed": 0, "precision": 0.05}
    (said,) = simulate("mslr", "ws-w", runs=3, **asked).warnings
    assert said.startswith(
        "ws-w: the precision 0.05 was not reached in 3 runs, after which its standard error is up to "
    )
    needed = int(said.partition("about ")[2].partition(" are needed")[0].replace(",", ""))
    assert 100 < needed < 10_000
    (said,) = simulate("mslr", "ws-w", runs=1, **asked).warnings
    assert said.endswith("not reached in 1 run, from which its standard error is not known.")
    assert simulate("mslr", "ws-w", runs=3, horizon=100).warnings == ()
    assert simulate("mslr", "ws-w", runs=20_000, **{**asked, "precision": 0.5}).warnings == ()
    skewed = np.where(np.arange(1000) < 5, 40.0, np.tile([10.0, 12.0], 500)).reshape(-1, 1, 1)
    said = StoppingRule(1000, 64, 0.05, (0,)).shortfall("ws-s", skewed)
    assert "too few to trust its standard error, as some cost far more; about 2" in said


def test_the_precision_is_not_checked_before_the_fewest_runs():
    asked = {"horizon": 100, "runs": 500, "precision": 0.9, "precision_regrets": "strong-binary"}
    found = simulate("mslr", ["ws-w", "ws-s"], min_runs=100, **asked)
    assert [len(record) for record in found.records] == [100, 100]
    assert simulate("mslr", "ws-w", min_runs=7, **asked).runs == 7
    for options, said in (
        ({"min_runs": 501}, "min_runs is 501, but runs is only 500"),
        (
            {"min_runs": 9, "precision": None},
            "min_runs says when a precision is first checked; give one",
        ),
    ):
        with pytest.raises(WinnerstaysError, match=re.escape(said)):
            simulate("mslr", "ws-w", **{**asked, **options})


def test_a_run_with_several_problems_is_one_with_each_averaged():
    """Run 2 of three problems by hand: trials 6, 7 and 8, each replayed alone with its own problem."""
    problems = [problem("mslr"), problem("cyclic"), problem("sushi")]
    found = simulate(problems, "ws-w", horizon=300, runs=4, seed=5, times=[20, 300])
    trials = [
        run_batch(algorithm("ws-w"), Experiment(one, 300, np.array([20, 300]), 5), [6 + k])
        for k, one in enumerate(problems)
    ]
    assert found.records[0][2] == pytest.approx(np.mean(trials, axis=0)[0])
    assert found.records[0].shape == (4, 2, len(REGRETS)) and found.name == "mslr and 2 more"
    assert np.array_equal(
        simulate([problem("mslr")], "ws-w", horizon=90, runs=3).records[0],
        simulate("mslr", "ws-w", horizon=90, runs=3).records[0],
    )


def test_several_problems_get_the_runs_their_mean_needs_whatever_the_workers_or_the_cache(tmp_path):
    problems = ["mslr", "cyclic"]
    precision = 0.05 if COMPILED else 0.15
    asked = {
        "horizon": 100,
        "runs": 3000,
        "seed": 1,
        "precision": precision,
        "min_runs": 8,
        "precision_regrets": ["weak-binary"],
    }
    found = simulate(problems, ["ws-w", "ws-s"], workers=1, **asked)
    for curve in found.of_regret("weak-binary"):
        assert 8 < curve.runs < 3000 and (curve.sem <= precision * curve.mean).all()
    simulate(problems, "ws-w", cache=tmp_path, **{**asked, "runs": 11})
    for options in ({"workers": 3}, {"cache": tmp_path}, {"cluster": "processes", "workers": 2}):
        other = simulate(problems, ["ws-w", "ws-s"], **asked, **options)
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(found.records, other.records, strict=True))


def test_trials_that_complete_no_run_are_left_out():
    experiment = Experiment(problem("mslr"), 10, np.array([10]), 0, others=(problem("cyclic"),))
    trials = run_batch(algorithm("ws-w"), experiment, range(5))
    assert np.array_equal(experiment.runs_of(trials), (trials[0:4:2] + trials[1:4:2]) / 2)
    assert len(experiment.runs_of(trials[:1])) == 0


def test_only_the_asked_regrets_are_recorded():
    asked = {"problem": "mslr", "algorithms": "ws-s", "horizon": 200, "runs": 5, "seed": 2}
    some, whole = simulate(regrets=["strong-utility", "weak-binary"], **asked), simulate(**asked)
    assert some.records[0].shape[2] == 2
    for regret in ("weak-binary", "strong-utility"):
        assert np.array_equal(some.curve("ws-s", regret).values, whole.curve("ws-s", regret).values)
    with pytest.raises(WinnerstaysError, match="strong-binary regret was not recorded"):
        some.of_regret("strong-binary")


def test_a_cache_never_computes_twice_and_goes_on_where_it_was(tmp_path, monkeypatch):
    asked = {"problem": "mslr", "algorithms": ["ws-w", algorithm("ws-s", beta=1.2)], "horizon": 300, "seed": 1}
    fresh = simulate(runs=30, **asked)
    simulate(runs=11, cache=tmp_path, **asked)
    grown = simulate(runs=30, cache=tmp_path, **asked)
    assert all(np.array_equal(one, other) for one, other in zip(fresh.records, grown.records, strict=True))
    assert len(list(tmp_path.iterdir())) == 2
    monkeypatch.setattr(scheduler, "run_batch", lambda algorithm, experiment, trials, stop=None: 1 / (trials == [0]))
    again = simulate(runs=20, cache=tmp_path, **asked)
    assert all(np.array_equal(one[:20], other) for one, other in zip(fresh.records, again.records, strict=True))
    with pytest.raises(ZeroDivisionError):
        simulate(runs=20, cache=tmp_path, **{**asked, "seed": 2})


def test_damaged_and_foreign_files_in_a_cache_are_ignored(tmp_path):
    first = simulate("mslr", "ws-w", horizon=50, runs=4, cache=tmp_path)
    [file] = tmp_path.iterdir()
    for content in (b"", b"nonsense", file.read_bytes()[:-9]):
        file.write_bytes(content)
        assert np.array_equal(simulate("mslr", "ws-w", horizon=50, runs=4, cache=tmp_path).records[0], first.records[0])


def test_relabelling_changes_runs_but_can_be_turned_off():
    where = Problem(problem("sushi").preferences)
    off = [simulate(where, "ws-w", horizon=50, runs=4, seed=s, relabel=False).records[0] for s in (0, 0)]
    on = simulate(where, "ws-w", horizon=50, runs=4, seed=0).records[0]
    assert np.array_equal(off[0], off[1]) and not np.array_equal(off[0], on)


def test_json_frame_parquet_and_picture(tmp_path):
    result = simulate("mslr", ["ws-w", "ws-s"], horizon=300, runs=6, seed=3)
    data = json.loads(result.to_json(tmp_path / "r.json"))
    assert data == json.loads((tmp_path / "r.json").read_text())
    assert (data["problem"], data["horizon"], data["runs"], data["seed"]) == ("mslr", 300, 6, 3)
    assert {"algorithm", "params", "regret", "t", "mean", "sem"} <= set(data["curves"][0])
    assert len(data["curves"]) == 10
    frame = result.to_frame()
    assert frame.height == 10 * result.times.size
    result.to_parquet(tmp_path / "r.parquet")
    assert polars.read_parquet(tmp_path / "r.parquet").equals(frame)
    for suffix in ("png", "svg"):
        result.plot(tmp_path / f"r.{suffix}", regret="strong-utility")
        assert (tmp_path / f"r.{suffix}").stat().st_size > 5000
    with pytest.raises(WinnerstaysError, match="exists already"):
        result.to_json(tmp_path / "r.json")
    with pytest.raises(WinnerstaysError, match=r"\.png, \.svg or \.pdf"):
        result.plot(tmp_path / "r.txt")


def test_logarithmic_picture_with_zero_regret(tmp_path):
    result = simulate("total-order:n_arms=2", "ws-w", horizon=30_000, runs=2, times=[1, 10, 30_000])
    axes = result.plot(tmp_path / "zero.png").axes[0]
    assert not result.curve("ws-w", "weak-binary").mean.any()
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    assert axes.lines[0].get_ydata().tolist() == [0, 0, 0] and (tmp_path / "zero.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"horizon": 0}, "horizon is 0, but it must be a whole number from 1"),
        ({"horizon": 10**16}, "horizon is 10000000000000000"),
        ({"horizon": 10.5}, "horizon is 10.5"),
        ({"horizon": True}, "horizon is True"),
        ({"precision": "x"}, "precision is x"),
        ({"algorithms": 5}, "algorithms are 5"),
        ({"algorithms": [5]}, "not 5"),
        ({"runs": 0}, "runs is 0"),
        ({"workers": 0}, "workers is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"precision": 2}, "precision is 2"),
        ({"times": [5, 3]}, "increasing whole numbers"),
        ({"times": [5, 300]}, "to the horizon 100"),
        ({"times": []}, "increasing whole numbers"),
        ({"algorithms": []}, "No algorithm was given"),
        ({"algorithms": ["ws-w", "ws-w"]}, "'ws-w' and 'ws-w' are the same algorithm"),
        ({"algorithms": ["ws-s", algorithm("ws-s", beta=1.1)]}, "'ws-s' and 'ws-s beta=1.1' are the same"),
        ({"algorithms": ["ws-w", replace(algorithm("rucb"), name="ws-w")]}, "Two different algorithms are called"),
        ({"problem": "ws-w", "algorithms": "mslr"}, "the problem comes first: 'sushi', then 'ws-w'"),
        ({"problem": algorithm("ws-w"), "algorithms": "mslr"}, "the problem comes first: 'sushi', then 'ws-w'"),
        ({"workers": 100_000}, "workers is 100000, but on one machine it must be at most 512"),
        ({"regrets": "weak"}, "several kinds of weak regret; say which: 'weak-binary' or 'weak-utility'"),
        ({"regrets": 3}, "The regrets are 3, but they must be names"),
        ({"regrets": "wek-binary"}, "no regret 'wek-binary'; did you mean 'weak-binary'"),
        ({"times": 100}, "times is 100, but it must be increasing whole numbers from 1 to the horizon 100"),
        ({"cluster": 3}, "The cluster is 3, but it must be"),
        ({"cache": 3}, "The cache is 3, but it must be the path of a folder"),
        ({"relabel": "x"}, "relabel is 'x', but it must be True or False"),
        ({"horizon": 1e2 + 0.5}, "horizon is 100.5, but it must be a whole number"),
        ({"algorithms": "ws-s:beta=0.5"}, "beta is 0.5"),
        ({"algorithms": "ws-x"}, "no algorithm 'ws-x'; did you mean 'ws-"),
        ({"problem": [[0.5]]}, "at least 2"),
        ({"problem": []}, "No problem was given"),
        ({"min_runs": 0, "precision": 0.5}, "min_runs is 0"),
        ({"regrets": []}, "No regret was given"),
        ({"regrets": ["weak-binary"], "precision_regrets": ["strong-binary"]}, "no regret 'strong-binary'"),
    ],
)
def test_bad_input_gets_a_sentence(options, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        simulate(**{"problem": "mslr", "algorithms": "ws-w", "horizon": 100, "runs": 2, **options})


def test_what_people_write_is_taken():
    """Whole floats, parameters behind a name, a matrix."""
    chances = [[0.5, 0.9], [0.1, 0.5]]
    results = [
        simulate(one, ["ws-s:beta=1.2"], horizon=1e2, runs=2.0, times=np.array([10.0, 100.0]))
        for one in (chances, np.array(chances), Problem(chances))
    ]
    assert results[0].horizon == 100 and results[0].times.tolist() == [10, 100]
    assert all(np.array_equal(one.records[0], results[0].records[0]) for one in results)
    assert results[0].curve("ws-s beta=1.2", "weak-binary").params["beta"] == 1.2


def test_one_regret_needs_no_list():
    result = simulate(
        "mslr", "ws-w", horizon=50, runs=3, regrets="weak-binary", precision_regrets="weak-binary", precision=0.5
    )
    assert [curve.regret for curve in result.curves] == ["weak-binary"]


@pytest.mark.parametrize("horizon", [1, 30_000])
def test_a_single_time_is_drawn_as_points(horizon):
    figure = simulate("mslr", ["ws-w", "ws-s"], horizon=horizon, runs=2, times=[horizon]).plot()
    assert [line.get_marker() for line in figure.axes[0].lines] == ["o", "o"]


def test_unknown_names_of_curves():
    result = simulate("mslr", "ws-w", horizon=10, runs=2)
    with pytest.raises(WinnerstaysError, match="several kinds of weak regret; say which: 'weak-binary'"):
        result.of_regret("weak")
    with pytest.raises(WinnerstaysError, match="no curve of 'ws-s'"):
        result.curve("ws-s", "weak-binary")


INTERRUPTED = f"""
import winnerstays
batches = []

def count(stage, done):
    batches.append(done)
    if len(batches) == 10:
        print("some runs are done", flush=True)

asked = dict(horizon={200_000 if COMPILED else 500}, seed=1)
winnerstays.simulate("sushi", "ws-w", runs=1, **asked)
result = winnerstays.simulate("sushi", "ws-w", runs=10**6, progress=count, **asked)
alone = winnerstays.simulate("sushi", "ws-w", runs=1, **asked)
print(result.interrupted, 0 < result.runs < 10**6, bool((alone.records[0][0] == result.records[0][0]).all()))
"""


def test_interrupt_returns_what_is_finished():
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "some runs are done\n"
    os.kill(child.pid, signal.SIGINT)
    output, errors = child.communicate(timeout=PATIENCE_SECONDS)
    assert output.split() == ["True", "True", "True"], errors
