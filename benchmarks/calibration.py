"""How often the favourite is right when the model of tastes says 50, 70, 80, 90 or 95 %.

`python -m benchmarks calibration` plays people of twelve kinds, whose duels three algorithms choose, and teams. It
writes results/calibration.csv and results/calibration.png. `--people=N` sets how many of each kind there are.
`--rankings=FILE` plays the people of PrefLib's complete orders instead, who never slip or are wrong one time in ten. It
writes results/rankings.csv.
"""

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from benchmarks._results import RESULTS, table, write_results
from benchmarks._shop import grades_of
from winnerstays import Learner
from winnerstays._types import Floats
from winnerstays.simulation.colours import COLOURS
from winnerstays.tastes import Group, Person

PEOPLE, TEAMS, DUELS = 170, 400, 60
LEVELS = (0.5, 0.7, 0.8, 0.9, 0.95)
ALGORITHMS = ("favourite", "ws-w", "ws-root")
SAID = tuple(f"{what} at {level:.0%}" for level in LEVELS for what in ("said", "right %"))
COLUMNS = (
    "kind",
    "model holds",
    "duels by",
    "people",
    *SAID,
    "median duels to 90 %",
    "flagged %",
    "wrong at 80 % in the end",
    "of these flagged %",
)


class Kind(NamedTuple):
    """How people of a kind choose: by logistic utilities of a spread, or always the better one; with slips."""

    name: str
    spread: float
    slips: float = 0.0
    holds: bool = True
    items: int = 16
    near: bool = False
    clusters: bool = False
    changes: bool = False
    left: bool = False
    grades: tuple[dict[str, float], ...] = ()
    """Of real people, who all graded the same items."""


STRICT = 1000.0
KINDS = (
    Kind("logistic, spread 0.5", 0.5),
    Kind("logistic, spread 1", 1.0),
    Kind("logistic, spread 2", 2.0),
    Kind("logistic, spread 4, 8 items", 4.0, items=8),
    Kind("logistic, spread 2, 20 % slips", 2.0, slips=0.2),
    Kind("always the better", STRICT),
    Kind("always the better, 10 % slips", STRICT, slips=0.1),
    Kind("always the better, 20 % slips", STRICT, slips=0.2, items=8),
    Kind("items in clusters", 2.0, clusters=True),
    Kind("two best nearly equal", 2.0, near=True),
    Kind("change of mind", 2.0, changes=True, holds=False),
    Kind("always left", 0.0, left=True, holds=False),
)
"""A slip is an answer at random, so 20 % slips are 10 % wrong answers."""


def utilities(kind: Kind, rng: np.random.Generator) -> Floats:
    if kind.grades:
        return STRICT * rng.permutation([*kind.grades[rng.integers(len(kind.grades))].values()])
    utility = rng.normal(0, kind.spread, kind.items)
    if kind.clusters:
        utility = rng.normal(0, 0.9 * kind.spread, 4)[np.arange(kind.items) % 4] + utility * 0.436
    if kind.near:
        order = np.argsort(utility)
        utility[order[-2]] = utility[order[-1]] - 0.1
    return utility


def person(kind: Kind, algorithm: str, seed: int) -> tuple[list[tuple[float, bool]], bool, int]:
    """Return what was said and whether it was right after each duel, whether it was flagged, the duels to 90 %."""
    rng = np.random.default_rng([seed, KINDS.index(kind) if kind in KINDS else len(KINDS), 41])
    utility, names = utilities(kind, rng), [f"item {i}" for i in range(kind.items)]
    later = utilities(kind, rng)
    model, said = Person(names), []
    learner = None if algorithm == "favourite" else Learner(algorithm, items=names, seed=seed)
    for t in range(DUELS):
        if kind.changes and t == DUELS // 2:
            utility = later
        asked: Any = None if learner is None else learner.ask()
        pair = model.choose() if asked is None else (asked.first, asked.second)
        first, second = pair if rng.random() < 0.5 else pair[::-1]
        gap = utility[names.index(first)] - utility[names.index(second)]
        chance = kind.slips / 2 + (1 - kind.slips) / (1 + math.exp(-max(min(gap, 500.0), -500.0)))
        won = kind.left or bool(rng.random() < chance)
        model.tell(first, second, int(won))
        if learner is not None:
            learner.tell(asked, first if won else second)
        standing = model.standing()
        said.append((standing.likely, standing.favourite == names[int(utility.argmax())]))
    end = next((t for t, (likely, _) in enumerate(said, 1) if likely >= 0.9), DUELS + 1)
    return said, bool(model.doubt()), end


def at_levels(people: list[list[tuple[float, bool]]]) -> list[float]:
    """Return for each level how many people heard it, and how often (%) it was right when they first did."""
    cells = []
    for level in LEVELS:
        right = [next(ok for likely, ok in said if likely >= level) for said in people if max(said)[0] >= level]
        cells += [len(right), 100 * float(np.mean(right)) if right else math.nan]
    return cells


def people(
    count: int, kinds: Sequence[Kind] = KINDS
) -> tuple[list[list[Any]], dict[str, list[list[tuple[float, bool]]]]]:
    lines: list[list[Any]] = []
    pooled: dict[str, list[list[tuple[float, bool]]]] = {name: [] for name in ALGORITHMS}
    for kind in kinds:
        for algorithm in ALGORITHMS:
            found = [person(kind, algorithm, seed) for seed in range(count)]
            said = [one[0] for one in found]
            pooled[algorithm] += said if kind.holds else []
            end = float(np.median([one[2] for one in found]))
            flagged = 100 * float(np.mean([one[1] for one in found]))
            about = [kind.name, "yes" if kind.holds else "no", algorithm, count]
            wrong = [one[1] for one in found if one[0][-1][0] >= 0.8 and not one[0][-1][1]]
            seen = 100 * float(np.mean(wrong)) if wrong else math.nan
            ends = end if end <= DUELS else f"over {DUELS}"
            lines.append([*about, *at_levels(said), ends, flagged, len(wrong), seen])
            print(table(COLUMNS, [shown(lines[-1])]).splitlines()[-1], flush=True)
    for algorithm, said in pooled.items():
        lines.append(["all where the model holds", "yes", algorithm, len(said), *at_levels(said), "", "", "", ""])
        print(table(COLUMNS, [shown(lines[-1])]).splitlines()[-1], flush=True)
    return lines, pooled


def teams(count: int) -> list[list[Any]]:
    """Return how often a team's favourite is right: 12 people, 8 items, 15 answers each about random pairs."""
    said: dict[str, list[tuple[float, bool]]] = {"mean": [], "most": [], "Bradley-Terry": []}
    for seed in range(count):
        rng = np.random.default_rng([seed, 42])
        shared = rng.normal(0, rng.choice((0.5, 1.0, 2.0)), 8)
        tastes = shared + rng.normal(0, rng.choice((0.5, 1.0, 2.0)), (12, 8))
        names, wins = [f"item {i}" for i in range(8)], np.zeros((8, 8))
        group = Group(names)
        for who in range(12):
            for _ in range(15):
                a, b = rng.choice(8, 2, replace=False)
                won = bool(rng.random() < 1 / (1 + math.exp(tastes[who, b] - tastes[who, a])))
                group.tell(f"person {who}", names[a], names[b], int(won))
                wins[(a, b) if won else (b, a)] += 1
        best = int(tastes.mean(axis=0).argmax())
        votes = np.bincount(tastes.argmax(axis=1), minlength=8)
        for rule, right in (("mean", [best]), ("most", np.flatnonzero(votes == votes.max()))):
            standing = group.standing(rule)
            said[rule].append((standing.likely, names.index(standing.favourite) in right))
        said["Bradley-Terry"].append((math.nan, int(bradley_terry(wins).argmax()) == best))
    lines = []
    for rule, found in said.items():
        mean, right = np.mean(found, axis=0)
        sure = [[ok for likely, ok in found if likely >= level] for level in LEVELS]
        cells = [x for right_ones in sure for x in (len(right_ones), 100 * float(np.mean(right_ones or [math.nan])))]
        lines.append([f"teams of 12: right {right:.1%}, said {mean:.1%}", "yes", rule, count, *cells, "", "", "", ""])
        print(table(COLUMNS, [shown(lines[-1])]).splitlines()[-1], flush=True)
    return lines


def bradley_terry(wins: Floats) -> Floats:
    """Return strengths by Newton's method, with a standard normal prior."""
    strength = np.zeros(len(wins))
    for _ in range(30):
        chance = 1 / (1 + np.exp(strength[None] - strength[:, None]))
        met = wins + wins.T
        gradient = (wins - met * chance).sum(axis=1) - strength
        weight = met * chance * (1 - chance)
        strength = strength + np.linalg.solve(np.diag(weight.sum(axis=1) + 1) - weight, gradient)
    return strength


def picture(pooled: dict[str, list[list[tuple[float, bool]]]]) -> Figure:
    """Draw how often the favourite was right, over what was said, for all duels of people for whom the model holds."""
    figure = Figure(figsize=(5.5, 5))
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=1)
    edges = np.linspace(0, 1, 11)
    for (algorithm, said), colour in zip(pooled.items(), COLOURS, strict=False):
        likely, right = np.array([one for person_said in said for one in person_said], float).T
        at = np.clip(np.digitize(likely, edges) - 1, 0, 9)
        points = [(likely[at == k].mean(), right[at == k].mean()) for k in range(10) if (at == k).sum() >= 30]
        axes.plot(*np.array(points).T, marker="o", color=colour, label=f"duels by {algorithm}")
    axes.set(xlabel="chance that was said", ylabel="share that was right", xlim=(0, 1), ylim=(0, 1))
    axes.legend(frameon=False)
    return figure


def shown(line: list[Any]) -> list[Any]:
    return [f"{cell:.1f}" if isinstance(cell, float) else cell for cell in line]


def main(words: list[str]) -> None:
    count = next((int(word.partition("=")[2]) for word in words if word.startswith("--people=")), PEOPLE)
    print(table(COLUMNS, []))
    for path in [Path(word.partition("=")[2]) for word in words if word.startswith("--rankings=")]:
        strict = Kind(path.name, STRICT, grades=tuple(grades_of(path)))
        strict = strict._replace(items=len(strict.grades[0]))
        wrong = strict._replace(name=f"{path.name}, 10 % wrong", slips=0.2)
        write_results("rankings", COLUMNS, people(count, (strict, wrong))[0])
        return
    lines, pooled = people(count)
    lines += teams(TEAMS)
    write_results("calibration", COLUMNS, lines)
    picture(pooled).savefig(RESULTS / "calibration.png", dpi=120, bbox_inches="tight")


if __name__ == "__main__":
    main(sys.argv[1:])
