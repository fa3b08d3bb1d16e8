"""How likely each item is the best, by the model of tastes: for a user, or for everyone; and what a group has voted.

It is computed when it is asked for, whatever the algorithm: the newest answers, the items with the best records. The
same log gives the same chances. Skipped duels say nothing, and no coin counts as an answer.
"""

import math
from collections import Counter
from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats
from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.figures.counts import count_learners
from winnerstays.arena.history import totals
from winnerstays.arena.history.events import Names, event_of
from winnerstays.arena.records import Event, Place
from winnerstays.arena.stores import statements
from winnerstays.arena.stores.base import Reader
from winnerstays.tastes import LOST, TIED, WON, Group, Person

MAX_ANSWERS, MAX_CONTENDERS = 1000, 50
MAX_GROUP_ANSWERS, MAX_PEOPLE = 5000, 100
MAX_GROUP_WORK = 40_000
"""People times contenders squared: about two seconds."""
TOP = 5
MAX_SKIPPED = 8
"""A skipped pair does not come back before so many others."""
MIN_PEOPLE, CROWD_VARIANCE, NEWTON_STEPS = 20, 4.0, 12
"""So many people are a crowd."""


class Given(NamedTuple):
    """One answer: to the item shown left, WON, LOST or TIED, against the one shown right."""

    person: str
    left: str
    right: str
    outcome: int


class Likelihood(NamedTuple):
    """What the model says. `known` is False where there are not enough answers, or where they do not fit together."""

    places: tuple[Place, ...]
    answers: int
    people: int
    known: bool
    doubt: str = ""
    """How the answers do not fit together, as a sentence."""


class Turn(NamedTuple):
    """What a person's own answers say, and what to show next."""

    own: Likelihood
    pair: tuple[str, str] | None
    """None where there are two items; where the arena is `free` the pair that tells most, else one for in between."""
    free: bool
    """Whether the arena may show any pair: its learner learns from each, and is compared with none."""
    avoid: tuple[tuple[str, str], ...] = ()
    """The pairs not to show next."""
    skipped: int = 0
    """How many pairs in a row the person has skipped."""


def likely(reader: Reader, arena: ArenaRuntime, user: str | None) -> Likelihood:
    """Return how likely each item is the favourite of a user, or of everyone."""
    if arena.shared:
        return group_likelihood(items_of(arena), answers_of(newest(reader, arena, None), MAX_GROUP_ANSWERS))
    return turn(reader, arena, user or "").own


def turn(reader: Reader, arena: ArenaRuntime, user: str) -> Turn:
    """Return what a person's own answers say, and the pair that tells most about their favourite, or their tastes.

    A pair that was skipped does not come back until others were shown, and no pair comes three times in a row.
    """
    events = newest(reader, arena, user)
    given = shown_pairs(events)
    avoid = to_avoid(given, math.comb(len(arena.there), 2) - 1)
    skipped = next((at for at, (_, passed) in enumerate(reversed(given)) if not passed), len(given))
    kept, others_lost = contenders(items_of(arena), answers := answers_of(events), MAX_CONTENDERS)
    person = fit_person(kept, answers, None if arena.shared else crowd(reader, arena, kept, answers))
    doubt = person.doubt()
    known = bool(answers) and others_lost and not doubt
    own = Likelihood(places_of(person), len(answers), int(bool(answers)), known, doubt)
    serving = arena.rules.algorithm.serving
    free = not arena.holdout and serving.among is not None and serving.any_pair
    if len(kept) < 3:
        return Turn(own, None, False, avoid, skipped)
    shunned = {frozenset(pair) for pair in avoid}
    pair = None
    if free:
        near = [pair for pair in avoid if set(pair) <= set(kept)]
        pair = person.choose("entropy-pursuit" if arena.shared else "favourite", avoid=near)
    if pair is None or frozenset(pair) in shunned:
        order = [*dict.fromkeys([*(place.item for place in own.places), *kept])]
        pair = next((other for other in combinations(order, 2) if frozenset(other) not in shunned), pair)
    return Turn(own, pair, free, avoid, skipped)


def shown_pairs(events: list[Event]) -> list[tuple[tuple[str, str], bool]]:
    """Return the pairs that were answered, the oldest first, and whether each was skipped."""
    undone = {event.duel for event in events if event.kind == "undone"}
    return [
        ((event.left or "", event.right or ""), event.outcome in ("skip", "none"))
        for event in events
        if event.kind in ("learned", "noted") and event.duel not in undone
    ]


def to_avoid(given: list[tuple[tuple[str, str], bool]], most: int) -> tuple[tuple[str, str], ...]:
    """Return the pairs that are not to be shown next, `most` at most: those just skipped, and one shown twice in a row.

    >>> to_avoid([(("a", "b"), True), (("b", "c"), False), (("c", "b"), False)], 5)
    (('b', 'c'), ('a', 'b'))
    """
    recent = [((min(pair), max(pair)), passed) for pair, passed in reversed(given[-MAX_SKIPPED:])]
    twice = [one for (one, _), (other, _) in pairwise(recent[:2]) if one == other]
    return tuple(dict.fromkeys(twice + [pair for pair, passed in recent if passed]))[:most]


def newest(reader: Reader, arena: ArenaRuntime, user: str | None) -> list[Event]:
    limit = 3 * (MAX_GROUP_ANSWERS if user is None else MAX_ANSWERS)
    rows = statements.newest_events(reader, statements.last_seq(reader), limit, arena.id, user)
    names = Names(arena.name, arena.item_ids)
    return [event_of(row, names) for row in rows]


def items_of(arena: ArenaRuntime) -> tuple[str, ...]:
    return tuple(arena.item_ids[arm] for arm in sorted(arena.there))


def crowd(
    reader: Reader, arena: ArenaRuntime, items: tuple[str, ...], answers: tuple[Given, ...]
) -> tuple[float, ...] | None:
    """Return how much all others like the items: the utilities of a Bradley-Terry model; None if they are few."""
    few_items = len(arena.there) <= MAX_CONTENDERS
    if not (few_items and arena.settings.crowd) or count_learners(reader, arena) < MIN_PEOPLE:
        return None
    place = {arena.arms[item]: at for at, item in enumerate(items)}
    wins = np.zeros((len(items), len(items)))
    for key, count in totals.of_people(totals.read(reader, arena.id, "win")).items():
        if key.first in place and key.second in place:
            wins[place[key.first], place[key.second]] += count
    own = {item: at for at, item in enumerate(items)}
    for _, left, right, outcome in answers:
        if outcome != TIED and left in own and right in own:
            winner, loser = (left, right) if outcome == WON else (right, left)
            wins[own[winner], own[loser]] -= 1
    return tuple(bradley_terry(np.maximum(wins, 0)).round(6).tolist())


def bradley_terry(wins: Floats) -> Floats:
    """Return the utilities that explain the wins best, with a Gaussian prior of variance `CROWD_VARIANCE`."""
    n = len(wins)
    utilities, played = np.zeros(n), wins + wins.T
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(utilities[None, :] - utilities[:, None]))
        slope = (wins - played * chance).sum(axis=1) - utilities / CROWD_VARIANCE
        weight = played * chance * (1 - chance)
        curvature = np.diag(weight.sum(axis=1) + 1 / CROWD_VARIANCE) - weight
        utilities = utilities + np.linalg.solve(curvature, slope)
    return np.asarray(utilities)


def answers_of(events: list[Event], most: int = MAX_ANSWERS) -> tuple[Given, ...]:
    """Return the newest answers that are neither skips nor taken back, the oldest first."""
    found: dict[str, Given] = {}
    for event in events:
        if event.kind == "undone":
            found.pop(event.duel or "", None)
        elif event.kind in ("learned", "noted") and event.outcome in ("winner", "tie") and event.left and event.right:
            if event.left == event.right:  # a duel of an item with itself says nothing
                continue
            outcome = TIED if event.winner is None else WON if event.winner == event.left else LOST
            found[event.duel or ""] = Given(event.user or "", event.left, event.right, outcome)
    return tuple(found.values())[-most:]


def contenders(items: tuple[str, ...], answers: tuple[Given, ...], limit: int) -> tuple[tuple[str, ...], bool]:
    """Return the items with the best records, and whether each of the others lost more than it won."""
    lead: Counter[str] = Counter(dict.fromkeys(items, 0))
    for _, left, right, outcome in answers:
        lead[left] += (outcome == WON) - (outcome == LOST)
        lead[right] += (outcome == LOST) - (outcome == WON)
    order = sorted(items, key=lambda item: -lead[item])
    return tuple(order[:limit]), all(lead[item] < 0 for item in order[limit:])


@lru_cache(maxsize=256)
def fit_person(items: tuple[str, ...], answers: tuple[Given, ...], mean: tuple[float, ...] | None) -> Person:
    """Return one person's tastes; it is not to be told more."""
    person, there = Person(items, mean=mean), set(items)
    for _, left, right, outcome in answers:
        if left in there and right in there:
            person.tell(left, right, outcome)
    return person


@lru_cache(maxsize=64)
def group_likelihood(items: tuple[str, ...], answers: tuple[Given, ...]) -> Likelihood:
    """Return what is likely of a group; answers without a name say nothing about how many people they are of."""
    newest = list(dict.fromkeys(given.person for given in reversed(answers) if given.person))
    kept, others_lost = contenders(items, answers, MAX_CONTENDERS)
    people = set(newest[: max(1, min(MAX_PEOPLE, MAX_GROUP_WORK // len(kept) ** 2))])
    group, there = Group(kept), set(kept)
    for given in answers:
        if given.person in people and given.left in there and given.right in there:
            group.tell(*given)
    known = len(group.answers) > 1 and others_lost
    return Likelihood(places_of(group), len(answers), len(newest), known)


def places_of(model: Person | Group) -> tuple[Place, ...]:
    """Return the items in the order of their chances to be the best."""
    found = model.standing(top=TOP).items
    return tuple(Place(one.item, one.best, one.top, one.rank, one.low, one.high) for one in found)


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
    answers, items = answers_of(newest(reader, arena, None), MAX_GROUP_ANSWERS), items_of(arena)
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
