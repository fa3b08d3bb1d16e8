"""Expectations of one round, and their sum over rounds with a certified remainder."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.problem import Problem
from winnerstays.theory.tail import Tail
from winnerstays.wording import counted

MAX_ROUNDS = 100_000
"""The most rounds of a total; if it is still uncertain then, an error is raised."""
REMAINDER_PRECISION = 0.01
"""The relative error up to which the remainder is computed."""
MAX_FURTHER_STEPS = 2e9
"""The most work for the remainder beyond the requested rounds."""
MAX_LOG_PHASE = 690.0
"""Natural logarithm of the longest exploitation phase that a float can hold."""


@dataclass(frozen=True)
class Round:
    """Expectations over one round, or, in a total, over `round` rounds. None: the sum over all rounds is infinite."""

    round: int
    duels: float | None
    weak_binary: float | None
    weak_utility: float | None
    strong_binary: float | None
    strong_utility: float | None
    wrong_winner: float
    """P(Z(l) != best arm); in a total, how many rounds are won by a wrong arm."""
    worse_incumbents: float
    """Iterations whose incumbent is worse than its challenger (in iteration 1 of round 1 nobody is incumbent)."""
    winner_loss: float = 0.0
    """Utility lost by each arm Z(l) that is shown instead of the best one."""
    neither: float | None = None
    """P(Z(l) is neither the best arm nor the runner-up)."""

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in NAMES}


NAMES = tuple(field.name for field in fields(Round) if field.name not in ("winner_loss", "neither"))
SUMS = NAMES[1:]
WIDTH = max(map(len, SUMS))


def without_infinite(total: Round) -> Round:
    """Return a total over infinitely many rounds, in which sums that grow for ever are None."""
    return replace(total, duels=None, strong_binary=None, strong_utility=None)


@dataclass(frozen=True, repr=False)
class Expectation:
    """Expected regret by round and in total, with a bound on what the total lacks.

    `total` is over the rounds that were asked for, or over infinitely many. Either way `remainder` bounds the weak
    regret, the wrong winners and the worse incumbents that it lacks to infinity.
    """

    problem: Problem
    algorithm: str
    rule: str
    beta: float | None
    method: str
    rounds: list[Round]
    total: Round
    remainder: float
    infinite: bool
    error: Round | None = None
    """Standard errors of the total if it is an estimate."""
    runs: int | None = None
    warning: str = ""
    """Says of an estimate that it missed the wanted precision."""

    def __repr__(self) -> str:
        beta = "" if self.beta is None else f" beta={self.beta:g}"
        about = (
            f"{self.algorithm}{beta} on {self.problem.name}: {self.problem.n_arms} arms, {self.rule} first challenger"
        )
        over = "over infinitely many rounds" if self.infinite else f"in {counted(len(self.rounds), 'round')}"
        sums = {name: getattr(self.total, name) for name in SUMS}
        error = {} if self.error is None else {name: getattr(self.error, name) for name in SUMS}
        rows = "".join(
            f"\n  {name:<{WIDTH}}  {value:.6g}" + (f" ± {error[name]:.2g}" if error else "")
            for name, value in sums.items()
            if value is not None
        )
        left = f"; weak regret lacks at most {self.remainder:.2g}" if math.isfinite(self.remainder) else ""
        warning = f"\n{self.warning}" if self.warning else ""
        return f"<Expectation of {about}; by {self.method}, {over}{left}:{rows}{warning}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as `winnerstays research exact --json` writes it."""
        estimate = (
            {}
            if self.error is None
            else {
                "runs": self.runs,
                "standard_error": self.error.to_dict(),
                "warning": self.warning,
            }
        )
        return {
            "problem": self.problem.name,
            "n_arms": self.problem.n_arms,
            "algorithm": self.algorithm,
            "rule": self.rule,
            "beta": self.beta,
            "method": self.method,
            "infinite": self.infinite,
            "rounds": [row.to_dict() for row in self.rounds],
            "total": self.total.to_dict(),
            "remainder": self.remainder if math.isfinite(self.remainder) else None,
            **estimate,
        }


def add_exploitation(explored: Round, beta: float) -> Round:
    """Add the exploitation phase of WS-S, in which the round's winner meets itself floor(beta**l) times."""
    duels = math.floor(beta**explored.round)
    return replace(
        explored,
        duels=_add(explored.duels, duels),
        weak_binary=_add(explored.weak_binary, duels * explored.wrong_winner),
        weak_utility=_add(explored.weak_utility, duels * explored.winner_loss),
        strong_binary=_add(explored.strong_binary, duels * explored.wrong_winner),
        strong_utility=_add(explored.strong_utility, duels * explored.winner_loss),
    )


def _add(value: float | None, more: float) -> float | None:
    return None if value is None else value + more


def sum_rounds(
    source: Iterator[Round], tail: Tail, *, beta: float | None, wanted: int | None, tolerance: float, steps: float
) -> tuple[list[Round], Round, float]:
    """Sum rounds until the proved tail is below the tolerance; return the rounds asked for, their total, the remainder.

    If a number of rounds is wanted, later rounds are computed too, until the remainder is known to a hundredth or for a
    few seconds (`steps` is the work of a round); the tail bound then covers the rest.
    """
    certain = beta is None or beta * tail.ratio < 1.0
    limit = MAX_ROUNDS if wanted is None else wanted + min(1000, int(MAX_FURTHER_STEPS / steps))
    if beta is not None:
        limit = min(limit, int(MAX_LOG_PHASE / math.log(beta)))
    if wanted is None and not certain:
        raise WinnerstaysError(
            f"beta is {beta}, but over infinitely many rounds WS-S is proved to have a finite weak regret if beta is "
            f"below p1/(1-p1) = {1 / tail.ratio:.4g}; above that it may be finite or not. Give a number of rounds, or "
            "a smaller beta."
        )
    wanted_rounds: list[Round] = []
    beyond, left = 0.0, math.inf
    for round_ in source:
        if beta is not None:
            round_ = add_exploitation(round_, beta)
        if wanted is None or round_.round <= wanted:
            wanted_rounds.append(round_)
        else:
            beyond += max(
                round_.weak_binary or 0.0, round_.weak_utility or 0.0, round_.wrong_winner, round_.worse_incumbents
            )
        left = tail.remainder(round_.round, round_.wrong_winner, beta, round_.neither)
        reached = wanted is None or round_.round >= wanted
        if reached and (left <= max(tolerance, REMAINDER_PRECISION * beyond) or not certain):
            break
        if round_.round >= limit:
            if wanted is None:
                raise WinnerstaysError(
                    f"After {limit} rounds up to {left:.3g} may still be missing from the total; "
                    f"ask for a number of rounds, or for a tolerance larger than {tolerance:g}."
                )
            break
    total = Round(
        len(wanted_rounds), **{name: math.fsum(getattr(round_, name) for round_ in wanted_rounds) for name in SUMS}
    )
    if wanted is None:
        total = without_infinite(total)
    return wanted_rounds, total, beyond + left
