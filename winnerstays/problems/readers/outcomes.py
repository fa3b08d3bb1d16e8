"""Who won, from the cells of a row: a name, a side, a score, a flag."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.columns import SIDES, words_of
from winnerstays.problems.readers.table import POINTS_OF_THREE, Table, number_or_none

YES = {"1", "1.0", "true", "t", "yes", "y", "tie", "draw"}
NO = {"", "0", "0.0", "false", "f", "no", "n"}
TIES = {
    "tie", "tied", "draw", "drawn", "both", "neither", "equal", "even", "=", "bothbad", "both bad", "tie bothbad",
    "tie both bad", "tie bothgood", "no preference", "same",
}  # fmt: skip
WIN, LOSS = {"win", "won", "wins"}, {"loss", "lost", "lose", "loses", "defeat"}
UNDECIDED = {"*", "abandoned", "cancelled", "canceled", "postponed", "no contest", "nc", "void", "no result"}
SAMPLE = 10_000
"""Rows that are looked at to see what numbers mean."""


class RowError(Exception):
    """What is wrong with a row: the column, and the rest of a sentence."""

    def __init__(self, column: int, problem: str) -> None:
        super().__init__(problem)
        self.column = column


class Outcome(NamedTuple):
    """The two items of a row, and how often each was chosen over the other; both 0 if nobody was."""

    first: str
    second: str
    won: float
    lost: float
    tied: float = 0.0
    """How many of them were ties, which are in both as halves."""


Reader = Callable[[list[str]], Outcome | None]
"""What a row says; None if it is not about a duel."""
Share = Callable[[list[str], str, str], float | None]
"""What the first item won: 1, 1/2, 0, or None if it was not decided."""


class Layout(NamedTuple):
    """How a row is read, and what was assumed."""

    read: Reader
    assumed: str


def layout_of(table: Table, roles: Mapping[str, int]) -> Layout:
    """Return how the rows of a table of duels are read."""
    assumed: list[str] = []
    header = table.header
    first, second = ("winner", "loser") if "loser" in roles else ("left", "right")
    decide = _winner_loser(roles) if "loser" in roles else _decision(table, roles, assumed)
    count, ties = roles.get("count"), roles.get("tie")
    if count is not None:
        assumed.append(f"each row counts {header[count]} times")
    times_in = partial(positive, open_points=table.open_points)
    left, right, left_wins, right_wins = (roles.get(role, 0) for role in (first, second, "left_wins", "right_wins"))

    def read(row: list[str]) -> Outcome:
        one, other = cell(row, left, header), cell(row, right, header)
        times = 1.0 if count is None else times_in(row, count)
        if decide is None:
            half = 0.0 if ties is None else times_in(row, ties) / 2
            won, lost = times_in(row, left_wins) + half, times_in(row, right_wins) + half
            return Outcome(one, other, times * won, times * lost, 2 * times * half)
        share = decide(row, one, other)
        if share is None:
            return Outcome(one, other, 0.0, 0.0)
        return Outcome(one, other, times * share, times * (1 - share), times if share == 0.5 else 0.0)

    return Layout(read, "; ".join(assumed))


def cell(row: Sequence[str], place: int, header: Sequence[str]) -> str:
    """Return a cell that must not be empty."""
    if place >= len(row) or not row[place]:
        raise RowError(place, f"has no {header[place]}")
    return row[place]


def positive(row: Sequence[str], place: int, open_points: bool = False) -> float:
    """Return the number of times in a cell; `open_points`: a point may stand before decimals or between thousands."""
    text = row[place] if place < len(row) else ""
    if open_points and POINTS_OF_THREE.fullmatch(text):
        raise RowError(
            place,
            f"is {text!r}, which may be {text.replace('.', '')} or {text.replace('.', ',')}; write it as one of these",
        )
    number = number_or_none(text)
    if number is None or not 0 <= number < 1e15:
        raise RowError(place, f"is {text[:40]!r}, but it must be a number from 0 to below 10^15")
    return number


def flag(row: Sequence[str], place: int) -> bool:
    """Return the yes or no in a cell; nothing is no."""
    text = row[place].lower() if place < len(row) else ""
    if text not in YES | NO:
        raise RowError(place, f"is {text[:40]!r} where 0 or 1 is expected")
    return text in YES


def _winner_loser(roles: Mapping[str, int]) -> Share:
    tie = roles.get("tie")
    return lambda row, first, second: 0.5 if tie is not None and flag(row, tie) else 1.0


def _decision(table: Table, roles: Mapping[str, int], assumed: list[str]) -> Share | None:
    header = table.header
    if "winner" in roles:
        return _named(table, roles, assumed)
    if "left_won" in roles:
        return _flags(roles["left_won"], roles.get("right_won"), roles.get("tie"))
    if "left_wins" in roles and "right_wins" in roles:
        assumed.append(f"{header[roles['left_wins']]} and {header[roles['right_wins']]} are how often each won")
        if "tie" in roles:
            assumed.append(f"{header[roles['tie']]} how often nobody did, half a win for each")
        return None
    if "left_score" in roles and "right_score" in roles:
        one, other = roles["left_score"], roles["right_score"]
        assumed.append(f"the higher of {header[one]} and {header[other]} wins")
        return lambda row, first, second: _compare(positive(row, one), positive(row, other))
    place = roles["score"]
    assumed.append(f"the higher side of {header[place]} wins")
    return lambda row, first, second: _score(row, place)


def _compare(one: float, other: float) -> float:
    return 1.0 if one > other else 0.0 if one < other else 0.5


def _flags(left: int, right: int | None, tie: int | None) -> Share:
    def share(row: list[str], first: str, second: str) -> float:
        if right is None:
            return 0.5 if tie is not None and flag(row, tie) else float(flag(row, left))
        said = [flag(row, left), flag(row, right), tie is not None and flag(row, tie)]
        if sum(said) != 1:
            raise RowError(left, "must have exactly one outcome in its row")
        return (1.0, 0.0, 0.5)[said.index(True)]

    return share


def score_of(text: str) -> float | None:
    """Return what the first side won by a score such as 2-1, 0:0 or 1/2-1/2; None if it is no score.

    >>> score_of("1-0"), score_of("1/2-1/2"), score_of("2 : 3"), score_of("well")
    (1.0, 0.5, 0.0, None)
    """
    found = re.fullmatch(r"(\d+(?:/\d+)?)\s*[-:\u2013]\s*(\d+(?:/\d+)?)", text.replace("½", "1/2"))
    if not found:
        return None
    one, other = (float(top) / float(below or 1) for top, _, below in (part.partition("/") for part in found.groups()))
    return _compare(one, other)


def _score(row: Sequence[str], place: int) -> float:
    share = score_of(row[place] if place < len(row) else "")
    if share is None:
        text = row[place] if place < len(row) else ""
        raise RowError(place, f"is {text[:40]!r}, but it must be a score such as 2-1")
    return share


def _named(table: Table, roles: Mapping[str, int], assumed: list[str]) -> Share:
    """The winner by an item's name first, then by its side, by a number that stands for a side, or by a score."""
    header, place = table.header, roles["winner"]
    left, right = header[roles["left"]], header[roles["right"]]
    codes = _codes(left, right) | _number_codes(table, roles, assumed)

    def share(row: list[str], first: str, second: str) -> float | None:
        said = cell(row, place, header)
        if said in (first, second):
            return float(said == first)
        plain = _plain(said)
        if plain in codes:
            return codes[plain]
        if plain in UNDECIDED or said == "*":
            return None
        found = score_of(said)
        if found is None:
            raise RowError(place, f"is {said[:40]!r}, but it must be {left}, {right}, tie or one of the two items")
        return found

    return share


def _plain(text: str) -> str:
    """Return a value without what people write differently: case, brackets, underscores."""
    number = number_or_none(text)
    if number is not None and abs(number) < 100 and number == int(number):
        return str(int(number))
    return " ".join(re.findall(r"[\w.½/=*-]+", text.lower().replace("_", " "))) if text else ""


def _codes(left: str, right: str) -> dict[str, float]:
    """Return the words that stand for the sides, for a tie and, seen from the left, for winning and losing."""
    codes: dict[str, float] = dict.fromkeys(TIES, 0.5)
    codes |= dict.fromkeys(WIN, 1.0) | dict.fromkeys(LOSS, 0.0)
    one, other = words_of(left), words_of(right)
    sides = [
        (a, b) for a, b in SIDES if a in one and tuple(b if word == a else word for word in one) == other
    ]  # fmt: skip
    for a, b in sides[:1]:
        if not a.isdigit():
            codes |= {a[0]: 1.0, b[0]: 0.0} if a[0] != b[0] and "d" not in (a[0], b[0]) else {}
            codes |= {a: 1.0, b: 0.0}
            codes.setdefault("d", 0.5)
    if not codes.keys() & {"w", "l"}:
        codes |= {"w": 1.0, "l": 0.0, "d": 0.5}
    return codes | {_plain(left): 1.0, _plain(right): 0.0}


def _number_codes(table: Table, roles: Mapping[str, int], assumed: list[str]) -> dict[str, float]:
    """Return what numbers stand for, by those that occur where the winner is not named; a sentence if that is open."""
    header, place = table.header, roles["winner"]
    seen = _numbers(islice(table.rows(), SAMPLE), roles)
    name, left, right = header[place], header[roles["left"]], header[roles["right"]]
    if not seen - {"x"}:
        return {}
    meanings: list[tuple[set[str], dict[str, float], str]] = [
        ({"-1", "0", "1"}, {"1": 1.0, "-1": 0.0, "0": 0.5}, f"1 is {left}, -1 is {right}, 0 a tie"),
        ({"0", "0.5", "1"}, {"1": 1.0, "0": 0.0, "0.5": 0.5}, f"1 is {left}, 0 is {right}, 0.5 a tie"),
        ({"1", "2", "x"}, {"1": 1.0, "2": 0.0, "x": 0.5}, f"1 is {left}, 2 is {right}"),
    ]
    needed = ({"-1"}, {"0.5"}, {"2"})
    for (allowed, codes, said), sure in zip(meanings, needed, strict=True):
        if seen <= allowed and seen & sure:
            assumed.append(f"in {name}, {said}")
            return codes
    if seen <= {"0", "1"} and words_of(name)[:1] == ("winner",):
        assumed.append(f"in {name}, 0 is {left}, 1 is {right}")
        return {"0": 1.0, "1": 0.0}
    values = ", ".join(sorted(seen))
    raise WinnerstaysError(
        f"the column {name} holds {values}, which may mean several things: with --columns left_won={name} 1 means that "
        f"{left} won; else name the winner in it ({left}, {right}, tie)."
    )


def _numbers(rows: Iterable[tuple[int, list[str]]], roles: Mapping[str, int]) -> set[str]:
    """Return the numbers (and x, for a tie between 1 and 2) in the winner's column that are no items of their row."""
    seen: set[str] = set()
    for _, row in rows:
        if len(row) > max(roles["winner"], roles["left"], roles["right"]):
            said = row[roles["winner"]]
            plain = _plain(said)
            if said not in (row[roles["left"]], row[roles["right"]]) and re.fullmatch(r"-?\d+(\.\d+)?|x", plain):
                seen.add(plain)
    return seen
