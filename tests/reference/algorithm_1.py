"""Algorithm 1 of the paper, word for word: O(N) a duel, scores and the previous pair, nothing else."""

import random


def supports(scores, previous):
    """The arms that Algorithm 1 may take as i_t, and for each of them those it may take as j_t."""
    return {first: _ties(scores, previous, without=first) for first in _ties(scores, previous, without=None)}


def _ties(scores, previous, without):
    arms = [arm for arm in range(len(scores)) if arm != without]
    top = max(scores[arm] for arm in arms)
    tied = [arm for arm in arms if scores[arm] == top]
    for arm in previous or ():
        if arm in tied:
            return [arm]
    return tied


def duel(scores, winner, loser):
    scores[winner] += 1
    scores[loser] -= 1


def play(preferences, horizon, seed):
    """The pairs of one run with Python's own generator."""
    rng = random.Random(seed)
    scores, previous = [0] * len(preferences), None
    for _ in range(horizon):
        first, seconds = rng.choice(sorted(supports(scores, previous).items()))
        second = rng.choice(seconds)
        yield first, second
        winner, loser = (first, second) if rng.random() < preferences[first][second] else (second, first)
        duel(scores, winner, loser)
        previous = first, second
