"""One list made of several rankings, with what is needed to say later whose results were clicked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.interleaving import kernels
from winnerstays.item_names import shown as in_words

Result = str | int
Outcome = Literal["first", "second", "tie", "nothing"]
RULES = ("clicks", "first-click")
STEEPNESS = 3.0
"""Hofmann's tau: a ranker draws the result of rank r with a chance that is proportional to r^-tau."""
MAX_LENGTH, MAX_SIZE = 100, 1000
"""The most results that are shown, and the most of one ranking."""
SAME = 1e-9
"""Scores that differ by less are a tie."""


@dataclass(frozen=True)
class Interleaved:
    """What is shown, and what every method needs for credit. Ranks and positions count from 1, rankers from 0.

    >>> from winnerstays.interleaving import team_draft
    >>> page = team_draft(["a", "b", "c"], ["a", "x", "b"], 3, seed=1)
    >>> page.shown, page.owners
    (('a', 'b', 'x'), (None, 0, 1))
    >>> page.credit([2]), page.credit([3, 2]), page.credit([3, 2], rule="first-click"), page.credit([])
    ('first', 'tie', 'second', 'nothing')
    """

    method: str
    shown: tuple[Result, ...]
    ranks: tuple[tuple[int | None, ...], ...]
    """For each ranker: its ranks of the results that are shown, None where it has no such result."""
    sizes: tuple[int, ...]
    """How many results each ranker had."""
    owners: tuple[int | None, ...] = ()
    """Team draft: the ranker that added each result; None where all agreed."""

    def position(self, result: Result) -> int:
        """Return where a result is shown, from 1."""
        if result not in self.shown:
            raise unknown("result", result, map(str, self.shown), of="the list that was shown")
        return self.shown.index(result) + 1

    def scores(self, clicks: Sequence[int], rule: str = "clicks") -> tuple[float, ...]:
        """Return what each ranker gets for clicks on these positions, in the order in which they were made.

        Team draft: clicks on its own results. Balanced: clicks on its top results. Probabilistic: the chance that it
        drew more of the clicked results than the other. Optimized: the sum of 1 / rank over the clicked results.
        """
        if rule not in RULES:
            raise unknown("rule", rule, RULES)
        places = self._places(clicks)[: 1 if rule == "first-click" else None]
        scores = np.zeros(len(self.sizes))
        if not places:
            return tuple(scores.tolist())
        at = np.array(places)
        if self.method == "team_draft":
            kernels.team_scores(_numbers(self.owners), at, scores)
            return tuple(scores.tolist())
        ranks = np.array([_numbers(row, first=1) for row in self.ranks])
        if self.method == "balanced":
            kernels.balanced_scores(ranks, at, scores)
        elif self.method == "probabilistic":
            sizes, counts = np.array(self.sizes), np.empty(len(places) + 1)
            kernels.probabilistic_scores(ranks, sizes, rank_weights(max(self.sizes)), at, counts, scores)
        else:
            longest = max(self.sizes)
            scores[:] = [sum(inverse_rank(row[place], longest) for place in places) for row in self.ranks]
        return tuple(scores.tolist())

    def credit(self, clicks: Sequence[int], rule: str = "clicks", between: tuple[int, int] = (0, 1)) -> Outcome:
        """Say who wins: "first", "second", "tie", or "nothing" without clicks.

        `rule="first-click"` looks at the first click alone. `between` names the two rankers where there are more.
        """
        scores = self.scores(clicks, rule)
        for ranker in between:
            if not 0 <= ranker < len(scores):
                raise WinnerstaysError(f"There is no ranker {ranker!r}; the {len(scores)} rankers count from 0.")
        ahead = scores[between[0]] - scores[between[1]]
        if not len(clicks):
            return "nothing"
        return "tie" if abs(ahead) < SAME else "first" if ahead > 0 else "second"

    def _places(self, clicks: Sequence[int]) -> list[int]:
        """Return clicks as places from 0; the second click on a result counts for nothing."""
        for click in clicks:
            if isinstance(click, bool) or not isinstance(click, int | np.integer):
                raise WinnerstaysError(f"A click is {in_words(click)}, but it must be a position: 1 for the top.")
            if not 1 <= click <= len(self.shown):
                end = f"positions are 1 to {len(self.shown)}" if self.shown else "nothing was shown"
                raise WinnerstaysError(f"There is no position {click}; {end}.")
        return [int(click) - 1 for click in dict.fromkeys(clicks)]

    def to_json(self) -> dict[str, Any]:
        """Return everything as tuples, numbers and texts, for JSON; `from_json` reads it."""
        return dict(vars(self))

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Interleaved":
        """Return what `to_json` gave, also after a way through a file of JSON."""
        try:
            made = cls(
                str(fields["method"]),
                tuple(fields["shown"]),
                tuple(map(tuple, fields["ranks"])),
                tuple(fields["sizes"]),
                tuple(fields["owners"]),
            )
        except (KeyError, TypeError) as error:
            raise WinnerstaysError(f"This is no interleaved list: {in_words(fields)} ({error}).") from None
        made._check()
        return made

    def _check(self) -> None:
        """Refuse what no method can have made."""
        n, rankers = len(self.shown), range(len(self.sizes))
        right = (
            self.method in ("team_draft", "balanced", "probabilistic", "optimized")
            and all(type(result) is str or (type(result) is int and abs(result) < 2**63) for result in self.shown)
            and len(set(self.shown)) == n <= MAX_LENGTH
            and len(self.ranks) == len(self.sizes) >= 2
            and all(type(size) is int and size <= MAX_SIZE for size in self.sizes)
            and all(len(row) == n for row in self.ranks)
            and all(
                rank is None or (type(rank) is int and 1 <= rank <= size)
                for row, size in zip(self.ranks, self.sizes, strict=True)
                for rank in row
            )
            and all(any(row[place] is not None for row in self.ranks) for place in range(n))
            and len(self.owners) == (n if self.method == "team_draft" else 0)
            and all(owner is None or (type(owner) is int and owner in rankers) for owner in self.owners)
        )
        if not right:
            raise WinnerstaysError(
                f"This is no interleaved list: {in_words(self.to_json())}; each result is a text or a whole number, "
                "and needs a rank from at least one of two or more rankers, and in a team draft an owner or null."
            )


def inverse_rank(rank: int | None, longest: int) -> float:
    """Return the credit of a rank; what a ranking leaves out comes after the end of the longest one."""
    return 1.0 / (longest + 1 if rank is None else rank)


def rank_weights(size: int) -> Floats:
    """Return the weights with which probabilistic interleaving draws ranks."""
    return np.arange(1, size + 1, dtype=np.float64) ** -STEEPNESS


def _numbers(values: Sequence[int | None], first: int = 0) -> Any:
    return np.array([kernels.NONE if value is None else value - first for value in values], np.int64)
