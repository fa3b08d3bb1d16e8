"""Measure what a new user gains from the crowd and from a group.

`python -m benchmarks.crowd` prints the tables; `make bench` shows the same.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks._timing import row
from winnerstays import algorithm
from winnerstays.algorithms.ws_root import ws_root
from winnerstays.arena.engine.crowd import MAX_LEARNERS, Tally, Taste, as_points, crowd
from winnerstays.compiling import entry
from winnerstays.randomness import stream, uniform

ITEMS, DUELS, FIRST, USERS, POPULATIONS, EVERY = 50, 200, 20, 500, 6, 5
GROUPS = 5


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
OF_GROUPS = [
    Tastes("groups differ (0, 2, 0.5)", 0.0, 2.0, 0.5),
    Tastes("partly (1, 1.5, 0.5)", 1.0, 1.5, 0.5),
    Tastes("groups are alike (2, 0, 0.5)", 2.0, 0.0, 0.5),
    Tastes("nothing in common (0, 0, 2)", 0.0, 0.0, 2.0),
]


@entry
def answer(state: Any, utility: Any, duels: int, rng: Any, luck: Any, regret: Any) -> Any:
    """Let one user answer; regret[0] counts the duels without the favourite, regret[1] those among the first."""
    best = 0
    for item in range(utility.size):
        if utility[item] > utility[best]:
            best = item
    for duel in range(duels):
        first, second = ws_root.choose(state, rng)
        if best not in (first, second):
            regret[0] += 1
            if duel < FIRST:
                regret[1] += 1
        first_won = uniform(luck) < 1.0 / (1.0 + math.exp(utility[second] - utility[first]))
        state = ws_root.update(state, first, second, first_won, rng)
    return state


def people(case: Tastes, seed: int) -> list[tuple[int, Any]]:
    """Return the group of each user of a population, and how much they like each item, in the order of coming."""
    draw = np.random.default_rng(seed)
    common, groups = draw.normal(0, 1, ITEMS) * case.common, draw.normal(0, 1, (GROUPS, ITEMS)) * case.group
    found = []
    for _ in range(USERS):
        group = int(draw.integers(GROUPS))
        found.append((group, common + groups[group] + draw.normal(0, 1, ITEMS) * case.own))
    return found


def utilities(case: Tastes, seed: int) -> list[Any]:
    return [utility for _, utility in people(case, seed)]


def alone(everyone: Sequence[Taste], group: Sequence[Taste]) -> Any:
    return ()


def with_crowd(everyone: Sequence[Taste], group: Sequence[Taste]) -> Any:
    return crowd(everyone[-MAX_LEARNERS:], range(ITEMS)).points


def with_group(everyone: Sequence[Taste], group: Sequence[Taste]) -> Any:
    return crowd(everyone[-MAX_LEARNERS:], range(ITEMS), group[-MAX_LEARNERS:]).points


def crowd_in_full(everyone: Sequence[Taste], group: Sequence[Taste]) -> Any:
    """What the crowd would give if it were always worth 1."""
    return as_points(Tally(everyone[-MAX_LEARNERS:], ITEMS).points(1.0), np.arange(ITEMS))


def group_in_full(everyone: Sequence[Taste], group: Sequence[Taste]) -> Any:
    """What the group alone would give if it were always worth 1."""
    return crowd_in_full(group, ())


def population(case: Tastes, seed: int, start: Any) -> tuple[float, float]:
    """Return the mean regret of the second half of a population's users, who come one after the other.

    Of all their duels, and of the first.
    """
    one = algorithm("ws-root")
    tastes: list[Taste] = []
    of_groups: list[list[Taste]] = [[] for _ in range(GROUPS)]
    points: list[Any] = [()] * GROUPS
    regrets = []
    for user, (group, utility) in enumerate(people(case, seed)):
        state = one.reserve(one.start(ITEMS, stream(seed, user, 0)), DUELS)
        if user % EVERY == 0:
            points = [start(tastes, of_group) for of_group in of_groups]
        state, regret = ws_root.believe(state, points[group]), np.zeros(2)
        state = answer(state, utility, DUELS, stream(seed, user, 1), stream(seed, user, 2), regret)
        taste = Taste(int(ws_root.best(state)), ws_root.seen(state))
        tastes.append(taste)
        of_groups[group].append(taste)
        regrets.append(regret)
    all_duels, first = np.mean(regrets[USERS // 2 :], axis=0)
    return float(all_duels), float(first)


class Measured(NamedTuple):
    """Regrets of the populations of one case: alone, and with each start."""

    case: str
    regrets: dict[str, Any]
    """One line for each population: of all duels, of the first."""

    def gain(self, how: str, full: str) -> str:
        """Return the share of what could be gained that was gained, or how much worse it is than alone."""
        cold, found, best = (self.regrets[one][:, 0].mean() for one in ("alone", how, full))
        if best < 0.97 * cold:
            return f"{(cold - found) / (cold - best):.0%} of the gain"
        return f"{found / cold - 1:+.1%}"


def measure(cases: Sequence[Tastes], starts: dict[str, Any]) -> list[Measured]:
    return [
        Measured(case.name, {
            name: np.array([population(case, seed, start) for seed in range(POPULATIONS)])
            for name, start in starts.items()
        })
        for case in cases
    ]  # fmt: skip


CROWD = {"alone": alone, "the crowd in full": crowd_in_full, "with the crowd": with_crowd}
GROUP = {
    "alone": alone, "with the crowd": with_crowd, "the group in full": group_in_full, "with crowd and group": with_group
}  # fmt: skip


def text(found: list[Measured], how: str, full: str) -> str:
    names = list(found[0].regrets)
    lines = [f"| tastes in common | {' | '.join(names)} | |", "|---" * (len(names) + 2) + "|"]
    for one in found:
        cells = [f"{cell(each[:, 0])}, {cell(each[:, 1])}" for each in one.regrets.values()]
        lines.append(f"| {one.case} | {' | '.join(cells)} | {one.gain(how, full)} |")
    return "\n".join(lines)


def cell(regrets: Any) -> str:
    return f"{regrets.mean():.1f} ± {regrets.std(ddof=1) / math.sqrt(len(regrets)):.1f}"


def rows() -> list[dict[str, Any]]:
    found = []
    for one in (*measure(CASES, CROWD), *measure(OF_GROUPS, GROUP)):
        for name, regrets in one.regrets.items():
            mean = float(regrets[:, 0].mean())
            found.append(row(f"{one.case}: {name}", mean, "duels", "", cell(regrets[:, 0])))
    return found


if __name__ == "__main__":
    print(text(measure(CASES, CROWD), "with the crowd", "the crowd in full"), end="\n\n", flush=True)
    print(text(measure(OF_GROUPS, GROUP), "with crowd and group", "the group in full"))
