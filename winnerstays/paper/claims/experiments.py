"""Section 5 and the supplement's experiments: judged by the panels, which rerun every figure."""

import math
from collections.abc import Callable, Iterable
from statistics import NormalDist

import numpy as np

from winnerstays.paper.claims.base import (
    FAILS,
    HOLDS,
    OPEN,
    PARTLY,
    Judge,
    Results,
    Verdict,
    at,
    compare,
    show,
    yes,
)
from winnerstays.paper.claims.theorems import exact_weak
from winnerstays.paper.panels import Result
from winnerstays.problems import problem
from winnerstays.simulation import Curve, simulate

SEVEN = ("rmed1", "rmed2", "rucb", "sparring", "multisbm", "if2", "btm")
STRONG = ("sushi-utility", "sushi-binary", "mslr-utility", "mslr-binary")
WEAK, YELP = "fifty-weak", "yelp-weak"
CYCLIC_U, CYCLIC_B, BETA = "cyclic-utility", "cyclic-binary", "beta-sensitivity"
LONGEST = 60_000
"""Duels after which no more is looked for an end of linear regret."""


def decades(result: Result, first: int) -> list[int]:
    return [t for t in (10**k for k in range(1, 10)) if first <= t < result.horizon] + [result.horizon]


def end(result: Result) -> list[int]:
    return [result.horizon]


def since(first: int) -> Callable[[Result], list[int]]:
    return lambda result: decades(result, first)


def outperforms(mine: str, others: Iterable[str], times: Callable[[Result], list[int]], *names: str) -> Judge:
    """Judge `mine has lower regret than all others at all these times` over one or more panels."""
    rivals = tuple(others)

    def judge(results: Results) -> Verdict:
        won, lost, unclear = [], [], []
        for name in names:
            result = results[name]
            for t in times(result):
                signs = {other: compare(result.curve(mine), result.curve(other), t) for other in rivals}
                where = f"t={t:,}" if len(names) == 1 else f"{name} t={t:,}"
                ours, better = show(*at(result.curve(mine), t)), [other for other in rivals if signs[other] < 0]
                near = min(rivals, key=lambda other: at(result.curve(other), t)[0])
                beside = f"{ours}, {near} {show(*at(result.curve(near), t))}"
                if better:
                    lost.append(f"{where} ({beside})")
                elif all(sign > 0 for sign in signs.values()):
                    won.append(f"{where} ({beside})" if len(names) > 1 or t == result.horizon else where)
                else:
                    unclear.append(f"{where} ({beside})")
        measured = "; ".join(
            f"{word} at {', '.join(places)}"
            for word, places in (("lowest", won), ("not lowest", lost), ("too close to tell", unclear))
            if places
        )
        if not lost:
            return Verdict(HOLDS if not unclear else OPEN, measured)
        count = len(won) + len(lost) + len(unclear)
        return Verdict(PARTLY, measured, f"holds at {len(won)} of {count} times") if won else Verdict(FAILS, measured)

    return judge


def constant_in_time(name: str) -> Judge:
    def judge(results: Results) -> Verdict:
        curve = results[name].curve("ws-w")
        (half, _), (whole, error) = at(curve, curve.t[-1] // 2), at(curve, curve.t[-1])
        growth = (whole - half) / whole
        measured = f"{show(whole, error)} at t={curve.t[-1]:,}, {growth:.2%} of it after t={curve.t[-1] // 2:,}"
        if name == WEAK:
            measured += f"; exact over infinite time (random first challenger) {show(exact_weak('fifty'))}"
        return yes(growth < 0.01, measured)

    return judge


def found_after_500(name: str) -> Judge:
    def judge(results: Results) -> Verdict:
        curve = results[name].curve("ws-w")
        (early, _), (whole, error) = at(curve, 500), at(curve, curve.t[-1])
        share = 1 - early / whole if whole else 0.0
        return yes(share < 0.1, f"{share:.1%} of its regret of {show(whole, error)} falls after t=500")

    return judge


def rucb_is_linear(results: Results) -> Verdict:
    curve = results[WEAK].curve("rucb")
    (half, _), (whole, error) = at(curve, curve.t[-1] // 2), at(curve, curve.t[-1])
    measured = (
        f"{show(half)} at t={curve.t[-1] // 2:,}, {show(whole, error)} at t={curve.t[-1]:,}: x {whole / half:.2f}"
    )
    return yes(1.9 < whole / half < 2.1, measured)


def settling_time(curve: Curve) -> int:
    """Return the first recorded time after which regret grows by less than a tenth of the first duels' rate."""
    rate = np.diff(curve.mean) / np.diff(curve.t)
    slow = np.flatnonzero(rate < 0.1 * curve.mean[0] / curve.t[0])
    return int(curve.t[slow[0]]) if slow.size else int(curve.t[-1])


def ten_thousand_comparisons(results: Results) -> Verdict:
    """Simulate the seven on the 50 arms until their regret has stopped growing in proportion to time."""
    times = [*range(1000, 10_000, 1000), *range(10_000, LONGEST + 1, 5000)]
    found = {}
    for name in SEVEN:
        result = simulate("fifty", name, horizon=LONGEST, runs=4, seed=2017, times=times, regrets=["strong-utility"])
        found[name] = settling_time(result.curve(name, "strong-utility"))
    near = [name for name, t in found.items() if 10**3.5 <= t <= 10**4.5]
    measured = "duels after which regret grows at less than a tenth of its first rate: " + ", ".join(
        f"{name} {t:,}" if t < LONGEST else f"{name} more than {LONGEST:,}"
        for name, t in sorted(found.items(), key=lambda pair: pair[1])
    )
    return yes(len(near) >= 3, measured + f"; between 3,000 and 30,000 for {len(near)} of 7")


def close_before(name: str, t: int) -> Judge:
    def judge(results: Results) -> Verdict:
        means = [at(results[name].curve(label), t)[0] for label in ("ws-s", *SEVEN)]
        ratio = max(means) / min(means)
        return yes(ratio < 1.5, f"at t={t} the largest is {ratio:.2f} times the smallest")

    return judge


def against(beta: float, other: str, better: bool) -> Judge:
    """Judge `WS-S with this beta does better (or worse) than another` at the horizon of the sensitivity figure."""

    def judge(results: Results) -> Verdict:
        result = results[BETA]
        curve = result.curve(f"ws-s beta={beta}")
        sign = compare(curve, result.curve(other), result.horizon) * (1 if better else -1)
        ours, theirs = at(curve, result.horizon), at(result.curve(other), result.horizon)
        measured = f"t={result.horizon:,}: beta {beta} {show(*ours)}, {other} {show(*theirs)}"
        return Verdict(HOLDS if sign > 0 else FAILS if sign < 0 else OPEN, measured)

    return judge


def some_beta_outperforms(results: Results) -> Verdict:
    """Judge whether some beta of the sensitivity figure is better than both rivals at its horizon."""
    result = results[BETA]
    rivals = [result.curve(name) for name in ("rmed1", "rucb")]
    betas = [curve for curve in result.curves if curve.label.startswith("ws-s ")]
    better = [curve for curve in betas if all(compare(curve, rival, result.horizon) > 0 for rival in rivals)]
    shown = ", ".join(f"{curve.label.removeprefix('ws-s ')} {show(*at(curve, result.horizon))}" for curve in better)
    against = ", ".join(f"{rival.label} {show(*at(rival, result.horizon))}" for rival in rivals)
    return yes(bool(better), f"t={result.horizon:,}: {shown or 'none'}; {against}")


def sizes(results: Results) -> Verdict:
    found = {name: problem(name).n_arms for name in ("sushi", "mslr")}
    return yes(found == {"sushi": 16, "mslr": 5}, ", ".join(f"{name}: {arms} arms" for name, arms in found.items()))


def totally_ordered(results: Results) -> Verdict:
    found = {name: problem(name).totally_ordered for name in ("fifty", "sushi", "mslr")}
    return yes(all(found.values()), ", ".join(f"{name}: {'yes' if value else 'no'}" for name, value in found.items()))


def cyclic_circle(results: Results) -> Verdict:
    one = problem("cyclic")
    wins = one.preferences > 0.5
    return yes(bool(one.winner == 0 and wins[1, 2] and wins[2, 3] and wins[3, 1]), "as the matrix has it")


def not_lowest_at_100(results: Results) -> Verdict:
    result = results[CYCLIC_U]
    signs = {other: compare(result.curve("ws-s"), result.curve(other), 100) for other in SEVEN}
    near = min(SEVEN, key=lambda other: at(result.curve(other), 100)[0])
    measured = f"t=100: ws-s {show(*at(result.curve('ws-s'), 100))}, {near} {show(*at(result.curve(near), 100))}"
    kind = HOLDS if min(signs.values()) < 0 else FAILS if min(signs.values()) > 0 else OPEN
    return Verdict(kind, measured)


def probit(results: Results) -> Verdict:
    """Compare P(a draw around u_i is larger than one around u_j), as an integral, with the paper's Phi."""
    most = 0.0
    for gap in (-1.5, -0.2, 0.0, 0.7, 3.0):
        for sigma in (0.3, 1.0, 2.5):
            draws, step = np.linspace(-12 * sigma, gap + 12 * sigma, 20_001, retstep=True)
            below = np.array([NormalDist(0, sigma).cdf(x) for x in draws])
            density = np.exp(-((draws - gap) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))
            most = max(most, abs((below * density).sum() * step - NormalDist(0, math.sqrt(2) * sigma).cdf(gap)))
    return yes(most < 1e-9, f"integral over the draws and Phi differ by at most {most:.0e} in 15 cases")


JUDGES: dict[str, Judge] = {
    **{
        f"{short}-outperforms-{rival}": outperforms("ws-w", (rival,), end, name)
        for short, name in (("fifty", WEAK), ("yelp", YELP))
        for rival in ("rucb", "qsa")
    },
    "rucb-linear": rucb_is_linear,
    "ten-thousand": ten_thousand_comparisons,
    "found-after-500": found_after_500(WEAK),
    "probit": probit,
    "yelp-found-after-500": found_after_500(YELP),
    **{
        f"close-{name}": close_before(name, t)
        for name, t in (("sushi-utility", 10), ("mslr-utility", 10), ("sushi-binary", 100), ("mslr-binary", 100))
    },
    **{f"figure-3-{name}": outperforms("ws-s", SEVEN, since(100), name) for name in STRONG},
    "dataset-sizes": sizes,
    "total-order-experiments": totally_ordered,
    "cyclic-circle": cyclic_circle,
    "cyclic-all-times-binary": outperforms("ws-s", SEVEN, since(100), CYCLIC_B),
    "cyclic-all-times-utility": outperforms("ws-s", SEVEN, since(1000), CYCLIC_U),
    "cyclic-exception": not_lowest_at_100,
    **{
        f"cyclic-figure-{name.removeprefix('cyclic-')}": outperforms("ws-s", SEVEN, since(100), name)
        for name in (CYCLIC_U, CYCLIC_B)
    },
    "reasonable-beta": some_beta_outperforms,
    **{
        f"sensitivity-{beta}-{rival}": against(beta, rival, better=True)
        for beta in (1.05, 1.1, 1.2)
        for rival in ("rmed1", "rucb")
    },
    **{
        f"sensitivity-{beta}-{rival}": against(beta, rival, better=False)
        for beta in (1.01, 1.5)
        for rival in ("rmed1", "rucb")
    },
}
