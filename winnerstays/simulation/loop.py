"""The loop of the simulator: an algorithm against a problem, one run, all regrets at the asked times.

Where more happens between two duels than one answer there is a loop of its own: `traffic.py` (open duels, items that
come and go).
"""

from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats, Ints
from winnerstays.algorithms.base import Algorithm
from winnerstays.compiling import kernel, specialise
from winnerstays.problems.chances import Chances, chance
from winnerstays.randomness import Rng, skipped, uniform
from winnerstays.simulation.regret import ArmLosses, Tally, add_duels, write_regrets

NO_SUCH_ARM = -1
MOST_OF_A_PAIR = 2**32
"""How far apart the random numbers of two pairs are in the stream."""

steps: Any = None
"""The algorithm's functions: `loop_of` makes a copy of `loop` in which this name is bound to them."""


def loop(
    state: Any,
    chances: Chances,
    losses: ArmLosses,
    tally: Tally,
    label: Ints,
    times: Ints,
    record: Floats,
    rng: Rng,
    outcome_rng: Rng,
    stop: npt.NDArray[np.uint8],
    met: Ints,
) -> int:
    """Play up to times[-1]; record[c] gets the regrets up to times[c]. Returns how many were reached, or
    NO_SUCH_ARM, with the pair in record[0].

    `label` maps the algorithm's arms to the problem's. `rng` is the algorithm's randomness, `outcome_rng` the world's.
    `met` counts the duels of each pair where these have their own random numbers; elsewhere it is empty.
    """
    t = 0
    shown_first, shown_second, shown, p = 0, 0, 0, 0.5  # looked up and counted when the pair changes, not at every duel
    for c in range(times.size):
        if stop[0]:
            return c
        while t < times[c]:
            first, second = steps.choose(state, rng)
            if first != shown_first or second != shown_second:
                if min(first, second) < 0 or max(first, second) >= label.size:
                    record[0, 0], record[0, 1] = first, second
                    return NO_SUCH_ARM
                add_duels(tally, losses, label[shown_first], label[shown_second], shown)
                shown_first, shown_second, shown = first, second, 0
                p = chance(chances, label[first], label[second])
            duels = min(steps.certain(state), times[c] - t)
            if duels > 0:
                state = steps.leap(state, duels)
            else:
                duels = 1
                first_won = steps.wins(label[first], label[second], p, met, outcome_rng)
                state = steps.update(state, first, second, first_won, rng)
            t += duels
            shown += duels
        add_duels(tally, losses, label[shown_first], label[shown_second], shown)
        shown = 0
        write_regrets(tally, losses, record[c])
    return int(times.size)


@kernel
def wins(first: int, second: int, p: float, met: Ints, rng: Rng) -> bool:
    """Return whether the first of two arms wins: the next number decides."""
    return uniform(rng) < p


@kernel
def wins_paired(first: int, second: int, p: float, met: Ints, rng: Rng) -> bool:
    """Return whether the first of two arms wins: the number of this duel of this pair decides."""
    low, high = min(first, second), max(first, second)
    met[low, high] += 1
    pair = np.int64(low) * met.shape[1] + np.int64(high)
    u = skipped(rng, rng[0], pair * MOST_OF_A_PAIR + met[low, high])
    return u < p if first == low else u >= 1.0 - p


def loop_of(algorithm: Algorithm, *, paired: bool = False) -> Any:
    """Return `loop` for one algorithm, whatever its parameters; if `paired`, each pair has its own random numbers."""
    functions = (algorithm.init, algorithm.choose, algorithm.update, algorithm.certain, algorithm.leap)
    name = f"{algorithm.name}-paired" if paired else algorithm.name
    return _bound(name, (*functions, wins_paired if paired else wins), algorithm.compiled)


@cache
def _bound(name: str, functions: tuple[Any, ...], compiled: bool) -> Any:
    """Return the same code as `loop` with `steps` bound to these functions."""
    bound = ModuleType(f"steps of {name}")
    bound.init, bound.choose, bound.update, bound.certain, bound.leap, bound.wins = functions  # type: ignore[attr-defined]
    return specialise(loop, bound, name, compiled=compiled)
