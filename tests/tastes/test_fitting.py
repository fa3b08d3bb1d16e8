import numpy as np
import pytest

from tests.tastes.test_crowd import EVERY, NONE, ROWS, site
from winnerstays.tastes import Crowd, Settings, fit
from winnerstays.tastes import fitting as module
from winnerstays.tastes.crowd import View


def answers(rng, crowd_sd, own_sd, slips, visitors=600, each=12, n_items=12):
    """Return a log of visitors who choose between random items."""
    quality = rng.normal(0, crowd_sd, n_items)
    log = []
    for v in range(visitors):
        utility = quality + rng.normal(0, own_sd, n_items)
        for _ in range(each):
            a, b = rng.choice(n_items, 2, replace=False)
            chance = slips / 2 + (1 - slips) / (1 + np.exp(utility[b] - utility[a]))
            log.append((v, a, b, int(rng.random() < chance)))
    return quality, np.array(log)


def test_the_settings_of_simulated_people_are_found():
    quality, log = answers(np.random.default_rng(1), 1.5, 1.0, 0.1)
    fitted = fit(Crowd(NONE), *log.T)
    assert fitted.settings.own == pytest.approx(1.0, rel=0.3)
    assert fitted.settings.quality == pytest.approx(np.std(quality), rel=0.5)
    assert fitted.settings.slips < 0.25
    found = fitted.model.tilt[0] / fitted.model.precision[0]
    assert np.corrcoef(found, quality)[0, 1] > 0.99


def test_nothing_in_common_is_found():
    _, log = answers(np.random.default_rng(2), 0.0, 2.0, 0.0)
    settings = fit(Crowd(NONE), *log.T).settings
    assert settings.quality < 0.5 < 1.4 < settings.own


def test_a_fit_of_the_same_log_gives_the_same_bytes():
    crowd, _, log = site(1, features=ROWS, answers=150)
    assert fit(crowd, *log.T).dump() == fit(crowd, *log.T).dump()


def test_a_fit_leaves_the_version_before_alone():
    crowd, _, log = site(2)
    before = crowd.dump()
    assert fit(crowd, *log[:30].T).dump() != crowd.dump() == before


def test_no_answers_change_nothing():
    none = np.zeros(0, np.int64)
    fitted = fit(Crowd(NONE), none, none, none, none)
    assert fitted.settings == Settings()


def test_one_visitor_with_everything_is_read_up_to_the_limits(monkeypatch):
    """Only the newest answers of a visitor are read, and those about their first items met."""
    monkeypatch.setattr(module, "MAX_ANSWERS", 30)
    monkeypatch.setattr(module, "MAX_MET", 5)
    crowd, _, log = site(3, answers=200, visitors=2, groups=("",))
    found = module.Log(crowd, log[:, 0], np.zeros(200, np.int64), *log[:, 1:].T)
    assert (found.starts[:, 1] - found.starts[:, 0] <= 30).all()
    assert (found.starts[:, 3] - found.starts[:, 2] <= 5).all()
    assert found.answers[:2].max() < 5


def test_bots_do_limited_harm():
    """15 % of visitors always choose the worse: the fitted order of the best items is nearly the true one."""
    quality, log = answers(np.random.default_rng(4), 1.5, 1.0, 0.1, visitors=400)
    bots = log[:, 0] < 60
    worse = log.copy()
    worse[bots, 3] = quality[log[bots, 1]] < quality[log[bots, 2]]
    found = fit(Crowd(NONE), *worse.T)
    estimate = found.model.tilt[0] / found.model.precision[0]
    assert quality[estimate.argmax()] > quality.max() - 0.3
    assert np.corrcoef(estimate, quality)[0, 1] > 0.97


def test_groups_are_fitted():
    rng = np.random.default_rng(5)
    visitors = np.repeat(np.arange(200), 3)
    groups = 1 + visitors % 2
    outcomes = (rng.random(600) < np.where(groups == 1, 0.9, 0.1)).astype(np.int64)
    crowd = Crowd(np.empty((2, 0)), groups=("", "north", "south"))
    fitted = fit(crowd, visitors, np.zeros(600, np.int64), np.ones(600, np.int64), outcomes, groups)
    best = [View(fitted, fitted.visitor(group=group), EVERY[:2]).mean.argmax() for group in (1, 2)]
    assert best == [0, 1] and fitted.settings.group > 0.7
