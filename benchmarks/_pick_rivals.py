"""Algorithms of the library as rivals of `pick`: they choose the pairs, with the same stop and the same dropping."""

from functools import cache
from types import ModuleType
from typing import Any

from benchmarks._pick_simulation import FIRST_WON, NOTHING, STRATEGIES, Player, World, draw, learn_wins
from winnerstays.algorithms import algorithm
from winnerstays.compiling import specialise
from winnerstays.picking import procedure
from winnerstays.picking.procedure import NOBODY, PLAYING, State
from winnerstays.randomness import Rng, below, uniform

MAX_FREE = 100_000
"""The most proposals in a row that cost nothing; then a random duel of the favourite is played."""
steps: Any = None
"""The algorithm's functions: `player_of` makes a copy of `play_algorithm` in which this name is bound to them."""


def play_algorithm(state: State, algorithm_state: Any, world: World, budget: int, rng: Rng) -> tuple[int, int]:
    """Let an algorithm choose the pairs, with the same stop and the same dropping.

    What needs no judge is free: duels of an item with itself are coins, and those of a beaten item it loses. When all
    but one are beaten, that one meets those it has not beaten itself, as in `pick`.
    """
    calls = free = 0
    while calls < budget:
        first, second = steps.choose(algorithm_state, rng)
        one, other = procedure.choose(state, rng)
        if state.beaten_by[other] != NOBODY:
            first, second = one, other
        elif free > MAX_FREE:
            first, second = one, (one + 1 + below(rng, state.beaten_by.size - 1)) % state.beaten_by.size
        elif first == second or state.beaten_by[first] != NOBODY or state.beaten_by[second] != NOBODY:
            free += 1
            first_won = state.beaten_by[first] == NOBODY
            if first_won == (state.beaten_by[second] == NOBODY):
                first_won = uniform(rng) < 0.5
            algorithm_state = steps.update(algorithm_state, first, second, first_won, rng)
            continue
        calls, free = calls + 1, 0
        procedure.serve(state, first, second)
        outcome = draw(world, first, second)
        learn_wins(state, first, second, outcome)
        found = procedure.verdict(state)
        if found != PLAYING:
            return found, calls
        if outcome != NOTHING:
            algorithm_state = steps.update(algorithm_state, first, second, outcome == FIRST_WON, rng)
    return PLAYING, calls


@cache
def player_of(name: str) -> Any:
    """Return `play_algorithm` for a registered algorithm."""
    chosen, functions = algorithm(name), ModuleType(f"steps of {name}")
    functions.choose, functions.update = chosen.choose, chosen.update  # type: ignore[attr-defined]
    return specialise(play_algorithm, functions, name)


def player(name: str) -> str | Player:
    """Return a way to choose pairs by its name: one of STRATEGIES, or an algorithm of the library."""
    if name in STRATEGIES:
        return name

    def play(state: State, world: World, budget: int, rng: Rng) -> tuple[int, int]:
        algorithm_state = algorithm(name).start(state.beaten_by.size, rng, horizon=budget)
        return player_of(name)(state, algorithm_state, world, budget, rng)

    return play
