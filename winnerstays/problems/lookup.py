"""A problem by its name, its options or its file."""

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.numbers import share, whole_number
from winnerstays.problems.builtin import FIXED, GENERATED
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.files import asked_of, load, table_problem
from winnerstays.problems.readers.source import STDIN
from winnerstays.problems.readers.table import frame, records_table
from winnerstays.specs import parse_spec

ProblemLike = Problem | Path | npt.ArrayLike
"""Whatever `problem` takes; names are texts, which arrays may be made of, too."""
READERS: dict[type, Callable[[str], object]] = {int: whole_number, float: share, str: str}
"""How an option of a generated problem is read, by the type of its default."""


def problem(source: ProblemLike, **options: Any) -> Problem:
    """A built-in problem by name, a generated one as `name:key=value,...`, a file by path, a matrix or a table.

    >>> problem("mslr").n_arms, problem("total-order:n_arms=7,p=0.9").p, problem([[0.5, 0.7], [0.3, 0.5]]).p
    (5, 0.9, 0.7)

    Options are those of `load`. A table is a list of mappings, or a data frame of pandas or polars.
    """
    if not isinstance(source, str | Path):
        return _in_memory(source, options)
    name, _, rest = str(source).partition(":")
    is_built_in = (name in FIXED and not rest) or name in GENERATED
    options_used = [key for key, value in options.items() if value not in (None, False)]
    if is_built_in and options_used:
        raise WinnerstaysError(f"{options_used[0]} says how a file is read, but {name} is a built-in problem.")
    if is_built_in:
        return FIXED[name]() if name in FIXED else _generate(*parse_spec(str(source)))
    if "://" in str(source):
        raise WinnerstaysError(f"{source} is an address; download it, and give the name of the file.")
    path = Path(source)
    if path.suffix or str(source) == STDIN or (source != "" and path.exists()):  # Path("") is the folder we are in
        return load(path, **options)
    raise unknown("problem", source, [*FIXED, *GENERATED])


def _in_memory(source: Any, options: Mapping[str, Any]) -> Problem:
    if _is_frame(source):
        return table_problem(frame(source), asked_of(options))
    if isinstance(source, list) and source and isinstance(source[0], Mapping):
        return table_problem(records_table(lambda: enumerate(source, start=1)), asked_of(options))
    for key in options:
        raise WinnerstaysError(f"{key} says how a file or a data frame is read, but this is a {type(source).__name__}.")
    if isinstance(source, Problem):
        return source
    if not is_matrix(source):
        raise WinnerstaysError(
            f"A problem is a Problem, a name, a path, a matrix (an array or a list of rows) or a data frame, not a "
            f"{type(source).__name__}; pairs of a winner and a loser are for Problem.from_comparisons."
        )
    return Problem(source)


def is_matrix(source: object) -> bool:
    """Tell a table of numbers from a list of problems.

    >>> is_matrix([[0.5, 0.7], [0.3, 0.5]]), is_matrix(["sushi", "mslr"]), is_matrix([np.eye(2), np.eye(2)])
    (True, False, False)
    """
    if not isinstance(source, list | tuple):
        return hasattr(source, "__array__") and not _is_frame(source) and np.ndim(source) < 3
    rows = (isinstance(row, list | tuple | np.ndarray) and len(row) and np.ndim(row[0]) == 0 for row in source)
    return bool(source) and all(rows)


def _is_frame(source: object) -> bool:
    """Tell a data frame of pandas or polars."""
    return hasattr(source, "columns") and hasattr(source, "to_numpy")


def _generate(name: str, options: dict[str, str]) -> Problem:
    make = GENERATED[name]
    known = {key: value for key, value in inspect.signature(make).parameters.items() if key != "name"}
    chosen: dict[str, object] = {}
    for key, text in options.items():
        if key not in known:
            raise unknown(f"option of {name}", key, known)
        try:
            chosen[key] = READERS[type(known[key].default)](text)
        except WinnerstaysError as error:
            raise WinnerstaysError(f"{name}: {key}: {error}") from None
    return make(**chosen)
