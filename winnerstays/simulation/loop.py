"""The one loop: an algorithm against a problem, one run, all regrets at the asked times."""

from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays.algorithms.contract import Algorithm, Ints
from winnerstays.compiling import entry
from winnerstays.problems.problem import Chances, Floats, chance
from winnerstays.randomness import Rng, uniform
from winnerstays.regret import Stakes, Tally, charge, settle

steps: Any = None
"""The algorithm's functions: `loop_of` makes a copy of `loop` in which this name is bound to them."""


def loop(
    state: Any,
    chances: Chances,
    at_stake: Stakes,
    tally: Tally,
    label: Ints,
    times: Ints,
    record: Floats,
    rng: Rng,
    luck: Rng,
    stop: npt.NDArray[np.uint8],
) -> int:
    """Play up to times[-1]; record[c] gets the regrets up to times[c]. Returns how many times were reached.

    `label` maps the algorithm's arms to the problem's. `rng` is the algorithm's randomness, `luck` the world's.
    """
    t = 0
    shown_first, shown_second, shown, p = 0, 0, 0, 0.5  # looked up and charged when the pair changes, not at every duel
    for c in range(times.size):
        if stop[0]:
            return c
        while t < times[c]:
            first, second = steps.choose(state, rng)
            if first != shown_first or second != shown_second:
                charge(tally, at_stake, label[shown_first], label[shown_second], shown)
                shown_first, shown_second, shown = first, second, 0
                p = chance(chances, label[first], label[second])
            duels = min(steps.certain(state), times[c] - t)
            if duels > 0:
                state = steps.leap(state, duels)
            else:
                duels = 1
                state = steps.update(state, first, second, uniform(luck) < p, rng)
            t += duels
            shown += duels
        charge(tally, at_stake, label[shown_first], label[shown_second], shown)
        shown = 0
        settle(tally, at_stake, record[c])
    return int(times.size)


@cache
def loop_of(algorithm: Algorithm) -> Any:
    """`loop` for one algorithm: the same code with `steps` bound to its functions.

    A copy of the function, not a closure and not an argument, because only so can Numba keep the machine code on disk.
    """
    functions = ModuleType(f"steps of {algorithm.name}")
    for name in ("choose", "update", "certain", "leap"):
        setattr(functions, name, getattr(algorithm, name))
    code: CodeType = loop.__code__
    copy = FunctionType(code, {**loop.__globals__, "steps": functions}, f"loop_{algorithm.name}")
    copy.__qualname__ = copy.__name__
    copy.__module__ = algorithm.init.__module__ if algorithm.init.__module__ == "__main__" else loop.__module__
    return entry(copy) if algorithm.compiled else copy
