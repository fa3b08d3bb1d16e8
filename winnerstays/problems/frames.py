"""Matrices in memory: arrays, lists of rows, and data frames whose columns are the items."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays.errors import WinnerstaysError


def is_frame(source: object) -> bool:
    """Tell a data frame of pandas or polars."""
    return hasattr(source, "columns") and hasattr(source, "to_numpy")


def is_matrix(source: object) -> bool:
    """Tell a table of numbers from a list of problems.

    >>> is_matrix([[0.5, 0.7], [0.3, 0.5]]), is_matrix(["sushi", "mslr"]), is_matrix([np.eye(2), np.eye(2)])
    (True, False, False)
    """
    if is_frame(source):
        return True
    if not isinstance(source, list | tuple):
        return hasattr(source, "__array__") and np.ndim(source) < 3
    return (
        bool(source)
        and all(isinstance(row, list | tuple) or np.ndim(row) == 1 for row in source)
        and not any(
            isinstance(row, str | Path) or is_frame(row) or (isinstance(row, list | tuple) and is_matrix(row))
            for row in source
        )
    )


def numbers_and_names(source: Any) -> tuple[npt.ArrayLike, Sequence[str] | None]:
    """Return the numbers of a matrix and, of a data frame, the names of its columns; rows are put in their order."""
    if not is_frame(source):
        return source, None
    names = [str(name) for name in source.columns]
    index = getattr(source, "index", None)
    rows = None if index is None else [str(name) for name in index]
    numbers = source.to_numpy()
    if numbers.dtype.kind not in "iufb":
        raise WinnerstaysError(
            f"A data frame is a matrix if all its columns are numbers, but there are {', '.join(names[:5])}; a "
            "frame of duels or ratings is for winnerstays.problem(frame, columns=...)."
        )
    count = [str(number) for number in range(len(numbers))]
    if rows is not None and rows not in (names, count):
        if sorted(rows) != sorted(names):
            raise WinnerstaysError(
                f"The rows of the data frame are {', '.join(rows[:5])} and its columns {', '.join(names[:5])}, but in "
                "a matrix both are the same items."
            )
        numbers = numbers[[rows.index(name) for name in names]]
    return numbers, names
