"""Dueling-bandit algorithms: one family one file or folder, each with the same parts; `_shared` holds what several use.

Every module in here is imported, so that every algorithm is registered.
"""

from importlib import import_module
from pkgutil import walk_packages

from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.parameters import Choice, Number, Whole
from winnerstays.algorithms.registry import algorithm, register, registered

for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)

__all__ = ["Algorithm", "Choice", "Number", "Whole", "algorithm", "register", "registered"]
