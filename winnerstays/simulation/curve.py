"""The regret of one algorithm over time, with its uncertainty."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms.parameters import Value
from winnerstays.errors import WinnerstaysError, extra
from winnerstays.wording import counted

if TYPE_CHECKING:
    import polars

QUANTILES = (0.1, 0.5, 0.9)
NORMAL_95 = NormalDist().inv_cdf(0.975)


def figure(value: float) -> str:
    """Format a number with three significant digits, never with an exponent; NaN becomes a dash.

    >>> figure(4980.4), figure(999.7), figure(125.01), figure(0.05237), figure(math.nan)
    ('4,980', '1,000', '125', '0.0524', '-')
    """
    return "-" if math.isnan(value) else f"{value:,.0f}" if value >= 99.95 else f"{value:.3g}"


def standard_error(values: Floats) -> Floats:
    """Return the standard error of the mean over runs (the first axis); NaN with fewer than 2 runs."""
    if len(values) < 2:
        return np.full(values.shape[1:], math.nan)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))


def relative_error(values: Floats) -> Floats:
    """Return the standard error over runs (the first axis) as a fraction of the mean; infinite if it is unknown.

    >>> relative_error(np.array([[1.0, 0.0], [3.0, 0.0]])), relative_error(np.array([[1.0]]))
    (array([0.5, 0. ]), array([inf]))
    """
    if len(values) < 2:
        return np.full(values.shape[1:], math.inf)
    mean, error = values.mean(axis=0), standard_error(values)
    unknown_or_none = np.where(error > 0, math.inf, 0.0)
    return np.asarray(np.divide(error, mean, out=unknown_or_none, where=mean > 0))


def skewness(values: Floats) -> Floats:
    """Return the skewness of values over runs (the first axis); 0 if they are all equal.

    >>> skewness(np.array([[1.0, 5.0], [1.0, 5.0], [1.0, 5.0], [5.0, 5.0]])).round(3)
    array([1.155, 0.   ])
    """
    away = values - values.mean(axis=0)
    squares = away * away
    spread = np.asarray(squares.mean(axis=0))
    steep = np.asarray((squares * away).mean(axis=0))
    return np.asarray(np.divide(steep, spread**1.5, out=np.zeros_like(spread), where=spread > 0))


@dataclass(frozen=True, repr=False)
class Curve:
    """Cumulative regret of one algorithm over time: `values[run, time]`, and its mean with standard error."""

    algorithm: str
    label: str
    params: dict[str, Value]
    regret: str
    t: Ints
    values: Floats = field(repr=False)

    @property
    def runs(self) -> int:
        return len(self.values)

    @cached_property
    def mean(self) -> Floats:
        return np.asarray(self.values.mean(axis=0))

    @cached_property
    def sem(self) -> Floats:
        """Standard error of the mean; NaN with fewer than 2 runs."""
        return standard_error(self.values)

    @cached_property
    def relative_error(self) -> Floats:
        """Standard error as a fraction of the mean; infinite with fewer than 2 runs."""
        return relative_error(self.values)

    @property
    def at_the_end(self) -> str:
        """The last mean and its standard error, as text."""
        error = "" if math.isnan(self.sem[-1]) else f" ± {figure(self.sem[-1])}"
        return f"{figure(self.mean[-1])}{error}"

    def __repr__(self) -> str:
        runs = counted(self.runs, "run")
        return f"<Curve of {self.label}: {self.regret} regret {self.at_the_end} at t={self.t[-1]}, {runs}>"

    def quantile(self, q: float) -> Floats:
        """The q-quantile over runs at each time."""
        if not isinstance(q, int | float) or not 0 <= q <= 1:
            raise WinnerstaysError(f"The quantile is {q!r}, but it must be a number from 0 to 1.")
        return np.quantile(self.values, q, axis=0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; an unknown standard error is None."""
        return {
            "algorithm": self.algorithm,
            "params": self.params,
            "regret": self.regret,
            "runs": self.runs,
            "t": self.t.tolist(),
            "mean": self.mean.tolist(),
            "sem": [None if math.isnan(value) else value for value in self.sem.tolist()],
        }


def frame_of(problem: str, curves: "Sequence[Curve]", *, runs: bool = False) -> "polars.DataFrame":
    """Return a long table of the curves on a problem, one row for each curve and time, or for each run of them."""
    with extra("A data frame", "tables"):
        import polars
    if runs:
        return polars.concat(
            polars.DataFrame(
                {
                    "problem": problem,
                    "algorithm": curve.algorithm,
                    "label": curve.label,
                    "regret": curve.regret,
                    "run": np.repeat(np.arange(curve.runs), curve.t.size),
                    "t": np.tile(curve.t, curve.runs),
                    "value": curve.values.ravel(),
                }
            )
            for curve in curves
        )
    return polars.concat(
        polars.DataFrame(
            {
                "problem": problem,
                "algorithm": curve.algorithm,
                "label": curve.label,
                "regret": curve.regret,
                "params": json.dumps(curve.params),
                "runs": curve.runs,
                "t": curve.t,
                "mean": curve.mean,
                "sem": curve.sem,
                "low": curve.mean - NORMAL_95 * curve.sem,
                "high": curve.mean + NORMAL_95 * curve.sem,
                **{f"q{round(100 * q)}": curve.quantile(q) for q in QUANTILES},
            }
        )
        for curve in curves
    )
