"""A game with an end: how far a person is, about how many duels are left, and the result."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from unicodedata import east_asian_width

import numpy as np

from winnerstays.arena import Arena
from winnerstays.arena.figures.likely import Likelihood
from winnerstays.web.items import Card

QUESTION = "Which do you like better?"
EXPECTED = ((0.1, 0.0), (0.3, 0.5), (0.55, 0.9), (0.7, 1.1), (0.8, 1.4), (0.87, 1.75), (0.9, 2.0))
"""How likely the favourite of somebody who never slips is, after how many answers per item."""
MAX_SKIPS = 20
"""Whoever skips so many pairs in a row, or all of them twice, ends the game."""
MAX_LEAST = 20
"""A game has as many answers as items, or at least so many: what others like may be wrong about somebody."""
TOP = 5
LIKELY = 0.5
"""A favourite, or a winner, is called so from this chance on."""


def goal_of(arena: Arena) -> int:
    """Return after how many answers a person's game ends: as set, or by the number of items."""
    items = sum(not item.retired for item in arena.items)
    if arena.settings.goal is not None:
        return arena.settings.goal
    return min(2 * items, 30) if arena.settings.audience == "everyone" else max(12, min(4 * items, 100))


@dataclass(frozen=True)
class Progress:
    """How far a person is in the game."""

    answers: int
    left: int
    """About how many duels are left; 0 at the end."""

    @property
    def of(self) -> int:
        return self.answers + self.left

    @property
    def done(self) -> bool:
        return self.left == 0


def gave_up(skipped: int, arena: Arena) -> bool:
    """Whether somebody has skipped so many pairs in a row that the game ends."""
    items = sum(not item.retired for item in arena.items)
    return skipped >= min(MAX_SKIPS, items * (items - 1))


def is_over(found: Likelihood, arena: Arena) -> bool:
    """Whether somebody has played and cannot go on: the game is closed, or all in a team give equally many answers."""
    team = arena.settings.audience == "everyone"
    return found.answers > 0 and (arena.settings.closed or (team and found.answers >= goal_of(arena)))


def progress(found: Likelihood, arena: Arena, before: int | None = None) -> Progress:
    """Return how far a person is whose favourite was found so. `before` is the estimate after the last answer.

    The estimate never changes by more than a factor of two, unless that is the end. In a group all give equally many
    answers.
    """
    answers, places, goal, enough = found.answers, found.places, goal_of(arena), arena.settings.enough
    if arena.settings.audience == "everyone":
        return Progress(answers, max(goal - answers, 0))
    items = max(len(places), 2)
    least = min(items, MAX_LEAST)
    sure = found.known and bool(places) and places[0].best >= enough
    if answers >= goal or (sure and answers >= least):
        return Progress(answers, 0)
    best = places[0].best * EXPECTED[-1][0] / enough if answers and places else 0.0
    rounds = float(np.interp(best, [chance for chance, _ in EXPECTED], [rounds for _, rounds in EXPECTED]))
    left = max(1, least - answers, math.ceil(items * (EXPECTED[-1][1] - rounds)))
    left = min(left, max(1, goal - answers))
    if before:
        left = min(max(left, math.ceil(before / 2)), 2 * before)
    return Progress(answers, left)


@dataclass(frozen=True)
class Line:
    """One item of a result, and its chance to be the favourite."""

    card: Card
    chance: float

    @property
    def percent(self) -> str:
        return "under 1 %" if self.chance < 0.01 else f"{min(99, math.floor(100 * self.chance))} %"

    def size(self, width: int, largest: int) -> int:
        """Return the size of a font in which about the whole title is as wide as this."""
        letters = sum(1.0 if east_asian_width(letter) in "WF" else 0.56 for letter in self.card.title)
        return max(largest // 2, min(largest, int(width / letters)))


@dataclass(frozen=True)
class Result:
    """What a person's game has shown."""

    lines: tuple[Line, ...]
    sure: str
    """How sure the favourite is, in words."""
    known: bool
    """Whether the chances mean something."""
    answers: int
    others: str
    """How many others prefer the same."""
    over: bool = False
    """Whether the game cannot go on."""

    @property
    def so_far(self) -> bool:
        """Whether the favourite may well be another."""
        return not self.known or self.lines[0].chance < LIKELY


def result(found: Likelihood, card: Callable[[str], Card], others: str = "", *, over: bool = False) -> Result:
    """Return the favourite, the best five, and how sure they are; no lines where nothing was chosen."""
    lines = tuple(Line(card(place.item), place.best) for place in found.places[:TOP]) if found.answers else ()
    return Result(lines, sure_of(found), bool(lines) and found.known, found.answers, others, over)


def sure_of(found: Likelihood) -> str:
    """Return how sure the favourite is, in words."""
    if not found.answers or not found.places:
        return "Not enough answers yet"
    if found.doubt:
        return found.doubt.rstrip(".")
    if not found.known:
        return "Not sure yet"
    percent = f"{min(99, math.floor(100 * found.places[0].best))} %"
    return f"{percent} sure" if found.places[0].best >= LIKELY else f"Not sure yet ({percent})"


def compared(arena: Arena, user: str, favourite: str) -> str:
    """Return how many other people of the arena have the same favourite, as a sentence; empty if nobody else came."""
    favourites = arena.summary().favourites
    others = sum(favourites.values()) - 1
    if others < 1:
        return ""
    same = favourites.get(favourite, 0) - (arena.best(user) == favourite)
    if not same:
        return "Nobody else here has the same favourite." if others > 1 else "The other player has another favourite."
    if others == 1:
        return "The other player has the same favourite."
    return f"{same} of {others} other players {'has' if same == 1 else 'have'} the same favourite."
