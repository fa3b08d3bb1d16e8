"""An anytime-valid test on wins and losses: how strongly they favour one of two items, however often you look.

Let e be the likelihood of an item's recorded wins and losses under a chance drawn uniformly from (null, 1], divided by
that under `null`. If the item's chance is at most `null`, e is a supermartingale that starts at 1, so it ever reaches
1/a with probability at most a (Ville), whoever chose the pairs and whenever one stops.
"""

import math

from winnerstays.compiling import kernel

TINY = 1e-300
PRECISION = 1e-15
MAX_TERMS = 100_000


@kernel
def log_evidence(won: int, lost: int, null: float = 0.5) -> float:
    """Return the logarithm of e after this many wins and losses.

    >>> log_evidence(0, 0)
    0.0
    >>> round(math.exp(log_evidence(2, 0)), 6)  # the integral of 2 (2x)^2 from 1/2 to 1
    2.333333
    """
    if won + lost == 0:
        return 0.0
    if (1.0 - null) * (won + lost + 4) < lost + 2:  # few wins: the upper tail is small, and beta functions cancel out
        return math.log(null * tail_fraction(lost + 1, won + 1, 1.0 - null) / (lost + 1))
    whole = math.lgamma(won + 1) + math.lgamma(lost + 1) - math.lgamma(won + lost + 2)
    whole -= won * math.log(null) + (lost + 1) * math.log(1.0 - null)
    lower = math.log(null * tail_fraction(won + 1, lost + 1, null) / (won + 1))
    return whole + math.log1p(-math.exp(lower - whole))


@kernel
def tail_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, I_x(a, b) a B(a, b) / (x^a (1-x)^b).

    DLMF 8.17.22, evaluated from the front (Lentz); it converges fast for x < (a+1)/(a+b+2).
    """
    above = 1.0
    below = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = below
    for m in range(1, MAX_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        below = 1.0 / _away_from_zero(1.0 + even * below)
        above = _away_from_zero(1.0 + even / above)
        value *= below * above
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        below = 1.0 / _away_from_zero(1.0 + odd * below)
        above = _away_from_zero(1.0 + odd / above)
        change = below * above
        value *= change
        if abs(change - 1.0) < PRECISION:
            break
    return value


@kernel
def _away_from_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
