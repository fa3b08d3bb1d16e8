"""The contract of an algorithm.

An algorithm is a `State` (a NamedTuple of numbers and arrays) and four functions:

- `init(n_arms, rng, **parameters) -> State` allocates everything the algorithm will ever need;
- `choose(state, rng) -> (first, second)` says which two arms duel next and changes nothing but `rng`;
- `update(state, first, second, first_won, rng) -> State` learns, in place where that is cheaper;
- `best(state) -> arm` is the favourite so far.

Two more are optional, for algorithms that know their next duels without looking at outcomes:
`certain(state)` counts the coming duels that will show the same pair whatever happens, and `leap(state, duels)`
returns what this many updates would give, by default the state as it is. The simulator then skips those duels.

Every file of an algorithm has these parts in this order, as far as it has them: constants, `State`, `init`, `choose`,
`update`, `best`, `certain`, `leap`, `round_of`, helper kernels, the registered `Algorithm`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from winnerstays._types import Floats
from winnerstays.algorithms.parameters import Parameter, Value
from winnerstays.compiling import generic
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.randomness import Rng

FOREVER = 2**62
"""More duels than there will ever be: `certain` where one arm is left, a time that never comes."""
NOBODY = -1
"""No arm: where there is none, or it is not known yet."""


@generic
def _nothing_certain(state: Any) -> int:
    return 0


@generic
def _as_it_is(state: Any, duels: int) -> Any:
    return state


@dataclass(frozen=True, eq=False)
class Algorithm:
    """An algorithm: its functions, the values of its parameters, and what a reader should know of it."""

    name: str
    """What it is called in code and on the command line."""
    title: str
    """What it is called in the literature."""
    init: Callable[..., Any]
    """`(n_arms, rng, **parameters) -> State`: the state before the first duel."""
    choose: Callable[[Any, Rng], tuple[int, int]]
    """`(state, rng) -> (first, second)`: the arms of the next duel."""
    update: Callable[[Any, int, int, bool, Rng], Any]
    """`(state, first, second, first_won, rng) -> State`: the state after a duel."""
    best: Callable[[Any], int]
    """`(state) -> arm`: the favourite so far."""
    certain: Callable[[Any], int] = _nothing_certain
    """`(state) -> int`: how many coming duels show the same pair whatever their outcomes."""
    leap: Callable[[Any, int], Any] = _as_it_is
    """`(state, duels) -> State`: the state after this many of the duels that are certain."""
    round: Callable[[Any], int] | None = None
    """`(state) -> int`: the round of Winner Stays, where it plays in such rounds; its certificate speaks of them."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """The parameters of `init` by name, with defaults and limits."""
    params: Mapping[str, Value] = field(default_factory=dict)
    """The values that differ from the defaults; `settings` has all of them."""
    needs: frozenset[Literal["horizon", "features"]] = frozenset()
    """What `init` must be given besides the number of arms and the parameters."""
    regret: Literal["weak", "strong"] = "strong"
    """The regret it is made for."""
    assumes: str = "Condorcet winner"
    """What must hold of the preferences for the guarantee."""
    guarantee: str = "none proved"
    """The bound on its expected regret."""
    cost: str = "O(1)"
    """Time per duel."""
    paper: str = ""
    """Authors, venue and year."""
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
        """Return the same algorithm with other parameter values.

        >>> from winnerstays import algorithm
        >>> algorithm("ws-s")(beta=1.2).label
        'ws-s beta=1.2'
        """
        return replace(self, params={**self.params, **params})

    @property
    def settings(self) -> dict[str, Value]:
        """Return every parameter with its value."""
        chosen: dict[str, Value] = {}
        for name, parameter in self.parameters.items():
            value = self.params.get(name, parameter.default)
            chosen[name] = parameter.check(self.name, name, "not given" if value is None else value)
        return chosen

    @property
    def label(self) -> str:
        """Return the name, with the parameters that are not at their defaults."""
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.params.items())])

    def start(self, n_arms: int, rng: Rng, *, horizon: int | None = None, features: Floats | None = None) -> Any:
        """Return a fresh State, after checking that everything `init` needs is there."""
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
