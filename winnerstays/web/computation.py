"""One long computation: the question comes as JSON on standard input, answers go out as lines of JSON.

`python -m winnerstays.web.computation` is started by jobs.py and knows nothing of the service.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.numbers import whole_number
from winnerstays.problems import FIXED, GENERATED, Limits, Problem, load, total_order
from winnerstays.problems import problem as find_problem
from winnerstays.simulation import simulate
from winnerstays.simulation.colours import different_colours
from winnerstays.specs import parse_spec
from winnerstays.theory.bounds_table import theorems
from winnerstays.theory.expected import expected_regret

TOLERANCE = 0.05
"""The exact value is cut where the rest is proved to be below this."""

MAX_ARMS = 500
LIMITS = Limits(
    bytes=1 << 24, whole=1 << 24, line=1 << 20, rows=1_000_000, items=MAX_ARMS, ranked=MAX_ARMS, seconds=20.0
)
"""Of the files that people send."""
SIZES = ("n_arms", "per_type", "dimension")
"""The options of problems that say how much is made."""
MAX_ERROR = 4000
"""Characters: names in a file may be as long as the file."""
POINTS = 120
"""A curve of the lab has this many points."""


def say(**values: Any) -> None:
    print(json.dumps(values), flush=True)


def robot_problem(likes: str, n_items: int, p: float) -> Problem:
    """Return what robots like: as the people of the paper's sushi survey, or the earlier item with chance p."""
    return find_problem("sushi") if likes == "sushi" else total_order(n_items, p)


def weak_regret_limits(problem: Problem) -> dict[str, float | None]:
    """Return the expected weak regret of WS-W over all time (exact), and the least of the theorems' bounds on it."""
    proved = theorems(problem.n_arms, problem.p, p1=problem.p1, totally_ordered=problem.totally_ordered)
    values = [
        bound.value
        for bound in proved
        if bound.regret == "weak" and bound.holds and bound.value is not None and not bound.name.startswith("lower")
    ]
    try:
        exact = expected_regret(problem, tolerance=TOLERANCE).total.weak_binary
    except WinnerstaysError:  # too many arms
        exact = None
    return {"exact": exact, "bound": min(values, default=None)}


def lab_problem(name: str, file: str, data: str) -> Problem:
    """Return a built-in or generated problem by its name, or the one in a file's text."""
    if not file:
        if name.partition(":")[0] not in (*FIXED, *GENERATED):
            raise unknown("problem", name, [*FIXED, *GENERATED])  # never a file of this machine
        for option, value in parse_spec(name)[1].items():
            if option in SIZES and whole_number(value) > MAX_ARMS:  # before it is made
                raise WinnerstaysError(f"{option} is {value}, but in the lab it may be {MAX_ARMS} at most.")
        return find_problem(name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{Path(file).suffix}"
        path.write_text(data, encoding="utf-8")
        try:
            return load(path, limits=LIMITS)
        except WinnerstaysError as error:
            raise WinnerstaysError(str(error).replace(str(path), file)) from None


def experiment(
    name: str, file: str, data: str, algorithms: list[str], horizon: int, runs: int, seed: int, regret: str
) -> None:
    """Simulate, and say how far it is; then the mean curves with their standard errors, and what theory says."""
    problem = lab_problem(name, file, data)
    if problem.n_arms > MAX_ARMS:
        raise WinnerstaysError(f"The problem has {problem.n_arms} arms, but the lab takes at most {MAX_ARMS}.")
    say(progress=0.0)
    times = sorted({max(1, round(horizon * k / POINTS)) for k in range(1, POINTS + 1)})
    result = simulate(
        problem, algorithms, horizon=horizon, runs=runs, seed=seed, times=times, regrets=regret,
        progress=lambda stage, fraction: say(progress=fraction),
    )  # fmt: skip
    of_regret = result.of_regret(regret)
    colours = different_colours([curve.label for curve in of_regret])
    curves = [
        {
            "label": curve.label, "mean": curve.mean.tolist(), "sem": curve.sem.tolist(), "runs": curve.runs,
            "colour": colour,
        }
        for curve, colour in zip(of_regret, colours, strict=True)
    ]  # fmt: skip
    winner_stays = regret == "weak-binary" and any(curve["label"] == "ws-w" for curve in curves)
    say(times=times, curves=curves, n_arms=problem.n_arms, exact=None, bound=None)
    if winner_stays and problem.tie is None:
        say(times=times, curves=curves, n_arms=problem.n_arms, **weak_regret_limits(problem))


def answer(question: dict[str, Any]) -> None:
    kind = question.pop("kind")
    if kind == "limits":
        say(**weak_regret_limits(robot_problem(**question)))
    else:
        experiment(**question)


if __name__ == "__main__":
    try:
        answer(json.load(sys.stdin))
    except WinnerstaysError as error:
        say(error=str(error)[:MAX_ERROR])
    except MemoryError:
        say(error="This needs more memory than a computation of the lab may have; ask for less.")
