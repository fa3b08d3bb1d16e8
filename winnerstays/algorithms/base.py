"""The contract of an algorithm.

An algorithm is a `State` (a NamedTuple of numbers and arrays) and four functions:

- `init(n_arms, rng, **parameters) -> State` allocates everything the algorithm will ever need;
- `choose(state, rng) -> (first, second)` says which two arms duel next and changes nothing but `rng`;
- `update(state, first, second, first_won, rng) -> State` learns, in place where that is cheaper;
- `best(state) -> arm` is the favourite so far.

Two more are optional, for algorithms that know their next duels without looking at outcomes:
`certain(state)` counts the coming duels that will show the same pair whatever happens, and `leap(state, duels)`
returns what this many updates would give, by default the state as it is. The simulator then skips those duels.

More are optional, for the traffic of an arena:

- `show(state, first, second) -> State`: the pair is handed out, and others may be before its answer comes;
- `pass_(state, first, second) -> State`: a pair that was shown will have no winner: skipped, expired, a tie that
  teaches nothing; `tie(state, first, second) -> State`: half a win to each;
- `join(state, arms, rng) -> State` and `leave(state, arms, rng) -> State`: arms come, new ones with the next numbers or
  some that had left, and go; they may allocate;
- `present(state) -> arms`: those that are there; `rank(state, arms) -> arms`: some of them, the best first;
- `believe(state, prior) -> State`: what others taught, as (arm, points in 1/1024 of the algorithm's scores), for a
  state that has learned nothing;
- `seen(state) -> arms`: those that were ever shown;
- `among(state, eligible, scratch, rng) -> (first, second)`: as `choose`, among arms a with eligible[a] = 1 only;
  `scratch` is an array of the same length to compute in.

A state whose size is not known in advance has three more: `reserve(state, updates) -> State` makes room for this many
updates, and whoever drives an algorithm calls it before them; `stored(state)` is what is worth storing, as a tuple of
numbers and arrays of any length, the same for equal states, and `restored(stored, fresh) -> State` the way back.

Every file of an algorithm has these parts in this order, as far as it has them: constants, `State`, `init`, `choose`,
`update`, `best`, `certain`, `leap`, `round_of`, `show`, `pass_`, `tie`, `join`, `leave`, `present`, `rank`,
`believe`, `seen`, `among`, `reserve`, `stored`, `restored`, helper kernels, the registered `Algorithm`.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms.diagnosis import check_own, failure, is_own
from winnerstays.algorithms.field_docs import described
from winnerstays.algorithms.parameters import Parameter, Value
from winnerstays.algorithms.state_fields import check_state
from winnerstays.codec import pack, unpack
from winnerstays.compiling import generic, plain
from winnerstays.errors import WinnerstaysError, checks_fields, unknown
from winnerstays.randomness import Rng

FOREVER = 2**62
"""More duels than there will ever be: `certain` where one arm is left, a time that never comes."""
NEEDS = ("horizon", "features")
"""What an algorithm may have to know besides the number of arms."""
GIVEN = {
    "init": "n_arms, rng",
    "choose": "state, rng",
    "update": "state, first, second, first_won, rng",
    "best": "state",
}
"""What the functions that every algorithm has are called with."""
NOBODY = -1
"""No arm: where there is none, or it is not known yet."""


@generic
def _nothing_certain(state: Any) -> int:
    return 0


@generic
def _as_it_is(state: Any, duels: int) -> Any:
    return state


@generic
def _unmoved(state: Any, first: int, second: int) -> Any:
    return state


def _large_enough(state: Any, updates: int) -> Any:
    return state


@described
@checks_fields
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
    show: Callable[[Any, int, int], Any] = _unmoved
    """`(state, first, second) -> State`: the state after the pair was handed out."""
    pass_: Callable[[Any, int, int], Any] = _unmoved
    """`(state, first, second) -> State`: the state after a shown pair was passed over."""
    tie: Callable[[Any, int, int], Any] | None = None
    """`(state, first, second) -> State`: the state after half a win of each; None where there are no half wins."""
    join: Callable[[Any, Sequence[int], Rng], Any] | None = None
    """`(state, arms, rng) -> State`: the state after arms came; None where they are fixed."""
    leave: Callable[[Any, Sequence[int], Rng], Any] | None = None
    """`(state, arms, rng) -> State`: the state after arms went, of which two at least stay."""
    present: Callable[[Any], Sequence[int]] | None = None
    """`(state) -> arms`: those that are there; None where arms are fixed."""
    rank: Callable[[Any, Sequence[int]], Sequence[int]] | None = None
    """`(state, arms) -> arms`: the same arms, the best first; None where only the favourite is known."""
    believe: Callable[[Any, Sequence[tuple[int, int]]], Any] | None = None
    """`(state, prior) -> State`: the state after being told what others taught."""
    seen: Callable[[Any], Sequence[int]] | None = None
    """`(state) -> arms`: those that were ever shown; None where that is not counted."""
    among: Callable[[Any, Ints, Ints, Rng], tuple[int, int]] | None = None
    """`(state, eligible, scratch, rng) -> (first, second)`: the next duel among eligible arms."""
    reserve: Callable[[Any, int], Any] = _large_enough
    """`(state, updates) -> State`: the same state with room for this many updates."""
    stored: Callable[[Any], tuple[Any, ...]] | None = None
    """`(state) -> tuple`: what is worth storing; None where that is the State as it is."""
    restored: Callable[[tuple[Any, ...], Any], Any] | None = None
    """`(stored, fresh) -> State`: the state again, the parameters being those of a fresh one."""
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
        self._check_functions()
        self._check_parameters()
        for name in self.params:
            if name not in self.parameters:
                raise unknown(f"parameter of {self.name}", name, self.parameters)
        checked = {name: self.parameters[name].check(self.name, name, value) for name, value in self.params.items()}
        object.__setattr__(self, "params", checked)

    def _check_functions(self) -> None:
        for name in ("init", "choose", "update", "best"):
            function = getattr(self, name)
            if name == "init" and inspect.isfunction(vars(type(function)).get("__call__")):
                function = function.__call__  # an object that is called as a function is
                object.__setattr__(self, name, function)
            if not (callable(function) and hasattr(plain(function), "__code__")):
                raise WinnerstaysError(
                    f"{self.name}: {name} is {function!r}, but it must be a function, as `def {name}({GIVEN[name]})`."
                )
        needs = frozenset([self.needs] if isinstance(self.needs, str) else self.needs)
        for need in needs - set(NEEDS):
            raise unknown(f"need of {self.name}", need, NEEDS)
        object.__setattr__(self, "needs", needs)

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

    @property
    def promises_without_winner(self) -> bool:
        """Whether its guarantee holds where no arm beats all others, for Copeland's or Borda's winner or a policy."""
        words = ("copeland", "nothing", "borda")
        return any(word in self.assumes.lower() for word in words)

    @cached_property
    def _own(self) -> bool:
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
            given["features"] = _features(self.name, n_arms, features)
        if self._own:
            check_own(self, n_arms, given)
        try:
            state = self.init(n_arms, rng, **given)
        except MemoryError:
            raise WinnerstaysError(f"{self.name}: there is not enough memory for {n_arms} arms.") from None
        except Exception as error:
            if not self._own or isinstance(error, WinnerstaysError):
                raise
            raise failure(self, "init", error) from None
        if self._own:
            check_state(f"{self.name}: ", state, horizon or 0)
        return state

    @property
    def counts_open(self) -> bool:
        """Whether it counts open duels, and so must be told which pairs are shown and passed over."""
        return self.show is not _unmoved

    def dump(self, state: Any, *before: Any) -> bytes:
        """Return the bytes of a State, behind those of some numbers and arrays."""
        if self.stored is None:
            return pack((*before, state))
        return pack((*before, self.stored(state)), sized=True)

    def load(self, data: bytes, fresh: Any, *before: Any) -> tuple[Any, ...]:
        """Return what stands before a State, and the State; `before` is like it.

        `fresh` is a State with as many arms and the same parameters. An algorithm that says what is `stored` does not
        mind how many arms it has.
        """
        if self.stored is None or self.restored is None:
            return unpack(data, (*before, fresh))  # type: ignore[no-any-return]
        *found, stored = unpack(data, (*before, self.stored(fresh)), sized=True)
        return *found, self.restored(stored, fresh)


def _features(owner: str, n_arms: int, features: Floats) -> Floats:
    known = np.array(features, dtype=np.float64)
    if known.ndim != 2 or len(known) != n_arms or not np.isfinite(known).all():
        raise WinnerstaysError(
            f"{owner}: the features have shape {known.shape}, but there must be one row of finite numbers for each of "
            f"the {n_arms} arms."
        )
    return known
