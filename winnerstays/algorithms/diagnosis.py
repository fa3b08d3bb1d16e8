"""Mistakes in an algorithm of one's own, each as one sentence that names the function and the cause.

`Algorithm.start` looks for them before the first duel, so that the simulator, the learner, the contract suite and the
command line say the same. The algorithms of this package are not looked at; the tests do that.
"""

import builtins
import dis
import inspect
import re
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from winnerstays.algorithms.compiler_errors import compiler_error, first_line
from winnerstays.algorithms.state_fields import kinds, no_such_field
from winnerstays.compiling import COMPILED, OURS, is_kernel, plain, reached
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
_seen: set[Any] = set()


def is_own(algorithm: Any) -> bool:
    """Tell whether a function of the algorithm was written outside of this package."""
    functions = [algorithm.init, *(getattr(algorithm, name) for name in STEPS)]
    return any(not plain(function).__module__.startswith(OURS) for function in functions)


def check_own(algorithm: Any, n_arms: int, make: Callable[[Any], Any]) -> None:
    """Raise a sentence if an algorithm cannot work; each is looked at once. `make(rng)` gives a fresh State."""
    functions = (algorithm.init, *(getattr(algorithm, name) for name in STEPS))
    if functions in _seen:
        return
    _check_marks(algorithm)
    _check_signatures(algorithm)
    _check_names(algorithm)
    state = _call(algorithm, "init", make, stream(0))
    check_state(algorithm.name, state)
    _rehearse(algorithm, state, n_arms)
    if COMPILED and algorithm.compiled:
        _check_compiles(algorithm, _call(algorithm, "init", make, stream(0)))
    _seen.add(functions)


def _check_marks(algorithm: Any) -> None:
    for name in STEPS if algorithm.compiled else ():
        function = getattr(algorithm, name)
        if not is_kernel(function):
            raise WinnerstaysError(
                f"{algorithm.name}: {name} ({_place(function)}) is not marked as a kernel; write @kernel above it."
            )


def _check_signatures(algorithm: Any) -> None:
    init = ("n_arms", "rng", *algorithm.settings, *sorted(algorithm.needs))
    for name, arguments in {"init": init, **CALLS}.items():
        function = getattr(algorithm, name)
        signature = inspect.signature(plain(function))
        try:
            named = arguments[2:] if name == "init" else ()
            signature.bind(*arguments[: len(arguments) - len(named)], **dict.fromkeys(named))
            swapped = [one for one in signature.parameters if one in arguments]
            fits = swapped == sorted(swapped, key=arguments.index) or name == "init"
        except TypeError:
            fits = False
        if not fits:
            takes, given = ", ".join(signature.parameters), ", ".join(arguments)
            hint = "; besides the first two it gets what `parameters` and `needs` name" if name == "init" else ""
            raise WinnerstaysError(
                f"{algorithm.name}: {name} ({_place(function)}) takes ({takes}), but it is given ({given}){hint}."
            )


def _check_names(algorithm: Any) -> None:
    """Refuse names that are not defined anywhere, also where the first duels do not come by."""
    for name in STEPS if algorithm.compiled else ():
        for function in reached(getattr(algorithm, name)):
            for step in dis.get_instructions(function):
                known = step.argval in function.__globals__ or hasattr(builtins, str(step.argval))
                if step.opname == "LOAD_GLOBAL" and not known:
                    line = step.positions.lineno if step.positions else None
                    raise WinnerstaysError(
                        f"{algorithm.name}: {name} uses {step.argval} ({_place(function, line)}), which is not defined."
                    )


def check_state(owner: str, state: Any, horizon: int = 0, name: str = "State") -> None:
    """Refuse a State with fields that cannot be compiled, or that cannot count so many duels."""
    if not (isinstance(state, tuple) and hasattr(state, "_fields")):
        what = "nothing" if state is None else f"a {type(state).__name__}"
        raise WinnerstaysError(f"{owner}: init returned {what}, but it must return the State, a NamedTuple.")
    for field, value in zip(state._fields, state, strict=True):
        where = f"{owner}: {name}.{field}"
        if isinstance(value, np.ndarray):
            _check_array(where, value, horizon)
        elif isinstance(value, tuple) and hasattr(value, "_fields"):
            check_state(owner, value, horizon, f"{name}.{field}")
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise WinnerstaysError(f"{where} is {value}, but whole numbers in a State have at most 63 bits.")
        elif not isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
            raise WinnerstaysError(
                f"{where} is a {type(value).__name__}, but a State holds numbers and NumPy arrays; make it an array, "
                "as np.zeros(n_arms)."
            )


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


def _rehearse(algorithm: Any, state: Any, n_arms: int) -> None:
    """Play two duels as plain Python, where every mistake has a place."""
    rng = stream(1)
    for first_won in (True, False):
        pair = _call(algorithm, "choose", plain(algorithm.choose), state, rng)
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(map(_is_whole, pair))):
            raise WinnerstaysError(
                f"{algorithm.name}: choose returned {pair!r}, but it must return two arms, whole numbers."
            )
        if not all(0 <= arm < n_arms for arm in pair):
            raise WinnerstaysError(no_such_arm(algorithm.name, n_arms))
        before = kinds(state)
        state = _call(algorithm, "update", plain(algorithm.update), state, *map(int, pair), first_won, rng)
        if state is None:
            raise WinnerstaysError(f"{algorithm.name}: update returned nothing; end it with `return state`.")
        _check_same(algorithm.name, before, state)
    favourite = _call(algorithm, "best", plain(algorithm.best), state)
    if not (_is_whole(favourite) and 0 <= favourite < n_arms):
        raise WinnerstaysError(
            f"{algorithm.name}: best returned {favourite!r}, but it must return an arm, a whole number from 0 to "
            f"{n_arms - 1}."
        )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def no_such_arm(owner: str, n_arms: int) -> str:
    """Say that `choose` gave an arm that does not exist."""
    return f"{owner} chose an arm that does not exist; the {n_arms} arms are 0 to {n_arms - 1}."


def _check_same(owner: str, before: dict[str, str], state: Any) -> None:
    if not hasattr(state, "_fields"):
        raise WinnerstaysError(f"{owner}: update returned a {type(state).__name__}, but it must return the State.")
    after = kinds(state)
    for field, kind in before.items():
        if after.get(field) != kind:
            raise WinnerstaysError(
                f"{owner}: after update, {field} is {after.get(field, 'missing')}, but init made it {kind}; it must "
                "stay that."
            )


def _call(algorithm: Any, name: str, function: Callable[..., Any], *given: Any) -> Any:
    try:
        return function(*given)
    except WinnerstaysError:
        raise
    except AttributeError as error:
        said = str(error)
        if "can't set attribute" in said or "object attribute" in said:
            raise WinnerstaysError(
                f"{algorithm.name}: {name} assigns to a field of the State{_within(algorithm, error)}, but a "
                "NamedTuple cannot be changed; return state._replace(field=value), or keep the number in an array."
            ) from None
        if hasattr(error.obj, "_fields"):
            said = no_such_field(name, _within(algorithm, error), error.obj, str(error.name))
            raise WinnerstaysError(f"{algorithm.name}: {said}") from None
        raise failure(algorithm, name, error) from None
    except (TypeError, ValueError) as error:
        unexpected = re.search(r"Got unexpected field names: \['(\w+)'", str(error))
        if unexpected and hasattr(given[0], "_fields"):
            said = no_such_field(name, _within(algorithm, error), given[0], unexpected[1])
            raise WinnerstaysError(f"{algorithm.name}: {said}") from None
        raise failure(algorithm, name, error) from error
    except MemoryError:
        raise WinnerstaysError(f"{algorithm.name}: there is not enough memory for this many arms.") from None
    except Exception as error:
        raise failure(algorithm, name, error) from error


def failure(algorithm: Any, name: str, error: BaseException) -> WinnerstaysError:
    """Return the sentence for an exception in a function of one's own."""
    said = f"{type(error).__name__}: {first_line(str(error))}"
    if isinstance(error, NumbaError):
        said = "it calls a kernel with something that this cannot take"
    place = _within(algorithm, error)
    hint = " (WINNERSTAYS_COMPILE=0 shows where)" if COMPILED and not place else ""
    who = f"{name} failed" if name else "it failed while playing"
    return WinnerstaysError(f"{algorithm.name}: {who}: {said}{place}{hint}.")


def _within(algorithm: Any, error: BaseException) -> str:
    """Return the last place of an error in the algorithm's own files, in brackets; nothing if there is none."""
    files = {Path(plain(function).__code__.co_filename).name for function in _functions(algorithm)}
    trace = "".join(traceback.format_exception(error))  # of other threads and processes there is only text
    places = re.findall(r'File "(?:[^"]*/)?([^"/]+)", line (\d+)', trace)
    known = [f" ({file}, line {line})" for file, line in places if file in files]
    return known[-1] if known else ""


def _functions(algorithm: Any) -> Iterator[Any]:
    yield algorithm.init
    yield from (getattr(algorithm, name) for name in STEPS)


def _place(function: Any, line: int | None = None) -> str:
    code = plain(function).__code__
    return f"{Path(code.co_filename).name}, line {line or code.co_firstlineno}"


def _check_compiles(algorithm: Any, state: Any) -> None:
    """Compile each function by itself, so that it is known in which one the trouble is."""
    rng = stream(0)
    values = {"state": state, "rng": rng, "first": 0, "second": 1, "first_won": True, "duels": 1}
    for name, names in CALLS.items():
        function = getattr(algorithm, name)
        if plain(function).__module__.startswith(OURS):
            continue
        said = compiler_error(function, name, tuple(values[one] for one in names), _place(function))
        if said:
            raise WinnerstaysError(f"{algorithm.name}: {said}")
