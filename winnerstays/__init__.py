"""Show two. Learn the favourite: dueling bandits with weak and strong regret.

>>> from winnerstays import Learner
>>> learner = Learner("ws-w", items=["ramen", "tacos", "pho"], seed=1)
>>> duel = learner.ask()
>>> learner.tell(duel, winner=duel.first)
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from winnerstays.algorithms import Algorithm, Choice, Number, Whole, algorithm, register, registered
    from winnerstays.arena import Arena, Arenas, AsyncArena, AsyncArenas, Item
    from winnerstays.compiling import kernel
    from winnerstays.errors import WinnerstaysError
    from winnerstays.learner import Duel, Learner
    from winnerstays.picking import PickResult, pick
    from winnerstays.problems import Problem, problem
    from winnerstays.randomness import below, beta, gamma, normal, shuffle, uniform
    from winnerstays.regret_names import REGRETS
    from winnerstays.simulation import Curve, Simulation, simulate

os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")  # Colorama would swap sys.stdout while compiling

__all__ = [
    "REGRETS", "Algorithm", "Arena", "Arenas", "AsyncArena", "AsyncArenas", "Choice", "Curve", "Duel", "Item",
    "Learner", "Number", "PickResult", "Problem", "Simulation", "Whole", "WinnerstaysError", "algorithm", "below",
    "beta", "gamma", "kernel", "normal", "pick", "problem", "register", "registered", "shuffle", "simulate", "uniform",
]  # fmt: skip

_HOMES = {
    "winnerstays.algorithms": ("Algorithm", "Choice", "Number", "Whole", "algorithm", "register", "registered"),
    "winnerstays.arena": ("Arena", "Arenas", "AsyncArena", "AsyncArenas", "Item"),
    "winnerstays.compiling": ("kernel",),
    "winnerstays.errors": ("WinnerstaysError",),
    "winnerstays.learner": ("Duel", "Learner"),
    "winnerstays.picking": ("PickResult", "pick"),
    "winnerstays.problems": ("Problem", "problem"),
    "winnerstays.randomness": ("below", "beta", "gamma", "normal", "shuffle", "uniform"),
    "winnerstays.regret_names": ("REGRETS",),
    "winnerstays.simulation": ("Curve", "Simulation", "simulate"),
}
"""Where each name lives: imported when it is used, so that `winnerstays --help` does not wait for the compiler."""


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(home), name)
            return value
    raise AttributeError(f"module 'winnerstays' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
