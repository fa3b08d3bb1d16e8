from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winnerstays.errors import WinnerstaysError
from winnerstays.probit import match
from winnerstays.tastes import LOST, TIED, WON, Crowd, Settings, fit
from winnerstays.tastes.beliefs import level, recall, start, work_of
from winnerstays.tastes.crowd import View

N = 12
EVERY = np.arange(N)
ROWS = np.array([[float(i % 3 == 0), float(i % 4), i**0.5] for i in range(N)])
NONE = np.empty((N, 0))


def answers_of(log):
    """Return the answers (first, second, outcome) of one visitor as `Crowd.visitor` takes them."""
    counts = Counter(map(tuple, np.reshape(log, (-1, 3)).tolist()))
    pairs = list(dict.fromkeys((first, second) for first, second, _ in counts))
    columns = [(*pair, *(counts[*pair, outcome] for outcome in (LOST, WON, TIED))) for pair in pairs]
    return np.array(columns, np.int64).reshape(-1, 5).T


def site(seed, answers=60, visitors=5, features=NONE, groups=("", "north")):
    """Return a crowd that was fitted to the answers of several visitors, these visitors, and the log."""
    rng = np.random.default_rng(seed)
    log = np.array(
        [
            (rng.integers(visitors), *rng.choice(N, 2, replace=False), rng.choice([LOST, WON, WON, TIED]))
            for _ in range(answers)
        ]
    )
    crowd = fit(Crowd(features, groups=groups), *log.T, log[:, 0] % len(groups))
    people = []
    for v in range(visitors):
        told = answers_of(log[log[:, 0] == v, 1:])
        people.append(crowd.visitor(told, told=told.shape[1], seed=v, group=v % len(groups)))
    return crowd, people, log


def dense(crowd, visitor):
    """Return the visitor's posterior of all items by textbook formulas, from the sites of their answers."""
    message = np.zeros((2, N))
    message[:, visitor.items] = visitor.message
    prior = [level(crowd.model, visitor.group, x, *message[:, x]) for x in range(N)]
    mean, variance = np.array(prior).T
    features = crowd.model.features
    covariance = np.diag(variance + crowd.settings.own**2) + crowd.settings.feature**2 * features @ features.T
    precision, shift = np.linalg.inv(covariance), np.linalg.solve(covariance, mean)
    for (a, b), (weight, tilt) in zip(visitor.pairs.T, visitor.sites.T, strict=True):
        direction = np.zeros(N)
        direction[visitor.items[[a, b]]] = 1, -1
        precision += weight * np.outer(direction, direction)
        shift += tilt * direction
    covariance = np.linalg.inv(precision)
    return covariance @ shift, covariance


@pytest.mark.parametrize("features", [NONE, ROWS])
def test_the_posterior_of_the_items_met_is_that_of_all_items(features):
    crowd, people, _ = site(1, answers=25, features=features)
    for visitor in people:
        view = View(crowd, visitor, EVERY)
        mean, covariance = dense(crowd, visitor)
        assert view.mean == pytest.approx(mean)
        assert view.variance() == pytest.approx(np.diag(covariance))
        for item in range(N):
            assert view.covariance(item) == pytest.approx(covariance[item])


def test_one_answer_matches_moments():
    """The first answer of all: the difference has variance 2 (quality + own) = 10 before it."""
    crowd = Crowd(np.empty((2, 0)), settings=Settings(quality=1.0, own=2.0, slips=0.1))
    visitor = crowd.visitor(answers_of([(1, 0, WON)]))
    _, g, _ = match(0.0, 10.0, WON, 0.1)
    mean = View(crowd, visitor, np.arange(2)).mean
    assert mean[1] - mean[0] == pytest.approx(10.0 * g)


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


def test_a_stored_model_gives_the_same():
    crowd, people, _ = site(4, features=ROWS)
    again = Crowd.load(crowd.dump())
    assert again.dump() == crowd.dump()
    for one in (again, crowd):
        one.add(ROWS[:2] + 1)
    assert again.dump() == crowd.dump() == Crowd.load(crowd.dump()).dump()
    assert again.pick(people[1], np.arange(N + 2)) == crowd.pick(people[1], np.arange(N + 2))


def test_what_the_crowd_was_told_is_taken_out():
    """Somebody whom the crowd has heard is expected to like what they would if it had not."""
    _, _, log = site(8, answers=400, visitors=40, groups=("",))
    mine = answers_of(log[log[:, 0] == 7, 1:])
    crowd = fit(Crowd(NONE), *log.T)
    others = fit(Crowd(NONE), *log[log[:, 0] != 7].T)
    others.settings = crowd.settings
    others.model = others.model._replace(settings=crowd.model.settings)
    heard, unheard = crowd.visitor(mine, told=mine.shape[1]), others.visitor(mine)
    assert View(crowd, heard, EVERY).mean == pytest.approx(View(others, unheard, EVERY).mean, abs=0.15)


@settings(max_examples=25, deadline=None)
@given(
    answers=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([LOST, WON, TIED])), max_size=30)
)
def test_one_visitor_says_at_most_as_much_as_a_look_at_their_utilities(answers):
    log = np.array([(0, *answer) for answer in answers if answer[0] != answer[1]], np.int64).reshape(-1, 4)
    crowd = fit(Crowd(np.empty((4, 0))), *log.T)
    assert (crowd.model.precision >= 0).all()
    assert (crowd.model.precision <= 1 / crowd.settings.own**2 + 1e-9).all()


def test_a_visitor_against_all_others_counts_for_less():
    log = np.array([(v, (v + t) % 11, 11, LOST) for v in range(60) for t in range(6)])
    crowd = fit(Crowd(NONE, settings=Settings(own=0.5)), *log.T)
    said = []
    for outcome in (LOST, WON):
        answers = answers_of([(t, 11, outcome) for t in range(11)])
        said.append(crowd.visitor(answers, told=11).message[0].sum())
    assert said[1] < 0.2 * said[0]


def test_a_new_item_starts_from_its_features():
    """Items whose feature is 1 are liked; a newcomer with it is expected to be liked before anyone saw it."""
    rng = np.random.default_rng(1)
    log = [(v, 2 * rng.integers(6) + 1, 2 * rng.integers(6), WON) for v in range(60) for _ in range(5)]
    crowd = fit(Crowd(np.array([[i % 2] for i in range(N)], float)), *np.array(log).T)
    crowd.add(np.array([[1.0], [0.0]]))
    answers = answers_of([(i, other, WON) for i in range(0, N, 2) for other in (i + 1, (i + 3) % N)])
    before, after = (View(crowd, who, np.array([12, 13])).mean for who in (crowd.visitor(), crowd.visitor(answers)))
    assert before[0] > before[1]
    assert after[1] - after[0] > before[1] - before[0], "an answer about items moves items like them"


def test_groups_differ_and_a_new_one_starts_from_all():
    log = np.array([(v, 0, 1, WON if v % 2 else LOST) for v in range(80)])
    crowd = fit(Crowd(np.empty((2, 0)), groups=("", "north", "south")), *log.T, 2 - log[:, 0] % 2)
    both = np.arange(2)
    assert [int(View(crowd, crowd.visitor(group=group), both).mean.argmax()) for group in (1, 2)] == [0, 1]
    mean = View(crowd, crowd.visitor(group=-1), both).mean
    assert abs(mean[0] - mean[1]) < 0.1


def test_eligible_and_avoided_items():
    crowd, people, _ = site(6)
    pair = crowd.pick(people[0], EVERY[3:6])
    assert set(pair) < {3, 4, 5}
    assert set(crowd.pick(people[0], EVERY[3:6], [pair])) != set(pair)
    assert set(crowd.pick(people[0], EVERY[3:5], [(3, 4)])) == {3, 4}


def test_ten_thousand_items():
    crowd, log = Crowd(np.empty((10_000, 0))), []
    for _ in range(5):
        log.append((*crowd.pick(crowd.visitor(answers_of(log), seed=1), np.arange(10_000)), WON))
    visitor = crowd.visitor(answers_of(log), seed=1)
    assert View(crowd, visitor, np.arange(10_000)).mean.argmax() in visitor.items


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda crowd: crowd.visitor(answers_of([(0, N, WON)])), "knows 12 items, but not 12"),
        (lambda crowd: crowd.pick(crowd.visitor(), np.arange(20)), "knows 12 items, but not 19"),
        (lambda crowd: Crowd.load(b"nonsense"), "no model of tastes"),
        (lambda crowd: Crowd.load(crowd.dump()[:-1] + b"x"), "damaged"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(call, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        call(Crowd(NONE))
