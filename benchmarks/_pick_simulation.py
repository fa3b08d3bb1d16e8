"""Simulated picks: the procedure of `pick`, or other pairs with the same stop, compiled.

Outcomes are drawn from a table of chances, duel k of a pair alike whoever chose it: so ways to choose pairs can be
compared answer by answer. Duels are served ahead of the answers by as much as `window` allows, as in a real pick with
many calls at once.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.compiling import entry, kernel, modular
from winnerstays.evidence import log_evidence
from winnerstays.picking import procedure
from winnerstays.picking.procedure import NOBODY, PLAYING, State
from winnerstays.randomness import Rng, below, shuffle, skipped, stream, uniform

MAX_CALLS = 1_000_000
BITS_OF_PAIR = 24
"""A pair has as many numbers of the stream as this many bits count: more than MAX_CALLS."""
PICK, RANDOM, ALL_PAIRS = range(3)
SECOND_WON, NOTHING, FIRST_WON = -1, 0, 1
STRATEGIES = {"pick": PICK, "random pairs": RANDOM, "all pairs": ALL_PAIRS}


class Judge(NamedTuple):
    """The chances of a simulated judge: that the row is chosen over the column, that it is a tie, that a call fails."""

    wins: Floats
    ties: Floats
    failures: float = 0.0


class World(NamedTuple):
    """A simulated judge at work: its chances, how often each pair (lower, higher) was asked, the stream of answers."""

    wins: Floats
    ties: Floats
    asked: Ints
    rng: Rng


class Picked(NamedTuple):
    """The end of a simulated pick."""

    verdict: int
    favourite: int
    calls: int
    wasted: int = 0
    """Answers that were not about the favourite, and so are no part of its certificate."""


Player = Callable[[State, World, int, Rng], tuple[int, int]]
"""Plays with a budget until the verdict; returns it and the number of calls."""


@modular
def draw(world: World, first: int, second: int) -> int:
    """Return the outcome of the next duel of a pair; each pair has a part of the stream to itself."""
    lower, higher = min(first, second), max(first, second)
    place = np.uint64((lower * world.asked.shape[0] + higher) << BITS_OF_PAIR) * world.rng[1]
    u = skipped(world.rng, world.rng[0] + place, world.asked[lower, higher])
    world.asked[lower, higher] += 1
    if u < world.wins[lower, higher]:
        return FIRST_WON if first == lower else SECOND_WON
    if u < world.wins[lower, higher] + world.ties[lower, higher]:
        return NOTHING
    return SECOND_WON if first == lower else FIRST_WON


@entry
def learn_wins(state: State, first: int, second: int, outcome: int) -> None:
    """Learn the outcome of a served duel, where all are wins, losses and ties."""
    on_first, on_second = procedure.bets_on(state, first, second), procedure.bets_on(state, second, first)
    procedure.learn(state, first, second, float(outcome))
    if outcome != 0:
        if on_first:
            count_bet(state, first, second, outcome > 0)
        if on_second:
            count_bet(state, second, first, outcome < 0)
        won, lost = int(state.wins[first, second]), int(state.wins[second, first])
        procedure.weigh(state, first, second, log_evidence(won, lost, 0.5), log_evidence(lost, won, 0.5))
        if state.indifference > 0.0:
            null = 0.5 - state.indifference
            procedure.weigh_near(state, first, second, log_evidence(won, lost, null), log_evidence(lost, won, null))


@kernel
def count_bet(state: State, item: int, other: int, won: bool) -> None:
    """Count a duel on which the other one's test has bet."""
    state.bets_won[item, other] += won
    state.bets_lost[item, other] += not won
    procedure.stake(state, item, other, log_evidence(state.bets_won[item, other], state.bets_lost[item, other], 0.5))


@entry
def play(
    state: State, world: World, strategy: int, concurrency: int, budget: int, failures: float, waiting: Ints, rng: Rng
) -> tuple[int, int]:
    """Play until the verdict; return it and the number of calls. `waiting` has a row for each open duel."""
    n_items, size = state.beaten_by.size, waiting.shape[0]
    served, learned, first, second = 0, 0, 0, 0
    while True:
        while served < budget and served - learned < procedure.window(served, concurrency):
            if strategy == PICK:
                first, second = procedure.choose(state, rng)
                if second == NOBODY:  # the open duels decide
                    break
            elif strategy == RANDOM:
                first = below(rng, n_items)
                second = (first + 1 + below(rng, n_items - 1)) % n_items
            else:
                second += 1
                if second == n_items:
                    first = (first + 1) % (n_items - 1)
                    second = first + 1
            procedure.serve(state, first, second)
            waiting[served % size, 0], waiting[served % size, 1] = first, second
            served += 1
        if served == learned:
            return PLAYING, served
        one, other = waiting[learned % size, 0], waiting[learned % size, 1]
        if failures > 0.0 and uniform(rng) < failures:
            procedure.withdraw(state, one, other)
        else:
            learn_wins(state, one, other, draw(world, one, other))
        learned += 1
        verdict = procedure.verdict(state)
        if verdict != PLAYING:
            return verdict, served


def simulate_pick(
    judge: Judge,
    strategy: str | Player = "pick",
    *,
    level: float = 0.95,
    indifference: float = 0.0,
    cycles: str = "detected",
    concurrency: int = 1,
    budget: int = MAX_CALLS,
    seed: int = 0,
    run: int = 0,
) -> Picked:
    """Simulate one pick; `strategy` is one of STRATEGIES, or plays itself. Items are relabelled at random.

    >>> judge = Judge(np.array([[0.5, 0.9], [0.1, 0.5]]), np.zeros((2, 2)))
    >>> simulate_pick(judge).favourite
    0
    """
    n_items = len(judge.wins)
    rng, label = stream(seed, run, 0), np.arange(n_items)
    world = _world(judge, label, stream(seed, run, 1))
    state = procedure.init(n_items, level, rng, indifference=indifference, cycles=cycles)
    if isinstance(strategy, str):
        waiting = np.zeros((2 * concurrency, 2), np.int64)
        verdict, calls = play(state, world, STRATEGIES[strategy], concurrency, budget, judge.failures, waiting, rng)
    else:
        verdict, calls = strategy(state, world, budget, rng)
    favourite = int(state.favourite[0] if verdict != PLAYING else procedure.leader(state))
    wasted = world.asked.sum() - world.asked[favourite].sum() - world.asked[:, favourite].sum()
    return Picked(int(verdict), int(label[favourite]), int(calls), int(wasted))


def _world(judge: Judge, label: Ints, rng: Rng) -> World:
    """Return the judge with its items in random order; `label` becomes that order."""
    shuffle(label, rng)
    grid = np.ix_(label, label)
    return World(judge.wins[grid].copy(), judge.ties[grid].copy(), np.zeros((label.size, label.size), np.int64), rng)
