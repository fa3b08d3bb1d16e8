"""The league: what is played, what is kept, who is first."""

import math
from pathlib import Path

import pytest

from winnerstays import WinnerstaysError, algorithm, registered
from winnerstays.league import play, report
from winnerstays.league.ablation import LOCKED, VARIANTS, ablate, measure, smallest_slope, variant
from winnerstays.league.cells import Cell, CellStore, Stat, by_problem
from winnerstays.league.problems import SETS, VERDICT, league_problems, role
from winnerstays.league.search import MARGIN, Search, search
from winnerstays.league.standing import mean_ranks, ranking, targets, verdicts
from winnerstays.problems import total_order

DOCS = Path(__file__).parents[2] / "docs"
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


def test_first_means_within_one_standard_error_of_the_difference():
    for mean, first in ((20.0, True), (26.4, True), (26.5, False)):
        (found,) = verdicts({"a": [cell("ws-t", mean), cell("dts", 25.0), cell("ws-s", 30.0)]}, "ws-t", [1000])
        assert found.first == first and found.other.algorithm == "dts"
    (found,) = verdicts(
        {"a": [cell("ws-t", 20.0, p99=60, worst=100), cell("dts", 25.0, p99=50, worst=50)]}, "ws-t", [1000]
    )
    assert (found.p99, found.worst, found.binary) == (1.2, 2.0, 0.8)


def test_targets_count_the_lines_that_reach_them_and_name_the_worst():
    """On b the mean is first and all tails are too long; on a it is behind by 40 %, with tails within the targets."""
    problems = {
        "a": [cell("ws-t", 35.0, p99=60, worst=100), cell("dts", 25.0, p99=50, worst=50), cell("ws-s", 40.0)],
        "b": [cell("ws-t", 20.0, "b", p99=90, worst=150), cell("dts", 25.0, "b", p99=50, worst=50)],
    }
    mean, binary, p99, worst = targets(verdicts(problems, "ws-t", [1000]))
    assert [(one.met, one.lines) for one in (mean, binary, p99, worst)] == [(1, 2)] * 4
    assert [one.worst.problem for one in (mean, binary, p99, worst)] == ["a", "a", "b", "b"]
    assert [one.ratio for one in (mean, binary, p99, worst)] == [1.4, 1.4, 1.8, 3.0]
    assert all(one.worst is None and math.isnan(one.ratio) for one in targets([]))


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


def test_every_problem_of_the_league_has_a_winner_and_the_verdict_is_not_the_tuning_set():
    found = league_problems([])
    assert len(found) == sum(len(SETS[name]) for name in VERDICT) >= 30
    assert all(one.best_arm is not None for one in found.values())
    assert not set(found) & set(SETS["tuning"])
    assert {role(name) for name in found} == {"new", "looked at", "attack"}


def test_problems_that_do_not_exist(tmp_path):
    with pytest.raises(WinnerstaysError, match="attack-9"):
        league_problems(["attack-9"])
    with pytest.raises(WinnerstaysError, match="no set or problem 'near-tie'; did you mean 'near-ties'"):
        league_problems(["near-tie"])
    circle = tmp_path / "circle.csv"
    circle.write_text(".5,.8,.2\n.2,.5,.8\n.8,.2,.5\n")
    with pytest.raises(WinnerstaysError, match="no Condorcet winner"):
        league_problems([str(circle)])


def test_the_page_names_every_problem_and_says_how_it_was_made(tmp_path):
    cells = by_problem(played(tmp_path))
    cells = {"total-order:n_arms=4,p=0.8": cells["four"]}
    page = report.markdown(cells, PLAN, "ws-t", "winnerstays league x", {"tails": "t.png"})
    assert "made by `winnerstays league x`" in page and "![tails](t.png)" in page
    assert page.count("`total-order:n_arms=4,p=0.8`") >= 8


def test_the_targets_in_the_document_of_ws_t_are_those_of_the_league():
    targets_of, docs = (DOCS / "league.md").read_text(encoding="utf-8"), (DOCS / "ws-t.md").read_text(encoding="utf-8")
    copied = docs.split("<!-- targets -->\n")[1].split("<!-- /targets -->")[0]
    assert copied.strip() and copied in targets_of


def test_pictures(tmp_path):
    from winnerstays.league.plot import write_pictures

    names = write_pictures(tmp_path, "page", by_problem(played(tmp_path)), "ws-t", [100, 1000], force=False)
    assert sorted(names.values()) == ["page-100.png", "page-1000.png", "page-tails.png"]
    assert all((tmp_path / name).stat().st_size > 5000 for name in names.values())


def test_the_smallest_slope_by_hand():
    """Two arms, p = .6: (0 + .1) / (2 kl(.4, .5))."""
    kl = 0.4 * math.log(0.8) + 0.6 * math.log(1.2)
    assert smallest_slope(total_order(2, 0.6)) == pytest.approx(0.1 / (2 * kl))


def test_every_variant_differs_and_the_first_is_ws_t(tmp_path):
    settings = [tuple(variant(**changed).settings.values()) for changed in VARIANTS.values()]
    assert len(set(settings)) == len(VARIANTS)
    where, rows = total_order(3, 0.7), {}
    for row in ablate(where, (100, 1000), 4, 1, str(tmp_path), 1):
        rows[row.name] = row
    plain = measure(registered()["ws-t"], "ws-t", where, (100, 1000), 4, 1, None, 1)
    assert rows["as it is"].stats == plain.stats and rows["as it is"].locked == plain.locked
    assert report.ablation_page({"three": list(rows.values())}, 4, 1, "x").count("\n|") == len(VARIANTS) + 2


def test_a_run_without_the_best_arm_is_locked(tmp_path):
    """Random pairs of 30 arms: the best is in 1 duel of 15 or so, so every run counts as locked."""
    found = measure(algorithm("random"), "random", total_order(30, 0.8), (1000,), 5, 1, None, 1)
    assert found.locked == {1000: 1.0} and LOCKED == 0.9


def test_an_attack_finds_a_matrix_with_a_winner_and_measures_it_anew():
    plan = Search(algorithm("ws-t"), algorithm("ws-s"), horizon=300, runs=4, steps=3, workers=1)
    found = search(plan, 3)
    assert found.preferences.shape == (3, 3) and (found.preferences[0, 1:] >= 0.5 + MARGIN).all()
    assert found.ratio > 0 and found.error > 0
    assert found.preferences + found.preferences.T == pytest.approx(1.0)
    again = search(plan, 3)
    assert again.ratio == found.ratio, "the same seed, the same search"
