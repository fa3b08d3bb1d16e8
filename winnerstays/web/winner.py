"""The winner of a poll, or the favourite of most visitors: one sentence and a ranked chart."""

import math
from collections.abc import Callable
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
    titles, of = {item.id: item.title for item in arena.items}, sum(summary.favourites.values())
    order = sorted(summary.favourites.items(), key=lambda entry: -entry[1])[:2]
    if not order:
        return {"sentence": "Nobody has answered yet.", "bars": [], "own": [], "agreement": ()}
    words = f"{titles[order[0][0]]} is the favourite of {order[0][1]} of {counted(of, 'visitor')}"
    words += f", {titles[order[1][0]]} of {order[1][1]}." if len(order) > 1 else "."
    return {"sentence": words, "bars": [], "own": [], "agreement": ()}
