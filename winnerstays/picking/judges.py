"""How far the judges of a pick can be trusted: agreement with each other and with people, flips, a habit of sides."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.intervals import Bias, bias, wilson
from winnerstays.picking.items import as_text
from winnerstays.picking.judging import LEFT, RIGHT
from winnerstays.picking.ranking import rank

PRIOR, STEEPEST, STEPS = 0.1, 10.0, 60
Answers = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Agreement:
    """A share of decisions that agree, with its 95 % interval."""

    share: float
    low: float
    high: float
    of: int


@dataclass(frozen=True)
class JudgeReport:
    """One judge of a pick."""

    name: str
    answers: int
    bias: Bias
    """How often it chose the left item."""
    flips: int
    paired: int
    """Comparisons that it was asked both ways; in so many of them it chose the same side twice."""
    agreement: Agreement
    """Its choices of the item that the other judges together rank higher (of one judge: that itself ranks higher)."""
    discrimination: float
    """How steeply its choices follow the scores of all judges: 1 is usual, 0 is a coin."""


def reports_of(answers: Answers) -> tuple[JudgeReport, ...]:
    """Return a report on each judge, of the rows in `PickResult.examples`."""
    names = sorted({str(row["judge"]) for row in answers})
    return tuple(_report(name, answers) for name in names)


def agreement_with(labels: Iterable[Sequence[Any]], answers: Answers) -> dict[str, Agreement]:
    """Return how often each judge agrees with people's labels: (winner, loser), or (winner, loser, example)."""
    votes: Counter[tuple[str, str, str | None]] = Counter()
    for label in labels:
        if isinstance(label, str) or len(label) not in (2, 3):
            raise WinnerstaysError(f"A label is {label!r}, but it must be (winner, loser) or (winner, loser, example).")
        example = as_text(label[2]) if len(label) == 3 else None
        votes[str(label[0]), str(label[1]), example] += 1
    known = {name for winner, loser, _ in votes for name in (winner, loser)}
    items = {row[side] for row in answers for side in (LEFT, RIGHT)}
    if not known & items:
        raise WinnerstaysError(f"The labels are of {', '.join(sorted(known)[:5])}; none of these was compared.")
    found: dict[str, list[int]] = {}
    for row in answers:
        if row["winner"] is None:
            continue
        loser = row["right"] if row["winner"] == row["left"] else row["left"]
        for example in {None, as_text(row["example"])}:
            lead = votes[row["winner"], loser, example] - votes[loser, row["winner"], example]
            if lead:
                found.setdefault(str(row["judge"]), [0, 0])[lead < 0] += 1
    return {name: _agreement(*counted) for name, counted in sorted(found.items())}


def _agreement(same: int, other: int) -> Agreement:
    low, high = wilson(same, other)
    return Agreement(same / max(1, same + other), float(low), float(high), same + other)


def _report(name: str, answers: Answers) -> JudgeReport:
    own = [row for row in answers if str(row["judge"]) == name]
    others = [row for row in answers if str(row["judge"]) != name] or own
    decided = [row for row in own if row["winner"] is not None]
    left = sum(row["winner"] == row["left"] for row in decided)
    duels: dict[int, list[Any]] = {}
    for row in own:
        duels.setdefault(row["duel"], []).append(row)
    paired = [rows for rows in duels.values() if len(rows) == 2]
    flips = sum((rows[0]["share"] - 0.5) * (rows[1]["share"] - 0.5) > 0 for rows in paired)
    theirs, all_ = _scores(others), _scores(answers)
    leads = [_lead(row, theirs) for row in decided]
    agreement = _agreement(sum(lead > 0 for lead in leads), sum(lead < 0 for lead in leads))
    slope = _slope([_lead(row, all_) for row in decided])
    return JudgeReport(name, len(own), bias(left, len(decided) - left), flips, len(paired), agreement, slope)


def _scores(answers: Answers) -> dict[str, float]:
    votes = [
        (row["left"], row["right"], LEFT if row["share"] > 0.5 else RIGHT) for row in answers if row["share"] != 0.5
    ]
    return {place.item: place.score for place in rank(votes, prior=PRIOR).places} if votes else {}


def _lead(row: Mapping[str, Any], scores: dict[str, float]) -> float:
    """Return by how much the winner's score is above the loser's."""
    loser = row["right"] if row["winner"] == row["left"] else row["left"]
    return scores.get(row["winner"], 0.0) - scores.get(loser, 0.0)


def _slope(leads: Sequence[float]) -> float:
    """Return the likeliest a >= 0 if a winner who leads by x wins with odds exp(a x)."""
    low, high = 0.0, STEEPEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        rising = sum(lead / (1 + math.exp(min(500.0, middle * lead))) for lead in leads) > 0
        low, high = (middle, high) if rising else (low, middle)
    return low
