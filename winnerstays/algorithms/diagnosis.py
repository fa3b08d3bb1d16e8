"""Mistakes in an algorithm of one's own, each as one sentence that names the function and the cause.

`Algorithm.start` looks for them before the first duel, so that the simulator, the learner, the contract suite and the
command line say the same. The algorithms of this package are not looked at; the tests do that.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from functools import partial
from threading import RLock
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.core.errors import NumbaError

from winnerstays.algorithms.compiler_errors import compiler_error, first_line
from winnerstays.algorithms.rehearsal import (
    DIVIDING,
    PlainCopies,
    Rehearsal,
    functions_of,
    in_plain,
    innermost,
    numbers_as_compiled,
    writer,
)
from winnerstays.algorithms.source_check import FROM_RNG, place_of, wrong_in_init, wrong_in_kernels
from winnerstays.algorithms.state_fields import called, changed_fields, check_state, contents, no_such_field
from winnerstays.algorithms.step_results import NAN, MisuseError, StepResults
from winnerstays.compiling import COMPILED, OURS, Binding, bindings, is_kernel, is_library, plain, reached
from winnerstays.errors import WinnerstaysError
from winnerstays.randomness import stream

CALLS = {
    "choose": ("state", "rng"),
    "update": ("state", "first", "second", "first_won", "rng"),
    "best": ("state",),
    "certain": ("state",),
    "leap": ("state", "duels"),
}
"""What each kernel is called with."""
STEPS = tuple(CALLS)
LARGEST_COMPARED = 2**16
"""Bytes of arrays outside of kernels up to which it is seen that they were changed."""
_checked: set[Any] = set()
"""The functions, arms and parameters that were found to work together."""
_looking = RLock()
"""Held while one algorithm is looked at, as warnings are errors there for a moment."""
_compiled: dict[Any, list[Binding]] = {}
"""What each kernel found outside when it was compiled."""


def is_own(algorithm: Any) -> bool:
    """Tell whether a function of the algorithm was written outside of this package."""
    return any(not plain(function).__module__.startswith(OURS) for function in functions_of(algorithm))


def check_own(algorithm: Any, n_arms: int, given: dict[str, Any]) -> None:
    """Raise a sentence if an algorithm cannot work; each is looked at once. `given` is what `init` gets by name."""
    _check_current(algorithm)
    key = _key(algorithm, n_arms)
    if key not in _checked:
        with _looking:
            _look_closely(algorithm, n_arms, given)
            _checked.add(key)


def _key(algorithm: Any, n_arms: int) -> tuple[Any, ...]:
    return tuple(functions_of(algorithm)), n_arms, tuple(algorithm.settings.items())


def _look_closely(algorithm: Any, n_arms: int, given: dict[str, Any]) -> None:
    _check_marks(algorithm)
    _check_signatures(algorithm)
    _check_sources(algorithm)
    rehearsed = _Rehearsed(algorithm, n_arms, given)
    rehearsed.check()
    if COMPILED and algorithm.compiled:
        _check_compiles(algorithm, rehearsed.fresh(), rehearsed.calls)
        steps = (getattr(algorithm, name) for name in STEPS)
        _compiled.update({function: list(map(_as_compiled, _compiled_in(function))) for function in steps})


def _compiled_in(function: Any) -> Iterator[Binding]:
    """Yield the kernels and constants of others that are compiled into a kernel."""
    for one in reached(function):
        for binding in bindings(one) if not one.__module__.startswith(OURS) else ():
            if not isinstance(binding.value, ModuleType | type) and not is_library(str(binding.holder.get("__name__"))):
                yield binding


def _as_compiled(binding: Binding) -> Binding:
    """Return what is outside of a kernel as it is now; large arrays are not compared, as that would take long."""
    array = isinstance(binding.value, np.ndarray) and binding.value.nbytes <= LARGEST_COMPARED
    return binding._replace(value=binding.value.copy()) if array else binding


def _differs(now: Any, value: Any) -> bool:
    if isinstance(now, np.ndarray) and isinstance(value, np.ndarray):
        return (now.dtype, now.shape, now.tobytes()) != (value.dtype, value.shape, value.tobytes())
    return callable(value) or not np.array_equal(now, value)


def _check_current(algorithm: Any) -> None:
    """Refuse kernels into which something was compiled that was redefined since, as by a later cell of a notebook."""
    for name in STEPS:
        for holder, key, written, value in _compiled.get(getattr(algorithm, name), ()):
            now: Any = holder.get(key)
            if now is not value and _differs(now, value):
                done = "changed" if isinstance(now, np.ndarray) else "redefined"
                raise WinnerstaysError(
                    f"{algorithm.name}: {written} was {done} since {name} was compiled, which goes on with the old "
                    f"one; run the cell of {name} again, and that of every kernel between the two."
                )


def _check_marks(algorithm: Any) -> None:
    if is_kernel(algorithm.init):
        raise WinnerstaysError(
            f"{algorithm.name}: init ({place_of(algorithm.init)}) is marked as a kernel, but it makes arrays, which "
            "kernels may not; take @kernel away."
        )
    for name in STEPS if algorithm.compiled else ():
        function = getattr(algorithm, name)
        if inspect.ismethod(function):
            raise WinnerstaysError(
                f"{algorithm.name}: {name} ({place_of(function)}) is a method; kernels are functions outside of "
                "classes."
            )
        if not is_kernel(function):
            raise WinnerstaysError(
                f"{algorithm.name}: {name} ({place_of(function)}) is not marked as a kernel; write @kernel above it."
            )


def _check_signatures(algorithm: Any) -> None:
    init = ("n_arms", "rng", *algorithm.settings, *sorted(algorithm.needs))
    for name, arguments in {"init": init, **CALLS}.items():
        function = getattr(algorithm, name)
        signature = inspect.signature(function if isinstance(function, partial) else plain(function))
        try:
            named = arguments[2:] if name == "init" else ()
            signature.bind(*arguments[: len(arguments) - len(named)], **dict.fromkeys(named))
            swapped = [one for one in signature.parameters if one in arguments]
            exact = not algorithm.compiled or _only(signature, arguments)
            fits = name == "init" or (exact and swapped == sorted(swapped, key=arguments.index))
        except TypeError:
            fits = False
        called = plain(function).__name__
        if called != name and called in ("init", *CALLS):
            raise WinnerstaysError(
                f"{algorithm.name}: the function given as {name} is {called} ({place_of(function)}); they are given as "
                "Algorithm(name, title, init, choose, update, best)."
            )
        if not fits:
            bare = (one.replace(annotation=one.empty, default=one.empty) for one in signature.parameters.values())
            takes, given = ", ".join(map(str, bare)), ", ".join(arguments)
            hint = "; besides the first two it gets what `parameters` and `needs` name" if name == "init" else ""
            raise WinnerstaysError(
                f"{algorithm.name}: {name} ({place_of(function)}) takes ({takes}), but it is given ({given}){hint}."
            )


def _only(signature: inspect.Signature, arguments: tuple[str, ...]) -> bool:
    """Tell whether a function takes so many arguments and no more: those of compiled ones have no defaults."""
    each = all(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in signature.parameters.values())
    return each and len(signature.parameters) == len(arguments)


def _check_sources(algorithm: Any) -> None:
    """Refuse what can be seen in the source, also where the first duels do not come by."""
    for name in STEPS if algorithm.compiled else ():
        said = wrong_in_kernels(getattr(algorithm, name))
        if said:
            raise WinnerstaysError(f"{algorithm.name}: {said}")
    said = wrong_in_init(algorithm.init)
    if said:
        raise WinnerstaysError(f"{algorithm.name}: {said}")


class _Rehearsed:
    """Two rehearsals of an algorithm, which must be alike, and the sentences for what goes wrong in them."""

    def __init__(self, algorithm: Any, n_arms: int, given: dict[str, Any]) -> None:
        self.algorithm, self.n_arms, self.given = algorithm, n_arms, given
        self.one = Rehearsal(algorithm, n_arms, 1, self.call)
        self.other = Rehearsal(algorithm, n_arms, 7, self.call, forgets=True)

    @property
    def calls(self) -> dict[Any, tuple[Any, ...]]:
        return self.one.copies.calls

    def fresh(self, rehearsal: Rehearsal | None = None, seed: int = 0) -> Any:
        return (rehearsal or self.one).run("init", self.n_arms, stream(seed), **self.given)

    def check(self) -> None:
        with self.one.patience(compiled=False):
            state = self.fresh()
            if not (isinstance(state, tuple) and hasattr(state, "_fields")):
                must = "it must return a NamedTuple, as `class State(NamedTuple)` makes"
                raise self.one.results.error("init", f"returned {called(state)}, but {must}")
            check_state(f"{self.algorithm.name}: ", state)
            self.check_same(contents(state))
        with self.other.patience(compiled=False):
            other = self.fresh(self.other)
        start = contents(other)
        outside = {name: array.tobytes() for name, array in self.arrays_outside().items()}
        unfilled = changed_fields(contents(state), other)
        with self.one.patience():
            played = self.one.play(state)
        for field in changed_fields(start, other):
            raise self.one.results.error(
                "init", f"gives every run the same array as {field}; make a new one, as by .copy()"
            )
        for name, array in self.arrays_outside().items():
            if array.tobytes() != outside[name]:
                raise self.written_outside(name, array)
        with self.other.patience():
            again = self.other.play(other)
        if any(first != second for first, second in zip(played, again, strict=False)):
            for field in (one for one in unfilled if one not in self.one.computed_in):
                said = f"leaves {field} as np.empty made it, with whatever was in memory; use np.zeros"
                raise self.one.results.error("init", said)
            for sentence in self.one.computed_in.values():
                raise sentence()
            raise WinnerstaysError(
                f"{self.algorithm.name}: the same rng gave other duels the second time; {FROM_RNG}, and keep "
                "everything in the State."
            )

    def check_same(self, before: dict[str, bytes]) -> None:
        drawn = wrong_in_init(self.algorithm.init, alike=True)
        if drawn and not changed_fields(before, self.fresh(seed=1)):
            raise WinnerstaysError(f"{self.algorithm.name}: {drawn}")
        for field in changed_fields(before, self.fresh()):
            raise self.one.results.error("init", f"makes another {field} each time, with the same rng; {FROM_RNG}")

    def arrays_outside(self) -> dict[str, npt.NDArray[Any]]:
        bound = (one for name in STEPS for one in _compiled_in(getattr(self.algorithm, name)))
        return {one.name: one.value for one in bound if isinstance(one.value, np.ndarray)}

    def written_outside(self, name: str, array: npt.NDArray[Any]) -> WinnerstaysError:
        def again() -> None:
            third = Rehearsal(self.algorithm, self.n_arms, 1, lambda _, __, function: function())
            with third.patience():
                third.play(self.fresh(third))

        who, place = writer(self.algorithm, array, again) or ("it", "")
        said = f"{who}{place} writes to {name}, an array outside of the State; keep it in the State"
        return WinnerstaysError(f"{self.algorithm.name}: {said}.")

    def call(self, name: str, copies: PlainCopies, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except Exception as error:
            raise failure(self.algorithm, name, error, copies) from None


def failed_step(algorithm: Any, name: str, error: Exception, *given: Any) -> WinnerstaysError:
    """Return the sentence for an exception in a step; a compiled one is tried again in plain Python, to say where."""
    copies = PlainCopies(1)
    if COMPILED and algorithm.compiled:
        try:
            with numbers_as_compiled():
                copies.of(getattr(algorithm, name))(*deepcopy(given))
        except Exception as found:
            error = found
    return failure(algorithm, name, error, copies)


def in_plain_checked(algorithm: Any, n_arms: int) -> Any:
    """Return an algorithm with plain copies of its steps that says when an arm is chosen that does not exist."""
    plainly, results = in_plain(algorithm), StepResults(algorithm, n_arms)

    def choose(state: Any, rng: Any) -> Any:
        pair = plainly.choose(state, rng)
        if not all(0 <= arm < n_arms for arm in pair):
            raise results.wrong_pair(pair, plainly.best(state))
        return pair

    def update(*given: Any) -> Any:
        results.duel += 1
        return plainly.update(*given)

    def leap(state: Any, duels: int) -> Any:
        results.duel += duels
        return plainly.leap(state, duels)

    checked = replace(plainly, choose=choose, update=update, leap=leap)
    _checked.add(_key(checked, n_arms))  # as those were of which these are copies
    return checked


def failure(algorithm: Any, name: str, error: BaseException, copies: PlainCopies | None = None) -> WinnerstaysError:
    """Return the sentence for an exception in a function of one's own, with the innermost place in one's own files."""
    if isinstance(error, WinnerstaysError):
        return error
    where, place = innermost(algorithm, error)
    return WinnerstaysError(f"{algorithm.name}: {_explained(where or name, place, error, copies)}")


def _explained(name: str, place: str, error: BaseException, copies: PlainCopies | None) -> str:
    said, holder = first_line(str(error)), getattr(error, "obj", None)
    if isinstance(error, MisuseError):
        return f"{name}{place} {said}."
    if isinstance(error, MemoryError):
        return f"{name}{place} needs more memory than there is."
    if isinstance(error, RecursionError):
        return f"{name}{place} calls itself without end; let it stop, or write a loop."
    if isinstance(error, AttributeError) and ("can't set attribute" in said or "object attribute" in said):
        return (
            f"{name} assigns to a field of the State{place}, but a NamedTuple cannot be changed; return "
            "state._replace(field=value), or keep the number in an array."
        )
    if isinstance(error, AttributeError) and hasattr(holder, "_fields"):
        return no_such_field(name, place, holder, str(error.name))
    if isinstance(error, AttributeError) and isinstance(holder, np.ndarray) and holder.dtype == np.uint64:
        return f"{name}{place} uses rng.{error.name}, but rng is no generator of NumPy; {FROM_RNG}."
    unexpected = re.search(r"Got unexpected field names: \['(\w+)'", said)
    if unexpected and copies is not None and copies.state is not None:
        return no_such_field(name, place, copies.state, unexpected[1])
    if isinstance(error, NumbaError):
        said = "it calls a kernel with something that this cannot take"
    elif isinstance(error, RuntimeWarning) and not re.search(DIVIDING, said):
        return f"{name}{place} computes NaN, {NAN}."
    elif isinstance(error, RuntimeWarning):
        said = "ZeroDivisionError: division by zero"
    else:
        said = f"{type(error).__name__}: {said}".removesuffix(": ")
    if "NoneType" in said and copies is not None and copies.returned_nothing is not None:
        empty = copies.returned_nothing
        said += f"; {empty.__name__} ({place_of(empty)}) returned nothing"
    hint = " (WINNERSTAYS_COMPILE=0 shows where)" if COMPILED and not place else ""
    return f"{name or 'it'} failed{'' if name else ' while playing'}: {said}{place}{hint}."


def _check_compiles(algorithm: Any, state: Any, calls: dict[Any, tuple[Any, ...]]) -> None:
    """Compile each function by itself, and where that fails the kernels it calls, so that the innermost is blamed."""
    rng = stream(0)
    values = {"state": state, "rng": rng, "first": 0, "second": 1, "first_won": True, "duels": 1}
    for name, names in CALLS.items():
        function = getattr(algorithm, name)
        if plain(function).__module__.startswith(OURS):
            continue
        said = compiler_error(function, name, tuple(values[one] for one in names), state)
        if said:
            inner = set(reached(function)) - {plain(function)}
            called = ((one, given) for one, given in calls.items() if plain(one) in inner and is_kernel(one))
            blamed = (compiler_error(one, "", given, state) for one, given in called)
            raise WinnerstaysError(f"{algorithm.name}: {next((one for one in blamed if one), said)}")
