"""The learner that starts from what all visitors like (winnerstays/tastes/): its state is a visitor's own answers.

The version of the model under which a visitor's duels are chosen is an input, as the items are: it is in the row of
each duel. With that version, the answers give the visitor's posterior again whenever it is needed.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from importlib.metadata import entry_points
from typing import Any, NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms import algorithm as find_algorithm
from winnerstays.algorithms.base import NOBODY, Algorithm, Facts, Serving
from winnerstays.algorithms.parameters import Choice, Value
from winnerstays.errors import WinnerstaysError
from winnerstays.randomness import Rng
from winnerstays.tastes import LOST, TIED, WON, Crowd, Visitor
from winnerstays.tastes.crowd import NO_GROUP, View
from winnerstays.tastes.person import information

TASTES = "tastes"
MAX_PAIRS = 200
"""A visitor's state holds the answers about so many pairs, those that were shown first go first."""
MAX_PASSED = 4
"""So many pairs that were passed over are not shown again at once."""
FIRST, SECOND, VERSION = 0, 1, 5
"""Rows of `State.answers`; between them is how often the first item lost, won and tied."""
MAX_PURSUED = 50
"""Entropy pursuit compares the pairs of so many items."""
MAX_LOADED = 8
"""So many versions of an arena's model are kept in memory."""


class ArenaModels:
    """The versions of an arena's model, as far as they are in memory; without a store there is only the first."""

    def __init__(self, settings: Any, find: Callable[[int], bytes | None] = lambda version: None) -> None:
        self.items = settings.items
        self._first = settings.first_items or len(settings.items)
        self._find = find
        self._loaded: dict[int, Crowd] = {}

    def has(self, version: int) -> bool:
        """Whether a version can be had."""
        return version in self._loaded or version == 0 or self._find(version) is not None

    def crowd(self, version: int) -> Crowd:
        """Return a version, with all items of the arena; where it was deleted, the one before any answer."""
        known = self._loaded.get(version)
        if known is not None:
            return known
        data = self._find(version) if version else None
        crowd = crowd_of(self.items[: self._first]) if data is None else Crowd.load(data)
        later = self.items[len(crowd.model.prior) :]
        if later:
            crowd.add(_features(later))
        loaded = {**self._loaded, version: crowd}  # other threads may be reading
        self._loaded = dict(list(loaded.items())[-MAX_LOADED:])
        return crowd


def crowd_of(items: Sequence[Any], groups: Iterable[str] = (NO_GROUP,)) -> Crowd:
    """Return the model before any answer."""
    return Crowd(_features(items), groups=groups)


def _features(items: Sequence[Any]) -> Floats:
    return np.array([item.features for item in items], np.float64)


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
    first, second = feed(state, _present(state), 2)
    return first, second


def among(state: State, eligible: Ints, scratch: Ints, rng: Rng) -> tuple[int, int]:
    first, second = feed(state, np.flatnonzero(eligible), 2)
    return first, second


def feed(state: State, eligible: Ints, count: int) -> list[int]:
    """Return so many items: the favourite, and those that may be better.

    A policy is asked again and again, each time without the item that it chose second.
    """
    if state.policy == TASTES:
        return list(Situation(state, eligible).pick(count))
    chosen: list[int] = []
    while len(chosen) < count:
        pair = _by_policy(state, eligible)
        chosen += [item for item in pair if item not in chosen]
        eligible = eligible[eligible != pair[1]]
    return chosen[:count]


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
    return rank(state, _present(state).tolist())[0]


def rank(state: State, arms: Sequence[int]) -> list[int]:
    """By what is expected of them."""
    eligible = np.sort(np.array(arms, np.int64))
    order: list[int] = eligible[np.argsort(-Situation(state, eligible).mean, kind="stable")].tolist()
    return order


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
    told = int(np.searchsorted(state.answers[VERSION], state.version))
    group = state.group if state.group < len(crowd.groups) else NOBODY
    return crowd, crowd.visitor(state.answers[:VERSION], told=told, seed=state.seed, group=group)


class Situation:
    """What a policy chooses a pair from. Arrays are in the order of `items`."""

    def __init__(self, state: State, eligible: Ints) -> None:
        self._state, self._eligible = state, eligible
        self._crowd, self._visitor = _posterior(state)
        self.answers = self._visitor.answers
        self.slips = self._crowd.settings.slips
        self.seed = state.seed
        """Another one for each visitor: randomness that is not from it cannot be replayed."""

    @cached_property
    def items(self) -> list[str]:
        """The ids of the eligible items."""
        return self._ids(self._eligible.tolist())

    @cached_property
    def _view(self) -> View:
        return View(self._crowd, self._visitor, self._eligible)

    @property
    def mean(self) -> Floats:
        """The utility to expect of each item, for this visitor, in log-odds."""
        return self._view.mean

    @cached_property
    def variance(self) -> Floats:
        """How uncertain each utility is."""
        return self._view.variance()

    def covariance(self, of: int) -> Floats:
        """Return the covariances of all utilities with the one at a place in `items`."""
        return self._view.covariance(of)

    def pick(self, count: int) -> tuple[int, ...]:
        """Return the places in the arena of so many items that would be shown without a policy."""
        return self._crowd.pick(self._visitor, self._eligible, self._state.passed.T.tolist(), count)

    def default(self) -> tuple[str, str]:
        """Return the pair that would be shown without a policy."""
        first, second = self._ids(self.pick(2))
        return first, second

    def _ids(self, places: Iterable[int]) -> list[str]:
        return [self._state.models.items[place].id for place in places]


Policy = Callable[[Situation], tuple[str, str]]
"""Returns two different ids of `items`; the same for the same situation."""


def entropy_pursuit(situation: Situation) -> tuple[str, str]:
    """Return the pair whose answer tells most about the utilities, of the items that may be the best."""
    upper = situation.mean + 2 * np.sqrt(situation.variance)
    kept = np.sort(np.argsort(-upper, kind="stable")[:MAX_PURSUED])
    covariance = np.array([situation.covariance(place)[kept] for place in kept.tolist()])
    told = np.zeros((kept.size, kept.size))
    information(situation.mean[None, kept], covariance[None], np.array([situation.slips]), np.ones(1), told)
    first, second = divmod(int(told.argmax()), kept.size)
    return situation.items[kept[first]], situation.items[kept[second]]


policies: dict[str, Policy] = {"entropy-pursuit": entropy_pursuit}
"""By name; put your own here. Those of installed packages are entry points `winnerstays.policies`."""


def _by_policy(state: State, eligible: Ints) -> tuple[int, int]:
    situation = Situation(state, eligible)
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
        parameters={"policy": Choice((TASTES, *sorted(policies)), "what chooses the pair")},
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
