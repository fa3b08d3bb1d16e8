"""What to show a visitor: their favourite, and the item with the highest expected improvement over it.

A visit draws the crowd's opinion of each item from its posterior, and keeps the draw to the end: uncertain items are
shown to some visitors and not to others (Thompson sampling over visits). A rule without draws locks: an item that was
unlucky once is never shown again.
"""

import math

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.compiling import entry, kernel
from winnerstays.probit import expected_gain
from winnerstays.randomness import Rng, skipped
from winnerstays.tastes.beliefs import FEATURE, OWN, Model, Work, level, recall, start

NOBODY = -1
VISIT = 20
"""After so many answers, or a quarter of the items, half of the draw is left: then the visitor's own answers decide."""
DRAW = 0.8
"""The share of the crowd's standard deviation that a visit draws; what is left of the variance stays uncertain."""


@kernel
def normal_of(seed: Rng, item: int) -> float:
    """Return the standard normal number that a visit draws for an item."""
    size = math.sqrt(-2.0 * math.log(1.0 - skipped(seed, seed[0], 2 * item)))
    return size * math.cos(2.0 * math.pi * skipped(seed, seed[0], 2 * item + 1))


@entry
def outlook(
    model: Model,
    group: int,
    items: Ints,
    message: Floats,
    pairs: Ints,
    sites: Floats,
    draw: float,
    seed: Rng,
    eligible: Ints,
    place: Ints,
    mean: Floats,
    prior: Floats,
    work: Work,
) -> None:
    """Write for each eligible item its posterior mean, the part of its prior variance that is its own, and its place
    among the items met (or NOBODY). `draw` is the share of the crowd's
    standard deviation that is drawn, 0 for none.
    """
    n_items = items.size
    keep = 1.0 - draw * draw
    start(model, group, items, n_items, message, work)
    for i in range(n_items):
        drawn = draw * math.sqrt(work.variance[i]) * normal_of(seed, items[i])
        work.mean[i] += drawn
        work.covariance[i, i] += (keep - 1.0) * work.variance[i]
        work.variance[i] *= keep
    recall(work, n_items, pairs, sites, pairs.shape[1])
    for x in range(model.prior.size):
        place[x] = NOBODY
    for i in range(n_items):
        place[items[i]] = i
    d = model.features.shape[1]
    for e in range(eligible.size):
        x = eligible[e]
        own = place[x]
        if own == NOBODY:
            mean[e], variance = level(model, group, x, 0.0, 0.0)
            mean[e] += draw * math.sqrt(variance) * normal_of(seed, x)
            prior[e] = keep * variance + model.settings[OWN]
        else:
            prior[e] = work.variance[own] + model.settings[OWN]
            mean[e] = work.mean[own] + prior[e] * work.r[own]
    for k in range(d):
        weight = 0.0
        for i in range(n_items):
            weight += model.features[items[i], k] * work.r[i]
        for e in range(eligible.size):
            mean[e] += model.settings[FEATURE] * weight * model.features[eligible[e], k]


@entry
def against(
    model: Model, items: Ints, eligible: Ints, place: Ints, prior: Floats, of: int, covariance: Floats, work: Work
) -> None:
    """Write the posterior covariances of eligible items with the one at `of` among them; `work.column` is used."""
    n_items, d = items.size, model.features.shape[1]
    x = eligible[of]
    for i in range(n_items):
        shared = 0.0
        for k in range(d):
            shared += model.features[items[i], k] * model.features[x, k]
        work.column[i] = model.settings[FEATURE] * shared
    if place[x] != NOBODY:
        work.column[place[x]] += prior[of]
    for i in range(n_items):
        total = 0.0
        for j in range(n_items):
            total += work.d[i, j] * work.column[j]
        work.w[i] = total
    for e in range(eligible.size):
        covariance[e] = 0.0
        own = place[eligible[e]]
        if own != NOBODY:
            covariance[e] -= prior[e] * work.w[own]
    covariance[of] += prior[of]
    for k in range(d):
        weight = model.features[x, k]
        for i in range(n_items):
            weight -= model.features[items[i], k] * work.w[i]
        for e in range(eligible.size):
            covariance[e] += model.settings[FEATURE] * weight * model.features[eligible[e], k]


@entry
def variances(
    model: Model, items: Ints, eligible: Ints, place: Ints, prior: Floats, variance: Floats, work: Work
) -> None:
    """Write the posterior variance of each eligible item."""
    n_items, d, share = items.size, model.features.shape[1], model.settings[FEATURE]
    for e in range(eligible.size):
        variance[e] = prior[e]
        own = place[eligible[e]]
        if own != NOBODY:
            variance[e] -= prior[e] * prior[e] * work.d[own, own]
    for k in range(d):
        for i in range(n_items):  # D F, for one feature
            total = 0.0
            for j in range(n_items):
                total += work.d[i, j] * model.features[items[j], k]
            work.w[i] = total
        for e in range(eligible.size):
            own = place[eligible[e]]
            if own != NOBODY:
                variance[e] -= 2.0 * prior[e] * share * work.w[own] * model.features[eligible[e], k]
        for l in range(d):
            weight = 1.0 if k == l else 0.0
            for i in range(n_items):
                weight -= share * model.features[items[i], l] * work.w[i]
            for e in range(eligible.size):
                both = model.features[eligible[e], k] * model.features[eligible[e], l]
                variance[e] += share * weight * both


@entry
def best_challenger(mean: Floats, variance: Floats, covariance: Floats, allowed: Ints, of: int) -> int:
    """Return the place of the allowed item with the highest expected improvement over the one at `of`."""
    best, most = NOBODY, -np.inf
    for e in range(mean.size):
        if e != of and allowed[e]:
            gain = expected_gain(mean[e] - mean[of], variance[e] + variance[of] - 2.0 * covariance[e])
            if gain > most:
                best, most = e, gain
    return best
