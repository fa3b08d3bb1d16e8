"""The winner of a poll, or the favourite of most visitors: one sentence and a ranked chart."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from winnerstays.arena import Arena, Summary
from winnerstays.arena.figures.likely import Poll
from winnerstays.web.game import LIKELY
from winnerstays.wording import counted


@dataclass(frozen=True)
class Bar:
    """One item of the chart: its chance to be the best, and the ranks that it has with chance 90 %."""

    title: str
    chance: float
    low: int
    high: int


def sentence(found: Poll, title: Callable[[str], str]) -> str:
    """Say who wins, and how sure that is.

    >>> from winnerstays.arena.figures.likely import Likelihood
    >>> sentence(Poll(Likelihood((), 3, 1, False), {}, ()), str)
    'Not enough yet: 1 person, 3 answers.'
    """
    group = found.group
    who = f"{group.people} {'person' if group.people == 1 else 'people'}, {counted(group.answers, 'answer')}"
    if not group.known or len(group.places) < 2:
        return f"Not enough yet: {who}."
    first, second = group.places[:2]
    verb = "wins" if first.best >= LIKELY else "leads"
    sure = min(99, math.floor(100 * first.best))
    return f"{title(first.item)} {verb} ({sure} % sure); {title(second.item)} second; {who}."


def of_poll(arena: Arena) -> dict[str, Any]:
    """Return the result of an arena for everyone, for its template."""
    poll, titles = arena.arenas.database.poll(arena.name), {item.id: item.title for item in arena.items}
    bars = [Bar(titles[place.item], place.best, place.low, place.high) for place in poll.group.places[:20]]
    own = [(titles[item], count) for item, count in poll.favourites.items()]
    return {"sentence": sentence(poll, titles.__getitem__), "bars": bars, "own": own, "agreement": poll.agreement}


def of_visitors(arena: Arena, summary: Summary) -> dict[str, Any]:
    """Return the same of an arena with a favourite for each visitor: the sentence alone."""
    counts = [(item.title, summary.favourites[item.id]) for item in arena.items if item.id in summary.favourites]
    return {"sentence": sentence_of(counts), "bars": [], "own": [], "agreement": ()}


def sentence_of(counts: Sequence[tuple[str, int]]) -> str:
    """Say whose favourite most people have, given of how many each item is.

    >>> sentence_of([("pho", 5), ("curry", 8)])
    'curry is the favourite of 8 of 13 visitors, pho of 5.'
    >>> sentence_of([("pho", 5), ("curry", 8), ("ramen", 8)])
    'curry and ramen are each the favourite of 8 of 21 visitors.'
    """
    if not counts:
        return "Nobody has answered yet."
    (first, most), *others = sorted(counts, key=lambda entry: -entry[1])
    of = counted(sum(count for _, count in counts), "visitor")
    level = [title for title, count in others if count == most]
    if level:
        names = f"{first} and {level[0]}" if len(level) == 1 else f"{first} and {len(level)} other items"
        return f"{names} are each the favourite of {most} of {of}."
    return f"{first} is the favourite of {most} of {of}" + (f", {others[0][0]} of {others[0][1]}." if others else ".")
