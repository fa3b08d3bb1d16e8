"""Show two. Learn the favourite: dueling bandits with weak and strong regret.

>>> from winnerstays import Learner
>>> learner = Learner("ws-w", items=["ramen", "tacos", "pho"], seed=1)
>>> duel = learner.ask()
>>> learner.tell(duel, winner=duel.first)
"""

from winnerstays.algorithms import Algorithm, Choice, Number, Whole, algorithm, register, registered
from winnerstays.compiling import kernel
from winnerstays.errors import WinnerstaysError
from winnerstays.learner import Duel, Learner
from winnerstays.problems import Problem, problem
from winnerstays.randomness import below, shuffle, uniform
from winnerstays.regret import REGRETS
from winnerstays.simulation import Curve, Simulation, simulate

__all__ = [
    "REGRETS", "Algorithm", "Choice", "Curve", "Duel", "Learner", "Number", "Problem", "Simulation", "Whole",
    "WinnerstaysError", "algorithm", "below", "kernel", "problem", "register", "registered", "shuffle", "simulate",
    "uniform",
]  # fmt: skip
