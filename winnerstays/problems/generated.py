"""Problems that are generated from options."""

import math
from typing import Literal

import numpy as np

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.problem import Problem
from winnerstays.randomness import check_seed

MAX_NUMBERS = 10**8
"""Numbers in a table of features or preferences that is made here (800 MB)."""


def _whole(name: str, value: int, smallest: int, largest: int) -> int:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not smallest <= value <= largest:
        raise WinnerstaysError(f"{name} is {value!r}, but it must be a whole number from {smallest} to {largest}.")
    return int(value)


def _features(n_arms: int, dimension: int) -> tuple[int, int]:
    """The shape of a table of features."""
    dimension = _whole("dimension", dimension, 1, MAX_NUMBERS // 2)
    return _whole("n_arms", n_arms, 2, MAX_NUMBERS // dimension), dimension


def _matrix(n_arms: int) -> tuple[int, int]:
    """The shape of a table of preferences."""
    return (_whole("n_arms", n_arms, 2, math.isqrt(MAX_NUMBERS)),) * 2


def _probability(p: float) -> float:
    if not 0.5 < p <= 1:
        raise WinnerstaysError(f"p is {p}, but a winning probability must be above 0.5 and at most 1.")
    return p


def total_order(
    n_arms: int = 50, p: float = 0.8, *, dimension: int = 20, seed: int = 1, name: str = "total-order"
) -> Problem:
    """Arms in a line; the better of two wins with probability p, however far apart they are.

    Every arm also has a feature vector on the unit sphere, and the order is that of x.theta for a hidden theta,
    so that methods that learn from features have something true to learn.
    """
    rng = np.random.default_rng(check_seed(seed))
    features = rng.standard_normal(_features(n_arms, dimension))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    features = features[np.argsort(-features @ rng.standard_normal(dimension))]
    return Problem.from_strengths(
        np.arange(n_arms, 0.0, -1.0), "order", p=_probability(p), features=features, name=name
    )


def linear_utilities(
    n_arms: int = 20, dimension: int = 5, noise: float = 0.5, link: Literal["probit", "logit"] = "probit", seed: int = 1
) -> Problem:
    """u_i = x_i.theta with Gaussian x_i and a theta of length 1; people see utilities with Gaussian or logistic noise.

    `Problem.from_utilities` says what either kind of noise means.
    """
    rng = np.random.default_rng(check_seed(seed))
    features = rng.standard_normal(_features(n_arms, dimension))
    theta = rng.standard_normal(dimension)
    utilities = features @ (theta / np.linalg.norm(theta))
    return Problem.from_utilities(utilities, noise, link, features=features, name=f"linear-{link}")


def random_condorcet(n_arms: int = 10, margin: float = 0.02, seed: int = 1) -> Problem:
    """Arm 0 beats all others; among those anything goes. Winning probabilities are uniform on [1/2 + margin, 1]."""
    if not 0 < margin <= 0.5:
        raise WinnerstaysError(f"margin is {margin}, but it must be above 0 and at most 0.5.")
    rng = np.random.default_rng(check_seed(seed))
    edge = rng.uniform(margin, 0.5, _matrix(n_arms)) * rng.choice([-1, 1], (n_arms, n_arms))
    edge[0] = abs(edge[0])
    edge = np.triu(edge, 1)
    return Problem(0.5 + edge - edge.T, name="random-condorcet")


def random_order(n_arms: int = 10, margin: float = 0.02, seed: int = 1) -> Problem:
    """Arms in a line: each beats all after it, with probabilities that are uniform on [1/2 + margin, 1]."""
    tangled = random_condorcet(n_arms, margin, seed)
    edge = np.triu(abs(tangled.preferences - 0.5), 1)
    return Problem(0.5 + edge - edge.T, name="random-order")


def three_types(per_type: int = 5, p: float = 0.8) -> Problem:
    """The family in the supplement's proof of Theorem 2: a winner, and types A > B > C > A of arms.

    Within a type the arms are totally ordered. WS-W meets O(N) worse incumbents a round here, not O(log N).
    """
    per_type = _whole("per_type", per_type, 1, (math.isqrt(MAX_NUMBERS) - 1) // 3)
    kind = np.repeat([0, 1, 2], per_type)
    wins = (kind[None, :] - kind[:, None]) % 3 == 1
    wins |= (kind[None, :] == kind[:, None]) & (np.arange(3 * per_type)[:, None] < np.arange(3 * per_type)[None, :])
    preferences = np.full((3 * per_type + 1,) * 2, 0.5)
    preferences[1:, 1:] = np.where(wins, _probability(p), 1 - p)
    preferences[0, 1:], preferences[1:, 0] = p, 1 - p
    np.fill_diagonal(preferences, 0.5)
    items = ["winner", *(f"{letter}{k + 1}" for letter in "ABC" for k in range(per_type))]
    return Problem(preferences, items=items, name="three-types")
