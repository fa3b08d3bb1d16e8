"""One file per algorithm or family, with the same parts: State, init, choose, update, best; and what they share.

Every file here is imported, so that every algorithm is registered.
"""

from importlib import import_module
from pkgutil import iter_modules

from winnerstays.algorithms.base import Algorithm, Choice, Number, Whole, algorithm, register, registered

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["Algorithm", "Choice", "Number", "Whole", "algorithm", "register", "registered"]
