"""The league: what is played, what is kept, who is first."""

import csv
import math

import pytest

from benchmarks._league_pictures import mean_ranks
from winnerstays import WinnerstaysError, algorithm
from winnerstays.league import play
from winnerstays.league.cells import Cell, CellStore, Stat, ranking, write_csv
from winnerstays.league.problems import SETS, league_problems
from winnerstays.problems import total_order

PLAN = play.Plan(times=(100, 1000), runs=12, seconds=60.0, few=3, regrets=("strong-average", "strong-binary"))


def stat(mean, sem=1.0, p99=None, worst=None):
    return Stat(mean=mean, sem=sem, p90=mean, p99=p99 or mean, worst=worst or mean, runs=10)


def cell(label, mean, problem="a", **tail):
    return Cell(
        problem, label, {"strong-average": {1000: stat(mean, **tail)}, "strong-binary": {1000: stat(mean)}}, 0.1
    )


def test_who_is_first_and_by_how_much():
    cells = [cell("ws-s", 30.0), cell("ws-t", 20.0), cell("dts", 25.0)]
    assert [(one.algorithm, one.ratio) for one in ranking(cells, "strong-average", 1000)] == [
        ("ws-t", 1.0),
        ("dts", 1.25),
        ("ws-s", 1.5),
    ]
    assert ranking(cells, "strong-average", 10) == []


def test_a_rank_is_a_mean_over_the_problems_that_were_reached():
    problems = {"a": [cell("x", 1.0), cell("y", 2.0)], "b": [cell("x", 8.0, "b"), cell("y", 2.0, "b")], "c": []}
    found = mean_ranks(problems, "strong-average", 1000)
    assert found == {"x": pytest.approx((1.5, 2.0, 2)), "y": pytest.approx((1.5, math.sqrt(2), 2))}


def test_contenders_may_be_within_half_of_the_best():
    cells = [
        cell("best", 10.0),
        cell("near", 15.0, sem=0.1),
        cell("unsure", 40.0, sem=13.0),
        cell("far", 16.0, sem=0.1),
    ]
    plan = play.Plan(times=(1000,), regrets=("strong-average",))
    assert play.contenders(cells, plan) == {"best", "near", "unsure"}


def played(folder, names=("ws-t", "savage", "random"), say=lambda text: None):
    where = play.Where(workers=1, cache=str(folder / "runs"), say=say)
    algorithms = [algorithm(name) for name in names]
    return list(play.play_league({"four": total_order(4, 0.8)}, algorithms, PLAN, CellStore(folder / "cells"), where))


def test_a_league_goes_on_from_what_is_kept(tmp_path):
    said = []
    cells = played(tmp_path, say=said.append)
    runs = {one.algorithm: one.at("strong-average", 1000).runs for one in cells}
    assert runs == {"ws-t": 12, "savage": 3, "random": 3}, "few runs of whoever is far from the best"
    assert len(said) == 4 and all("(problem 1 of 1, left: -:--:--)" in text for text in said)
    assert played(tmp_path, say=lambda text: pytest.fail("played again")) == cells
    broken = next((tmp_path / "cells").glob("ws-t*"))
    broken.write_text("{")
    again = played(tmp_path)
    assert [one.stats for one in again] == [one.stats for one in cells], "the same runs once more"


def test_a_league_says_how_long_the_rest_may_take(tmp_path):
    said = []
    where = play.Where(workers=1, say=said.append)
    problems = {"four": total_order(4, 0.8), "five": total_order(5, 0.8)}
    list(play.play_league(problems, [algorithm("random")], PLAN, CellStore(tmp_path), where))
    assert "(problem 1 of 2, left: -:--:--)" in said[0]
    assert "(problem 2 of 2, left: 0:0" in said[-1]


def test_times_that_take_too_long_are_left_out(tmp_path, monkeypatch):
    """A clock on which every pilot run takes a second: ten times as long is too long."""
    ticks = iter(range(10**6))
    monkeypatch.setattr(play.time, "process_time", lambda: next(ticks))
    plan = play.Plan(times=(100, 1000), runs=4, seconds=10.0, few=2, regrets=("strong-average",))
    where = play.Where(workers=1)
    (found,) = play.play_league({"four": total_order(4, 0.8)}, [algorithm("ws-t")], plan, CellStore(tmp_path), where)
    assert found.at("strong-average", 1000) is None and found.at("strong-average", 100) is not None
    assert found.note == "a run to 1,000 takes too long"


def test_nobody_gets_more_runs_than_the_most(tmp_path):
    for runs in (1, 4):
        plan = play.Plan(times=(10, 100), runs=runs, seconds=10.0)
        (found,) = play.play_league(
            {"four": total_order(4, 0.8)}, [algorithm("ws-w")], plan, CellStore(tmp_path), play.Where(workers=1)
        )
        assert found.at("strong-average", 100).runs == plan.few == runs


def test_a_known_horizon_is_played_for_each_time(tmp_path):
    (found,) = played(tmp_path, names=["if2"])
    early = found.at("strong-average", 100)
    assert early is not None and early.mean <= found.at("strong-average", 1000).mean


def test_every_problem_of_the_league_has_a_winner():
    found = league_problems([])
    assert len(found) == sum(map(len, SETS.values())) >= 20
    assert all(one.best_arm is not None for one in found.values())


def test_problems_that_do_not_exist(tmp_path):
    with pytest.raises(WinnerstaysError, match="no set or problem 'near-tie'; did you mean 'near-ties'"):
        league_problems(["near-tie"])
    circle = tmp_path / "circle.csv"
    circle.write_text(".5,.8,.2\n.2,.5,.8\n.8,.2,.5\n")
    with pytest.raises(WinnerstaysError, match="no Condorcet winner"):
        league_problems([str(circle)])


def test_a_table_has_a_line_for_each_problem_algorithm_regret_and_time(tmp_path):
    write_csv(tmp_path / "league.csv", [cell("ws-s", 30.0), cell("ws-t", 20.0, "b, c")], force=False)
    with (tmp_path / "league.csv").open(newline="") as file:
        first, *_, last = csv.DictReader(file)
    assert first["problem"] == "a" and first["algorithm"] == "ws-s" and first["regret"] == "strong-average"
    assert last["problem"] == "b, c" and (last["t"], last["mean"], last["runs"]) == ("1000", "20.0", "10")
