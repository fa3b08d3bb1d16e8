"""Exact rounds of many arms in a total order with one p, by recursion over relative ranks.

If the better of two arms wins with the same p whichever they are, and challengers come in random order, only ranks
among the arms played so far matter. Fix the rank z of the arm that starts the round as incumbent. After h arms better
and s arms worse than it have played (k = h + s + 1 in all), the state is the incumbent's rank among them. The next
challenger is better than the starter with probability (z-1-h)/(N-k), and then falls with equal chance into each of the
h+1 gaps above the starter; otherwise into each of the s+1 gaps below. Which h of the z-1 better arms have played is
independent of their order, so the best arm is among them with probability h/(z-1).

All gaps that a challenger can fall into are summed at once with running totals: O(N^4 / 12) steps a round.
"""

from collections.abc import Iterator

import numpy as np
from joblib import Parallel, cpu_count, delayed

from winnerstays.compiling import summing
from winnerstays.errors import WinnerstaysError
from winnerstays.problems.chances import ORDER
from winnerstays.problems.problem import Floats, Problem
from winnerstays.theory.rounds import Round
from winnerstays.theory.ruin import expected_length, loss_probability, win_probability

MAX_ARMS = 250
THREADS_FROM = 30


def is_symmetric(problem: Problem) -> bool:
    """Tell whether the arms are totally ordered with one p, and the utilities are the paper's."""
    if problem.best_arm is None or problem.has_own_utilities or not problem.totally_ordered:
        return False
    if problem.chances.kind == ORDER:
        return True
    stronger = problem.preferences[problem.preferences > 0.5]
    return bool(np.ptp(stronger) < 1e-12)


def fits(problem: Problem) -> bool:
    """Tell whether the rounds of a problem can be computed here."""
    return problem.n_arms <= MAX_ARMS and is_symmetric(problem)


def rounds(problem: Problem) -> Iterator[Round]:
    """Yield the rounds of WS-W with a random first challenger, without end."""
    n_arms, p = problem.n_arms, problem.p
    if not is_symmetric(problem):
        raise WinnerstaysError(
            f"{problem.name}: the relative-rank method needs totally ordered arms with one p and default utilities; "
            "use the subset recursion (up to 20 arms) or the estimate."
        )
    if n_arms > MAX_ARMS:
        raise WinnerstaysError(
            f"{problem.name} has {n_arms} arms, but the relative-rank recursion goes up to {MAX_ARMS}: for {n_arms} it "
            f"would take N^4/12 = {steps(n_arms):.1e} steps a round and {16 * n_arms**2 / 1e6:.1f} MB of memory for "
            "each thread. Use --estimate (method='estimate'), which draws iteration winners and gives error bars."
        )
    loss = 2.0 * p - 1.0
    ranks = np.full(n_arms, 1.0 / n_arms)  # of the arm that starts the round
    l = 0
    while True:
        l += 1
        ranks, meets = _round(ranks, p, l)
        k = np.arange(1, n_arms)
        better, worse = (
            np.array([expected_length(x, n_arms * (l - 1) + iteration) for iteration in k.tolist()]) for x in (p, 1 - p)
        )
        duels = float(better @ meets[0, 1:] + worse @ meets[1, 1:])
        with_best = float(better @ meets[2, 1:] + worse @ meets[3, 1:])
        wrong = float(ranks[1:].sum())
        yield Round(
            round=l,
            duels=duels,
            weak_binary=duels - with_best,
            weak_utility=loss * (duels - with_best),
            strong_binary=duels,
            strong_utility=loss * (duels - with_best / 2.0),
            wrong_winner=wrong,
            worse_incumbents=float(meets[1, 2 if l == 1 else 1 :].sum()),
            winner_loss=loss * wrong,
            neither=float(ranks[2:].sum()),
        )


def steps(n_arms: int) -> float:
    """Return the number of states in a round."""
    return n_arms**4 / 12.0


def _round(ranks: Floats, p: float, l: int) -> tuple[Floats, Floats]:
    """Return the distribution of the winner's rank, and P(better incumbent), P(worse) by iteration: all, and with b."""
    n_arms = ranks.size
    heights = [n_arms * (l - 1) + k for k in range(1, n_arms)]
    stay, fall = (
        np.array([[0.0] + [chance(x, height) for height in heights] for x in (p, 1 - p)])
        for chance in (win_probability, loss_probability)
    )

    def share(first: int, step: int) -> tuple[Floats, Floats]:
        winners, meets, layers = np.zeros(n_arms), np.zeros((4, n_arms)), np.zeros((2, n_arms + 1, n_arms + 2))
        for z in range(first, n_arms + 1, step):
            if ranks[z - 1] > 0.0:
                starter(z, ranks[z - 1], stay, fall, layers, winners, meets)
        return winners, meets

    threads = min(4, cpu_count()) if n_arms >= THREADS_FROM else 1
    parts = Parallel(n_jobs=threads, backend="threading")(delayed(share)(1 + part, 4) for part in range(4))
    return sum(part[0] for part in parts), sum(part[1] for part in parts)


@summing
def starter(z: int, weight: float, stay: Floats, fall: Floats, layers: Floats, winners: Floats, meets: Floats) -> None:
    """Add one round started by the arm of rank z to winners[rank - 1] and to meets[kind, k].

    layers[k % 2, h, rho] is P(h better arms have played, the incumbent has rank rho among the k played).
    """
    n_arms = winners.size
    above, below = z - 1, n_arms - z
    layers[1, 0, 1] = weight
    for k in range(1, n_arms):
        now, later = layers[k % 2], layers[(k + 1) % 2]
        better_stays, worse_stays = stay[0, k], stay[1, k]
        better_falls, worse_falls = fall[0, k], fall[1, k]
        least, most = max(0, k - 1 - below), min(above, k - 1)
        for h in range(max(0, k - below), min(above, k) + 1):
            for rho in range(1, k + 2):
                later[h, rho] = 0.0
        all_better, all_worse = 0.0, 0.0
        for h in range(least, most + 1):
            s = k - 1 - h
            total = 0.0
            for rho in range(1, k + 1):
                total += now[h, rho]
            to_above = (above - h) / (n_arms - k) / (h + 1)
            to_below = (below - s) / (n_arms - k) / (s + 1)
            if to_above > 0.0:
                before = 0.0
                for rho in range(1, k + 1):
                    here = now[h, rho] * to_above
                    if rho <= h + 1:
                        later[h + 1, rho] += worse_falls * (total * to_above - before) + better_falls * before
                    gaps = min(rho, h + 1)
                    all_worse += here * gaps
                    all_better += here * (h + 1 - gaps)
                    later[h + 1, rho + 1] += here * gaps * worse_stays
                    later[h + 1, rho] += here * (h + 1 - gaps) * better_stays
                    before += here
            if to_below > 0.0:
                before = 0.0
                for rho in range(1, k + 2):
                    if rho >= h + 2:
                        later[h, rho] += worse_falls * (total * to_below - before) + better_falls * before
                    here = now[h, rho] * to_below if rho <= k else 0.0
                    gaps = max(0, rho - h - 1)
                    all_worse += here * gaps
                    all_better += here * (s + 1 - gaps)
                    later[h, rho + 1] += here * gaps * worse_stays
                    later[h, rho] += here * (s + 1 - gaps) * better_stays
                    before += here
            meets[2, k] += now[h, 1] * (h / above if above > 0 else 1.0)
            if above > 0:
                meets[3, k] += total * (above - h) / (n_arms - k) / above
        meets[0, k] += all_better
        meets[1, k] += all_worse
    for rank in range(1, n_arms + 1):
        winners[rank - 1] += layers[n_arms % 2, above, rank]
