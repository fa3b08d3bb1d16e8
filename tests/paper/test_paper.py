"""The paper's panels, claims and report."""

import math
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from winnerstays import WinnerstaysError, algorithm, problem, simulate
from winnerstays.compiling import COMPILED
from winnerstays.paper import claims, report, rounds_played
from winnerstays.paper.claims import (
    CLAIMS,
    ERRATA,
    FAILS,
    HOLDS,
    JUDGES,
    NOT_CHECKED,
    OPEN,
    PARTLY,
    Claim,
    Verdict,
    background,
)
from winnerstays.paper.claims.base import compare, show
from winnerstays.paper.claims.experiments import against, outperforms, some_beta_outperforms
from winnerstays.paper.claims.supplement_lemmas import printed_ruin, ruin_by_equations
from winnerstays.paper.claims.theorems import false_and_true_horizons
from winnerstays.paper.panels import EFFORTS, Effort, Panel, Result, panels, run_panel
from winnerstays.paper.rounds_played import follows_algorithm_2, legal, play
from winnerstays.problems import cyclic, total_order
from winnerstays.simulation import Curve
from winnerstays.simulation.colours import COLOUR
from winnerstays.theme import TOKENS
from winnerstays.theory import bounds

ROOT = Path(__file__).parents[2]

TINY = Effort("tiny", 3, 3, 0.03, 0.03, None, 300, "a tiny run")
KINDS_OF_REGRET = (("binary", 100), ("utility", 10))


def curve(label, means, error=0.1, t=(100, 1000, 10_000)):
    """A curve with these means and this standard error."""
    values = np.array([np.array(means) - error, np.array(means) + error])
    return Curve(label, label, {}, "strong-binary", np.array(t), values)


def result(*curves, generated=False):
    return Result(replace(panels()["cyclic-binary"], published={}), list(curves), 4, generated=generated)


def test_every_panel_of_the_paper_is_there():
    assert list(panels()) == [
        "fifty-weak", "yelp-weak", "sushi-utility", "sushi-binary", "mslr-utility", "mslr-binary",
        "cyclic-utility", "cyclic-binary", "beta-sensitivity",
    ]  # fmt: skip
    seven = {"btm", "if2", "multisbm", "sparring", "rucb", "rmed2", "rmed1"}
    for name in ("sushi", "mslr", "cyclic"):
        for regret in ("utility", "binary"):
            panel = panels()[f"{name}-{regret}"]
            assert {one.name for one in panel.lines} == {"ws-s"} | seven and panel.horizon == 10**6
            assert {"dts", "versatile"} <= {one.name for one in panel.not_in_paper}
    assert [one.label for one in panels()["beta-sensitivity"].lines[:5]] == [
        f"ws-s beta={beta}" for beta in (1.01, 1.05, 1.1, 1.2, 1.5)
    ]


def test_plotted_times_hold_every_published_point():
    for panel in panels().values():
        times = set(panel.times(panel.horizon))
        assert all(t in times for points in panel.published.values() for t in points)


@pytest.mark.parametrize(
    ("mine", "others", "verdict"),
    [
        ([1, 2, 3], [[2, 3, 4], [2, 4, 9]], HOLDS),
        ([1, 2, 3], [[0, 1, 1]], FAILS),
        ([1, 2, 3], [[2, 1, 4]], "holds at 2 of 3 times"),
        ([1, 2, 3], [[2, 3, 3.2]], OPEN),
    ],
)
def test_verdicts_follow_from_the_curves(mine, others, verdict):
    names = [f"other{k}" for k in range(len(others))]
    here = result(curve("ws-s", mine), *(curve(name, means) for name, means in zip(names, others, strict=True)))
    judged = outperforms("ws-s", names, lambda one: [100, 1000, 10_000], "p")({"p": here})
    assert judged.words == verdict


def test_one_beta_that_beats_both_rivals_is_enough():
    rivals = [curve("rmed1", [2, 3, 4]), curve("rucb", [3, 4, 5])]
    both, none = curve("ws-s beta=1.1", [1, 1, 1]), curve("ws-s beta=1.5", [9, 9, 9])
    panel = "beta-sensitivity"
    assert some_beta_outperforms({panel: result(both, none, *rivals)}).kind == HOLDS
    assert some_beta_outperforms({panel: result(none, *rivals)}).kind == FAILS


def test_a_difference_within_three_errors_decides_nothing():
    assert compare(curve("a", [1, 1, 1]), curve("b", [1.41, 1.43, 0.5]), 100) == 0
    assert compare(curve("a", [1, 1, 1]), curve("b", [1.41, 1.43, 0.5]), 1000) == 1
    assert compare(curve("a", [1, 1, 1]), curve("b", [1.41, 1.43, 0.5]), 10_000) == -1


def test_generated_data_decide_nothing_about_real_ones():
    asked = (Claim("x", "5", "q", "y", lambda results: Verdict(HOLDS, "measured"), ("p",)),)

    def verdict(**results):
        return [found.kind for _, found in claims.judge(results, claims=asked)]

    assert verdict(p=result(curve("a", [1, 1, 1]), generated=True)) == [OPEN]
    assert verdict(p=result(curve("a", [1, 1, 1]))) == [HOLDS]
    assert verdict() == []


EXPECTED = {
    "lemma-1-worse": HOLDS, "lemma-1-better": HOLDS, "lemma-2": HOLDS, "lemma-3": FAILS, "lemma-4-first": HOLDS,
    "lemma-4-second": HOLDS, "lemma-5-first": HOLDS, "lemma-5-second": HOLDS, "wrong-winner": HOLDS,
    "ruin-probability": FAILS, "ruin-steps": FAILS, "lemma-7": HOLDS, "lemma-8": HOLDS, "lemma-9-g": PARTLY,
    "lemma-10-h": HOLDS, "lemma-11-f": HOLDS, "lemma-5-condorcet-first": HOLDS, "lemma-5-condorcet-second": HOLDS,
    "theorem-2": HOLDS, "theorem-4": FAILS, "beta-and-p": HOLDS, "algorithm-1": HOLDS, "example-tied": FAILS,
    "figure-1-random": PARTLY, "round-begins": FAILS, "unique-incumbent": HOLDS, "symmetric": PARTLY,
    "three-benchmarks": FAILS, "cyclic-circle": HOLDS, "total-order-experiments": HOLDS, "transitive": HOLDS,
    "smallest-chance": HOLDS, "example-iteration": HOLDS, "when-weak-regret": PARTLY, "last-worse-incumbent": HOLDS,
    "algorithm-2": HOLDS, "lemma-1-shows": HOLDS, "utilities-ordered": PARTLY, "probit": HOLDS,
    "lemma-5-not-condorcet": HOLDS, "dataset-sizes": HOLDS,
}  # fmt: skip


@pytest.mark.parametrize(
    "name", EXPECTED if COMPILED else ["lemma-1-worse", "ruin-steps", "algorithm-1", "example-tied"]
)
def test_verdicts_that_need_no_panels(name):
    assert claims.find_claim(name).judge({}).kind == EXPECTED[name]


@pytest.mark.parametrize("name", [one.name for one in claims.CLAIMS if not one.panels and one.name not in EXPECTED])
def test_all_other_claims_that_need_no_panels_are_judged(name):
    assert claims.find_claim(name).judge({}).measured


def test_every_claim_quotes_the_paper_and_has_its_place():
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS) > 90 and {claim.name for claim in CLAIMS} == {*JUDGES}
    assert all(claim.quote and claim.place and claim.says.endswith(".") for claim in CLAIMS)
    assert not {claim.name for claim in CLAIMS} & set(panels())
    assert {name for claim in CLAIMS for name in claim.panels} == set(panels())
    assert all(place and words and why for place, words, why in NOT_CHECKED)
    with pytest.raises(WinnerstaysError, match="no claim 'lemma-33'; did you mean"):
        claims.find_claim("lemma-33")


def test_theorem_4_is_false_up_to_three_duels_on_cyclic_and_proved_from_there_on():
    """Every run has regret 1, 2 and 3 after as many duels; the bound is -243.2, -97.7 and -12.6, then 47.7."""
    printed = [bounds.theorem_4_printed(4, 0.6, t, 1.1) for t in (1, 2, 3, 4)]
    assert [round(value, 1) for value in printed] == [-243.2, -97.7, -12.6, 47.7]
    if COMPILED:
        assert false_and_true_horizons(cyclic(), 1.1, bounds.theorem_4_printed) == (3, 4)


def test_ruin_by_equations():
    """From 1 dollar: up with x, else ruined: one step. The lemma's formula with q = x."""
    assert ruin_by_equations(0.6, 1) == pytest.approx((0.6, 1))
    assert printed_ruin(0.6, 2) == pytest.approx(ruin_by_equations(0.6, 2))


def test_rounds_that_were_played_follow_algorithm_1():
    played = play(total_order(3, 0.8), 2, seed=1)
    assert played.illegal == 0 and len(played.iterations) == 4
    assert [sorted(scores) for scores in played.final_scores] == [[-1, -1, 2], [-2, -2, 4]]
    assert (
        sum(one.duels for one in played.iterations)
        == played.iterations[-1].first_duel + played.iterations[-1].duels - 1
    )
    score = np.array([1, 0, -1, 0])  # arm 0 leads; 1 and 3 tie behind it
    assert legal(score, (0, 2), 0, 1) and legal(score, (0, 2), 0, 3) and not legal(score, (0, 2), 0, 2)
    assert not legal(score, (0, 1), 0, 3), "the tie rule keeps an arm of the previous pair"
    assert not legal(score, (0, 1), 1, 0), "the highest score comes first"


def test_another_algorithm_does_not_follow_algorithm_2(monkeypatch):
    assert follows_algorithm_2(total_order(3, 0.8), 5, 1.5, seed=1)
    monkeypatch.setattr(rounds_played, "algorithm", lambda name, beta: algorithm(name, beta=beta + 0.5))
    assert not follows_algorithm_2(total_order(3, 0.8), 5, 1.5, seed=1)


def test_a_line_that_rests_on_few_expensive_runs_is_named():
    """One run of 1000 has regret 500 at the end, all others 1 or 2: it makes nearly all of the error."""
    values = np.tile([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], (500, 1))
    usual = Curve("rucb", "rucb", {}, "strong-binary", np.array([100, 1000, 10_000]), values)
    once = values.copy()
    once[0, -1] = 500.0
    here = result(usual, replace(usual, label="ws-s", values=once))
    assert [one.label for one in here.rare] == ["ws-s"]
    assert report.shortfalls({"x": here})[0].startswith(
        "x, ws-s: most of the standard error at the end comes from fewer than 10 runs"
    )


@pytest.mark.parametrize(("better", "kind"), [(True, FAILS), (False, HOLDS)])
def test_sensitivity_is_judged_for_each_beta_and_rival(better, kind):
    curves = [curve("ws-s beta=1.05", [5, 5, 5]), curve("rucb", [1, 1, 1])]
    assert against(1.05, "rucb", better)({"beta-sensitivity": result(*curves)}).kind == kind


def test_numbers_have_one_notation():
    assert [show(value) for value in (0.0, 0.00012345, 12.3456, 1848.4, 545432.0)] == [
        "0", "0.0001234", "12.35", "1,848", "545,400",
    ]  # fmt: skip
    assert show(17213.6, 419.2) == "17,210 ± 420" and show(3.0, math.nan) == "3.000"


def test_errata_are_linked_and_documented():
    text = (ROOT / "docs" / "paper.md").read_text()
    anchors = set(re.findall(r'<a id="([a-z]\d)"></a>', text))
    assert anchors == {name.lower() for name in ERRATA}
    assert report.link_errata("see E2-E8, not X9 or p1", lambda name: f"<{name}>") == "see <E2>-<E8>, not X9 or p1"


def test_every_line_has_a_colour_of_its_own():
    for panel in panels().values():
        labels = [one.label for one in (*panel.lines, *panel.not_in_paper)]
        assert len({COLOUR[label] for label in labels}) == len(labels)


def test_cost_is_judged_by_the_best_of_timings_in_turn(monkeypatch):
    """The first of each is slow, as if it compiled; then 10,000 arms take twice as long as 16, or four times."""
    for factor, verdict in ((2.0, HOLDS), (4.0, FAILS)):
        clock, seen = [0.0], []

        def play(one, experiment, turns, factor=factor, clock=clock, seen=seen):
            arms = experiment.problem.n_arms
            clock[0] += (9.0 if arms not in seen else 0.0) + (1.0 if arms == 16 else factor)
            seen.append(arms)

        monkeypatch.setattr(background, "run_batch", play)
        monkeypatch.setattr(background, "time", SimpleNamespace(thread_time=lambda clock=clock: clock[0]))
        judged = background.cost_does_not_grow({})
        assert judged.kind == verdict and f"{factor:.2f} times" in judged.measured
        assert seen == [16, 10_000] * background.TIMINGS


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
    claim = Claim("lemma", "here", "a < b", "a is less than b.", lambda results: Verdict(HOLDS, ""), ("tiny",))
    judged = [(claim, Verdict(PARTLY, "x & y (erratum F1)", "holds at t=1"))]
    report.write_panel(tmp_path, results["tiny"])
    report.write_figure_1(tmp_path)
    page = report.write_html(tmp_path, results, judged, TINY, 2017).read_text()
    assert {"tiny.png", "tiny.svg", "tiny.json", "report.html", "figure-1.png", "figure-1.svg"} == {
        p.name for p in tmp_path.iterdir()
    }
    assert not re.search(r'(src|href)="(?!#|data:)', page) and TOKENS in page
    anchors = set(re.findall(r'id="([^"]+)"', page))
    assert {target[1:] for target in re.findall(r'href="(#[^"]+)"', page)} <= anchors
    assert "A &lt;small&gt; one" in page and "a &lt; b" in page and "holds at t=1" in page
    assert (
        page.index('id="figures"')
        < page.index('id="tiny"')
        < page.index('id="claims"')
        < page.index('id="not-checked"')
    )
    assert "lemma: holds at t=1." in page and "a tiny run" in page
    text = report.markdown(results, judged, TINY, 2017)
    assert "| `ws-s` | 100 |" in text and "**holds at t=1**" in text and "[F1](../docs/paper.md#f1)" in text


def test_a_part_leaves_the_whole_report_alone(run, tmp_path):
    (tmp_path / "report.html").write_text("whole")
    code, out, _ = run("research", "paper", "theorem-2", "--out", str(tmp_path))
    assert code == 0 and "report-theorem-2.html" in out.replace("\n", "")
    assert (tmp_path / "report.html").read_text() == "whole" and (tmp_path / "report-theorem-2.html").exists()


def test_only_differences_beyond_the_reading_error_are_explained():
    panel = replace(panels()["cyclic-binary"], published={"ws-s": {100: 1.0, 1000: 1.03, 10_000: 2.0}})
    here = Result(panel, [curve("ws-s", [1, 1, 1])], 4)
    (sentence,) = report.explanations(here)
    assert sentence.startswith("ws-s differs by more than 5% at t = 10,000: not reproducible")
    assert [row["ratio"] for row in report.differences(here)] == ["1.00", "0.97", "0.50"]


def missed(result):
    """The labels of lines with a plotted mean that is less precise than asked, computed from the runs alone."""
    found = set()
    for curve in result.curves:
        error = curve.values.std(axis=0, ddof=1) / np.sqrt(len(curve.values))
        if (error > result.precision[curve.label] * curve.values.mean(axis=0)).any():
            found.add(curve.label)
    return found


@pytest.mark.parametrize(("cap", "precision", "labels"), [(70, 0.001, {"ws-s"}), (2000, 0.05, set())])
def test_a_plotted_mean_that_misses_the_asked_precision_is_named(tmp_path, cap, precision, labels):
    effort = Effort("small", cap, cap, precision, precision, None, 300)
    results = {"tiny": run_panel(tiny_panel(), effort)}
    assert missed(results["tiny"]) == labels
    page = report.write_html(tmp_path, results, [], effort, 2017).read_text()
    for text in (page, report.markdown(results, [], effort, 2017)):
        assert set(re.findall(r"Not reached:\W* tiny, (\S+): the standard error is", text)) == labels
        for curve in results["tiny"].curves:
            k = int(np.argmax(curve.sem / curve.mean))
            assert f"{curve.sem[k] / curve.mean[k]:.2%}" in text
    worst = max((curve.sem / curve.mean).max() for curve in results["tiny"].curves)
    assert report.precision_rows(results)[0][:2] == ("tiny", f"{worst:.2%}")


def test_every_line_of_the_yelp_panel_gets_the_runs_it_needs(monkeypatch, tmp_path):
    """Two users: the noisy line gets more runs than the steady one, and both as precise as asked."""
    users = [problem("cyclic"), problem("mslr")]
    data = SimpleNamespace(problems=users, source="made up", generated=True)
    monkeypatch.setattr("winnerstays.problems.yelp.yelp_problems", lambda folder, city, progress: data)
    panel = Panel("tiny", "Figure 0", "Users", "yelp", "weak-utility", (algorithm("ws-w"), algorithm("rucb")))
    asked = 0.05 if COMPILED else 0.1
    effort = Effort("small", 8000, 8000, asked, asked, None, 300)
    found = run_panel(panel, effort, cache=tmp_path)
    assert missed(found) == set() and found.note == "made up: 2 users, 4 restaurants"
    assert 8 <= found.curve("rucb").runs < found.curve("ws-w").runs < 4000
    assert np.array_equal(found.curve("ws-w").values, run_panel(panel, effort, cache=tmp_path).curve("ws-w").values)


def test_lines_in_plain_python_run_in_processes_and_keep_their_place():
    lines = (algorithm("ws-w"), algorithm("qsa"), algorithm("rucb"))
    found = run_panel(
        Panel("tiny", "Figure 0", "Three", "fifty", "weak-binary", lines),
        replace(TINY, runs=6, runs_of_rivals=6, longest=60),
    )
    assert [curve.label for curve in found.curves] == ["ws-w", "qsa", "rucb"]
    alone = simulate("fifty", "qsa", horizon=60, runs=2, seed=2017, times=[60]).curve("qsa", "weak-binary")
    assert np.array_equal(found.curve("qsa").values[:, -1], alone.values[:, 0])


def test_binary_and_utility_panels_share_their_runs(tmp_path):
    binary, utility = (replace(tiny_panel(), regret=f"strong-{kind}", first=first) for kind, first in KINDS_OF_REGRET)
    found = [run_panel(panel, TINY, cache=tmp_path) for panel in (utility, binary)]
    assert len(list(tmp_path.iterdir())) == 2
    assert [result.curves[0].t[0] for result in found] == [10, 100]
    assert np.array_equal(found[1].curve("rucb").values, run_panel(binary, TINY).curve("rucb").values)


def test_efforts_are_as_promised():
    assert {effort.longest for effort in EFFORTS.values()} == {10**6}
    assert [EFFORTS[name].precision for name in ("quick", "default", "full")] == [0.05, 0.03, 0.01]


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WinnerstaysError, match="cannot be written to"):
        report.check_folder(tmp_path / "file" / "out")


def test_a_single_claim_is_not_counted():
    """To say that of 1 claims 0 hold is no sentence for one whose verdict says more."""
    claim = next(claim for claim in CLAIMS if claim.name == "theorem-4")
    assert report.summary([(claim, Verdict(FAILS, "", "false at T = 1"))]) == "theorem-4: false at T = 1."
    both = report.summary([(claim, Verdict(FAILS, "")), (claim, Verdict(HOLDS, ""))])
    assert both.startswith("Of 2 claims in the paper, 1 hold, 0 are not contradicted, 0 hold in part, 1 do not hold")


def test_the_page_and_the_readme_sum_up_the_verdicts():
    """results/claims.md is what the command wrote; docs/paper.md has its summary and every claim that does not hold."""
    results, page, readme = (
        " ".join((ROOT / name).read_text().split()) for name in ("results/claims.md", "docs/paper.md", "README.md")
    )
    (summary,) = re.findall(r"\*\*Of .*?\*\*", results)
    assert summary in page
    hold, partly, fail, undecided = map(int, re.findall(r"(\d+) (?:hold|do not|cannot)", summary))
    counted = f"{hold} claims hold, {partly} hold in part, {fail} do not hold and {undecided} cannot be decided"
    assert counted in readme
    judged = {name: words for words, name in re.findall(r"\| \*\*([^|]*)\*\* \| [^|]* \| `([^`]+)` \|", results)}
    assert set(judged) == {claim.name for claim in CLAIMS}
    assert [name for name, words in judged.items() if words != "holds" and f"`{name}`" not in page] == []


def test_the_readme_counts_panels_and_claims():
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert f"{words[len(panels()) - 1]} panels, Figure 1, and a verdict on each of {len(CLAIMS)} claims" in readme


def test_a_whole_run_prints_the_claims_that_fail_and_where_the_report_is(run, monkeypatch, tmp_path):
    monkeypatch.setattr("winnerstays.paper.panels.panels", dict)
    monkeypatch.setattr("winnerstays.paper.claims.CLAIMS", tuple(map(claims.find_claim, ("lemma-2", "lemma-3"))))
    code, out, _ = run("research", "paper", "--quick", "--out", str(tmp_path))
    assert (
        code == 0 and "Of 2 claims in the paper, 0 hold, 1 are not contradicted, 0 hold in part, 1 do not hold" in out
    )
    table = out[out.index("claims that do not hold") :]
    assert "lemma-3" in table and "lemma-2" not in out
    assert f"Report: {tmp_path / 'report.html'}" in out
