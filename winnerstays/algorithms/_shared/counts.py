"""What several algorithms share: win counts, divergences, samples."""

import math

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms.base import FOREVER
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, uniform

SAFELY = 1.0 - 1e-9


def no_wins(n_arms: int) -> Ints:
    """wins[i, j] = duels that i won against j, before the first duel."""
    return np.zeros((n_arms, n_arms), np.int64)


@kernel
def record(wins: Ints, first: int, second: int, first_won: bool) -> None:
    """Count a duel. An arm against itself teaches nothing and is never counted."""
    if first != second:
        if first_won:
            wins[first, second] += 1
        else:
            wins[second, first] += 1


@kernel
def played(wins: Ints, first: int, second: int) -> int:
    """How often the two have met."""
    return wins[first, second] + wins[second, first]  # type: ignore[no-any-return]


@kernel
def mean(wins: Ints, first: int, second: int) -> float:
    """The share of their duels that `first` won; 1/2 if they never met."""
    duels = played(wins, first, second)
    return wins[first, second] / duels if duels > 0 else 0.5


@kernel
def kl_half(p: float) -> float:
    """Bernoulli divergence kl(p, 1/2) = ln 2 + p ln p + (1-p) ln(1-p).

    >>> kl_half(0.0) == math.log(2.0), kl_half(0.5)
    (True, 0.0)
    """
    total = math.log(2.0)
    if p > 0.0:
        total += p * math.log(p)
    if p < 1.0:
        total += (1.0 - p) * math.log(1.0 - p)
    return max(total, 0.0)


@kernel
def time_before(log_t: float) -> int:
    """A time shortly before exp(log_t), which rounding may have moved; up to the true one, exact tests must decide."""
    return int(math.exp(log_t) * SAFELY) if log_t < 42.0 else FOREVER


@kernel
def normal(rng: Rng) -> float:
    """A standard normal number (Marsaglia's polar method)."""
    while True:
        x, y = 2.0 * uniform(rng) - 1.0, 2.0 * uniform(rng) - 1.0
        s = x * x + y * y
        if 0.0 < s < 1.0:
            return x * math.sqrt(-2.0 * math.log(s) / s)


@kernel
def gamma(rng: Rng, shape: float) -> float:
    """A gamma number with shape >= 1 (Marsaglia & Tsang 2000)."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(rng)
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            u = 1.0 - uniform(rng)
            if u < 1.0 - 0.0331 * (x * x) * (x * x):  # implies the exact test, without its logarithms
                return d * v
            if math.log(u) < 0.5 * x * x + d - d * v + d * math.log(v):
                return d * v


@kernel
def beta(rng: Rng, a: float, b: float) -> float:
    """A beta number with both shapes >= 1."""
    x = gamma(rng, a)
    return x / (x + gamma(rng, b))


@kernel
def pick_proportional(weights: Floats, total: float, rng: Rng) -> int:
    """An index drawn with probability weight / total; `total` is the sum of the weights."""
    left = uniform(rng) * total
    for k in range(weights.size - 1):
        left -= weights[k]
        if left < 0.0:
            return k
    return int(weights.size - 1)
