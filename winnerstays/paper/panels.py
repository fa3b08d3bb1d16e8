"""The panels of the paper's figures, as data, and how one is run."""

import math
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from winnerstays.algorithms import Algorithm, algorithm
from winnerstays.errors import unknown
from winnerstays.paper import published
from winnerstays.paper.published import Points
from winnerstays.problems import Problem, problem
from winnerstays.progress import progress_bar
from winnerstays.simulation import Curve, simulate
from winnerstays.simulation.experiment import ten_per_decade

SEED = 2017
START = 10
"""The first time that is recorded of a logarithmic picture."""


@dataclass(frozen=True)
class Effort:
    """How much is computed: the most runs, the standard error wanted of every plotted mean, and where to stop."""

    name: str
    runs: int
    precision: float | None
    longest: int


EFFORTS = {
    effort.name: effort
    for effort in (
        Effort("quick", 12, None, 10**5),
        Effort("default", 200_000, 0.03, 10**6),
        Effort("full", 1_000_000, 0.01, 10**6),
    )
}
QUICK_LINE, LINE, SLOW_LINE, MIN_MEANS = 10_000, 1000, 32, 8
"""Runs before the precision is looked at.

A run of Winner Stays that trusts the wrong arm is rare and costs a hundred times the others: with hundreds of runs one
sees none and finds the mean precise, and far too low. So lines get as many as their cost allows; where a run is a mean
over users, as many fewer as there are users, but not below MIN_MEANS, for fewer say nothing about their spread.
"""
MIN_RUNS = {
    **dict.fromkeys(("ws-w", "ws-s", "btw"), QUICK_LINE),
    **dict.fromkeys(("sparring", "multisbm", "versatile", "qsa"), SLOW_LINE),
}


@dataclass(frozen=True)
class Panel:
    """One picture of the paper: a problem, a regret, the paper's lines and others."""

    name: str
    figure: str
    title: str
    problem: str
    regret: str
    lines: tuple[Algorithm, ...]
    not_in_paper: tuple[Algorithm, ...] = ()
    horizon: int = 10**6
    first: int = START
    """Where the paper's logarithmic picture begins."""
    logarithmic: bool = True
    published: dict[str, Points] = field(default_factory=dict)
    scale: str = ""
    """What was done to the figure's values so that they can be compared."""

    def times(self, horizon: int) -> list[int]:
        """Return the recorded times; those from `first` on are plotted."""
        if not self.logarithmic:
            return list(range(50, horizon + 1, 50))
        return [t for t in ten_per_decade(horizon).tolist() if t >= START]

    @property
    def recorded(self) -> tuple[str, ...]:
        """Return both forms of regret, so that the panel of the one finds the runs of the other in the cache."""
        kind = self.regret.split("-")[0]
        return f"{kind}-binary", f"{kind}-utility"


@dataclass(frozen=True)
class Result:
    """A panel that was run."""

    panel: Panel
    curves: list[Curve]
    n_arms: int
    note: str = ""
    """What a reader must know of the data."""
    generated: bool = False
    """Whether the data stand in for some that are not here."""
    precision: float | None = None
    """The standard error that was asked of every plotted mean, as a fraction of it."""

    @property
    def published(self) -> dict[str, Points]:
        """Return the values of the paper's figure that these data can be compared with."""
        return {} if self.generated else self.panel.published

    def curve(self, label: str) -> Curve:
        return next(curve for curve in self.curves if curve.label == label)

    @property
    def horizon(self) -> int:
        return int(self.curves[0].t[-1])

    @property
    def missed(self) -> list[Curve]:
        """Return the lines that are less precise than asked after the most runs allowed."""
        return [curve for curve in self.curves if self.precision and curve.relative_error.max() > self.precision]


def _named(*names: str) -> tuple[Algorithm, ...]:
    return tuple(algorithm(name) for name in names)


def _strong(problem: str, title: str, utility_figure: str, binary_figure: str) -> list[Panel]:
    lines = _named("ws-s", "rmed1", "rmed2", "rucb", "sparring", "multisbm", "if2", "btm")
    others = _named("dts", "rcs", "versatile")
    average = published.STRONG_AVERAGE[problem]
    doubled = {label: {t: 2 * value for t, value in points.items()} for label, points in average.items()}
    scale = "doubled, because the figure shows half the regret as defined (erratum F1)"
    if problem == "cyclic":
        scale += "; ws-s as it stands"
    utility, binary = f"{title}: utility-based strong regret", f"{title}: binary strong regret"
    return [
        Panel(
            f"{problem}-utility", utility_figure, utility, problem, "strong-utility", lines, others,
            published=doubled, scale=scale,
        ),
        Panel(
            f"{problem}-binary", binary_figure, binary, problem, "strong-binary", lines, others,
            first=100, published=published.STRONG_BINARY[problem],
        ),
    ]  # fmt: skip


def _sensitivity() -> Panel:
    betas = tuple(algorithm("ws-s", beta=beta) for beta in (1.01, 1.05, 1.1, 1.2, 1.5))
    title = "MSLR: sensitivity to beta, utility-based strong regret"
    return Panel(
        "beta-sensitivity", "Supplement, Figure 4", title, "mslr", "strong-utility", (*betas, *_named("rmed1", "rucb"))
    )


def _weak(name: str, figure: str, title: str, problem: str, regret: str, points: dict[str, Points]) -> Panel:
    lines, others = _named("ws-w", "rucb", "qsa"), _named("btw", "dts", "versatile")
    return Panel(name, figure, title, problem, regret, lines, others, 4000, logarithmic=False, published=points)


YELP = "yelp"
QUICK_USERS = 10
"""In a quick look at the Yelp panel."""


def panels() -> dict[str, Panel]:
    """Return all panels by name, in the paper's order."""
    all_panels = [
        _weak(
            "fifty-weak",
            "Figure 2a",
            "50 arms, p = 0.8: binary weak regret",
            "fifty",
            "weak-binary",
            published.FIFTY_WEAK,
        ),
        _weak("yelp-weak", "Figure 2b", "Yelp: utility-based weak regret", YELP, "weak-utility", published.YELP_WEAK),
        *_strong("sushi", "Sushi, 16 arms", "Figure 3a", "Figure 3b"),
        *_strong("mslr", "MSLR, 5 arms", "Figure 3c", "Figure 3d"),
        *_strong("cyclic", "Cyclic, 4 arms", "Supplement, Figure 3a", "Supplement, Figure 3b"),
        _sensitivity(),
    ]
    return {panel.name: panel for panel in all_panels}


def find_panel(name: str) -> Panel:
    known = panels()
    if name not in known:
        raise unknown("panel", name, known)
    return known[name]


def run_panel(
    panel: Panel,
    effort: Effort,
    *,
    seed: int = SEED,
    cache: Path | None = None,
    cluster: str | None = None,
    yelp: Path | None = None,
    city: str = "Las Vegas",
    progress: bool = False,
) -> Result:
    """Simulate a panel, or take from the cache what was simulated before."""
    if panel.problem == YELP:
        problems, note, generated = _users(yelp, city, effort, progress)
    else:
        problems, note, generated = [problem(panel.problem)], "", False
    horizon, chosen = min(panel.horizon, effort.longest), (*panel.lines, *panel.not_in_paper)
    asked = {
        "horizon": horizon,
        "times": panel.times(horizon),
        "seed": seed,
        "runs": means(effort.runs, len(problems), 2),
        "precision": effort.precision,
        "precision_regrets": [panel.regret],
        "min_runs": {one.name: means(MIN_RUNS.get(one.name, LINE), len(problems), MIN_MEANS) for one in chosen},
        "regrets": panel.recorded,
        "cache": cache,
        "progress": progress,
    }
    curves: dict[str, Curve] = {}
    for compiled in (True, False):
        lines = [one for one in chosen if one.compiled == compiled]
        if lines:
            # plain Python holds the interpreter's lock, so that threads gain nothing
            where = cluster or (None if compiled else "processes")
            result = simulate(problems, lines, cluster=where, **asked)  # type: ignore[arg-type]
            if result.interrupted:  # what is finished is in the cache; the next call goes on from there
                raise KeyboardInterrupt
            curves |= {curve.label: plotted(panel, curve) for curve in result.of_regret(panel.regret)}
    ordered = [curves[one.label] for one in chosen]
    return Result(panel, ordered, problems[0].n_arms, note, generated, effort.precision)


def _users(folder: Path | None, city: str, effort: Effort, progress: bool) -> tuple[list[Problem], str, bool]:
    """Return a problem for each user, what a reader must know of them, and whether they are made up."""
    from winnerstays.problems.yelp import yelp_problems

    with progress_bar(progress) as show:
        data = yelp_problems(folder, city=city, progress=show)
    users = data.problems if effort.precision else data.problems[:QUICK_USERS]
    return users, f"{data.source}: {len(users)} users, {users[0].n_arms} restaurants", data.generated


def means(runs: int, problems: int, at_least: int) -> int:
    """Return how many means over problems take this many runs, or `at_least`; with one problem, the runs."""
    return runs if problems == 1 else max(at_least, math.ceil(runs / problems))


def plotted(panel: Panel, curve: Curve) -> Curve:
    """Copy what the panel shows of a curve, so that the other regret's numbers need not be kept."""
    start = int(np.searchsorted(curve.t, panel.first))
    return replace(curve, t=curve.t[start:], values=curve.values[:, start:].copy())
