"""The contract of an algorithm.

An algorithm is a `State` (a NamedTuple of numbers and arrays) and four functions:

- `init(n_arms, rng, **parameters) -> State` allocates everything the algorithm will ever need;
- `choose(state, rng) -> (first, second)` says which two arms duel next and changes nothing but `rng`;
- `update(state, first, second, first_won, rng) -> State` learns, in place where that is cheaper;
- `best(state) -> arm` is the favourite so far.

Two more are optional, for algorithms that know their next duels without looking at outcomes:
`certain(state)` counts the coming duels that will show the same pair whatever happens, and `leap(state, duels)`
returns what this many updates would give, by default the state unchanged. The simulator then skips those duels.

A state whose size is not known in advance has `reserve(state, updates) -> State`, which makes room for this many
updates; the caller calls it before them. `Serving` holds the optional functions that only an arena calls, `Facts` what
a reader should know.

Every file of an algorithm has these parts in this order, as far as it has them: constants, `State`, `init`, `choose`,
`update`, `best`, `certain`, `leap`, `round_of`, `show`, `pass_`, `tie`, `join`, `leave`, `present`, `rank`,
`believe`, `seen`, `among`, `reserve`, `stored`, `restored`, helper kernels, the registered `Algorithm`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats, Ints
from winnerstays.algorithms.checks import check_compiles, check_functions, check_state, failure, is_own
from winnerstays.algorithms.parameters import Parameter, Value
from winnerstays.codec import pack, unpack
from winnerstays.compiling import generic
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.randomness import Rng

FOREVER = 2**62
"""More duels than there will ever be: `certain` where one arm is left, a time that never comes."""
NEEDS = ("horizon", "features")
"""What an algorithm may have to know besides the number of arms."""
KNOWN_FACTS = {"regret": ("weak", "strong"), "winner": ("condorcet", "copeland", "borda", "none")}
"""The words of those facts that code reads."""
NOBODY = -1
"""No arm: where there is none, or it is not known yet."""


@generic
def _nothing_certain(state: Any) -> int:
    return 0


@generic
def _unmoved(state: Any, duels: int) -> Any:
    return state


@generic
def _unchanged(state: Any, first: int, second: int) -> Any:
    return state


def _large_enough(state: Any, updates: int) -> Any:
    return state


@dataclass(frozen=True)
class Serving:
    """What an arena may ask of an algorithm, besides duels: open duels, ties, items that come and go, priors."""

    any_pair: bool = False
    """True where `update` learns from any pair at any time, not only from the one that `choose` would give now."""
    show: Callable[[Any, int, int], Any] = _unchanged
    """`(state, first, second) -> State`: after the pair was handed out; others may be before its answer comes."""
    pass_: Callable[[Any, int, int], Any] = _unchanged
    """`(state, first, second) -> State`: after a shown pair got no winner: skipped, expired, an untaught tie."""
    tie: Callable[[Any, int, int], Any] | None = None
    """`(state, first, second) -> State`: after half a win of each; None where there are no half wins."""
    join: Callable[[Any, Sequence[int], Rng], Any] | None = None
    """`(state, arms, rng) -> State`: after arms came, with the next numbers or back; None where arms are fixed."""
    leave: Callable[[Any, Sequence[int], Rng], Any] | None = None
    """`(state, arms, rng) -> State`: after arms went; at least two stay. Both may allocate."""
    present: Callable[[Any], Sequence[int]] | None = None
    """`(state) -> arms`: those that are there; None where arms are fixed."""
    rank: Callable[[Any, Sequence[int]], Sequence[int]] | None = None
    """`(state, arms) -> arms`: the same arms, the best first; None where only the favourite is known."""
    believe: Callable[[Any, Sequence[tuple[int, int]]], Any] | None = None
    """`(state, prior) -> State`: a fresh state told what others taught, as (arm, points in 1/1024 of its scores)."""
    seen: Callable[[Any], Sequence[int]] | None = None
    """`(state) -> arms`: those that were ever shown; None where that is not counted."""
    among: Callable[[Any, Ints, Ints, Rng], tuple[int, int]] | None = None
    """`(state, eligible, scratch, rng) -> (first, second)`: as `choose`, among the arms with eligible[arm] = 1.

    `scratch` is an array of the same length to compute in.
    """
    stored: Callable[[Any], tuple[Any, ...]] | None = None
    """`(state) -> tuple`: the numbers and arrays, of any length, worth storing; None where that is the whole State.

    The same for equal states.
    """
    restored: Callable[[tuple[Any, ...], Any], Any] | None = None
    """`(stored, fresh) -> State`: the state again; a fresh one has the parameters."""

    @property
    def counts_open(self) -> bool:
        """Whether open duels are counted, so that it must be told which pairs are shown and passed over."""
        return self.show is not _unchanged


@dataclass(frozen=True)
class Facts:
    """What a reader should know of an algorithm."""

    regret: Literal["weak", "strong"] = "strong"
    """The regret it is made for."""
    winner: Literal["condorcet", "copeland", "borda", "none"] = "condorcet"
    """The winner that its guarantee is about; all but a Condorcet winner exist in every problem."""
    assumes: str = "Condorcet winner"
    """What must hold of the preferences for the guarantee, in words."""
    guarantee: str = "none proved"
    """The bound on its expected regret."""
    cost: str = "O(1)"
    """Time per duel."""
    paper: str = ""
    """Authors, venue and year."""

    def __post_init__(self) -> None:
        for name, known in KNOWN_FACTS.items():
            if getattr(self, name) not in known:
                raise unknown(f"{name} of an algorithm", getattr(self, name), known)


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
    leap: Callable[[Any, int], Any] = _unmoved
    """`(state, duels) -> State`: the state after this many of the duels that are certain."""
    round: Callable[[Any], int] | None = None
    """`(state) -> int`: the round of Winner Stays, where it plays in such rounds; its certificate speaks of them."""
    reserve: Callable[[Any, int], Any] = _large_enough
    """`(state, updates) -> State`: the same state with room for this many updates."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """The parameters of `init` by name, with defaults and limits."""
    params: Mapping[str, Value] = field(default_factory=dict)
    """The values that differ from the defaults; `settings` has all of them."""
    needs: frozenset[Literal["horizon", "features"]] = frozenset()
    """What `init` must be given besides the number of arms and the parameters."""
    serving: Serving = Serving()
    """What an arena may ask of it."""
    facts: Facts = Facts()
    """What a reader should know of it."""
    version: int = 1
    """Of the meaning of its State; a dump of another version is not read as this one."""
    compiled: bool = True
    """False where a step calls a library that cannot be compiled."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "needs", frozenset(self.needs))
        for need in self.needs - set(NEEDS):
            raise unknown(f"need of {self.name}", need, NEEDS)
        self._check_parameters()
        check_functions(self)
        for name in self.params:
            if name not in self.parameters:
                raise unknown(f"parameter of {self.name}", name, self.parameters)
        checked = {name: self.parameters[name].check(self.name, name, value) for name, value in self.params.items()}
        object.__setattr__(self, "params", checked)

    def _check_parameters(self) -> None:
        if not isinstance(self.parameters, Mapping):
            raise WinnerstaysError(
                f"{self.name}: the parameters are {self.parameters!r}, but they must be a dict, as "
                "{'beta': Number(1.1, 'what it means')}."
            )
        for name, parameter in self.parameters.items():
            if not str(name).isidentifier() or name in ("n_arms", "rng", *self.needs):
                raise WinnerstaysError(
                    f"{self.name}: a parameter is called {name!r}, but it must be a name for Python, and none that "
                    "init has already."
                )
            if not hasattr(parameter, "check"):
                raise WinnerstaysError(
                    f"{self.name}: the parameter {name} is {parameter!r}, but it must be a Number, Whole or Choice, as "
                    f"Number(1.0, 'what it means')."
                )
            if parameter.default is not None:
                parameter.check(self.name, f"the default of {name}", parameter.default)

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
        return dict(self._settings)

    @cached_property
    def _settings(self) -> dict[str, Value]:
        chosen: dict[str, Value] = {}
        for name, parameter in self.parameters.items():
            value = self.params.get(name, parameter.default)
            chosen[name] = parameter.check(self.name, name, "not given" if value is None else value)
        return chosen

    @property
    def label(self) -> str:
        """Return the name, with the parameters that are not at their defaults."""
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.params.items())])

    @cached_property
    def own(self) -> bool:
        """Whether a function of it was written outside this package."""
        return is_own(self)

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
            given["features"] = feature_table(n_arms, features)
        try:
            state = self.init(n_arms, rng, **given)
        except MemoryError:
            raise WinnerstaysError(f"{self.name}: there is not enough memory for {n_arms} arms.") from None
        except Exception as error:
            if not self.own:
                raise
            raise failure(self, "init", error) from error
        if self.own:
            check_state(self.name, state)
            check_compiles(self, state)
        return state

    def dump(self, state: Any, *before: Any) -> bytes:
        """Return the bytes of a State, behind those of some numbers and arrays."""
        stored = self.serving.stored
        return pack((*before, state)) if stored is None else pack((*before, stored(state)), sized=True)

    def load(self, data: bytes, fresh: Any, *before: Any) -> tuple[Any, ...]:
        """Return what stands before a State, and the State; `before` is like it.

        `fresh` is a State with as many arms and the same parameters. An algorithm that says what is `stored` does not
        mind how many arms it has.
        """
        stored, restored = self.serving.stored, self.serving.restored
        if stored is None or restored is None:
            return unpack(data, (*before, fresh))  # type: ignore[no-any-return]
        *values, state = unpack(data, (*before, stored(fresh)), sized=True)
        return *values, restored(state, fresh)


def feature_table(n_arms: int, features: npt.ArrayLike) -> Floats:
    """Return the features of the arms as an array, if there is a row of finite numbers for each arm."""
    try:
        known = np.array(features, dtype=np.float64)
    except (TypeError, ValueError):
        raise WinnerstaysError("features must be numbers, in rows of one length: one row for each arm.") from None
    if known.ndim != 2 or len(known) != n_arms or not np.isfinite(known).all():
        raise WinnerstaysError(
            f"The features have shape {known.shape}, but there must be one row of finite numbers for each of "
            f"the {n_arms} arms."
        )
    return known
