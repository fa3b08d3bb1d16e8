"""The words and letters that stand for a side in a winner's column, for a tie, and for no decision."""

import re
from collections.abc import Sequence
from functools import lru_cache

from winnerstays.problems.readers.table import number_or_none
from winnerstays.problems.readers.vocabulary import FAMILIES, OPPONENTS, same_sides, words_of

TIES = {
    "tie", "tied", "draw", "drawn", "drew", "both", "neither", "equal", "even", "=", "bothbad", "both bad",
    "bothgood", "both good", "tie bothbad", "tie both bad", "tie bothgood", "tie both good", "no preference", "same",
    "about the same", "the same", "equally good", "no difference", "½", "1/2", "stalemate", "remis", "unentschieden",
    "empate", "pareggio", "match nul", "gelijkspel", "ничья", "match drawn", "match tied", "drawn match",
    "tied match", "match draw", "game drawn", "game tied",
}  # fmt: skip
WIN, LOSS = {"win", "won", "wins"}, {"loss", "lost", "lose", "loses", "defeat"}
UNDECIDED = {
    "*", "abandoned", "cancelled", "canceled", "postponed", "no contest", "nc", "void", "no result", "aborted",
    "nostart", "no start", "match abandoned", "skip", "skipped", "no answer",
}  # fmt: skip
NO_SCORE = UNDECIDED | {"", "-", "--", "- -", "v", "vs", "p-p", "tbd", "n/a", "na"}
"""What stands in place of the score of a game that was not played."""
USUAL = {"-1", "0", "0.5", "1", "2", "3", "x"}
"""Numbers that people use for sides and ties."""
OWN_RESULTS = {("wl",), ("w", "l")}
"""Columns that say W or L of the side that stands first, whose log it is."""
Codes = dict[str, float | None]


@lru_cache(100_000)
def plain(text: str) -> str:
    """Return a value without what people write differently: case, brackets, underscores, zeros behind a point."""
    number = number_or_none(text)
    if number is not None and abs(number) < 1e9:
        return f"{number:.10g}"
    return " ".join(re.sub(r"[()\[\]{}\"'_,;:]", " ", text.lower()).split())


def side_words(left: str, right: str) -> tuple[Codes, Codes]:
    """Return the words that stand for the sides as their columns are called, and those that are shorter or general."""
    short: Codes = {**dict.fromkeys(TIES, 0.5), **dict.fromkeys(WIN, 1.0), **dict.fromkeys(LOSS, 0.0)}
    one, other = words_of(left), words_of(right)
    own = _of_sides(one, other)
    for a, b in own[:1]:
        letters = {a[0], b[0]}  # d and t may also be a draw and a tie
        short |= {a[0]: 1.0, b[0]: 0.0} if len(letters - {"d", "t"}) == 2 else {}
        short |= {a: 1.0, b: 0.0}
        short.setdefault("d", 0.5)
    for a, b in own[1:]:
        short |= {a: 1.0, b: 0.0} if min(len(a), len(b)) > 1 else {}
    if not short.keys() & {"w", "l"}:
        short |= {"w": 1.0, "l": 0.0, "d": 0.5}
    if OPPONENTS.intersection(other) or not own:
        short.setdefault("t", 0.5)
    full: Codes = {plain(left): 1.0, plain(right): 0.0, **_parts(one, other, 1.0), **_parts(other, one, 0.0)}
    for name, share in [*full.items(), *((word, short[word]) for pair in own for word in pair if word in short)]:
        full |= {text: share for won in WIN for text in (f"{name} {won}", f"{won} {name}")}
    for name, share in [*full.items()]:
        full.setdefault(name.replace(" ", ""), share)
    initials = ["".join(word[0] for word in words) for words in (one, other)]
    if initials[0] != initials[1] and min(map(len, initials)) > 1:
        short |= {initials[0]: 1.0, initials[1]: 0.0}  # t1 for team_1
    return full, short


def _of_sides(one: Sequence[str], other: Sequence[str]) -> list[tuple[str, str]]:
    """Return the words in which the names of two columns differ, and others of the same meaning."""
    differing = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    if len(one) != len(other) or len(differing) != 1 or differing[0][0].isdigit():
        return []
    a, b = differing[0]
    family = next((some for some in FAMILIES if any(a == c for c, _ in some) and any(b == d for _, d in some)), ())
    if any(OPPONENTS.issuperset({d}) for _, d in family):
        return differing
    return [(a, b), *(pair for pair in same_sides(a, family) if pair != (a, b))]


def _parts(one: Sequence[str], other: Sequence[str], share: float) -> Codes:
    """Return the parts of a column's name that are no part of the other's: `image a` of `Input.image_a`."""
    parts = {" ".join(one[low:high]) for low in range(len(one)) for high in range(low + 1, len(one) + 1)}
    others = {" ".join(other[low:high]) for low in range(len(other)) for high in range(low + 1, len(other) + 1)}
    return {part: share for part in parts - others if " " in part or part == " ".join(one)}
