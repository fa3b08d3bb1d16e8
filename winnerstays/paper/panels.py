"""The panels of the paper's figures, as data, and how one is run."""

import math
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from winnerstays.algorithms import Algorithm, algorithm
from winnerstays.paper import published
from winnerstays.paper.published import Points
from winnerstays.problems import Problem, problem
from winnerstays.progress import progress_bar
from winnerstays.simulation import Curve, simulate
from winnerstays.simulation.curve import skewness
from winnerstays.simulation.experiment import ten_per_decade

SEED = 2017
START = 10
"""The first time that is recorded of a logarithmic picture."""


@dataclass(frozen=True)
class Effort:
    """How much is computed: the most runs, the standard errors wanted of plotted means, and where to stop."""

    name: str
    runs: int
    """The most of a line of Winner Stays, whose runs cost microseconds."""
    runs_of_rivals: int
    """The most of any other line, or three times the most of a slow one."""
    precision: float
    """Of the paper's lines."""
    precision_of_others: float
    """Of lines that are not in the paper, on which hardly a claim rests."""
    users: int | None
    """The most where users are generated; None: all. Of real ones all are simulated."""
    longest: int = 10**6
    what: str = ""


EFFORTS = {
    effort.name: effort
    for effort in (
        Effort("quick", 40_000, 96, 0.05, 0.1, 4, what="a quick run, with standard errors of about 5 %"),
        Effort("default", 200_000, 300, 0.03, 0.06, 15, what="a default run, with standard errors of about 3 %"),
        Effort("full", 4_000_000, 40_000, 0.01, 0.02, None, what="a full run, with standard errors of about 1 %"),
    )
}
WINNER_STAYS, SLOW = ("ws-w", "ws-s"), ("qsa", "versatile")
WINNER_STAYS_PRECISION = 0.03
"""At most, whatever the effort: runs of these cost microseconds, and every claim compares with them."""
CLOSE = {
    "sushi": {"dts": 0.02}, "mslr": {"dts": 0.01}, "cyclic": {"dts": 0.01, "rmed1": 0.004, "ws-s": 0.004},
}  # fmt: skip
"""The precision of lines that are close to another one, by problem: with less a verdict stays open."""
EXPENSIVE = 10
"""A standard error that fewer runs than these make most of is not trusted; `simulate` adds runs until there are 200."""
MIN_MEANS = 8
"""Where a run is a mean over users; fewer say nothing about their spread."""


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

    @property
    def cost(self) -> float:
        """About how long the panel takes in comparison with others; a binary one finds the runs of the other."""
        if self.regret == "strong-binary":
            return 1.0
        return {"sushi": 6.0, "mslr": 5.0, "cyclic": 4.0, YELP: 8.0}.get(self.problem, 3.0) * (
            0.4 if self.name == "beta-sensitivity" else 1.0
        )

    def times(self, horizon: int) -> list[int]:
        """Return the recorded times; those from `first` on are plotted."""
        if not self.logarithmic:
            return list(range(20, horizon + 1, 20))
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
    precision: dict[str, float] = field(default_factory=dict)
    """The standard error that was asked of each line's plotted means, as a fraction of them."""

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
        return [
            curve for curve in self.curves if curve.relative_error.max() > self.precision.get(curve.label, math.inf)
        ]

    @property
    def rare(self) -> list[Curve]:
        """Return the lines whose last error rests on too few expensive runs to be trusted: it is then too small."""
        ends = [(curve, float(skewness(curve.values[:, -1]))) for curve in self.curves]
        return [curve for curve, steep in ends if steep > 0 and steep**2 * EXPENSIVE > curve.runs]


def _named(*names: str) -> tuple[Algorithm, ...]:
    return tuple(algorithm(name) for name in names)


def _strong(problem: str, title: str, utility_figure: str, binary_figure: str) -> list[Panel]:
    lines = _named("ws-s", "rmed1", "rmed2", "rucb", "sparring", "multisbm", "if2", "btm")
    others = _named("dts", "rcs", "versatile")
    average = published.STRONG_AVERAGE[problem]
    doubled = {label: {t: 2 * value for t, value in points.items()} for label, points in average.items()}
    scale = "doubled, as the figure shows half the regret (erratum F1)"
    if problem == "cyclic":
        scale = "doubled but for ws-s, as the figure shows half the regret of the others (erratum F1)"
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
        "beta-sensitivity",
        "Supplement, sensitivity figure",
        title,
        "mslr",
        "strong-utility",
        (*betas, *_named("rmed1", "rucb")),
    )


def _weak(name: str, figure: str, title: str, problem: str, regret: str, points: dict[str, Points]) -> Panel:
    lines, others = _named("ws-w", "rucb", "qsa"), _named("btw", "dts", "versatile")
    return Panel(name, figure, title, problem, regret, lines, others, 4000, logarithmic=False, published=points)


YELP = "yelp"


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
        *_strong("cyclic", "Cyclic, 4 arms", "Supplement, cyclic figure (a)", "Supplement, cyclic figure (b)"),
        _sensitivity(),
    ]
    return {panel.name: panel for panel in all_panels}


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
    precision = {one.label: precision_of(one, panel, effort) for one in chosen}
    asked = {
        "horizon": horizon,
        "times": panel.times(horizon),
        "seed": seed,
        "precision_regrets": [panel.regret],
        "regrets": panel.recorded,
        "cache": cache,
        "progress": progress,
    }
    if len(problems) > 1:
        asked["min_runs"] = MIN_MEANS
    curves: dict[str, Curve] = {}
    groups = [(one.compiled, most_runs(one, panel, effort), precision[one.label]) for one in chosen]
    for group in sorted(set(groups), reverse=True):
        compiled, most, wanted = group
        lines = [one for one, its in zip(chosen, groups, strict=True) if its == group]
        asked |= {"precision": wanted, "runs": means(most, len(problems), MIN_MEANS)}
        # plain Python holds the interpreter's lock, so that threads gain nothing
        where = cluster or (None if compiled else "processes")
        result = simulate(problems, lines, cluster=where, **asked)  # type: ignore[arg-type]
        if result.interrupted:  # what is finished is in the cache; the next call goes on from there
            raise KeyboardInterrupt
        curves |= {curve.label: plotted(panel, curve) for curve in result.of_regret(panel.regret)}
    ordered = [curves[one.label] for one in chosen]
    return Result(panel, ordered, problems[0].n_arms, note, generated, precision)


def most_runs(one: Algorithm, panel: Panel, effort: Effort) -> int:
    if one.name in WINNER_STAYS or is_close(one, panel, effort):
        return effort.runs
    return effort.runs_of_rivals // 3 if one.name in SLOW else effort.runs_of_rivals


def is_close(one: Algorithm, panel: Panel, effort: Effort) -> bool:
    """Whether a line needs more runs than others. A quick run does not spend them."""
    return one.label in CLOSE.get(panel.problem, {}) and effort.precision <= EFFORTS["default"].precision


def precision_of(one: Algorithm, panel: Panel, effort: Effort) -> float:
    if is_close(one, panel, effort):
        return min(effort.precision, CLOSE[panel.problem][one.label])
    if one.name in WINNER_STAYS and panel.problem != YELP:
        return min(effort.precision, WINNER_STAYS_PRECISION)
    return effort.precision_of_others if one in panel.not_in_paper else effort.precision


def _users(folder: Path | None, city: str, effort: Effort, progress: bool) -> tuple[list[Problem], str, bool]:
    """Return a problem for each user, what a reader must know of them, and whether they are made up."""
    from winnerstays.problems.yelp import yelp_problems

    with progress_bar(progress) as show:
        data = yelp_problems(folder, city=city, progress=show)
    users = data.problems[: effort.users] if data.generated else data.problems
    return users, f"{data.source}: {len(users)} users, {users[0].n_arms} restaurants", data.generated


def means(runs: int, problems: int, at_least: int) -> int:
    """Return how many means over problems take this many runs, or `at_least`; with one problem, the runs."""
    return runs if problems == 1 else max(at_least, math.ceil(runs / problems))


def plotted(panel: Panel, curve: Curve) -> Curve:
    """Copy what the panel shows of a curve, so that the other regret's numbers need not be kept."""
    start = int(np.searchsorted(curve.t, panel.first))
    return replace(curve, t=curve.t[start:], values=curve.values[:, start:].copy())
