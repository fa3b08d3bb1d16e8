"""What an arena asks of the machine: the size of a learner's state, known before one is made, and its compiling."""

from collections.abc import Callable
from typing import Any

import numpy as np

from winnerstays.arena.engine.learner import LearningRules
from winnerstays.arena.engine.tastes import TASTES, arena_algorithm
from winnerstays.arena.settings import Settings
from winnerstays.errors import WinnerstaysError
from winnerstays.randomness import stream

MAX_STATE_BYTES = 16_000_000
"""Of one learner, in memory: every ask and every answer reads and writes its state."""
LARGE_STATE_BYTES = 250_000
"""A larger state is not worked on where others wait for it."""
_SIZES = (6, 12, 24)
"""Numbers of items from which the size for any number is extrapolated."""


def check_size(settings: Settings) -> None:
    """Refuse an arena whose learners would be too large, before one is made."""
    n_items = len(settings.items)
    estimate = state_bytes(settings)
    if estimate(n_items) <= MAX_STATE_BYTES:
        return
    fits = max((n for n in (2**power for power in range(1, 32)) if estimate(n) <= MAX_STATE_BYTES), default=2)
    step = fits
    while step := step // 2:
        fits += step if estimate(fits + step) <= MAX_STATE_BYTES else 0
    raise WinnerstaysError(
        f"With {n_items} items a learner of {settings.algorithm} has about {estimate(n_items) / 1e6:.0f} MB, which "
        f"every ask and every answer would read and write; it may have {MAX_STATE_BYTES / 1e6:g} MB, that is {fits} "
        "items. Use fewer, or an algorithm whose state grows with the items and not with their pairs, such as ws-w."
    )


def state_bytes(settings: Settings) -> Callable[[int], float]:
    """Return the bytes of a learner's state by the number of items: a parabola through three small states."""
    algorithm = arena_algorithm(settings.algorithm, settings.params)
    features = settings.items[0].features
    sizes = []
    for n_items in _SIZES:
        given = np.random.default_rng(0).random((n_items, len(features))) if features else None
        state = algorithm.start(n_items, stream(0, 0), horizon=settings.horizon, features=given)
        sizes.append(memory_bytes(state))
    parabola = np.polyfit(_SIZES, sizes, 2)
    return lambda n_items: float(np.polyval(parabola, n_items))


def memory_bytes(state: Any) -> int:
    if isinstance(state, np.ndarray):
        return state.nbytes
    return sum(map(memory_bytes, state)) if isinstance(state, tuple) else 8


def fresh_bytes(rules: LearningRules) -> int:
    """Return the bytes of a new learner in memory."""
    state = rules.fresh(0)
    return memory_bytes(rules.prepare(state, rules.changes(state)))


def is_large(rules: LearningRules, bytes_: int) -> bool:
    """Whether asks and answers take long enough to be felt by others: the state is large, or a step is not compiled."""
    slow = not rules.algorithm.compiled and rules.algorithm.name != TASTES  # whose kernels are compiled
    return slow or bytes_ > LARGE_STATE_BYTES


def compile_steps(rules: LearningRules) -> None:
    """Compile the steps of an arena's learners by taking each once, on a state of their own."""
    state = rules.fresh(0)
    first, second, _ = rules.serve(state)
    state = rules.show(state, first, second)
    rules.learn(state, first, second, state.step, "winner", first)
    rules.best(state)
    rules.round(state)
