"""Show two. Learn the favourite: dueling bandits with weak and strong regret.

>>> from winnerstays import Learner
>>> learner = Learner("ws-w", items=["ramen", "tacos", "pho"], seed=1)
>>> duel = learner.ask()
>>> learner.tell(duel, winner=duel.first)
"""

from typing import TYPE_CHECKING, Any

from winnerstays.algorithms import Algorithm, Choice, Number, Whole, algorithm, register, registered
from winnerstays.compiling import kernel
from winnerstays.errors import WinnerstaysError
from winnerstays.learner import Duel, Learner
from winnerstays.picking import PickResult, pick
from winnerstays.problems import Problem, problem
from winnerstays.randomness import below, shuffle, uniform
from winnerstays.simulation import Curve, Simulation, simulate
from winnerstays.simulation.regret import REGRETS

if TYPE_CHECKING:
    from winnerstays.arena import Arena

__all__ = [
    "REGRETS", "Algorithm", "Arena", "Choice", "Curve", "Duel", "Learner", "Number", "PickResult", "Problem",
    "Simulation", "Whole", "WinnerstaysError", "algorithm", "below", "kernel", "pick", "problem", "register",
    "registered", "shuffle", "simulate", "uniform",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "Arena":
        from winnerstays.arena import Arena

        return Arena
    raise AttributeError(f"module 'winnerstays' has no attribute {name!r}")
