"""Traffic: one learner while many duels are open, items come and go, tastes drift, and people do not answer.

`Traffic` says what happens, `weak_regrets` plays it for some runs of any algorithm. Between two events (an item comes
or goes, tastes change) the duels are played by one compiled loop, as in `loop.py`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Literal

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms.base import Algorithm
from winnerstays.compiling import entry, specialise
from winnerstays.errors import WinnerstaysError
from winnerstays.problems import Problem
from winnerstays.problems.chances import MATRIX, Chances, chance
from winnerstays.randomness import Rng, below, shuffle, stream, uniform

steps: Any = None
"""The algorithm's functions: `_bound` makes a copy of `play_on` in which this name is bound to them."""

FIRST, SECOND, STEP, PLAIN = range(4)
"""The rows of the queue of open duels: the pair, outcomes before it was served, 1 if the algorithm chose it."""
NOTHING, COIN, HALVES, LOSSES = range(4)
TEACHINGS = ("nothing", "coin", "halves", "losses")


@dataclass(frozen=True)
class Traffic:
    """What happens to a learner besides duels and answers. Times are counted in duels."""

    open_duels: int = 1
    """So many duels are open when the first of them is answered, then always."""
    any_order: bool = False
    """Answers come in random order, not the oldest first."""
    batches: bool = False
    """All open duels are answered together."""
    eligible: float = 1.0
    """The chance that an item may be shown, drawn at each ask; or once for each of the `countries`."""
    countries: int = 0
    drift_every: int = 0
    drift: Literal["all", "best", "neighbours"] = "all"
    """All tastes are shuffled, or the best item swaps with a random one, or two neighbours in rank swap."""
    start: int = 0
    """Items at the beginning; 0: all."""
    join_every: int = 0
    retire_every: int = 0
    """The best item is retired each so many duels."""
    unanswered: float = 0.0
    ties: float = 0.0
    ties_teach: Literal["nothing", "coin", "halves"] = "nothing"
    nones: float = 0.0
    """The chance that none of the two is chosen, where neither is good enough."""
    good: float = 0.0
    """The share of the items, the best ones, that are good enough; 0: none is, and any pair may be refused."""
    nones_teach: Literal["nothing", "coin", "losses"] = "nothing"
    silence: tuple[int, int] = (0, 0)
    """From the first to the second duel nobody answers."""


def play_on(
    state: Any,
    begin: int,
    end: int,
    regret: int,
    chances: Chances,
    label: Ints,
    rank: Ints,
    active: Ints,
    allowed: Ints,
    eligible: Ints,
    scratch: Ints,
    queue: Ints,
    position: Ints,
    rates: Floats,
    switches: Ints,
    rng: Rng,
    spare_rng: Rng,
    world: Rng,
) -> tuple[Any, int]:
    """Play the duels from `begin` to `end`; return the state and the weak regret so far.

    label maps the algorithm's arms to the problem's, rank[label[arm]] is 0 for the best; active are the items there
    are, allowed[country] those that a country may see. position: head and size of the queue, outcomes so far.
    """
    share, unanswered, ties, nones, good = rates
    any_pair, can_choose_among, any_order, batches, tie_teaches, none_teaches, quiet_from, quiet_to = switches
    restricted = share < 1.0
    for t in range(begin, end):
        best, count = -1, 0
        country = below(world, allowed.shape[0]) if restricted else 0
        for arm in range(label.size):
            eligible[arm] = active[arm]
            if restricted and active[arm]:
                drawn = uniform(world) < share if allowed.shape[0] == 1 else allowed[country, arm] == 1
                eligible[arm] = 1 if drawn else 0
            count += eligible[arm]
        if count < 2:
            for arm in range(label.size):
                eligible[arm] = active[arm]
        for arm in range(label.size):
            if eligible[arm] and (best < 0 or rank[label[arm]] < rank[label[best]]):
                best = arm
        plain = 1
        if restricted and can_choose_among:
            first, second = steps.among(state, eligible, scratch, rng)
        else:
            first, second = steps.choose(state, rng)
            while eligible[first] == 0 or eligible[second] == 0:  # what may not be shown is replaced at random
                plain = 0
                if eligible[first] == 0:
                    first = below(world, label.size)
                else:
                    second = below(world, label.size)
                    if second == first:
                        second = (first + 1) % label.size
        if first != best and second != best:
            regret += 1
        state = steps.show(state, first, second)
        place = (position[0] + position[1]) % queue.shape[1]
        queue[FIRST, place], queue[SECOND, place] = first, second
        queue[STEP, place], queue[PLAIN, place] = position[2], plain
        position[1] += 1
        if position[1] < queue.shape[1]:
            continue
        for _ in range(queue.shape[1] if batches else 1):
            if any_order:
                pick = (position[0] + below(world, position[1])) % queue.shape[1]
                for row in range(4):
                    queue[row, pick], queue[row, position[0]] = queue[row, position[0]], queue[row, pick]
            first, second, served, plain = queue[:, position[0]]
            position[0] = (position[0] + 1) % queue.shape[1]
            position[1] -= 1
            if (unanswered > 0.0 and uniform(world) < unanswered) or quiet_from <= t < quiet_to:
                state = steps.pass_(state, first, second)
                continue
            p = chance(chances, label[first], label[second])
            teach = -1
            if ties > 0.0 and uniform(world) < ties:
                teach = tie_teaches
            elif nones > 0.0 and min(rank[label[first]], rank[label[second]]) >= good and uniform(world) < nones:
                teach = none_teaches
            favourite = steps.best(state)
            if teach == NOTHING or (teach == LOSSES and favourite in (first, second)):
                state = steps.pass_(state, first, second)
                continue
            if teach in (HALVES, LOSSES):
                state = steps.tie(state, first, second)
                if teach == LOSSES:
                    for loser in (first, second):
                        state = steps.update(steps.show(state, favourite, loser), favourite, loser, True, rng)
                continue
            if teach == COIN:
                p = 0.5
            first_won = uniform(world) < p
            if not any_pair:
                current = plain == 1 and served == position[2]
                if not current:
                    spare_rng[0], spare_rng[1] = rng[0], rng[1]
                    one, other = steps.choose(state, spare_rng)
                    current = (one == first and other == second) or (one == second and other == first)
                if not current:
                    continue
            position[2] += 1
            state = steps.update(state, first, second, first_won, rng)
    return state, regret


def weak_regrets(
    algorithm: Algorithm, problem: Problem, traffic: Traffic, duels: int, runs: Iterable[int], *, seed: int = 0
) -> Floats:
    """Return the weak binary regret of each run: duels that were shown without the best of the items that could be.

    >>> from winnerstays import algorithm, problem
    >>> regrets = weak_regrets(algorithm("ws-root"), problem("cyclic"), Traffic(open_duels=5), 500, range(3))
    >>> regrets.shape
    (3,)
    """
    return np.array([_Run(algorithm, problem, traffic, duels, seed, run).play() for run in runs])


class _Run:
    """One run of an algorithm under traffic."""

    def __init__(
        self, algorithm: Algorithm, problem: Problem, traffic: Traffic, duels: int, seed: int, run: int
    ) -> None:
        self.algorithm, self.problem, self.traffic, self.duels = algorithm, problem, traffic, duels
        self.rng, self.world = stream(seed, run, 0), stream(seed, run, 1)
        n = problem.n_arms
        self.label = np.arange(n)
        shuffle(self.label, self.world)
        self.rank = _ranks(problem)
        self.active = np.ones(n, np.int64)
        self.allowed = np.ones((max(traffic.countries, 1), n), np.int64)
        for country, arm in np.ndindex(traffic.countries, n):
            self.allowed[country, arm] = uniform(self.world) < traffic.eligible
        self.room = 2 * duels if traffic.nones_teach == "losses" else duels
        state = algorithm.start(n, self.rng, horizon=duels, features=problem.features)
        self.state = algorithm.reserve(state, self.room)
        self.next = n
        if traffic.start:
            self.next = traffic.start
            self.leave(list(range(traffic.start, n)))
        self.regret = 0

    def play(self) -> int:
        traffic, serving, n = self.traffic, self.algorithm.serving, self.problem.n_arms
        play, scratch = _loop_of(self.algorithm), [np.zeros(n, np.int64) for _ in range(2)]
        queue, position = np.zeros((4, traffic.open_duels), np.int64), np.zeros(3, np.int64)
        rates = np.array([traffic.eligible, traffic.unanswered, traffic.ties, traffic.nones, traffic.good * n])
        switches = np.array([
            serving.any_pair, serving.among is not None, traffic.any_order, traffic.batches,
            TEACHINGS.index(traffic.ties_teach), TEACHINGS.index(traffic.nones_teach), *traffic.silence,
        ], dtype=np.int64)  # fmt: skip
        spare = self.rng.copy()
        events = [every for every in (traffic.drift_every, traffic.join_every, traffic.retire_every) if every]
        times = sorted({t for every in events for t in range(every, self.duels, every)} | {self.duels})
        begin = 0
        for end in times:
            self.state, self.regret = play(
                self.state, begin, end, self.regret, self.problem.chances, self.label, self.rank, self.active,
                self.allowed, *scratch, queue, position, rates, switches, self.rng, spare, self.world,
            )  # fmt: skip
            self.change(end)
            begin = end
        return self.regret

    def change(self, t: int) -> None:
        """Let happen what is due after duel t."""
        traffic = self.traffic
        if traffic.drift_every and t % traffic.drift_every == 0:
            self.drift()
        if traffic.retire_every and t % traffic.retire_every == 0 and self.active.sum() > 2:
            self.leave([self.best()])
        if traffic.join_every and t % traffic.join_every == 0 and self.next < self.problem.n_arms:
            self.active[self.next] = 1
            self.state = _able(self.algorithm, "join")(self.state, [self.next], self.rng)
            self.next += 1
        self.state = self.algorithm.reserve(self.state, self.room)

    def leave(self, arms: list[int]) -> None:
        self.active[arms] = 0
        self.state = _able(self.algorithm, "leave")(self.state, arms, self.rng)

    def best(self) -> int:
        there = np.flatnonzero(self.active)
        return int(there[np.argmin(self.rank[self.label[there]])])

    def drift(self) -> None:
        label, n = self.label, self.problem.n_arms
        if self.traffic.drift == "all":
            shuffle(label, self.world)
            return
        if self.traffic.drift == "best":
            one, other = self.best(), below(self.world, n)
        else:
            lower = below(self.world, n - 1)
            place = np.argsort(self.rank[label])
            one, other = int(place[lower]), int(place[lower + 1])
        label[one], label[other] = label[other], label[one]


def _able(algorithm: Algorithm, what: str) -> Any:
    function = getattr(algorithm.serving, what)
    if function is None:
        raise WinnerstaysError(f"{algorithm.name} has a fixed number of arms: no item can {what}.")
    return function


def _ranks(problem: Problem) -> Ints:
    """Return for each arm how many others come before it: stronger ones, or those that beat more arms."""
    chances = problem.chances
    beaten = (chances.matrix > 0.5).sum(axis=1) if chances.kind == MATRIX else chances.strength
    ranks = np.empty(problem.n_arms, np.int64)
    ranks[np.argsort(-beaten, kind="stable")] = np.arange(problem.n_arms)
    return ranks


def _loop_of(algorithm: Algorithm) -> Any:
    one, serving = algorithm, algorithm.serving
    functions = (
        one.init, one.choose, one.update, one.best, serving.show, serving.pass_, serving.tie or serving.pass_,
        serving.among or _no_choice,
    )  # fmt: skip
    return _bound(algorithm.name, functions, algorithm.compiled)


@entry
def _no_choice(state: Any, eligible: Ints, scratch: Ints, rng: Rng) -> tuple[int, int]:
    return 0, 0


@cache
def _bound(name: str, functions: tuple[Any, ...], compiled: bool) -> Any:
    """The same code as `play_on` with `steps` bound to these functions; see loop.py."""
    bound = ModuleType(f"steps of {name}")
    names = ("init", "choose", "update", "best", "show", "pass_", "tie", "among")
    for step, function in zip(names, functions, strict=True):
        setattr(bound, step, function)
    return specialise(play_on, bound, name, compiled=compiled)
