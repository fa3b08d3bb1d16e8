"""How likely each arm beats each other, as a matrix or as a rule on strengths, in the form that kernels read."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats
from winnerstays.compiling import kernel
from winnerstays.errors import WinnerstaysError

TOLERANCE = 1e-6
"""How far p_ij + p_ji may be from 1, and p_ii from 1/2; within it, the larger of p_ij and p_ji is kept."""

MATRIX, ORDER, LOGIT, PROBIT = range(4)
LINKS: dict[str, int] = {"order": ORDER, "logit": LOGIT, "probit": PROBIT}


class Chances(NamedTuple):
    """The probability of winning: a matrix, or strengths and the rule that makes probabilities of them."""

    kind: int
    matrix: Floats
    strength: Floats
    p: float  # ORDER: how often the stronger one wins


@kernel
def chance(chances: Chances, first: int, second: int) -> float:
    """P(first beats second)."""
    if chances.kind == MATRIX:
        return chances.matrix[first, second]  # type: ignore[no-any-return]
    edge = chances.strength[first] - chances.strength[second]
    if edge == 0.0:
        return 0.5
    if chances.kind == ORDER:
        return chances.p if edge > 0.0 else 1.0 - chances.p
    if chances.kind == LOGIT:
        return 1.0 / (1.0 + math.exp(-edge)) if edge > 0.0 else 1.0 - 1.0 / (1.0 + math.exp(edge))
    return 0.5 * math.erfc(-edge / math.sqrt(2.0))


def as_numbers(what: str, values: npt.ArrayLike) -> Floats:
    """Return an array of real numbers, or an error that says what they should have been."""
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers")
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise WinnerstaysError(f"The {what} are not all numbers in rows of equal length: {error}.") from None


def matrix_chances(values: npt.ArrayLike) -> Chances:
    """Check a matrix of P(row beats column)."""
    matrix = as_numbers("preferences", values)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise WinnerstaysError(f"The preference matrix must be square, but its shape is {matrix.shape}.")
    if matrix.shape[0] < 2:
        raise WinnerstaysError(f"A problem needs at least 2 arms, but the matrix has {matrix.shape[0]}.")

    def refuse_first(bad: npt.NDArray[np.bool_], why: str) -> None:
        if bad.any():
            row, column = (int(index) for index in np.argwhere(bad)[0])
            value = matrix[row, column]
            raise WinnerstaysError(
                f"The preference in row {row + 1}, column {column + 1} is {value:g}"
                + why.format(matrix[column, row], value + matrix[column, row])
            )

    refuse_first(~np.isfinite(matrix), ", but it must be a finite number.")
    refuse_first((matrix < 0) | (matrix > 1), ", but a probability must lie between 0 and 1.")
    refuse_first(
        (abs(matrix - 0.5) > TOLERANCE) & np.eye(len(matrix), dtype=bool), ", but an arm against itself must be 0.5."
    )
    refuse_first(
        abs(matrix + matrix.T - 1) > TOLERANCE,
        " and the opposite cell is {0:g}; together they must be 1 (within 1e-06), not {1:g}.",
    )
    matrix = np.where(matrix >= matrix.T, matrix, 1 - matrix.T)
    return Chances(MATRIX, np.ascontiguousarray(matrix), np.zeros(len(matrix)), 0.5)
