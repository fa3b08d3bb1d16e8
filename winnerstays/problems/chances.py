"""How likely each arm beats each other, as a matrix or as a rule on strengths, in the form that kernels read."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats, Ints
from winnerstays.compiling import entry, kernel
from winnerstays.errors import WinnerstaysError
from winnerstays.problems.pair_counts import Arms, PairCounts

TOLERANCE = 1e-6
"""How far p_ij + p_ji may be from 1, and p_ii from 1/2; within it, the larger of p_ij and p_ji is kept."""

MATRIX, ORDER, LOGIT, PROBIT, PAIRS = range(5)
LINKS: dict[str, int] = {"order": ORDER, "logit": LOGIT, "probit": PROBIT}


NO_STARTS, NO_ARMS, NO_VALUES = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0)


class Chances(NamedTuple):
    """The probability of winning: a matrix, strengths and the rule that makes probabilities of them, or known pairs."""

    kind: int
    matrix: Floats
    strength: Floats
    p: float  # ORDER: how often the stronger one wins
    start: Ints = NO_STARTS  # PAIRS: those of arm i stand from start[i] to start[i + 1], others not known are 1/2
    other: Arms = NO_ARMS  # PAIRS: the opponents of each arm, in order
    value: Floats = NO_VALUES  # PAIRS: P(arm beats that opponent)


@kernel
def chance(chances: Chances, first: int, second: int) -> float:
    """P(first beats second)."""
    if chances.kind == MATRIX:
        return chances.matrix[first, second]  # type: ignore[no-any-return]
    if chances.kind == PAIRS:
        return _known(chances, first, second)
    edge = chances.strength[first] - chances.strength[second]
    if edge == 0.0:
        return 0.5
    if chances.kind == ORDER:
        return chances.p if edge > 0.0 else 1.0 - chances.p
    if chances.kind == LOGIT:
        return 1.0 / (1.0 + math.exp(-edge)) if edge > 0.0 else 1.0 - 1.0 / (1.0 + math.exp(edge))
    return 0.5 * math.erfc(-edge / math.sqrt(2.0))


@kernel
def _known(chances: Chances, first: int, second: int) -> float:
    low, high = chances.start[first], chances.start[first + 1]
    while low < high:
        middle = (low + high) // 2
        if chances.other[middle] < second:
            low = middle + 1
        else:
            high = middle
    if low < chances.start[first + 1] and chances.other[low] == second:
        return chances.value[low]  # type: ignore[no-any-return]
    return 0.5


def as_numbers(what: str, values: npt.ArrayLike) -> Floats:
    """Return an array of real numbers, or an error that says what they should have been."""
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers")
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
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
    counted = "give counts of wins to Problem.from_counts"
    refuse_first(
        (matrix < 0) | (matrix > 1),
        f", but a probability must lie between 0 and 1; divide percentages by 100, and {counted}.",
    )
    refuse_first(
        (abs(matrix - 0.5) > TOLERANCE) & np.eye(len(matrix), dtype=bool),
        f", but an arm against itself must be 0.5 (numpy.fill_diagonal(matrix, 0.5) sets that); {counted}.",
    )
    refuse_first(
        abs(matrix + matrix.T - 1) > TOLERANCE,
        " and the opposite cell is {0:g}; together they must be 1 (within 1e-06), not {1:g}.",
    )
    matrix = np.where(matrix >= matrix.T, matrix, 1 - matrix.T)
    return Chances(MATRIX, np.ascontiguousarray(matrix), np.zeros(len(matrix)), 0.5)


def pair_chances(counts: PairCounts, prior: float) -> Chances:
    """Estimate the chances of the pairs that met: (wins + prior) / (duels + 2 prior)."""
    smaller = np.bincount(counts.second, minlength=counts.n_arms)  # opponents with smaller numbers come first
    larger = np.bincount(counts.first, minlength=counts.n_arms)
    start = np.concatenate([[0], np.cumsum(smaller + larger)])
    other, value = np.empty(2 * counts.first.size, np.int32), np.empty(2 * counts.first.size)
    places = (start[:-1].copy(), start[:-1] + smaller)
    _write_pairs(counts.first, counts.second, counts.won, counts.lost, float(prior), *places, other, value)
    return Chances(PAIRS, np.empty((0, 0)), np.zeros(counts.n_arms), 0.5, start, other, value)


@entry
def _write_pairs(
    first: Arms,
    second: Arms,
    won: Floats,
    lost: Floats,
    prior: float,
    smaller: Ints,
    larger: Ints,
    other: Arms,
    value: Floats,
) -> None:
    """Write each pair, in order, to its two arms; `smaller` and `larger` are where their next opponents stand."""
    for k in range(first.size):
        one, two, total = first[k], second[k], won[k] + lost[k] + 2.0 * prior
        low = (lost[k] + prior) / total
        chance_of_first = (won[k] + prior) / total if won[k] >= lost[k] else 1.0 - low
        other[larger[one]], value[larger[one]] = two, chance_of_first
        other[smaller[two]], value[smaller[two]] = one, 1.0 - chance_of_first if won[k] >= lost[k] else low
        larger[one] += 1
        smaller[two] += 1
