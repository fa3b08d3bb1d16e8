"""The registry: every algorithm by its name, those of installed plug-ins included."""

import copyreg
import re
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.parameters import Value
from winnerstays.errors import WinnerstaysError, unknown

DEFAULTS: dict[str, str] = {"weak": "ws-w", "strong": "ws-t"}
"""The algorithm that is taken for a regret if none is named."""
_registry: dict[str, Algorithm] = {}
_plugins_loaded = False


def register(algorithm: Algorithm) -> Algorithm:
    """Make an algorithm known by its name, everywhere: simulator, learner, command line, contract suite.

    The same module may register a name again, as a cell of a notebook does that is run twice: the later one counts.
    """
    if not isinstance(algorithm, Algorithm) or not all(
        map(callable, (algorithm.init, algorithm.choose, algorithm.update, algorithm.best))
    ):
        raise WinnerstaysError(
            f"{algorithm!r} cannot be registered; an Algorithm with init, choose, update and best is needed."
        )
    if not isinstance(algorithm.name, str) or not re.fullmatch(r"[^\s:=]+", algorithm.name):
        raise WinnerstaysError(
            f"The name {algorithm.name!r} cannot be registered; it must be text without spaces, colons and "
            "equals signs, as in name:parameter=value."
        )
    known = _registry.get(algorithm.name)
    if known is not None and known.init.__module__ != algorithm.init.__module__:
        raise WinnerstaysError(f"The name {algorithm.name!r} is taken by another algorithm; choose a new one.")
    _registry[algorithm.name] = algorithm
    return algorithm


def registered() -> dict[str, Algorithm]:
    """Return all known algorithms by name; plug-ins are found by their entry points `winnerstays.algorithms`."""
    global _plugins_loaded
    if not _plugins_loaded:
        _plugins_loaded = True
        for plugin in entry_points(group="winnerstays.algorithms"):
            register(plugin.load())
    return dict(sorted(_registry.items()))


def algorithm(name: str | Algorithm, **params: Value) -> Algorithm:
    """Return the algorithm of that name, with these parameter values.

    >>> algorithm("ws-s", beta=1.05).settings
    {'beta': 1.05, 'first_challenger': 'literal'}
    """
    if isinstance(name, Algorithm):
        return name(**params) if params else name
    if not isinstance(name, str):
        raise WinnerstaysError(f"An algorithm is a name or an Algorithm, not {name!r}.")
    known = registered()
    if name not in known:
        raise unknown("algorithm", name, known)
    return known[name](**params) if params else known[name]


def default_algorithm(regret: str) -> str:
    """Return the name of the algorithm that is taken for a regret, weak or strong.

    >>> default_algorithm("strong")
    'ws-t'
    """
    if regret not in DEFAULTS:
        raise unknown("regret", regret, DEFAULTS)
    return DEFAULTS[regret]


def _reduce(one: Algorithm) -> Any:
    """Pickle a registered algorithm by its name, so that another process compiles it once."""
    module, known = one.init.__module__, _registry.get(one.name)
    if module == "__main__" or known is None or known.init is not one.init:
        return one.__reduce_ex__(2)
    return _look_up, (module, one.name, dict(one.params))


def _look_up(module: str, name: str, params: dict[str, Value]) -> Algorithm:
    import_module(module)
    return algorithm(name, **params)


copyreg.pickle(Algorithm, _reduce)
