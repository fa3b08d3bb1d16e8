"""What every algorithm must keep to, and the sentences for one from outside this package that does not."""

import inspect
import re
import traceback
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numba import typeof, types
from numba.core.errors import NumbaError

from winnerstays.compiling import COMPILED, OURS, is_kernel, plain, returned_type
from winnerstays.errors import WinnerstaysError
from winnerstays.randomness import stream

STEPS = {
    "choose": ("state", "rng"),
    "update": ("state", "first", "second", "first_won", "rng"),
    "best": ("state",),
    "certain": ("state",),
    "leap": ("state", "duels"),
}
"""What the kernels of an algorithm are called with."""
_compiled: set[tuple[Any, ...]] = set()
"""The functions of algorithms whose kernels were compiled, as runs may be shorter than another look at their types."""


def is_own(algorithm: Any) -> bool:
    """Return whether a function of the algorithm was written outside this package."""
    return any(not plain(function).__module__.startswith(OURS) for function in _functions(algorithm))


def _functions(algorithm: Any) -> Iterator[Any]:
    return (getattr(algorithm, name) for name in ("init", *STEPS))


def _files(algorithm: Any) -> set[str]:
    return {plain(function).__code__.co_filename for function in _functions(algorithm)}


def check_functions(algorithm: Any) -> None:
    """Refuse functions that are missing, take the wrong arguments or lack the mark of a kernel."""
    named = (*algorithm.parameters, *sorted(algorithm.needs))
    for name, arguments in {"init": ("n_arms", "rng", *named), **STEPS}.items():
        function = getattr(algorithm, name)
        if not (callable(function) and hasattr(plain(function), "__code__")):
            raise WinnerstaysError(
                f"{algorithm.name}: {name} is {function!r}, but it must be a function, "
                f"as `def {name}({', '.join(arguments)})`."
            )
        where = f"{algorithm.name}: {name} ({_place_of(function)})"
        signature = inspect.signature(function if isinstance(function, partial) else plain(function))
        if not (_takes(signature, arguments[:2], named) if name == "init" else _takes_only(signature, arguments)):
            hint = "; the arguments after rng are those in `parameters` and `needs`" if name == "init" else ""
            takes = ", ".join(signature.parameters)
            raise WinnerstaysError(f"{where} takes ({takes}), but it must take ({', '.join(arguments)}){hint}.")
        if name == "init" and is_kernel(function):
            raise WinnerstaysError(f"{where} is a kernel, but it makes arrays, which kernels cannot; remove @kernel.")
        if name != "init" and algorithm.compiled and not is_kernel(function):
            raise WinnerstaysError(f"{where} is not marked as a kernel; write @kernel above it.")


def _takes(signature: inspect.Signature, arguments: tuple[str, ...], named: tuple[str, ...] = ()) -> bool:
    try:
        signature.bind(*arguments, **dict.fromkeys(named))
    except TypeError:
        return False
    return True


def _takes_only(signature: inspect.Signature, arguments: tuple[str, ...]) -> bool:
    """Return whether a function takes these arguments and no more, in this order where they have the same names."""
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = [parameter.name for parameter in signature.parameters.values() if parameter.kind in kinds]
    known = [name for name in names if name in arguments]
    in_order = known == sorted(known, key=arguments.index)
    return _takes(signature, arguments) and in_order and len(names) <= len(arguments)


def _place_of(function: Any) -> str:
    code = plain(function).__code__
    return f"{Path(code.co_filename).name}, line {code.co_firstlineno}"


def check_state(owner: str, state: Any, name: str = "State") -> None:
    """Refuse a State that is not a NamedTuple of numbers and arrays of numbers.

    >>> from typing import NamedTuple
    >>> State = NamedTuple("State", [("wins", object)])
    >>> check_state("mine", State(np.zeros(3, np.int8)))
    >>> check_state("mine", State([0, 0, 0]))
    Traceback (most recent call last):
    winnerstays.errors.WinnerstaysError: mine: State.wins is list; it must be a number or a NumPy array.
    """
    if not (isinstance(state, tuple) and hasattr(state, "_fields")):
        raise WinnerstaysError(f"{owner}: init returned {type(state).__name__}, but it must return a NamedTuple.")
    for field, value in zip(state._fields, state, strict=True):
        where = f"{owner}: {name}.{field}"
        if hasattr(value, "_fields"):
            check_state(owner, value, f"{name}.{field}")
        elif isinstance(value, np.ndarray):
            if value.dtype.kind not in "biuf" or value.dtype.itemsize > 8 or value.dtype == np.float16:
                raise WinnerstaysError(
                    f"{where} is an array of {value.dtype}; kernels compute with np.float64, np.int64 or np.bool_."
                )
        elif not isinstance(value, int | float | np.bool_ | np.integer | np.floating):
            raise WinnerstaysError(f"{where} is {type(value).__name__}; it must be a number or a NumPy array.")
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise WinnerstaysError(f"{where} is {value}, but the whole numbers of a State have at most 63 bits.")


def check_compiles(algorithm: Any, state: Any) -> None:
    """Compile the kernels of an algorithm for this State; refuse one that cannot be or that returns the wrong type."""
    functions = tuple(_functions(algorithm))
    if functions in _compiled or not (COMPILED and algorithm.compiled):
        return
    given = {"rng": stream(0), "first": 0, "second": 1, "first_won": True, "duels": 1}
    kinds = {"state": typeof(state), **{name: typeof(value) for name, value in given.items()}}
    for name, arguments in STEPS.items():
        function = getattr(algorithm, name)
        if plain(function).__module__.startswith(OURS):
            continue
        try:
            kind = returned_type(function, tuple(kinds[argument] for argument in arguments))
        except Exception as error:  # not all that ends a compilation is a NumbaError
            raise _compile_failure(algorithm, name, error) from error
        if name in ("update", "leap"):
            right, must = getattr(kind, "instance_class", None) is type(state), f"a {type(state).__name__}"
        elif name == "choose":
            pair = isinstance(kind, types.BaseTuple) and len(kind) == 2
            right, must = pair and all(isinstance(arm, types.Integer) for arm in kind), "two whole numbers"
        else:
            right, must = isinstance(kind, types.Integer), "a whole number"
        if not right:
            raise WinnerstaysError(
                f"{algorithm.name}: {name} ({_place_of(function)}) returns {kind}, but it must return {must}."
            )
    _compiled.add(functions)


def _compile_failure(algorithm: Any, name: str, error: Exception) -> WinnerstaysError:
    """Return Numba's first line, and the first place it names in the algorithm's files."""
    message = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # Numba colours its messages where colorama is installed
    lines = [line.strip() for line in message.splitlines()]
    said = next((line for line in lines if line and "Failed in" not in line and not line.startswith("- ")), "")
    files = {Path(file).name for file in _files(algorithm)}
    places = re.findall(r'File "(?:[^"\n]*/)?([^"/\n]+)", line (\d+)', message)
    known = (f"{file}, line {line}" for file, line in places if file in files)
    place = next(known, _place_of(getattr(algorithm, name, algorithm.init)))
    return WinnerstaysError(
        f"{algorithm.name}: {name} cannot be compiled: {said.rstrip('.:') or type(error).__name__} ({place}). "
        "A kernel makes no arrays, lists or texts and calls only kernels."
    )


def failure(algorithm: Any, name: str, error: Exception) -> WinnerstaysError:
    """Return the sentence for an exception in a function, with the last place in the algorithm's files.

    Compiled code keeps no places; `name` is the function that was called.
    """
    if isinstance(error, WinnerstaysError):
        return error
    if isinstance(error, NumbaError):
        return _compile_failure(algorithm, name, error)
    files = _files(algorithm)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    said = f"{type(error).__name__}: {error}".removesuffix(": ").rstrip(".")
    if frames:
        name, said = frames[-1].name, f"{said} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    elif COMPILED and algorithm.compiled:
        said += "; WINNERSTAYS_COMPILE=0 shows the line"
    return WinnerstaysError(f"{algorithm.name}: {name} failed: {said}.")


def wrong_pair(algorithm: Any, pair: Any, n_arms: int) -> WinnerstaysError:
    """Return the sentence for a pair with an arm that does not exist."""
    first, second = pair
    place = _place_of(algorithm.choose)
    return WinnerstaysError(
        f"{algorithm.name}: choose ({place}) returned ({first}, {second}), but the arms are 0 to {n_arms - 1}."
    )


def check_favourite(algorithm: Any, favourite: Any, n_arms: int) -> int:
    """Return what `best` returned as an arm; refuse one that does not exist."""
    if not (0 <= favourite < n_arms):
        place = _place_of(algorithm.best)
        raise WinnerstaysError(
            f"{algorithm.name}: best ({place}) returned {favourite}, but the arms are 0 to {n_arms - 1}."
        )
    return int(favourite)
