"""Confidence intervals of a chance or a mean, for a fixed number of observations or for any number."""

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy.typing as npt

    from winnerstays._types import Floats


def wilson(won: "npt.ArrayLike", lost: "npt.ArrayLike", level: float = 0.95) -> "tuple[Floats, Floats]":
    """Return the ends of the interval of a chance after these wins and losses; 0 and 1 if there were none.

    >>> low, high = wilson([60, 0], [40, 0])
    >>> low.round(4), high.round(4)
    (array([0.502, 0.   ]), array([0.6906, 1.    ]))
    """
    from statistics import NormalDist

    import numpy as np

    successes, failures = np.asarray(won, dtype=np.float64), np.asarray(lost, dtype=np.float64)
    z = NormalDist().inv_cdf((1 + level) / 2)
    total = successes + failures
    centre = (successes + z * z / 2) / (total + z * z)
    spread = np.divide(successes * failures, total, out=np.zeros_like(total), where=total > 0)
    half = z * np.sqrt(spread + z * z / 4) / (total + z * z)
    return np.clip(centre - half, 0.0, 1.0), np.clip(centre + half, 0.0, 1.0)


def shared_ranks(lows: "Floats", highs: "Floats") -> list[int]:
    """Return ranks from 1: one more than there are others whose intervals are above one's own.

    >>> import numpy as np
    >>> shared_ranks(np.array([0.1, 0.8, 0.0]), np.array([0.3, 0.9, 0.2]))
    [2, 1, 2]
    """
    ordered = sorted(lows)
    return [1 + len(ordered) - bisect_right(ordered, high) for high in highs]


ANYTIME_AT = 200
"""The number of observations for which `anytime` is made as narrow as possible; it holds for any number."""


def anytime(count: int, total: float, squares: float, level: float = 0.95, *, most: float = 1.0) -> tuple[float, float]:
    """Return an interval of the mean of numbers from 0 to 1, given how many, their sum, and the sum of their squares.

    Some of the numbers may be above 1, up to `most`.

    It holds for all times at once, so you may look after each number and stop whenever you like: the
    normal mixture of Robbins, with the estimated variance (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2021,
    eq. 2.5). The variance is that with a 0 and a 1 added, so that it is not 0 after a few equal numbers.

    >>> [round(end, 3) for end in anytime(1000, 500, 300)]
    [0.478, 0.522]
    >>> anytime(3, 0, 0)
    (0.0, 1.0)
    """
    if not count:
        return 0.0, most
    chance = 1 - level
    rho = (math.log(1 / chance**2) + math.log(1 + math.log(1 / chance**2))) / ANYTIME_AT
    mean = (total + 1) / (count + 2)
    variance = max((squares + 1) / (count + 2) - mean**2, 0.0)
    grown = count * rho + 1
    half = math.sqrt(variance * 2 * grown / (count**2 * rho) * math.log(math.sqrt(grown) / chance))
    return max(0.0, total / count - half), min(most, total / count + half)


@dataclass(frozen=True)
class Bias:
    """How often the left item was chosen, with a confidence interval; without bias the share is 1/2."""

    left: int
    right: int
    share: float
    low: float
    high: float
    confidence: float = 0.95


def bias(left: int, right: int) -> Bias:
    """Return the share of left choices with Wilson's 95 % interval.

    >>> bias(60, 40)
    Bias(left=60, right=40, share=0.6, low=0.5020025867910618, high=0.6905987135675411, confidence=0.95)
    """
    low, high = map(float, wilson(left, right))
    return Bias(left, right, left / (left + right) if left + right else 0.5, low, high)
