"""A crowd made anew from all answers ever: what it likes, and the settings under which the answers are likeliest."""

import math
from copy import copy

import numpy as np

from winnerstays._types import Ints
from winnerstays.tastes.beliefs import GROUP, QUALITY, Model, Work, sweep, work_of
from winnerstays.tastes.crowd import Crowd, Settings

MAX_ANSWERS, MAX_MET = 1000, 400
"""The newest answers of one visitor that are read, those about so many items."""
SAMPLE = 1500
"""Visitors by whom the settings are judged, spread evenly over the log."""
STEPS, STEP = 6, 1.25
LIMITS = Settings(), Settings(0.05, 0.05, 0.1, 0.05, 0.01), Settings(10.0, 10.0, 10.0, 10.0, 0.6)
"""The settings to expect, with a weight of about one answer; the lowest; the highest."""


class Log:
    """Answers sorted by visitor, with the items that each visitor met."""

    def __init__(self, crowd: Crowd, visitors: Ints, groups: Ints, first: Ints, second: Ints, outcomes: Ints) -> None:
        _, appeared, who = np.unique(visitors, return_index=True, return_inverse=True)
        who = np.argsort(np.argsort(appeared))[who]  # visitors in the order in which they came
        order = np.argsort(who, kind="stable")
        ends = np.searchsorted(who[order], np.arange(appeared.size), side="right")
        newest = ends[who[order]] - np.arange(order.size) <= MAX_ANSWERS
        order = order[newest]
        who, n = who[order], crowd.model.prior.size
        both = np.concatenate([who * n + first[order], who * n + second[order]])
        met, place = np.unique(both, return_inverse=True)
        low = np.searchsorted(met, np.arange(appeared.size) * n)
        high = np.append(low[1:], met.size)
        place = place.reshape(2, -1) - low[who]
        kept = place.max(axis=0, initial=0) < MAX_MET
        who, order = who[kept], order[kept]
        begin = np.searchsorted(who, np.arange(appeared.size))
        self.groups = groups[np.sort(appeared)]
        self.items = met % n
        self.answers = np.vstack([place[:, kept], outcomes[order]])
        end, high = np.append(begin[1:], who.size), np.minimum(high, low + MAX_MET)
        self.starts = np.ascontiguousarray(np.stack([begin, end, low, high], axis=1))
        self.messages = np.zeros((2, met.size))
        self.work: Work = work_of(int((high - low).max(initial=0)))

    def sweep(self, model: Model, chosen: slice = slice(None), *, trusts: bool) -> float:
        starts, groups = self.starts[chosen], self.groups[chosen]
        return float(sweep(model, starts, groups, self.answers, self.items, self.messages, trusts, self.work))


def fit(crowd: Crowd, visitors: Ints, first: Ints, second: Ints, outcomes: Ints, groups: Ints | None = None) -> Crowd:
    """Return the crowd as all answers ever make it, in the order in which they were given.

    `visitors` are whole numbers, `first` and `second` places of items, `groups` rows of `crowd.groups`.
    """
    fresh, model = copy(crowd), crowd.model
    fresh.model = model._replace(precision=np.zeros_like(model.precision), tilt=np.zeros_like(model.tilt))
    if not visitors.size:
        return fresh
    log = Log(crowd, visitors, np.zeros_like(visitors) if groups is None else groups, first, second, outcomes)
    log.sweep(fresh.model, trusts=False)
    used = [name for name in Settings._fields if _matters(fresh, name)]
    for last in (False, False, True):
        _climb(fresh, log, used)
        if fresh.model.features.shape[1]:
            _fit_slope(fresh)
        log.sweep(fresh.model, trusts=last)
    return fresh


def _matters(crowd: Crowd, name: str) -> bool:
    if name == "group":
        return len(crowd.groups) > 1
    return name != "feature" or crowd.model.features.shape[1] > 0


def _set(crowd: Crowd, settings: Settings) -> None:
    crowd.settings = settings
    crowd.model = crowd.model._replace(settings=settings.as_array(len(crowd.groups)))


def _climb(crowd: Crowd, log: Log, names: list[str]) -> None:
    """Raise or lower one setting after the other while a sample of visitors is foretold better.

    The sample makes a crowd of its own, from nothing; each visitor is foretold by those before.
    """
    chosen = slice(None, None, max(log.starts.shape[0] // SAMPLE, 1))
    kept = [array.copy() for array in (*crowd.model[:2], log.messages)]

    def worth(settings: Settings) -> float:
        expected, _, _ = LIMITS
        far = sum(math.log(value / usual) ** 2 for value, usual in zip(settings, expected, strict=True))
        _set(crowd, settings)
        for array in (*crowd.model[:2], log.messages):
            array[:] = 0.0
        return log.sweep(crowd.model, chosen, trusts=False) - 0.5 * far

    best, reached = crowd.settings, worth(crowd.settings)
    for name in names:
        for factor in (STEP, 1 / STEP):
            moved = False
            for _ in range(STEPS):
                value = getattr(best, name) * factor
                if not getattr(LIMITS[1], name) <= value <= getattr(LIMITS[2], name):
                    break
                tried = best._replace(**{name: value})
                if (now := worth(tried)) <= reached:
                    break
                best, reached, moved = tried, now, True
            if moved:
                break
    _set(crowd, best)
    for array, old in zip((*crowd.model[:2], log.messages), kept, strict=True):
        array[:] = old


def _fit_slope(crowd: Crowd) -> None:
    """Fit what the features of items say about their quality for all."""
    model = crowd.model
    left = 1.0 / (1.0 + model.precision * model.settings[GROUP])
    precision, tilt = (model.precision * left).sum(axis=0), (model.tilt * left).sum(axis=0)
    known = precision > 0
    precision, tilt, features = precision[known], tilt[known], model.features[known]
    weight = 1.0 / (1.0 / precision + model.settings[QUALITY])
    square = features.T @ (features * weight[:, None]) + np.eye(features.shape[1])
    crowd.slope = np.linalg.solve(square, features.T @ (weight * tilt / precision))
    crowd.model = model._replace(prior=model.features @ crowd.slope)
