"""The item with the highest chance against an opponent drawn at random: an answer where no item beats all others."""

import math
from collections.abc import Callable

import numpy as np

from winnerstays.picking.bets import Answers, Draws
from winnerstays.picking.goals import Best, Choice
from winnerstays.picking.pairs import BothWays, Judgement
from winnerstays.picking.procedure import CERTIFIED, PLAYING, SETTLED, State
from winnerstays.randomness import Rng, below, shuffle, stream


class Borda(Best):
    """The item with the highest chance against an opponent drawn from all, itself as a half included.

    In each round all items that are left meet the same opponent, on the same example. Of two items, the results of a
    round are compared: half their difference, plus a half, is a graded answer, whose mean is above 1/2 for the better.
    Only one item is the best, so each has one test; it is dropped when e of some other one is (N-1)/delta.
    """

    def __init__(
        self, state: State, level: float, seed: int, examples: int | None,
        is_free: Callable[[int, int, Judgement], bool], *, both: bool, new: bool,
    ) -> None:  # fmt: skip
        super().__init__(state)
        n = len(state.score)
        self._n, self._seed, self._examples, self._is_free = n, seed, examples, is_free
        self._doubt = math.log((n - 1) / (1 - level))
        self._rounds: np.ndarray | None = None
        size = 0
        if examples is not None:
            sides = 1 if both else 2
            self._rounds = np.arange(n * examples * sides)
            shuffle(self._rounds, stream(seed, 3))
            if new:  # each example counts once
                self._rounds = self._rounds[np.sort(np.unique(self._rounds // n % examples, return_index=True)[1])]
            size = len(self._rounds)
        make = Answers if examples is None or new else lambda: Draws(size)
        self._tests = {(i, j): BothWays(make) for i in range(n) for j in range(i + 1, n)}
        self._next = [0] * n
        self._owners: list[tuple[list[tuple[int, int]], Judgement]] = []
        """Of each duel: the items and the rounds for which it was asked, and the judgement."""
        self._again: list[tuple[int, int]] = []
        self._results: list[dict[int, float]] = []
        self._known: dict[tuple[int, int, Judgement], float] = {}
        self._reached = np.zeros((n, n))
        self._points, self._met = np.zeros(n), np.zeros(n)

    def choose(self, rng: Rng) -> Choice | None:
        left = self.remaining
        for item in left:
            self._due(item)
        due = sorted((item for item in left), key=lambda item: (self._next[item], item))
        for item, round_ in [*self._again, *((item, self._next[item]) for item in due)]:
            drawn = self._drawn(round_)
            if item in left and drawn is not None and (drawn[1] is None or self._is_free(item, drawn[0], drawn[1])):
                return item, *drawn
        return None

    def serve(self, first: int, second: int, judgement: Judgement) -> None:
        owners = self._take_again(first, second, judgement)
        for item in (first, second):
            self._due(item)
            if not owners and self._fits(item, self._next[item], first, second, judgement):
                owners = [(item, self._next[item])]
                self._next[item] += 1
        self._owners.append((owners, judgement))

    def learn(self, number: int, first: int, second: int, lead: float | None) -> None:
        owners, judgement = self._owners[number]
        if lead is None:
            self._again += owners
            return
        points = (1 + lead) / 2
        if self._rounds is not None:
            self._known[first, second, judgement], self._known[second, first, judgement] = points, 1 - points
            owners = owners + self._take_again(first, second, judgement)
        for item, round_ in owners:
            self._note(item, round_, points if item == first else 1 - points)

    def _take_again(self, first: int, second: int, judgement: Judgement) -> list[tuple[int, int]]:
        """Return the items and rounds that wait for this answer, because a call failed; they wait no more."""
        waiting = [owner for owner in self._again if self._fits(*owner, first, second, judgement)]
        if self._rounds is None:
            waiting = waiting[:1]
        self._again = [owner for owner in self._again if owner not in waiting]
        return waiting

    def verdict(self) -> int:
        left = self.remaining
        if len(left) == 1:
            return CERTIFIED
        over = not self.state.open.any() and self.choose(stream(0)) is None
        return SETTLED if over else PLAYING

    @property
    def favourite(self) -> int:
        left = self.remaining
        return max(left, key=lambda item: ((self._points[item] + 0.5) / (self._met[item] + 1), -item))

    @property
    def remaining(self) -> list[int]:
        out = (self._reached >= self._doubt).any(axis=0)
        return [int(item) for item in np.flatnonzero(~out)] or list(range(self._n))

    def guess(self) -> None:
        """The favourite is the guess."""

    def confidence(self, state: State) -> float:
        rivals = np.delete(self._reached, self.favourite, axis=1).max(axis=0)
        return max(0.0, 1 - (self._n - 1) * math.exp(-rivals.min()))

    def _due(self, item: int) -> tuple[int, Judgement | None] | None:
        """Return whom an item meets next, once what needs no question is noted; None if there are no more rounds."""
        while (drawn := self._drawn(self._next[item])) is not None:
            opponent, judgement = drawn
            known = 0.5 if opponent == item else self._known.get((item, opponent, judgement)) if judgement else None
            if known is None:
                return drawn
            self._note(item, self._next[item], known)
            self._next[item] += 1
        return None

    def _fits(self, item: int, round_: int, first: int, second: int, judgement: Judgement) -> bool:
        """Tell whether a duel is the one of an item in a round."""
        drawn = self._drawn(round_)
        return drawn is not None and {item, drawn[0]} == {first, second} and drawn[1] in (None, judgement)

    def _drawn(self, round_: int) -> tuple[int, Judgement | None] | None:
        """Return the opponent of a round and its judgement; None if there is no such round."""
        if self._rounds is None:
            return int(below(stream(self._seed, 3, round_), self._n)), None
        if round_ >= len(self._rounds):
            return None
        opponent, rest = int(self._rounds[round_]) % self._n, int(self._rounds[round_]) // self._n
        return opponent, (rest % int(self._examples or 1), rest // int(self._examples or 1))

    def _note(self, item: int, round_: int, points: float) -> None:
        """Compare the points of an item in a round with those of the others."""
        while len(self._results) <= round_:
            self._results.append({})
        self._points[item] += points
        self._met[item] += 1
        for other, theirs in self._results[round_].items():
            first, second = min(item, other), max(item, other)
            mine = (points - theirs if item == first else theirs - points) / 2 + 0.5
            evidence = self._tests[first, second].tell(mine)
            self._reached[first, second] = max(self._reached[first, second], evidence[0])
            self._reached[second, first] = max(self._reached[second, first], evidence[1])
        self._results[round_][item] = points
