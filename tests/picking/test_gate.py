"""`better`: its outcomes, its exit codes and its reports."""

import math
import random
import sys
from xml.etree import ElementTree

import pytest

from winnerstays import WinnerstaysError
from winnerstays.picking import better
from winnerstays.picking.gate import BETTER, SAME, UNDECIDED, WORSE


def by_chance(p, seed=0):
    rng = random.Random(seed)
    return lambda left, right: min(left, right) if rng.random() < p else max(left, right)


@pytest.mark.parametrize(("p", "outcome", "word"), [(0.8, BETTER, "is better than"), (0.2, WORSE, "is worse than"),
                                                    (0.5, SAME, "are the same")])  # fmt: skip
def test_the_three_outcomes(p, outcome, word):
    gate = better("a", "b", by_chance(p), indifference=0.1, costs=(1, 2), seed=1)
    assert gate.outcome == outcome and word in str(gate) and bool(gate) == (outcome == BETTER)
    assert gate.cheaper == ("candidate" if outcome == SAME else None)


def test_what_is_not_decided_is_said():
    gate = better("a", "b", by_chance(0.5), budget=10, seed=1)
    assert gate.outcome == UNDECIDED and "not decided" in str(gate) and "(budget)" in str(gate)
    with pytest.raises(WinnerstaysError, match="costs is"):
        better("a", "b", by_chance(0.5), costs=(1,))


def test_an_equal_candidate_is_rarely_called_better_or_worse_however_often_one_looks():
    """100 gates at level 0.9: at most 10 % each way, 4 standard errors."""
    outcomes = [
        better("a", "b", by_chance(0.5, seed), level=0.9, indifference=0.1, seed=seed).outcome for seed in range(100)
    ]
    margin = 4 * math.sqrt(0.09 / 100)
    assert outcomes.count(BETTER) / 100 <= 0.1 + margin and outcomes.count(WORSE) / 100 <= 0.1 + margin


@pytest.mark.parametrize(("answer", "code", "failures"), [("shorter", 0, "0"), ("longer", 1, "1"), ("tie", 2, "0")])
def test_exit_codes_and_reports(tmp_path, monkeypatch, run, answer, code, failures):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new.txt").write_text("brief")
    (tmp_path / "old.txt").write_text("very long")
    (tmp_path / "cases.txt").write_text("\n".join(map(str, range(20))))
    choice = {"shorter": "q[s[0]] < q[s[1]]", "longer": "q[s[0]] > q[s[1]]", "tie": "None"}[answer]
    (tmp_path / "judge.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n    q = {k: len(v) for k, v in json.loads(line).items()}\n"
        f"    s = ('left', 'right')\n    c = {choice}\n"
        "    print(json.dumps({'winner': 'tie' if c is None else s[0] if c else s[1]}), flush=True)\n"
    )
    arguments = ["new.txt", "--than", "old.txt", "--judge", f"{sys.executable} judge.py", "--examples", "cases.txt"]
    found, out, err = run("better", *arguments, "--junit", "r.xml", "--markdown", "r.md")
    assert found == code, err
    suite = ElementTree.parse(tmp_path / "r.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", failures)
    assert " ".join(out.split()) in " ".join((tmp_path / "r.md").read_text().split())


def test_a_wrong_call_is_not_taken_for_an_outcome(tmp_path, run):
    (tmp_path / "new.txt").write_text("brief")
    (tmp_path / "old.txt").write_text("long")
    (tmp_path / "empty.txt").write_text(" ")
    file, old = str(tmp_path / "new.txt"), str(tmp_path / "old.txt")
    for than, sentence in [(file, "the same text"), (str(tmp_path / "empty.txt"), "is empty")]:
        code, _, err = run("better", file, "--than", than, "--judge", "cat")
        assert code == 3 and sentence in " ".join(err.split()), err
    for wrong, sentence in [([], "Say who judges"), (["--model", "m"], "needs --criterion"),
                            (["--judge", "cat", "--cost", "x"], "--cost is 'x'"),
                            (["--judge", "no-such-command"], "cannot be run"),
                            (["--juge", "cat"], "No such option"), (["--level", "x"], "level")]:  # fmt: skip
        code, _, err = run("better", file, "--than", old, *wrong)
        assert code == 3 and sentence in err, err
