"""One long computation: the question comes as JSON on standard input, answers go out as lines of JSON.

`python -m winnerstays.web.computation` is started by jobs.py and knows nothing of the service.
"""

import json
import sys
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.problems import Problem, total_order
from winnerstays.problems import problem as find_problem
from winnerstays.theory.bounds import theorems
from winnerstays.theory.expected import expected_regret

TOLERANCE = 0.05
"""The exact value is cut where the rest is proved to be below this."""


def say(**values: Any) -> None:
    print(json.dumps(values), flush=True)


def robot_problem(likes: str, n_items: int, p: float) -> Problem:
    """Return what robots like: as the people of the paper's sushi survey, or the earlier item with chance p."""
    return find_problem("sushi") if likes == "sushi" else total_order(n_items, p)


def weak_regret_limits(problem: Problem) -> dict[str, float | None]:
    """Return the expected weak regret of WS-W over all time (exact), and the least of the theorems' bounds on it."""
    proved = theorems(problem.n_arms, problem.p, p1=problem.p1, totally_ordered=problem.totally_ordered)
    values = [one.value for one in proved if one.regret == "weak" and one.holds and one.value is not None]
    try:
        exact = expected_regret(problem, tolerance=TOLERANCE).total.weak_binary
    except WinnerstaysError:  # too many arms
        exact = None
    return {"exact": exact, "bound": min(values, default=None)}


def answer(question: dict[str, Any]) -> None:
    kind = question.pop("kind")
    if kind == "limits":
        say(**weak_regret_limits(robot_problem(**question)))


if __name__ == "__main__":
    try:
        answer(json.load(sys.stdin))
    except WinnerstaysError as error:
        say(error=str(error))
