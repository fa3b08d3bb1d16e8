"""Randomness that is the same compiled or not, on any machine, and is stored as two numbers.

A stream is SplitMix64 (Steele, Lea & Flood 2014): a position and an odd increment of its own, both derived from
`(seed, *path)` by NumPy's SeedSequence, so that run k of experiment `seed` can be replayed alone.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays.compiling import kernel, modular
from winnerstays.errors import WinnerstaysError

Rng = npt.NDArray[np.uint64]


def check_seed(seed: object) -> int:
    """A seed is a whole number from 0 on."""
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise WinnerstaysError(f"seed is {seed!r}, but it must be a whole number of at least 0.")
    return int(seed)


def stream(seed: int, *path: int) -> Rng:
    """The stream that `(seed, *path)` names.

    >>> rng = stream(7, 0)
    >>> float(uniform(rng)), float(uniform(rng))
    (0.06187412272095982, 0.4286700990668759)
    """
    rng = np.random.SeedSequence(seed, spawn_key=path).generate_state(2, np.uint64).astype(np.uint64)
    rng[1] |= np.uint64(1)
    return rng


@modular
def uniform(rng: Rng) -> float:
    """A number in [0, 1), on a grid of 2**-53."""
    rng[0] += rng[1]
    return number(rng[0])


@modular
def number(position: np.uint64) -> float:
    """The number at a position of a stream."""
    z = position
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return float(np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(11))) * 2.0**-53


@kernel
def below(rng: Rng, n: int) -> int:
    """One of 0, ..., n-1 (the bias is at most n / 2**53)."""
    return int(uniform(rng) * n)


@kernel
def shuffle(values: npt.NDArray[Any], rng: Rng) -> None:
    """Put the values into random order, in place."""
    for last in range(values.size - 1, 0, -1):
        pick = below(rng, last + 1)
        values[last], values[pick] = values[pick], values[last]


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


@modular
def skip(rng: Rng, n: int) -> np.uint64:
    """Pass over n numbers; they can be had later, in any order, as `skipped(rng, start, k)` with the start returned."""
    start = rng[0]
    rng[0] += np.uint64(n) * rng[1]
    return start  # type: ignore[no-any-return]


@modular
def skipped(rng: Rng, start: np.uint64, k: int) -> float:
    """The number k of those that were skipped, 0 being the first.

    >>> one, other = stream(7), stream(7)
    >>> start = np.uint64(skip(one, 3))
    >>> drawn = [uniform(other) for _ in range(4)]
    >>> drawn == [skipped(one, start, 0), skipped(one, start, 1), skipped(one, start, 2), uniform(one)]
    True
    """
    return number(start + np.uint64(k + 1) * rng[1])
