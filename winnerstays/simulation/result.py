"""What a simulation found: curves with their uncertainty, and the ways to take them elsewhere."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.parameters import Value
from winnerstays.errors import WinnerstaysError, missing_extra, unknown
from winnerstays.files import write_whole
from winnerstays.problems.problem import Floats, Problem
from winnerstays.simulation.regret import REGRETS

if TYPE_CHECKING:
    import polars
    from matplotlib.figure import Figure

QUANTILES = (0.1, 0.5, 0.9)
PICTURES = (".png", ".svg", ".pdf")


def check_picture(path: Path) -> None:
    if path.suffix.lower() not in PICTURES:
        raise WinnerstaysError(f"{path}: a picture is written as {', '.join(PICTURES[:-1])} or {PICTURES[-1]}.")


def standard_error(values: Floats) -> Floats:
    """Of the mean over runs (the first axis); not a number with fewer than 2."""
    if len(values) < 2:
        return np.full(values.shape[1:], math.nan)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))


def relative_error(values: Floats) -> Floats:
    """The standard error of the mean over runs (the first axis) as a fraction of the mean; infinite if not known.

    >>> relative_error(np.array([[1.0, 0.0], [3.0, 0.0]])), relative_error(np.array([[1.0]]))
    (array([0.5, 0. ]), array([inf]))
    """
    if len(values) < 2:
        return np.full(values.shape[1:], math.inf)
    mean, error = values.mean(axis=0), standard_error(values)
    unknown_or_none = np.where(error > 0, math.inf, 0.0)
    return np.asarray(np.divide(error, mean, out=unknown_or_none, where=mean > 0))


@dataclass(frozen=True)
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
        """Standard error of the mean; not a number with fewer than 2 runs."""
        return standard_error(self.values)

    @cached_property
    def relative_error(self) -> Floats:
        """Standard error as a fraction of the mean; infinite with fewer than 2 runs."""
        return relative_error(self.values)

    def quantile(self, q: float) -> Floats:
        """The q-quantile over runs at each time."""
        if not isinstance(q, int | float) or not 0 <= q <= 1:
            raise WinnerstaysError(f"The quantile is {q!r}, but it must be a number from 0 to 1.")
        return np.quantile(self.values, q, axis=0)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; a standard error that is not known is None."""
        return {
            "algorithm": self.algorithm,
            "params": self.params,
            "regret": self.regret,
            "runs": self.runs,
            "t": self.t.tolist(),
            "mean": self.mean.tolist(),
            "sem": [None if math.isnan(value) else value for value in self.sem.tolist()],
        }


def frame_of(owner: str, *owned: "tuple[str, Sequence[Curve]]") -> "polars.DataFrame":
    """A long table of curves, one row for each curve and time; the column `owner` says whose a curve is."""
    try:
        import polars
    except ImportError:
        raise missing_extra("A data frame", "tables") from None
    return polars.concat(
        polars.DataFrame(
            {
                owner: name,
                "algorithm": curve.algorithm,
                "label": curve.label,
                "regret": curve.regret,
                "runs": curve.runs,
                "t": curve.t,
                "mean": curve.mean,
                "sem": curve.sem,
                **{f"q{round(100 * q)}": curve.quantile(q) for q in QUANTILES},
            }
        )
        for name, curves in owned
        for curve in curves
    )


@dataclass(frozen=True, eq=False)
class Simulation:
    """The result of `simulate`: one curve for each algorithm and each regret."""

    problem: Problem
    algorithms: list[Algorithm]
    horizon: int
    seed: int
    times: Ints
    records: list[Floats] = field(repr=False)
    """For each algorithm an array of runs x times x regrets."""
    interrupted: bool = False
    regrets: tuple[str, ...] = REGRETS
    others: tuple[Problem, ...] = ()
    """Further problems; the curves are then means over all of them."""

    @property
    def name(self) -> str:
        return self.problem.name + (f" and {len(self.others)} more" if self.others else "")

    @property
    def runs(self) -> int:
        """Complete runs of the algorithm that has most."""
        return max(len(record) for record in self.records)

    @cached_property
    def curves(self) -> list[Curve]:
        pairs = [pair for pair in zip(self.algorithms, self.records, strict=True) if len(pair[1])]
        return [
            Curve(one.name, one.label, one.settings, regret, self.times, record[:, :, k])
            for one, record in pairs
            for k, regret in enumerate(self.regrets)
        ]

    def of_regret(self, regret: str) -> list[Curve]:
        """One curve for each algorithm."""
        if regret not in self.regrets:
            raise unknown("regret", regret, self.regrets)
        return [curve for curve in self.curves if curve.regret == regret]

    def curve(self, label: str, regret: str) -> Curve:
        """The curve of one algorithm, named as `ws-w`, or `ws-s beta=1.2` where parameters were set."""
        found = {curve.label: curve for curve in self.of_regret(regret)}
        if label not in found:
            raise unknown("curve of", label, found)
        return found[label]

    def to_dict(self, regret: str | None = None) -> dict[str, Any]:
        """Plain data: the experiment and its curves (all of them, or those of one regret)."""
        curves = self.curves if regret is None else self.of_regret(regret)
        return {
            "problem": self.name,
            "n_arms": self.problem.n_arms,
            "horizon": self.horizon,
            "runs": self.runs,
            "seed": self.seed,
            "version": version("winnerstays"),
            "interrupted": self.interrupted,
            "curves": [
                {**curve.to_dict(), "quantiles": {str(q): curve.quantile(q).tolist() for q in QUANTILES}}
                for curve in curves
            ],
        }

    def to_json(self, path: str | Path | None = None, *, regret: str | None = None, force: bool = False) -> str:
        """The same as text, also written to `path` if one is given."""
        text = json.dumps(self.to_dict(regret), indent=1)
        if path is not None:
            write_whole(path, lambda draft: draft.write_text(text + "\n", encoding="utf-8"), force=force)
        return text

    def to_frame(self) -> "polars.DataFrame":
        """A long table: one row for each curve and time."""
        return frame_of("problem", (self.name, self.curves)).with_columns(interrupted=self.interrupted)

    def to_parquet(self, path: str | Path, *, force: bool = False) -> Path:
        """`to_frame` as a Parquet file."""
        frame = self.to_frame()
        return write_whole(path, lambda draft: frame.write_parquet(draft), force=force)

    def plot(self, path: str | Path | None = None, *, regret: str = "weak-binary", force: bool = False) -> "Figure":
        """A picture of one regret, also written to `path` (.png, .svg, .pdf) if one is given."""
        from winnerstays.simulation.plot import draw

        title = f"{self.name}: {self.problem.n_arms} arms, {self.runs} runs (bands: ± 2 standard errors)"
        title += ", interrupted" if self.interrupted else ""
        figure = draw(self.of_regret(regret), title=title, logarithmic=self.horizon > 20_000)
        if path is not None:
            check_picture(Path(path))
            write_whole(path, lambda draft: figure.savefig(draft, dpi=160), force=force)
        return figure
