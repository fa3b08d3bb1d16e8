"""The registry: every algorithm by its name, those of installed plug-ins included."""

import copyreg
import re
import warnings
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.parameters import Value
from winnerstays.compiling import plain
from winnerstays.errors import WinnerstaysError, callers_level, place_in, unknown
from winnerstays.specs import parse_spec

DEFAULTS: dict[str, str] = {"weak": "ws-w", "strong": "ws-t"}
"""The algorithm that is taken for a regret if none is named."""
_registry: dict[str, Algorithm] = {}
_loaded: set[str] = set()
"""What was imported so far of all that registers itself: `package` (the modules in here), `plugins`."""


def register(algorithm: Algorithm) -> Algorithm:
    """Make an algorithm known by its name, everywhere: simulator, learner, command line, contract suite.

    The same module may register a name again, as a cell of a notebook does that is run twice: the later one counts.
    """
    if not isinstance(algorithm, Algorithm):
        raise WinnerstaysError(
            f"{algorithm!r} cannot be registered; an Algorithm with init, choose, update and best is needed."
        )
    if not isinstance(algorithm.name, str) or not re.fullmatch(r"[^\s:=]+", algorithm.name):
        raise WinnerstaysError(
            f"The name {algorithm.name!r} cannot be registered; it must be text without spaces, colons and "
            "equals signs, as in name:parameter=value."
        )
    if not _home(algorithm).startswith(f"{__package__}."):
        _load_package()  # so that a name which is taken is refused now
    known = _registry.get(algorithm.name)
    if known is not None and _home(known) != _home(algorithm):
        taken = f"is taken by another algorithm, of {_home(known)}"
        raise WinnerstaysError(f"The name {algorithm.name!r} {taken}; choose a new one.")
    _registry[algorithm.name] = algorithm
    return algorithm


def _home(algorithm: Algorithm) -> str:
    return str(plain(algorithm.init).__module__)


def registered() -> dict[str, Algorithm]:
    """Return all known algorithms by name; plug-ins are found by their entry points `winnerstays.algorithms`."""
    _load_package()
    if "plugins" not in _loaded:
        _loaded.add("plugins")
        for plugin in entry_points(group="winnerstays.algorithms"):
            _load_plugin(plugin)
    return dict(sorted(_registry.items()))


def _load_plugin(plugin: EntryPoint) -> None:
    """Register what an installed package offers: an Algorithm, or a module that registers its own.

    One that cannot be loaded is said, and the others work all the same.
    """
    try:
        loaded = plugin.load()
        if not isinstance(loaded, ModuleType):
            register(loaded)
    except (Exception, SystemExit) as error:
        package = plugin.dist.name if plugin.dist else "an installed package"
        own = isinstance(error, WinnerstaysError)
        said = str(error) if own else f"{type(error).__name__}: {error}{place_in(error)}"
        offered = f"The algorithm {plugin.name} = {plugin.value!r} of the package {package}"
        warnings.warn(f"{offered} is missing, since it could not be loaded: {said}", stacklevel=callers_level())


def _load_package() -> None:
    """Import every module in here, so that every algorithm is registered."""
    if "package" not in _loaded:
        _loaded.add("package")
        for module in walk_packages([str(Path(__file__).parent)], f"{__package__}."):
            import_module(module.name)


def _find(name: str) -> Algorithm | None:
    """Return the algorithm of that name; its own module is enough if that is called like it, as most are."""
    module = name.replace("-", "_")
    if name not in _registry and module.isidentifier() and not module.startswith("_"):
        whole = f"{__package__}.{module}"
        home = find_spec(whole)
        if home is not None:
            import_module(f"{whole}.{module}" if home.submodule_search_locations else whole)
    return _registry.get(name) or registered().get(name)


def algorithm(name: str | Algorithm, **params: Value) -> Algorithm:
    """Return the algorithm of that name, with these parameter values.

    >>> algorithm("ws-s", beta=1.05).settings
    {'beta': 1.05, 'first_challenger': 'literal'}

    `algorithm("ws-s:beta=1.05")` is the same, as on the command line.
    """
    if isinstance(name, Algorithm):
        return name(**params) if params else name
    if not isinstance(name, str):
        raise WinnerstaysError(f"An algorithm is a name or an Algorithm, not {name!r}.")
    name, options = parse_spec(name)
    params = {**options, **params}
    chosen = _find(name)
    if chosen is None:
        raise unknown("algorithm", name, registered())
    return chosen(**params) if params else chosen


def default_algorithm(regret: str) -> str:
    """Return the name of the algorithm that is taken for a regret, weak or strong.

    >>> default_algorithm("strong")
    'ws-t'
    """
    if regret not in DEFAULTS:
        raise unknown("regret", regret, DEFAULTS)
    return DEFAULTS[regret]


def check_regret(algorithm: Algorithm, regret: str | None) -> None:
    """Refuse an algorithm that is made for weak regret where strong regret is asked for."""
    if regret == "strong" and algorithm.facts.regret == "weak":
        raise WinnerstaysError(
            f"{algorithm.name} is made for weak regret, not for strong regret; leave out the algorithm or the regret."
        )


def _reduce(algorithm: Algorithm) -> Any:
    """Pickle a registered algorithm by its name, so that another process compiles it once."""
    module, known = _home(algorithm), _registry.get(algorithm.name)
    if module == "__main__" or known is None or known.init is not algorithm.init:
        return algorithm.__reduce_ex__(2)
    return _look_up, (module, algorithm.name, dict(algorithm.params))


def _look_up(module: str, name: str, params: dict[str, Value]) -> Algorithm:
    import_module(module)
    return algorithm(name, **params)


copyreg.pickle(Algorithm, _reduce)
