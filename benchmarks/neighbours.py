"""Compare what a new user gains from people who answer alike, from taste factors, and from all.

`python -m benchmarks neighbours` prints the table of both ways. What is compared with the crowd of an arena, which
gives points once, gives new points after 5, 10, 20, 40, 80 and 120 answers, in place of the old ones:

- neighbours: the crowd of those who agree. Each of the latest learners counts by the chance of the user's answers, if
  they were given by that learner's scores (3/4 for the item with the higher score, 1/2 if one of the two was not seen).
- factors: utilities are b + Q z, b and Q fitted to the answers of the latest learners, z to those of the user (logistic
  choices, rank 10). An item gets points by how often it is the best in draws from the posterior of z.

No real ratings are used. The city is the generated one of `winnerstays/problems/yelp/city.py`; the ratings are made
up, too, as MovieLens's are often described: a mean of each item, 8 factors, and what is a person's own.
"""

import math
import tempfile
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.crowd import EVERY, FIRST, Tastes, answer, cell, utilities
from winnerstays import algorithm
from winnerstays.algorithms._shared.margins import higher_of, lower_of, sorted_pairs
from winnerstays.algorithms.ws_root import ws_root
from winnerstays.algorithms.ws_root.scores import lead_anew
from winnerstays.algorithms.ws_root.state import PRIOR, SCORE
from winnerstays.arena.engine.crowd import MAX_LEARNERS, MIN_LEARNERS, POINT, Taste, as_points, crowd, not_chance
from winnerstays.problems.yelp.city import NOISE, write_city
from winnerstays.randomness import stream

USERS, DUELS, POPULATIONS = 400, 200, 6
AFTER = (5, 10, 20, 40, 80, 120)
RANK, SWEEPS, STEP, DRAWS, OWN = 10, 200, 0.05, 400, 0.5
AGREED, SURE = 0.75, 4
"""The chance of an answer that a neighbour's scores foretell; leads above `SURE` count as much."""


def of_city(seed: int) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return write_city(folder, seed=seed + 1).utilities[:USERS] / NOISE


def of_ratings(seed: int, items: int = 100, factors: int = 8) -> Any:
    """Return utilities in units of the noise; deviations in stars: items .5, factors .6, one's own .3, noise .4."""
    draw = np.random.default_rng(1000 + seed)
    means, q = draw.normal(0, 0.5, items), draw.normal(0, 1, (items, factors)) / math.sqrt(factors)
    return (means + 0.6 * draw.normal(0, 1, (USERS, factors)) @ q.T + draw.normal(0, 0.3, (USERS, items))) / 0.4


def of_groups(common: float, group: float, own: float) -> Callable[[int], Any]:
    return lambda seed: np.array(utilities(Tastes("", common, group, own), seed)[:USERS])


CASES: dict[str, Callable[[int], Any]] = {
    "generated city, 130 restaurants": of_city,
    "generated ratings, 100 films": of_ratings,
    "five groups (0, 2, 0.5), 50 items": of_groups(0.0, 2.0, 0.5),
    "nothing in common (0, 0, 2), 50 items": of_groups(0.0, 0.0, 2.0),
}


class Answers(NamedTuple):
    """The pairs of a learner that are not level."""

    won: Any
    lost: Any
    lead: Any

    @classmethod
    def of(cls, state: Any) -> "Answers":
        keys, margins = sorted_pairs(state.table)
        high = np.array([higher_of(int(key)) for key in keys], int)
        low = np.array([lower_of(int(key), int(arm)) for key, arm in zip(keys, high, strict=True)], int)
        ahead = margins > 0
        return cls(np.where(ahead, high, low), np.where(ahead, low, high), np.minimum(np.abs(margins), SURE))


class Past(NamedTuple):
    """The latest learners."""

    tastes: list[Taste]
    scores: Any
    seen: Any
    answers: list[Answers]

    @classmethod
    def of(cls, states: list[Any]) -> "Past":
        latest = states[-MAX_LEARNERS:]
        return cls(
            [Taste(int(ws_root.best(state)), ws_root.seen(state)) for state in latest],
            np.array([state.arms[SCORE] for state in latest]),
            np.array([np.isin(np.arange(state.arms.shape[1]), ws_root.seen(state)) for state in latest]),
            [Answers.of(state) for state in latest],
        )


class Alone:
    """Nothing is known of others."""

    past: Past

    def look(self, states: list[Any]) -> None:
        self.past = Past.of(states)

    def start(self, items: int) -> Any:
        return ()

    def later(self, state: Any) -> Any:
        """Return new points; None: the old ones stay."""
        return None


class Crowd(Alone):
    """A new user starts from all others, as in an arena."""

    def start(self, items: int) -> Any:
        return crowd(self.past.tastes, range(items)).points


class Neighbours(Crowd):
    """… and gets the points of those who agree."""

    def later(self, state: Any) -> Any:
        past, (won, lost, lead), items = self.past, Answers.of(state), state.arms.shape[1]
        if len(past.tastes) < MIN_LEARNERS:
            return None
        foretold = np.sign(past.scores[:, won] - past.scores[:, lost]) * (past.seen[:, won] & past.seen[:, lost])
        logs = (lead * np.log(1 + (2 * AGREED - 1) * foretold)).sum(axis=1)
        weights = np.exp(logs - logs.max())
        weights *= weights.sum() / (weights**2).sum()  # so many people they are worth
        fans = np.bincount([taste.favourite for taste in past.tastes], weights, items)
        viewers = weights @ past.seen
        worth = not_chance(fans, viewers)
        rates = (fans + 1) / (viewers + 2)
        return as_points(POINT * worth * np.log2(1 + len(past.tastes) * rates) / 2, np.arange(items)) or None


class Factors(Crowd):
    """… and gets points by factors of the tastes of all."""

    def __init__(self) -> None:
        self.fitted: tuple[Any, Any] | None = None

    def look(self, states: list[Any]) -> None:
        super().look(states)
        if states and len(states) % 50 == 0:
            self.fitted = factors(self.past.answers, states[0].arms.shape[1])

    def later(self, state: Any) -> Any:
        if self.fitted is None:
            return None
        b, q = self.fitted
        (won, lost, lead), z, draw = Answers.of(state), np.zeros(RANK), np.random.default_rng(0)
        x, level = q[won] - q[lost], b[won] - b[lost]
        for _ in range(8):  # Newton's steps to the mode
            chance = _logistic(level + x @ z)
            curvature = np.eye(RANK) + (x * (lead * chance * (1 - chance))[:, None]).T @ x
            z = z - np.linalg.solve(curvature, z - x.T @ (lead * (1 - chance)))
        drawn = b + draw.multivariate_normal(z, np.linalg.inv(curvature), DRAWS) @ q.T
        best = (drawn + draw.normal(0, OWN, drawn.shape)).argmax(axis=1)
        rates = (np.bincount(best, minlength=b.size) + 1) / (DRAWS + 2)
        unfaded = (b.size + state.step) / b.size
        return as_points(unfaded * POINT * np.log2(1 + MAX_LEARNERS * rates) / 2, np.arange(b.size))


def factors(answers: list[Answers], items: int) -> tuple[Any, Any]:
    """Return b and Q of the utilities b + Q z that explain answers best, by Adam's steps."""
    who = np.concatenate([np.full(one.won.size, k) for k, one in enumerate(answers)])
    won, lost, lead = (np.concatenate(column) for column in zip(*answers, strict=True))
    places = np.arange(who.size)
    signs = np.repeat([1.0, -1.0], who.size)
    pairs = csr_matrix((signs, (np.tile(places, 2), np.concatenate([won, lost]))), (who.size, items))
    people = csr_matrix((np.ones(who.size), (who, places)), (len(answers), who.size))
    draw = np.random.default_rng(len(answers))
    z, q, b = draw.normal(0, 0.1, (len(answers), RANK)), draw.normal(0, 0.3, (items, RANK)), np.zeros(items)
    means, squares = [[np.zeros_like(one) for one in (z, q, b)] for _ in range(2)]
    for sweep in range(1, SWEEPS + 1):
        between, own = pairs @ q, z[who]
        wrong = lead * (_logistic(pairs @ b + (own * between).sum(axis=1)) - 1)
        slopes = z + people @ (wrong[:, None] * between), 0.5 * q + pairs.T @ (wrong[:, None] * own), 0.3 * b
        slopes = *slopes[:2], slopes[2] + pairs.T @ wrong
        for k, (value, slope) in enumerate(zip((z, q, b), slopes, strict=True)):
            means[k] = 0.9 * means[k] + 0.1 * slope
            squares[k] = 0.99 * squares[k] + 0.01 * slope**2
            value -= STEP * means[k] / (1 - 0.9**sweep) / (np.sqrt(squares[k] / (1 - 0.99**sweep)) + 1e-8)
    return b, q


def _logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(x, -30, 30)))


def population(tastes: Any, seed: int, how: Alone) -> tuple[float, float]:
    """Return the mean regret of the second half of a population's users: of all their duels, and of the first."""
    one, items, states, points = algorithm("ws-root"), tastes.shape[1], [], ()
    regrets = []
    for user, utility in enumerate(tastes):
        if user % EVERY == 0:
            how.look(states)
            points = how.start(items)
        state = ws_root.believe(one.reserve(one.start(items, stream(seed, user, 0)), DUELS), points)
        rng, luck, regret, done = stream(seed, user, 1), stream(seed, user, 2), np.zeros(2), 0
        for end in (*AFTER, DUELS):
            found = np.zeros(2)
            state = answer(state, np.ascontiguousarray(utility), end - done, rng, luck, found)
            regret += found[0], found[0] if end <= FIRST else 0
            done, new = end, how.later(state) if end < DUELS else None
            state = state if new is None else _believe_anew(state, new)
        states.append(state)
        regrets.append(regret)
    all_duels, first = np.mean(regrets[USERS // 2 :], axis=0)
    return float(all_duels), float(first)


def _believe_anew(state: Any, points: Any) -> Any:
    state.arms[PRIOR] = 0
    for item, given in points:
        state.arms[PRIOR, item] = given
    return lead_anew(state._replace(highest_prior=max(given for _, given in points)))


STARTS: dict[str, Callable[[], Alone]] = {
    "alone": Alone, "the crowd": Crowd, "crowd, then neighbours": Neighbours, "crowd, then factors": Factors
}  # fmt: skip


def line(case: str) -> str:
    """Return a line of the table: regrets, and how far the last two are below the crowd's in the same population."""
    tastes = [CASES[case](seed) for seed in range(POPULATIONS)]
    found = {
        name: np.array([population(each, seed, how()) for seed, each in enumerate(tastes)])
        for name, how in STARTS.items()
    }
    cells = [f"{cell(each[:, 0])}, {cell(each[:, 1])}" for each in found.values()]
    gains = [cell(found["the crowd"][:, 0] - each[:, 0]) for each in list(found.values())[2:]]
    return f"| {case} | {' | '.join(cells)} | {'; '.join(gains)} |"


def main(words: Sequence[str]) -> None:
    """Print the table."""
    print(f"| tastes | {' | '.join(STARTS)} | gained over the crowd |")
    print("|---" * (len(STARTS) + 2) + "|", flush=True)
    for case in CASES:
        print(line(case), flush=True)
