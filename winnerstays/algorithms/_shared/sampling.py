"""Samplers: normal, gamma and beta numbers, and an index with given weights."""

import math

from winnerstays._types import Floats
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, uniform


@kernel
def normal(rng: Rng) -> float:
    """Draw a standard normal number (Marsaglia's polar method)."""
    while True:
        x, y = 2.0 * uniform(rng) - 1.0, 2.0 * uniform(rng) - 1.0
        s = x * x + y * y
        if 0.0 < s < 1.0:
            return x * math.sqrt(-2.0 * math.log(s) / s)


@kernel
def gamma(rng: Rng, shape: float) -> float:
    """Draw a gamma number with shape >= 1 (Marsaglia & Tsang 2000)."""
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
    """Draw a beta number with both shapes >= 1."""
    x = gamma(rng, a)
    return x / (x + gamma(rng, b))


@kernel
def pick_proportional(weights: Floats, total: float, rng: Rng) -> int:
    """Draw an index with probability weight / total; `total` is the sum of the weights."""
    left = uniform(rng) * total
    for k in range(weights.size - 1):
        left -= weights[k]
        if left < 0.0:
            return k
    return int(weights.size - 1)
