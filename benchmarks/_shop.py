"""A simulated site: items that come and go, zones, short visits, several open at once; and what is compared on it."""

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from winnerstays import Learner
from winnerstays._types import Floats, Ints
from winnerstays.arena import Arenas, Item
from winnerstays.arena.local import LocalBackend
from winnerstays.arena.stores import open_store
from winnerstays.tastes import LOST, WON, Crowd, fit

NOISE_SLIP = 0.05


@dataclass(frozen=True)
class Site:
    """How people and their visits are drawn. Standard deviations of utilities are in log-odds."""

    name: str
    quality: float
    cuisine: float
    own: float
    tuned: bool = False
    visitors: int = 2000
    items: int = 200
    change: int = 10  # so many items come, and as many go, when half of the visitors came
    open: int = 20
    clicks: tuple[int, int] = (3, 17)
    heavy: bool = False  # utilities have Student's t of 3 degrees of freedom
    factors: int = 4
    features: bool = False  # the factors of taste are given as features
    zones: float = 0.25  # share of visitors who may have only a fifth of the items
    bounces: float = 0.05  # visitors who see three duels and answer none
    bots: float = 0.0  # visitors who always choose what most people like less
    slips: float = 0.1


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


class World:
    """One population of a site."""

    def __init__(self, site: Site, seed: int) -> None:
        r = np.random.default_rng([seed, 2026])
        self.site, self.seed, n = site, seed, site.items + site.change
        draw = (
            (lambda *size: r.standard_t(3, size) / math.sqrt(3)) if site.heavy else (lambda *size: r.normal(size=size))
        )
        self.quality = site.quality * draw(n)
        self.factors = r.normal(size=(n, site.factors))
        tastes = r.normal(size=(site.visitors, site.factors)) @ self.factors.T / math.sqrt(site.factors)
        self.utilities = self.quality + site.cuisine * tastes + site.own * draw(site.visitors, n)
        first, retired = np.arange(site.items), r.choice(site.items, site.change, replace=False)
        second = np.concatenate([np.setdiff1d(first, retired), np.arange(site.items, n)])
        self.added, self.retired = np.arange(site.items, n), retired
        zones = [(r.choice(first, site.items // 5, replace=False), r.choice(second, site.items // 5, replace=False))
                 for _ in range(5)]  # fmt: skip
        self.lists: list[list[Ints]] = [[first, second], *([np.sort(half) for half in zone] for zone in zones)]
        self.zone = np.where(r.random(site.visitors) < site.zones, r.integers(1, 6, site.visitors), 0)
        self.clicks = r.integers(site.clicks[0], site.clicks[1] + 1, site.visitors)
        self.silent = r.random(site.visitors) < site.bounces
        self.bot = r.random(site.visitors) < site.bots
        self.names = [f"item {i}" for i in range(n)]

    def eligible(self, visitor: int, half: int) -> Ints:
        return self.lists[self.zone[visitor]][half]


class Policy(Protocol):
    """What chooses the pairs of a site."""

    def ask(self, visitor: int, eligible: Ints) -> tuple[int, int]: ...
    def tell(self, visitor: int, first: int, second: int, first_won: bool) -> None: ...
    def change(self) -> None: ...


def play(world: World, policy: Policy) -> tuple[float, float]:
    """Return the share of people's duels that show their favourite, and one of their best five."""
    r, site = np.random.default_rng([world.seed, 5]), world.site
    live: list[tuple[int, int, int]] = []
    came, shown, top, duels = 0, 0, 0, 0
    best: dict[tuple[int, int], npt.NDArray[Any]] = {}
    half = 0
    while came < site.visitors or live:
        while came < site.visitors and len(live) < site.open:
            if came == site.visitors // 2:
                half = 1
                policy.change()
            live.append((came, 0, half))
            came += 1
        at = int(r.integers(len(live)))
        visitor, clicked, when = live.pop(at)
        eligible, utility = world.eligible(visitor, half), world.utilities[visitor]
        if (visitor, half) not in best:
            best[visitor, half] = eligible[np.argsort(-utility[eligible])[:5]]
        five = best[visitor, half]
        first, second = policy.ask(visitor, eligible)
        if not world.silent[visitor]:
            if not world.bot[visitor]:
                duels += 1
                shown += five[0] in (first, second)
                top += bool(np.isin((first, second), five).any())
            chance = 1 / (1 + math.exp(utility[second] - utility[first]))
            chance = site.slips / 2 + (1 - site.slips) * chance
            if world.bot[visitor]:
                chance = float(world.quality[first] < world.quality[second])
            policy.tell(visitor, first, second, bool(r.random() < chance))
        if clicked + 1 < (3 if world.silent[visitor] else world.clicks[visitor]):
            live.append((visitor, clicked + 1, when))
    return 100 * shown / duels, 100 * top / duels


class Random:
    def __init__(self, world: World) -> None:
        self.world, self.r = world, np.random.default_rng([world.seed, 9])

    def ask(self, visitor: int, eligible: Ints) -> tuple[int, int]:
        first, second = self.r.choice(eligible, 2, replace=False)
        return int(first), int(second)

    def tell(self, visitor: int, first: int, second: int, first_won: bool) -> None: ...
    def change(self) -> None: ...


class Popular(Random):
    """The two items of the highest share of wins."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.won, self.seen = np.ones(len(world.names)), np.full(len(world.names), 2.0)

    def ask(self, visitor: int, eligible: Ints) -> tuple[int, int]:
        return _two(eligible, self.won[eligible] / self.seen[eligible] + 1e-6 * self.r.random(eligible.size))

    def tell(self, visitor: int, first: int, second: int, first_won: bool) -> None:
        self.won[first if first_won else second] += 1
        self.seen[[first, second]] += 1


class BradleyTerry(Random):
    """Bradley-Terry of all visitors by assumed density filtering; both items by draws.

    With `own`, Hier: a visitor's deviation, of this standard deviation, is learned beside it from the same answers.
    """

    def __init__(self, world: World, own: float = 0.0) -> None:
        super().__init__(world)
        self.mean, self.var, self.own = np.zeros(len(world.names)), np.full(len(world.names), 4.0), own
        self.visitors: dict[int, tuple[Floats, Floats]] = {}

    def _own(self, visitor: int) -> tuple[Floats, Floats]:
        none = np.zeros(self.mean.size)
        return self.visitors.setdefault(visitor if self.own else -1, (none, none + self.own**2))

    def ask(self, visitor: int, eligible: Ints) -> tuple[int, int]:
        mean, sd = (self.mean + self._own(visitor)[0])[eligible], np.sqrt(self.var[eligible])
        first = int(np.argmax(mean + sd * self.r.normal(size=sd.size)))
        drawn = mean + sd * self.r.normal(size=sd.size)
        drawn[first] = -np.inf
        return int(eligible[first]), int(eligible[np.argmax(drawn)])

    def tell(self, visitor: int, first: int, second: int, first_won: bool) -> None:
        own_mean, own_var = self._own(visitor)
        parts = ((self.mean, self.var), (own_mean, own_var))
        gap = sum(mean[first] - mean[second] for mean, _ in parts)
        total = sum(var[first] + var[second] for _, var in parts)
        chance = 1 / (1 + math.exp(-gap / math.sqrt(1 + math.pi * total / 8)))
        chance = NOISE_SLIP + (1 - 2 * NOISE_SLIP) * chance if self.own else chance
        g, h = first_won - chance, chance * (1 - chance)
        for mean, var in parts:
            mean[first] += var[first] * g / (1 + h * total)
            mean[second] -= var[second] * g / (1 + h * total)
            var[[first, second]] *= 1 - var[[first, second]] * h / (1 + h * total)


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


class Tastes:
    """The crowd of this package, fitted anew whenever answers have grown by half."""

    def __init__(self, world: World) -> None:
        site, self.world = world.site, world
        self.rows = {name: row.tolist() for name, row in zip(world.names, world.factors, strict=True)}
        self.features = self.rows if site.features else None
        self.crowd = Crowd(world.names[: site.items], features=self.features)
        self.visitors: dict[int, Any] = {}
        self.log: list[tuple[int, int, int, int]] = []
        self.next = 300

    def ask(self, visitor: int, eligible: Ints) -> tuple[int, int]:
        if visitor not in self.visitors:
            self.visitors[visitor] = self.crowd.visitor(seed=visitor)
        first, second = self.crowd.choose(self.visitors[visitor], [self.world.names[i] for i in eligible])
        return int(first[5:]), int(second[5:])

    def tell(self, visitor: int, first: int, second: int, first_won: bool) -> None:
        names, outcome = self.world.names, WON if first_won else LOST
        self.visitors[visitor] = self.crowd.tell(self.visitors[visitor], names[first], names[second], outcome)
        self.log.append((visitor, first, second, outcome))  # places in the crowd's list are those in the world's
        if len(self.log) >= self.next:
            self.next = len(self.log) * 3 // 2
            self.crowd = fit(self.crowd, *np.array(self.log).T)

    def change(self) -> None:
        self.crowd.add([self.world.names[i] for i in self.world.added], features=self.features)
        self.crowd.retire([self.world.names[i] for i in self.world.retired])


class InArena(Random):
    """An arena in memory, asked and told as a site does; its model is made anew when answers have grown by 5 %."""

    def __init__(self, world: World, algorithm: str = "tastes") -> None:
        super().__init__(world)
        site = world.site
        self.items = [
            Item(name, features=tuple(row) if site.features else ())
            for name, row in zip(world.names, world.factors.tolist(), strict=True)
        ]
        self.backend = LocalBackend(open_store("memory:"))
        self.arena = Arenas(self.backend).create(
            "shop", self.items[: site.items], algorithm=algorithm, seed=world.seed, max_open=1
        )
        self.duels: dict[int, str] = {}
        self.told, self.next = 0, 10

    def ask(self, visitor: int, eligible: Ints) -> tuple[int, int]:
        zone = None if eligible.size == self.world.site.items else [self.world.names[i] for i in eligible]
        duel = self.arena.ask(str(visitor), among=zone)
        self.duels[visitor] = duel.id
        return int(duel.left[5:]), int(duel.right[5:])

    def tell(self, visitor: int, first: int, second: int, first_won: bool) -> None:
        self.arena.tell(self.duels[visitor], winner="left" if first_won else "right")
        self.told += 1
        if self.told >= self.next:
            self.next = self.told + max(10, self.told // 20)
            self.backend.models.update(1)

    def change(self) -> None:
        self.arena.add(self.items[self.world.site.items :])
        self.arena.retire([self.world.names[i] for i in self.world.retired])


def _two(eligible: Ints, worth: Floats) -> tuple[int, int]:
    first, second = np.argsort(-worth)[:2]
    return int(eligible[first]), int(eligible[second])


IN_ARENA: dict[str, Any] = {"arena, tastes": InArena, "arena, ws-root": lambda world: InArena(world, "ws-root")}
POLICIES: dict[str, Any] = {
    "random": Random, "popular": Popular, "ws-root per visitor": RootPerVisitor, "CrowdTS": BradleyTerry,
    "Hier": lambda world: BradleyTerry(world, own=1.0), "tastes": Tastes,
}  # fmt: skip
