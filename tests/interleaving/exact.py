"""What the definitions of interleaving say, by counting all cases: every list, its owners, and its exact chance."""

from collections import Counter
from itertools import permutations, product

from winnerstays.interleaving import Interleaved
from winnerstays.interleaving.interleaved import STEEPNESS


def page(method, rankings, shown, owners=()):
    """Return the list as a method gives it."""
    ranks = tuple(
        tuple(ranking.index(result) + 1 if result in ranking else None for result in shown) for ranking in rankings
    )
    return Interleaved(method, tuple(shown), ranks, tuple(map(len, rankings)), tuple(owners))


def team_drafts(rankings, length):
    """Return every (list, owners) of a team draft with its chance."""
    prefix = []
    for results in zip(*rankings, strict=False):
        if len(set(results)) > 1 or len(prefix) == length:
            break
        prefix.append(results[0])
    found = Counter()

    def play(shown, owners, chance):
        orders = list(permutations(range(len(rankings))))
        if len(shown) == length or all(set(ranking) <= set(shown) for ranking in rankings):
            found[tuple(shown), tuple(owners)] += chance
            return
        for order in orders:
            now, whose = list(shown), list(owners)
            for ranker in order:
                left = [result for result in rankings[ranker] if result not in now]
                if left and len(now) < length:
                    now.append(left[0])
                    whose.append(ranker)
            play(now, whose, chance / len(orders))

    play(prefix, [None] * len(prefix), 1.0)
    return found


def softmax(ranking, shown, result):
    """Return the chance that a ranker draws a result when others are shown."""
    weights = {other: rank**-STEEPNESS for rank, other in enumerate(ranking, 1) if other not in shown}
    return weights.get(result, 0.0) / sum(weights.values()) if weights else 0.0


def probabilistic_lists(rankings, length):
    """Return every list of probabilistic interleaving with its chance."""
    found = Counter()

    def play(shown, chance):
        left = [set(ranking) - set(shown) for ranking in rankings]
        if len(shown) == length or not any(left):
            found[shown] += chance
            return
        for ranker in range(2):
            drawer = ranker if left[ranker] else 1 - ranker
            for result in left[drawer]:
                play((*shown, result), chance / 2 * softmax(rankings[drawer], shown, result))

    play((), 1.0)
    return found


def assignment_chances(rankings, shown, clicks):
    """Return the chances that the first, and the second, drew more of the clicked results: over all assignments."""
    total, first, second = 0.0, 0.0, 0.0
    for assignment in product(range(2), repeat=len(shown)):
        chance = 1.0
        for place, ranker in enumerate(assignment):
            chance *= softmax(rankings[ranker], shown[:place], shown[place])
        ahead = sum(1 - 2 * assignment[click - 1] for click in clicks)
        total += chance
        first += chance * (ahead > 0)
        second += chance * (ahead < 0)
    return first / total, second / total
