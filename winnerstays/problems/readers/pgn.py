"""Games of chess as PGN has them: the tags White, Black and Result of each game, and nothing of its moves."""

import re
from collections.abc import Iterator

from winnerstays.problems.readers.cells import composed
from winnerstays.problems.readers.dialect import Row
from winnerstays.problems.readers.opening import Source
from winnerstays.problems.readers.table import Table

TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]')
TAGS = ["White", "Black", "Result"]


def is_pgn(source: Source) -> bool:
    """Tell whether a file begins with a tag of PGN."""
    return TAG.match(source.beginning.lstrip()) is not None


def table(source: Source) -> Table:
    """Return the games as a table of duels."""

    def rows() -> Iterator[Row]:
        begun, tags = 0, dict.fromkeys(TAGS, "")
        with source.text() as file:
            for number, line in enumerate(file, start=1):
                tag = TAG.fullmatch(line.strip())
                if tag and tag[1] in tags:
                    tags[tag[1]], begun = composed(tag[2].strip()) if tag[2].strip(" ?") else "", begun or number
                elif begun and not line.startswith("["):
                    yield begun, list(tags.values())
                    begun, tags = 0, dict.fromkeys(TAGS, "")
        if begun:
            yield begun, list(tags.values())

    return Table(list(TAGS), rows, note="; ".join(filter(None, ["PGN", source.note])))
