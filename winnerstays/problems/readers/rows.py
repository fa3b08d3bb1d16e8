"""What a row of a table of duels says, and the cells it is made of."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from winnerstays.problems.readers.cells import Nested
from winnerstays.problems.readers.table import POINTS_OF_THREE, number_or_none

YES = {"1", "1.0", "true", "t", "yes", "y", "tie", "draw"}
NO = {"", "0", "0.0", "false", "f", "no", "n"}
MISSING = {"#n/a", "#ref!", "#value!", "#name?", "#null!", "#div/0!", "#num!"}
"""What programs write where there is nothing, in lower case; nobody is called so."""


class RowError(Exception):
    """What is wrong with a row: the column, the rest of a sentence, and what else could be said to read it."""

    def __init__(self, column: int, problem: str, way_out: str = "") -> None:
        super().__init__(problem)
        self.column = column
        self.way_out = way_out


class NoDuelError(Exception):
    """Why a row is no duel, as the plural that is counted."""


class Outcome(NamedTuple):
    """The two items of a row, and how often each was chosen over the other; both 0 if nobody was."""

    first: str
    second: str
    won: float
    lost: float
    tied: float = 0.0
    """How many of them were ties, which are in both as halves."""
    by_score: float | None = None
    """What the first won by the score that stands beside; None if there is none."""


class Place(NamedTuple):
    """Two columns, of the first and of the second item."""

    first: int
    second: int


Reader = Callable[[list[str]], Outcome | None]
"""What a row says; None if it is not about a duel."""
Share = Callable[[list[str], str, str], float | None]
"""What the first item won: 1, 1/2, 0, or None if it was not decided."""


def text_at(row: Sequence[str], place: int | None) -> str:
    """Return what stands in a cell; nothing where there is no such cell."""
    return row[place] if place is not None and place < len(row) else ""


def cell(row: Sequence[str], place: int, header: Sequence[str]) -> str:
    """Return a cell that must not be empty."""
    text = text_at(row, place)
    if not text or (text[0] == "#" and text.lower() in MISSING):
        raise RowError(place, f"has no {header[place]}" + (f" ({text})" if text else ""))
    if isinstance(text, Nested):
        raise RowError(place, f"is {text[:60]}, but it must be text, or an object with a name or an id")
    return text


def open_point(text: str, where: str = "") -> str:
    """Say that a point may stand between thousands or before decimals, and how to write either."""
    where = where or f"{text!r}, which"
    return f"is {where} may be {text.replace('.', '')} or {text}0; write it as one of these"


def number_at(row: Sequence[str], place: int, open_points: bool = False) -> float:
    """Return the number in a cell; `open_points`: a point may stand before decimals or between thousands."""
    text = text_at(row, place)
    if open_points and POINTS_OF_THREE.fullmatch(text):
        raise RowError(place, open_point(text))
    number = number_or_none(text)
    if number is None or not abs(number) < 1e15:
        raise RowError(place, f"is {text[:40]!r}, but it must be a number below 10^15")
    return number


def positive(row: Sequence[str], place: int, open_points: bool = False) -> float:
    """Return the number of times in a cell."""
    text, number = text_at(row, place), number_or_none(text_at(row, place))
    if number is None or not 0 <= number < 1e15:
        raise RowError(place, f"is {text[:40]!r}, but it must be a number from 0 to below 10^15")
    return number_at(row, place, open_points)


def flag(row: Sequence[str], place: int) -> bool:
    """Return the yes or no in a cell; nothing is no."""
    text = text_at(row, place)
    if text.lower() not in YES | NO:
        raise RowError(place, f"is {text[:40]!r} where 0 or 1 is expected")
    return text.lower() in YES
