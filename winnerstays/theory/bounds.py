"""The paper's lemmas and theorems as numbers: as printed, and as corrected (docs/paper.md).

N arms, p = min p_ij over p_ij > 1/2, p1 = min p_1i of the best arm 1, r = (1-p)/p, heights E = N(l-1) + k.
Every function says which erratum it follows; winnerstays.theory.bounds_table gathers them for a setting. The
Gambler's Ruin Lemma itself is winnerstays.theory.ruin: exact values rather than bounds (erratum E1).
"""

import math
from functools import cache

from winnerstays.errors import WinnerstaysError
from winnerstays.problems import Problem
from winnerstays.theory.ruin import loss_probability, win_probability
from winnerstays.theory.tail import Tail


def _p(p: float, name: str = "p") -> float:
    if not 0.5 < p <= 1.0:
        raise WinnerstaysError(
            f"{name} is {p}, but the bounds need a winning probability above 0.5 (no ties) and at most 1."
        )
    return p


MAX_ARMS = 10**7


def _arms(n_arms: int) -> int:
    if not 2 <= n_arms <= MAX_ARMS:
        raise WinnerstaysError(f"The number of arms is {n_arms}, but it must be from 2 to {MAX_ARMS:g}.")
    return n_arms


def _horizon(horizon: float) -> float:
    if not (horizon >= 1 and math.isfinite(horizon)):
        raise WinnerstaysError(f"The horizon is {horizon}, but it must be at least 1 duel.")
    return horizon


def largest_beta(p: float) -> float:
    """Return p/(1-p), below which beta must be. Only the best arm's own duels matter: p1 may stand for p (S7)."""
    return p / (1.0 - p) if _p(p) < 1.0 else math.inf


def _beta(beta: float, p: float) -> float:
    if not beta > 1.0:
        raise WinnerstaysError(f"beta is {beta}, but it must be above 1.")
    if beta >= largest_beta(p):
        raise WinnerstaysError(
            f"beta is {beta}, but Theorems 3 and 4 hold only below p/(1-p) = {largest_beta(p):.4g} for p = {p:g}."
        )
    return beta


def iteration_length(n_arms: int, l: int, k: int, p: float, *, worse_incumbent: bool) -> float:
    """Lemma 1: bound the expected duels of iteration k of round l, given the pair (erratum E2: n for E)."""
    height = _arms(n_arms) * (l - 1) + k
    return (height if worse_incumbent else 1.0) / (2.0 * _p(p) - 1.0)


def worse_incumbent_loses(p: float) -> float:
    """Lemma 7: p* = (2p-1)/p, a lower bound on P(a worse incumbent loses its iteration) (erratum E4)."""
    return (2.0 * _p(p) - 1.0) / p


def g_recursive(better: int, unplayed: int, p: float) -> float:
    """Compute g(b, m) by its recursion, in which worse incumbents *lose* with probability p* (erratum E5)."""
    if not 0 <= better <= unplayed:
        raise WinnerstaysError(f"g(b, m) needs 0 <= b <= m, not b = {better} and m = {unplayed}.")
    star = worse_incumbent_loses(p)

    @cache
    def g(b: int, m: int) -> float:
        if b == 0:
            return 0.0
        falls = math.fsum(g(weaker, m - 1) for weaker in range(b))
        keeps = b * (1.0 - star) * g(b - 1, m - 1)
        spared = (m - b) * g(b, m - 1) if m > b else 0.0
        return (b + star * falls + keeps + spared) / m

    for m in range(1, unplayed):  # from small to large, so that the recursion never gets deep
        for b in range(min(better, m) + 1):
            g(b, m)
    return g(better, unplayed)


def g_closed(better: int, p: float) -> float:
    """g(b, m) = sum over k = 1..b of (1 - (1-p*)**k) / (k p*), whatever m; 0 at b = 0 (erratum E5: log 0)."""
    star = worse_incumbent_loses(p)
    return math.fsum(
        -math.expm1(k * math.log1p(-star)) / (k * star) if star < 1.0 else 1.0 / k for k in range(1, better + 1)
    )


def g_bound(better: int, p: float) -> float:
    """g(b, m) <= (log b + 1)/p* for b >= 1; 0 at b = 0 (erratum E5)."""
    return (math.log(better) + 1.0) / worse_incumbent_loses(p) if better else 0.0


def h_exact(problem: Problem, l: int, incumbent: int, unplayed: frozenset[int]) -> float:
    """h(i, n, A), exactly: iterations of round l with a worse incumbent until a better one loses or the round ends.

    Its recursion as corrected (erratum E6): worse incumbents are counted, the challenger leaves A, and the 1 that
    counts has the challenger's probability 1/|A|, as all else has. Lemma "h": at most g(b, |A|) if b of A are better.
    """

    @cache
    def h(i: int, left: frozenset[int]) -> float:
        height = problem.n_arms * l - len(left)
        total = 0.0
        for j in left:
            x = float(problem.preferences[i, j])
            total += win_probability(x, height) * h(i, left - {j})
            if x < 0.5:
                total += 1.0 + loss_probability(x, height) * h(j, left - {j})
        return total / len(left) if left else 0.0

    return h(incumbent, unplayed)


def worse_incumbents_printed(n_arms: int, p: float) -> float:
    """Lemma 2: bound the future iterations with a worse incumbent, total order. True, though a display slips (S5)."""
    return 2.0 * _p(p) ** 2 / (2.0 * p - 1.0) ** 3 * (math.log(_arms(n_arms)) + 1.0)


def worse_incumbents_corrected(n_arms: int, p: float) -> float:
    """Lemma 2 with the k = 0 term of the sum kept (erratum S5): p times the printed bound."""
    return p * worse_incumbents_printed(n_arms, p)


def last_worse_round_printed(l: int, p: float) -> float:
    """Lemma 3 as printed: P(L >= l) <= r**l. False (erratum S1)."""
    return ((1.0 - _p(p)) / p) ** l


def last_worse_round_corrected(l: int, p1: float) -> float:
    """Lemma 3 corrected: P(L >= l) <= ((1-p1)/p1)**(l-1) (erratum S1)."""
    return ((1.0 - _p(p1, "p1")) / p1) ** (l - 1)


def wrong_winner(l: int, p1: float) -> float:
    """Bound P(Z(l) is not the best arm) by ((1-p1)/p1)**l, which is what Lemma 3 is used for."""
    return ((1.0 - _p(p1, "p1")) / p1) ** l


def wrong_winner_sharp(n_arms: int, l: int, p1: float) -> float:
    """Ours: bound the same sharply. With r = (1-p1)/p1, P(Z(l) wrong) <= (1 - r**((N-1)l)) / (r**-l - r**((N-1)l)).

    r**C(t, 1) does not grow in expectation, starts at 1, and is r**-l or r**((N-1)l) at the end of round l. If the best
    arm beats every other one with probability p1 exactly, it is a martingale and this is an equality, whatever the
    other arms do among themselves.
    """
    r = (1.0 - _p(p1, "p1")) / p1
    low = r ** ((_arms(n_arms) - 1) * l)
    return r**l * (1.0 - low) / (1.0 - low * r**l)


def _worse_incumbents(n_arms: int, p: float, power: int) -> float:
    """Bound what worse incumbents cost in a total order: 2p**3 as printed, 2p**4 with Lemma 2 corrected (S5)."""
    gap = 2.0 * _p(p) - 1.0
    return 2.0 * p**power / gap**6 * _arms(n_arms) * (math.log(n_arms) + 1.0)


def theorem_1_printed(n_arms: int, p: float) -> float:
    """Theorem 1: total weak regret of WS-W, total order. True; the text's power 5 is a slip, not this 6 (S2, S6)."""
    return _worse_incumbents(n_arms, p, 3) + n_arms / (2.0 * p - 1.0) ** 2


def theorem_1_corrected(n_arms: int, p: float) -> float:
    """Theorem 1 with the corrected Lemma 2 (erratum S5): 2p**4 for 2p**3."""
    return _worse_incumbents(n_arms, p, 4) + n_arms / (2.0 * p - 1.0) ** 2


def theorem_2_printed(n_arms: int, p: float) -> float:
    """Theorem 2: total weak regret of WS-W with a Condorcet winner. True (S6: a stray R in its proof only)."""
    gap = 2.0 * _p(p) - 1.0
    return _arms(n_arms) / gap**2 + p * n_arms**2 / gap**3


def theorem_2_improved(n_arms: int, p: float, p1: float) -> float:
    """Theorem 2 with p1 wherever the best arm's own walk is meant."""
    gap, gap1 = 2.0 * _p(p) - 1.0, 2.0 * _p(p1, "p1") - 1.0
    return _arms(n_arms) / (gap * gap1) + p1 * n_arms**2 / (gap * gap1**2)


def weak_without_gaps(n_arms: int, p1: float, others_p: float = 0.5) -> float:
    """Ours: bound the total weak regret of WS-W whatever the gaps between the other arms, even ties.

    About N(N-1) p1 / (2 q (2 p1 - 1)**2), where q >= 1/2 is the smallest winning probability of the stronger arm among
    the others (proof in winnerstays.theory.tail).
    """
    return Tail(_arms(n_arms), _p(p1, "p1"), others_p).remainder(0, 1.0)


def rounds_printed(horizon: float, beta: float) -> float:
    """Count rounds of WS-S begun by the horizon as Theorems 3 and 4 do, log_beta(T(beta-1)): too few (erratum S4)."""
    return math.log(_horizon(horizon) * (beta - 1.0)) / math.log(beta)


def rounds_corrected(horizon: float, beta: float) -> float:
    """Bound the rounds of WS-S begun by the horizon by log_beta(T(beta-1) + beta) (erratum S4)."""
    return math.log(_horizon(horizon) * (beta - 1.0) + beta) / math.log(beta)


def least_strong_regret(n_arms: int, horizon: float, beta: float) -> float:
    """Return the strong regret that every run of WS-S has by the horizon, however lucky it is.

    A round explores for N-1 duels at least, each with regret 1, and exploits for floor(beta**l) duels at most. A
    printed bound below this number is false.

    >>> least_strong_regret(4, 3, 1.1), least_strong_regret(4, 5, 1.1), least_strong_regret(50, 10, 1.01)
    (3.0, 4.0, 10.0)
    """
    regret, left, l = 0.0, float(_horizon(horizon)), 0
    while left > 0:
        l += 1
        explored = min(left, _arms(n_arms) - 1)
        regret, left = regret + explored, left - explored - math.floor(beta**l)
    return regret


def most_rounds(n_arms: int, horizon: float, beta: float) -> int:
    """Return how many rounds of WS-S can have begun by the horizon: each explores for N-1 duels at least.

    >>> [most_rounds(4, t, 1.1) for t in (1, 4, 5, 8, 9)]
    [1, 1, 2, 2, 3]
    """
    left, l = _horizon(horizon), 1
    while left > (spent := _arms(n_arms) - 1 + math.floor(beta**l)):
        left, l = left - spent, l + 1
    return l


def theorem_3_printed(n_arms: int, p: float, horizon: float, beta: float) -> float:
    """Theorem 3: strong regret of WS-S, total order, as printed: its logarithm is too small (erratum S4)."""
    return _worse_incumbents(n_arms, p, 3) + n_arms * rounds_printed(horizon, _beta(beta, p)) / (2.0 * p - 1.0)


def theorem_3_corrected(n_arms: int, p: float, horizon: float, beta: float) -> float:
    """Theorem 3 with the right number of rounds (S4) and Lemma 2 as corrected (S5)."""
    return _worse_incumbents(n_arms, p, 4) + n_arms * rounds_corrected(horizon, _beta(beta, p)) / (2.0 * p - 1.0)


def theorem_4_printed(n_arms: int, p: float, horizon: float, beta: float) -> float:
    """Theorem 4: strong regret of WS-S, Condorcet winner, as printed: its exponent 2 should be 3 (S3); see also S4."""
    gap = 2.0 * _p(p) - 1.0
    return _arms(n_arms) ** 2 * p / gap**2 + n_arms * rounds_printed(horizon, _beta(beta, p)) / gap


def theorem_4_corrected(n_arms: int, p: float, horizon: float, beta: float) -> float:
    """Theorem 4 with Theorem 2's exponent (S3) and the right number of rounds (S4)."""
    gap = 2.0 * _p(p) - 1.0
    return _arms(n_arms) ** 2 * p / gap**3 + n_arms * rounds_corrected(horizon, _beta(beta, p)) / gap


def theorem_4_improved(n_arms: int, p: float, p1: float, horizon: float, beta: float) -> float:
    """Theorem 4 corrected, with p1 wherever the best arm's own walk is meant: needs beta < p1/(1-p1) only."""
    return strong_in_rounds(n_arms, p, rounds_corrected(horizon, _beta(beta, p1)), beta, p1=p1)


def strong_in_rounds(
    n_arms: int, p: float, rounds: float, beta: float, *, p1: float | None = None, totally_ordered: bool = False
) -> float:
    """Theorems 3 and 4, corrected, before a horizon is turned into rounds: strong regret of WS-S in this many rounds.

    Theorem 3's start-up for a total order, Theorem 4's otherwise, with p1 where the best arm's own walk is meant.
    """
    p1 = p if p1 is None else p1
    gap, gap1 = 2.0 * _p(p) - 1.0, 2.0 * _p(p1, "p1") - 1.0
    _beta(beta, p1)
    start = p1 * _arms(n_arms) ** 2 / (gap * gap1**2)
    if totally_ordered:
        start = min(start, _worse_incumbents(n_arms, p, 4))
    return start + n_arms * rounds / gap


def in_utility(bound: float, largest_loss: float) -> float:
    """Turn a bound on binary regret into one on utility-based regret: times R = u_1 - u_N (section 4.4)."""
    if not largest_loss >= 0:
        raise WinnerstaysError(f"The range of utilities is {largest_loss}, but it must be at least 0.")
    return bound * largest_loss
