"""The contract of an algorithm, and the registry of all that are known.

An algorithm is a `State` (a NamedTuple of numbers and arrays) and four functions:

- `init(n_arms, rng, **parameters) -> State` allocates everything the algorithm will ever need;
- `choose(state, rng) -> (first, second)` says which two arms duel next and changes nothing but `rng`;
- `update(state, first, second, first_won, rng) -> State` learns, in place where that is cheaper;
- `best(state) -> arm` is the favourite so far.

Two more are optional, for algorithms that know their next duels without looking at outcomes:
`certain(state)` counts the coming duels that will show the same pair whatever happens, and `leap(state, duels)`
is what that many updates would give, by default the state as it is. The simulator then does not play them one by one.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Literal

import numpy as np

from winnerstays._types import Floats as Floats
from winnerstays._types import Ints as Ints
from winnerstays.compiling import generic
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.randomness import Rng

Value = float | int | str

FOREVER = 2**62
"""More duels than there will ever be: `certain` where one arm is left, a time that never comes."""

SMALLEST, LARGEST = 1e-100, 1e12
"""Sizes of real parameters, other than 0, with which formulas stay within what 64 bits hold."""


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


@dataclass(frozen=True)
class Number:
    """A real parameter with its default and its limits: `above` and `below` are excluded, `least` is not.

    `default=None` says that it must be given.
    """

    default: float | None
    meaning: str
    above: float = -math.inf
    below: float = math.inf
    least: float = -math.inf

    def check(self, owner: str, name: str, value: object) -> float:
        number = _number(value)
        if not (self.above < number < self.below and number >= self.least and math.isfinite(number)):
            raise WinnerstaysError(f"{owner}: {name} is {value}, but it must be {self.describe()}.")
        if number and not SMALLEST <= abs(number) <= LARGEST:
            raise WinnerstaysError(f"{owner}: {name} is {value}, but its size must be {SMALLEST:g} to {LARGEST:g}.")
        return number

    def describe(self) -> str:
        limits = {"above": self.above, "at least": self.least, "below": self.below}
        said = " and ".join(f"{word} {limit:g}" for word, limit in limits.items() if math.isfinite(limit))
        return f"a finite number {said}".strip()


@dataclass(frozen=True)
class Whole:
    """An integer parameter with its default, its smallest and its largest allowed value."""

    default: int
    meaning: str
    least: int = 1
    most: int = 2**31

    def check(self, owner: str, name: str, value: object) -> int:
        number = _number(value)
        if not (self.least <= number <= self.most and number == int(number)):
            raise WinnerstaysError(f"{owner}: {name} is {value}, but it must be {self.describe()}.")
        return int(number)

    def describe(self) -> str:
        return f"a whole number from {self.least} to {self.most}"


@dataclass(frozen=True)
class Choice:
    """A parameter that is one of a few words; the first is the default."""

    options: tuple[str, ...]
    meaning: str

    @property
    def default(self) -> str:
        return self.options[0]

    def check(self, owner: str, name: str, value: object) -> str:
        if value not in self.options:
            raise WinnerstaysError(f"{owner}: {name} is {value!r}, but it must be {self.describe()}.")
        return str(value)

    def describe(self) -> str:
        return "one of " + ", ".join(self.options)


Parameter = Number | Whole | Choice


@generic
def _nothing_certain(state: Any) -> int:
    return 0


@generic
def _as_it_is(state: Any, duels: int) -> Any:
    return state


@dataclass(frozen=True, eq=False)
class Algorithm:
    """An algorithm with its functions, its parameters' values, and what a reader should know of it."""

    name: str
    title: str
    init: Callable[..., Any]
    choose: Callable[[Any, Rng], tuple[int, int]]
    update: Callable[[Any, int, int, bool, Rng], Any]
    best: Callable[[Any], int]
    certain: Callable[[Any], int] = _nothing_certain
    leap: Callable[[Any, int], Any] = _as_it_is
    round: Callable[[Any], int] | None = None
    """The round of Winner Stays, for those that play in its rounds: the paper's certificate speaks of it."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    params: Mapping[str, Value] = field(default_factory=dict)
    """Values that differ from the defaults; `settings` has all of them."""
    needs: frozenset[Literal["horizon", "features"]] = frozenset()
    """What `init` must be told besides the number of arms."""
    regret: Literal["weak", "strong"] = "strong"
    """The regret it is made for."""
    assumes: str = "Condorcet winner"
    guarantee: str = "none proved"
    cost: str = "O(1)"
    """Time per duel."""
    paper: str = ""
    version: int = 1
    """Of the meaning of its State; a dump of another version is not read as this one."""
    compiled: bool = True
    """False where a step calls a library that cannot be compiled."""
    any_pair: bool = False
    """True where `update` learns from any pair at any time, not only from the one that `choose` would give now."""

    def __post_init__(self) -> None:
        for name in self.params:
            if name not in self.parameters:
                raise unknown(f"parameter of {self.name}", name, self.parameters)
        checked = {name: self.parameters[name].check(self.name, name, value) for name, value in self.params.items()}
        object.__setattr__(self, "params", checked)

    def __call__(self, **params: Value) -> "Algorithm":
        """The same algorithm with other parameter values.

        >>> algorithm("ws-s")(beta=1.2).label
        'ws-s beta=1.2'
        """
        return replace(self, params={**self.params, **params})

    def __reduce__(self) -> Any:
        """Other processes look a registered algorithm up by name, so that they compile it once."""
        module = self.init.__module__
        if module == "__main__" or _registry.get(self.name) is None or _registry[self.name].init is not self.init:
            return super().__reduce__()
        return _look_up, (module, self.name, dict(self.params))

    @property
    def settings(self) -> dict[str, Value]:
        """Every parameter with its value."""
        chosen: dict[str, Value] = {}
        for name, parameter in self.parameters.items():
            value = self.params.get(name, parameter.default)
            chosen[name] = parameter.check(self.name, name, "not given" if value is None else value)
        return chosen

    @property
    def label(self) -> str:
        """The name, with the parameters that are not at their defaults."""
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.params.items())])

    def start(self, n_arms: int, rng: Rng, *, horizon: int | None = None, features: Floats | None = None) -> Any:
        """A fresh State, after checking that everything `init` needs is there."""
        if n_arms < 2:
            raise WinnerstaysError(f"{self.name}: a duel needs at least 2 arms, but there are {n_arms}.")
        given: dict[str, Any] = dict(self.settings)
        if "horizon" in self.needs:
            if horizon is None:
                raise WinnerstaysError(f"{self.name} must know the horizon (the number of duels) in advance; give one.")
            given["horizon"] = horizon
        if "features" in self.needs:
            if features is None:
                raise WinnerstaysError(f"{self.name} needs a feature vector for every arm, and this problem has none.")
            given["features"] = _features(self.name, n_arms, features)
        try:
            return self.init(n_arms, rng, **given)
        except MemoryError:
            raise WinnerstaysError(f"{self.name}: there is not enough memory for {n_arms} arms.") from None


def _features(owner: str, n_arms: int, features: Floats) -> Floats:
    known = np.array(features, dtype=np.float64)
    if known.ndim != 2 or len(known) != n_arms or not np.isfinite(known).all():
        raise WinnerstaysError(
            f"{owner}: the features have shape {known.shape}, but there must be one row of finite numbers for each of "
            f"the {n_arms} arms."
        )
    return known


def _look_up(module: str, name: str, params: dict[str, Value]) -> Algorithm:
    import_module(module)
    return algorithm(name, **params)


_registry: dict[str, Algorithm] = {}
_plugins_loaded = False


def register(algorithm: Algorithm) -> Algorithm:
    """Make an algorithm known by its name, everywhere: simulator, learner, command line, contract suite."""
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
    if known is not None and known.init.__code__.co_filename != algorithm.init.__code__.co_filename:
        raise WinnerstaysError(f"The name {algorithm.name!r} is taken by another algorithm; choose a new one.")
    _registry[algorithm.name] = algorithm
    return algorithm


def registered() -> dict[str, Algorithm]:
    """All known algorithms by name, those of installed plug-ins included (entry points `winnerstays.algorithms`)."""
    global _plugins_loaded
    if not _plugins_loaded:
        _plugins_loaded = True
        for plugin in entry_points(group="winnerstays.algorithms"):
            register(plugin.load())
    return dict(sorted(_registry.items()))


def algorithm(name: "str | Algorithm", **params: Value) -> Algorithm:
    """The algorithm of that name, with these parameter values.

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
