import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from winnerstays.errors import WinnerstaysError
from winnerstays.probit import NOISE
from winnerstays.tastes import LOST, TIED, WON, Person
from winnerstays.tastes import person as module

ITEMS = ["a", "b", "c"]


def answered(answers, items=ITEMS):
    person = Person(items)
    for answer in answers:
        person.tell(*answer)
    return person


def test_two_items_against_numerical_integration():
    """The chance that an item is the best after one answer is exact up to the draws."""
    person = answered([("a", "b", WON)], ["a", "b"])
    exact, total = 0.0, 0.0
    d = np.linspace(-60, 60, 200_001)
    for spread in module.SPREADS:
        for slip in module.SLIPS:
            weight = 1 / spread * norm.pdf(d, 0, spread * 2**0.5) * (slip / 2 + (1 - slip) * norm.cdf(d / NOISE))
            exact, total = exact + weight[d > 0].sum(), total + weight.sum()
    assert person.standing().likely == pytest.approx(exact / total, abs=0.03)


def test_three_items_against_numerical_integration(monkeypatch):
    """Moment matching is approximate where answers contradict each other; here it says 63 % where 68 % is right."""
    monkeypatch.setattr(module, "SPREADS", (2.0,))
    monkeypatch.setattr(module, "SLIPS", (0.1,))
    answers = [("a", "b", WON), ("b", "c", WON), ("a", "c", WON), ("c", "b", WON), ("a", "b", TIED)]
    line = np.linspace(-9, 9, 121)
    u = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1)
    weight = multivariate_normal(np.zeros(3), 4 * np.eye(3)).pdf(u)
    for first, second, outcome in answers:
        gap = u[..., ITEMS.index(first)] - u[..., ITEMS.index(second)]
        weight *= np.exp(-0.5 * (gap / NOISE) ** 2) if outcome == TIED else 0.05 + 0.9 * norm.cdf(gap / NOISE)
    weight /= weight.sum()
    most = u == u.max(axis=-1, keepdims=True)  # equal utilities share the cell
    best = [(weight * most[..., i] / most.sum(axis=-1)).sum() for i in range(3)]
    mean = [(weight * u[..., i]).sum() for i in range(3)]
    person = answered(answers)
    found = {likely.item: likely.best for likely in person.standing().items}
    assert person._means[0] == pytest.approx(mean, abs=0.08)
    assert [found[item] for item in ITEMS] == pytest.approx(best, abs=0.05)


def test_chances_and_ranks_add_up():
    standing = answered([("a", "b", WON), ("a", "c", WON)]).standing(top=2)
    assert standing.favourite == "a"
    assert sum(likely.best for likely in standing.items) == pytest.approx(1)
    assert sum(likely.top for likely in standing.items) == pytest.approx(2)
    assert sum(likely.rank for likely in standing.items) == pytest.approx(6)
    assert all(likely.low <= likely.rank <= likely.high for likely in standing.items)


def test_the_same_answers_say_the_same():
    answers = [("a", "b", WON), ("c", "a", LOST), ("b", "c", TIED)] * 3
    assert answered(answers).standing() == answered(answers).standing()


def test_one_item_is_the_favourite_for_certain():
    assert Person(["only"]).standing().likely == 1
    with pytest.raises(WinnerstaysError, match="needs two items, but there is 1"):
        Person(["only"]).choose()


def test_nothing_is_known_without_answers():
    standing = Person(list("abcdefgh")).standing()
    assert standing.likely < 0.2
    assert Person(ITEMS).doubt() == ""


@pytest.mark.parametrize("rule", module.RULES)
def test_both_rules_find_a_consistent_persons_favourite(rule):
    items = [str(i) for i in range(8)]
    person = Person(items)
    for _ in range(40):
        first, second = person.choose(rule)
        person.tell(first, second, WON if first > second else LOST)
    assert person.standing().favourite == "7"
    assert person.standing().likely > 0.9


@pytest.mark.parametrize("rule", module.RULES)
def test_a_skipped_pair_is_avoided_while_there_is_another(rule):
    person = answered([("a", "b", WON)])
    pair = person.choose(rule)
    assert set(person.choose(rule, avoid=[pair])) != set(pair)
    two = Person(["a", "b"])
    assert set(two.choose(rule, avoid=[("b", "a")])) == {"a", "b"}


def test_contradictions_and_sides_are_doubted():
    rng = np.random.default_rng(3)
    items = [str(i) for i in range(6)]
    consistent, changed, left = (Person(items) for _ in range(3))
    for t in range(80):
        first, second = (str(i) for i in rng.choice(6, 2, replace=False))
        consistent.tell(first, second, int(first > second))
        changed.tell(first, second, int((first > second) == (t < 40)))
        left.tell(first, second, WON)
    assert consistent.doubt() == ""
    assert changed.doubt() == "Your answers contradict each other."
    assert left.doubt() == "You chose the same side nearly every time."


@pytest.mark.parametrize("rule", module.RULES)
def test_a_consistent_person_is_never_doubted(rule):
    rng, person = np.random.default_rng(4), Person([str(i) for i in range(8)])
    for _ in range(40):
        first, second = person.choose(rule)[:: rng.choice((1, -1))]
        person.tell(first, second, int(first > second))
        assert person.doubt() == ""


def test_a_coin_has_no_favourite():
    rng = np.random.default_rng(5)
    for _ in range(20):
        person = Person([str(i) for i in range(8)])
        for _ in range(40):
            person.tell(*person.choose(), int(rng.integers(2)))
        assert person.standing().likely < 0.9


def test_others_tastes_are_where_a_person_starts():
    person = Person(ITEMS, mean=[0.0, 3.0, 0.0])
    assert person.standing().favourite == "b"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Person([]), "one or more different names"),
        (lambda: Person(["a", "a"]), "different names"),
        (lambda: Person(map(str, range(1001))), "1000 at most"),
        (lambda: Person(ITEMS, mean=[0.0, np.nan, 1.0]), "finite numbers"),
        (lambda: Person(ITEMS).tell("a", "x", WON), "no item 'x'"),
        (lambda: Person(ITEMS).tell("a", "a", WON), "needs two items"),
        (lambda: Person(ITEMS).tell("a", "b", 3), "must be WON"),
        (lambda: Person(ITEMS).choose("best"), "no rule 'best'"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(call, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        call()
