"""Surveys that ask about each pair in a column of its own: `Which do you prefer? [Tea vs Coffee]`.

A column is such a question if its name holds both alternatives and its cells name nothing else.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from winnerstays.problems.likeness import folded
from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.dialect import Row
from winnerstays.problems.readers.rows import text_at
from winnerstays.problems.readers.side_words import TIES, plain
from winnerstays.problems.readers.table import Table

JOINED = re.compile(r"(.+?)\s+(?:vs?\.?|versus|or|oder|ou|of|against|gegen|contre|contra)\s+(.+)", re.IGNORECASE)
PARTS = re.compile(r"[\[(]([^\])]*)[\])]|[:?\u2013\u2014]\s*([^:?\[(]+)|^([^\[(:?]+)")
"""Where the alternatives stand: in brackets, behind a colon, or alone."""
Question = tuple[int, str, str]
"""A column, and the two alternatives."""


def questions_about_pairs(table: Table) -> Table | None:
    """Return a row for each answer to a question about two alternatives; None if there are no such questions."""
    contents = Contents(table)
    questions = [
        found for place in range(len(table.header)) if (found := _question(table.header[place], place, contents))
    ]
    if not questions or (len(questions) == 1 and len({*contents.values(questions[0][0])}) < 2):
        return None

    def rows() -> Iterator[Row]:
        for number, row in table.rows():
            for place, first, second in questions:
                if answer := text_at(row, place):
                    yield number, [first, second, answer]

    note = (
        f"each of {len(questions)} columns asks about two items" if len(questions) > 1 else "one column asks about two"
    )
    return replace(
        table,
        header=["left", "right", "winner"],
        rows=rows,
        remarks={},
        note="; ".join(filter(None, [note, table.note])),
    )


def _question(name: str, place: int, contents: Contents) -> Question | None:
    """Return the alternatives that a column's name holds, if its cells name no others."""
    values = {folded(value) for value in contents.values(place) if plain(value) not in TIES}
    for part in filter(None, (text for found in PARTS.finditer(name) for text in found.groups())):
        joined = JOINED.fullmatch(part.strip(" ?.!"))
        if joined:
            first, second = (text.strip(" \"'?.!") for text in joined.groups() if text)
            if values and values <= {folded(first), folded(second)} and folded(first) != folded(second):
                return place, first, second
    return None
