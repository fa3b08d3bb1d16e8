"""How often each of two items was chosen over the other, kept for the pairs that met and for no others."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats, Ints

Arms = npt.NDArray[np.int32]
COLUMNS = ("first", "second", "won", "lost")
ROWS_AT_ONCE = 1 << 16
"""Duels that are gathered before equal pairs are added up."""


@dataclass(frozen=True)
class PairCounts:
    """For each pair that met, first < second: how often `first` was chosen (`won`) and `second` (`lost`)."""

    n_arms: int
    first: Arms
    second: Arms
    won: Floats
    lost: Floats

    @classmethod
    def from_table(cls, wins: Floats) -> "PairCounts":
        """Take the pairs that met out of a square table, wins[i, j] = times i was chosen over j."""
        first, second = np.nonzero(np.triu(wins + wins.T, 1))
        return cls(len(wins), first.astype(np.int32), second.astype(np.int32), wins[first, second], wins[second, first])

    def table(self) -> Floats:
        """Return the square table of wins."""
        wins = np.zeros((self.n_arms, self.n_arms))
        wins[self.first, self.second] = self.won
        wins[self.second, self.first] = self.lost
        return wins

    @property
    def duels(self) -> float:
        """The number of comparisons in all."""
        return float(self.won.sum() + self.lost.sum())

    def met(self) -> Floats:
        """Return for each arm the number of its duels.

        >>> PairCounts.from_table(np.array([[0.0, 2, 0], [1, 0, 0.5], [0, 0.5, 0]])).met()
        array([3., 4., 1.])
        """
        total = self.won + self.lost
        both = np.concatenate([self.first, self.second])
        return np.asarray(np.bincount(both, np.concatenate([total, total]), minlength=self.n_arms), np.float64)

    def among(self, arms: Ints) -> "PairCounts":
        """Return the counts among these arms alone, numbered in the order in which they are given."""
        place = np.full(self.n_arms, -1, np.int32)
        place[arms] = np.arange(len(arms))
        one, other = place[self.first], place[self.second]
        kept = (one >= 0) & (other >= 0)
        one, other, won, lost = one[kept], other[kept], self.won[kept], self.lost[kept]
        turned = one > other
        return _sorted(
            len(arms), np.where(turned, other, one), np.where(turned, one, other), np.where(turned, lost, won),
            np.where(turned, won, lost),
        )  # fmt: skip


class PairCountsBuilder:
    """Takes many duels at once; memory grows with the pairs that met, not with the duels."""

    def __init__(self) -> None:
        self._known = PairCounts(0, np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0), np.empty(0))
        self._pending: list[PairCounts] = []
        self._pending_rows = 0

    def add(self, one: Ints | Arms, other: Ints | Arms, won: Floats, lost: Floats) -> None:
        """Count, row by row, how often `one` was chosen over `other`, and the other way round."""
        turned = one > other
        self._pending.append(
            _sorted(
                0, np.where(turned, other, one).astype(np.int32), np.where(turned, one, other).astype(np.int32),
                np.where(turned, lost, won), np.where(turned, won, lost),
            )
        )  # fmt: skip
        self._pending_rows += self._pending[-1].first.size
        if self._pending_rows >= max(ROWS_AT_ONCE, self._known.first.size // 4):
            self._merge()

    def add_block(self, arms: Ints, wins: Floats) -> None:
        """Count the wins of some arms against each other: wins[k, l] = times arms[k] was chosen over arms[l]."""
        block = PairCounts.from_table(wins)
        self.add(arms[block.first], arms[block.second], block.won, block.lost)

    def result(self, n_arms: int) -> PairCounts:
        """Return all that was counted."""
        self._merge()
        known = self._known
        return PairCounts(n_arms, known.first, known.second, known.won, known.lost)

    def _merge(self) -> None:
        if self._pending:
            parts, self._pending, self._pending_rows = [self._known, *self._pending], [], 0
            columns = (np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS)
            self._known = _sorted(0, *columns)


def _sorted(n_arms: int, first: Arms, second: Arms, won: Floats, lost: Floats) -> PairCounts:
    """Return the counts with each pair once, in order."""
    key = first.astype(np.int64) << 32 | second
    order = np.argsort(key, kind="stable")  # what is in order already is merged, not sorted anew
    key = key[order]
    start = np.flatnonzero(np.diff(key, prepend=-1))
    first, second = (key[start] >> 32).astype(np.int32), (key[start] & 0xFFFFFFFF).astype(np.int32)
    won, lost = (np.add.reduceat(part[order], start) if start.size else part for part in (won, lost))
    return PairCounts(n_arms, first, second, won, lost)
