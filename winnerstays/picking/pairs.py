"""What is known of two items: which examples they have met on, and the evidence of their answers for each claim."""

from collections.abc import Callable, Sequence

import numpy as np

from winnerstays.picking.bets import Answers, Draws
from winnerstays.randomness import shuffle, stream

Judgement = tuple[int, int]
"""An example, and which of the two items stands left (0: the one with the lower place)."""
MOST_FAILURES = 3
"""Times that a judgement is taken up again in one run, each with all retries; a later run tries it anew."""


class BothWays:
    """A test of the first of two items and one of the second."""

    def __init__(self, make: Callable[[], Answers | Draws]) -> None:
        self._first, self._second = make(), make()

    def tell(self, value: float, bets: tuple[bool, bool] = (True, True), weight: int = 1) -> tuple[float, float]:
        """Learn how much of the point the first one won, by the mean of `weight` answers; return log e of each.

        A test may pass over it.
        """
        first = self._first.tell(value, bet=bets[0], weight=weight)
        return first, self._second.tell(1.0 - value, bet=bets[1], weight=weight)


class Pair:
    """Two items, by their places in order. Without examples every question is a new one."""

    def __init__(self, seed: int, places: tuple[int, int], examples: int | None, *, null: float) -> None:
        self.places = places
        self.open = 0
        self.lost = 0
        """Judgements that failed too often in this run."""
        self.balance = 0.0
        """Of all that is known: judgements won by the first less those won by the second."""
        self._failures: dict[Judgement, int] = {}
        self._seen: set[int] = set()
        self._pool: dict[Judgement, None] = {}
        if examples is not None:
            order = np.arange(2 * examples)
            shuffle(order, stream(seed, 1, *places))
            self._pool = dict.fromkeys((int(k) % examples, int(k) // examples) for k in order)
        size = len(self._pool)
        self.new, self.new_staked = BothWays(Answers), BothWays(Answers)
        self.new_near = BothWays(lambda: Answers(null))
        self.these, self.these_staked = BothWays(lambda: Draws(size)), BothWays(lambda: Draws(size))
        self.these_near = BothWays(lambda: Draws(size, null))

    @property
    def next(self) -> Judgement | None:
        """The judgement to ask for next; None if all are known or open."""
        return next(iter(self._pool), None)

    def has(self, judgement: Judgement) -> bool:
        """Tell whether a judgement is still to be asked for."""
        return judgement in self._pool

    @property
    def known(self) -> bool:
        """Whether nothing is left to be asked in this run."""
        return not self._pool and not self.open

    def take(self, judgements: Sequence[Judgement]) -> None:
        """Note that one judgement is asked for, or the two of an example."""
        self.open += 1
        for judgement in judgements:
            self._pool.pop(judgement, None)

    def give_back(self, judgements: Sequence[Judgement], *, again: bool) -> None:
        """Note that judgements have failed. They are asked for again after all others, unless they did so too often."""
        self.open -= 1
        for judgement in judgements:
            self._failures[judgement] = self._failures.get(judgement, 0) + (not again)
            if self._failures[judgement] < MOST_FAILURES:
                self._pool[judgement] = None
            else:
                self.lost += 1

    def is_first_of(self, example: int) -> bool:
        """Tell whether an example is met for the first time: for new examples it counts once."""
        first = example not in self._seen
        self._seen.add(example)
        return first
