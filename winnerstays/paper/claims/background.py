"""What the abstract, the introduction and sections 2 and 3 say, as far as it takes more than one figure to judge."""

import math
import time

import numpy as np

from winnerstays.algorithms import algorithm
from winnerstays.paper.claims.base import FAILS, HOLDS, PARTLY, Judge, Results, Verdict, yes
from winnerstays.paper.claims.experiments import (
    CYCLIC_B,
    CYCLIC_U,
    SEVEN,
    STRONG,
    WEAK,
    YELP,
    constant_in_time,
    end,
    outperforms,
)
from winnerstays.paper.panels import panels
from winnerstays.paper.published import PRINTED_MSLR
from winnerstays.problems import problem, total_order
from winnerstays.randomness import stream
from winnerstays.simulation import simulate
from winnerstays.simulation.experiment import Experiment, run_batch
from winnerstays.simulation.regret import regret_of_duel

EXPERIMENTS, KINDS = ("cyclic", "mslr", "sushi", "fifty"), ("binary", "utility")
TIMINGS = 5
LATER_KNOWN = ("dts", "rcs")
"""Algorithms that existed (2016, 2014) and are not in the paper."""


def cost_does_not_grow(results: Results) -> Verdict:
    """Compare the best of several timings, taken in turn, in the thread's own time."""
    seconds = dict.fromkeys((16, 10_000), math.inf)
    where = {n_arms: total_order(n_arms, 0.7, dimension=1) for n_arms in seconds}
    for _ in range(TIMINGS):
        for n_arms in seconds:
            start = time.thread_time()
            run_batch(algorithm("ws-w"), Experiment(where[n_arms], 10**6, np.array([10**6]), 0), range(2))
            seconds[n_arms] = min(seconds[n_arms], time.thread_time() - start)
    ratio = seconds[10_000] / seconds[16]
    return yes(ratio < 3, f"2 million duels of 10,000 arms take {ratio:.2f} times as long as of 16 arms")


def three_benchmarks(results: Results) -> Verdict:
    known = panels()
    weak, strong = ({one.name for one in known[name].lines} - {"ws-w", "ws-s"} for name in (WEAK, STRONG[0]))
    return yes(
        len(weak) == len(strong) == 3,
        f"its figures show {len(weak)} for weak and {len(strong)} for strong regret (erratum F5)",
    )


def weak_below_strong(results: Results) -> Verdict:
    found = simulate("sushi", ["ws-s", "rucb"], horizon=2000, runs=20, seed=2017)
    fine = all(
        (found.curve(name, "weak-binary").values <= found.curve(name, "strong-binary").values).all()
        for name in ("ws-s", "rucb")
    )
    return yes(fine, "in each of 40 runs on sushi, at every recorded time")


def questions_asked(n_arms: int, dimension: int) -> int:
    """Count the questions of QSA that rank all arms, where the better arm always wins."""
    where = total_order(n_arms, 1.0, dimension=dimension)
    qsa, rng = algorithm("qsa", repeats=1), stream(2017, 0)
    state = qsa.start(n_arms, rng, features=where.features)
    while state.ranked < n_arms:
        first, second = qsa.choose(state, rng)
        state = qsa.update(state, first, second, bool(where.preferences[first, second] > 0.5), rng)
    return int(state.asked)


def qsa_questions(results: Results) -> Verdict:
    asked = {n: questions_asked(n, 5) for n in (20, 40, 80)}
    cells = ", ".join(f"{count} (N = {n}; d log2 N = {5 * math.log2(n):.0f})" for n, count in asked.items())
    ratio = asked[80] / (5 * math.log2(80))
    slower = asked[80] / asked[20] < 80 * math.log(80) / (20 * math.log(20))
    measured = f"questions to rank all arms, d = 5, no noise: {cells}; N log2 N = {80 * math.log2(80):.0f} for N = 80"
    return Verdict(PARTLY if slower else FAILS, measured, f"holds up to a factor of about {ratio:.1f}")


def symmetric(results: Results) -> Verdict:
    """Add up the printed probabilities of each pair."""
    off = []
    for name in ("sushi", "mslr", "cyclic"):
        matrix = problem(name).preferences.copy()
        if name == "mslr":
            for cell, value in PRINTED_MSLR.items():
                matrix[cell] = value
        for i, j in zip(*np.where(np.triu(abs(matrix + matrix.T - 1) > 1e-9)), strict=True):
            off.append(f"{name} p({i + 1},{j + 1}) + p({j + 1},{i + 1}) = {matrix[i, j] + matrix[j, i]:.3f}")
    measured = f"{'; '.join(off)} (erratum D1); all other pairs of sushi, MSLR and cyclic add up to 1"
    return Verdict(PARTLY if off else HOLDS, measured, f"holds but for {len(off)} pair" if off else "")


def no_regret(results: Results) -> Verdict:
    """Look at the cost of every pair of arms: weak regret is 0 with the best arm, strong regret with it alone."""
    pairs, wrong = 0, []
    for name in EXPERIMENTS:
        where = problem(name)
        for first in range(where.n_arms):
            for second in range(where.n_arms):
                cost, best = regret_of_duel(where, first, second), where.winner
                weak, strong = best in (first, second), first == second == best
                pairs += 1
                if any(
                    (cost[f"weak-{kind}"] == 0) != weak or (cost[f"strong-{kind}"] == 0) != strong for kind in KINDS
                ):
                    wrong.append(f"{name}: {first + 1} and {second + 1}")
    return yes(not wrong, "; ".join(wrong) or f"so it is for all {pairs:,} pairs of arms of {', '.join(EXPERIMENTS)}")


def transitive(results: Results) -> Verdict:
    """Look for arms i > j > k with i not above k, and for such with p_ik below the larger of p_ij and p_jk."""
    rows, weak = [], True
    for name in ("fifty", "sushi", "mslr"):
        p = problem(name).preferences
        n = len(p)
        chains = [(i, j, k) for i in range(n) for j in range(i + 1, n) for k in range(j + 1, n)]
        weak &= all(p[i, k] > 0.5 for i, j, k in chains)
        broken = sum(p[i, k] < max(p[i, j], p[j, k]) - 1e-12 for i, j, k in chains)
        rows.append(f"{name} {broken} of {len(chains):,}")
    measured = (
        "i beats k whenever i beats j and j beats k, in fifty, sushi and mslr. Strong transitivity, "
        f"p_ik >= max(p_ij, p_jk), on which IF rests, does not follow; broken by triples: {', '.join(rows)}"
    )
    return yes(weak, measured)


def smallest_chance(results: Results) -> Verdict:
    rows = [(name, problem(name).p, float(np.delete(problem(name).preferences[0], 0).min())) for name in EXPERIMENTS]
    measured = ", ".join(f"{name} p = {p:g}, smallest p_1i = {own:g}" for name, p, own in rows)
    return yes(all(p <= own for _, p, own in rows), measured)


JUDGES: dict[str, Judge] = {
    "no-regret": no_regret,
    "constant": constant_in_time(WEAK),
    "constant-yelp": constant_in_time(YELP),
    "simple": cost_does_not_grow,
    "existing-weak": outperforms("ws-w", ("rucb", "qsa", "dts"), end, WEAK),
    "existing-strong": outperforms("ws-s", SEVEN, end, *STRONG),
    **{f"existing-{name}": outperforms("ws-s", LATER_KNOWN, end, name) for name in (*STRONG, CYCLIC_U, CYCLIC_B)},
    "three-benchmarks": three_benchmarks,
    "weak-below-strong": weak_below_strong,
    "qsa-questions": qsa_questions,
    "symmetric": symmetric,
    "transitive": transitive,
    "smallest-chance": smallest_chance,
}
