"""How a learner of an arena learns: `serve` and `learn` are its two steps, and its state is the fold of its log.

Nothing else enters a learner's state: no clock, no order of other learners, no randomness but its own stream. So the
rows of the log rebuild the state byte for byte.
"""

from typing import Any, NamedTuple

import numpy as np

from winnerstays.algorithms import algorithm as find_algorithm
from winnerstays.arena.settings import Settings
from winnerstays.errors import WinnerstaysError
from winnerstays.randomness import Rng, stream, uniform

MAX_COINS = 200
"""The most coins thrown to get a learner to another pair."""


class LearnerState(NamedTuple):
    """Everything that a learner remembers."""

    rng: Rng
    step: int  # outcomes learned so far, thrown coins included
    passes: int  # answers in a row that taught nothing about the current pair
    algorithm_state: Any


class LearningResult(NamedTuple):
    """The state after an accepted answer, and whether the answer was learned."""

    state: LearnerState
    learned: bool
    reason: str | None = None
    moved_on: bool = False


class LearningRules:
    """The two steps of every learner of an arena, as its settings say."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.algorithm = find_algorithm(settings.algorithm, **settings.params)
        if self.algorithm.version != settings.version:
            raise WinnerstaysError(
                f"The arena {settings.name!r} holds version {settings.version} of {settings.algorithm}, "
                f"this is version {self.algorithm.version}."
            )
        features = [item.features for item in settings.items]
        self._features = np.array(features, dtype=np.float64) if features[0] else None
        self._like = self.fresh(0)

    def fresh(self, learner_id: int) -> LearnerState:
        """Return the state of a learner that has seen nothing; its randomness comes from (seed of the arena, id)."""
        rng = stream(self.settings.seed, learner_id)
        n_items = len(self.settings.items)
        state = self.algorithm.start(n_items, rng, horizon=self.settings.horizon, features=self._features)
        return LearnerState(rng, 0, 0, state)

    def load(self, learner_id: int, data: bytes) -> LearnerState:
        """Return the state with these bytes; no bytes at all stand for a fresh one."""
        if not data:
            return self.fresh(learner_id)
        *before, fresh = self._like
        return LearnerState(*self.algorithm.load(data, fresh, *before))

    def dump(self, state: LearnerState) -> bytes:
        """Return the bytes of a state."""
        *before, algorithm_state = state
        return self.algorithm.dump(algorithm_state, *before)

    def best(self, state: LearnerState) -> int:
        """Return the favourite item, by its place in the settings."""
        return int(self.algorithm.best(state.algorithm_state))

    def round(self, state: LearnerState) -> int | None:
        """Return the round of Winner Stays; None for an algorithm without rounds."""
        return None if self.algorithm.round is None else self.algorithm.round(state.algorithm_state)

    def serve(self, state: LearnerState) -> tuple[int, int, bool]:
        """Return the next pair, and whether `first` is shown on the right; draws from the learner's randomness."""
        first, second = self.algorithm.choose(state.algorithm_state, state.rng)
        return int(first), int(second), uniform(state.rng) < 0.5

    def learn(
        self, state: LearnerState, first: int, second: int, step: int, outcome: str, winner: int | None
    ) -> LearningResult:
        """Learn an accepted answer to a duel that was served when `step` outcomes were learned.

        An outcome whose pair is no longer the one the algorithm asks about is learned only if the algorithm can use any
        pair (`any_pair`); a random walk between two items, as in Winner Stays, cannot.
        """
        current = step == state.step
        if not current:
            one, other = self.algorithm.choose(state.algorithm_state, state.rng.copy())
            current = {int(one), int(other)} == {first, second}
            if current:
                first, second = int(one), int(other)
        settings = self.settings
        by_coin = (outcome == "tie" and settings.ties == "coin") or (outcome == "none" and settings.nones == "coin")
        if outcome == "winner" or by_coin:
            if not (current or self.algorithm.any_pair):
                return LearningResult(state, False, "the learner had gone on to another pair")
            first_won = uniform(state.rng) < 0.5 if by_coin else winner == first
            reason = "a fair coin decided" if by_coin else None
            return LearningResult(self._update(state, first, second, first_won), True, reason)
        if not current or settings.pairs == "caller":
            return LearningResult(state, False, f"{outcome} teaches nothing")
        passes = state.passes + 1
        if passes < settings.patience:
            return LearningResult(state._replace(passes=passes), False, f"{outcome} teaches nothing")
        return self._move_on(state, first, second)

    def _update(self, state: LearnerState, first: int, second: int, first_won: bool) -> LearnerState:
        before = self.algorithm.reserve(state.algorithm_state, 1)
        new = self.algorithm.update(before, first, second, first_won, state.rng)
        return LearnerState(state.rng, state.step + 1, 0, new)

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
