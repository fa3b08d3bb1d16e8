"""Simulated sites on which the model of tastes is measured, and what is compared there."""

from functools import partial
from typing import Any

from winnerstays import Learner
from winnerstays._types import Ints
from winnerstays.advice.policies import BradleyTerry, Learners, Popular, Random
from winnerstays.advice.site import Site, World, play

__all__ = ["POLICIES", "SITES", "Site", "World", "play"]

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
