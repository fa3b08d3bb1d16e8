"""What chooses the pairs of a site: the settings of an arena, and what an engineer would write without one."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.arena.engine.crowd import MAX_LEARNERS, NEW_LEARNERS, crowd
from winnerstays.arena.engine.learner import LearnerState, LearningRules
from winnerstays.arena.items import ItemChanges, apply
from winnerstays.arena.settings import Item, Settings
from winnerstays.tastes import LOST, WON, Crowd, fit

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


class Tastes(Random):
    """The model of all visitors' tastes, fitted anew whenever answers have grown by half."""

    def __init__(self, world: Catalogue) -> None:
        super().__init__(world)
        self.crowd = Crowd(world.first, features=world.features)
        self.places = {name: place for place, name in enumerate(world.names)}
        self.visitors: dict[int, Any] = {}
        self.log: list[tuple[int, int, int, int]] = []
        self.next = 300

    def _visitor(self, visitor: int) -> Any:
        if visitor not in self.visitors:
            self.visitors[visitor] = self.crowd.visitor(seed=visitor)
        return self.visitors[visitor]

    def ask(self, visitor: int, eligible: Ints) -> tuple[int, int]:
        first, second = self.crowd.choose(self._visitor(visitor), [self.world.names[i] for i in eligible])
        return self.places[first], self.places[second]

    def best(self, visitor: int, eligible: Ints) -> int:
        return self.places[self.crowd.favourite(self._visitor(visitor), [self.world.names[i] for i in eligible])]

    def tell(self, visitor: int, first: int, second: int, first_won: bool) -> None:
        names, outcome = self.world.names, WON if first_won else LOST
        self.visitors[visitor] = self.crowd.tell(self._visitor(visitor), names[first], names[second], outcome)
        self.log.append((visitor, first, second, outcome))  # places in the crowd's list are those in the world's
        if len(self.log) >= self.next:
            self.next = len(self.log) * 3 // 2
            self.crowd = fit(self.crowd, *np.array(self.log).T)

    def change(self) -> None:
        self.crowd.add([self.world.names[i] for i in self.world.added], features=self.world.features)
        self.crowd.retire([self.world.names[i] for i in self.world.retired])


class Learners(Random):
    """The learners of an arena, by its own rules, without clock and disk."""

    def __init__(self, world: Catalogue, **settings: Any) -> None:
        super().__init__(world)
        items = tuple(Item(id=name) for name in world.first)
        self.rules = LearningRules(Settings(name="site", items=items, seed=world.seed, **settings))
        self.shared = self.rules.settings.audience == "everyone"
        self.states: dict[int, LearnerState] = {}
        self.served: dict[int, tuple[int, int, int]] = {}
        """The open duels: (first, second, step)."""
        self.prior: tuple[tuple[int, int], ...] = ()
        self.look = 0
        """With how many learners the crowd is looked at again."""

    def state(self, visitor: int) -> tuple[int, LearnerState]:
        """Return whose learner serves a visitor, and its state when they ask."""
        key = 0 if self.shared else visitor
        state, prior = self.states.get(key), self.prior[:0]
        if state is None:
            state, prior = self.rules.fresh(key), self._prior()
        passed = self.served.pop(visitor, None)
        data = self.rules.changes(state)._replace(prior=prior, passed=() if passed is None else (passed[:2],))
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
        winner = first if first_won else second
        self.states[key] = self.rules.learn(self.states[key], first, second, step, "winner", winner).state

    def change(self) -> None:
        names, world = self.world.names, self.world
        changes = ItemChanges.of(add=[names[i] for i in world.added], retire=[names[i] for i in world.retired])
        settings = apply(self.rules.settings, changes)
        self.rules = LearningRules(settings)
