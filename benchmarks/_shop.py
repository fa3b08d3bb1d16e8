"""Simulated sites on which the model of tastes is measured, and what is compared there."""

import csv
import re
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from winnerstays import Learner
from winnerstays._types import Ints
from winnerstays.advice.policies import BradleyTerry, Catalogue, Learners, Popular, Random
from winnerstays.advice.site import Site, World, play

__all__ = ["POLICIES", "SITES", "People", "Site", "World", "grades_of", "play"]

SITES = (
    Site("common", 2.0, 0.0, 0.7, tuned=True),
    Site("half", 1.5, 0.0, 1.5, tuned=True),
    Site("cuisine", 1.0, 1.6, 0.7, tuned=True),
    Site("cuisine, features", 1.0, 1.6, 0.7, tuned=True, features=True),
    Site("own", 0.0, 0.0, 2.1, tuned=True),
    Site("heavy tails", 1.2, 0.0, 1.2, heavy=True),
    Site("few items", 1.2, 0.0, 1.2, items=40, change=4, clicks=(2, 10)),
    Site("long visits", 1.0, 0.8, 1.0, visitors=600, items=120, clicks=(20, 60)),
    Site("eight genres, features", 0.8, 1.5, 1.0, items=300, factors=8, features=True, clicks=(1, 25)),
    Site("70 % bounce", 1.5, 0.0, 1.5, bounces=0.7),
    Site("bots", 1.5, 0.0, 1.5, bots=0.15),
    Site("100 open", 1.5, 0.0, 1.5, open=100),
    Site("all in zones", 1.5, 0.0, 1.5, zones=1.0),
    Site("8,000 visitors", 1.5, 0.0, 1.5, visitors=8000),
)


MOST_ITEMS, FEWEST_GRADES, LEVEL = 200, 5, 20.0
"""Of ratings the items rated most often are taken, and whoever rated some of them. One rank more is so much better."""
GROUP = re.compile(r"\{([^{}]*)\}|([^,{}]+)")


def grades_of(path: Path) -> list[dict[str, float]]:
    """Return the grades that each person gave, of PrefLib's orders, or of a table of people, items and ratings."""
    people: dict[str, dict[str, float]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        if path.suffix in (".soc", ".soi", ".toc", ".toi"):
            for line in lines:
                if not line.startswith("#"):
                    count, _, order = line.partition(":")
                    groups = [(tied or alone).strip().split(",") for tied, alone in GROUP.findall(order)]
                    grades = {item: -float(rank) for rank, group in enumerate(groups) for item in group}
                    people |= {f"{len(people) + k}": grades for k in range(int(count))}
        else:
            for row in csv.reader(lines):
                if row[2].replace(".", "").isdecimal():  # not the header
                    people.setdefault(row[0], {})[row[1]] = float(row[2])
    common = Counter(item for grades in people.values() for item in grades).most_common(MOST_ITEMS)
    kept = {item for item, _ in common}
    known = [{item: grade for item, grade in grades.items() if item in kept} for grades in people.values()]
    return [grades for grades in known if len(grades) >= FEWEST_GRADES]


class People(World):
    """Real people as visitors. Each may have the items that they graded, and chooses the better one but for slips."""

    def __init__(self, people: list[dict[str, float]], seed: int, visitors: int = 2000) -> None:
        r = np.random.default_rng([seed, 2026])
        found = [people[place] for place in r.permutation(len(people))[:visitors]]
        names = sorted({item for grades in people for item in grades})
        place = {item: at for at, item in enumerate(names)}
        self.site = Site("people", 0, 0, 0, visitors=len(found), items=len(names), change=0)
        self.utilities, self.lists = np.zeros((len(found), len(names))), []
        for visitor, grades in enumerate(found):
            own = np.sort([place[item] for item in grades])
            ranks = {grade: rank for rank, grade in enumerate(sorted(set(grades.values())))}
            self.utilities[visitor, own] = [LEVEL * ranks[grades[names[at]]] for at in own]
            self.lists.append([own])
        self.utilities += 1e-3 * r.random(self.utilities.shape)  # one of those graded equally is the favourite
        self.clicks = r.integers(self.site.clicks[0], self.site.clicks[1] + 1, len(found))
        self.zone = np.arange(len(found))
        self.silent = self.bot = np.zeros(len(found), bool)
        Catalogue.__init__(self, names, seed)


class RootPerVisitor(Random):
    """Root Winner Stays, one learner for each visitor."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.learners: dict[int, tuple[Learner[int], Any]] = {}

    def ask(self, visitor: int, eligible: Ints) -> tuple[int, int]:
        learner = self.learners[visitor][0] if visitor in self.learners else None
        if learner is None or set(learner.items) != set(eligible.tolist()):  # items changed: as a new visitor
            learner = Learner("ws-root", items=eligible.tolist(), seed=visitor)
        duel = learner.ask()
        self.learners[visitor] = (learner, duel)
        return duel.first, duel.second

    def tell(self, visitor: int, first: int, second: int, first_won: bool) -> None:
        learner, duel = self.learners[visitor]
        learner.tell(duel, winner=first if first_won else second)


POLICIES: dict[str, Any] = {
    "random": Random, "popular": Popular, "ws-root per visitor": RootPerVisitor, "CrowdTS": BradleyTerry,
    "Hier": partial(BradleyTerry, own=1.0), "tastes": partial(Learners, algorithm="tastes"),
}  # fmt: skip
