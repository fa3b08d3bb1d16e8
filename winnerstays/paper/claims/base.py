"""A claim: the paper's words, where they stand, and a verdict computed from what was measured.

A difference counts if it is larger than 3 combined standard errors; anything smaller is not decided.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from winnerstays.paper.panels import Result
from winnerstays.simulation import Curve

CLEAR = 3.0
HOLDS, CONSISTENT, PARTLY, FAILS, OPEN = (
    "holds", "not contradicted", "holds in part", "does not hold", "cannot be decided",
)  # fmt: skip
KINDS = (HOLDS, CONSISTENT, PARTLY, FAILS, OPEN)
Results = dict[str, Result]
"""The panels that were run, by name."""


@dataclass(frozen=True)
class Verdict:
    """`kind` is one of KINDS; `text` says it more exactly where that is possible."""

    kind: str
    measured: str
    text: str = ""

    @property
    def words(self) -> str:
        return self.text or self.kind


Judge = Callable[[Results], Verdict]


@dataclass(frozen=True)
class Claim:
    """What a sentence of the paper, or a part of it, says; `winnerstays research paper NAME` judges it alone.

    All but the judge is written in claims.toml, which says what each field holds.
    """

    name: str
    place: str
    quote: str
    says: str
    judge: Judge
    panels: tuple[str, ...] = ()
    universal: bool = False


def yes(holds: bool, measured: str) -> Verdict:
    return Verdict(HOLDS if holds else FAILS, measured)


def show(value: float, error: float = 0.0) -> str:
    """Write a number as everywhere in the report: four digits, no powers of ten below 10^15.

    >>> show(17213.6, 419.2), show(0.58021), show(8.479e10)
    ('17,210 ± 420', '0.5802', '84,790,000,000')
    """
    return _digits(value, 4) + (f" ± {_digits(error, 2)}" if error and not math.isnan(error) else "")


def _digits(value: float, digits: int) -> str:
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    if not -12 < places < 10:
        return f"{value:.{digits - 1}e}"
    return f"{round(value, places):,.{max(0, places)}f}"


def at(curve: Curve, t: int) -> tuple[float, float]:
    """Return mean and standard error at the recorded time nearest to t."""
    k = int(abs(curve.t - t).argmin())
    return float(curve.mean[k]), float(curve.sem[k])


def compare(mine: Curve, other: Curve, t: int) -> int:
    """Return 1 if mine is clearly lower at t, -1 if clearly higher, 0 if that cannot be told."""
    (low, low_error), (high, high_error) = at(mine, t), at(other, t)
    away = high - low
    return 0 if abs(away) <= CLEAR * math.hypot(low_error, high_error) else 1 if away > 0 else -1
