"""Sweeps over pairs of arms, for algorithms that always draw the least sampled pair that still matters.

Every pair in play is drawn once per sweep, in random order, so all of them have met equally often at its start. Such an
algorithm ends with one arm that plays itself for ever; `choose`, `best` and `certain` are for States with `pairs`,
`margin`, `active` arms and the `winner`, NOBODY until it is known.
"""

from typing import Any, NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms.base import FOREVER, NOBODY
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below


class Pairs(NamedTuple):
    """The first `size` are in play, of those the first `left` are still to come, and the last of these is next."""

    firsts: Ints
    seconds: Ints
    size: int
    left: int
    sweeps: int  # finished ones


def all_pairs(n_arms: int, rng: Rng) -> Pairs:
    """Put all pairs into play and draw the first."""
    firsts, seconds = np.triu_indices(n_arms, 1)
    size = firsts.size
    pairs = Pairs(firsts=firsts.astype(np.int64), seconds=seconds.astype(np.int64), size=size, left=size, sweeps=0)
    return draw(pairs, rng)


@kernel
def choose(state: Any, rng: Rng) -> tuple[int, int]:
    if state.winner != NOBODY:
        return state.winner, state.winner
    return next_pair(state.pairs)


@kernel
def best(state: Any) -> int:
    return state.winner if state.winner != NOBODY else leader(state.margin, state.active)


@kernel
def certain(state: Any) -> int:
    return FOREVER if state.winner != NOBODY else 0


@kernel
def next_pair(pairs: Pairs) -> tuple[int, int]:
    """Return the pair that was drawn."""
    return pairs.firsts[pairs.left - 1], pairs.seconds[pairs.left - 1]


@kernel
def drop(pairs: Pairs, place: int) -> Pairs:
    """Take a pair out of play. Those in later places may move, so go through places from the last to the first."""
    left, last = pairs.left, pairs.size - 1
    if place < left:
        left -= 1
        _move(pairs, left, place)
        place = left
    _move(pairs, last, place)
    return pairs._replace(size=last, left=left)


@kernel
def draw(pairs: Pairs, rng: Rng) -> Pairs:
    """Draw the next pair; a new sweep begins where the last one is over."""
    if pairs.left == 0:
        pairs = pairs._replace(left=pairs.size, sweeps=pairs.sweeps + 1)
    if pairs.left > 1:
        place, last = below(rng, pairs.left), pairs.left - 1
        firsts, seconds = pairs.firsts, pairs.seconds
        firsts[place], firsts[last] = firsts[last], firsts[place]
        seconds[place], seconds[last] = seconds[last], seconds[place]
    return pairs


@kernel
def _move(pairs: Pairs, source: int, target: int) -> None:
    pairs.firsts[target], pairs.seconds[target] = pairs.firsts[source], pairs.seconds[source]


@kernel
def leader(margin: Ints, active: Ints) -> int:
    """Return the active arm that is ahead in most of its pairs."""
    chosen, most = 0, -1
    for arm in range(active.size):
        if active[arm]:
            ahead = 0
            for other in range(active.size):
                ahead += margin[arm, other] > 0
            if ahead > most:
                chosen, most = arm, ahead
    return chosen
