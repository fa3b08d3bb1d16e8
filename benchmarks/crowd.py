"""What a new user gains from the crowd: regret with and without, where tastes agree more or less.

`python -m benchmarks.crowd` prints the table of docs/arena.md; `make bench` shows the same.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from benchmarks._timing import row
from winnerstays import algorithm
from winnerstays.algorithms.ws_root import ws_root
from winnerstays.arena.crowd import MAX_LEARNERS, Taste, crowd
from winnerstays.compiling import entry
from winnerstays.randomness import stream, uniform

ITEMS, DUELS, USERS, POPULATIONS, EVERY = 50, 200, 500, 6, 5


class Tastes(NamedTuple):
    """How far utilities differ: between items for all, for a group, for a person."""

    name: str
    common: float
    group: float
    own: float


CASES = [
    Tastes("strong (1, 1.5, 0.5)", 1.0, 1.5, 0.5),
    Tastes("medium (1, 1.5, 1)", 1.0, 1.5, 1.0),
    Tastes("weak (0, 1, 1.5)", 0.0, 1.0, 1.5),
    Tastes("none (0, 0, 2)", 0.0, 0.0, 2.0),
]
GROUPS = 5


@entry
def answer(state: Any, utility: Any, duels: int, rng: Any, luck: Any, regret: Any) -> Any:
    """Let one user answer; regret[0] counts the duels without the favourite."""
    best = 0
    for item in range(utility.size):
        if utility[item] > utility[best]:
            best = item
    for _ in range(duels):
        first, second = ws_root.choose(state, rng)
        if best not in (first, second):
            regret[0] += 1
        first_won = uniform(luck) < 1.0 / (1.0 + math.exp(utility[second] - utility[first]))
        state = ws_root.update(state, first, second, first_won, rng)
    return state


def utilities(case: Tastes, seed: int) -> list[Any]:
    """Return how much each user of a population likes each item, in the order in which they come."""
    draw = np.random.default_rng(seed)
    common, groups = draw.normal(0, 1, ITEMS) * case.common, draw.normal(0, 1, (GROUPS, ITEMS)) * case.group
    return [common + groups[draw.integers(GROUPS)] + draw.normal(0, 1, ITEMS) * case.own for _ in range(USERS)]


def population(case: Tastes, seed: int, with_crowd: bool) -> float:
    """Return the mean regret of the second half of a population's users, who come one after the other."""
    one = algorithm("ws-root")
    tastes: list[Taste] = []
    points: Any = ()
    regrets = []
    for user, utility in enumerate(utilities(case, seed)):
        state = one.reserve(one.start(ITEMS, stream(seed, user, 0)), DUELS)
        if with_crowd and user % EVERY == 0:
            points = crowd(tastes[-MAX_LEARNERS:], range(ITEMS)).points
        state, regret = ws_root.believe(state, points), np.zeros(1)
        state = answer(state, utility, DUELS, stream(seed, user, 1), stream(seed, user, 2), regret)
        tastes.append(Taste(int(ws_root.best(state)), ws_root.seen(state)))
        regrets.append(regret[0])
    return float(np.mean(regrets[USERS // 2 :]))


def rows() -> list[dict[str, Any]]:
    found = []
    for case in CASES:
        for with_crowd in (False, True):
            means = [population(case, seed, with_crowd) for seed in range(POPULATIONS)]
            error = float(np.std(means, ddof=1) / math.sqrt(POPULATIONS))
            name = f"{case.name}: {'with' if with_crowd else 'without'} the crowd"
            found.append(row(name, float(np.mean(means)), "duels", "", f"± {error:.1f}"))
    return found


def table() -> str:
    lines = ["| tastes in common | alone | with the crowd |", "|---|---|---|"]
    found = rows()
    for alone, together in zip(found[::2], found[1::2], strict=True):
        cells = [f"{one['value']:.1f} {one['note']}" for one in (alone, together)]
        lines.append(f"| {alone['name'].split(':')[0]} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
