"""Wilson's interval: how far the observations leave a chance open."""

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
