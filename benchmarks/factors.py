"""From how many answers on do factors of taste, learned from the log alone, tell more about a visitor than none?

`python -m benchmarks factors` writes results/factors.csv. Visitors of the site *cuisine* (200 items, four factors)
answer 10 random pairs each. Factors are the first four eigenvectors of what two answers of one visitor say about four
items; they are given to the model of tastes as features. Others come, answer 17 times, and are recommended an item.
"""

import sys

import numpy as np

from benchmarks._results import table, write_results
from winnerstays._types import Floats, Ints
from winnerstays.advice.site import Site, World
from winnerstays.tastes import Crowd, fit
from winnerstays.tastes.crowd import View

ITEMS, FACTORS, EACH, LATER, CLICKS = 200, 4, 10, 600, 17
SIZES = (2_000, 5_000, 10_000, 50_000)
COLUMNS = ("answers", "features", "one of the five best %", "s.e.", "utility lost", "s.e. of it")


def answers(world: World, visitors: Ints, each: int, r: np.random.Generator) -> Ints:
    """Return (visitor, first, second, whether the first won) of random pairs."""
    who = np.repeat(visitors, each)
    first = r.integers(ITEMS, size=who.size)
    second = (first + r.integers(1, ITEMS, who.size)) % ITEMS
    gap = world.utilities[who, first] - world.utilities[who, second]
    chance = world.site.slips / 2 + (1 - world.site.slips) / (1 + np.exp(-gap))
    return np.array([who, first, second, r.random(who.size) < chance], np.int64)


def factors_of(crowd: Crowd, log: Ints) -> Floats:
    """Return factors of items: what one answer of a visitor leaves unexplained goes with what others do."""
    who, first, second, won = log
    quality = crowd.model.tilt[0] / np.maximum(crowd.model.precision[0], 1e-9)
    left = won - 1 / (1 + np.exp(quality[second] - quality[first]))
    people = np.zeros((who.max() + 1, ITEMS))
    np.add.at(people, (who, first), left)
    np.add.at(people, (who, second), -left)
    together = people.T @ people
    for one, other, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
        np.add.at(together, (one, other), -sign * left**2)  # an answer with itself
    sizes, vectors = np.linalg.eigh(together)
    return vectors[:, -FACTORS:] * np.sqrt(np.maximum(sizes[-FACTORS:], 0.0))


def judge(crowd: Crowd, world: World, later: Ints, log: Ints) -> tuple[Floats, Floats]:
    """Return for each later visitor whether one of the five best is recommended, and how much utility is lost."""
    five, lost = [], []
    for visitor in later.tolist():
        given = log[1:3, log[0] == visitor]
        won = log[3, log[0] == visitor]
        known = crowd.visitor(np.vstack([given, 1 - won, won, np.zeros_like(won)]))
        best, utility = int(View(crowd, known, np.arange(ITEMS)).mean.argmax()), world.utilities[visitor, :ITEMS]
        five.append(100.0 * ((utility > utility[best]).sum() < 5))
        lost.append(float(utility.max() - utility[best]))
    return np.array(five), np.array(lost)


def study(size: int) -> list[list[object]]:
    world = World(Site("cuisine", 1.0, 1.6, 0.7, visitors=size + LATER, items=ITEMS, change=0), seed=7)
    r = np.random.default_rng(8)
    log, later = answers(world, np.arange(size), EACH, r), np.arange(size, size + LATER)
    asked = answers(world, later, CLICKS, r)
    plain = fit(Crowd(np.zeros((ITEMS, 0))), *log)
    kinds = {"none": None, "learned": factors_of(plain, log), "true": world.factors[:ITEMS]}
    lines: list[list[object]] = []
    for name, features in kinds.items():
        crowd = plain if features is None else fit(Crowd(features), *log)
        found = judge(crowd, world, later, asked)
        numbers = [x for one in found for x in (float(one.mean()), float(one.std(ddof=1) / LATER**0.5))]
        lines.append([size * EACH, name, *numbers])
        cells = [f"{x:.2f}" if isinstance(x, float) else x for x in lines[-1]]
        print(table(COLUMNS, [cells]).splitlines()[-1], flush=True)
    return lines


def main(words: list[str]) -> None:
    write_results("factors", COLUMNS, [line for size in SIZES for line in study(size)])


if __name__ == "__main__":
    main(sys.argv[1:])
