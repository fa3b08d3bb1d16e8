"""A budget that is too small for a certificate, planned for the best guess."""

import math
from collections import deque
from collections.abc import Callable

import numpy as np

from winnerstays._types import Floats
from winnerstays.picking.goals import Best, Choice
from winnerstays.picking.pairs import Judgement
from winnerstays.picking.procedure import State
from winnerstays.picking.ranking import Counts, fit
from winnerstays.randomness import Rng, shuffle, stream
from winnerstays.tastes import LOST, TIED, WON, Person

PLANNED = 5
"""Duels for each item up to which a budget is planned."""
MODELLED = 30
"""Items up to which a plan follows a model of utilities; more are halved by rounds."""


class Plan(Best):
    """`Best` within a budget of so many duels. `usable` tells whether a pair can be asked about once more.

    Few items: the favourite of a model of utilities meets the one that may exceed it most. Many: by rounds, all that
    are left meet at random, and the better half by all answers so far stays.
    """

    def __init__(
        self, state: State, names: tuple[str, ...], duels: int, seed: int, usable: Callable[[int, int], bool]
    ) -> None:
        super().__init__(state)
        n = len(names)
        self._person = Person(names) if n <= MODELLED else None
        self._names, self._duels, self._seed, self._usable = names, duels, seed, usable
        self._wins, self._left, self._served, self._rounds = np.zeros((n, n)), list(range(n)), 0, 0
        self._due: deque[tuple[int, int]] = deque()

    def choose(self, rng: Rng) -> Choice | None:
        pair = self._of_model() if self._person is not None else self._of_round()
        if pair is None and self._person is None and len(self._left) > 1 and self.state.open.any():
            return None
        return super().choose(rng) if pair is None else (*pair, None)

    def serve(self, first: int, second: int, judgement: Judgement) -> None:
        self._served += 1
        self._of_round()
        pair = next((pair for pair in self._due if set(pair) == {first, second}), None)
        if pair is not None:
            self._due.remove(pair)

    def learn(self, number: int, first: int, second: int, lead: float | None) -> None:
        if lead is not None:
            self._wins[first, second] += (1 + lead) / 2
            self._wins[second, first] += (1 - lead) / 2
            if self._person is not None:
                outcome = WON if lead > 0 else LOST if lead < 0 else TIED
                self._person.tell(self._names[first], self._names[second], outcome)

    def guess(self) -> None:
        if self._person is not None:
            self.state.favourite[0] = self._names.index(self._person.standing().favourite)
        else:
            self.state.favourite[0] = self._left[int(self._scores()[self._left].argmax())]

    def _of_model(self) -> tuple[int, int] | None:
        """Return the model's pair; not one that is open, unless all are."""
        assert self._person is not None
        n = len(self._names)
        avoid = [(self._names[i], self._names[j]) for i in range(n) for j in range(i)
                 if self.state.open[i, j] or not self._usable(i, j)]  # fmt: skip
        first, second = map(self._names.index, self._person.choose(avoid=avoid))
        return (first, second) if self._usable(first, second) else None

    def _of_round(self) -> tuple[int, int] | None:
        """Return the next pair of the round; begin another round once all duels of the last one are learned."""
        if self._person is not None:
            return None
        self._due = deque(pair for pair in self._due if self._usable(*pair))
        if not self._due and not self.state.open.any() and len(self._left) > 1:
            if self._rounds:
                order = np.argsort(-self._scores()[self._left], kind="stable")
                self._left = [self._left[place] for place in order[: (len(self._left) + 1) // 2]]
            self._rounds += 1
            self._draw_round()
        return self._due[0] if self._due else None

    def _draw_round(self) -> None:
        left, rng = np.array(self._left), stream(self._seed, 4, self._rounds)
        if len(left) < 2:
            return
        size = max(len(left) // 2, (self._duels - self._served) // math.ceil(math.log2(len(left))))
        while len(self._due) < size:
            shuffle(left, rng)
            self._due.extend((int(one), int(other)) for one, other in zip(left[::2], left[1::2], strict=False))
        self._due = deque(list(self._due)[:size])

    def _scores(self) -> Floats:
        return fit(Counts(self._wins, 0 * self._wins, 0 * self._wins), 0.5, davidson=False, bias=False).values
