"""The panels of the paper's figures, as data, and how one is run."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from winnerstays.algorithms import Algorithm, algorithm
from winnerstays.errors import unknown
from winnerstays.paper import published
from winnerstays.paper.published import Points
from winnerstays.simulation import Curve, Simulation, simulate

SEED = 2017


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
        Effort("default", 4000, 0.03, 10**6),
        Effort("full", 40_000, 0.01, 10**6),
    )
}


@dataclass(frozen=True)
class Panel:
    """One picture of the paper: a problem, a regret, the paper's lines and what has come since."""

    name: str
    figure: str
    title: str
    problem: str
    regret: str
    lines: tuple[Algorithm, ...]
    since: tuple[Algorithm, ...] = ()
    horizon: int = 10**6
    first: int = 10
    """Where the paper's logarithmic picture begins."""
    logarithmic: bool = True
    published: dict[str, Points] = field(default_factory=dict)

    def times(self, horizon: int) -> list[int]:
        """The plotted times."""
        if not self.logarithmic:
            return list(range(50, horizon + 1, 50))
        grid = np.unique(np.rint(10 ** (np.arange(71) / 10)).astype(int))
        return [*(int(t) for t in grid if self.first <= t < horizon), horizon]


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

    @property
    def published(self) -> dict[str, Points]:
        """Values of the paper's figure that these data can be compared with."""
        return {} if self.generated else self.panel.published

    def curve(self, label: str) -> Curve:
        return next(curve for curve in self.curves if curve.label == label)

    @property
    def horizon(self) -> int:
        return int(self.curves[0].t[-1])


def _named(*names: str) -> tuple[Algorithm, ...]:
    return tuple(algorithm(name) for name in names)


def _strong(problem: str, title: str, utility_figure: str, binary_figure: str) -> list[Panel]:
    lines = _named("ws-s", "rmed1", "rmed2", "rucb", "sparring", "multisbm", "if2", "btm")
    since = _named("dts", "rcs", "versatile")
    average = published.STRONG_AVERAGE[problem]
    doubled = {label: {t: 2 * value for t, value in points.items()} for label, points in average.items()}
    utility, binary = f"{title}: utility-based strong regret", f"{title}: binary strong regret"
    return [
        Panel(
            f"{problem}-utility", utility_figure, utility, problem, "strong-utility", lines, since, published=doubled
        ),
        Panel(
            f"{problem}-binary", binary_figure, binary, problem, "strong-binary", lines, since,
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
    lines, since = _named("ws-w", "rucb", "qsa"), _named("btw", "dts", "versatile")
    return Panel(name, figure, title, problem, regret, lines, since, 4000, logarithmic=False, published=points)


YELP = "yelp"
QUICK_USERS, RUNS_PER_USER = 10, {True: 2, False: 4}
"""In the Yelp panel: users in a quick look; runs for each user, in a quick look or otherwise."""


def panels() -> dict[str, Panel]:
    """All panels by name, in the paper's order."""
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
    horizon = min(panel.horizon, effort.longest)
    asked = {
        "horizon": horizon,
        "times": panel.times(horizon),
        "seed": seed,
        "runs": effort.runs,
        "precision": effort.precision,
        "precise": [panel.regret],
        "cache": cache,
        "cluster": cluster,
        "progress": progress,
    }
    chosen = (*panel.lines, *panel.since)
    if panel.problem == YELP:
        return _run_yelp(panel, chosen, asked, yelp, city)
    result = simulate(panel.problem, chosen, **asked)  # type: ignore[arg-type]
    _stop_if_interrupted(result)
    return Result(panel, result.of_regret(panel.regret), result.problem.n_arms)


def _stop_if_interrupted(result: Simulation) -> None:
    """What is finished is in the cache; the next call goes on from there."""
    if result.interrupted:
        raise KeyboardInterrupt


def _run_yelp(
    panel: Panel, chosen: tuple[Algorithm, ...], asked: dict[str, Any], folder: Path | None, city: str
) -> Result:
    """One problem for each user; a run of the panel is a run with every user, averaged."""
    from winnerstays.problems.yelp import yelp_problems

    data = yelp_problems(folder, city=city)
    quick = asked["precision"] is None
    problems = data.problems[:QUICK_USERS] if quick else data.problems
    shown = asked["progress"]
    asked = {**asked, "runs": RUNS_PER_USER[quick], "precision": None, "progress": False}
    users = []
    for user in track(problems, "users", console=Console(stderr=True), disable=not shown, transient=True):
        users.append(simulate(user, chosen, **asked))
        _stop_if_interrupted(users[-1])
    curves = []
    for curve in users[0].of_regret(panel.regret):
        values = np.mean([user.curve(curve.label, panel.regret).values for user in users], axis=0)
        curves.append(replace(curve, values=values))
    n_arms = problems[0].n_arms
    return Result(panel, curves, n_arms, f"{data.source}: {len(users)} users, {n_arms} restaurants", data.generated)
