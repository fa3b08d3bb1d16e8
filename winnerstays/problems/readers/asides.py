"""Rows of a text file that belong to no row of its table: footers, sub-headings, the questions of a survey.

A line with one cell alone is left out if it is written like a footer or a heading (`Total`, `Source: ...`, `Matchday
1`), or holds words in a column of numbers or dates, and no row of the table has the same cell. Qualtrics writes the
questions and a line of `{"ImportId": ...}` below the header.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from winnerstays.problems.readers.dialect import SPACES, WIDE, WORDS, Row, split, unruled
from winnerstays.problems.readers.headings import two_lines, with_items
from winnerstays.problems.readers.opening import Source
from winnerstays.wording import counted

FEWEST_COLUMNS = 3
MOST_QUESTIONS = 3
"""Rows below the header among which that of the ids of a survey's questions may be."""
IMPORTED = re.compile(r"\{\W*ImportId\b")
ASIDE = re.compile(
    r"(?:(?:grand )?totals?|sums?|gesamt|summe)\W*"
    r"|(?:sources?|notes?|legend|generated|exported|downloaded|created|compiled|(?:last )?updated|copyright|quellen?"
    r"|hinweis|stand|fuente|fonte|bron|as of|retrieved|data (?:from|by|provided)|page)\b.*"
    r"|(?:https?://|www\.|\u00a9|\(c\)|\*).*"
    r"|(?:match ?day|match ?week|game ?week|round|week|group|day|stage|phase|leg|pool|spieltag|runde|gruppe"
    r"|journ\u00e9e|jornada|giornata|speelronde|ronde)\W+(?:[\w.]{1,4}|of \w+)(?:\W.*)?"
    r"|(?:round of \d+|last \d+|(?:quarter|semi)\W?finals?|finals?|play\W?offs?|(?:group|knock\W?out) stage)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b.*",
    re.IGNORECASE,
)  # fmt: skip
LETTER = re.compile(r"[^\W\d_]")
SHOWN = 40


class Asides(NamedTuple):
    """The lines that are no rows, and what is said of them."""

    lines: frozenset[int]
    notes: tuple[str, ...]
    header: Sequence[str] = ()
    """What the columns are called by those lines; empty if they do not say it."""


def asides_of(source: Source, start: int, delimiter: str, first: Sequence[Row]) -> Asides:
    """Return the lines below the header that are no rows; `first` are the first rows, the header included."""
    questions = _questions(first[1:])
    notes = [f"{counted(len(questions), 'row')} of questions below the header left out"] if questions else []
    header = with_items(first[0][1], first[1][1]) if len(questions) > 1 else two_lines(first) or []
    if header and not questions:
        questions = [first[1][0]]
        notes = ["the second line goes on with the header"]
    width = len(first[0][1]) if first else 0
    found = _lone(source, start, delimiter, width) if width >= FEWEST_COLUMNS else {}
    if found and first:
        found = _no_items(found, source, start, delimiter, first[0][1])
    if found:
        line, (_, text) = next(iter(found.items()))
        cut = text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
        notes.append(f"{counted(len(found), 'line')} with one cell alone left out (line {line} {cut!r})")
    return Asides(frozenset([*questions, *found]), tuple(notes), header)


def _questions(rows: Sequence[Row]) -> list[int]:
    """Return the lines of the questions and of their ids."""
    for k, (_, cells) in enumerate(rows[:MOST_QUESTIONS]):
        if all(IMPORTED.match(cell) for cell in cells if cell):
            return [line for line, _ in rows[: k + 1]]
    return []


def _lone(source: Source, start: int, delimiter: str, width: int) -> dict[int, tuple[int, str]]:
    """Return the lines with words in one cell alone: which cell, and the words."""
    found: dict[int, tuple[int, str]] = {}
    if delimiter in (WIDE, SPACES):
        return found
    quotes = 0
    with source.text() as file:
        for number, line in enumerate(unruled(islice(file, start, None)), start=start + 1):
            inside, quotes = quotes % 2 == 1, quotes + line.count('"')
            bare = line.strip()
            if inside or number == start + 1 or (delimiter in bare.strip(delimiter) and '"' not in line):
                continue
            cells = next((cells for _, cells in split([line], delimiter)), [])
            held = [k for k, cell in enumerate(cells[:width]) if cell]
            if len(held) == 1 and not any(cells[width:]) and WORDS.search(cells[held[0]]):
                found[number] = (held[0], cells[held[0]])
    return found


def _no_items(
    lone: dict[int, tuple[int, str]], source: Source, start: int, delimiter: str, header: Sequence[str]
) -> dict[int, tuple[int, str]]:
    """Return those lines that name no item: no other row has their cell, and they are not written like one."""
    texts, used, worded = {text for _, text in lone.values()}, {*header}, set[int]()
    for number, row in _rows(source, start, delimiter):
        if number not in lone:
            used |= texts.intersection(row)
            worded |= {k for k, cell in enumerate(row) if k not in worded and LETTER.search(cell)}
    return {
        number: (place, text)
        for number, (place, text) in lone.items()
        if text not in used and (ASIDE.fullmatch(text) or place not in worded)
    }


def _rows(source: Source, start: int, delimiter: str) -> Iterator[Row]:
    with source.text() as file:
        for number, row in islice(split(unruled(islice(file, start, None)), delimiter), 1, None):
            yield number + start, row
