"""Mistakes in an algorithm of one's own, each as one sentence that names the function and the cause.

`Algorithm.start` looks for them before the first duel, so that the simulator, the learner, the contract suite and the
command line say the same. The algorithms of this package are not looked at; the tests do that.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from functools import partial
from threading import RLock
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.core.errors import NumbaError

from winnerstays.algorithms.compiler_errors import compiler_error, first_line
from winnerstays.algorithms.rehearsal import MisuseError, PlainCopies, Rehearsal, functions_of, innermost, writer
from winnerstays.algorithms.source_check import FROM_RNG, place_of, wrong_in_init, wrong_in_kernels
from winnerstays.algorithms.state_fields import changed_fields, contents, kinds, no_such_field
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
SMALLEST_COUNTER = 4
"""Bytes of the whole numbers below which counters run over within a simulation."""
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
    functions = tuple(functions_of(algorithm))
    _check_current(algorithm)
    key = (functions, n_arms, tuple(algorithm.settings.items()))
    if key not in _checked:
        with _looking:
            _look_closely(algorithm, n_arms, given)
            _checked.add(key)


def _look_closely(algorithm: Any, n_arms: int, given: dict[str, Any]) -> None:
    _check_marks(algorithm)
    _check_signatures(algorithm)
    _check_sources(algorithm)
    rehearsed = _Rehearsed(algorithm, n_arms, given)
    rehearsed.check()
    if COMPILED and algorithm.compiled:
        _check_compiles(algorithm, rehearsed.fresh(), rehearsed.calls)
        steps = (getattr(algorithm, name) for name in STEPS)
        _compiled.update({function: list(_compiled_in(function)) for function in steps})


def _compiled_in(function: Any) -> Iterator[Binding]:
    """Yield the kernels and constants of others that are compiled into a kernel."""
    for one in reached(function):
        for binding in bindings(one) if not one.__module__.startswith(OURS) else ():
            if not isinstance(binding.value, ModuleType | type) and not is_library(str(binding.holder.get("__name__"))):
                yield binding


def _check_current(algorithm: Any) -> None:
    """Refuse kernels into which something was compiled that was redefined since, as by a later cell of a notebook."""
    for name in STEPS:
        for holder, key, called, value in _compiled.get(getattr(algorithm, name), ()):
            now: Any = holder.get(key)
            if now is not value and (callable(value) or not np.array_equal(now, value)):
                raise WinnerstaysError(
                    f"{algorithm.name}: {called} was redefined since {name} was compiled, which goes on with the old "
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
            fits = swapped == sorted(swapped, key=arguments.index) or name == "init"
        except TypeError:
            fits = False
        called = plain(function).__name__
        if called != name and called in ("init", *CALLS):
            raise WinnerstaysError(
                f"{algorithm.name}: the function given as {name} is {called} ({place_of(function)}); they are given as "
                "Algorithm(name, title, init, choose, update, best)."
            )
        if not fits:
            takes, given = ", ".join(signature.parameters), ", ".join(arguments)
            hint = "; besides the first two it gets what `parameters` and `needs` name" if name == "init" else ""
            raise WinnerstaysError(
                f"{algorithm.name}: {name} ({place_of(function)}) takes ({takes}), but it is given ({given}){hint}."
            )


def _check_sources(algorithm: Any) -> None:
    """Refuse what can be seen in the source, also where the first duels do not come by."""
    for name in STEPS if algorithm.compiled else ():
        said = wrong_in_kernels(getattr(algorithm, name))
        if said:
            raise WinnerstaysError(f"{algorithm.name}: {said}")
    said = wrong_in_init(algorithm.init)
    if said:
        raise WinnerstaysError(f"{algorithm.name}: {said}")


def check_state(owner: str, state: Any, horizon: int = 0, name: str = "State") -> None:
    """Refuse a State with fields that cannot be compiled, or that cannot count so many duels."""
    for field, value in zip(state._fields, state, strict=True):
        where = f"{owner}: {name}.{field}"
        if isinstance(value, np.ndarray):
            _check_array(where, value, horizon)
        elif isinstance(value, tuple) and hasattr(value, "_fields"):
            check_state(owner, value, horizon, f"{name}.{field}")
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise WinnerstaysError(f"{where} is {value}, but whole numbers in a State have at most 63 bits.")
        elif not isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
            several = isinstance(value, list | tuple | set | dict)
            remedy = "make it an array, as np.zeros(n_arms)" if several else "make it a number, as 0 or -1"
            what = "None" if value is None else f"a {type(value).__name__}"
            raise WinnerstaysError(f"{where} is {what}, but a State holds numbers and NumPy arrays; {remedy}.")


def _check_array(where: str, value: Any, horizon: int) -> None:
    kind, size = value.dtype.kind, value.dtype.itemsize
    if kind not in "biuf" or (kind == "f" and size < 4) or size > 8:
        raise WinnerstaysError(
            f"{where} is an array of {value.dtype}, which cannot be compiled; use np.float64, np.int64 or np.bool_."
        )
    most = int(np.iinfo(value.dtype).max) if kind in "iu" else horizon
    if most < horizon or (kind in "iu" and size < SMALLEST_COUNTER):
        raise WinnerstaysError(
            f"{where} is an array of {value.dtype}, which counts to {most} and then runs over unnoticed; use np.int64 "
            "(np.bool_ for yes and no)."
        )


class _Rehearsed:
    """Two rehearsals of an algorithm, which must be alike, and the sentences for what goes wrong in them."""

    def __init__(self, algorithm: Any, n_arms: int, given: dict[str, Any]) -> None:
        self.algorithm, self.n_arms, self.given = algorithm, n_arms, given
        self.one = Rehearsal(algorithm, 1, self.call)
        self.other = Rehearsal(algorithm, 7, self.call, forgets=True)

    @property
    def calls(self) -> dict[Any, tuple[Any, ...]]:
        return self.one.copies.calls

    def fresh(self, rehearsal: Rehearsal | None = None) -> Any:
        return (rehearsal or self.one).run("init", self.n_arms, stream(0), **self.given)

    def check(self) -> None:
        with self.one.patience(compiled=False):
            state = self.fresh()
            if not (isinstance(state, tuple) and hasattr(state, "_fields")):
                what = "nothing" if state is None else f"a {type(state).__name__}"
                raise self.error("init", f"returned {what}, but it must return the State, a NamedTuple")
            check_state(self.algorithm.name, state)
            self.check_same(contents(state), self.fresh())
        with self.other.patience(compiled=False):
            other = self.fresh(self.other)
        start = contents(other)
        outside = {name: array.tobytes() for name, array in self.arrays_outside().items()}
        unfilled = changed_fields(contents(state), other)
        with self.one.patience():
            played = self.one.play(state, self.result, self.n_arms)
        for field in changed_fields(start, other):
            raise self.error("init", f"gives every run the same array as {field}; make a new one, as by .copy()")
        for name, array in self.arrays_outside().items():
            if array.tobytes() != outside[name]:
                raise self.written_outside(name, array)
        with self.other.patience():
            again = self.other.play(other, self.result, self.n_arms)
        if any(first != second for first, second in zip(played, again, strict=False)):
            for field in (one for one in unfilled if one not in self.one.computed_in):
                said = f"leaves {field} as np.empty made it, with whatever was in memory; use np.zeros"
                raise self.error("init", said)
            for sentence in self.one.computed_in.values():
                raise sentence()
            raise WinnerstaysError(
                f"{self.algorithm.name}: the same rng gave other duels the second time; {FROM_RNG}, and keep "
                "everything in the State."
            )

    def check_same(self, before: dict[str, bytes], again: Any) -> None:
        for field in changed_fields(before, again):
            raise self.error("init", f"makes another {field} each time, with the same rng; {FROM_RNG}")

    def arrays_outside(self) -> dict[str, npt.NDArray[Any]]:
        bound = (one for name in STEPS for one in _compiled_in(getattr(self.algorithm, name)))
        return {one.name: one.value for one in bound if isinstance(one.value, np.ndarray)}

    def written_outside(self, name: str, array: npt.NDArray[Any]) -> WinnerstaysError:
        def again() -> None:
            third = Rehearsal(self.algorithm, 1, lambda _, __, function: function())
            with third.patience():
                third.play(self.fresh(third), self.result, self.n_arms)

        who, place = writer(self.algorithm, array, again) or ("it", "")
        said = f"{who}{place} writes to {name}, an array outside of the State; keep it in the State"
        return WinnerstaysError(f"{self.algorithm.name}: {said}.")

    def error(self, name: str, said: str) -> WinnerstaysError:
        place = place_of(getattr(self.algorithm, name))
        return WinnerstaysError(f"{self.algorithm.name}: {name} ({place}) {said}.")

    def result(self, name: str, found: Any, before: Any = None) -> Any:
        """Return what a function returned, if that is what it must return."""
        last = self.n_arms - 1
        if name == "choose":
            if not (isinstance(found, tuple) and len(found) == 2 and all(map(_is_whole, found))):
                raise self.error(name, f"returned {_shown(found)}, but it must return two arms, whole numbers")
            if not all(0 <= arm <= last for arm in found):
                raise self.error(name, f"returned {_shown(found)}, but the arms are 0 to {last}")
        elif name == "best":
            if not (_is_whole(found) and 0 <= found <= last):
                must = f"it must return an arm, a whole number from 0 to {last}"
                raise self.error(name, f"returned {_shown(found)}, but {must}")
        elif name == "certain":
            if not (_is_whole(found) and found >= 0):
                raise self.error(name, f"returned {_shown(found)}, but it must return a whole number from 0 on")
        elif found is None:
            raise self.error(name, "returned nothing; end it with `return state`")
        elif not hasattr(found, "_fields"):
            raise self.error(name, f"returned a {type(found).__name__}, but it must return the State")
        else:
            was, is_ = kinds(before), kinds(found)
            for field, kind in was.items():
                if is_.get(field) != kind:
                    now = is_.get(field, "missing")
                    raise self.error(name, f"makes {field} {now}, but init made it {kind}; it must stay that")
            check_state(self.algorithm.name, found)
        return found

    def call(self, name: str, copies: PlainCopies, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except WinnerstaysError:
            raise
        except Exception as error:
            raise failure(self.algorithm, name, error, copies) from None


def _shown(value: Any) -> str:
    """Return a result as it would be typed, without the names of NumPy's numbers."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    return repr(value.item() if isinstance(value, np.generic) else value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def no_such_arm(owner: str, n_arms: int) -> str:
    """Say that `choose` gave an arm that does not exist."""
    return f"{owner} chose an arm that does not exist; the {n_arms} arms are 0 to {n_arms - 1}."


def failure(algorithm: Any, name: str, error: BaseException, copies: PlainCopies | None = None) -> WinnerstaysError:
    """Return the sentence for an exception in a function of one's own, with the innermost place in one's own files."""
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
