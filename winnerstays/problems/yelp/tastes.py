"""A person's taste from few ratings: ridge regression of stars on features.

Plain least squares, as the paper has it, cannot be meant for everyone: with 20 features, an intercept and 20
ratings it goes through every rating, and the variance of its residuals is 0/0. Here the coefficients are shrunk
(the intercept is not), the penalty is the one with the least generalised cross-validation error, and
sigma^2 = RSS / (n - df), where df is what the shrunken fit has used up, at least 1 for the intercept.
"""

from typing import NamedTuple

import numpy as np

from winnerstays.problems.problem import Floats

PENALTIES = np.geomspace(0.01, 1000.0, 61)
"""Multiples of the number of ratings; features have unit variance, so that 1 halves an average coefficient."""
MIN_SIGMA = 1 / np.sqrt(12)
"""Stars are whole numbers: rounding alone leaves this standard deviation, however well a taste is known."""


class Taste(NamedTuple):
    """What was learned about one person."""

    utilities: Floats  # u_i, in stars, of every restaurant
    sigma: float
    ratings: int  # n
    used: float  # df
    penalty: float
    explained: float  # R^2


def fit(features: Floats, rated: Floats, stars: Floats) -> Taste:
    """The utilities of all restaurants (rows of `features`), from the stars for some of them (rows of `rated`)."""
    n = stars.size
    middle, mean = rated.mean(axis=0), stars.mean()
    left, singular, right = np.linalg.svd(rated - middle, full_matrices=False)
    along = left.T @ (stars - mean)
    total = float(((stars - mean) ** 2).sum())
    penalties = n * PENALTIES
    shrinkage = singular**2 / (singular**2 + penalties[:, None])
    used = 1 + shrinkage.sum(axis=1)
    squares = np.maximum(total - ((2 * shrinkage - shrinkage**2) * along**2).sum(axis=1), 0.0)
    with np.errstate(divide="ignore"):
        error = np.where(n - used >= 1, n * squares / (n - used) ** 2, np.inf)
    best = int(np.argmin(error))
    theta = right.T @ (along * singular / (singular**2 + penalties[best]))
    sigma = max(float(np.sqrt(squares[best] / (n - used[best]))), float(MIN_SIGMA))
    explained = 1 - float(squares[best]) / total if total else 0.0
    return Taste(mean + (features - middle) @ theta, sigma, n, float(used[best]), float(PENALTIES[best]), explained)
