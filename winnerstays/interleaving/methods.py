"""Interleaving methods: two rankings and a length in, one list out. Their results are texts or whole numbers."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.interleaving import kernels
from winnerstays.interleaving.interleaved import MAX_LENGTH, MAX_SIZE, Interleaved, Result, rank_weights
from winnerstays.interleaving.plans import LONGEST, best_plan
from winnerstays.item_names import shown as in_words
from winnerstays.randomness import Rng, check_seed, stream, uniform


def team_draft(
    first: Iterable[Result], second: Iterable[Result], length: int = 10, *, seed: int | None = None
) -> Interleaved:
    """Let both rankers take turns, a coin deciding who begins each round (Radlinski, Kurup & Joachims 2008).

    Fair in every session: clicks that ignore the ranker make either one win equally often.
    """
    return multileave([first, second], length, seed=seed)


def multileave(rankings: Iterable[Iterable[Result]], length: int = 10, *, seed: int | None = None) -> Interleaved:
    """Team draft of two or more rankers: each adds a result in every round, in random order (Schuth et al. 2014)."""
    pages = _Rankings(rankings, length, seed)
    owners, order = np.empty(length, np.int64), np.arange(len(pages.names))
    n = kernels.team_draft(pages.lists, length, pages.shown, owners, order, pages.rng)
    return pages.interleaved("team_draft", pages.shown[:n], owners[:n])


def balanced(
    first: Iterable[Result], second: Iterable[Result], length: int = 10, *, seed: int | None = None
) -> Interleaved:
    """Show the tops of both rankings evenly (Joachims 2002).

    Biased where one ranking is the other one shifted: clicks at random then prefer one of them.
    """
    pages = _Rankings([first, second], length, seed)
    n = kernels.balanced(pages.lists, length, pages.shown, pages.rng)
    return pages.interleaved("balanced", pages.shown[:n])


def probabilistic(
    first: Iterable[Result], second: Iterable[Result], length: int = 10, *, seed: int | None = None
) -> Interleaved:
    """Draw each result from the softmax of a random ranker (Hofmann, Whiteson & de Rijke 2011).

    Credit is exact: the chance, over all ways in which the list can have come about, that a ranker drew more of the
    clicked results.
    """
    pages = _Rankings([first, second], length, seed)
    n = kernels.probabilistic(pages.lists, rank_weights(pages.lists.shape[1]), length, pages.shown, pages.rng)
    return pages.interleaved("probabilistic", pages.shown[:n])


def optimized(
    first: Iterable[Result], second: Iterable[Result], length: int = 10, *, seed: int | None = None
) -> Interleaved:
    """Draw from the most sensitive lottery over lists that is unbiased (Radlinski & Craswell 2013).

    The lottery is computed when a pattern of two rankings is first met, and remembered.
    """
    pages = _Rankings([first, second], length, seed)
    if length > LONGEST:
        raise WinnerstaysError(
            f"The length is {length}, but optimized interleaving makes lists of at most {LONGEST}; use team_draft."
        )
    results = [[result for result in row[:length].tolist() if result != kernels.NONE] for row in pages.lists]
    ranks = {result: (pages.rank(0, result), pages.rank(1, result)) for row in results for result in row}
    one, other = ([ranks[result] for result in row] for row in results)
    plan = best_plan(tuple(one), tuple(other), max(pages.sizes), length)
    drawn = plan.lists[min(int(np.searchsorted(plan.cumulative, uniform(pages.rng), "right")), len(plan.lists) - 1)]
    named = {pair: result for result, pair in ranks.items()}
    return pages.interleaved("optimized", [named[pair] for pair in drawn])


METHODS: dict[str, Callable[..., Interleaved]] = {
    "team_draft": team_draft, "balanced": balanced, "probabilistic": probabilistic, "optimized": optimized,
}  # fmt: skip


def interleave(
    method: str, first: Iterable[Result], second: Iterable[Result], length: int = 10, *, seed: int | None = None
) -> Interleaved:
    """Interleave by the method of this name."""
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    return METHODS[method](first, second, length, seed=seed)


class _Rankings:
    """Checked rankings as whole numbers."""

    def __init__(self, rankings: Iterable[Iterable[Result]], length: int, seed: int | None) -> None:
        if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= MAX_LENGTH:
            raise WinnerstaysError(f"The length is {length!r}, but it must be a whole number from 1 to {MAX_LENGTH}.")
        self.names = [_checked(ranking, number) for number, ranking in enumerate(rankings, 1)]
        if len(self.names) < 2:
            raise WinnerstaysError(f"There must be at least 2 rankings to interleave, but got {len(self.names)}.")
        self.sizes = tuple(map(len, self.names))
        numbers: dict[Result, int] = {}
        self.lists = np.full((len(self.names), max(1, *self.sizes)), kernels.NONE)
        for row, ranking in zip(self.lists, self.names, strict=True):
            row[: len(ranking)] = [numbers.setdefault(result, len(numbers)) for result in ranking]
        self._results = list(numbers)
        self._ranks = [{result: rank for rank, result in enumerate(ranking, 1)} for ranking in self.names]
        self.shown = np.empty(length, np.int64)
        self.rng: Rng = stream(secrets.randbits(64) if seed is None else check_seed(seed))

    def rank(self, ranker: int, number: int) -> int | None:
        return self._ranks[ranker].get(self._results[number])

    def interleaved(self, method: str, numbers: Any, owners: Sequence[int] | np.ndarray[Any, Any] = ()) -> Interleaved:
        shown = tuple(self._results[number] for number in numbers)
        return Interleaved(
            method,
            shown,
            tuple(tuple(ranks.get(result) for result in shown) for ranks in self._ranks),
            self.sizes,
            tuple(None if owner == kernels.NONE else int(owner) for owner in owners),
        )


def _checked(ranking: Iterable[Result], number: int) -> list[Result]:
    if isinstance(ranking, str | bytes) or not isinstance(ranking, Iterable):
        raise WinnerstaysError(f"Ranking {number} is {in_words(ranking)}, but it must be a list of results.")
    results: list[Result] = []
    ranks: dict[Result, int] = {}
    for rank, given in enumerate(ranking, 1):
        result = given.item() if isinstance(given, np.generic) else given
        if rank > MAX_SIZE:
            raise WinnerstaysError(f"Ranking {number} has more than {MAX_SIZE:,} results; give the best of them.")
        if (
            isinstance(result, bool)
            or not isinstance(result, str | int)
            or (isinstance(result, int) and abs(result) >= 2**63)
        ):
            raise WinnerstaysError(
                f"Ranking {number} holds {in_words(result)} at rank {rank}, but a result is a text or a whole number."
            )
        if result in ranks:
            raise WinnerstaysError(
                f"Ranking {number} holds {in_words(result)} at ranks {ranks[result]} and {rank}; list each result once."
            )
        ranks[result] = rank
        results.append(result)
    return results
