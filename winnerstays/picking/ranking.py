"""`rank`: a leaderboard from votes, with intervals and shared ranks.

Bradley & Terry's model, fitted by Newton's method: of l and r, the left one is chosen with odds exp(s_l - s_r + side).
A tie is half a vote for both, or has a chance of its own (Davidson 1970), in proportion to the root of both chances.
"""

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from scipy.sparse.csgraph import connected_components

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError
from winnerstays.files import as_json, write_whole
from winnerstays.picking.votes import Votes, votes_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Ties = Literal["half", "davidson"]
MAX_STEPS, PRECISION = 100, 1e-10
TOO_FAR = 5.0
"""The longest step of Newton's method."""
MIN_SAMPLES = 10
"""Fewer samples give no interval."""
MOST_ODDS = 25.0
"""Log odds that no finite score reaches: votes without a prior that lead there have no most likely scores."""
NO_SCORES = (
    "These votes have no most likely scores: given the sides of the items, some won or lost all their votes. "
    "Give prior=0.1 (--prior 0.1)."
)


class Counts(NamedTuple):
    """Votes counted by [left, right]."""

    left_won: Floats
    right_won: Floats
    tied: Floats


class Fitted(NamedTuple):
    """Scores with mean 0, then the advantage of the left side, then the logarithm of Davidson's tie parameter."""

    values: Floats
    covariance: Floats


@dataclass(frozen=True)
class Place:
    """An item on the board."""

    rank: int
    """One more than the number of items that are surely better; items that the votes cannot tell apart share it."""
    item: str
    score: float
    """Log odds against an average item."""
    low: float
    high: float
    votes: float


@dataclass(frozen=True)
class Ranking:
    """A leaderboard; the best comes first."""

    places: tuple[Place, ...]
    votes: float
    level: float
    side: float
    """Log odds by which the left side is chosen among equals; 0 without a bias."""
    side_low: float
    side_high: float
    ties: str
    tie_share: float | None
    """With Davidson's ties: the chance of a tie among equals."""
    bootstrap: int
    """How many samples the intervals are from; 0: from the curvature of the likelihood."""

    def to_json(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """Return all of it as text, also written to `path` if one is given."""
        return as_json(asdict(self), path, force=force)

    def plot(self, path: str | Path | None = None, *, force: bool = False) -> "Figure":
        """Draw the scores with their intervals; also written to `path` if one is given."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.2, 1.2 + 0.28 * len(self.places)), layout="constrained")
        axes = figure.add_subplot()
        scores = [place.score for place in self.places]
        reach = [
            [place.score - place.low for place in self.places],
            [place.high - place.score for place in self.places],
        ]
        axes.errorbar(scores, range(len(scores)), xerr=reach, fmt="o", markersize=4, capsize=2)
        axes.set_yticks(range(len(scores)), [f"{place.item[:30]}  {place.rank}" for place in self.places])
        axes.invert_yaxis()
        axes.set_xlabel(f"score: log odds against an average item, with {self.level:.0%} intervals")
        if path is not None:
            write_whole(path, lambda draft: figure.savefig(draft, dpi=160), force=force)
        return figure

    def __str__(self) -> str:
        width = max(4, *(len(place.item) for place in self.places))
        lines = [f"{'rank':>4}  {'item':{width}}  {'score':>6}  {'interval':>14}  {'votes':>7}"]
        for place in self.places:
            score, low, high = (round(value, 2) + 0.0 for value in (place.score, place.low, place.high))  # no -0.00
            span = f"{low:.2f} to {high:.2f}"
            lines.append(f"{place.rank:>4}  {place.item:{width}}  {score:>6.2f}  {span:>14}  {place.votes:>7g}")
        sides = ""
        if self.side:
            sure = "surely" if not self.side_low <= 0 <= self.side_high else "which may be chance"
            sides = f" Of equals the left one is chosen in {1 / (1 + math.exp(-self.side)):.0%}, {sure}."
        return "\n".join([*lines, "", f"{self.votes:g} votes, {self.level:.0%} intervals.{sides}"])


def rank(
    votes: Any,
    *,
    level: float = 0.95,
    ties: Ties = "half",
    prior: float = 0.0,
    bootstrap: int = 0,
    by: str | None = None,
    columns: Any = None,
    codes: Any = None,
    skip_bad: bool = False,
    seed: int = 0,
) -> Ranking:
    """Return a leaderboard: Bradley and Terry's scores with intervals; items share a rank where votes cannot tell.

    `votes` is a file as in docs/data.md, a pick's store, or tuples: (winner, loser), or (left, right, outcome) with
    "left", "right" or "tie". Intervals are from the curvature of the likelihood, or from so many `bootstrap` samples
    of the votes: of whole groups, with `by` a column that names the person or the example. `prior` pulls scores to 0,
    which is needed where an item has won or lost all its votes. `skip_bad` leaves out rows that cannot be read.

    >>> [(place.rank, place.item) for place in rank([("a", "b")] * 30 + [("b", "a")] * 10).places]
    [(1, 'a'), (2, 'b')]
    """
    if not 0.5 < level < 1:
        raise WinnerstaysError(f"level is {level!r}, but it must be above 1/2 and below 1, such as 0.95.")
    if ties not in get_args(Ties):
        raise WinnerstaysError(f"ties is {ties!r}, but it must be 'half' or 'davidson'.")
    if not prior >= 0:
        raise WinnerstaysError(f"prior is {prior!r}, but it must be at least 0.")
    if bootstrap and bootstrap < MIN_SAMPLES:
        raise WinnerstaysError(f"bootstrap is {bootstrap!r}, but it must be 0 or at least {MIN_SAMPLES} samples.")
    given = votes_of(votes, by=by, columns=columns, codes=codes, skip_bad=skip_bad)
    if not given.weight.sum() > 0:
        raise WinnerstaysError("There are no votes: a vote is for one of two items, or a tie between them.")
    n = len(given.items)
    counts = _count(given, given.weight)
    if not prior:
        _check_connected(counts, given.items)
        if given.sided and not (counts.tied.any() or (counts.left_won.any() and counts.right_won.any())):
            raise WinnerstaysError("All votes are for the same side, which tells nothing of the items; give prior=0.1.")
    davidson = ties == "davidson"
    fitted = fit(counts, prior, davidson=davidson, bias=given.sided)
    scores = fitted.values[:n]
    z = NormalDist().inv_cdf((1 + level) / 2)
    covariance = fitted.covariance
    if bootstrap:
        covariance = _resampled(given, counts, fitted, prior, davidson, bootstrap, seed)
    spread = z * np.sqrt(np.diag(covariance))
    variances = np.diag(covariance)[:n]
    apart = z * np.sqrt(np.maximum(variances[:, None] + variances[None, :] - 2 * covariance[:n, :n], 0))
    ranks = 1 + (scores[None, :] - scores[:, None] > apart).sum(axis=1)
    total = counts.left_won + counts.right_won + counts.tied
    each = total.sum(axis=0) + total.sum(axis=1)
    low, high = scores - spread[:n], scores + spread[:n]
    places = [
        Place(int(ranks[k]), given.items[k], float(scores[k]), float(low[k]), float(high[k]), float(each[k]))
        for k in np.argsort(-scores, kind="stable")
    ]
    side = float(fitted.values[n])
    share = math.exp(fitted.values[n + 1]) if davidson else 0.0
    return Ranking(
        tuple(places), float(total.sum()), level, side, side - float(spread[n]), side + float(spread[n]), ties,
        share / (2 + share) if davidson else None, bootstrap,
    )  # fmt: skip


def fit(counts: Counts, prior: float, *, davidson: bool, bias: bool, start: Floats | None = None) -> Fitted:
    """Return the most likely scores, and the inverse of the information that the votes hold of them."""
    n = len(counts.tied)
    values = np.zeros(n + 2) if start is None else start.copy()
    won = counts.left_won + (0 if davidson else counts.tied / 2)
    lost = counts.right_won + (0 if davidson else counts.tied / 2)
    total, ties = won + lost + (counts.tied if davidson else 0), float(counts.tied.sum())
    free = np.array([*[True] * n, bias, davidson and ties > 0])
    for _ in range(MAX_STEPS):
        lead = values[:n, None] - values[None, :n] + values[n]
        level = np.exp(values[n + 1]) if free[n + 1] else 0.0
        half = np.exp(-np.abs(lead) / 2)
        top, bottom = np.where(lead > 0, 1.0, half * half), np.where(lead > 0, half * half, 1.0)
        whole = top + bottom + level * half
        left, right, tie = top / whole, bottom / whole, level * half / whole
        slope = (won - lost - total * (left - right)) / 2
        curve = total * (left + right - (left - right) ** 2) / 4
        mixed = -total * (left - right) * tie / 2
        gradient = np.array(
            [
                *(slope.sum(1) - slope.sum(0) - prior * values[:n]),
                slope.sum() - prior * values[n],
                ties - (total * tie).sum(),
            ]
        )
        information = np.zeros((n + 2, n + 2))
        information[:n, :n] = np.diag(curve.sum(1) + curve.sum(0) + prior) - curve - curve.T
        information[:n, n] = information[n, :n] = curve.sum(1) - curve.sum(0)
        information[:n, n + 1] = information[n + 1, :n] = mixed.sum(1) - mixed.sum(0)
        information[n, n] = curve.sum() + prior
        information[n, n + 1] = information[n + 1, n] = mixed.sum()
        information[n + 1, n + 1] = (total * tie * (1 - tie)).sum()
        information[:n, :n] += 1 / n  # scores have mean 0
        gradient[~free] = 0
        information[~free] = information[:, ~free] = 0
        information[~free, ~free] = 1
        try:
            step = np.linalg.solve(information, gradient)
        except np.linalg.LinAlgError:
            raise WinnerstaysError(NO_SCORES) from None
        step *= min(1.0, TOO_FAR / max(np.abs(step).max(), 1e-300))
        values += step
        values[:n] -= values[:n].mean()
        if np.abs(step).max() < PRECISION:
            break
        if not prior and np.abs(values[: n + 1]).max() > MOST_ODDS:
            raise WinnerstaysError(NO_SCORES)
    covariance = np.linalg.inv(information)
    covariance[:n, :n] -= 1 / (n * (1 + prior))  # what the mean of 0 has added
    covariance[~free] = covariance[:, ~free] = 0
    return Fitted(values, np.asarray(covariance, np.float64))


def _count(votes: Votes, weight: Floats) -> Counts:
    n = len(votes.items)
    cells = votes.left.astype(np.int64) * n + votes.right
    tied = votes.share == 0.5
    parts = (votes.share == 1, votes.share == 0, tied)
    counted = (np.bincount(cells[part], weight[part], n * n).astype(np.float64) for part in parts)
    return Counts(*(table.reshape(n, n) for table in counted))


def _check_connected(counts: Counts, items: tuple[str, ...]) -> None:
    """Refuse votes whose most likely scores are infinite: some items have never lost to the others."""
    wins = counts.left_won + counts.right_won.T + counts.tied + counts.tied.T
    n_parts, part = connected_components(wins > 0, connection="strong")
    if n_parts > 1:
        sizes = np.bincount(part)
        apart = [item for item, of in zip(items, part, strict=True) if of != sizes.argmax()]
        shown = ", ".join(map(repr, apart[:5])) + " ..." * (len(apart) > 5)
        raise WinnerstaysError(
            f"The votes do not compare all items: {shown} won or lost all votes against the others, or met none. Give "
            "prior=0.1 (--prior 0.1), or leave them out."
        )


def _resampled(
    votes: Votes, counts: Counts, fitted: Fitted, prior: float, davidson: bool, samples: int, seed: int
) -> Floats:
    """Return the covariance of the scores of samples with replacement: of groups of votes, or of votes."""
    rng = np.random.default_rng(seed)
    fits = []
    prior = max(prior, 0.01)  # a sample may lack an item's only defeat
    for _ in range(samples):
        if votes.group is None:
            whole = np.concatenate([part.ravel() for part in counts])
            drawn = rng.multinomial(round(whole.sum()), whole / whole.sum()).astype(float)
            again = Counts(*(part.reshape(counts.tied.shape) for part in np.split(drawn, 3)))
        else:
            groups = int(votes.group.max()) + 1
            times = np.bincount(rng.integers(groups, size=groups), minlength=groups)
            again = _count(votes, votes.weight * times[votes.group])
        fits.append(fit(again, prior, davidson=davidson, bias=votes.sided, start=fitted.values).values)
    return np.asarray(np.cov(np.array(fits), rowvar=False))
