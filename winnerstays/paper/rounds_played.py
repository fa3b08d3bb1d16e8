"""A run of WS-W taken apart into the iterations and rounds of section 4.1, from its duels and outcomes alone.

The scores are counted here from who won, and whether each pair is one that Algorithm 1 allows is checked on them; the
algorithm's own state is not looked at.
"""

from dataclasses import dataclass, field

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms import algorithm
from winnerstays.problems import Problem
from winnerstays.randomness import stream, uniform


@dataclass(frozen=True)
class Iteration:
    """A sequence of duels of one pair; `scores` are those of all arms before its first duel."""

    round: int
    number: int
    first_duel: int
    duels: int
    incumbent: int
    challenger: int
    winner: int
    scores: tuple[int, ...]

    @property
    def loser(self) -> int:
        return self.incumbent + self.challenger - self.winner


@dataclass
class Played:
    """The iterations of a run, and how often rare things happened."""

    n_arms: int
    iterations: list[Iteration] = field(default_factory=list)
    final_scores: list[tuple[int, ...]] = field(default_factory=list)
    """The scores at the end of each round."""
    illegal: int = 0
    """Duels of pairs that Algorithm 1 does not allow."""
    recurring: int = 0
    """Rounds during which the scores of their beginning recur."""
    tied_at_zero: int = 0
    """Duels in round 1 before which both arms have score 0, after the first duel."""

    def of_round(self, number: int) -> list[Iteration]:
        return [iteration for iteration in self.iterations if iteration.round == number]


def play(problem: Problem, rounds: int, seed: int) -> Played:
    """Play whole rounds of WS-W on a problem."""
    ws_w, n_arms = algorithm("ws-w"), problem.n_arms
    rng, outcomes = stream(seed, 0, 0), stream(seed, 0, 1)
    state = ws_w.start(n_arms, rng)
    played, score, t = Played(n_arms), np.zeros(n_arms, np.int64), 0
    previous: tuple[int, int] | None = None
    for l in range(1, rounds + 1):
        begin, recurs = score.copy(), False
        for k in range(1, n_arms):
            pair, before, start = (0, 0), tuple(score.tolist()), t + 1
            while True:
                chosen = tuple(int(arm) for arm in ws_w.choose(state, rng))
                first, second = chosen
                played.illegal += not legal(score, previous, first, second)
                if t == start - 1:
                    pair = (first, second)
                played.tied_at_zero += l == 1 and t > 0 and score[first] == 0 == score[second]
                won = bool(uniform(outcomes) < problem.preferences[first, second])
                winner, loser = (first, second) if won else (second, first)
                state = ws_w.update(state, first, second, won, rng)
                score[winner] += 1
                score[loser] -= 1
                t, previous = t + 1, (first, second)
                if score[loser] == -l:
                    break
                recurs |= t > 1 and bool((score == begin).all())
            played.iterations.append(Iteration(l, k, start, t - start + 1, *pair, winner, before))
        played.recurring += recurs
        played.final_scores.append(tuple(score.tolist()))
    return played


def follows_algorithm_2(problem: Problem, rounds: int, beta: float, seed: int) -> bool:
    """Play rounds of WS-S; tell whether each is a round of WS-W and floor(beta^l) duels of its winner with itself.

    What those duels teach is ignored if the scores of all others decide the pairs of the next round.
    """
    ws_s, n_arms = algorithm("ws-s", beta=beta), problem.n_arms
    rng, outcomes = stream(seed, 0, 0), stream(seed, 0, 1)
    state, score = ws_s.start(n_arms, rng), np.zeros(n_arms, np.int64)
    previous: tuple[int, int] | None = None
    for l in range(1, rounds + 1):
        while (score == -l).sum() < n_arms - 1:
            first, second = (int(arm) for arm in ws_s.choose(state, rng))
            if not legal(score, previous, first, second):
                return False
            won = bool(uniform(outcomes) < problem.preferences[first, second])
            state = ws_s.update(state, first, second, won, rng)
            score[first] += 1 if won else -1
            score[second] -= 1 if won else -1
            previous = (first, second)
        winner = int(score.argmax())
        for _ in range(int(beta**l)):
            if tuple(ws_s.choose(state, rng)) != (winner, winner):
                return False
            state = ws_s.update(state, winner, winner, bool(uniform(outcomes) < 0.5), rng)
    return True


def legal(score: Ints, previous: tuple[int, int] | None, first: int, second: int) -> bool:
    """Tell whether steps 1 and 2 of Algorithm 1, with their tie rules, allow this pair."""
    top = set(np.flatnonzero(score == score.max()).tolist())
    others = np.delete(np.arange(score.size), first)
    next_best = set(others[score[others] == score[others].max()].tolist())
    return first in preferred(top, previous) and second in preferred(next_best, previous)


def preferred(tied: set[int], previous: tuple[int, int] | None) -> set[int]:
    """Return the arms that the tie rule leaves: the first of the previous pair, else the second, else all."""
    for arm in previous or ():
        if arm in tied:
            return {arm}
    return tied
