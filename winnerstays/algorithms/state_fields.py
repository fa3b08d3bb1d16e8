"""The fields of a State: what each is, and the sentences for those that cannot be or do not exist."""

from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays.errors import WinnerstaysError

SMALLEST_COUNTER = 4
"""Bytes of the whole numbers below which counters run over within a simulation."""


def kinds(state: Any, name: str = "State") -> dict[str, str]:
    """Return what each field of a State is: the type of an array, or whether a number is whole.

    >>> from winnerstays import algorithm
    >>> from winnerstays.randomness import stream
    >>> kinds(algorithm("ws-w").start(3, stream(0)))["State.round"]
    'a whole number'
    """
    found: dict[str, str] = {}
    for field, value in zip(state._fields, state, strict=True):
        key = f"{name}.{field}"
        if isinstance(value, np.ndarray):
            strided = "" if value.flags.c_contiguous else " that is not in one piece"
            found[key] = f"an array of {value.dtype} with shape {value.shape}{strided}"
        elif isinstance(value, tuple):
            found |= kinds(value, key) if hasattr(value, "_fields") else {key: "a tuple"}
        elif isinstance(value, bool | int | np.integer | np.bool_):
            found[key] = "a whole number"
        else:
            found[key] = "a number" if isinstance(value, float | np.floating) else str(value)
    return found


def called(value: Any) -> str:
    """Return what a value is, with an article.

    >>> called(None), called(3), called([]), called(np.zeros(2))
    ('nothing', 'an int', 'a list', 'an array')
    """
    if value is None or isinstance(value, np.ndarray):
        return "nothing" if value is None else "an array"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def leaves(state: Any, name: str = "State") -> dict[str, npt.NDArray[Any]]:
    """Return the arrays and, as arrays of one, the numbers of a State and its parts."""
    if not hasattr(state, "_fields"):
        return {name: np.asanyarray(state)}
    found: dict[str, npt.NDArray[Any]] = {}
    for field, value in zip(state._fields, state, strict=True):
        found |= leaves(value, f"{name}.{field}")
    return found


def contents(state: Any) -> dict[str, bytes]:
    """Return what each field of a State holds now."""
    return {field: leaf.tobytes() for field, leaf in leaves(state).items()}


def changed_fields(before: dict[str, bytes], state: Any) -> list[str]:
    """Return the fields of a State that hold something else than before."""
    return [field for field, held in contents(state).items() if held != before[field]]


def check_state(owner: str, state: Any, horizon: int = 0, name: str = "State") -> None:
    """Refuse a State with fields that cannot be compiled, or that cannot count so many duels.

    `owner` is what the sentence begins with.
    """
    for field, value in zip(state._fields, state, strict=True):
        where = f"{owner}{name}.{field}"
        if isinstance(value, np.ndarray):
            _check_array(where, value, horizon)
        elif isinstance(value, tuple) and hasattr(value, "_fields"):
            check_state(owner, value, horizon, f"{name}.{field}")
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise WinnerstaysError(f"{where} is {value}, but whole numbers in a State have at most 63 bits.")
        elif not isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
            several = isinstance(value, list | tuple | set | dict)
            remedy = "make it an array, as np.zeros(n_arms)" + ("" if several else ", or a number, as 0 or -1")
            what = "None" if value is None else called(value)
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


def no_such_field(function: str, place: str, holder: Any, field: str) -> str:
    """Say that a function names a field that a State, or a part of it, does not have.

    >>> from typing import NamedTuple
    >>> holder = NamedTuple("State", [("wins", int)])(0)
    >>> no_such_field("update", " (mine.py, line 3)", holder, "wons")
    'update names State.wons (mine.py, line 3), but there is no such field; did you mean wins? It has wins.'
    """
    owner, fields = type(holder).__name__, ", ".join(holder._fields)
    near = get_close_matches(field, holder._fields, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}? It has" if near else f"{owner} has"
    return f"{function} names {owner}.{field}{place}, but there is no such field; {hint} {fields}."


def part_called(state: Any, name: str) -> Any:
    """Return the State, or the part of it, whose class has this name; None if there is none."""
    if type(state).__name__ == name:
        return state
    parts = (part_called(value, name) for value in state if hasattr(value, "_fields"))
    return next((part for part in parts if part is not None), None)
