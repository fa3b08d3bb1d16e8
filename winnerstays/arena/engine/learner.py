"""How a learner of an arena learns: `serve` and `learn` are its two steps, and its state follows from its rows.

Nothing else enters a learner's state: no clock, no order of other learners, no randomness but its own stream. So the
rows of the log rebuild the state byte for byte.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from winnerstays.algorithms import registered
from winnerstays.algorithms.base import NOBODY
from winnerstays.arena.engine.crowd import MIN_OUTCOMES, Taste
from winnerstays.arena.engine.duels import DuelData
from winnerstays.arena.engine.holdout import (
    LEARNER,
    TAUGHT_NOTHING,
    Person,
    added_by_stranger,
    chooser,
    chosen_in_probe,
    is_probe,
    random_other,
    random_pair,
    shuffled,
)
from winnerstays.arena.engine.tastes import TASTES, ArenaModels, State, arena_algorithm, feed
from winnerstays.arena.settings import Settings
from winnerstays.codec import pack, unpack_first
from winnerstays.errors import WinnerstaysError
from winnerstays.randomness import Rng, stream, uniform

CHANGED = 0xFF
"""The first byte of a learner whose items changed; others begin with the width of an array, as in version 0.1."""
WITH_PERSON = 0xFE
"""The first byte of a learner whose person is in the control group, or is compared with it."""
COIN = "a fair coin decided"
BETWEEN = -1
"""The step of a duel that was shown while the learner waits for the answer to its own pair."""
GONE_ON = "the learner had gone on to another pair"
WAITED = "shown between two duels of the learner, it teaches nothing"
MAX_COINS = 200
"""The most coins thrown to get a learner to another pair."""


class LearnerState(NamedTuple):
    """Everything that a learner remembers."""

    rng: Rng
    step: int  # outcomes learned so far, thrown coins included
    passes: int  # answers in a row that taught nothing about the current pair
    algorithm_state: Any
    known: int = 0  # the change of the arena's items up to which it knows them
    items: int = 0  # how many items there were then; 0 before the first change
    up_to: int = 0  # the row up to which duels of everyone were looked through for those that expired
    person: Person | None = None  # what the person has seen and done, where there is a control group


class LearningResult(NamedTuple):
    """The state after an accepted answer, and whether the answer was learned."""

    state: LearnerState
    learned: bool
    reason: str | None = None
    moved_on: bool = False


class LearningRules:
    """The two steps of every learner of an arena, as its settings say."""

    def __init__(self, settings: Settings, models: ArenaModels | None = None) -> None:
        self.settings = settings
        self.algorithm = arena_algorithm(settings.algorithm, settings.params)
        self.models = models or ArenaModels(settings)
        self.uses_models = settings.algorithm == TASTES and settings.crowd
        """Whether new versions of a model of all visitors' tastes change what is shown."""
        if self.algorithm.version != settings.version:
            raise WinnerstaysError(
                f"The arena {settings.name!r} holds version {settings.version} of {settings.algorithm}, "
                f"this is version {self.algorithm.version}."
            )
        self._first_items = settings.first_items or len(settings.items)
        features = [item.features for item in settings.items[: self._first_items]]
        self._features = np.array(features, dtype=np.float64) if features[0] else None
        self._like = self.fresh(0)
        self.counts_open = self.algorithm.serving.counts_open
        """Whether the algorithm counts open duels, and so wants to know of those that will not be answered."""
        if settings.ties == "halves" and self.algorithm.serving.tie is None:
            raise WinnerstaysError(f"{settings.algorithm} has no half wins; ties teach nothing there, or are a coin's.")
        if settings.nones == "losses" and not self.algorithm.serving.any_pair:
            raise WinnerstaysError(
                f"{settings.algorithm} learns only from the pair that it asks about, so none of the two cannot count "
                "against both; it teaches nothing there, or is a coin's. Algorithms that learn from any pair can: "
                f"{', '.join(name for name, algorithm in registered().items() if algorithm.serving.any_pair)}."
            )

    def fresh(self, learner_id: int) -> LearnerState:
        """Return the state of a learner that has seen nothing; its randomness comes from (seed of the arena, id).

        It knows the items with which the arena began.
        """
        rng = stream(self.settings.seed, learner_id)
        horizon = self.settings.horizon
        state = self.algorithm.start(self._first_items, rng, horizon=horizon, features=self._features)
        if isinstance(state, State):
            state = state._replace(models=self.models)
        return LearnerState(rng, 0, 0, state)

    def load(self, learner_id: int, data: bytes) -> LearnerState:
        """Return the state with these bytes; no bytes at all stand for a fresh one."""
        if not data:
            return self.fresh(learner_id)
        if data[0] == WITH_PERSON:
            person, end = Person.load(data[1:])
            return self.load(learner_id, data[1 + end :])._replace(person=person)
        fresh, before = self._like.algorithm_state, self._like[:3]
        if data[0] != CHANGED:
            return LearnerState(*self.algorithm.load(data, fresh, *before))
        head, end = unpack_first(data[1:], (0, 0, 0, 0))
        known, items, there, up_to = head
        if there != self._first_items and self.algorithm.serving.stored is None:
            fresh = self.algorithm.start(there, stream(0))
        rng, step, passes, inner = self.algorithm.load(data[1 + end :], fresh, *before)
        return LearnerState(rng, step, passes, inner, known, items, up_to)

    def dump(self, state: LearnerState) -> bytes:
        if state.person is not None:
            return bytes([WITH_PERSON]) + state.person.dump() + self.dump(state._replace(person=None))
        data = self.algorithm.dump(state.algorithm_state, *state[:3])
        if not state.known and not state.up_to:
            return data
        there = len(self._present(state)) if state.known else self._first_items
        return bytes([CHANGED]) + pack((state.known, state.items, there, state.up_to)) + data

    def _present(self, state: LearnerState) -> Sequence[int]:
        """Return the items that a learner knows and that are not retired, as far as it knows."""
        if self.algorithm.serving.present is None:
            return range(self._first_items)
        return self.algorithm.serving.present(state.algorithm_state)

    def changes(self, state: LearnerState) -> DuelData:
        """Return what a learner must be told of the arena's items before it serves a duel."""
        settings = self.settings
        if state.known == settings.changes:
            return DuelData()
        before = set(map(int, self._present(state)))
        now = {arm for arm, item in enumerate(settings.items) if not item.retired}
        join, leave = tuple(sorted(now - before)), tuple(sorted(before - now))
        return DuelData(settings.changes, len(settings.items), join, leave)

    def prepare(self, state: LearnerState, data: DuelData) -> LearnerState:
        """Return the state after what happens before a duel is served."""
        algorithm, rng, inner = self.algorithm, state.rng, state.algorithm_state
        if data.known:
            if data.join and algorithm.serving.join is not None:
                inner = algorithm.serving.join(inner, data.join, rng)
            if data.leave and algorithm.serving.leave is not None:
                inner = algorithm.serving.leave(inner, data.leave, rng)
            state = state._replace(known=data.known, items=data.items, passes=0)
        if data.model:
            version, group = data.model
            inner = inner._replace(version=version, group=group)
        if data.prior and algorithm.serving.believe is not None:
            inner = algorithm.serving.believe(inner, data.prior)
        state = state._replace(algorithm_state=inner, up_to=data.up_to or state.up_to)
        for first, second in data.passed:
            state = self._give_up(state, first, second)
        return state

    def _give_up(self, state: LearnerState, first: int, second: int) -> LearnerState:
        """Return the state after a served pair was given up: its items pay, or the learner goes on to another pair."""
        if self.counts_open:
            return state._replace(algorithm_state=self.algorithm.serving.pass_(state.algorithm_state, first, second))
        current = self._current(state, first, second, state.step)
        return self._move_on(state, *current).state if current else state

    def recommended(self, state: LearnerState, eligible: Sequence[int] | None) -> int:
        """Return the favourite of those that may be shown."""
        best = self.best(state)
        if eligible is None or best in eligible:
            return best
        return self.top(state, 1, eligible)[0]

    def model(self, version: int, group: str | None) -> tuple[int, ...]:
        """Return a version of the model, and the place of a group in it; nothing where there is no model."""
        if not self.uses_models:
            return ()
        return version, self.models.crowd(version).groups.get(group or "", NOBODY)

    def with_model(self, state: LearnerState, version: int) -> LearnerState:
        """Return a state that knows a version of the model, for what is asked about it now."""
        return state._replace(algorithm_state=state.algorithm_state._replace(version=version))

    def adopt(self, state: LearnerState) -> LearnerState:
        """Return a state that other rules of this arena used, before its settings changed, for these."""
        inner = state.algorithm_state
        if not isinstance(inner, State) or inner.models is self.models:
            return state
        return state._replace(algorithm_state=inner._replace(models=self.models))

    def has_model(self, state: LearnerState) -> bool:
        """Whether the version of the model with which a state chooses, if any, can be had."""
        inner = state.algorithm_state
        return not isinstance(inner, State) or self.models.has(inner.version)

    def answers_in(self, learner_id: int, data: bytes) -> list[tuple[int, int, int]]:
        """Return the answers that a visitor's stored state holds: (first, second, outcome)."""
        state = self.load(learner_id, data)
        if state.person is not None and state.person.control:
            return []
        rows = state.algorithm_state.answers.T.tolist()
        return [
            (first, second, outcome)
            for first, second, *counts, _ in rows
            for outcome, times in enumerate(counts)
            for _ in range(times)
        ]

    def best(self, state: LearnerState) -> int:
        """Return the favourite item, by its place in the settings."""
        return int(self.algorithm.best(state.algorithm_state))

    def round(self, state: LearnerState) -> int | None:
        """Return the round of Winner Stays; None for an algorithm without rounds."""
        return None if self.algorithm.round is None else self.algorithm.round(state.algorithm_state)

    def serve(
        self,
        state: LearnerState,
        eligible: Sequence[int] | None = None,
        arm: int | None = None,
        fixed: Sequence[int] | None = None,
    ) -> tuple[int, int, bool]:
        """Return the next pair, and whether `first` is shown on the right; draws from the learner's randomness.

        Of the `eligible` items only, if they are given; where the algorithm cannot choose among them, they are two.
        The control group gets two items at random, or the `fixed` pair. A probe is of the item that would be
        recommended and a random one.
        """
        if arm not in (None, LEARNER):
            items = sorted(eligible or map(int, self._present(state)))
            if chooser(arm) == LEARNER:
                fixed = (self.recommended(state, eligible), -1)
            first, second = fixed or random_pair(items, state.rng)
            if is_probe(arm) and fixed is not None:
                second = random_other(items, first, state.rng)
        elif eligible is None:
            first, second = self.algorithm.choose(state.algorithm_state, state.rng)
        elif self.algorithm.serving.among is None:
            first, second = eligible
        else:
            mask = np.zeros(state.items or self._first_items, np.int64)
            mask[list(eligible)] = 1
            first, second = self.algorithm.serving.among(state.algorithm_state, mask, np.zeros_like(mask), state.rng)
        return int(first), int(second), uniform(state.rng) < 0.5

    def step(self, state: LearnerState, eligible: Sequence[int] | None, arm: int | None) -> int:
        """Return the step of a duel: how many outcomes are learned, or BETWEEN where the pair is not the learner's."""
        own = eligible is None or self.algorithm.serving.among is not None or arm not in (None, LEARNER)
        return state.step if own else BETWEEN

    def serve_feed(
        self,
        state: LearnerState,
        count: int,
        eligible: Sequence[int] | None = None,
        arm: int | None = None,
        fixed: Sequence[int] | None = None,
    ) -> tuple[int, ...]:
        """Return the favourite, an item that may be better, and then all of so many items in the order to show them.

        As in `serve`, but a feed is never a probe.
        """
        items, chosen = sorted(eligible or map(int, self._present(state))), list(fixed or ())
        if not chosen and arm in (None, LEARNER):
            chosen = feed(state.algorithm_state, np.array(items, np.int64), count)
        elif not chosen:
            chosen = shuffled(items, state.rng)[:count]
        return chosen[0], chosen[1], *shuffled(sorted(chosen), state.rng)

    def show(self, state: LearnerState, first: int, second: int, arm: int | None = None) -> LearnerState:
        """Return the state after a pair was handed out."""
        everyone = self.settings.audience == "everyone"
        if self.counts_open and not (everyone and arm not in (None, LEARNER)):
            state = state._replace(algorithm_state=self.algorithm.serving.show(state.algorithm_state, first, second))
        if arm is None or everyone:
            return state
        person = state.person or Person(chooser(arm) != LEARNER)
        return state._replace(person=person.serve())

    def added(
        self,
        before: LearnerState,
        after: LearnerState,
        arm: int | None,
        outcome: str | None = None,
        chosen: bool | None = None,
    ) -> tuple[int, ...]:
        """Return what a duel that was served, or an answer with this outcome, adds to the sums of the arm.

        `chosen` says of a decided probe whether the recommended item won.
        """
        if arm is None:
            return ()
        if after.person is None:
            return added_by_stranger(outcome, chosen)
        return after.person.added_since(before.person or Person())

    def take_back(self, before: LearnerState, now: LearnerState, outcome: str, chosen: bool | None) -> LearnerState:
        """Return the state from before a duel was served, now that the answer to it is taken back.

        The duel was on the screen nevertheless: what the person has seen stays.
        """
        return before._replace(person=now.person.answer(outcome, chosen, -1) if now.person else None)

    def top(self, state: LearnerState, count: int, eligible: Sequence[int]) -> list[int]:
        """Return the favourites among eligible items, the best first."""
        if self.algorithm.serving.rank is None:
            raise WinnerstaysError(f"{self.algorithm.name} knows a favourite, but no order of the others.")
        there = set(map(int, self._present(state)))
        order = self.algorithm.serving.rank(state.algorithm_state, [arm for arm in eligible if arm in there])
        return [int(arm) for arm in order[:count]]

    def taste(self, state: LearnerState) -> Taste | None:
        """Return what a learner teaches about people; None if it has learned too little."""
        if state.step < MIN_OUTCOMES or self.algorithm.serving.seen is None or (state.person and state.person.control):
            return None
        return Taste(self.best(state), self.algorithm.serving.seen(state.algorithm_state))

    def learn(
        self,
        state: LearnerState,
        first: int,
        second: int,
        step: int,
        outcome: str,
        winner: int | None,
        arm: int | None = None,
        shown: Sequence[int] = (),
    ) -> LearningResult:
        """Learn an accepted answer to a duel of an arm that was served when `step` outcomes were learned.

        A duel of the control group, or a probe, teaches about that person alone, where any pair teaches. `shown` are
        the items of a feed.
        """
        if shown:
            result = self._learn_feed(state, first, shown, outcome, winner)
        elif arm in (None, LEARNER) or (self.settings.audience == "user" and self.counts_open):
            result = self._learn(state, first, second, step, outcome, winner)
        else:
            result = LearningResult(state, False, TAUGHT_NOTHING)
        if arm is None or result.state.person is None:
            return result
        person = result.state.person.answer(outcome, chosen_in_probe(arm, first, outcome, winner))
        return result._replace(state=result.state._replace(person=person))

    def _learn(
        self, state: LearnerState, first: int, second: int, step: int, outcome: str, winner: int | None
    ) -> LearningResult:
        """Learn an answer.

        An outcome whose pair is no longer the one the algorithm asks about is learned only if the algorithm can use any
        pair (`any_pair`); a random walk between two items, as in Winner Stays, cannot.
        """
        settings = self.settings
        if outcome == "none" and settings.nones == "losses" and self.best(state) not in (first, second):
            return self._lose(state, first, second)
        if outcome != "winner" and (self.counts_open or (outcome == "tie" and settings.ties == "halves")):
            return self._learn_without_winner(state, first, second, outcome)
        current = None if self.counts_open else self._current(state, first, second, step)
        first, second = current or (first, second)
        by_coin = (outcome == "tie" and settings.ties == "coin") or (outcome == "none" and settings.nones == "coin")
        if outcome == "winner" or by_coin:
            if not (current or self.algorithm.serving.any_pair):
                return LearningResult(state, False, WAITED if step == BETWEEN else GONE_ON)
            first_won = uniform(state.rng) < 0.5 if by_coin else winner == first
            reason = COIN if by_coin else None
            return LearningResult(self._update(state, first, second, first_won), True, reason)
        if not current:
            return LearningResult(state, False, f"{outcome} teaches nothing")
        passes = state.passes + 1
        if passes < settings.patience:
            return LearningResult(state._replace(passes=passes), False, f"{outcome} teaches nothing")
        return self._move_on(state, first, second)

    def _learn_feed(
        self, state: LearnerState, first: int, shown: Sequence[int], outcome: str, winner: int | None
    ) -> LearningResult:
        """Learn that the chosen item of a feed is better than each of the others, or that the feed was passed over."""
        inner = state.algorithm_state
        if outcome != "winner" or winner is None:
            for other in shown:
                if other != first:
                    inner = self.algorithm.serving.pass_(inner, first, other)
            return LearningResult(state._replace(algorithm_state=inner), False, f"{outcome} teaches nothing")
        for loser in shown:
            if loser != winner:
                inner = self.algorithm.update(inner, winner, loser, True, state.rng)
        return LearningResult(state._replace(algorithm_state=inner, step=state.step + 1, passes=0), True)

    def _current(self, state: LearnerState, first: int, second: int, step: int) -> tuple[int, int] | None:
        """Return a pair as the algorithm would give it now, if it is the one it asks about."""
        if step == state.step and not state.known:
            return first, second
        one, other = self.algorithm.choose(state.algorithm_state, state.rng.copy())
        return (int(one), int(other)) if {int(one), int(other)} == {first, second} else None

    def _learn_without_winner(self, state: LearnerState, first: int, second: int, outcome: str) -> LearningResult:
        """Learn that nobody won: half a win to each, the result of a coin, or that the two were passed over."""
        teaches = self.settings.ties if outcome == "tie" else self.settings.nones if outcome == "none" else "nothing"
        algorithm, inner = self.algorithm, state.algorithm_state
        if teaches == "halves" and algorithm.serving.tie is not None:
            new = state._replace(
                algorithm_state=algorithm.serving.tie(inner, first, second), step=state.step + 1, passes=0
            )
            return LearningResult(new, True, "half a win to each")
        if teaches == "coin":
            return LearningResult(self._update(state, first, second, uniform(state.rng) < 0.5), True, COIN)
        new = state._replace(algorithm_state=algorithm.serving.pass_(inner, first, second))
        return LearningResult(new, False, f"{outcome} teaches nothing")

    def _lose(self, state: LearnerState, first: int, second: int) -> LearningResult:
        """Learn that both items lost to the favourite, which is neither of them."""
        algorithm, favourite = self.algorithm, self.best(state)
        if self.counts_open:  # the duel is answered; those that are learned instead were never open
            closed = algorithm.serving.pass_ if algorithm.serving.tie is None else algorithm.serving.tie
            state = state._replace(algorithm_state=closed(state.algorithm_state, first, second))
        for loser in dict.fromkeys((first, second)):
            if self.counts_open:
                state = state._replace(algorithm_state=algorithm.serving.show(state.algorithm_state, favourite, loser))
            state = self._update(state, favourite, loser, True)
        return LearningResult(state, True, "a loss of each to the favourite")

    def _update(self, state: LearnerState, first: int, second: int, first_won: bool) -> LearnerState:
        before = self.algorithm.reserve(state.algorithm_state, 1)
        new = self.algorithm.update(before, first, second, first_won, state.rng)
        return state._replace(step=state.step + 1, passes=0, algorithm_state=new)

    def _move_on(self, state: LearnerState, first: int, second: int) -> LearningResult:
        """Throw fair coins until another pair is next: people who pass over a pair again and again are indifferent."""
        passed = f"passed over {self.settings.patience} times"
        if len(self.settings.items) == 2:
            return LearningResult(state._replace(passes=0), False, f"{passed}, but there is no other pair")
        one, other = first, second
        for coins in range(1, MAX_COINS + 1):
            state = self._update(state, one, other, uniform(state.rng) < 0.5)
            one, other = map(int, self.algorithm.choose(state.algorithm_state, state.rng))
            if {one, other} != {first, second}:
                return LearningResult(state, False, f"{passed}; moved on by {coins} fair coins", True)
        return LearningResult(state, False, f"{passed}; {MAX_COINS} fair coins led to no other pair")
