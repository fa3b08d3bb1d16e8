"""How often each of two items was chosen over the other, kept for the pairs that met and for no others."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats, Ints

Arms = npt.NDArray[np.int32]
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
        one, other = (np.bincount(arms, total, minlength=self.n_arms) for arms in (self.first, self.second))
        return np.asarray(one + other, np.float64)

    def among(self, arms: Ints) -> "PairCounts":
        """Return the counts among these arms alone, numbered in the order in which they are given."""
        place = np.full(self.n_arms, -1, np.int32)
        place[arms] = np.arange(len(arms))
        one, other = place[self.first], place[self.second]
        kept = (one >= 0) & (other >= 0)
        builder = PairCountsBuilder()
        builder.add(one[kept], other[kept], self.won[kept], self.lost[kept])
        return builder.result(len(arms))


class PairCountsBuilder:
    """Takes many duels at once; memory grows with the pairs that met, not with the duels."""

    def __init__(self) -> None:
        self._pair, self._won, self._lost = np.empty(0, np.int64), np.empty(0), np.empty(0)
        """Each pair as one number, in order, and how often its first and its second arm was chosen."""
        self._pending: list[tuple[Ints, Floats, Floats]] = []
        self._pending_rows = 0

    def add(self, one: Ints | Arms, other: Ints | Arms, won: Floats, lost: Floats) -> None:
        """Count, row by row, how often `one` was chosen over `other`, and the other way round."""
        turned = one > other
        pair = np.where(turned, other, one).astype(np.int64) << 32 | np.where(turned, one, other)
        self._pending.append((pair, np.where(turned, lost, won), np.where(turned, won, lost)))
        self._pending_rows += pair.size
        if self._pending_rows >= max(ROWS_AT_ONCE, self._pair.size // 4):
            self._merge()

    def add_block(self, arms: Ints, wins: Floats) -> None:
        """Count the wins of some arms against each other: wins[k, l] = times arms[k] was chosen over arms[l]."""
        block = PairCounts.from_table(wins)
        self.add(arms[block.first], arms[block.second], block.won, block.lost)

    def result(self, n_arms: int) -> PairCounts:
        """Return all that was counted, in the order of pairs. The builder keeps nothing, to save memory."""
        self._merge()
        first, second = (self._pair >> 32).astype(np.int32), (self._pair & 0xFFFFFFFF).astype(np.int32)
        counts = PairCounts(n_arms, first, second, self._won, self._lost)
        self._pair, self._won, self._lost = np.empty(0, np.int64), np.empty(0), np.empty(0)
        return counts

    def _merge(self) -> None:
        """Add what is pending to the pairs that are known, and put the others between them."""
        if not self._pending_rows:
            return
        rows, won, lost = (np.concatenate(parts) for parts in zip(*self._pending, strict=True))
        self._pending, self._pending_rows = [], 0
        pair, row = np.unique(rows, return_inverse=True)
        won, lost = np.bincount(row, won), np.bincount(row, lost)
        place = np.searchsorted(self._pair, pair)
        known = np.zeros(pair.size, bool)
        inside = place < self._pair.size
        known[inside] = self._pair[place[inside]] == pair[inside]
        self._won[place[known]] += won[known]
        self._lost[place[known]] += lost[known]
        self._pair = np.insert(self._pair, place[~known], pair[~known])
        self._won = np.insert(self._won, place[~known], won[~known])
        self._lost = np.insert(self._lost, place[~known], lost[~known])
