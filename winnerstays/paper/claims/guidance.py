"""Section 4.3's guidance on beta, and section 5.2's recommendation: judged by exact rounds, without simulating."""

import math
from functools import cache

from winnerstays.paper.claims.base import FAILS, PARTLY, Judge, Results, Verdict, show, yes
from winnerstays.paper.claims.theorems import rule_of
from winnerstays.problems import linear_utilities, problem
from winnerstays.theory import bounds
from winnerstays.theory.expected import expected_regret
from winnerstays.theory.rounds import Round

DEPTH = 230
BETAS = (1.05, 1.1, 1.2, 1.3, 1.5)
END = 10**6


@cache
def explored(name: str, depth: int = DEPTH) -> list[Round]:
    """Return the expectations of the rounds of WS-W, which are WS-S's exploration."""
    where = problem(name)
    return expected_regret(where, rounds=depth, rule=rule_of(where), tolerance=1e6).rounds


def strong_regret(name: str, beta: float, t: float, depth: int = DEPTH) -> tuple[float, float]:
    """Return WS-S's strong utility regret by time t, and the part of it that exploitation adds.

    Rounds are taken to last as long as they do on average; of the last one, exploration comes first.
    """
    explore = exploit = 0.0
    left = t
    for one in explored(name, depth):
        duels, cost = float(one.duels or 0.0), float(one.strong_utility or 0.0)
        explore += cost * min(1.0, left / duels)
        left -= duels
        if left <= 0:
            break
        phase = math.floor(beta**one.round)
        exploit += one.winner_loss * min(left, phase)
        left -= phase
        if left <= 0:
            break
    return explore + exploit, exploit


def phases_grow(results: Results) -> Verdict:
    phases = {l: math.floor(1.1**l) for l in (1, 7, 8, 20, 50, 100)}
    measured = "floor(1.1^l): " + ", ".join(f"{value:,} (l = {l})" for l, value in phases.items())
    return yes(phases[100] / phases[50] > 0.9 * 1.1**50, measured)


def mostly_exploring(results: Results) -> Verdict:
    rows, until = [], 0.0
    for beta in (1.01, 1.1):
        explore, exploit = 0.0, 0.0
        for one in explored("mslr", 1000):
            explore += float(one.duels or 0.0)
            exploit += math.floor(beta**one.round)
            if exploit > explore:
                break
        until = max(until, explore + exploit)
        rows.append(
            f"mslr, beta {beta}: exploration takes more than half of the duels up to about t = "
            f"{show(explore + exploit)}"
        )
    return Verdict(
        PARTLY, "; ".join(rows), f"holds up to about t = {show(until)}; any beta exploits more than that in the end"
    )


def largest_beta_is_best(results: Results) -> Verdict:
    rows, fine = [], True
    for name, betas in (("cyclic", (1.1, 1.2, 1.3, 1.4)), ("total-order:n_arms=5,p=0.7", (1.1, 1.3, 1.6, 2.0))):
        values = [strong_regret(name, beta, 1e9, 400)[0] for beta in betas]
        fine &= values == sorted(values, reverse=True)
        limit = bounds.largest_beta(problem(name).p)
        cells = ", ".join(f"{show(value)} (beta {beta})" for beta, value in zip(betas, values, strict=True))
        rows.append(f"{name}, beta < {limit:.4g}, T = 10^9: {cells}")
    return yes(fine, "; ".join(rows))


def large_beta_costs(results: Results) -> Verdict:
    rows = []
    for beta in (1.1, 1.5):
        total, exploit = strong_regret("mslr", beta, END)
        rows.append((exploit / total, f"beta {beta}: {exploit / total:.0%} of {show(total)}"))
    return yes(
        rows[1][0] > 0.5 > rows[0][0],
        "mslr, T = 10^6, regret from exploiting a wrong arm: " + "; ".join(row for _, row in rows),
    )


def smallest_p(results: Results) -> Verdict:
    limits = ", ".join(f"{name} p = {problem(name).p:.3f}" for name in ("sushi", "mslr", "cyclic", "fifty"))
    outside = "so sushi and mslr are outside the theory (erratum S7)"
    measured = f"1.1/2.1 = {1.1 / 2.1:.4f}. Of the experiments: {limits}; {outside}"
    return yes(abs(1.1 / 2.1 - 0.524) < 5e-4, measured)


def best_beta_depends_on_p(results: Results) -> Verdict:
    best = {}
    for p in (0.55, 0.6, 0.7, 0.8):
        name = f"total-order:n_arms=5,p={p}"
        best[p] = min((1.05, 1.1, 1.2, 1.3, 1.5, 2.0), key=lambda beta, name=name: strong_regret(name, beta, END)[0])  # type: ignore[misc]
    measured = "5 arms, T = 10^6, best of 1.05, 1.1, 1.2, 1.3, 1.5, 2: " + ", ".join(
        f"{b} (p = {p})" for p, b in best.items()
    )
    return yes(len(set(best.values())) > 1, measured)


def bound_grows(results: Results) -> Verdict:
    values = [bounds.theorem_3_corrected(16, p, 1e6, 1.01) for p in (0.9, 0.7, 0.6, 0.52)]
    return yes(
        values == sorted(values),
        "Theorem 3, 16 arms, T = 10^6: " + ", ".join(map(show, values)) + " for p = 0.9, 0.7, 0.6, 0.52",
    )


def p_falls_with_arms(results: Results) -> Verdict:
    sizes = (5, 10, 20, 40, 80)
    means = [sum(linear_utilities(n, seed=seed).p for seed in range(20)) / 20 for n in sizes]
    cells = ", ".join(f"{mean:.4f} (N = {n})" for n, mean in zip(sizes, means, strict=True))
    return yes(
        means == sorted(means, reverse=True), f"linear utilities with probit noise, mean p of 20 problems: {cells}"
    )


def recommended(large: bool) -> Judge:
    names = ("total-order:n_arms=50,p=0.8", "total-order:n_arms=50,p=0.55") if large else ("cyclic", "mslr", "sushi")

    def judge(results: Results) -> Verdict:
        rows, good = [], 0
        for name in names:
            values = {beta: strong_regret(name, beta, END)[0] for beta in BETAS}
            best = min(values, key=lambda beta: values[beta])
            fits = values[1.05] < values[1.1] if large else values[1.1] < 1.1 * values[best]
            good += fits
            cells = ", ".join(f"{show(value)} ({beta})" for beta, value in values.items())
            rows.append(f"{name}: best of these is {best}: {cells}")
        measured = "strong utility regret at T = 10^6 by beta, from exact rounds: " + "; ".join(rows)
        if 0 < good < len(names):
            return Verdict(PARTLY, measured, f"holds on {good} of {len(names)} problems")
        return yes(good == len(names), measured)

    return judge


def explores_too_much(results: Results) -> Verdict:
    rows, shares = [], []
    for beta in (1.01, 1.1):
        total, exploit = strong_regret("mslr", beta, END, 1000)
        shares.append(1 - exploit / total)
        rows.append(f"beta {beta}: {shares[-1]:.1%} of {show(total)}")
    return yes(
        shares[0] > 0.99 and strong_regret("mslr", 1.01, END, 1000)[0] > 2 * strong_regret("mslr", 1.1, END)[0],
        "mslr, T = 10^6, regret from exploration: " + "; ".join(rows),
    )


def utilities_ordered(results: Results) -> Verdict:
    """Look at u_i = 2 (1 - p_1i) of the experiments: whether the order of arms is that of their utilities."""
    rows, good = [], 0
    for name in ("mslr", "sushi", "cyclic"):
        worth = problem(name).utilities
        off = [
            f"u_{i + 1} = {worth[i]:.3f}, u_{i + 2} = {worth[i + 1]:.3f}"
            for i in range(len(worth) - 1)
            if worth[i] <= worth[i + 1]
        ]
        good += not off
        rows.append(f"{name}: " + (f"not at {len(off)} places, the first: {off[0]}" if off else "yes"))
    measured = (
        "; ".join(rows)
        + " (erratum D2). The bounds need R = u_1 - u_N to be the largest loss, which it is in all three"
    )
    return Verdict(PARTLY if good else FAILS, measured, f"holds on {good} of 3 problems")


JUDGES: dict[str, Judge] = {
    "phases-exponential": phases_grow,
    "beta-near-one": mostly_exploring,
    "beta-as-large-as-allowed": largest_beta_is_best,
    "beta-too-large": large_beta_costs,
    "beta-and-p": smallest_p,
    "best-beta-depends-on-p": best_beta_depends_on_p,
    "bound-grows": bound_grows,
    "p-falls-with-arms": p_falls_with_arms,
    "utilities-ordered": utilities_ordered,
    "sensitivity-1.01-why": explores_too_much,
    "sensitivity-1.5-why": large_beta_costs,
    "beta-for-few-arms": recommended(large=False),
    "beta-for-many-arms": recommended(large=True),
}
