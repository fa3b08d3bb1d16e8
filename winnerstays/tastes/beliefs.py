"""The posterior of one visitor's tastes, on the items that the visitor met alone.

A visitor's utilities are Gaussian before any answer, with mean c and covariance C: what the crowd and the group think
(independent from item to item), the visitor's weights of the items' features, and an own part for each item.
Answers are about differences of utilities, so after n of them the posterior is

    mean c + C r        covariance C - C D C

where r and D are 0 but for the items met: at most 2 n, however many there are. One answer about items i and j, with
a = e_i - e_j, changes both by one rank: with w = a - D C a and the derivatives g and k of `probit.match`,

    r += g w            D += k w w'

An answer is kept as a Gaussian term of that difference ("site": a precision and a shift), which does not depend on the
order of answers; those about one pair are added up.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.compiling import entry, kernel
from winnerstays.probit import TIED, chance_of, match

QUALITY, GROUP, OWN, FEATURE, SLIP = range(5)
"""Places in `Model.settings`: variances of quality, of a group's and of a visitor's deviation from it, of a visitor's
weight of a feature; the share of answers at random."""
CERTAIN = 50.0
"""Evidence, in nats, beyond which nothing changes."""
ROUNDS = 3
"""So often it is computed anew what a visitor told the crowd."""
UNRELIABLE = 0.05
"""Share of visitors who are expected to answer at random, or against all others' tastes."""


class Model(NamedTuple):
    """What all visitors' answers say, as arrays."""

    precision: Floats  # (groups, items): evidence of a group's visitors about each item, as natural parameters
    tilt: Floats
    prior: Floats  # (items): the quality to expect by the features
    features: Floats  # (items, features)
    settings: Floats


class Work(NamedTuple):
    """Arrays for the computation of one posterior."""

    covariance: Floats  # C, of the items met
    mean: Floats  # c
    variance: Floats  # of the crowd's part of C
    d: Floats
    r: Floats
    w: Floats
    column: Floats  # C a


def work_of(size: int) -> Work:
    """Return arrays for visitors who met at most so many items."""
    square, line = np.zeros((2, size, size)), np.zeros((5, size))
    return Work(square[0], line[0], line[1], square[1], line[2], line[3], line[4])


@kernel
def level(model: Model, group: int, item: int, own_precision: float, own_tilt: float) -> tuple[float, float]:
    """Return mean and variance of how much a group likes an item, without what one visitor of it contributed.

    An item's quality for all has a Gaussian prior, each group deviates from it, and visitors from their group: a tree,
    whose marginals are found by passing messages once. A group that is not known (-1) has said nothing.
    """
    between = model.settings[GROUP]
    total = 1.0 / model.settings[QUALITY]
    tilt = model.prior[item] * total
    for other in range(model.precision.shape[0]):
        if other != group and model.precision[other, item] > 0.0:
            left = 1.0 / (1.0 + model.precision[other, item] * between)
            total += model.precision[other, item] * left
            tilt += model.tilt[other, item] * left
    variance = 1.0 / total + between
    mean = tilt / total
    if group >= 0:
        precision = model.precision[group, item] - own_precision
        if precision > 0.0:
            total = 1.0 / variance + precision
            mean = (mean / variance + model.tilt[group, item] - own_tilt) / total
            variance = 1.0 / total
    return mean, variance


@kernel
def dot(model: Model, item: int, other: int) -> float:
    """Return how far the weights of features make the utilities of two items vary together."""
    total = 0.0
    for k in range(model.features.shape[1]):
        total += model.features[item, k] * model.features[other, k]
    return float(total * model.settings[FEATURE])


@kernel
def start(model: Model, group: int, items: Ints, n_items: int, message: Floats, work: Work) -> None:
    """Write c and C of the items met; there are no answers yet."""
    for i in range(n_items):
        mean, variance = level(model, group, items[i], message[0, i], message[1, i])
        work.mean[i], work.variance[i], work.r[i] = mean, variance, 0.0
        for j in range(i + 1):
            shared = dot(model, items[i], items[j])
            work.covariance[i, j] = work.covariance[j, i] = shared
            work.d[i, j] = work.d[j, i] = 0.0
        work.covariance[i, i] += variance + model.settings[OWN]


@kernel
def difference(work: Work, n_items: int, first: int, second: int) -> tuple[float, float]:
    """Return mean and variance of a difference of utilities; write C a and w."""
    mean, variance = work.mean[first] - work.mean[second], 0.0
    for i in range(n_items):
        work.column[i] = work.covariance[i, first] - work.covariance[i, second]
        mean += work.column[i] * work.r[i]
    for i in range(n_items):
        total = 0.0
        for j in range(n_items):
            total += work.d[i, j] * work.column[j]
        work.w[i] = -total
    work.w[first] += 1.0
    work.w[second] -= 1.0
    for i in range(n_items):
        variance += work.column[i] * work.w[i]
    return mean, max(variance, 1e-9)


@kernel
def absorb(work: Work, n_items: int, g: float, k: float) -> None:
    """Change r and D by one answer, whose w `difference` wrote."""
    for i in range(n_items):
        work.r[i] += g * work.w[i]
        for j in range(n_items):
            work.d[i, j] += k * work.w[i] * work.w[j]


@kernel
def site_of(mean: float, variance: float, g: float, k: float) -> tuple[float, float]:
    """Return precision and shift of the Gaussian term that changes a difference as g and k do."""
    precision = k / max(1.0 - k * variance, 1e-9)
    return precision, g + (mean + variance * g) * precision


@kernel
def recall(work: Work, n_items: int, pairs: Ints, sites: Floats, n_pairs: int) -> None:
    """Put the answers that are kept as sites into r and D."""
    for pair in range(n_pairs):
        mean, variance = difference(work, n_items, pairs[0, pair], pairs[1, pair])
        precision, shift = sites[0, pair], sites[1, pair]
        left = 1.0 / (1.0 + precision * variance)
        absorb(work, n_items, (shift - precision * mean) * left, precision * left)


@kernel
def surprise(mean: float, variance: float, outcome: int, slip: float) -> float:
    """Return how much better than a coin an answer was foretold, in nats."""
    if outcome == TIED:
        return 0.0
    chance = chance_of(mean, variance, slip)
    return math.log(2.0 * (chance if outcome else 1.0 - chance))


@kernel
def contribution(work: Work, n_items: int, evidence: float, message: Floats) -> None:
    """Write what a visitor tells the crowd about each item: at most as much as one look at their own utility.

    A visitor whose answers were foretold worse than by a coin counts for less: they answer at random, or against all.
    """
    trust = 1.0 / (1.0 + UNRELIABLE / (1.0 - UNRELIABLE) * math.exp(min(-evidence, CERTAIN)))
    for i in range(n_items):
        before = work.variance[i]
        after = before * (1.0 - min(before * work.d[i, i], 0.999999))
        mean = work.mean[i] + before * work.r[i]
        message[0, i] = trust * max(1.0 / after - 1.0 / before, 0.0)
        message[1, i] = trust * (mean / after - work.mean[i] / before)


@kernel
def send(model: Model, group: int, items: Ints, n_items: int, evidence: float, message: Floats, work: Work) -> None:
    """Replace a visitor's contribution to the crowd by the present one."""
    for i in range(n_items):
        model.precision[group, items[i]] -= message[0, i]
        model.tilt[group, items[i]] -= message[1, i]
    contribution(work, n_items, evidence, message)
    for i in range(n_items):
        model.precision[group, items[i]] = max(model.precision[group, items[i]] + message[0, i], 0.0)
        model.tilt[group, items[i]] += message[1, i]


@entry
def sweep(
    model: Model,
    starts: Ints,
    groups: Ints,
    answers: Ints,
    items: Ints,
    messages: Floats,
    trusts: bool,
    work: Work,
) -> float:
    """Go through visitors, each with all their answers; returns how well they were foretold, in nats.

    Row v of `starts` holds where the visitor's answers and items begin and end. `answers` holds the places of both
    items among the visitor's, and the outcome. What visitors tell the crowd is replaced.
    Unless it `trusts` the crowd so far, all visitors count alike: else those who came first could decide who is heard.
    """
    total = 0.0
    slip = model.settings[SLIP]
    for v in range(starts.shape[0]):
        first, last, low, high = starts[v]
        n_items = high - low
        mine, message = items[low:high], messages[:, low:high]
        start(model, groups[v], mine, n_items, message, work)
        evidence = 0.0
        for t in range(first, last):
            mean, variance = difference(work, n_items, answers[0, t], answers[1, t])
            outcome = answers[2, t]
            evidence += surprise(mean, variance, outcome, slip)
            _, g, k = match(mean, variance, outcome, slip)
            absorb(work, n_items, g, k)
        total += math.log(UNRELIABLE + (1.0 - UNRELIABLE) * math.exp(evidence))
        send(model, groups[v], mine, n_items, evidence if trusts else CERTAIN, message, work)
    return total


@entry
def fold(
    model: Model,
    group: int,
    items: Ints,
    pairs: Ints,
    outcomes: Ints,
    told: int,
    sites: Floats,
    message: Floats,
    work: Work,
) -> None:
    """Learn all answers of a visitor, pair by pair: outcomes[k, p] of kind k about pair p; write their sites.

    The first `told` pairs are known to the crowd. They are learned alone first, so that `message` becomes what the
    crowd was told, and is taken out of it. What it was depends on the crowd without it: hence some rounds.
    """
    n_items = items.size
    rounds = ROUNDS if told and group >= 0 else 0
    for turn in range(rounds + 1):
        start(model, group, items, n_items, message, work)
        evidence = 0.0
        for pair in range(told if turn < rounds else pairs.shape[1]):
            mean, variance = difference(work, n_items, pairs[0, pair], pairs[1, pair])
            now, left, precision, shift = mean, variance, 0.0, 0.0
            for outcome in range(outcomes.shape[0]):
                for _ in range(outcomes[outcome, pair]):
                    evidence += surprise(now, left, outcome, model.settings[SLIP])
                    _, g, k = match(now, left, outcome, model.settings[SLIP])
                    more, moved = site_of(now, left, g, k)
                    precision, shift = precision + more, shift + moved
                    now += left * g
                    left = max(left - left * left * k, 1e-9)
            sites[0, pair], sites[1, pair] = precision, shift
            share = 1.0 / (1.0 + precision * variance)
            absorb(work, n_items, (shift - precision * mean) * share, precision * share)
        if turn < rounds:
            contribution(work, n_items, evidence, message)
