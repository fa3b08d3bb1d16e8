"""The gambler's ruin that an iteration of WS-W is: who wins it and how many duels it takes.

The incumbent wins each duel with probability x. It wins the iteration by one duel more won than lost, and loses it by
`height` E = N(l-1) + k duels more lost than won. With y = ln(x / (1-x)), the martingale exp(-y * walk) gives

    P(incumbent loses) = (exp(y) - 1) / (exp((E+1) y) - 1)            1/(E+1) at x = 1/2
    P(incumbent wins)  = 1 - that, and Wald's identity
    E[length]          = (1 - (E+1) P(incumbent loses)) / (2x - 1)    E at x = 1/2.

These are the supplement's Gambler's Ruin Lemma with its q read as the probability of winning (erratum E1). Written with
expm1 they neither overflow nor cancel, except where (E+1)y is small; there a power series takes over.
"""

import math

from winnerstays.compiling import kernel

SERIES_BELOW = 0.5
OVERFLOW_ABOVE = 700.0


@kernel
def log_odds(x: float) -> float:
    """Return y = ln(x / (1-x)), accurate near x = 1/2."""
    return math.log1p((2.0 * x - 1.0) / (1.0 - x)) if x > 0.5 else -math.log1p((1.0 - 2.0 * x) / x)


@kernel
def loss_probability(x: float, height: int) -> float:
    """Return P(the incumbent loses the iteration), to full relative accuracy even where it is 1e-300."""
    if x >= 1.0:
        return 0.0
    if x <= 0.0:
        return 1.0
    y, n = log_odds(x), height + 1.0
    if y == 0.0:
        return 1.0 / n
    if n * y > OVERFLOW_ABOVE:
        return math.expm1(y) * math.exp(-n * y)
    return math.expm1(y) / math.expm1(n * y)


@kernel
def win_probability(x: float, height: int) -> float:
    """Return P(the incumbent wins the iteration).

    >>> round(win_probability(0.6, 2), 6), win_probability(0.5, 7), win_probability(0.2, 51)
    (0.789474, 0.875, 0.25)
    """
    if 0.0 < x < 0.5:
        y = log_odds(x)
        return math.exp(y) * math.expm1(height * y) / math.expm1((height + 1.0) * y)
    return 1.0 - loss_probability(x, height)


@kernel
def expected_length(x: float, height: int) -> float:
    """Return the expected number of duels in the iteration.

    >>> round(expected_length(0.6, 5), 6), round(expected_length(0.2, 51), 4), expected_length(0.5, 7)
    (3.556391, 63.3333, 7.0)
    """
    if x >= 1.0:
        return 1.0
    if x <= 0.0:
        return float(height)
    y, n = log_odds(x), height + 1.0
    if y == 0.0:
        return float(height)
    if abs(n * y) < SERIES_BELOW:
        return -math.expm1(_series(y, 1.0) - _series(y, n)) / (2.0 * x - 1.0)
    return (1.0 - n * loss_probability(x, height)) / (2.0 * x - 1.0)


@kernel
def _series(y: float, n: float) -> float:
    """Return ln((exp(ny) - 1) / (ny)) for |ny| < 1/2, with a relative error below 1e-13."""
    z = n * y
    s = z * z
    return z / 2.0 + s * (1.0 / 24.0 - s * (1.0 / 2880.0 - s * (1.0 / 181440.0 - s / 9676800.0)))
