"""Scores of arms where no arm beats all others: Copeland and Borda."""

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.problems.chances import LOGIT, MATRIX, ORDER, PAIRS, Chances

ROWS_AT_ONCE = 4_000_000
"""Chances that are looked at together."""


def row_of(chances: Chances, arm: int) -> Floats:
    """Return P(arm beats each arm)."""
    return np.asarray(rows_of(chances, np.array([arm]))[0])


def rows_of(chances: Chances, arms: Ints) -> Floats:
    """Return P(arm beats each arm), a row for each of the arms."""
    if chances.kind == MATRIX:
        return np.asarray(chances.matrix[arms])
    if chances.kind == PAIRS:
        rows = np.full((len(arms), chances.strength.size), 0.5)
        for row, arm in zip(rows, arms, strict=True):
            part = slice(chances.start[arm], chances.start[arm + 1])
            row[chances.other[part]] = chances.value[part]
        return rows
    edge = chances.strength[arms, None] - chances.strength
    if chances.kind == ORDER:
        return np.where(edge > 0, chances.p, np.where(edge < 0, 1 - chances.p, 0.5))
    from scipy.special import expit, ndtr

    return np.asarray(expit(edge) if chances.kind == LOGIT else ndtr(edge))


def copeland_scores(chances: Chances) -> Floats:
    """Return for each arm the share of the others that it beats; a tie is half a win.

    >>> from winnerstays.problems import problem
    >>> copeland_scores(problem("cyclic").chances).round(3).tolist()
    [1.0, 0.333, 0.333, 0.333]
    """
    n_arms = chances.strength.size
    if chances.kind in (MATRIX, PAIRS):
        arms, values = _entries(chances)
        edge = np.asarray(np.bincount(arms, np.sign(values - 0.5), n_arms), np.float64)  # beaten minus beaten by
    else:
        edge = _weaker_less_stronger(chances)
    return np.asarray((n_arms - 1 + edge) / (2 * (n_arms - 1)))


def borda_scores(chances: Chances) -> Floats:
    """Return for each arm its mean chance against another arm drawn at random.

    >>> from winnerstays.problems import problem
    >>> borda_scores(problem("cyclic").chances).round(3).tolist()
    [0.6, 0.467, 0.467, 0.467]
    """
    n_arms = chances.strength.size
    if chances.kind in (MATRIX, PAIRS):
        arms, values = _entries(chances)
        return np.asarray(0.5 + np.bincount(arms, values - 0.5, n_arms) / (n_arms - 1))
    if chances.kind == ORDER:
        return np.asarray(0.5 + (chances.p - 0.5) * _weaker_less_stronger(chances) / (n_arms - 1))
    step = max(1, ROWS_AT_ONCE // n_arms)
    blocks = [np.arange(low, min(low + step, n_arms)) for low in range(0, n_arms, step)]
    total = np.concatenate([rows_of(chances, block).sum(axis=1) for block in blocks])
    return np.asarray((total - 0.5) / (n_arms - 1))


def _weaker_less_stronger(chances: Chances) -> Floats:
    """Return for each arm the number of arms of less strength minus that of more."""
    levels = np.sort(chances.strength)
    below = np.searchsorted(levels, chances.strength, "left")
    above = levels.size - np.searchsorted(levels, chances.strength, "right")
    return np.asarray(below - above, np.float64)


def _entries(chances: Chances) -> tuple[Ints, Floats]:
    """Return the arm and the value of every chance that may differ from 1/2."""
    n_arms = chances.strength.size
    if chances.kind == MATRIX:
        return np.repeat(np.arange(n_arms), n_arms), chances.matrix.ravel()
    return np.repeat(np.arange(n_arms), np.diff(chances.start)), chances.value


def largest(scores: Floats) -> Ints:
    """Return the arms of the highest score, but for rounding."""
    return np.flatnonzero(scores >= scores.max() - 1e-12)
