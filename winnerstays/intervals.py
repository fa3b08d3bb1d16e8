"""Wilson's interval: how far the observations leave a chance open."""

from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats


def wilson(won: npt.ArrayLike, lost: npt.ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the ends of the interval of a chance after these wins and losses; 0 and 1 if there were none.

    >>> low, high = wilson([60, 0], [40, 0])
    >>> low.round(4), high.round(4)
    (array([0.502, 0.   ]), array([0.6906, 1.    ]))
    """
    successes, failures = np.asarray(won, dtype=np.float64), np.asarray(lost, dtype=np.float64)
    z = NormalDist().inv_cdf((1 + level) / 2)
    total = successes + failures
    centre = (successes + z * z / 2) / (total + z * z)
    spread = np.divide(successes * failures, total, out=np.zeros_like(total), where=total > 0)
    half = z * np.sqrt(spread + z * z / 4) / (total + z * z)
    return np.clip(centre - half, 0.0, 1.0), np.clip(centre + half, 0.0, 1.0)
