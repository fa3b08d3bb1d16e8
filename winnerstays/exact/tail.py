"""How much regret can lie beyond the rounds that were computed: a proved bound.

Let b be the best arm, r = (1-p1)/p1 with p1 = min p_bi, and e_L = P(Z(L) != b), which is known exactly.

1. r**C(t, b) never grows in expectation: b wins each of its duels with probability at least p1. At the end of round L,
   C(b) is (N-1)L if Z(L) = b and -L otherwise, so for l >= L
       P(Z(l) != b) <= c r**(l-L)   with   c = e_L + (1 - e_L) r**(N L).
   If b is incumbent when round l starts, it stands N(l-1) + 1 above ruin and loses in that round with probability at
   most r**(N(l-1)+1).
2. An iteration between two other arms at height E takes at most E/q duels in expectation, whoever is the incumbent,
   where q >= 1/2 is the smallest winning probability of the stronger arm among such pairs. For an incumbent that wins
   with x < 1/2 and o = x/(1-x), the claim length <= E/(1-x) comes down to E o**E <= 1 + o + ... + o**(E-1);
   for x >= 1/2, length <= E. No gap between other arms enters, and ties among them do no harm.
3. Weak regret in round l needs a wrong incumbent at its start or a fall of b in it, and the heights of a round add up
   to N(N-1)(l - 1/2). Hence the weak regret after round L is at most
       sum over l > L of (c r**(l-1-L) + r**(N(l-1)+1)) N(N-1)(l - 1/2) / q.

The same number bounds what is missing from the number of wrong winners and of iterations with a worse incumbent.
"""

from dataclasses import dataclass

import numpy as np

from winnerstays.problems.problem import MATRIX, Problem


@dataclass(frozen=True)
class Tail:
    """The bound for one problem; `range` is the largest utility lost in a duel."""

    n_arms: int
    p1: float
    others_p: float = 0.5  # q
    range: float = 1.0

    @property
    def ratio(self) -> float:
        """r = (1-p1)/p1, the factor by which P(wrong winner) shrinks from round to round."""
        return (1.0 - self.p1) / self.p1

    def wrong(self, rounds: int, wrong_winner: float) -> float:
        """c: P(Z(l) != b) <= c r**(l - rounds) for every l >= rounds."""
        return wrong_winner + (1.0 - wrong_winner) * self.ratio ** (self.n_arms * rounds)

    def after(self, rounds: int, wrong_winner: float, beta: float | None = None) -> float:
        """What no finite total can gain after that many rounds; with `beta` also in the exploitation phases of WS-S."""
        n_arms, r = self.n_arms, self.ratio
        c = self.wrong(rounds, wrong_winner)
        heights = c * _sum(r, rounds) + r ** (n_arms * rounds + 1) * _sum(r**n_arms, rounds)
        left = heights * n_arms * (n_arms - 1) / self.others_p
        if beta is not None:
            growth = beta * r
            left += c * beta**rounds * growth / (1.0 - growth) if growth < 1.0 else np.inf
        return float(left * max(1.0, self.range))

    def total(self) -> float:
        """A bound on all weak regret, before anything is computed."""
        return self.after(0, 1.0)


def _sum(ratio: float, rounds: int) -> float:
    """Sum over s >= 0 of ratio**s (s + rounds + 1/2)."""
    return ratio / (1.0 - ratio) ** 2 + (rounds + 0.5) / (1.0 - ratio)


def tail_of(problem: Problem) -> Tail:
    """The bound for a problem with a Condorcet winner."""
    others_p = problem.p
    if problem.chances.kind == MATRIX:
        others = np.delete(np.delete(problem.preferences, problem.winner, 0), problem.winner, 1)
        pairs = ~np.eye(len(others), dtype=bool)
        others_p = float(np.maximum(others, others.T).min(initial=1.0, where=pairs))
    elif np.unique(problem.chances.strength).size < problem.n_arms:
        others_p = 0.5
    loss = problem.utilities[problem.winner] - problem.utilities
    return Tail(problem.n_arms, problem.p1, others_p, float(loss.max()))
