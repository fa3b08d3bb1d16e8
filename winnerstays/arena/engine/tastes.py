"""The learner that starts from what all visitors like (winnerstays/tastes/): its state is a visitor's own answers.

The version of the model under which a visitor's duels are chosen is an input, as the items are: it is in the row of
each duel. With that version, the answers give the visitor's posterior again whenever it is needed.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from importlib.metadata import entry_points
from typing import Any, NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms import algorithm as find_algorithm
from winnerstays.algorithms.base import Algorithm, Facts, Serving
from winnerstays.algorithms.parameters import Choice, Value
from winnerstays.errors import WinnerstaysError
from winnerstays.randomness import Rng
from winnerstays.tastes import LOST, TIED, WON, Crowd, Visitor
from winnerstays.tastes.crowd import View

TASTES = "tastes"
MAX_PAIRS = 200
"""A visitor's state holds the answers about so many pairs, those that were shown first go first."""
MAX_PASSED = 4
"""So many pairs that were passed over are not shown again at once."""
FIRST, SECOND, VERSION = 0, 1, 5
"""Rows of `State.answers`; between them is how often the first item lost, won and tied."""
MAX_LOADED = 8
"""So many versions of an arena's model are kept in memory."""


def crowd_of(items: Iterable[Any]) -> Crowd:
    """Return the model before any answer."""
    known = list(items)
    features = {item.id: item.features for item in known} if known[0].features else None
    return Crowd([item.id for item in known], features=features)


class ArenaModels:
    """The versions of an arena's model, as far as they are in memory; without a store there is only the first."""

    def __init__(self, settings: Any, find: Callable[[int], tuple[int, bytes] | None] | None = None) -> None:
        self._items = settings.items
        self._first = settings.first_items or len(settings.items)
        self._find = find
        self._loaded: dict[int, Crowd] = {}

    def has(self, version: int) -> bool:
        """Whether a version can be had."""
        return version in self._loaded or version == 0 or (self._find is not None and self._find(version) is not None)

    def crowd(self, version: int) -> Crowd:
        """Return a version, with all items of the arena; where it was deleted, the one before any answer."""
        known = self._loaded.get(version)
        if known is not None:
            return known
        found = self._find(version) if version and self._find else None
        crowd = crowd_of(self._items[: self._first]) if found is None else Crowd.load(found[1])
        later = self._items[self._first if found is None else found[0] :]
        if later:
            features = {item.id: item.features for item in later} if later[0].features else None
            crowd.add([item.id for item in later], features=features)
        loaded = {**self._loaded, version: crowd}  # other threads may be reading
        self._loaded = dict(list(loaded.items())[-MAX_LOADED:])
        return crowd


class State(NamedTuple):
    """One visitor."""

    seed: int
    version: int  # of the model, for the next duel
    group: int  # its place in the model
    items: int  # how many there are, retired ones included
    gone: Ints  # those retired
    answers: Ints  # (6, pairs)
    passed: Ints  # (2, pairs): passed over since the last answer
    models: Any = None
    policy: str = TASTES


def init(n_arms: int, rng: Rng, *, policy: str) -> State:
    none = np.zeros((6, 0), np.int64)
    return State(int(rng[0] >> np.uint64(1)), 0, 0, n_arms, none[0], none, none[:2], None, policy)


def choose(state: State, rng: Rng) -> tuple[int, int]:
    return _pair(state, _present(state))


def among(state: State, eligible: Ints, scratch: Ints, rng: Rng) -> tuple[int, int]:
    return _pair(state, np.flatnonzero(eligible))


def _pair(state: State, eligible: Ints) -> tuple[int, int]:
    crowd, visitor = _posterior(state)
    if state.policy != TASTES:
        return _by_policy(state, crowd, visitor, eligible)
    first, second = crowd.pick(visitor, eligible, _passed(state))
    return first, second


def feed(state: State, eligible: Ints, count: int) -> list[int]:
    """Return so many items: the favourite, and those that may be better.

    A policy is asked again and again, each time without the item that it chose second.
    """
    crowd, visitor = _posterior(state)
    if state.policy == TASTES:
        return list(crowd.pick(visitor, eligible, _passed(state), count))
    chosen: list[int] = []
    while len(chosen) < count:
        pair = _by_policy(state, crowd, visitor, eligible)
        chosen += [item for item in pair if item not in chosen]
        eligible = eligible[eligible != pair[1]]
    return chosen[:count]


def _passed(state: State) -> list[tuple[int, int]]:
    return [(first, second) for first, second in state.passed.T.tolist()]


def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    return _answered(state, first, second, WON if first_won else LOST)


def tie(state: State, first: int, second: int) -> State:
    return _answered(state, first, second, TIED)


def _answered(state: State, first: int, second: int, outcome: int) -> State:
    if first > second:
        first, second, outcome = second, first, (WON, LOST, TIED)[outcome]
    known = np.flatnonzero((state.answers[FIRST] == first) & (state.answers[SECOND] == second))
    answers = state.answers.copy()
    if not known.size:
        new = np.array([[first, second, 0, 0, 0, state.version]], np.int64).T
        answers = np.hstack([answers[:, -MAX_PAIRS + 1 :], new])
    answers[2 + outcome, known[0] if known.size else -1] += 1
    return state._replace(answers=answers, passed=state.passed[:, :0])


def best(state: State) -> int:
    return int(rank(state, _present(state).tolist())[0])


def rank(state: State, arms: Sequence[int]) -> Sequence[int]:
    """By what is expected of them."""
    eligible = np.sort(np.array(arms, np.int64))
    view = View(*_posterior(state), eligible)
    return [int(arm) for arm in eligible[np.argsort(-view.mean, kind="stable")]]


def show(state: State, first: int, second: int) -> State:
    return state


def pass_(state: State, first: int, second: int) -> State:
    return state._replace(passed=np.hstack([state.passed, [[first], [second]]])[:, -MAX_PASSED:])


def join(state: State, arms: Sequence[int], rng: Rng) -> State:
    gone = np.setdiff1d(state.gone, np.array(arms, np.int64))
    return state._replace(items=max(state.items, max(arms) + 1), gone=gone)


def leave(state: State, arms: Sequence[int], rng: Rng) -> State:
    return state._replace(gone=np.union1d(state.gone, np.array(arms, np.int64)))


def present(state: State) -> Sequence[int]:
    found: list[int] = _present(state).tolist()
    return found


def stored(state: State) -> tuple[Any, ...]:
    return (*state[:4], state.gone, state.answers.ravel(), state.passed.ravel())


def restored(stored: tuple[Any, ...], fresh: State) -> State:
    seed, version, group, items, gone, answers, passed = stored
    return fresh._replace(
        seed=seed, version=version, group=group, items=items, gone=gone, answers=answers.reshape(6, -1),
        passed=passed.reshape(2, -1),
    )  # fmt: skip


def _present(state: State) -> Ints:
    everyone = np.arange(state.items)
    return np.delete(everyone, state.gone) if state.gone.size else everyone


def _posterior(state: State) -> tuple[Crowd, Visitor]:
    """Return the version of the model, and what the visitor's answers say with it."""
    crowd = state.models.crowd(state.version)
    answers = state.answers
    told = int(np.searchsorted(answers[VERSION], state.version))
    groups = list(crowd.groups)
    group = groups[state.group] if 0 <= state.group < len(groups) else "\0"
    return crowd, crowd.visitor_of(state.seed, group, answers[:VERSION], told)


class Situation:
    """What a policy chooses a pair from."""

    def __init__(self, crowd: Crowd, visitor: Visitor, eligible: Ints, passed: Ints) -> None:
        self.items = [crowd.items[item] for item in eligible]
        """The ids of the eligible items; the arrays are in this order."""
        self.seed = visitor.seed
        """Another one for each visitor: randomness that is not from it cannot be replayed."""
        self.answers = visitor.answers
        self._crowd, self._visitor, self._eligible, self._passed = crowd, visitor, eligible, passed
        self._view = View(crowd, visitor, eligible)
        self.mean = self._view.mean
        """The utility to expect of each item, for this visitor, in log-odds."""

    @cached_property
    def variance(self) -> Any:
        """How uncertain each utility is."""
        return self._view.variance()

    def covariance(self, of: int) -> Any:
        """Return the covariances of all utilities with the one at a place in `items`."""
        return self._view.covariance(of)

    def default(self) -> tuple[str, str]:
        """Return the pair that would be shown without a policy."""
        first, second = self._crowd.pick(self._visitor, self._eligible, list(map(tuple, self._passed.T.tolist())))
        return self._crowd.items[first], self._crowd.items[second]


Policy = Callable[[Situation], tuple[str, str]]
"""Returns two different ids of `items`; the same for the same situation."""
policies: dict[str, Policy] = {}
"""Policies of your own, by name; those of installed packages are entry points `winnerstays.policies`."""


def _by_policy(state: State, crowd: Crowd, visitor: Visitor, eligible: Ints) -> tuple[int, int]:
    situation = Situation(crowd, visitor, eligible, state.passed)
    try:
        pair = tuple(policies[state.policy](situation))
    except Exception as error:
        raise WinnerstaysError(f"The policy {state.policy!r} failed: {type(error).__name__}: {error}") from error
    places = dict(zip(situation.items, eligible.tolist(), strict=True))
    if len(set(pair)) != 2 or not all(item in places for item in pair):
        raise WinnerstaysError(
            f"The policy {state.policy!r} chose {pair!r}, but it must return two different ids of eligible items."
        )
    return places[pair[0]], places[pair[1]]


def tastes() -> Algorithm:
    """Return the algorithm, with a policy for each that is known now."""
    for found in entry_points(group="winnerstays.policies"):
        if found.name not in policies:
            policies[found.name] = found.load()
    return Algorithm(
        name=TASTES,
        title="A model of tastes",
        init=init,
        choose=choose,
        update=update,
        best=best,
        parameters={"policy": Choice((TASTES, *sorted(policies)), "what chooses the pair: a policy of your own")},
        serving=Serving(
            any_pair=True, show=show, pass_=pass_, tie=tie, join=join, leave=leave, present=present, rank=rank,
            among=among, stored=stored, restored=restored,
        ),
        facts=Facts(regret="weak", guarantee="none", cost="O(N + answers^3)", paper="docs/arena.md"),
        compiled=False,
    )  # fmt: skip


def arena_algorithm(name: str, params: dict[str, Value]) -> Algorithm:
    """Return an algorithm of an arena: the model of tastes, or any other."""
    return tastes()(**params) if name == TASTES else find_algorithm(name, **params)
