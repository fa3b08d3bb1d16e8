"""Lemmas 1 to 5 of section 4.2, each beside the exact value of what it bounds."""

import math
from collections.abc import Callable
from itertools import islice

from winnerstays.paper.claims.base import Judge, Results, Verdict, show, yes
from winnerstays.problems import Problem, problem
from winnerstays.theory import bounds
from winnerstays.theory.expected import expected_regret
from winnerstays.theory.lemma_values import WeakTerms, most_worse_incumbents, weak_terms
from winnerstays.theory.ruin import expected_length

ORDERED = ("total-order:n_arms=3,p=0.7", "total-order:n_arms=4,p=0.99", "total-order:n_arms=5,p=0.6", "mslr")
CONDORCET = ("cyclic", "three-types:per_type=2,p=0.7", "mslr", "total-order:n_arms=6,p=0.8")
ROUNDS = 40
HEIGHTS, CHANCES = (1, 2, 3, 5, 10, 50, 500), (0.501, 0.51, 0.55, 0.6, 0.8, 0.99)


def lemma_1(worse: bool) -> Judge:
    def judge(results: Results) -> Verdict:
        cases = [(x, height) for x in CHANCES for height in HEIGHTS]
        ratios = [
            expected_length(1 - x if worse else x, height) * (2 * x - 1) / (height if worse else 1)
            for x, height in cases
        ]
        return yes(max(ratios) <= 1 + 1e-9, f"exact length / bound is at most {max(ratios):.4f} in {len(cases)} cases")

    return judge


def worse_lasts_longer(results: Results) -> Verdict:
    ratios = {
        height: [
            expected_length(1 - worse, height) / expected_length(better, height)
            for worse in CHANCES
            for better in CHANCES
        ]
        for height in HEIGHTS
    }
    smallest = min(min(ratios[height]) for height in HEIGHTS if height > 1)
    measured = (
        "length with a worse incumbent / length with a better one, whichever arms they are, at N(l-1)+k = "
        f"{', '.join(map(str, HEIGHTS[1:]))}: {smallest:.4f} to {show(max(map(max, ratios.values())))}; both "
        "are 1 duel at N(l-1)+k = 1"
    )
    return yes(smallest >= 1 and max(ratios[1]) < 1 + 1e-9, measured)


def lemma_2(results: Results) -> Verdict:
    rows, fine = [], True
    for name in ORDERED:
        where = problem(name)
        most, bound = most_worse_incumbents(where, ROUNDS), bounds.worse_incumbents_printed(where.n_arms, where.p)
        fine &= most <= bound
        rows.append(f"{name}: at most {show(most)} from any state, bound {show(bound)}")
    return yes(fine, "; ".join(rows))


def finitely_many(results: Results) -> Verdict:
    totals = [(name, expected_regret(name).total.worse_incumbents) for name in ORDERED]
    measured = "expected number in all: " + ", ".join(f"{name} {show(total)}" for name, total in totals)
    return yes(all(math.isfinite(total) for _, total in totals), measured)


def lemma_3(results: Results) -> Verdict:
    """Compare with P(a wrong arm wins round 1), after which the best arm meets a worse incumbent: L >= 2."""
    where = problem("fifty")
    wrong = expected_regret(where, rule="random", rounds=1).rounds[0].wrong_winner
    printed = bounds.last_worse_round_printed(2, where.p)
    measured = (
        f"50 arms, p = 0.8: P(wrong winner of round 1), so that L >= 2, is {show(wrong)}; printed {show(printed)}; "
        f"with l-1 for l it holds: {show(bounds.last_worse_round_corrected(2, where.p))} (erratum S1)"
    )
    return yes(wrong <= printed, measured)


def wrong_winner(results: Results) -> Verdict:
    rows, fine = [], True
    for name in ("cyclic", "mslr", "total-order:n_arms=6,p=0.8"):
        where = problem(name)
        rounds = expected_regret(where, rounds=ROUNDS, tolerance=1e3).rounds
        ratios = [one.wrong_winner / bounds.wrong_winner(one.round, where.p) for one in rounds]
        fine &= max(ratios) <= 1 + 1e-9
        rows.append(f"{name}: exact / bound at most {max(ratios):.4f} in {ROUNDS} rounds")
    return yes(fine, "; ".join(rows))


Bound = Callable[[int, float, float, int], float]


def weak_term(field: str, bound: Bound, *names: str) -> Judge:
    """Judge an inequality of Lemma 4 or 5; the bound is one of (N, p, r = (1-p)/p, l)."""

    def judge(results: Results) -> Verdict:
        rows, fine = [], True
        for name in names:
            where: Problem = problem(name)
            ratio = (1 - where.p) / where.p
            terms: list[WeakTerms] = list(islice(weak_terms(where), ROUNDS))
            most = max(getattr(one, field) / bound(where.n_arms, where.p, ratio, one.round) for one in terms)
            fine &= most <= 1 + 1e-9
            rows.append(f"{name} {most:.2g}")
        return yes(fine, f"largest exact value / bound in {ROUNDS} rounds: " + ", ".join(rows))

    return judge


def order_term(n: int, p: float, r: float, l: int) -> float:
    return 2 * n * l * p**2 / (2 * p - 1) ** 4 * (math.log(n) + 1)


def condorcet_term(n: int, p: float, r: float, l: int) -> float:
    return n**2 * l / (2 * p - 1)


JUDGES: dict[str, Judge] = {
    "lemma-1-worse": lemma_1(worse=True),
    "lemma-1-better": lemma_1(worse=False),
    "lemma-1-shows": worse_lasts_longer,
    "lemma-2": lemma_2,
    "lemma-2-implies": finitely_many,
    "lemma-3": lemma_3,
    "lemma-4-first": weak_term("wrong_better", lambda n, p, r, l: r ** (l - 1) / (2 * p - 1), *CONDORCET),
    "lemma-4-second": weak_term("fallen_better", lambda n, p, r, l: r**l / (2 * p - 1), *CONDORCET),
    "lemma-5-first": weak_term("wrong_worse", lambda n, p, r, l: r ** (l - 1) * order_term(n, p, r, l), *ORDERED),
    "lemma-5-second": weak_term("fallen_worse", lambda n, p, r, l: r**l * order_term(n, p, r, l), *ORDERED),
    "wrong-winner": wrong_winner,
}
