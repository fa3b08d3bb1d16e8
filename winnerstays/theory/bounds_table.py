"""Theorems 1 to 4 beside each other in one setting: as printed, corrected and improved, with what is false marked."""

from collections.abc import Callable
from dataclasses import dataclass

from winnerstays.algorithms.ws_s import BETA
from winnerstays.errors import WinnerstaysError
from winnerstays.theory.bounds import (
    in_utility,
    largest_beta,
    least_strong_regret,
    theorem_1_corrected,
    theorem_1_printed,
    theorem_2_improved,
    theorem_2_printed,
    theorem_3_corrected,
    theorem_3_printed,
    theorem_4_corrected,
    theorem_4_improved,
    theorem_4_printed,
    weak_lower_limit,
    weak_without_gaps,
)


@dataclass(frozen=True)
class Bound:
    """One bound in one setting; `value` is None where it does not apply, and `note` says why."""

    name: str
    regret: str
    value: float | None
    holds: bool | None
    """Whether it is proved; False: it is false in this setting; None: neither is known."""
    note: str


def theorems(
    n_arms: int,
    p: float,
    *,
    p1: float | None = None,
    totally_ordered: bool = True,
    horizon: float | None = None,
    beta: float = BETA,
    utility_range: float | None = None,
) -> list[Bound]:
    """List Theorems 1-4 as printed and corrected, and what improves on them, for one setting.

    >>> [round(bound.value) for bound in theorems(50, 0.8)[:3]]
    [5529, 4451, 9398]
    """
    p1 = p if p1 is None else p1
    if p1 < p:
        raise WinnerstaysError(f"p1 is {p1}, but it is one of the probabilities whose smallest is p = {p}.")
    order = "" if totally_ordered else "needs a total order"
    rows: list[Bound] = []

    def row(name: str, regret: str, why_not: str, note: str, bound: Callable[[], float], least: float = 0.0) -> None:
        """Add a bound and its utility form; `least` is what every run has, if the bound is not proved as it stands."""
        value = None if why_not else bound()
        holds, remark = _judge(value, least, why_not or note)
        rows.append(Bound(name, regret, value, holds, remark))
        if utility_range is not None:
            value = None if value is None else in_utility(value, utility_range)
            holds, remark = _judge(value, 1e-300 if least else 0.0, why_not or note)
            rows.append(Bound(f"{name}, utility", f"{regret} utility", value, holds, remark))

    row("Theorem 1, printed", "weak", order, "holds; S2, S6", lambda: theorem_1_printed(n_arms, p))
    row("Theorem 1, corrected", "weak", order, "S5", lambda: theorem_1_corrected(n_arms, p))
    row("Theorem 2, printed", "weak", "", "holds; S6", lambda: theorem_2_printed(n_arms, p))
    row("Theorem 2, with p1", "weak", "", "S7", lambda: theorem_2_improved(n_arms, p, p1))
    row("without gaps (ours)", "weak", "", "docs/theory.md", lambda: weak_without_gaps(n_arms, p1, p))
    limit = None if order else weak_lower_limit(n_arms, p)
    rows.append(Bound("lower bound (ours)", "weak", limit, True, order or "docs/proofs/lower-bound.md"))
    if horizon is not None:
        outside, outside1 = (
            f"needs beta < {name}/(1-{name}) = {largest_beta(value):.4g}" if beta >= largest_beta(value) else ""
            for name, value in (("p", p), ("p1", p1))
        )
        setting, least = (n_arms, p, horizon, beta), least_strong_regret(n_arms, horizon, beta)
        row("Theorem 3, printed", "strong", order or outside, "S4", lambda: theorem_3_printed(*setting), least)
        row("Theorem 3, corrected", "strong", order or outside, "S4, S5", lambda: theorem_3_corrected(*setting))
        row("Theorem 4, printed", "strong", outside, "S3, S4", lambda: theorem_4_printed(*setting), least)
        row("Theorem 4, corrected", "strong", outside, "S3, S4", lambda: theorem_4_corrected(*setting))
        improved = (n_arms, p, p1, horizon, beta)
        row("Theorem 4, with p1", "strong", outside1, "S3, S4, S7", lambda: theorem_4_improved(*improved))
    return rows


def _judge(value: float | None, least: float, note: str) -> tuple[bool | None, str]:
    """Say whether a bound holds, and a remark. `least` is 0 for one that is proved, else what every run has."""
    if not least or value is None:
        return True if not least else None, note
    if value < least:
        return False, f"false: every run has {max(0, round(least)):,} or more by then; {note}"
    return None, f"not proved as printed: {note}"
