"""A crowd made anew from all answers ever: what it likes, and the settings under which the answers are likeliest."""

import math

import numpy as np

from winnerstays._types import Ints
from winnerstays.errors import WinnerstaysError
from winnerstays.tastes.beliefs import GROUP, QUALITY, Model, Work, sweep, work_of
from winnerstays.tastes.crowd import MAX_MET, Crowd, Settings
from winnerstays.tastes.matching import TIED

MAX_ANSWERS = 1000
"""The newest answers of one visitor that are read."""
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
        who, n = who[order], len(crowd.items)
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

    `visitors` are whole numbers, `first` and `second` places in `crowd.items`, `groups` places in `crowd.groups`.
    """
    columns = [np.asarray(column, np.int64) for column in (visitors, first, second, outcomes)]
    columns.append(np.zeros_like(columns[0]) if groups is None else np.asarray(groups, np.int64))
    lengths = {column.size for column in columns}
    if len(lengths) > 1:
        raise WinnerstaysError(f"The columns have {sorted(lengths)} answers, but must all have as many.")
    for column, limit, what in zip(
        columns[1:], (len(crowd.items), len(crowd.items), TIED + 1, len(crowd.groups)),
        ("first item", "second item", "outcome", "group"), strict=True,
    ):  # fmt: skip
        if column.size and not 0 <= column.min() <= column.max() < limit:
            wrong = column[(column < 0) | (column >= limit)][0]
            raise WinnerstaysError(f"A {what} is {wrong}, but it must be from 0 to {limit - 1}.")
    fresh = Crowd.load(crowd.dump())
    fresh.version += 1
    if not columns[0].size:
        return fresh
    who, a, b, won, group = columns
    log = Log(crowd, who, group, a, b, won)
    for array in fresh.model[:2]:
        array[:] = 0.0
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
    crowd._slope = np.linalg.solve(square, features.T @ (weight * tilt / precision))
    crowd.model = model._replace(prior=model.features @ crowd._slope)
