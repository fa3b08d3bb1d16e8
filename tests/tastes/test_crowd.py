import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winnerstays.errors import WinnerstaysError
from winnerstays.tastes import LOST, TIED, WON, Crowd, Settings, Visitor, fit
from winnerstays.tastes.beliefs import level, recall, start, work_of
from winnerstays.tastes.crowd import View
from winnerstays.tastes.matching import match

ITEMS = [f"item {i}" for i in range(12)]
FEATURES = {item: [float(i % 3 == 0), float(i % 4), i**0.5] for i, item in enumerate(ITEMS)}


def site(seed, answers=60, visitors=5, features=None, groups=("", "north"), **names):
    """Return a crowd after some answers of several visitors in turn, these visitors, and the log."""
    rng = np.random.default_rng(seed)
    crowd = Crowd(ITEMS, features=features, **names)
    people = [crowd.visitor(seed=v, group=groups[v % len(groups)]) for v in range(visitors)]
    log = []
    for _ in range(answers):
        v = int(rng.integers(visitors))
        first, second = rng.choice(len(ITEMS), 2, replace=False).tolist()
        outcome = int(rng.choice([LOST, WON, WON, TIED]))
        people[v] = crowd.tell(people[v], ITEMS[first], ITEMS[second], outcome)
        log.append((v, first, second, outcome))
    return crowd, people, np.array(log)


def dense(crowd, visitor):
    """Return the visitor's posterior of all items by textbook formulas, from the sites of their answers."""
    n, model = len(crowd.items), crowd.model
    message = np.zeros((2, n))
    message[:, visitor.items] = visitor.message
    prior = [level(model, crowd.groups[visitor.group], x, *message[:, x]) for x in range(n)]
    mean, variance = np.array(prior).T
    features = model.features
    covariance = np.diag(variance + crowd.settings.own**2) + crowd.settings.feature**2 * features @ features.T
    precision, shift = np.linalg.inv(covariance), np.linalg.solve(covariance, mean)
    for (a, b), (weight, tilt) in zip(visitor.pairs.T, visitor.sites.T, strict=True):
        direction = np.zeros(n)
        direction[visitor.items[[a, b]]] = 1, -1
        precision += weight * np.outer(direction, direction)
        shift += tilt * direction
    covariance = np.linalg.inv(precision)
    return covariance @ shift, covariance


@pytest.mark.parametrize("features", [None, FEATURES])
def test_the_posterior_of_the_items_met_is_that_of_all_items(features):
    crowd, people, _ = site(1, answers=25, features=features)
    for visitor in people:
        view = View(crowd, visitor, np.arange(len(ITEMS)))
        mean, covariance = dense(crowd, visitor)
        assert view.mean == pytest.approx(mean)
        assert view.variance() == pytest.approx(np.diag(covariance))
        for item in range(len(ITEMS)):
            assert view.covariance(item) == pytest.approx(covariance[item])


def test_one_answer_matches_moments():
    """The first answer of all: the difference has variance 2 (quality + own) = 10 before it."""
    crowd = Crowd(["a", "b"], settings=Settings(quality=1.0, own=2.0, slips=0.1))
    visitor = crowd.tell(crowd.visitor(), "b", "a", WON)
    _, g, _ = match(0.0, 10.0, WON, 0.1)
    mean = View(crowd, visitor, np.arange(2)).mean
    assert mean[1] - mean[0] == pytest.approx(10.0 * g)


def test_answers_of_one_pair_are_kept_as_one():
    crowd = Crowd(ITEMS)
    visitor = crowd.visitor()
    for outcome in (WON, LOST, TIED) * 20:
        visitor = crowd.tell(visitor, ITEMS[0], ITEMS[1], outcome)
        visitor = crowd.tell(visitor, ITEMS[1], ITEMS[0], outcome)
    assert visitor.pairs.shape == (2, 1)
    assert visitor.answers == 120
    assert len(visitor.dump()) < 150


def test_the_order_in_which_sites_are_recalled_does_not_matter():
    crowd, people, _ = site(2, answers=40, visitors=2)
    visitor = people[0]
    both = []
    for order in (slice(None), slice(None, None, -1)):
        work = work_of(visitor.items.size)
        start(crowd.model, 0, visitor.items, visitor.items.size, visitor.message, work)
        pairs, sites = (np.ascontiguousarray(array[:, order]) for array in (visitor.pairs, visitor.sites))
        recall(work, visitor.items.size, pairs, sites, pairs.shape[1])
        both.append(np.concatenate([work.r, work.d.ravel()]))
    assert both[0] == pytest.approx(both[1])


def test_the_same_log_gives_the_same_bytes():
    one, other = site(3, features=FEATURES), site(3, features=FEATURES)
    assert one[0].dump() == other[0].dump()
    assert [visitor.dump() for visitor in one[1]] == [visitor.dump() for visitor in other[1]]
    assert one[0].choose(one[1][0]) == other[0].choose(other[1][0])


def test_a_stored_model_goes_on_as_if_it_had_not_been_stored():
    crowd, people, _ = site(4, features=FEATURES)
    crowd.retire(ITEMS[:2])
    again, visitor = Crowd.load(crowd.dump()), Visitor.load(people[1].dump())
    assert again.dump() == crowd.dump()
    assert visitor.dump() == people[1].dump()
    assert again.choose(visitor) == crowd.choose(people[1])
    after = [one.tell(who, ITEMS[3], ITEMS[7], WON) for one, who in ((again, visitor), (crowd, people[1]))]
    assert after[0].dump() == after[1].dump()
    assert again.dump() == crowd.dump()


def test_what_another_copy_was_told_is_heard():
    crowd, people, _ = site(8)
    copy = Crowd.load(crowd.dump())
    after = copy.tell(copy.tell(people[0], ITEMS[0], ITEMS[1], WON), ITEMS[2], ITEMS[1], LOST)
    crowd.hear(people[0], after)
    assert crowd.model.precision == pytest.approx(copy.model.precision)
    assert crowd.model.tilt == pytest.approx(copy.model.tilt)
    crowd.hear(after, people[0])
    crowd.hear(people[0], after)
    assert crowd.model.tilt == pytest.approx(copy.model.tilt)


def test_visitors_answers_are_heard_in_any_order():
    crowd, people, _ = site(9)
    told = [Crowd.load(crowd.dump()).tell(visitor, ITEMS[0], ITEMS[1], WON) for visitor in people[:3]]
    both = []
    for order in ((0, 1, 2), (2, 1, 0)):
        both.append(Crowd.load(crowd.dump()))
        for v in order:
            both[-1].hear(people[v], told[v])
    assert both[0].model.tilt == pytest.approx(both[1].model.tilt)


def test_seventeen_answers_take_less_than_four_kilobytes():
    crowd = Crowd([str(i) for i in range(200)])
    visitor = crowd.visitor(seed=2**63)
    for t in range(17):
        visitor = crowd.tell(visitor, str(2 * t), str(2 * t + 1), WON)
    assert len(visitor.dump()) < 4096


@settings(max_examples=25, deadline=None)
@given(
    answers=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([LOST, WON, TIED])), max_size=30)
)
def test_one_visitor_says_at_most_as_much_as_a_look_at_their_utilities(answers):
    crowd = Crowd(list("abcd"), settings=Settings(own=1.5))
    visitor = crowd.visitor()
    for first, second, outcome in answers:
        if first != second:
            visitor = crowd.tell(visitor, "abcd"[first], "abcd"[second], outcome)
    assert (crowd.model.precision >= 0).all()
    assert (crowd.model.precision <= 1 / 1.5**2 + 1e-9).all()


def test_a_visitor_against_all_others_counts_for_less():
    crowd = Crowd(ITEMS, settings=Settings(own=0.5))
    for v in range(60):
        visitor = crowd.visitor(seed=v)
        for t in range(6):
            visitor = crowd.tell(visitor, ITEMS[(v + t) % 11], ITEMS[11], LOST)
    said = []
    for outcome in (LOST, WON):
        before = Crowd.load(crowd.dump())
        visitor = before.visitor()
        for t in range(11):
            visitor = before.tell(visitor, ITEMS[t], ITEMS[11], outcome)
        said.append(visitor.message[0].sum())
    assert said[1] < 0.2 * said[0]


def test_who_never_answers_counts_for_nothing():
    crowd, _, _ = site(5)
    before = crowd.dump()
    for seed in range(20):
        crowd.choose(crowd.visitor(seed=seed, group="nobody has seen this group"))
    assert crowd.dump() == before


def test_a_new_item_starts_from_its_features():
    """Items whose feature is 1 are liked; a newcomer with it is expected to be liked before anyone saw it."""
    features = {item: [float(i % 2)] for i, item in enumerate(ITEMS)}
    crowd, log = Crowd(ITEMS, features=features), []
    rng = np.random.default_rng(1)
    for v in range(60):
        for _ in range(5):
            log.append((v, 2 * rng.integers(6) + 1, 2 * rng.integers(6), WON))
    crowd = fit(crowd, *np.array(log).T)
    crowd.add(["sweet", "sour"], features={"sweet": [1.0], "sour": [0.0]})
    assert crowd.favourite(crowd.visitor(), ["sweet", "sour"]) == "sweet"
    visitor = crowd.visitor()
    for i in range(0, 12, 2):
        visitor = crowd.tell(visitor, ITEMS[i], ITEMS[i + 1], WON)
        visitor = crowd.tell(visitor, ITEMS[i], ITEMS[(i + 3) % 12], WON)
    before, after = (View(crowd, who, np.array([12, 13])).mean for who in (crowd.visitor(), visitor))
    assert after[1] - after[0] > before[1] - before[0], "an answer about items moves items like them"


def test_groups_differ_and_a_new_one_starts_from_all():
    crowd = Crowd(["a", "b"], settings=Settings(group=1.5, own=0.5))
    for v in range(40):
        for group, outcome in (("north", WON), ("south", LOST)):
            visitor = crowd.tell(crowd.visitor(seed=v, group=group), "a", "b", outcome)
    favourites = [crowd.favourite(crowd.visitor(group=group)) for group in ("north", "south")]
    assert favourites == ["a", "b"]
    mean = View(crowd, crowd.visitor(group="west"), np.arange(2)).mean
    assert abs(mean[0] - mean[1]) < 0.1
    assert visitor.group == "south"


def test_retired_items_are_not_shown_until_they_come_back():
    crowd = Crowd(["a", "b", "c"])
    crowd.retire(["a"])
    assert {*crowd.choose(crowd.visitor())} == {"b", "c"}
    crowd.add(["a", "d"])
    assert "a" in {item for seed in range(30) for item in crowd.choose(crowd.visitor(seed=seed))}
    crowd.retire("abcd")
    with pytest.raises(WinnerstaysError, match="No item is eligible"):
        crowd.choose(crowd.visitor())


def test_eligible_and_avoided_items():
    crowd, people, _ = site(6)
    assert set(crowd.choose(people[0], ITEMS[3:6])) <= set(ITEMS[3:6])
    pair = crowd.choose(people[0], ITEMS[3:6])
    assert set(crowd.choose(people[0], ITEMS[3:6], avoid=[pair])) != set(pair)
    assert set(crowd.choose(people[0], ITEMS[3:5], avoid=[ITEMS[3:5]])) == set(ITEMS[3:5])


def test_the_favourite_stands_first_in_the_standing():
    crowd, people, _ = site(7, answers=200)
    standing = crowd.standing(people[0])
    assert {likely.item for likely in standing.items} == set(ITEMS)
    assert sum(likely.best for likely in standing.items) == pytest.approx(1)


def test_ten_thousand_items():
    crowd = Crowd([str(i) for i in range(10_000)])
    visitor = crowd.visitor(seed=1)
    for _ in range(5):
        first, second = crowd.choose(visitor)
        visitor = crowd.tell(visitor, first, second, WON)
    assert crowd.favourite(visitor) in {crowd.items[place] for place in visitor.items}
    assert len(crowd.standing(visitor).items) == 200


BAD_FEATURES = [
    ({"a": [1.0], "b": [1.0, 2.0]}, "'b' has 2 features, but the others have 1"),
    ({"a": [1.0]}, "'b' has no features"),
    ({"a": [1.0], "b": [float("nan")]}, "finite number"),
]


@pytest.mark.parametrize(("features", "sentence"), BAD_FEATURES)
def test_bad_features_are_answered_with_a_sentence(features, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        Crowd(["a", "b"], features=features)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda crowd: crowd.choose(crowd.visitor(), ["a"]), "two eligible items, but there is 1"),
        (lambda crowd: crowd.choose(crowd.visitor(), ["a", "x"]), "no item 'x'"),
        (lambda crowd: crowd.choose(Crowd(["a", "z"]).visitor()), "another list of items"),
        (lambda crowd: crowd.tell(crowd.visitor(), "a", "a", WON), "needs two items"),
        (lambda crowd: crowd.tell(crowd.visitor(), "a", "b", None), "outcome is None"),
        (lambda crowd: crowd.retire(["x"]), "no item 'x'"),
        (lambda crowd: crowd.visitor(seed=-1), "seed is -1"),
        (lambda crowd: Crowd.load(b"nonsense"), "no model of tastes"),
        (lambda crowd: Crowd.load(crowd.dump()[:-1] + b"x"), "damaged"),
        (lambda crowd: Visitor.load(crowd.visitor().dump()[:-1]), "damaged"),
        (lambda crowd: fit(crowd, [0], [0, 1], [1], [1]), "as many"),
        (lambda crowd: fit(crowd, [0], [0], [9], [1]), "second item is 9"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(call, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        call(Crowd(["a", "b", "c"]))
