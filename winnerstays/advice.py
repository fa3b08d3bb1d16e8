"""Recommend settings for an arena: simulate it by its own rules, without a clock or a disk.

A visitor chooses by a logistic model of utilities, which are normal: drawn for each visitor alone, or in common for all
with something of each visitor's own. All ways to set up an arena meet the same visitors. If there are
too many visitors to simulate within seconds, fewer are simulated, and the first half of them is not counted.
"""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from winnerstays._types import Floats
from winnerstays.arena.engine.crowd import MAX_LEARNERS, NEW_LEARNERS, Taste, crowd
from winnerstays.arena.engine.duel_data import DuelData
from winnerstays.arena.engine.learner import LearnerState, LearningRules
from winnerstays.arena.settings import Item, Settings
from winnerstays.errors import WinnerstaysError
from winnerstays.intervals import anytime
from winnerstays.randomness import Rng, check_seed, stream, uniform

MAX_DUELS = 24_000
"""Played of each way to set up an arena for each user; twice as many of one for everyone."""
POPULATIONS, MAX_POPULATIONS = 4, 200
"""Sets of visitors that are played, each with tastes of its own; more where visitors are few."""
COMMON, OWN, ALONE = 2.0, 0.7, 2.1
"""Standard deviations of utilities: in common and one's own where tastes agree, one's own where they do not."""
CONTROL_SPREAD, CONTROL_WIDTH, MAX_HOLDOUT = 0.25, 0.05, 0.5
"""A control group is large enough if the mean of shares with this deviation is known up to this many."""
FEW = 0.25
"""If fewer visitors see their favourite, the advice says so."""
GIVE_UP_SECONDS = 60
"""A rule of thumb, not simulated: people who have not answered by then have left."""
LIMITS = {"items": (2, 10_000), "visitors": (1, 10**9), "answers_each": (1, 1000), "open_duels": (1, 10_000)}
OPTIONS = {"answers_each": "answers-each", "open_duels": "open"}


class Case(NamedTuple):
    """How many items there are, how many visitors come, and how often each answers."""

    items: int
    visitors: int
    answers_each: int
    open_duels: int = 10
    """Duels that are open at once, in an arena for everyone."""
    correlated: bool = False
    """Whether visitors' tastes have much in common."""

    def __str__(self) -> str:
        people = "1 visitor" if self.visitors == 1 else f"{self.visitors:,} visitors"
        answers = "1 answer" if self.answers_each == 1 else f"{self.answers_each:,} answers"
        each, tastes = "", ""
        if self.visitors > 1:
            each, tastes = " each", f", tastes with {'much' if self.correlated else 'nothing'} in common"
        return f"{people}, {answers}{each}, {self.items:,} items{tastes}"

    def check(self) -> None:
        """Raise an error if the case cannot be simulated."""
        for name, (low, high) in LIMITS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                shown = OPTIONS.get(name, name)
                raise WinnerstaysError(f"{shown} is {value!r}, but must be a whole number from {low} to {high}.")


WAYS: dict[str, dict[str, Any]] = {
    "each user, ws-root, with the crowd": {"audience": "user", "algorithm": "ws-root", "crowd": True},
    "each user, ws-root, alone": {"audience": "user", "algorithm": "ws-root", "crowd": False},
    "each user, ws-w": {"audience": "user", "algorithm": "ws-w"},
    "everyone, ws-root": {"audience": "everyone", "algorithm": "ws-root"},
    "everyone, ws-w": {"audience": "everyone", "algorithm": "ws-w"},
}
"""Ways to set up an arena, by name: the settings in which they differ. The defaults of an arena come first."""


@dataclass(frozen=True)
class Outcome:
    """What to expect of one way to set up an arena, as means over visitors."""

    way: str
    on_screen: float
    """The share of duels that had the visitor's favourite on the screen."""
    error: float
    """Standard error of `on_screen`, over populations."""
    seen: float
    """The share of visitors who saw their favourite at least once."""
    answers_until_seen: int | None
    """Within how many duels half of the visitors have seen it; None if fewer than half ever do."""
    found: float
    """The share of visitors whose favourite the arena names at the end."""
    regret: float
    """Duels of a visitor without the favourite."""
    taught_nothing: float
    """The share of answers that were not learned."""


@dataclass(frozen=True)
class Advice:
    """What to expect, and which settings to take. `visitors` is how many were counted for each way."""

    case: Case
    visitors: int
    outcomes: tuple[Outcome, ...]
    best: Outcome
    settings: dict[str, Any]

    def __str__(self) -> str:
        case, best, arena = self.case, self.best, self.settings
        until = "" if best.answers_until_seen is None else f", half of all by answer {best.answers_until_seen}"
        seen = f"{best.seen:.0%} of the visitors see their favourite{until}"
        named = f"names it for {best.found:.0%}"
        if case.visitors == 1:
            seen, named = f"the favourite is seen with chance {best.seen:.0%}", f"names it with chance {best.found:.0%}"
        pairs = f"it is one of the two in {best.on_screen:.0%} of the duels (random pairs: {2 / case.items:.0%})"
        whom = "each user" if arena["audience"] == "user" else "everyone"
        take = f"Take an arena for {whom} with {arena['algorithm']}"
        if arena.get("crowd") and best != replace(self.outcome("each user, ws-root, alone"), way=best.way):
            take += ", in which new users start from the crowd"
        if best.seen < FEW:
            take += "; but few see their favourite with any settings: offer fewer items (among=...), or ask more often"
        return f"{case}: {seen}; {pairs}, and at the end the arena {named}. {take}."

    def outcome(self, way: str) -> Outcome:
        """Return what to expect of one way."""
        return next(one for one in self.outcomes if one.way == way)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"case": self.case._asdict(), "advice": str(self)}


class Visitors:
    """One set of visitors, the same for every way to set up an arena."""

    def __init__(self, case: Case, count: int, seed: int, population: int) -> None:
        self._case, self._count, self._seed, self._population = case, count, seed, population
        self._common = np.random.default_rng([seed, population]).normal(0, COMMON, case.items)

    def __iter__(self) -> Iterator[tuple[Floats, Rng]]:
        """Yield each visitor's utilities, and the luck of the answers."""
        for number in range(self._count):
            draws = np.random.default_rng([self._seed, self._population, number])
            if self._case.correlated:
                utility = self._common + draws.normal(0, OWN, self._case.items)
            else:
                utility = draws.normal(0, ALONE, self._case.items)
            yield utility, stream(self._seed, self._population, number)


class _Tally:
    """What the visitors have seen so far."""

    def __init__(self) -> None:
        self.first_seen: list[float] = []
        self.shares: list[list[float]] = []
        """Of each visitor of each population."""
        self.found: list[bool] = []
        self.answers = self.unlearned = 0

    def add(self, shown: list[bool], found: bool) -> None:
        """Add one visitor: whether each duel had the favourite, and whether the arena names it."""
        self.first_seen.append(shown.index(True) + 1 if any(shown) else math.inf)
        self.shares[-1].append(sum(shown) / len(shown))
        self.found.append(found)

    def learned(self, learned: bool) -> None:
        self.answers += 1
        self.unlearned += not learned

    @property
    def means(self) -> Floats:
        """The share of duels with the favourite, of each population."""
        return np.mean(self.shares, axis=1)  # type: ignore[no-any-return]

    def outcome(self, way: str, case: Case) -> Outcome:
        means, median = self.means, float(np.median(self.first_seen))
        return Outcome(
            way, float(means.mean()), _error(means), float(np.isfinite(self.first_seen).mean()),
            math.ceil(median) if math.isfinite(median) else None, float(np.mean(self.found)),
            case.answers_each * (1 - float(means.mean())), self.unlearned / max(1, self.answers),
        )  # fmt: skip

    def clearly_above(self, other: "_Tally") -> bool:
        """Tell whether more duels had the favourite than in another way, by more than three standard errors."""
        both = min(len(self.shares), len(other.shares))
        above = self.means[:both] - other.means[:both]
        return bool(above.mean() > 3 * _error(above))


def _error(values: Floats) -> float:
    return float(values.std(ddof=1) / math.sqrt(values.size))


def _prefers_first(utility: Floats, first: int, second: int, luck: Rng) -> bool:
    return uniform(luck) < 1 / (1 + math.exp(float(utility[second] - utility[first])))


def _play_users(rules: LearningRules, case: Case, visitors: Visitors, skip: int, tally: _Tally) -> None:
    """Play an arena with a learner for each user, one visitor after the other."""
    with_crowd = rules.settings.crowd and rules.algorithm.serving.believe is not None
    tastes: deque[Taste] = deque(maxlen=MAX_LEARNERS)
    prior: tuple[tuple[int, int], ...] = ()
    for number, (utility, luck) in enumerate(visitors):
        if with_crowd and number % NEW_LEARNERS == 0:
            prior = crowd(list(tastes), range(case.items)).points
        state = rules.prepare(rules.fresh(number), DuelData(prior=prior))
        favourite, shown = int(utility.argmax()), []
        for _ in range(case.answers_each):
            first, second, _ = rules.serve(state)
            state = rules.show(state, first, second)
            shown.append(favourite in (first, second))
            winner = first if _prefers_first(utility, first, second, luck) else second
            state, learned, *_ = rules.learn(state, first, second, state.step, "winner", winner)
            tally.learned(learned)
        if number >= skip:
            tally.add(shown, rules.best(state) == favourite)
        taste = rules.taste(state)
        if taste is not None:
            tastes.append(taste)


def _play_everyone(rules: LearningRules, case: Case, visitors: Visitors, skip: int, tally: _Tally) -> None:
    """Play an arena with one learner; once `open_duels` are open, the oldest is answered."""
    state: LearnerState = rules.fresh(0)
    waiting: deque[tuple[int, int, int, int]] = deque()
    for number, (utility, luck) in enumerate(visitors):
        favourite, shown = int(utility.argmax()), []
        for _ in range(case.answers_each):
            first, second, _ = rules.serve(state)
            state = rules.show(state, first, second)
            shown.append(favourite in (first, second))
            winner = first if _prefers_first(utility, first, second, luck) else second
            waiting.append((first, second, state.step, winner))
            if len(waiting) >= case.open_duels:
                first, second, step, winner = waiting.popleft()
                state, learned, *_ = rules.learn(state, first, second, step, "winner", winner)
                tally.learned(learned)
        if number >= skip:
            tally.add(shown, rules.best(state) == favourite)


def _size(case: Case, max_duels: int) -> tuple[int, int, int]:
    """Return how many visitors are simulated, how many of them are not counted, and how many populations there are."""
    played = min(case.visitors, max(2, max_duels // case.answers_each // POPULATIONS))
    skip = played // 2 if played < case.visitors else 0
    fit = max_duels // (played * case.answers_each)
    return played, skip, min(MAX_POPULATIONS, max(POPULATIONS, fit))


def advise(
    items: int,
    visitors: int,
    answers_each: int,
    *,
    open_duels: int = 10,
    correlated: bool = False,
    seed: int = 0,
    max_duels: int = MAX_DUELS,
) -> Advice:
    """Simulate a case with every way to set up an arena; return what to expect of the best one, and its settings.

    The best way is the first one that no other clearly beats. A single visitor needs no arena for everyone.

    >>> advice = advise(3, 20, 10, max_duels=400)
    >>> advice.settings["audience"], len(advice.outcomes)
    ('user', 5)
    """
    case = Case(items, visitors, answers_each, open_duels, correlated)
    case.check()
    check_seed(seed)
    max_duels = max(max_duels * 1000 // max(1000, items), 40)
    ids = tuple(Item(id=str(item)) for item in range(items))
    tallies: dict[str, _Tally] = {}
    looked_at = 0
    for way, chosen in WAYS.items():
        shared = chosen["audience"] == "everyone"
        if shared and visitors == 1:
            continue
        played, skip, populations = _size(case, 2 * max_duels if shared else max_duels)
        tally = tallies[way] = _Tally()
        for population in range(populations):
            tally.shares.append([])
            settings = Settings(name=way, items=ids, seed=population, **chosen)
            play = _play_everyone if shared else _play_users
            play(LearningRules(settings), case, Visitors(case, played, seed, population), skip, tally)
        looked_at = max(looked_at, 0 if shared else len(tally.found))
    outcomes = tuple(tally.outcome(way, case) for way, tally in tallies.items())
    top = tallies[max(outcomes, key=lambda outcome: outcome.on_screen).way]
    best = next(outcome for outcome in outcomes if not top.clearly_above(tallies[outcome.way]))
    return Advice(case, looked_at, outcomes, best, _settings(case, best))


def _settings(case: Case, best: Outcome) -> dict[str, Any]:
    settings = {**WAYS[best.way], "holdout": _holdout(case)}
    if settings["audience"] == "user":
        settings |= {"give_up": GIVE_UP_SECONDS, "max_open": min(10, case.answers_each)}
    return settings


def _holdout(case: Case) -> float:
    """Return the share of visitors that makes a control group large enough; 0 where there are too few for one.

    In an arena for everyone each duel counts for one, so there are more of them.
    """
    needed = 10
    while anytime(needed, needed / 2, needed * (0.25 + CONTROL_SPREAD**2), 0.975)[1] - 0.5 > CONTROL_WIDTH:
        needed += 10
    share = math.ceil(100 * needed / case.visitors) / 100
    return share if share <= MAX_HOLDOUT else 0.0
