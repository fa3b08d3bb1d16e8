"""The result of a simulation: its curves, as tables, pictures and files."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnerstays._types import Floats, Ints
from winnerstays.algorithms.base import Algorithm
from winnerstays.errors import WinnerstaysError, check_extra, unknown
from winnerstays.files import CURVES, PICTURE, TABLE, as_json, check_ending, write_whole
from winnerstays.problems import Problem
from winnerstays.regret_names import ALL_REGRETS, REGRETS, check_regret_name
from winnerstays.simulation.curve import NORMAL_95, QUANTILES, Curve, frame_of, standard_error
from winnerstays.simulation.regret import check_defined
from winnerstays.wording import counted

if TYPE_CHECKING:
    import polars
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Difference:
    """How much more regret the first of two algorithms has than the second."""

    first: str
    second: str
    regret: str
    t: int
    mean: float
    sem: float
    runs: int
    paired: bool

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean difference."""
        return self.mean - NORMAL_95 * self.sem, self.mean + NORMAL_95 * self.sem

    def __repr__(self) -> str:
        low, high = self.interval
        how = f"{counted(self.runs, 'run')}{', paired' if self.paired else ''}"
        return (
            f"<{self.first} - {self.second}: {self.regret} regret {self.mean:.3g} ± {self.sem:.2g} "
            f"(95 %: {low:.3g} to {high:.3g}) at t={self.t}, {how}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """The result of `simulate`: one curve for each algorithm and each regret.

    >>> from winnerstays import simulate
    >>> simulate("mslr", ["ws-w", "ws-s"], horizon=1000, runs=20, seed=1)
    <Simulation of mslr: 5 arms, horizon 1000, 20 runs, seed 1; cumulative weak-binary regret at the end:
      ws-w  65.2 ± 17.2
      ws-s  76.2 ± 20.5>

    `save` keeps it and `Simulation.load` reads it again. A notebook shows it as a table and a picture.
    """

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
    warnings: tuple[str, ...] = ()
    """What a reader must know about the numbers, such as that a precision was not reached."""
    paired: bool = False
    """Whether the algorithms shared the outcomes of their duels."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The warnings, and the algorithms whose guarantee does not apply because no arm beats all others."""
        without_winner = any(problem.best_arm is None for problem in (self.problem, *self.others))
        if not without_winner:
            return self.warnings
        names = dict.fromkeys(each.name for each in self.algorithms if each.facts.winner == "condorcet")
        return (*self.warnings, *([f"{', '.join(names)}: no guarantee without a Condorcet winner"] if names else []))

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
            Curve(algorithm.name, algorithm.label, algorithm.settings, regret, self.times, record[:, :, k])
            for algorithm, record in pairs
            for k, regret in enumerate(self.regrets)
        ]

    def of_regret(self, regret: str) -> list[Curve]:
        """One curve for each algorithm."""
        if regret in ALL_REGRETS and regret not in self.regrets:
            for problem in (self.problem, *self.others):
                check_defined(problem, [regret])
            recorded = ", ".join(self.regrets)
            raise WinnerstaysError(
                f"{regret} regret was not recorded, but {recorded}; simulate with regrets={[*self.regrets, regret]}."
            )
        check_regret_name(regret, self.regrets)
        return [curve for curve in self.curves if curve.regret == regret]

    def curve(self, label: str, regret: str | None = None) -> Curve:
        """Return the curve of one algorithm by its label: `ws-w`, or `ws-s beta=1.2` if parameters were set.

        The default is the first recorded regret.
        """
        curves = {curve.label: curve for curve in self.of_regret(regret or self.regrets[0])}
        if label not in curves:
            raise unknown("curve of", label, curves)
        return curves[label]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the experiment and its curves."""
        return {
            "problem": self.name,
            "n_arms": self.problem.n_arms,
            "horizon": self.horizon,
            "runs": self.runs,
            "seed": self.seed,
            "version": version("winnerstays"),
            "interrupted": self.interrupted,
            "warnings": list(self.warnings),
            "curves": [
                {**curve.to_dict(), "quantiles": {str(q): curve.quantile(q).tolist() for q in QUANTILES}}
                for curve in self.curves
            ],
        }

    def to_json(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """Return the result as JSON text, and write it to `path` if given."""
        return as_json(self.to_dict(), None if path is None else check_ending(path, *CURVES), force=force)

    def compare(self, first: str, second: str, regret: str | None = None, t: int | None = None) -> Difference:
        """Compare two algorithms by the difference of their regret, run by run, with a 95 % interval.

        The default is the first recorded regret at the last time.

        >>> from winnerstays import simulate
        >>> result = simulate("mslr", ["ws-w", "ws-root"], horizon=1000, runs=200, seed=1, paired=True)
        >>> result.compare("ws-w", "ws-root")
        <ws-w - ws-root: weak-binary regret 3.98 ± 4.6 (95 %: -4.97 to 12.9) at t=1000, 200 runs, paired>
        """
        one, other = self.curve(first, regret), self.curve(second, regret)
        at = [*one.t.tolist()].index(t) if t is not None and t in one.t else -1
        if t is not None and t not in one.t:
            raise WinnerstaysError(f"t is {t!r}, but it must be a recorded time: {', '.join(map(str, one.t))}.")
        runs = min(one.runs, other.runs)
        away = one.values[:runs, at] - other.values[:runs, at]
        sem = float(standard_error(away[:, None])[0])
        return Difference(first, second, one.regret, int(one.t[at]), float(away.mean()), sem, runs, self.paired)

    def to_frame(self, *, runs: bool = False) -> "polars.DataFrame":
        """Return a table with one row per curve and time: mean, 95 % interval, quantiles, seed, runs and parameters.

        With `runs=True` it has a row for each run instead, with the value. `to_pandas()` returns the same for pandas.
        """
        frame = frame_of(self.name, self.curves, runs=runs)
        return frame.with_columns(horizon=self.horizon, seed=self.seed, interrupted=self.interrupted)

    def to_pandas(self, *, runs: bool = False) -> Any:
        """`to_frame` as a DataFrame of pandas."""
        check_extra("to_pandas", "pandas", "tables")
        return self.to_frame(runs=runs).to_pandas()

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Save every run and the problem in one file (.npz)."""
        from winnerstays.simulation import archive

        return archive.save(self, path, force=force)

    @classmethod
    def load(cls, path: str | Path) -> "Simulation":
        """Load a saved simulation. Its algorithms must be registered in this process."""
        from winnerstays.simulation import archive

        return cls(**archive.load(path))

    @property
    def _title(self) -> str:
        arms, runs = f"{self.problem.n_arms} arms", counted(self.runs, "run")
        about = f"{self.name}: {arms}, horizon {self.horizon}, {runs}, seed {self.seed}"
        return about + (", interrupted" if self.interrupted else "")

    def __repr__(self) -> str:
        regret = self.regrets[0]
        curves = sorted(self.of_regret(regret), key=lambda curve: float(curve.mean[-1]))
        width = max(len(curve.label) for curve in curves)
        rows = "".join(f"\n  {curve.label:<{width}}  {curve.at_the_end}" for curve in curves)
        notes = "".join(f"\n{note}" for note in self.notes)
        return f"<Simulation of {self._title}; cumulative {regret} regret at the end:{rows}{notes}>"

    def _repr_html_(self) -> str:
        """A table and a picture, for notebooks."""
        labels = list(dict.fromkeys(curve.label for curve in self.curves))
        head = "".join(f"<th>{regret}</th>" for regret in self.regrets)
        rows = "".join(
            f"<tr><th>{escape(label)}</th>"
            + "".join(
                f'<td style="text-align: right">{self.curve(label, regret).at_the_end}</td>' for regret in self.regrets
            )
            + "</tr>"
            for label in labels
        )
        picture = io.StringIO()
        self.plot(regret=self.regrets[0]).savefig(picture, format="svg")
        drawn = picture.getvalue()
        title = f"{escape(self._title)}; cumulative regret at the end, mean ± standard error"
        table = f"<table><caption>{title}</caption><tr><th></th>{head}</tr>{rows}</table>"
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<div>{table}{notes}{drawn[drawn.index('<svg') :]}</div>"

    def to_parquet(self, path: str | Path, *, force: bool = False) -> Path:
        """`to_frame` as a Parquet file."""
        frame, path = self.to_frame(), check_ending(path, *TABLE)
        return write_whole(path, lambda draft: frame.write_parquet(draft), force=force)

    def to_csv(self, path: str | Path, *, force: bool = False) -> Path:
        """`to_frame` as a CSV file."""
        frame, path = self.to_frame(), check_ending(path, ".csv", "a table is written")
        return write_whole(path, lambda draft: frame.write_csv(draft), force=force)

    def plot(
        self,
        path: str | Path | None = None,
        *,
        regret: str | Sequence[str] | None = None,
        ax: "Axes | None" = None,
        force: bool = False,
    ) -> "Figure":
        """Draw one regret, by default the first recorded, or several side by side.

        Write the figure to `path` (.png, .svg, .pdf) if given. `ax` names the axes to draw one regret on.
        """
        from winnerstays.simulation.plot import draw

        title = f"{self.name}: {self.problem.n_arms} arms, {counted(self.runs, 'run')} (bands: ± 2 standard errors)"
        title += ", interrupted" if self.interrupted else ""
        names = [regret or self.regrets[0]] if regret is None or isinstance(regret, str) else list(regret)
        if not names or (ax is not None and len(names) > 1):
            raise WinnerstaysError(f"regret is {names}; name at least one regret, and only one to draw on ax.")
        figure = draw(*(self.of_regret(name) for name in names), title=title, ax=ax)
        if path is not None:
            write_whole(check_ending(path, *PICTURE), lambda draft: figure.savefig(draft, dpi=160), force=force)
        return figure
