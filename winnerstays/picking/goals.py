"""What a pick is after: which two items to ask about next, and when to stop.

| goal | the item (or items) | stops |
|---|---|---|
| `Best` | that beats all others; with `top`, then the one that beats the rest, and so on | certified, or a cycle |
| `Copeland` | that beats the most others | certified: perhaps another one beats as many |
| `Borda` (borda.py) | with the highest chance against an opponent drawn at random | certified |
| `Board` | all, as a leaderboard | as soon as its intervals are as short as asked |

`Plan` (plan.py) is `Best` with a budget too small for a certificate: it makes the most of it for the guess.
"""

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats
from winnerstays.picking import procedure
from winnerstays.picking.pairs import Judgement
from winnerstays.picking.procedure import CERTIFIED, NOBODY, PLAYING, SETTLED, State
from winnerstays.picking.ranking import Counts, fit
from winnerstays.randomness import Rng, below

PRECISE = 5
"""A verdict, beside those of the procedure: the board is as sharp as asked."""
PRIOR = 0.1
"""Of a board: it pulls scores to 0, so that an item that has won all its duels has a finite one."""

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

    def _undecided(self) -> npt.NDArray[np.bool_]:
        decided = (self.state.reached >= self.state.direct) | (self.state.settled > 0)
        return ~(decided | decided.T | np.eye(len(decided), dtype=bool))

    def _likely(self) -> Floats:
        """Return how many others each item is expected to beat."""
        beats = self.state.reached >= self.state.direct
        odds = procedure.STEP * (self.state.wins - self.state.wins.T)
        chance = np.where(beats, 1.0, np.where(beats.T, 0.0, 1 / (1 + np.exp(-np.clip(odds, -30, 30)))))
        return np.asarray(chance.sum(axis=1))


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
        worth = np.where(self.state.settled > 0, -1, spread / (2 + np.cosh(lead) * 2) / (1 + self.state.open))
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
        return SETTLED if (self.state.settled > 0)[~np.eye(len(self._scores), dtype=bool)].all() else PLAYING

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
