"""Interleaving and credit on whole numbers: what sessions, simulations and benchmarks share.

`lists[ranker]` is a ranking of results from 0 on, filled up with NONE. Functions that interleave write `shown`, and
return how many results they show. Clicks are places in `shown`, from 0, in the order in which they were made.
"""

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats, Ints
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, shuffle, uniform

Lists = npt.NDArray[np.int64]
NONE = -1
"""No result, no owner, no place in a ranking."""


@kernel
def place_of(values: Ints, size: int, value: int) -> int:
    """Return where a value stands among the first `size`, or NONE."""
    for place in range(size):
        if values[place] == value:
            return place
    return NONE


@kernel
def size_of(ranking: Ints) -> int:
    """Return how many results a ranking has."""
    size = place_of(ranking, ranking.size, NONE)
    return ranking.size if size == NONE else size


@kernel
def next_result(ranking: Ints, shown: Ints, n: int) -> int:
    """Return the highest result of a ranking that is not shown yet, or NONE."""
    for place in range(ranking.size):
        if ranking[place] == NONE or place_of(shown, n, ranking[place]) == NONE:
            return int(ranking[place])
    return NONE


@kernel
def team_draft(lists: Lists, length: int, shown: Ints, owners: Ints, order: Ints, rng: Rng) -> int:
    """In each round every ranker, in random order, adds its highest result that is not shown yet.

    The results that all rankings have in common at the top belong to nobody.
    """
    n = 0
    while n < length and all_agree(lists, n):
        shown[n], owners[n] = lists[0, n], NONE
        n += 1
    while n < length:
        before = n
        shuffle(order, rng)
        for ranker in order:
            result = next_result(lists[ranker], shown, n) if n < length else NONE
            if result != NONE:
                shown[n], owners[n] = result, ranker
                n += 1
        if n == before:
            break
    return n


@kernel
def all_agree(lists: Lists, rank: int) -> bool:
    """Return whether all rankings have the same result at a rank."""
    agree = rank < lists.shape[1] and bool(lists[0, rank] != NONE)
    for ranker in range(1, lists.shape[0]):
        agree = agree and bool(lists[ranker, rank] == lists[0, rank])
    return agree


@kernel
def balanced(lists: Lists, length: int, shown: Ints, rng: Rng) -> int:
    """Whoever has offered fewer results offers the next one; a coin decides who begins (Joachims 2002)."""
    begins = below(rng, 2)
    offered_0, offered_1, n = 0, 0, 0
    while n < length:
        ranker = 0 if offered_0 < offered_1 or (offered_0 == offered_1 and begins == 0) else 1
        for _ in range(2):
            offered = offered_0 if ranker == 0 else offered_1
            if offered < lists.shape[1] and lists[ranker, offered] != NONE:
                break
            ranker = 1 - ranker  # the other one has no more
        else:
            break
        result = lists[ranker, offered]
        if ranker == 0:
            offered_0 += 1
        else:
            offered_1 += 1
        if place_of(shown, n, result) == NONE:
            shown[n] = result
            n += 1
    return n


@kernel
def balanced_scores(ranks: Lists, clicks: Ints, scores: Floats) -> None:
    """Count the clicks on the top k of each ranking, k being the better rank of the lowest result that was clicked."""
    lowest, k = clicks[0], NONE
    for click in clicks:
        lowest = max(lowest, click)
    for ranker in range(2):
        rank = ranks[ranker, lowest]
        if rank != NONE and (k == NONE or rank < k):
            k = rank
    for ranker in range(2):
        scores[ranker] = 0.0
        for click in clicks:
            if ranks[ranker, click] != NONE and ranks[ranker, click] <= k:
                scores[ranker] += 1.0


@kernel
def draw(ranking: Ints, weights: Floats, shown: Ints, n: int, rng: Rng) -> int:
    """Draw one of the results that are not shown yet, each with its rank's weight; NONE if there is none."""
    total = 0.0
    for rank in range(ranking.size):
        if ranking[rank] != NONE and place_of(shown, n, ranking[rank]) == NONE:
            total += weights[rank]
    target, drawn = uniform(rng) * total, NONE
    for rank in range(ranking.size):
        if ranking[rank] != NONE and place_of(shown, n, ranking[rank]) == NONE:
            drawn = ranking[rank]
            target -= weights[rank]
            if target < 0.0:
                break
    return int(drawn)


@kernel
def probabilistic(lists: Lists, weights: Floats, length: int, shown: Ints, rng: Rng) -> int:
    """For each place a coin says which ranker draws a result; high ranks are likely (Hofmann et al. 2011)."""
    for n in range(length):
        ranker = below(rng, 2)
        result = draw(lists[ranker], weights, shown, n, rng)
        if result == NONE:
            result = draw(lists[1 - ranker], weights, shown, n, rng)
        if result == NONE:
            return n
        shown[n] = result
    return length


@kernel
def draw_chance(ranks: Ints, place: int, size: int, weights: Floats) -> float:
    """Return the chance that a ranker, whose turn it is, draws what is shown at a place."""
    if ranks[place] == NONE:
        return 0.0
    total = 0.0
    for rank in range(size):
        if place_of(ranks, place, rank) == NONE:
            total += weights[rank]
    return float(weights[ranks[place]] / total)


@kernel
def probabilistic_scores(
    ranks: Lists, sizes: Ints, weights: Floats, clicks: Ints, counts: Floats, scores: Floats
) -> None:
    """Write the chances that more of the clicked results came from the first ranker, and from the second.

    Given the list, who drew one result is independent of who drew the others, because the draws after it depend on
    what was shown alone. So the number that the first one drew among the clicked is a sum of independent coins:
    counts[c] is the chance that it is c, after one click more at each step.
    """
    counts[0] = 1.0
    for m in range(clicks.size):
        one = draw_chance(ranks[0], clicks[m], sizes[0], weights)
        other = draw_chance(ranks[1], clicks[m], sizes[1], weights)
        p = one / (one + other)
        counts[m + 1] = 0.0
        for c in range(m + 1, 0, -1):
            counts[c] = counts[c] * (1.0 - p) + counts[c - 1] * p
        counts[0] *= 1.0 - p
    scores[:] = 0.0
    for c in range(clicks.size + 1):
        if 2 * c > clicks.size:
            scores[0] += counts[c]
        elif 2 * c < clicks.size:
            scores[1] += counts[c]


@kernel
def team_scores(owners: Ints, clicks: Ints, scores: Floats) -> None:
    """Count the clicks on each ranker's results."""
    scores[:] = 0.0
    for click in clicks:
        if owners[click] != NONE:
            scores[owners[click]] += 1.0
