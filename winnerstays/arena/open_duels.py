"""The cost of many open duels: weak regret of a shared learner when answers come back late.

At every moment `open_duels` duels are out; the oldest is answered, then one more is served. Served pairs are chosen by
what is known by then, and an outcome whose pair is no longer current is not learned by Winner Stays.
"""

from collections import deque
from typing import NamedTuple

import numpy as np

from winnerstays.arena.learning import LearningRules
from winnerstays.arena.settings import Item, Settings
from winnerstays.errors import WinnerstaysError
from winnerstays.randomness import stream, uniform


class Cost(NamedTuple):
    """The weak regret of a shared learner with this many open duels."""

    open_duels: int
    weak: float
    """Weak binary regret: duels served without the best item."""
    error: float
    """Standard error of `weak`."""
    noted: float
    """Share of outcomes that taught nothing."""


def cost(
    open_duels: int,
    *,
    n_items: int = 50,
    p: float = 0.8,
    duels: int = 10_000,
    runs: int = 20,
    algorithm: str = "ws-w",
    seed: int = 0,
) -> Cost:
    """Simulate `runs` learners, with item 0 the best; the better of two items wins with chance p.

    >>> cost(1, n_items=3, duels=200, runs=3).noted
    0.0
    """
    for name, value, minimum in (("open duels", open_duels, 1), ("duels", duels, 1), ("runs", runs, 2)):
        if value < minimum:
            raise WinnerstaysError(f"The number of {name} is {value}, but it must be at least {minimum}.")
    if not 0.5 < p < 1:
        raise WinnerstaysError(f"p is {p}, but it must be above 1/2 and below 1.")
    items = tuple(Item(id=str(item)) for item in range(n_items))
    rules = LearningRules(
        Settings(name="cost", items=items, algorithm=algorithm, audience="everyone", seed=seed, horizon=duels)
    )
    regrets, noted = np.zeros(runs), 0
    for run in range(runs):
        state, answers = rules.fresh(run), stream(seed, run, 1)
        waiting: deque[tuple[int, int, int]] = deque()
        for _ in range(duels):
            first, second, _ = rules.serve(state)
            regrets[run] += first != 0 and second != 0
            waiting.append((first, second, state.step))
            if len(waiting) == open_duels:
                first, second, step = waiting.popleft()
                better, worse = min(first, second), max(first, second)
                winner = better if uniform(answers) < p else worse
                state, learned, _, _ = rules.learn(state, first, second, step, "winner", winner)
                noted += not learned
    error = float(regrets.std(ddof=1) / np.sqrt(runs))
    return Cost(open_duels, float(regrets.mean()), error, noted / (runs * duels))
