"""A problem: how likely each arm beats each other arm, and so which arm is best.

Algorithms never see a Problem; only the simulator, the metrics and the exact solver do.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats as Floats
from winnerstays._types import Ints
from winnerstays.errors import WinnerstaysError
from winnerstays.intervals import wilson
from winnerstays.problems import winners
from winnerstays.problems.chances import LINKS, MATRIX, PAIRS, Chances, as_numbers, chance, matrix_chances
from winnerstays.problems.estimation import as_pair_counts, estimate
from winnerstays.problems.pair_counts import PairCounts, PairCountsBuilder

LARGEST_STRENGTH = 1e100
"""In units of the noise; far beyond it differences could not be told from infinite ones."""
LARGEST_MATRIX = 20_000
"""Arms up to which `preferences` is written out as a matrix (3.2 GB)."""


class Problem:
    """Preferences, and optionally utilities, items' names and features.

    >>> lunch = Problem([[0.5, 0.7], [0.3, 0.5]], items=["tacos", "ramen"])
    >>> lunch.items[lunch.best_arm], lunch.p
    ('tacos', 0.7)

    `preferences[first, second]` is the probability that `first` is chosen over `second`. Utilities default to the
    paper's u_i = 2 (1 - p_bi), b the best arm.
    """

    def __init__(
        self,
        preferences: npt.ArrayLike | Chances,
        *,
        utilities: npt.ArrayLike | None = None,
        items: Sequence[str] | None = None,
        features: npt.ArrayLike | None = None,
        counts: npt.ArrayLike | PairCounts | None = None,
        name: str = "custom",
        note: str = "",
        fitted: str = "",
    ) -> None:
        if isinstance(preferences, Chances):
            self.chances = preferences
        else:
            self.chances = matrix_chances(preferences)
        self.n_arms = int(self.chances.strength.size)
        self.name, self.note, self.fitted = name, note, fitted
        """`fitted` says by which model chances were estimated, if not pair by pair."""
        self.items: list[str] = [str(arm) for arm in range(self.n_arms)] if items is None else [str(i) for i in items]
        if len(self.items) != self.n_arms:
            raise WinnerstaysError(f"There are {len(self.items)} item names for {self.n_arms} arms; give one for each.")
        if len(set(self.items)) != self.n_arms:
            twice = next(item for item in self.items if self.items.count(item) > 1)
            raise WinnerstaysError(f"The item name {twice!r} is used twice; names must differ.")
        self.features = None if features is None else self._per_arm("features", features, 2)
        if counts is not None and not isinstance(counts, PairCounts):
            counts = PairCounts.from_table(np.asarray(counts, dtype=np.float64))
        self.pair_counts: PairCounts | None = counts
        """The comparisons that the preferences were estimated from, of the pairs that met."""
        self.ties: Floats | None = None
        """How many of these were ties, where that is known."""
        self._utilities = None if utilities is None else self._per_arm("utilities", utilities, 1)

    def _per_arm(self, what: str, values: npt.ArrayLike, ndim: int) -> Floats:
        array = as_numbers(what, values)
        if array.ndim != ndim or array.shape[0] != self.n_arms:
            raise WinnerstaysError(
                f"The {what} have shape {array.shape}, but the first axis must be the {self.n_arms} arms."
            )
        if not np.isfinite(array).all():
            raise WinnerstaysError(f"The {what} of arm {int(np.argwhere(~np.isfinite(array))[0][0])} are not finite.")
        return array

    @classmethod
    def from_strengths(
        cls, strengths: npt.ArrayLike, link: Literal["order", "logit", "probit"], *, p: float = 0.8, **other: Any
    ) -> "Problem":
        """A problem given by a rule, not a matrix: any number of arms, memory O(N).

        `order`: the stronger arm wins with probability p. `logit`, `probit`: by the difference of strengths.
        """
        if link not in LINKS:
            raise WinnerstaysError(f"The link {link!r} is unknown; use one of {', '.join(LINKS)}.")
        if not 0.5 < p <= 1.0:
            raise WinnerstaysError(
                f"p is {p}, but the stronger arm must win with a probability above 0.5 and at most 1."
            )
        strength = as_numbers("strengths", strengths)
        if strength.ndim != 1 or strength.size < 2:
            raise WinnerstaysError(f"A problem needs at least 2 arms, but the strengths have shape {strength.shape}.")
        if not np.isfinite(strength).all():
            raise WinnerstaysError(f"The strength of arm {int(np.argmin(np.isfinite(strength)))} is not finite.")
        return cls(Chances(LINKS[link], np.empty((0, 0)), strength, float(p)), **other)

    @classmethod
    def from_utilities(
        cls, utilities: npt.ArrayLike, noise: float, link: Literal["probit", "logit"] = "probit", **other: Any
    ) -> "Problem":
        """A problem of people who choose the arm that seems worth more, and see utilities with noise.

        `probit`: either utility is perceived with Gaussian noise of that standard deviation,
        p_ij = Phi((u_i - u_j) / (noise sqrt 2)). `logit`: p_ij = 1 / (1 + exp(-(u_i - u_j) / noise)).
        """
        if not 0 < noise < math.inf:
            raise WinnerstaysError(f"noise is {noise}, but it must be a finite number above 0.")
        if link not in ("probit", "logit"):
            raise WinnerstaysError(f"The link {link!r} is unknown; use probit or logit.")
        worth = as_numbers("utilities", utilities)
        scale = noise * math.sqrt(2.0) if link == "probit" else noise
        if scale * LARGEST_STRENGTH < np.abs(worth).max(initial=0.0) < math.inf:
            raise WinnerstaysError(f"noise is {noise}, too small for utilities of up to {np.abs(worth).max():g}.")
        return cls.from_strengths(worth / scale, link, utilities=worth, **other)

    @classmethod
    def from_comparisons(
        cls, comparisons: Iterable[tuple[Hashable, Hashable]], *, prior: float = 1.0, **other: Any
    ) -> "Problem":
        """Preferences estimated from `(winner, loser)` pairs; items are numbered in order of appearance.

        p_ij = (wins of i over j + prior) / (duels of i and j + 2 prior), so pairs never seen count as 1/2.

        >>> Problem.from_comparisons([("a", "b"), ("a", "b"), ("b", "a")]).preferences[0, 1]
        np.float64(0.6)
        """
        arms: dict[str, int] = {}
        duels: list[tuple[int, int]] = []
        for row, pair in enumerate(comparisons):
            try:
                winner, loser = (str(item) for item in pair)
            except (TypeError, ValueError):
                raise WinnerstaysError(
                    f"Comparison {row + 1} is {pair!r}, but it must be a (winner, loser) pair."
                ) from None
            if winner == loser:
                raise WinnerstaysError(f"Comparison {row + 1} has {winner!r} on both sides; two items are needed.")
            duels.append((arms.setdefault(winner, len(arms)), arms.setdefault(loser, len(arms))))
        if not duels:
            raise WinnerstaysError("There are no comparisons; give at least one (winner, loser) pair.")
        builder = PairCountsBuilder()
        chosen, others = np.array(duels).T
        builder.add(chosen, others, np.ones(len(duels)), np.zeros(len(duels)))
        wins = builder.result(len(arms))
        return cls.from_counts(wins, prior=prior, items=list(arms), **other)

    @classmethod
    def from_counts(
        cls, wins: npt.ArrayLike | PairCounts, *, prior: float = 1.0, fit: str | None = None, **other: Any
    ) -> "Problem":
        """Preferences estimated from `wins[i, j]`, how often i was chosen over j; a tie is half a win for both.

        p_ij = (wins of i over j + prior) / (duels of i and j + 2 prior), so pairs never seen count as 1/2. With
        `fit="bradley-terry"` all chances follow from one strength per item instead, also of pairs that never met; with
        `fit="bradley-terry-unmet"` only those of pairs that never met do.
        """
        pairs = as_pair_counts(wins)
        chances, note = estimate(pairs, prior, fit)
        other["note"] = "; ".join(filter(None, [other.get("note", ""), note]))
        return cls(chances, counts=pairs, fitted=fit or "", **other)

    @cached_property
    def counts(self) -> Floats | None:
        """Comparisons the preferences were estimated from: counts[i, j] = times i was chosen over j, ties half."""
        return None if self.pair_counts is None else self.pair_counts.table()

    @cached_property
    def preferences(self) -> Floats:
        """The matrix of P(row beats column)."""
        if self.chances.kind == MATRIX:
            return self.chances.matrix
        if self.n_arms > LARGEST_MATRIX:
            raise WinnerstaysError(
                f"{self.name}: a matrix of {self.n_arms} arms is too large to write out (limit {LARGEST_MATRIX})."
            )
        return np.array([self.row(arm) for arm in range(self.n_arms)])

    def row(self, arm: int) -> Floats:
        """P(arm beats each arm)."""
        if self.chances.kind in (MATRIX, PAIRS):
            return winners.row_of(self.chances, arm)
        others = range(self.n_arms)
        return np.array([chance(self.chances, arm, other) for other in others])

    @cached_property
    def best_arm(self) -> int | None:
        """The Condorcet winner: it beats every other arm more often than not. None if there is none."""
        score = self.copeland_scores
        leader = int(np.argmax(score))
        return leader if score[leader] == 1.0 else None

    @cached_property
    def copeland_scores(self) -> Floats:
        """The share of the others that each arm beats, a tie half."""
        return winners.copeland_scores(self.chances)

    @cached_property
    def borda_scores(self) -> Floats:
        """The mean chance of each arm against another one drawn at random."""
        return winners.borda_scores(self.chances)

    @property
    def copeland_winners(self) -> Ints:
        """The arms that beat most others; where there is a Condorcet winner, it alone."""
        return winners.largest(self.copeland_scores)

    @property
    def winner(self) -> int:
        """`best_arm`, or an error where regret needs one and there is none."""
        if self.best_arm is None:
            raise WinnerstaysError(
                f"{self.name}: no arm beats every other arm (no Condorcet winner), so weak and strong regret are not "
                "defined; weak-copeland, strong-copeland, weak-borda and strong-borda are."
            )
        return self.best_arm

    @cached_property
    def totally_ordered(self) -> bool:
        """Whether the arms can be lined up so that each beats all that come after it."""
        if self.chances.kind == MATRIX:
            return np.array_equal(np.sort((self.preferences > 0.5).sum(axis=1)), np.arange(self.n_arms))
        if self.chances.kind == PAIRS:
            return self.tie is None and np.unique(self.copeland_scores).size == self.n_arms
        return np.unique(self.chances.strength).size == self.n_arms

    @cached_property
    def tie(self) -> tuple[int, int] | None:
        """Two arms that beat each other equally often, if there are any."""
        if self.chances.kind == MATRIX:
            tied = np.argwhere(np.triu(self.preferences == 0.5, 1))
        elif self.chances.kind == PAIRS:
            equal = ((arm, np.flatnonzero(self.row(arm) == 0.5)) for arm in range(self.n_arms))
            tied = np.array([next(([arm, int(arms[arms != arm][0])] for arm, arms in equal if arms.size > 1), [])])
            tied = tied.reshape(-1, 2)
        else:
            order = np.argsort(self.chances.strength, kind="stable")
            tied = np.array([order[:-1], order[1:]]).T[np.diff(self.chances.strength[order]) == 0.0]
        return (int(tied[0][0]), int(tied[0][1])) if len(tied) else None

    @cached_property
    def p(self) -> float:
        """The smallest winning probability, min over p_ij > 1/2 (1/2 if all arms are equal)."""
        if self.chances.kind == MATRIX:
            return float(
                self.preferences.min(
                    initial=0.5 if (self.preferences == 0.5).all() else 1.0, where=self.preferences > 0.5
                )
            )
        if self.chances.kind == PAIRS:
            return float(self.chances.value.min(initial=1.0, where=self.chances.value > 0.5))
        weaker = np.unique(self.chances.strength)
        closest = int(np.argmin(np.diff(weaker))) if weaker.size > 1 else 0
        ends = np.array([weaker[closest], weaker[min(closest + 1, weaker.size - 1)]])
        return float(chance(self.chances._replace(strength=ends), 1, 0))

    @cached_property
    def p1(self) -> float:
        """The smallest probability with which the best arm wins: min over i of p_1i."""
        return float(np.delete(self.row(self.winner), self.winner).min())

    @cached_property
    def gaps(self) -> Floats:
        """g_i = p_bi - 1/2: how clearly the best arm b beats each arm."""
        return self.row(self.winner) - 0.5

    @property
    def has_own_utilities(self) -> bool:
        """Whether utilities were given, instead of the paper's default."""
        return self._utilities is not None

    @cached_property
    def utilities(self) -> Floats:
        """What each arm is worth; by default u_i = 2 (1 - p_bi)."""
        if self._utilities is None:
            return 1.0 - 2.0 * self.gaps
        if self._utilities[self.winner] < self._utilities.max():
            better = self.items[int(np.argmax(self._utilities))]
            raise WinnerstaysError(
                f"{self.name}: {better!r} has a higher utility than the arm that beats all others, "
                f"{self.items[self.winner]!r}; utility regret would be negative."
            )
        return self._utilities

    def uncertainty(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """The ends of Wilson's interval of every preference, from `counts`: how far the data leave it open.

        A pair that was never compared can be anything, 0 to 1. Ties count as half a win for both, which makes the
        interval of a pair with ties wider than it need be, never narrower.

        >>> low, high = Problem.from_comparisons([("a", "b")] * 9 + [("b", "a")]).uncertainty()
        >>> low[0, 1].round(3), high[0, 1].round(3)
        (np.float64(0.596), np.float64(0.982))
        """
        if self.counts is None:
            raise WinnerstaysError(f"{self.name} has no counts of comparisons, so its uncertainty is unknown.")
        if not 0 < level < 1:
            raise WinnerstaysError(f"The level is {level}, but it must lie between 0 and 1, such as 0.95.")
        low, high = wilson(self.counts, self.counts.T, level)
        np.fill_diagonal(low, 0.5)
        np.fill_diagonal(high, 0.5)
        return low, high

    def __repr__(self) -> str:
        return f"<Problem {self.name}: {self.n_arms} arms>"
