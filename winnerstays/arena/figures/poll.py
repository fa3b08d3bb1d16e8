"""What a group of people has voted: its winner, their own favourites, and who agrees with whom, without names."""

from collections import Counter
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats
from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.figures.likely import (
    MAX_CONTENDERS,
    Likelihood,
    answers_of,
    contenders,
    fit_person,
    group_likelihood,
    items_of,
    newest,
    places_of,
)
from winnerstays.arena.stores.base import Reader

MAX_COMPARED = 20
"""People who are compared with each other."""
MIN_ANSWERS = 3
"""Whoever gave fewer is not compared."""


class Poll(NamedTuple):
    """The result of a poll."""

    group: Likelihood
    """Of the item with the highest mean utility among all who answered."""
    favourites: dict[str, int]
    """Of how many people an item is their own favourite."""
    agreement: tuple[tuple[float, ...], ...]
    """Of which share of all pairs of items two people think alike; both in no order that tells who they are."""


def poll(reader: Reader, arena: ArenaRuntime) -> Poll:
    """Return the result of a poll so far."""
    answers, items = answers_of(newest(reader, arena, None)), items_of(arena)
    kept, _ = contenders(items, answers, MAX_CONTENDERS)
    people = Counter(given.person for given in answers if given.person)
    ranks, favourites = [], Counter[str]()
    for person in [name for name, count in people.items() if count >= MIN_ANSWERS][-MAX_COMPARED:]:
        places = places_of(fit_person(kept, tuple(given for given in answers if given.person == person), None))
        favourites[places[0].item] += 1
        rank = {place.item: place.rank for place in places}
        ranks.append([rank[item] for item in kept])
    return Poll(group_likelihood(items, answers), dict(favourites.most_common()), agreement(np.array(ranks)))


def agreement(ranks: Floats) -> tuple[tuple[float, ...], ...]:
    """Return of which share of the pairs of items (columns) two people (rows) have the same order.

    >>> agreement(np.array([[3.0, 1, 2], [1, 2, 3], [1, 2, 3]]))
    ((1.0, 1.0, 0.33), (1.0, 1.0, 0.33), (0.33, 0.33, 1.0))
    """
    if len(ranks) < 2:
        return ()
    first, second = np.triu_indices(ranks.shape[1], k=1)
    order = np.sign(ranks[:, first] - ranks[:, second])
    alike = (order @ order.T / order.shape[1] + 1) / 2
    by_agreement = np.argsort(-alike.sum(axis=1), kind="stable")
    return tuple(tuple(map(float, row)) for row in alike[np.ix_(by_agreement, by_agreement)].round(2))
