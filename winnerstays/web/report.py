"""The report of an arena, one page that loads nothing: is it worth it, what do people like, what is not known."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from winnerstays.arena import Arena, Bias, Summary, Totals, Uplift
from winnerstays.arena.figures.uplift import MEANINGS, WORDS, Comparison
from winnerstays.arena.records import Popularity
from winnerstays.theme import TOKENS
from winnerstays.web.dashboard import rank_items, traffic
from winnerstays.web.pages import STATIC, templates

MAX_BUCKETS = 48
"""Of the chart of traffic; hours are put together to be no more."""
MAX_ITEMS = 20
FEW_ANSWERS = 10
"""An item with fewer is hardly known."""


@dataclass(frozen=True)
class Bucket:
    """Some hours of traffic."""

    start: float
    served: int
    answers: int


@dataclass(frozen=True)
class Figures:
    """Everything that a report is made of."""

    arena: Arena
    totals: Totals
    summary: Summary
    bias: Bias
    uplift: Uplift
    favourites: list[Popularity]
    popular: list[Popularity]
    """The items by the duels that they won, over all people."""
    buckets: list[Bucket]
    hours: int
    """Of each bucket."""

    @classmethod
    def of(cls, arena: Arena) -> "Figures":
        """Look at an arena."""
        totals, summary = arena.totals(), arena.summary()
        popular = arena.popular()
        favourites = rank_items(arena, summary, totals) if arena.settings.audience == "user" else popular
        buckets, hours = put_together(traffic(totals))
        return cls(arena, totals, summary, arena.bias(), arena.uplift(), favourites, popular, buckets, hours)

    @property
    def answers(self) -> int:
        return self.totals.kinds.get("learned", 0) + self.totals.kinds.get("noted", 0)

    @property
    def served(self) -> int:
        return self.totals.kinds.get("served", 0)

    @property
    def compared(self) -> bool:
        return bool(self.uplift.comparisons)

    def title(self, id_: str) -> str:
        return next(item.title for item in self.arena.items if item.id == id_)


def put_together(columns: list[list[int]]) -> tuple[list[Bucket], int]:
    """Return the traffic of `dashboard.traffic` in few buckets, and how many hours each has.

    >>> put_together([[0, 3600, 7200], [5, 6, 7], [1, 2, 3]])[0][1]
    Bucket(start=3600, served=6, answers=2)
    >>> put_together([list(range(0, 100 * 3600, 3600)), [1] * 100, [0] * 100])[1]
    3
    """
    starts, served, answers = columns
    hours = max(1, math.ceil(len(starts) / MAX_BUCKETS))
    places = range(0, len(starts), hours)
    return [Bucket(starts[k], sum(served[k : k + hours]), sum(answers[k : k + hours])) for k in places], hours


def headline(figures: Figures) -> str:
    """Return what the report says in one or two sentences."""
    summary, uplift = figures.arena, figures.uplift
    if not figures.answers:
        return f"Nobody has answered a duel of {summary.name} yet; {figures.served} were shown."
    people = f"{figures.summary.learners:,} people" if summary.settings.audience == "user" else "People"
    came = f"{people} answered or skipped {figures.answers:,} of {figures.served:,} duels."
    seen = next((found for found in uplift.comparisons if found.measure == "chosen"), None)
    if seen is not None:
        chose = (
            f"{came} They chose what the arena would recommend over a random item {seen.learner.mean:.0%} of the time"
        )
        against = "with the control group's recommendations"
        if seen.low > 0:
            points = f"{100 * seen.difference:.0f} points more ({100 * seen.low:.0f} to {100 * seen.high:.0f})"
            return f"{chose}: {points} than {against}."
        if seen.high < 0:
            return f"{chose}, {against} {seen.control.mean:.0%}: learning has done harm here."
        return f"{chose}, {against} {seen.control.mean:.0%}: that may still be chance."
    best = [figures.title(item.item) for item in figures.favourites if item.rank == 1]
    if len(best) == 1:
        return f"{came} Best liked is {best[0][:80]}."
    return f"{came} Which of {len(best)} items is liked best cannot be told yet."


def unknowns(figures: Figures) -> Iterator[str]:
    """Yield what cannot be said yet, and what would help."""
    summary, per_person = figures.summary, figures.arena.settings.audience == "user"
    if not figures.compared:
        yield (
            "Whether learning is worth it: there is no control group to compare with, or nobody in it yet. "
            "`winnerstays arena change DB --holdout 0.1` makes one."
        )
    for each in figures.uplift.comparisons if figures.compared else ():
        if not each.told_apart:
            share = "" if each.measure == "reward" else "the share of "
            yield f"Whether learning changes {share}{WORDS[each.measure][1]}: {_needed(each, figures.uplift)}."
    if figures.compared and not any(comparison.measure == "reward" for comparison in figures.uplift.comparisons):
        yield "Whether learning brings what the site lives on, such as orders: no rewards were logged (`arena.reward`)."
    for items, how in ((figures.favourites, "favourite of most"), (figures.popular, "chosen most often")):
        first = [figures.title(item.item) for item in items if item.rank == 1]
        if len(first) > 1 and (per_person or how != "favourite of most"):
            names = ", ".join(name[:40] for name in first[:5])
            more = f" and {len(first) - 5} more" if len(first) > 5 else ""
            yield f"Which item is {how}: {names}{more} cannot be told apart."
    few = sum(row.won + row.lost < FEW_ANSWERS for row in figures.popular)
    if few:
        of = len(figures.popular)
        yield f"How much people like {few} of {of} items: each was in fewer than {FEW_ANSWERS} answers."
    if per_person and summary.looked_at and summary.sure < summary.looked_at:
        yield (
            f"The favourite of single people for sure: of the newest {summary.looked_at}, {summary.sure} answered "
            f"often enough for {summary.level:.0%} confidence."
        )


def _needed(comparison: Comparison, uplift: Uplift) -> str:
    """Say how many people are needed for a difference like the one seen to be told from none."""
    if not comparison.difference:
        return "no difference was seen"
    wide = max(comparison.difference - comparison.low, comparison.high - comparison.difference)
    few = min(
        (comparison.learner, comparison.control), key=lambda group: group.people if group.low < group.high else math.inf
    )
    needed = math.ceil(few.people * (wide / abs(comparison.difference)) ** 2 / 10) * 10
    units = "people" if uplift.unit == "person" else "duels"
    where = "in the control group" if few is comparison.control else "with a decided probe"
    return f"if it is as small as the one seen, about {needed:,} {units} {where}, not {few.people:,}"


def render(arena: Arena, now: float) -> str:
    """Return the report of an arena as HTML that loads nothing."""
    figures = Figures.of(arena)
    values: dict[str, Any] = {
        "figures": figures, "arena": arena, "headline": headline(figures), "unknowns": list(unknowns(figures)),
        "words": WORDS, "meanings": MEANINGS, "most": max([1, *(bucket.served for bucket in figures.buckets)]),
        "style": TOKENS + (STATIC / "style.css").read_text(encoding="utf-8"), "max_items": MAX_ITEMS,
        "made": datetime.fromtimestamp(now, UTC),
    }  # fmt: skip
    return templates().get_template("report.html").render(values)
