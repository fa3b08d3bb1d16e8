"""What chooses the pairs of a site: the settings of an arena, and what an engineer would write without one."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.arena.engine.crowd import MAX_LEARNERS, NEW_LEARNERS, crowd
from winnerstays.arena.engine.learner import LearnerState, LearningRules
from winnerstays.arena.engine.models import GROWTH, MIN_ANSWERS
from winnerstays.arena.engine.tastes import ArenaModels, crowd_of
from winnerstays.arena.items import ItemChanges, apply
from winnerstays.arena.settings import Item, Settings
from winnerstays.tastes import WON, fit

SLIPS = 0.05
"""Half the share of slips that Hier reckons with."""


class Catalogue:
    """The items of a site, first those that are there at the beginning."""

    def __init__(
        self, names: Sequence[str], seed: int, added: Ints | None = None, retired: Ints | None = None,
        features: Mapping[str, Sequence[float]] | None = None,
    ) -> None:  # fmt: skip
        none = np.zeros(0, np.int64)
        self.names, self.seed, self.features = list(names), seed, features
        self.added, self.retired = none if added is None else added, none if retired is None else retired
        self.first = self.names[: len(self.names) - self.added.size]


class Random:
    """Two random items."""

    def __init__(self, world: Catalogue) -> None:
        self.world, self.r = world, np.random.default_rng([world.seed, 9])

    def ask(self, visitor: int, eligible: Ints) -> tuple[int, int]:
        first, second = self.r.choice(eligible, 2, replace=False)
        return int(first), int(second)

    def best(self, visitor: int, eligible: Ints) -> int:
        """Return the eligible item that would be recommended to a visitor."""
        return int(self.r.choice(eligible))

    def tell(self, visitor: int, first: int, second: int, first_won: bool) -> None: ...
    def change(self) -> None: ...


class Popular(Random):
    """The two items of the highest share of wins."""

    def __init__(self, world: Catalogue) -> None:
        super().__init__(world)
        self.won, self.seen = np.ones(len(world.names)), np.full(len(world.names), 2.0)

    def ask(self, visitor: int, eligible: Ints) -> tuple[int, int]:
        worth = self.won[eligible] / self.seen[eligible] + 1e-6 * self.r.random(eligible.size)
        first, second = np.argsort(-worth)[:2]
        return int(eligible[first]), int(eligible[second])

    def best(self, visitor: int, eligible: Ints) -> int:
        return self.ask(visitor, eligible)[0]

    def tell(self, visitor: int, first: int, second: int, first_won: bool) -> None:
        self.won[first if first_won else second] += 1
        self.seen[[first, second]] += 1


class BradleyTerry(Random):
    """Bradley-Terry of all visitors by assumed density filtering; both items by draws.

    With `own`, Hier: a visitor's deviation, of this standard deviation, is learned beside it from the same answers.
    """

    def __init__(self, world: Catalogue, own: float = 0.0) -> None:
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

    def best(self, visitor: int, eligible: Ints) -> int:
        return int(eligible[np.argmax((self.mean + self._own(visitor)[0])[eligible])])

    def tell(self, visitor: int, first: int, second: int, first_won: bool) -> None:
        own_mean, own_var = self._own(visitor)
        parts = ((self.mean, self.var), (own_mean, own_var))
        gap = sum(mean[first] - mean[second] for mean, _ in parts)
        total = sum(var[first] + var[second] for _, var in parts)
        chance = 1 / (1 + math.exp(-gap / math.sqrt(1 + math.pi * total / 8)))
        chance = SLIPS + (1 - 2 * SLIPS) * chance if self.own else chance
        g, h = first_won - chance, chance * (1 - chance)
        for mean, var in parts:
            mean[first] += var[first] * g / (1 + h * total)
            mean[second] -= var[second] * g / (1 + h * total)
            var[[first, second]] *= 1 - var[[first, second]] * h / (1 + h * total)


class Learners(Random):
    """The learners of an arena, by its own rules, without clock and disk."""

    def __init__(self, world: Catalogue, **settings: Any) -> None:
        super().__init__(world)
        rows = world.features or {}
        self.items = [Item(id=name, features=tuple(rows.get(name, ()))) for name in world.names]
        self.versions: list[bytes] = []
        """Of the model of tastes."""
        first = tuple(self.items[: len(world.first)])
        self._follow(Settings(name="site", items=first, seed=world.seed, **settings))
        self.shared = self.rules.settings.audience == "everyone"
        self.states: dict[int, LearnerState] = {}
        self.served: dict[int, tuple[int, int, int]] = {}
        """The open duels: (first, second, step)."""
        self.prior: tuple[tuple[int, int], ...] = ()
        self.look = 0
        """With how many learners the crowd is looked at again."""
        self.log: list[tuple[int, int, int]] = []
        """Answers: (visitor, winner, loser)."""
        self.next_version = MIN_ANSWERS

    def _follow(self, settings: Settings) -> None:
        self.rules = LearningRules(settings, ArenaModels(settings, lambda version: self.versions[version - 1]))

    def state(self, visitor: int) -> tuple[int, LearnerState]:
        """Return whose learner serves a visitor, and its state when they ask."""
        key = 0 if self.shared else visitor
        state, prior = self.states.get(key), self.prior[:0]
        if state is None:
            state, prior = self.rules.fresh(key), self._prior()
        state, passed = self.rules.adopt(state), self.served.pop(visitor, None)
        data = self.rules.changes(state)._replace(
            prior=prior,
            passed=() if passed is None else (passed[:2],),
            model=self.rules.model(len(self.versions), None),
        )
        return key, self.rules.prepare(state, data)

    def _prior(self) -> tuple[tuple[int, int], ...]:
        """Return what a new visitor starts with."""
        settings = self.rules.settings
        if self.shared or not settings.crowd or self.rules.algorithm.serving.believe is None:
            return ()
        if len(self.states) >= self.look:
            newest = [self.states[key] for key in list(self.states)[-MAX_LEARNERS:]]
            tastes = [taste for state in newest if (taste := self.rules.taste(state)) is not None]
            active = [place for place, item in enumerate(settings.items) if not item.retired]
            self.prior = crowd(tastes, active).points
            self.look = len(self.states) + NEW_LEARNERS + len(tastes) // 20
        return self.prior

    def ask(self, visitor: int, eligible: Ints) -> tuple[int, int]:
        key, state = self.state(visitor)
        first, second, _ = self.rules.serve(state, eligible.tolist())
        self.served[visitor] = (first, second, state.step)
        self.states[key] = self.rules.show(state, first, second)
        return first, second

    def best(self, visitor: int, eligible: Ints) -> int:
        _, state = self.state(visitor)
        if self.rules.algorithm.serving.rank is not None:
            return self.rules.top(state, 1, eligible.tolist())[0]
        best = self.rules.best(state)
        return best if best in eligible else int(self.r.choice(eligible))

    def tell(self, visitor: int, first: int, second: int, first_won: bool) -> None:
        key = 0 if self.shared else visitor
        if visitor not in self.served:  # a logged answer to a pair that others chose
            self.states[key] = self.rules.show(self.state(visitor)[1], first, second)
        *_, step = self.served.pop(visitor, (0, 0, -1))
        winner, loser = (first, second) if first_won else (second, first)
        self.states[key] = self.rules.learn(self.states[key], first, second, step, "winner", winner).state
        if self.rules.uses_models:
            self.log.append((visitor, winner, loser))
            if len(self.log) >= self.next_version:
                self._make_version()

    def _make_version(self) -> None:
        """Make the next version of the model, as an arena does."""
        visitors, winners, losers = np.array(self.log).T
        before = crowd_of(self.rules.settings.items)
        self.versions.append(fit(before, visitors, winners, losers, np.full(winners.size, WON)).dump())
        self.next_version += max(MIN_ANSWERS, math.ceil(GROWTH * len(self.log)))

    def change(self) -> None:
        names, world = [item.id for item in self.items], self.world
        added = [self.items[place] for place in world.added]
        changes = ItemChanges.of(add=added, retire=[names[place] for place in world.retired])
        self._follow(apply(self.rules.settings, changes))
