"""Evidence from answers that need not be wins and losses, and from examples drawn without replacement.

Against the hypothesis that the mean of values in [0, 1] is at most `null`, a bettor puts a part g of the money on each
next value: it becomes 1 + g (value - mean) / mean times as much, where `mean` is what the next value is expected to be
at most. The money is a supermartingale that starts at 1; so is its average over g in (0, 1). For values 0 and 1 that is
the test of winnerstays/evidence.py, with a sum in place of the integral (Waudby-Smith & Ramdas 2024, sections 4 and 5).
"""

import math

import numpy as np

from winnerstays._types import Floats
from winnerstays.compiling import entry
from winnerstays.evidence import log_evidence
from winnerstays.picking.procedure import CERTAIN

PARTS = 64
"""How many parts g are tried at once."""


@entry
def bet_on(money: Floats, value: float, mean: float) -> float:
    """Bet on a value, given what it is expected to be at most; return the logarithm of the average money."""
    top = -math.inf
    for k in range(money.size):
        money[k] += math.log1p((k + 0.5) / money.size * (value - mean) / mean)
        top = max(top, money[k])
    total = 0.0
    for k in range(money.size):
        total += math.exp(money[k] - top)
    return top + math.log(total / money.size)


class Answers:
    """Independent answers: log e that the mean of those with a preference is above `null`."""

    def __init__(self, null: float = 0.5) -> None:
        self._null = null
        self._won = self._lost = 0
        self._money: Floats | None = None
        """Of a bettor who began when the first answer came that was neither a win nor a loss."""
        self._log_e = self._log_before = 0.0

    def tell(self, value: float, *, bet: bool = True, weight: int = 1) -> float:
        """Learn an answer and return log e. 1 is a win, 0 a loss; 1/2 says nothing, and others lie between."""
        if not bet or value == 0.5:
            return self._log_e
        if self._money is None and value in (0.0, 1.0):
            self._won, self._lost = self._won + (value == 1.0), self._lost + (value == 0.0)
            self._log_e = float(log_evidence(self._won, self._lost, self._null))
            return self._log_e
        if self._money is None:  # one bettor for all answers: bets on wins alone would not see what the others say
            parts = (np.arange(PARTS) + 0.5) / PARTS
            gain = np.log1p(parts * (1 - self._null) / self._null)
            self._money = self._won * gain + self._lost * np.log1p(-parts)
            self._log_before = self._log_e - float(np.logaddexp.reduce(self._money) - math.log(PARTS))
        self._log_e = self._log_before + float(bet_on(self._money, value, self._null))
        return self._log_e


class Draws:
    """Answers drawn without replacement from `size` given ones: log e that the mean of all is above `null`."""

    def __init__(self, size: int, null: float = 0.5) -> None:
        self._size, self._null = size, null
        self._drawn, self._total = 0, 0.0
        self._money = np.zeros(PARTS)
        self._log_e = 0.0

    def tell(self, value: float, *, bet: bool = True, weight: int = 1) -> float:
        """Learn the mean of so many answers and return log e, CERTAIN if the others cannot change it any more."""
        mean = (self._size * self._null - self._total) / (self._size - self._drawn)
        self._drawn += weight
        self._total += weight * value
        if self._total > self._size * self._null + 1e-9:
            return CERTAIN
        if bet and 0.0 < mean < 1.0:
            self._log_e = float(bet_on(self._money, value, mean))
        return self._log_e
