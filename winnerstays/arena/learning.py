"""A learner of an arena as a fold of its rows in the log: `serve` and `learn` are the two steps.

Nothing else enters a learner's state: no clock, no order of other learners, no randomness but its own stream. So the
rows rebuild the state byte for byte.
"""

from typing import Any, NamedTuple

import numpy as np

from winnerstays.algorithms.registry import algorithm as find_algorithm
from winnerstays.arena.settings import Settings
from winnerstays.codec import pack, unpack
from winnerstays.errors import WinnerstaysError
from winnerstays.randomness import Rng, stream, uniform

MOST_COINS = 200
"""Coins thrown at most to get a learner to another pair."""


class Mind(NamedTuple):
    """All that a learner remembers."""

    rng: Rng
    step: int  # outcomes learned so far, thrown coins included
    passes: int  # answers in a row that taught nothing about the current pair
    state: Any


class Lesson(NamedTuple):
    """What an accepted answer did."""

    mind: Mind
    learned: bool
    reason: str | None = None
    moved_on: bool = False


class Fold:
    """The two steps for the learners of one arena."""

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

    def fresh(self, learner: int) -> Mind:
        """The mind of a learner that has seen nothing; its randomness comes from (seed of the arena, learner)."""
        rng = stream(self.settings.seed, learner)
        n_items = len(self.settings.items)
        state = self.algorithm.start(n_items, rng, horizon=self.settings.horizon, features=self._features)
        return Mind(rng, 0, 0, state)

    def load(self, learner: int, data: bytes) -> Mind:
        """The mind that was stored; no bytes at all stand for a fresh one."""
        mind: Mind = unpack(data, self._like) if data else self.fresh(learner)
        return mind

    def dump(self, mind: Mind) -> bytes:
        return pack(mind)

    def best(self, mind: Mind) -> int:
        return int(self.algorithm.best(mind.state))

    def round(self, mind: Mind) -> int | None:
        """The round of Winner Stays, for algorithms that have one."""
        return None if self.algorithm.round is None else self.algorithm.round(mind.state)

    def serve(self, mind: Mind) -> tuple[int, int, bool]:
        """The next pair, and whether `first` is shown on the right. Moves the mind's randomness on."""
        first, second = self.algorithm.choose(mind.state, mind.rng)
        return int(first), int(second), uniform(mind.rng) < 0.5

    def learn(self, mind: Mind, first: int, second: int, step: int, outcome: str, winner: int | None) -> Lesson:
        """Learn an accepted answer to a duel that was served when `step` outcomes were learned.

        An outcome whose pair is no longer the one the algorithm asks about is learned only if the algorithm can use any
        pair (`any_pair`); a random walk between two items, as in Winner Stays, cannot.
        """
        current = step == mind.step
        if not current:
            one, other = self.algorithm.choose(mind.state, mind.rng.copy())
            current = {int(one), int(other)} == {first, second}
            if current:
                first, second = int(one), int(other)
        rules = self.settings
        if outcome == "winner":
            if not (current or self.algorithm.any_pair):
                return Lesson(mind, False, "the learner had gone on to another pair")
            return Lesson(self._update(mind, first, second, winner == first), True)
        if (outcome == "tie" and rules.ties == "coin") or (outcome == "none" and rules.nones == "coin"):
            if not (current or self.algorithm.any_pair):
                return Lesson(mind, False, "the learner had gone on to another pair")
            return Lesson(self._update(mind, first, second, uniform(mind.rng) < 0.5), True, "a fair coin decided")
        if not current:
            return Lesson(mind, False, f"{outcome} teaches nothing")
        passes = mind.passes + 1
        if passes < rules.patience:
            return Lesson(mind._replace(passes=passes), False, f"{outcome} teaches nothing")
        return self._move_on(mind, first, second)

    def _update(self, mind: Mind, first: int, second: int, first_won: bool) -> Mind:
        state = self.algorithm.update(mind.state, first, second, first_won, mind.rng)
        return Mind(mind.rng, mind.step + 1, 0, state)

    def _move_on(self, mind: Mind, first: int, second: int) -> Lesson:
        """People who pass over a pair again and again are indifferent: fair coins decide until another pair is next."""
        passed = f"passed over {self.settings.patience} times"
        if len(self.settings.items) == 2:
            return Lesson(mind._replace(passes=0), False, f"{passed}, but there is no other pair")
        one, other = first, second
        for coins in range(1, MOST_COINS + 1):
            mind = self._update(mind, one, other, uniform(mind.rng) < 0.5)
            one, other = map(int, self.algorithm.choose(mind.state, mind.rng))
            if {one, other} != {first, second}:
                return Lesson(mind, False, f"{passed}; moved on by {coins} fair coins", True)
        return Lesson(mind, False, f"{passed}; {MOST_COINS} fair coins led to no other pair")
