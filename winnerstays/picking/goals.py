"""What a pick is after: which two items to ask about next, and when to stop.

| goal | the item (or items) | stops |
|---|---|---|
| `Best` | that beats all others; with `top`, then the one that beats the rest, and so on | certified, or a cycle |
| `Copeland` | that beats the most others | certified: perhaps another one beats as many |
| `Borda` | with the highest chance against an opponent drawn at random | certified |
| `Board` | all, as a leaderboard | as soon as its intervals are as short as asked |

`Plan` is `Best` with a budget too small for a certificate: it makes the most of it for the guess.
"""

import math
from collections import deque
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from winnerstays._types import Floats
from winnerstays.picking import procedure
from winnerstays.picking.bets import Answers, Draws
from winnerstays.picking.pairs import BothWays, Judgement
from winnerstays.picking.procedure import CERTIFIED, NOBODY, PLAYING, SETTLED, State
from winnerstays.picking.ranking import Counts, fit
from winnerstays.randomness import Rng, below, shuffle, stream
from winnerstays.tastes import LOST, TIED, WON, Person

PRECISE = 5
"""A verdict, beside those of the procedure: the board is as sharp as asked."""
PRIOR = 0.1
"""Of a board: it pulls scores to 0, so that an item that has won all its duels has a finite one."""
PLANNED = 5
"""Duels for each item up to which a budget is planned."""
MODELLED = 30
"""Items up to which a plan follows a model of utilities; more are halved by rounds."""

Choice = tuple[int, int, Judgement | None]
"""Two items, and the judgement to ask for; None: the next one of the pair."""


class Best:
    """The item that beats all others; of `top`, the best of the rest follows each that is found."""

    def __init__(self, state: State, top: int = 1) -> None:
        self.state, self.top = state, top
        self.found: list[int] = []
        self._errors = [0.0]
        self._won: dict[int, Floats] = {}
        """Of those found, log e against each other item."""

    def choose(self, rng: Rng) -> Choice | None:
        """Return what to ask next; None if the answers to open questions are needed first."""
        first, second = map(int, procedure.choose(self.state, rng))
        return None if second == NOBODY else (first, second, None)

    def serve(self, first: int, second: int, judgement: Judgement) -> None:
        """Note that a duel was served. It must not depend on what was learned."""

    def learn(self, number: int, first: int, second: int, lead: float | None) -> None:
        """Learn duel `number`: `lead` is 1 if the first won, -1 if the second did; None: there is no answer."""

    def verdict(self) -> int:
        """Return PLAYING, or why to stop."""
        while (why := int(procedure.verdict(self.state))) == CERTIFIED and len(self.found) + 1 < self.top:
            item = self.favourite
            self._errors.append(1 - procedure.confidence(self.state, item))
            self._won[item] = self.state.reached[item].copy()
            self.found.append(item)
            procedure.remove(self.state, item)
        return why

    def evidence(self, item: int) -> Floats:
        """Return the most that log e ever was for an item, against each other one."""
        return np.asarray(self._won.get(item, self.state.reached[item]))

    @property
    def favourite(self) -> int:
        """The item that is the answer, as far as is known."""
        return int(self.state.favourite[0])

    @property
    def best(self) -> list[int]:
        """The items that were asked for, as far as they are known; the best first."""
        return [*self.found, self.favourite]

    @property
    def remaining(self) -> list[int]:
        """The items that can still be the answer."""
        return [*self.found, *(item for item, victor in enumerate(self.state.beaten_by) if victor == NOBODY)]

    def guess(self) -> None:
        """Make the likeliest item the favourite: there is no certificate."""
        self.state.favourite[0] = procedure.leader(self.state)

    def confidence(self, state: State) -> float:
        """Return a lower bound on the probability that the answer is right."""
        if len(self.found) + 1 < self.top:
            return 0.0
        now = 1 - procedure.confidence(state, self.favourite)
        return max(0.0, 1 - self.top * max(now, *self._errors))


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
            self.state.favourite[0] = int((self._person.weights @ self._person._means).argmax())
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


class Copeland(Best):
    """The item that beats the most others. Each pair has a test, and all of them together one budget of errors."""

    def __init__(self, state: State, level: float) -> None:
        n = len(state.score)
        super().__init__(state._replace(direct=math.log(n * (n - 1) / (1 - level)), joint=0.0))

    def choose(self, rng: Rng) -> Choice | None:
        undecided = self._undecided()
        won, most = self._bounds(self.state.direct)
        likely = self._likely()
        first = self.favourite
        if not undecided[first].any():  # its score is known: another one may still have more
            able = undecided.any(axis=1) & (most > won[first])
            if not able.any():
                return None
            first = int(np.where(able, most + likely / len(likely), -1).argmax())
        near = np.maximum(self.state.evidence[first], self.state.evidence[:, first]) - self.state.open[first]
        near = np.where(undecided[first], near, -np.inf)
        others = np.flatnonzero(near == near.max())
        return first, int(others[below(rng, len(others))]), None

    def verdict(self) -> int:
        won, most = self._bounds(self.state.direct)
        best = self.favourite
        if won[best] >= np.delete(most, best).max():
            return CERTIFIED
        undecided = self._undecided()
        return PLAYING if undecided[best].any() or undecided[most > won[best]].any() else SETTLED

    @property
    def favourite(self) -> int:
        return int(self._likely().argmax())

    @property
    def remaining(self) -> list[int]:
        won, most = self._bounds(self.state.direct)
        return np.flatnonzero(most >= won.max()).tolist()

    def guess(self) -> None:
        """The favourite is the guess."""

    def confidence(self, state: State) -> float:
        n, best = len(state.score), self.favourite
        sure = 0.0
        for height in np.unique(state.reached[state.reached > 0]):
            won, most = self._bounds(float(height))
            if won[best] >= np.delete(most, best).max():
                sure = max(sure, 1 - n * (n - 1) * math.exp(-height))
        return sure

    def _bounds(self, height: float) -> tuple[Floats, Floats]:
        """Return how many others each item beats at least, and at most, if e beyond `height` is taken for certain."""
        beats = self.state.reached >= height
        lost = beats.T | ((self.state.settled == 1) & ~beats)
        return beats.sum(axis=1), len(beats) - 1 - lost.sum(axis=1)

    def _undecided(self) -> Floats:
        decided = (self.state.reached >= self.state.direct) | (self.state.settled == 1)
        return ~(decided | decided.T | np.eye(len(decided), dtype=bool))  # type: ignore[no-any-return]

    def _likely(self) -> Floats:
        """Return how many others each item is expected to beat."""
        beats = self.state.reached >= self.state.direct
        odds = procedure.STEP * (self.state.wins - self.state.wins.T)
        chance = np.where(beats, 1.0, np.where(beats.T, 0.0, 1 / (1 + np.exp(-np.clip(odds, -30, 30)))))
        return np.asarray(chance.sum(axis=1))


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


class Board(Best):
    """A leaderboard: it asks about the pair that tells most about the scores, until no interval is longer than asked.

    Scores are log odds by Bradley and Terry's model; an interval reaches by `precision` to both sides.
    """

    def __init__(self, state: State, level: float, precision: float) -> None:
        super().__init__(state)
        n = len(state.score)
        self._z, self._precision = NormalDist().inv_cdf((1 + level) / 2), precision
        self._counts = Counts(np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n)))
        self._learned = 0
        self._fit()

    def choose(self, rng: Rng) -> Choice | None:
        lead = self._scores[:, None] - self._scores[None, :]
        variances = np.diag(self._covariance)
        spread = variances[:, None] + variances[None, :] - 2 * self._covariance
        worth = np.where(self.state.settled == 1, -1, spread / (2 + np.cosh(lead) * 2) / (1 + self.state.open))
        worth = np.where(np.tri(len(worth), dtype=bool), -1, worth)
        pairs = np.argwhere(worth > worth.max() * (1 - 1e-9))
        if worth.max() <= 0:
            return None
        first, second = map(int, pairs[below(rng, len(pairs))])
        return first, second, None

    def learn(self, number: int, first: int, second: int, lead: float | None) -> None:
        if lead is not None:
            self._counts[0 if lead > 0 else 1 if lead < 0 else 2][first, second] += 1
            self._learned += 1
            if self._learned >= self._next:
                self._fit()

    def verdict(self) -> int:
        if self._z * math.sqrt(float(np.diag(self._covariance).max())) <= self._precision:
            return PRECISE
        return SETTLED if (self.state.settled == 1)[~np.eye(len(self._scores), dtype=bool)].all() else PLAYING

    @property
    def favourite(self) -> int:
        return int(self._scores.argmax())

    @property
    def best(self) -> list[int]:
        return np.argsort(-self._scores, kind="stable").tolist()  # type: ignore[no-any-return]

    @property
    def remaining(self) -> list[int]:
        return self.best

    def guess(self) -> None:
        self._fit()

    def confidence(self, state: State) -> float:
        return 0.0

    def _fit(self) -> None:
        """Fit the scores; again after a tenth more answers."""
        self._next = math.ceil(1.1 * self._learned) + 1
        n = len(self._counts.tied)
        fitted = fit(self._counts, PRIOR, davidson=False, bias=False)
        self._scores, self._covariance = fitted.values[:n], fitted.covariance[:n, :n]
