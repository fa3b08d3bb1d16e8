"""Rankings as duels.

- A voter who ranks i above j counts as one duel that i won; items that a voter ties are half a win for both.
- Items that a voter leaves out are not compared with anything: the voter may never have seen them. If they are
  counted as `below`, they lose to all that the voter ranks, and are not compared with each other.
"""

from collections.abc import Sequence

import numpy as np

from winnerstays.problems.pair_counts import PairCounts, PairCountsBuilder
from winnerstays.wording import counted

LARGEST_TABLE = 1000
"""Items up to which the wins of all pairs are counted in one table."""


class Votes:
    """Counts what voters decide: in a table where there are few items, else pair by pair."""

    def __init__(self, n_arms: int, *, below: bool) -> None:
        self.n_arms, self.below = n_arms, below
        self.voters = self.left_out = 0
        self._table = np.zeros((n_arms, n_arms)) if n_arms <= LARGEST_TABLE else None
        self._pairs = PairCountsBuilder()

    def add(self, voters: int, groups: Sequence[Sequence[int]]) -> None:
        """Count so many voters with one order: groups of arms that are tied, the best first."""
        arms = np.array([arm for group in groups for arm in group], dtype=np.int64)
        place = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        ranked = arms.size
        self.voters += voters
        self.left_out += voters * (ranked < self.n_arms)
        if self.below and ranked < self.n_arms:
            unranked = np.setdiff1d(np.arange(self.n_arms), arms)
            arms, place = np.concatenate([arms, unranked]), np.concatenate([place, np.full(unranked.size, self.n_arms)])
        own = place[:ranked, None]
        wins = (own < place) * float(voters) + (own == place) * (voters / 2)
        np.fill_diagonal(wins, 0)
        if self._table is not None:
            self._table[np.ix_(arms[:ranked], arms)] += wins
        else:
            self._pairs.add_block(arms, np.vstack([wins, np.zeros((arms.size - ranked, arms.size))]))

    def counts(self) -> PairCounts:
        """Return the duels of all voters."""
        return self._pairs.result(self.n_arms) if self._table is None else PairCounts.from_table(self._table)

    @property
    def rule(self) -> str:
        """What was assumed about items that voters did not rank, if there are any."""
        if not self.left_out:
            return ""
        share = f"{counted(self.left_out, 'voter')} left items out"
        if self.below:
            return f"{share}, which count as beaten by those they ranked (unranked=below)"
        return f"{share}, which are not compared (unranked=below would count them as beaten)"
