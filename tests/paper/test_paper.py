"""The paper's panels, claims and report."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from winnerstays import WinnerstaysError, algorithm, problem, simulate
from winnerstays.compiling import COMPILED
from winnerstays.paper import claims, report
from winnerstays.paper import panels as paper_panels
from winnerstays.paper.claims import CLAIMS, FAILS, HOLDS, OPEN, Claim, Verdict, compare, judge, outperforms
from winnerstays.paper.panels import EFFORTS, Effort, Panel, Result, find_panel, panels, run_panel
from winnerstays.simulation import Curve

TINY = Effort("tiny", 3, None, 300)
KINDS = (("binary", 100), ("utility", 10))


def curve(label, means, error=0.1, t=(100, 1000, 10_000)):
    """A curve with these means and this standard error."""
    values = np.array([np.array(means) - error, np.array(means) + error])
    return Curve(label, label, {}, "strong-binary", np.array(t), values)


def result(*curves, generated=False):
    return Result(replace(find_panel("cyclic-binary"), published={}), list(curves), 4, generated=generated)


def test_every_panel_of_the_paper_is_there():
    assert list(panels()) == [
        "fifty-weak", "yelp-weak", "sushi-utility", "sushi-binary", "mslr-utility", "mslr-binary",
        "cyclic-utility", "cyclic-binary", "beta-sensitivity",
    ]  # fmt: skip
    seven = {"btm", "if2", "multisbm", "sparring", "rucb", "rmed2", "rmed1"}
    for name in ("sushi", "mslr", "cyclic"):
        for regret in ("utility", "binary"):
            panel = find_panel(f"{name}-{regret}")
            assert {one.name for one in panel.lines} == {"ws-s"} | seven and panel.horizon == 10**6
            assert {"dts", "versatile"} <= {one.name for one in panel.not_in_paper}
    assert [one.label for one in find_panel("beta-sensitivity").lines[:5]] == [
        f"ws-s beta={beta}" for beta in (1.01, 1.05, 1.1, 1.2, 1.5)
    ]
    with pytest.raises(WinnerstaysError, match="no panel 'sushi'; did you mean 'sushi-"):
        find_panel("sushi")


def test_plotted_times_hold_every_published_point():
    for panel in panels().values():
        times = set(panel.times(panel.horizon))
        assert all(t in times for points in panel.published.values() for t in points)


@pytest.mark.parametrize(
    ("mine", "others", "verdict"),
    [
        ([1, 2, 3], [[2, 3, 4], [2, 4, 9]], HOLDS),
        ([1, 2, 3], [[0, 1, 1]], FAILS),
        ([1, 2, 3], [[2, 1, 4]], "holds only at p t=100, p t=10,000"),
        ([1, 2, 3], [[2, 3, 3.2]], OPEN),
    ],
)
def test_verdicts_follow_from_the_curves(mine, others, verdict):
    names = [f"other{k}" for k in range(len(others))]
    here = result(curve("ws-s", mine), *(curve(name, means) for name, means in zip(names, others, strict=True)))
    judged = outperforms("ws-s", names, lambda one: [100, 1000, 10_000], "p")({"p": here})
    assert judged.verdict == verdict


def test_a_difference_within_three_errors_decides_nothing():
    assert compare(curve("a", [1, 1, 1]), curve("b", [1.41, 1.43, 0.5]), 100) == 0
    assert compare(curve("a", [1, 1, 1]), curve("b", [1.41, 1.43, 0.5]), 1000) == 1
    assert compare(curve("a", [1, 1, 1]), curve("b", [1.41, 1.43, 0.5]), 10_000) == -1


def test_generated_data_decide_nothing_about_real_ones(monkeypatch):
    monkeypatch.setattr(claims, "CLAIMS", (Claim("x", "y", lambda results: Verdict(HOLDS, "measured"), ("p",)),))
    assert judge({"p": result(curve("a", [1, 1, 1]), generated=True)})[0][1].verdict == OPEN
    assert judge({"p": result(curve("a", [1, 1, 1]))})[0][1].verdict == HOLDS
    assert judge({}) == []


def test_theory_claims_need_no_panels_and_lemma_3_fails_as_printed():
    """The theorems' own sums take minutes as plain Python, where the rest is judged alone."""
    asked = {"Lemma 3": FAILS, "4.3; 5.2": FAILS}
    if COMPILED:
        asked |= {"Abstract; Theorem 1": HOLDS, "Abstract; Theorem 2": HOLDS}
    assert asked == {claim.place: claim.judge({}).verdict for claim in CLAIMS if claim.place in asked}


def test_cost_is_judged_by_the_best_of_timings_in_turn(monkeypatch):
    """The first of each is slow, as if it compiled; then 10,000 arms take twice as long as 16, or four times."""
    for factor, verdict in ((2.0, HOLDS), (4.0, FAILS)):
        clock, seen = [0.0], []

        def play(one, experiment, turns, factor=factor, clock=clock, seen=seen):
            arms = experiment.problem.n_arms
            clock[0] += (9.0 if arms not in seen else 0.0) + (1.0 if arms == 16 else factor)
            seen.append(arms)

        monkeypatch.setattr(claims, "run_batch", play)
        monkeypatch.setattr(claims, "time", SimpleNamespace(thread_time=lambda clock=clock: clock[0]))
        judged = claims.cost_does_not_grow({})
        assert judged.verdict == verdict and f"{factor:.2f} times" in judged.measured
        assert seen == [16, 10_000] * claims.TIMINGS


def test_claims_name_panels_that_exist():
    assert {name for claim in CLAIMS for name in claim.panels} == set(panels())


def tiny_panel():
    lines = (algorithm("ws-s"), algorithm("rucb"))
    return Panel("tiny", "Figure 0", "A <small> one", "cyclic", "strong-binary", lines, published={"ws-s": {100: 85.0}})


def test_a_panel_runs_alone_and_its_runs_are_kept(tmp_path):
    first = run_panel(tiny_panel(), TINY, cache=tmp_path)
    again = run_panel(tiny_panel(), TINY, cache=tmp_path)
    expected = simulate("cyclic", "rucb", horizon=300, runs=3, seed=2017, times=[300]).curve("rucb", "strong-binary")
    assert np.array_equal(first.curve("rucb").values, again.curve("rucb").values)
    assert np.array_equal(first.curve("rucb").values[:, -1], expected.values[:, -1])
    assert len(list(tmp_path.iterdir())) == 2


def test_the_report_is_whole_and_works_offline(tmp_path):
    results = {"tiny": run_panel(tiny_panel(), TINY)}
    judged = [(Claim("here", "a < b", lambda results: Verdict(HOLDS, "")), Verdict("holds only at t=1", "x & y"))]
    report.write_panel(tmp_path, results["tiny"])
    report.write_tables(tmp_path, results)
    page = report.write_html(tmp_path, results, judged, TINY, 2017).read_text()
    assert {"tiny.png", "tiny.svg", "tiny.json", "results.parquet", "report.html"} == {
        p.name for p in tmp_path.iterdir()
    }
    assert not re.search(r'(src|href)="(?!#|data:)', page)
    assert "A &lt;small&gt; one" in page and "a &lt; b" in page and "holds only in part" in page
    text = report.markdown(results, judged, TINY, 2017)
    assert "| `ws-s` | 100 |" in text and "**holds only at t=1**" in text


def missed(result):
    """The labels of lines with a plotted mean that is less precise than asked, computed from the runs alone."""
    found = set()
    for curve in result.curves:
        error = curve.values.std(axis=0, ddof=1) / np.sqrt(len(curve.values))
        if (error > result.precision * curve.values.mean(axis=0)).any():
            found.add(curve.label)
    return found


@pytest.mark.parametrize(("cap", "precision", "labels"), [(40, 0.01, {"ws-s"}), (2000, 0.05, set())])
def test_a_plotted_mean_that_misses_the_asked_precision_is_named(tmp_path, monkeypatch, cap, precision, labels):
    monkeypatch.setattr(paper_panels, "MIN_RUNS", {"ws-s": 32, "rucb": 32})
    effort = Effort("small", cap, precision, 300)
    results = {"tiny": run_panel(tiny_panel(), effort)}
    assert missed(results["tiny"]) == labels
    page = report.write_html(tmp_path, results, [], effort, 2017).read_text()
    for text in (page, report.markdown(results, [], effort, 2017)):
        assert set(re.findall(r"Not reached:\W* tiny, (\S+): the standard error is", text)) == labels
        for curve in results["tiny"].curves:
            k = int(np.argmax(curve.sem / curve.mean))
            assert f"{curve.sem[k] / curve.mean[k]:.2%} at t={curve.t[k]:,}" in text
    worst = max((curve.sem / curve.mean).max() for curve in results["tiny"].curves)
    assert report.precision_rows(results)[0][:2] == ("tiny", f"{worst:.2%}")


def test_every_line_of_the_yelp_panel_gets_the_runs_it_needs(monkeypatch, tmp_path):
    """Two users: the noisy line gets more runs than the steady one, and both as precise as asked."""
    users = [problem("cyclic"), problem("mslr")]
    data = SimpleNamespace(problems=users, source="made up", generated=True)
    monkeypatch.setattr("winnerstays.problems.yelp.yelp_problems", lambda folder, city, progress: data)
    monkeypatch.setattr(paper_panels, "MIN_RUNS", {"rucb": 4, "ws-w": 4})
    panel = Panel("tiny", "Figure 0", "Users", "yelp", "weak-utility", (algorithm("ws-w"), algorithm("rucb")))
    effort = Effort("small", 4000, 0.05 if COMPILED else 0.1, 300)
    found = run_panel(panel, effort, cache=tmp_path)
    assert missed(found) == set() and found.note == "made up: 2 users, 4 restaurants"
    assert 8 <= found.curve("rucb").runs < found.curve("ws-w").runs < 2000
    assert np.array_equal(found.curve("ws-w").values, run_panel(panel, effort, cache=tmp_path).curve("ws-w").values)


def test_lines_in_plain_python_run_in_processes_and_keep_their_place():
    lines = (algorithm("ws-w"), algorithm("qsa"), algorithm("rucb"))
    found = run_panel(Panel("tiny", "Figure 0", "Three", "fifty", "weak-binary", lines), Effort("tiny", 2, None, 50))
    assert [curve.label for curve in found.curves] == ["ws-w", "qsa", "rucb"]
    alone = simulate("fifty", "qsa", horizon=50, runs=2, seed=2017, times=[50]).curve("qsa", "weak-binary")
    assert np.array_equal(found.curve("qsa").values[:, -1], alone.values[:, 0])


def test_binary_and_utility_panels_share_their_runs(tmp_path):
    binary, utility = (replace(tiny_panel(), regret=f"strong-{kind}", first=first) for kind, first in KINDS)
    found = [run_panel(panel, TINY, cache=tmp_path) for panel in (utility, binary)]
    assert len(list(tmp_path.iterdir())) == 2
    assert [result.curves[0].t[0] for result in found] == [10, 100]
    assert np.array_equal(found[1].curve("rucb").values, run_panel(binary, TINY).curve("rucb").values)


def test_efforts_are_as_promised():
    assert EFFORTS["default"].precision == 0.03 and EFFORTS["default"].longest == 10**6
    assert EFFORTS["full"].precision == 0.01


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WinnerstaysError, match="cannot be written to"):
        report.check_folder(tmp_path / "file" / "out")
