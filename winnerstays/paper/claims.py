"""What the paper says, what was measured, and a verdict computed from the two.

A difference counts if it is larger than 3 combined standard errors; anything smaller is not decided.
"""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from winnerstays.algorithms import algorithm
from winnerstays.paper.panels import Result
from winnerstays.problems import Problem, problem, total_order
from winnerstays.progress import Progress
from winnerstays.simulation import Curve
from winnerstays.simulation.experiment import Experiment, run_batch
from winnerstays.theory import bounds, subsets
from winnerstays.theory.expected import expected_regret

CLEAR = 3.0
TIMINGS = 5
HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be decided"
Results = dict[str, Result]


@dataclass(frozen=True)
class Verdict:
    """`verdict` is HOLDS, FAILS, OPEN, or "holds only ..."."""

    verdict: str
    measured: str


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper in our words, its place, and how it is judged. `panels` are those it needs."""

    place: str
    says: str
    judge: Callable[[Results], Verdict]
    panels: tuple[str, ...] = ()


def show(value: float, error: float = 0.0) -> str:
    return f"{value:,.4g}" + (f" ± {error:,.2g}" if error else "")


def at(curve: Curve, t: int) -> tuple[float, float]:
    """Return mean and standard error at the recorded time nearest to t."""
    k = int(abs(curve.t - t).argmin())
    return float(curve.mean[k]), float(curve.sem[k])


def compare(mine: Curve, other: Curve, t: int) -> int:
    """Return 1 if mine is clearly lower at t, -1 if clearly higher, 0 if that cannot be told."""
    (low, low_error), (high, high_error) = at(mine, t), at(other, t)
    away = high - low
    return 0 if abs(away) <= CLEAR * math.hypot(low_error, high_error) else 1 if away > 0 else -1


def decades(result: Result, first: int) -> list[int]:
    return [t for t in (10**k for k in range(1, 10)) if first <= t < result.horizon] + [result.horizon]


def outperforms(
    mine: str, others: Iterable[str], times: Callable[[Result], list[int]], *names: str
) -> Callable[[Results], Verdict]:
    """Judge `mine has lower regret than all others at all these times` over one or more panels."""

    def judge(results: Results) -> Verdict:
        won, lost, unclear = [], [], []
        for name in names:
            result = results[name]
            for t in times(result):
                signs = {other: compare(result.curve(mine), result.curve(other), t) for other in others}
                where = f"{name} t={t:,}"
                better = [other for other, sign in signs.items() if sign < 0]
                if better:
                    lost.append(f"{where} (lower: {', '.join(better)})")
                elif all(sign > 0 for sign in signs.values()):
                    won.append(where)
                else:
                    unclear.append(f"{where} (too close: {', '.join(o for o, sign in signs.items() if sign == 0)})")
        measured = "; ".join(
            f"{word} at {', '.join(places)}"
            for word, places in (("lowest", won), ("not lowest", lost), ("undecided", unclear))
            if places
        )
        if not lost:
            return Verdict(HOLDS if not unclear else OPEN, measured)
        return Verdict(f"holds only at {', '.join(won)}" if won else FAILS, measured)

    return judge


def end(result: Result) -> list[int]:
    return [result.horizon]


def reached(judge: Callable[[Results], Verdict], *names: str, horizon: int = 10**6) -> Callable[[Results], Verdict]:
    """Judge in the same way, but leave undecided what was not run up to the paper's horizon."""

    def judged(results: Results) -> Verdict:
        short = [name for name in names if results[name].horizon < horizon]
        if short:
            return Verdict(OPEN, f"{', '.join(short)} was run to t={results[short[0]].horizon:,} only")
        return judge(results)

    return judged


def exact_weak(where: Problem | str, rule: str = "literal") -> float:
    """Return WS-W's expected binary weak regret over infinite time."""
    total = expected_regret(where, rule=rule, tolerance=1e-3).total.weak_binary
    return math.inf if total is None else total


SEVEN = ("rmed1", "rmed2", "rucb", "sparring", "multisbm", "if2", "btm")
STRONG = ("sushi-utility", "sushi-binary", "mslr-utility", "mslr-binary")


def constant_in_time(results: Results) -> Verdict:
    curve = results["fifty-weak"].curve("ws-w")
    (half, _), (whole, error) = at(curve, curve.t[-1] // 2), at(curve, curve.t[-1])
    growth = (whole - half) / whole
    exact = f"exact expectation over infinite time (random first challenger) {show(exact_weak('fifty', 'random'))}"
    measured = f"{show(whole, error)} at t=4,000, {growth:.2%} of it after t=2,000; {exact}"
    return Verdict(HOLDS if growth < 0.01 else FAILS, measured)


def found_after_500(name: str, label: str) -> Callable[[Results], Verdict]:
    def judge(results: Results) -> Verdict:
        curve = results[name].curve(label)
        (early, _), (whole, error) = at(curve, 500), at(curve, curve.t[-1])
        share = 1 - early / whole if whole else 0.0
        return Verdict(
            HOLDS if share < 0.1 else FAILS, f"{share:.1%} of its regret of {show(whole, error)} falls after t=500"
        )

    return judge


def rucb_is_linear(results: Results) -> Verdict:
    curve = results["fifty-weak"].curve("rucb")
    (half, _), (whole, error) = at(curve, curve.t[-1] // 2), at(curve, curve.t[-1])
    return Verdict(
        HOLDS if 1.9 < whole / half < 2.1 else FAILS,
        f"{show(half)} at t=2,000, {show(whole, error)} at t=4,000: x {whole / half:.2f}",
    )


def close_before(name: str, t: int) -> Callable[[Results], Verdict]:
    def judge(results: Results) -> Verdict:
        result = results[name]
        means = [at(result.curve(label), t)[0] for label in ("ws-s", *SEVEN)]
        ratio = max(means) / min(means)
        return Verdict(HOLDS if ratio < 1.5 else FAILS, f"at t={t} the largest is {ratio:.2f} times the smallest")

    return judge


def weak_theorem(printed: Callable[[int, float], float], *names: str) -> Callable[[Results], Verdict]:
    """Judge a bound by exact values; of more arms than subsets can be summed over, with the random rule."""

    def judge(results: Results) -> Verdict:
        rows = []
        for one in map(problem, names):
            total = exact_weak(one, "literal" if one.n_arms <= subsets.MAX_ARMS else "random")
            rows.append((one.name, total, printed(one.n_arms, one.p)))
        measured = "; ".join(f"{name}: exact {show(total)}, bound {show(bound)}" for name, total, bound in rows)
        return Verdict(HOLDS if all(total <= bound for _, total, bound in rows) else FAILS, measured)

    return judge


def grows_as_n_log_n(results: Results) -> Verdict:
    sizes = (5, 10, 20, 40, 80)
    totals = [exact_weak(total_order(n, 0.8), "random") for n in sizes]
    ratios = [total / (n * math.log(n)) for n, total in zip(sizes, totals, strict=True)]
    measured = "exact total / (N log N), p = 0.8: " + ", ".join(
        f"{r:.3f} (N={n})" for n, r in zip(sizes, ratios, strict=True)
    )
    return Verdict(HOLDS if ratios[-1] <= 1.05 * max(ratios[:-1]) else FAILS, measured)


def strong_theorem(printed: Callable[[int, float, float, float], float], name: str) -> Callable[[Results], Verdict]:
    def judge(results: Results) -> Verdict:
        one, beta = problem(name), 1.1
        if beta >= bounds.largest_beta(one.p):
            return Verdict(
                OPEN, f"beta = 1.1 is outside the theorem on {name}: it must be below {bounds.largest_beta(one.p):.4g}"
            )
        curve = results[f"{name}-binary"].curve("ws-s")
        over = [int(t) for t in curve.t if at(curve, int(t))[0] > printed(one.n_arms, one.p, float(t), beta)]
        (mean, error), bound = at(curve, int(curve.t[-1])), printed(one.n_arms, one.p, float(curve.t[-1]), beta)
        measured = f"{show(mean, error)} at t={curve.t[-1]:,}, bound {show(bound)}" + (
            f"; above it up to t={over[-1]:,}" if over else ""
        )
        return Verdict(HOLDS if not over else FAILS, measured)

    return judge


def beta_within_theory(results: Results) -> Verdict:
    limits = {name: bounds.largest_beta(problem(name).p) for name in ("sushi", "mslr")}
    measured = "; ".join(f"{name}: p = {problem(name).p:.3f}, so beta < {limit:.4g}" for name, limit in limits.items())
    return Verdict(HOLDS if all(limit > 1.1 for limit in limits.values()) else FAILS, measured)


def sensitivity(betas: tuple[float, ...], better: bool) -> Callable[[Results], Verdict]:
    def judge(results: Results) -> Verdict:
        result = results["beta-sensitivity"]
        cells, signs = [], []
        for beta in betas:
            curve = result.curve(f"ws-s beta={beta}")
            for other in ("rmed1", "rucb"):
                sign = compare(curve, result.curve(other), result.horizon)
                signs.append(sign if better else -sign)
            cells.append(f"beta {beta}: {show(*at(curve, result.horizon))}")
        cells += [f"{other}: {show(*at(result.curve(other), result.horizon))}" for other in ("rmed1", "rucb")]
        verdict = HOLDS if all(sign > 0 for sign in signs) else FAILS if any(sign < 0 for sign in signs) else OPEN
        return Verdict(verdict, "; ".join(cells))

    return judge


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
    return Verdict(
        HOLDS if ratio < 3 else FAILS, f"2 million duels of 10,000 arms take {ratio:.2f} times as long as of 16 arms"
    )


def lemma_3(results: Results) -> Verdict:
    """Compare with P(a wrong arm wins round 1), after which the best arm meets a worse incumbent: L >= 2."""
    one = total_order(50, 0.8)
    wrong = expected_regret(one, rule="random", rounds=1).rounds[0].wrong_winner
    printed = bounds.last_worse_round_printed(2, one.p)
    measured = (
        f"50 arms, p = 0.8: P(wrong winner of round 1), so that L >= 2, is {show(wrong)}; printed {show(printed)}"
    )
    return Verdict(HOLDS if wrong <= printed else FAILS, measured)


WEAK, YELP = "fifty-weak", "yelp-weak"
CYCLIC_U, CYCLIC_B, BETA = "cyclic-utility", "cyclic-binary", "beta-sensitivity"


def from_hundred(result: Result) -> list[int]:
    return decades(result, 100)


CLAIMS = (
    Claim(
        "Abstract; Theorem 1", "With a total order, WS-W's weak regret is at most Theorem 1's bound.",
        weak_theorem(bounds.theorem_1_printed, "sushi", "mslr", "fifty"),
    ),
    Claim("Abstract", "With a total order it grows as O(N log N).", grows_as_n_log_n),
    Claim(
        "Abstract; Theorem 2", "With a Condorcet winner it is at most the bound of Theorem 2.",
        weak_theorem(bounds.theorem_2_printed, "cyclic", "three-types:per_type=3,p=0.7"),
    ),
    Claim("Abstract; 5.1.1", "WS-W's weak regret is constant in time.", constant_in_time, (WEAK,)),
    Claim("Abstract", "WS is simple to compute, even for many arms.", cost_does_not_grow),
    Claim(
        "Abstract; 5; conclusion", "WS-W has significantly smaller weak regret than RUCB and QSA on simulated data.",
        outperforms("ws-w", ("rucb", "qsa"), end, WEAK), (WEAK,),
    ),
    Claim(
        "Abstract; 5; conclusion", "WS-S has smaller strong regret than all seven benchmarks (at the horizon).",
        reached(outperforms("ws-s", SEVEN, end, *STRONG), *STRONG), STRONG,
    ),
    Claim("Lemma 3", "P(the last round with a worse incumbent is l or later) is at most ((1-p)/p)^l.", lemma_3),
    Claim(
        "Theorem 3", "WS-S's strong regret with a total order is at most the printed bound (MSLR).",
        strong_theorem(bounds.theorem_3_printed, "mslr"), ("mslr-binary",),
    ),
    Claim(
        "Theorem 4", "WS-S's strong regret with a Condorcet winner is at most the printed bound (cyclic).",
        strong_theorem(bounds.theorem_4_printed, "cyclic"), (CYCLIC_B,),
    ),
    Claim("4.3; 5.2", "beta = 1.1 satisfies the theory's condition in the experiments.", beta_within_theory),
    Claim("5.1.1", "RUCB's weak regret is about linear up to t=4,000.", rucb_is_linear, (WEAK,)),
    Claim("5.1.1", "WS-W finds the best arm after about 500 comparisons.", found_after_500(WEAK, "ws-w"), (WEAK,)),
    Claim(
        "5.1.2, Figure 2", "WS-W outperforms RUCB and QSA on Yelp.",
        outperforms("ws-w", ("rucb", "qsa"), end, YELP), (YELP,),
    ),
    Claim("5.1.2", "WS-W finds the best one after about 500 comparisons.", found_after_500(YELP, "ws-w"), (YELP,)),
    Claim(
        "Figure 3", "Up to t=10 all algorithms are close in utility-based regret.",
        close_before("sushi-utility", 10), ("sushi-utility",),
    ),
    Claim(
        "Figure 3", "Up to t=100 all algorithms are close in binary regret.",
        close_before("sushi-binary", 100), ("sushi-binary",),
    ),
    Claim(
        "Figure 3; 5.2", "WS-S outperforms all seven benchmarks in all settings (at every decade of the pictures).",
        reached(outperforms("ws-s", SEVEN, from_hundred, *STRONG), *STRONG), STRONG,
    ),
    Claim(
        "Supplement, cyclic", "WS-S outperforms all seven benchmarks at all times in binary regret.",
        reached(outperforms("ws-s", SEVEN, from_hundred, CYCLIC_B), CYCLIC_B), (CYCLIC_B,),
    ),
    Claim(
        "Supplement, cyclic", "WS-S outperforms them at all times but t=100 in utility-based regret.",
        reached(outperforms("ws-s", SEVEN, lambda result: decades(result, 1000), CYCLIC_U), CYCLIC_U), (CYCLIC_U,),
    ),
    Claim(
        "Supplement, sensitivity", "With beta 1.05, 1.1 and 1.2 WS-S outperforms RMED1 and RUCB.",
        reached(sensitivity((1.05, 1.1, 1.2), better=True), BETA), (BETA,),
    ),
    Claim(
        "Supplement, sensitivity", "With beta 1.01 and 1.5 WS-S does worse than RMED1 and RUCB.",
        reached(sensitivity((1.01, 1.5), better=False), BETA), (BETA,),
    ),
)  # fmt: skip


def judge(results: Results, progress: Progress = lambda stage, fraction: None) -> list[tuple[Claim, Verdict]]:
    """Judge every claim whose panels were run. Generated data decide nothing about the real ones."""
    judged = []
    for number, claim in enumerate(CLAIMS):
        progress("claims", number / len(CLAIMS))
        if all(name in results for name in claim.panels):
            found = claim.judge(results)
            if any(results[name].generated for name in claim.panels):
                found = Verdict(OPEN, f"on generated data it {found.verdict} ({found.measured})")
            judged.append((claim, found))
    return judged
