"""Several judges: each answer is logged with its judge, and the result says how far each can be trusted."""

import json
import random

import pytest

from winnerstays import WinnerstaysError, pick
from winnerstays.picking import Picker


def by_chance(p, seed):
    rng = random.Random(seed)
    return lambda left, right: min(left, right) if rng.random() < p else max(left, right)


def test_a_jury_finds_the_best_and_each_judge_is_known_by_its_answers(tmp_path):
    judges = {"good": by_chance(0.9, 1), "weak": by_chance(0.6, 2), "lazy": lambda left, right: "left"}
    store = str(tmp_path / "run.db")
    result = pick(list("abcd"), judges, level=0.999, seed=3, store=store)
    assert result.best == "a" and result.certified and result.judge == "good, weak, lazy"
    good, lazy, weak = result.judges
    assert [judge.name for judge in result.judges] == ["good", "lazy", "weak"]
    assert sum(judge.answers for judge in result.judges) == result.calls and min(good.answers, weak.answers) > 20
    assert good.agreement.share > weak.agreement.share and good.discrimination > weak.discrimination
    assert lazy.bias.share == 1 and lazy.discrimination < 0.5 < good.discrimination
    assert good.agreement.low < good.agreement.share < good.agreement.high
    assert "good agrees with the others in " in str(result) and "good agrees" in result.to_html()
    again = pick(list("abcd"), judges, level=0.999, seed=3, store=store)
    assert again.history == result.history and again.judges == result.judges


def test_both_orders_are_put_to_the_same_judge():
    judges = {"steady": lambda left, right: min(left, right), "lazy": lambda left, right: "left"}
    result = pick(list("abc"), judges, swap="both", seed=1, level=0.999)
    lazy, steady = result.judges
    assert lazy.flips == lazy.paired > 3 and steady.flips == 0 < steady.paired
    assert lazy.paired + steady.paired == result.paired


def test_labels_of_people_say_how_far_a_judge_can_be_trusted(tmp_path):
    """The judge is right on even examples; people prefer a on all but one."""
    result = pick(["a", "b"], lambda left, right, k: "ab"[k % 2], examples=range(20), claim="new", seed=1, level=0.999)
    labels = [("a", "b", k) for k in range(19)] + [("b", "a", 19)]
    (found,) = result.agreement(labels).values()
    decided = [row for row in result.examples if row["winner"]]
    assert (found.of, found.share) == (len(decided), sum(row["example"] % 2 == 0 or row["example"] == 19
                                                         for row in decided) / len(decided))  # fmt: skip
    assert found.low < found.share < found.high
    assert result.agreement([("a", "b")])["None"].share == sum(row["winner"] == "a" for row in decided) / len(decided)
    for wrong, sentence in [([("x", "y")], "none of these was compared"), (["ab"], "A label is 'ab'")]:
        with pytest.raises(WinnerstaysError, match=sentence):
            result.agreement(wrong)
    result.to_pairs(tmp_path / "pairs.jsonl")
    rows = list(map(json.loads, (tmp_path / "pairs.jsonl").read_text().splitlines()))
    assert len(rows) == len(decided) and rows[0].keys() == {"prompt", "chosen", "rejected"}


def test_a_loop_of_ones_own_is_told_whom_to_ask():
    picker = Picker(["a", "b"], judge_id=("one", "two"), seed=1, level=0.999)
    asked = []
    while picker.stop is None:
        for question in picker.ask(1):
            asked.append(question.judge)
            picker.tell(question, "a")
    assert set(asked) == {"one", "two"}


def test_wrong_juries_are_refused_before_any_call():
    async def later(left, right):
        return left

    def paid(left, right):
        pytest.fail("a call was paid for")

    for wrong, sentence in [({"one": paid}, "a jury has at least 2"), ({}, "There are 0 judges"),
                            ({"one": paid, "two": later}, "Some of the judges are async"),
                            ({"one": paid, "two": 3}, "The judge is 3")]:  # fmt: skip
        with pytest.raises(WinnerstaysError, match=sentence):
            pick(["a", "b"], wrong)
