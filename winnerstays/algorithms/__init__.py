"""Dueling-bandit algorithms: one family one file or folder, each with the same parts; `_shared` holds what several use.

Their modules are imported when an algorithm is looked for: the one that is called like it, or all of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from winnerstays.algorithms.base import Algorithm, Facts, Serving
    from winnerstays.algorithms.parameters import Choice, Number, Whole
    from winnerstays.algorithms.registry import algorithm, register, registered

__all__ = [
    "Algorithm", "Choice", "Facts", "Number", "Serving", "Whole", "algorithm", "register", "registered",
]  # fmt: skip

_HOMES = {
    "Algorithm": "winnerstays.algorithms.base",
    "Facts": "winnerstays.algorithms.base",
    "Serving": "winnerstays.algorithms.base",
    "Choice": "winnerstays.algorithms.parameters",
    "Number": "winnerstays.algorithms.parameters",
    "Whole": "winnerstays.algorithms.parameters",
    "algorithm": "winnerstays.algorithms.registry",
    "register": "winnerstays.algorithms.registry",
    "registered": "winnerstays.algorithms.registry",
}
"""Where each name lives: imported when it is used, so that an arena can be looked at without the compiler."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value
