"""A proved bound on the regret in the rounds after those that were computed.

Let b be the best arm, r = (1-p1)/p1 with p1 = min p_bi, and e = P(Z(L) != b), which is known exactly.

1. r**C(t, b) never grows in expectation: b wins each of its duels with probability at least p1. At the end of round L,
   C(b) is (N-1)L if Z(L) = b and -L otherwise, so for l >= L
       P(Z(l) != b) <= c r**(l-L)   with   c = e + (1 - e) r**(N L).
   If b is incumbent when round l starts, it stands N(l-1) + 1 above ruin and loses in that round with probability at
   most r**(N(l-1)+1).
2. An iteration between two other arms at height E takes at most E/q duels in expectation, whoever is the incumbent,
   where q >= 1/2 is the smallest winning probability of the stronger arm among such pairs. For an incumbent that wins
   with x < 1/2 and o = x/(1-x), the claim length <= E/(1-x) comes down to E o**E <= 1 + o + ... + o**(E-1);
   for x >= 1/2, length <= E. No gap between other arms enters, and ties among them do no harm.
3. Weak regret in round l needs a wrong incumbent at its start or a fall of b in it, and the heights of a round add up
   to N(N-1)(l - 1/2). Hence the weak regret after round L is at most
       sum over l > L of (c r**(l-1-L) + r**(N(l-1)+1)) W(l),   W(l) = N(N-1)(l - 1/2) / q.
4. This is sharper if a runner-up s beats all arms but b. The scores of b and s together change only in duels with
   others, which they win with probability at least p2; so, as in 1, with f = P(Z(L) is neither) and r2 = (1-p2)/p2,
       P(Z(l) is neither) <= (f + (1 - f) r2**(N L)) r2**(2(l-L)).
   A round that s starts costs at most K = sum over j of 1/(2 p_sj - 1) as long as s falls to nobody but b, and b does
   not fall. Other falls of s in round l have a probability of at most u**(N(l-1)+1) / (1-u), u = (1-p_s)/p_s with
   p_s = min p_sj. Hence, at most
       sum over l > L of c r**(l-1-L) K + (neither + 2 r**(N(l-1)+1) + u**(N(l-1)+1) / (1-u)) W(l).

The smaller of the two (with K at least 1) also bounds what is missing from the number of wrong winners and of
iterations with a worse incumbent.
"""

from dataclasses import dataclass

import numpy as np

from winnerstays.problems.chances import MATRIX, PAIRS
from winnerstays.problems.problem import Floats, Problem


@dataclass(frozen=True)
class RunnerUp:
    """The arm s that beats all arms but the best."""

    arm: int
    duels: float  # K
    p: float  # p_s
    pair_p: float  # p2


@dataclass(frozen=True)
class Tail:
    """What the bound needs to know of a problem; `range` is the largest utility lost in a duel."""

    n_arms: int
    p1: float
    others_p: float = 0.5  # q
    range: float = 1.0
    runner_up: RunnerUp | None = None

    @property
    def ratio(self) -> float:
        """Return r = (1-p1)/p1, the factor by which P(wrong winner) shrinks from round to round."""
        return _odds(self.p1)

    def wrong(self, rounds: int, wrong_winner: float) -> float:
        """Return c, such that P(Z(l) != b) <= c r**(l - rounds) for every l >= rounds."""
        return wrong_winner + (1.0 - wrong_winner) * self.ratio ** (self.n_arms * rounds)

    def remainder(
        self, rounds: int, wrong_winner: float, beta: float | None = None, neither: float | None = None
    ) -> float:
        """Bound what the finite totals gain after this many rounds; with `beta`, in exploitation phases of WS-S too.

        `neither` is P(the winner is neither best nor runner-up), if it is known.
        """
        r, c = self.ratio, self.wrong(rounds, wrong_winner)
        best_falls = self._falls(r, rounds)
        left = c * _sum(r, rounds) * self._height + best_falls
        if neither is not None and self.runner_up is not None:
            second = self.runner_up
            r2, u = _odds(second.pair_p), _odds(second.p)
            outside = neither + (1.0 - neither) * r2 ** (self.n_arms * rounds)
            sharp = c * max(1.0, second.duels) / (1.0 - r) + outside * _sum(r2 * r2, rounds) * self._height
            left = min(left, sharp + 2.0 * best_falls + self._falls(u, rounds) / (1.0 - u))
        if beta is not None:
            growth = beta * r
            left += c * beta**rounds * growth / (1.0 - growth) if growth < 1.0 else np.inf
        return float(left * max(1.0, self.range))

    @property
    def _height(self) -> float:
        return self.n_arms * (self.n_arms - 1) / self.others_p

    def _falls(self, ratio: float, rounds: int) -> float:
        """Return the sum over l > rounds of ratio**(N(l-1)+1) W(l)."""
        return ratio ** (self.n_arms * rounds + 1) * _sum(ratio**self.n_arms, rounds) * self._height


def _odds(p: float) -> float:
    return (1.0 - p) / p


def _sum(ratio: float, rounds: int) -> float:
    """Return the sum over l > rounds of ratio**(l-1-rounds) (l - 1/2)."""
    return ratio / (1.0 - ratio) ** 2 + (rounds + 0.5) / (1.0 - ratio)


def tail_of(problem: Problem) -> Tail:
    """Return the tail of a problem with a Condorcet winner."""
    others_p = problem.p
    if problem.chances.kind in (MATRIX, PAIRS):
        others = np.delete(np.delete(problem.preferences, problem.winner, 0), problem.winner, 1)
        pairs = ~np.eye(len(others), dtype=bool)
        others_p = float(np.maximum(others, others.T).min(initial=1.0, where=pairs))
    elif problem.tie is not None:
        others_p = 0.5
    loss = problem.utilities[problem.winner] - problem.utilities
    return Tail(problem.n_arms, problem.p1, others_p, float(loss.max()), _runner_up(problem))


def _runner_up(problem: Problem) -> RunnerUp | None:
    if problem.chances.kind in (MATRIX, PAIRS):
        wins = (problem.preferences > 0.5).sum(axis=1)
    else:
        wins = problem.chances.strength.argsort().argsort()
    second = int(np.argsort(wins)[-2])
    two_best = [problem.winner, second]
    beats: Floats = np.delete(problem.row(second), two_best)
    if (beats <= 0.5).any():
        return None
    p = float(beats.min(initial=1.0))
    pair_p = min(p, float(np.delete(problem.row(problem.winner), two_best).min(initial=1.0)))
    return RunnerUp(second, float((1.0 / (2.0 * beats - 1.0)).sum()), p, pair_p)
