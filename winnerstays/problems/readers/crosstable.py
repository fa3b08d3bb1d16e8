"""Crosstables of chess: rows with names, columns with numbers, and in the cells what the row scored against the column.

The numbers on top are those of the rows, in their order or wherever a `*` or an `X` stands in the cell of an item
against itself. A cell may list several games, `1½0`, if the opposite one lists the same, `0½1`.
"""

import re
from collections.abc import Sequence

import numpy as np

from winnerstays._types import Floats
from winnerstays.problems.readers.dialect import Row
from winnerstays.problems.readers.table import number_or_none
from winnerstays.problems.readers.vocabulary import words_of

OWN = {"x", "*", "\\", "xx", "**", "xxx", "***", "xxxx", "****", "\N{FULL BLOCK}", "\N{MULTIPLICATION SIGN}"}
"""What stands in the cell of an item against itself."""
BLANK = OWN | {"", "-", "\N{EN DASH}", "\N{EM DASH}"}
NAMES = {"name", "player", "team", "spieler", "mannschaft", "joueur", "jugador", "giocatore", "jogador", "speler"}
GAMES = re.compile("[01½=]+")
SCORES = {"1": 1.0, "½": 0.5, "=": 0.5, "0": 0.0}


def named_on_top(rows: Sequence[Row]) -> tuple[Sequence[Row], str]:
    """Return a crosstable with its items' names on top, and what was assumed; other tables as they are."""
    header, below = rows[0][1], [row for _, row in rows[1:]]
    numbers = [str(number) for number in range(1, len(below) + 1)]
    start = header.index("1") if "1" in header else 0
    if len(below) < 2 or start == 0 or header[start : start + len(below)] != numbers:
        return rows, ""
    if header.count("1") > 1 or str(len(below) + 1) in header or any(len(row) != len(header) for row in below):
        return rows, ""
    name = _name_column(header[:start], below)
    own = _own_columns([row[start : start + len(below)] for row in below])
    if name is None or own is None:
        return rows, ""
    items = dict(zip(own, (row[name] for row in below), strict=True))
    top = ["" if k != name else cell for k, cell in enumerate(header)]
    top[start : start + len(below)] = [items[k] for k in range(len(below))]
    left_out = [cell for k, cell in enumerate(header) if cell and k != name and not start <= k < start + len(below)]
    order = "in their order" if own == sorted(own) else "by the cells of each against itself"
    said = f"the columns 1 to {len(below)} are the rows, {order}, and cells hold what the row scored"
    return [(rows[0][0], top), *rows[1:]], "; ".join([said, *([f"{', '.join(left_out)} left out"] if left_out else [])])


def _name_column(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int | None:
    """Return the one column of texts, no two of them equal; of several, the one that is called a name."""
    columns = [[row[k] for row in rows] for k in range(len(header))]
    able = [
        k
        for k, cells in enumerate(columns)
        if len({*cells}) == len(rows) and all(cell and number_or_none(cell) is None for cell in cells)
    ]
    called = [k for k in able if NAMES.intersection(words_of(header[k]))]
    return called[0] if len(called) == 1 else able[0] if len(able) == 1 else None


def _own_columns(cells: Sequence[Sequence[str]]) -> list[int] | None:
    """Return which column is that of each row itself; None if that is not to be seen."""
    marked = [[k for k, cell in enumerate(row) if cell.lower() in OWN] for row in cells]
    if all(len(row) == 1 for row in marked) and len({row[0] for row in marked}) == len(cells):
        return [row[0] for row in marked]
    return list(range(len(cells))) if all(row[k].lower() in BLANK for k, row in enumerate(cells)) else None


def games_listed(cells: Sequence[Sequence[str]]) -> Floats | None:
    """Return the wins of cells that list several games, `1½0` opposite `0½1`; None if these are other cells."""
    n_items, longest = len(cells), 0
    wins = np.zeros((n_items, n_items))
    for row in range(n_items):
        for column in range(row):
            one, other = (cells[i][j].replace(" ", "") for i, j in ((row, column), (column, row)))
            if one.lower() in BLANK and other.lower() in BLANK:
                continue
            if not GAMES.fullmatch(one) or not GAMES.fullmatch(other) or len(one) != len(other):
                return None
            if any(SCORES[a] + SCORES[b] != 1 for a, b in zip(one, other, strict=True)):
                return None
            longest = max(longest, len(one))
            wins[row, column] = sum(SCORES[game] for game in one)
            wins[column, row] = len(one) - wins[row, column]
    return wins if longest > 1 else None
