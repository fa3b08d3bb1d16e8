"""A simulated site: items that come and go, zones, short visits, several open at once."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats, Ints
from winnerstays.advice.policies import Catalogue, Random


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


class World(Catalogue):
    """One population of a site."""

    def __init__(self, site: Site, seed: int) -> None:
        r = np.random.default_rng([seed, 2026])
        self.site, n = site, site.items + site.change

        def draw(*size: int) -> Floats:
            return r.standard_t(3, size) / math.sqrt(3) if site.heavy else r.normal(size=size)

        self.quality = site.quality * draw(n)
        self.factors = r.normal(size=(n, site.factors))
        tastes = r.normal(size=(site.visitors, site.factors)) @ self.factors.T / math.sqrt(site.factors)
        self.utilities = self.quality + site.cuisine * tastes + site.own * draw(site.visitors, n)
        first, retired = np.arange(site.items), r.choice(site.items, site.change, replace=False)
        second = np.concatenate([np.setdiff1d(first, retired), np.arange(site.items, n)])
        size = max(2, site.items // 5)
        zones = [(r.choice(first, size, replace=False), r.choice(second, size, replace=False)) for _ in range(5)]
        self.lists: list[list[Ints]] = [[first, second], *([np.sort(half) for half in zone] for zone in zones)]
        self.zone = np.where(r.random(site.visitors) < site.zones, r.integers(1, 6, site.visitors), 0)
        self.clicks = r.integers(site.clicks[0], site.clicks[1] + 1, site.visitors)
        self.silent = r.random(site.visitors) < site.bounces
        self.bot = r.random(site.visitors) < site.bots
        names = [f"item {i}" for i in range(n)]
        features = {name: row.tolist() for name, row in zip(names, self.factors, strict=True)}
        super().__init__(names, seed, np.arange(site.items, n), retired, features if site.features else None)

    def eligible(self, visitor: int, half: int) -> Ints:
        """Return the items that a visitor may have, before or after they changed."""
        return self.lists[int(self.zone[visitor])][half]


class Played(NamedTuple):
    """What became of the people of a site, in percent."""

    favourite: float
    """Of their duels, those that showed their favourite."""
    five: float
    """Those that showed one of their five best."""
    seen: float
    """Of the people, those who saw their favourite at least once."""


def play(world: World, policy: Random) -> Played:
    """Play all visits of a population."""
    r, site = np.random.default_rng([world.seed, 5]), world.site
    live: list[tuple[int, int, int]] = []
    came, shown, top, duels = 0, 0, 0, 0
    best: dict[tuple[int, int], npt.NDArray[Any]] = {}
    people, seen = set[int](), set[int]()
    half = 0
    while came < site.visitors or live:
        while came < site.visitors and len(live) < site.open:
            if came == site.visitors // 2 and site.change:
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
                people.add(visitor)
                if five[0] in (first, second):
                    shown += 1
                    seen.add(visitor)
                top += bool(np.isin((first, second), five).any())
            chance = 1 / (1 + math.exp(utility[second] - utility[first]))
            chance = site.slips / 2 + (1 - site.slips) * chance
            if world.bot[visitor]:
                chance = float(world.quality[first] < world.quality[second])
            policy.tell(visitor, first, second, bool(r.random() < chance))
        if clicked + 1 < (3 if world.silent[visitor] else world.clicks[visitor]):
            live.append((visitor, clicked + 1, when))
    return Played(100 * shown / max(1, duels), 100 * top / max(1, duels), 100 * len(seen) / max(1, len(people)))
