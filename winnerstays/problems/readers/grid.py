"""Tables that are matrices: which cells are names and which are numbers, and whether the row or the column wins.

Names in the first row that stand in a column, too, make a matrix, whatever its corner says; so do numbers whose
opposite cells sum to 1. The corner (`loser\\winner`) or a title (`Wins of column over row`) may say that the column
beats the row.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.crosstable import GAMES, OWN, games_listed, named_on_top
from winnerstays.problems.readers.dialect import Row
from winnerstays.problems.readers.rows import open_point
from winnerstays.problems.readers.survey import is_survey
from winnerstays.problems.readers.table import POINTS_OF_THREE as OPEN
from winnerstays.problems.readers.table import Table, number_or_none
from winnerstays.problems.readers.unknown_tables import pair_list, unknown_columns

NOTHING = {"", "-", "\N{EN DASH}", "\N{EM DASH}", "nan", "na", "n/a", "none", "null", "."}
NO_NUMBER = NOTHING | OWN
"""What stands in a cell of a matrix that holds no number, as on the diagonal of a crosstable."""
TOTALS = {"total", "totals", "sum", "all", "gesamt", "summe", "somme", "totale"}
SUMMARIES = TOTALS | {
    "rank", "wins", "win", "losses", "pts", "points", "mean", "average", "avg", "score", "played", "games", "borda",
    "copeland", "elo", "place", "pos", "position", "w", "l", "%", "pct", "win %", "win rate", "winrate", "#", "no",
    "nr",
}  # fmt: skip
"""What columns and rows beside a matrix are called that say something of an item."""
NAME_COLUMNS = 4
"""The names of rows stand in one of so many first columns."""
RECORD = re.compile(r"(\d+)\s*([-\N{EN DASH}:/])\s*(\d+)")
"""Wins and losses, 3-7, or wins and duels, 3/10."""
WIN = r"\b(?:win\w*|won|beats?|beating|defeats?|over|preferred|chosen|better|gewinner|sieger|vainqueur|ganador)\b|>"
LOSS = r"\b(?:los(?:es?|ers?|ing|t|s|ses)|beaten|defeated|rejected|worse|verlierer|perdant|perdedor)\b"
COLUMN_SIDE = re.compile(rf"\bcol(?:umn)?s?\W+(?:\w+\W+){{0,2}}({WIN}|{LOSS})")
WORDS_PER_CELL = 0.25
"""With more words among its cells than this, a table is no matrix with a mistake in it."""


class NotSquareError(WinnerstaysError):
    """A table of numbers that is no square matrix."""


class Grid(NamedTuple):
    """A square table of numbers, NaN for an empty cell."""

    items: list[str] | None
    numbers: Floats
    lines: list[int]  # where each row stands in the file
    cells: list[int]  # which cell of a line each column is, from 1
    corner: str = ""
    notes: tuple[str, ...] = ()
    open_point: str = ""
    """What to ask if wins were counted: a number of them whose point may stand between thousands."""
    scored: bool = False
    """Whether this is a crosstable, whose cells are scores."""

    def place(self, row: int, column: int) -> str:
        return f"line {self.lines[row]}, cell {self.cells[column]}: "


class _Names(NamedTuple):
    """Where the names of a matrix stand that are in a row and in a column, and what else there is."""

    column: int
    rows: list[int]
    columns: list[int]
    others: list[str]


def is_matrix(table: Table) -> bool:
    """Tell a matrix beyond doubt from any other table."""
    width = len(table.header)
    below = list(islice(table.rows(), width + NAME_COLUMNS))
    if len(below) >= width + NAME_COLUMNS:
        return False
    rows, totals = _without_totals([(table.line, table.header), *below])
    if _names(named_on_top(rows)[0]) is not None:
        return True
    try:
        numbers = _by_position(rows, totals, forced=False).numbers
    except WinnerstaysError:
        return False
    if len(numbers) < 2:
        return False
    own = np.diag(numbers)
    plain = bool((np.isnan(own) | (own == own[0])).all()) and (np.isnan(own[0]) or own[0] in (0, 0.5, 1))
    off = ~np.eye(len(numbers), dtype=bool)
    return (plain and _running(rows[0][1])) or bool((abs((numbers + numbers.T)[off] - 1) < 1e-6).all())


def is_square(table: Table) -> bool:
    """Tell a table of as many rows as columns, all of them numbers."""
    rows = [row for _, row in islice(table.rows(), len(table.header) + 1)]
    cells = [cell for row in rows for cell in row if cell.lower() not in NO_NUMBER]
    return len(rows) == len(table.header) > 1 and bool(cells) and all(_value(cell) is not None for cell in cells)


def grid_of(table: Table, *, forced: bool) -> Grid:
    """Return the matrix that a table holds; forced, it is known to hold one."""
    if len(table.header) < 2:
        raise WinnerstaysError(
            f"the table has one column, {''.join(table.header)[:40]!r}; cells must be parted by commas, semicolons, "
            "tabs, bars or spaces, which are not within quotes."
        )
    rows, totals = _without_totals([(table.line, table.header), *table.rows()])
    top, crossed = named_on_top(rows)
    names = _names(top)
    if names is not None:
        grid = _by_name(top, names, (*totals, *filter(None, [crossed])), table.open_points)
        return grid._replace(scored=bool(crossed))
    if not forced and (pair_list(table) or is_survey(table)):
        raise unknown_columns(table)
    named = any(_value(cell) is None and cell.lower() not in NOTHING for cell in table.header)
    cells = [cell for _, row in rows for cell in row[1:] if cell.lower() not in NO_NUMBER]
    words = sum(_value(cell) is None for cell in cells)
    below = [cell for _, row in rows[1:] for cell in row[1:] if cell.lower() not in NO_NUMBER]
    words_below = sum(_value(cell) is None and not RECORD.fullmatch(cell) for cell in below)
    if not forced and (named or words > len(cells) / 2) and words_below > WORDS_PER_CELL * len(below):
        raise unknown_columns(table)
    try:
        return _by_position(rows, totals, forced=forced, open_points=table.open_points)
    except NotSquareError:
        if named and not forced:
            raise unknown_columns(table) from None
        raise


def _names(rows: Sequence[Row]) -> _Names | None:
    """Return where the names stand that the first row and another column share; None if they do not share all."""
    header, below = rows[0][1], rows[1:]
    for place in range(min(NAME_COLUMNS, len(header))):
        across = header[place + 1 :]
        down = [row[place] if len(row) > place else "" for _, row in below]
        items = {*across} & {*down} - {""}
        if len(items) < 2 or any(across.count(item) > 1 or down.count(item) > 1 for item in items):
            continue
        if all(number_or_none(cell) is not None for cell in (header[place], *items)):
            continue  # with a number in the corner, too, they are a matrix's own numbers, such as those of a circle
        others = [name for name in (*header[:place], *across, *down) if name not in items]
        if all(name.lower() in SUMMARIES | {""} for name in others):
            kept = [k for k, name in enumerate(down) if name in items]
            columns = [place + 1 + across.index(down[k]) for k in kept]
            return _Names(place, kept, columns, list(dict.fromkeys(filter(None, others))))
    return None


def _by_name(rows: Sequence[Row], names: _Names, totals: tuple[str, ...], open_points: bool) -> Grid:
    header, below = rows[0][1], [rows[1 + k] for k in names.rows]
    items = [row[names.column] for _, row in below]
    width = len(header)
    for line, row in below:
        if len(row) != width:
            raise WinnerstaysError(f"line {line} has {len(row)} cells, the first row has {width}; both must be equal.")
    notes = [*totals]
    if names.columns != sorted(names.columns):
        notes.append("columns put into the order of the rows")
    if names.others:
        notes.append(f"{', '.join(names.others)} left out")
    lines = [line for line, _ in below]
    cells = [[row[k] for k in names.columns] for _, row in below]
    if games_listed(cells) is not None:
        notes.append("cells such as 1½0 list games, one after the other")
    if any(RECORD.fullmatch(cell) for row in cells for cell in row):
        notes.append("cells such as 7-3 are wins and losses, 7/10 wins and duels")
    grid = Grid(items, np.empty(0), lines, [k + 1 for k in names.columns], header[names.column], tuple(notes))
    return grid._replace(numbers=_numbers(cells, grid), open_point=_open_point(cells, grid) if open_points else "")


def _by_position(rows: Sequence[Row], totals: tuple[str, ...], *, forced: bool, open_points: bool = False) -> Grid:
    """Cut a table whose names stand in the first row or the first column alone, if there are any."""
    across: list[str] | None = None
    header = rows[0][1]
    width = len(header)
    words = not any(_value(cell) is not None for cell in header[-1:] + header[1:])
    if words or (len(rows) == width + 1 and (_running(header) or forced)):
        across, rows = header, rows[1:]
    down: list[str] | None = None
    first = [row[0] if row else "" for _, row in rows]
    wide = len(rows) == width - 1 and across is None and (_running(first) or (forced and all(first)))
    if wide or (rows and all(name.lower() not in NOTHING and _value(name) is None for name in first)):
        down, rows = first, [(line, row[1:]) for line, row in rows]
    if across is not None and down is not None:
        _check_names(across, down)
    body = _square([row for _, row in rows], [line for line, _ in rows])
    lines = [line for line, _ in rows] + [rows[-1][0] + 1] * (len(body) - len(rows))
    shift = 1 + (down is not None)
    grid = Grid(down or across, np.empty(0), lines, [k + shift for k in range(len(body))], "", totals)
    return grid._replace(numbers=_numbers(body, grid), open_point=_open_point(body, grid) if open_points else "")


def _running(cells: Sequence[str]) -> bool:
    """Tell numbers that only count the cells, from 0 or 1."""
    return len(cells) > 1 and list(cells) in ([str(k + start) for k in range(len(cells))] for start in (0, 1))


def _check_names(across: list[str], down: list[str]) -> None:
    """Refuse names of rows that are not those of the columns."""
    if across[0] and not {*across} & {*down}:
        raise NotSquareError("no item is named both in the first row and in the first column.")
    extra = [name for name in across[1:] if name not in down]
    if len(down) > 1 and {*down} <= {*across} and extra:
        raise WinnerstaysError(
            f"the matrix has a column {extra[0]!r} and no row of that name; leave the column out, or add the row."
        )
    across = across[1:] if len(across) == len(down) + 1 else across
    if across == down:
        return
    wrong = next(
        (pair for pair in zip(down, across, strict=False) if pair[0] != pair[1]), (str(len(down)), str(len(across)))
    )
    raise WinnerstaysError(
        f"the names of rows and columns contradict each other: {wrong[0]!r} stands where the header has {wrong[1]!r}; "
        "both must name the same items."
    )


def _without_totals(rows: Sequence[Row]) -> tuple[Sequence[Row], tuple[str, ...]]:
    """Return the rows of a matrix without a last row and a last column of totals, and whether there were any."""
    kept = rows
    if len(rows) > 2 and rows[-1][1][:1] and rows[-1][1][0].lower() in TOTALS:
        kept = rows[:-1] if _adds_up([row[1:] for _, row in rows[1:]]) else rows
    width = len(rows[0][1])
    last = "".join(rows[0][1][-1:]).lower()
    if last in TOTALS and _adds_up(list(zip(*(row[1:width] for _, row in kept[1:]), strict=False))):
        kept = [(line, row[: width - 1]) for line, row in kept]
    return kept, () if kept is rows else ("totals left out",)


def _adds_up(lines: Sequence[Sequence[str]]) -> bool:
    """Tell whether the last of some lines of numbers is the sum of the others."""
    if len(lines) < 2:
        return False
    *parts, last = [[0.0 if cell.lower() in NO_NUMBER else _value(cell) for cell in line] for line in lines]
    columns = zip(last, *parts, strict=False)
    return all(None not in column and column[0] == sum(filter(None, column[1:])) for column in columns)


def _square(body: list[list[str]], lines: list[int]) -> list[list[str]]:
    """Return the cells of as many rows as columns; a sentence if they are not as many."""
    width = len(body[0]) if body else 0
    if len(body) == width - 1 and not any(cell for k, row in enumerate(body) for cell in row[:k]):
        body = [*body, [""] * width]  # of an upper half the last row is blank
        lines = [*lines, lines[-1] + 1]
    for number, (line, row) in enumerate(zip(lines, body, strict=True), start=1):
        if len(row) != width:
            raise WinnerstaysError(
                f"matrix row {number} has {len(row)} cells, the first has {width} (line {line}); all rows must be "
                "equally long."
            )
    if not body or len(body) != width:
        raise NotSquareError(
            f"{len(body)} rows of {width} numbers are no square matrix; a file of preferences has a row for each item "
            "with the probabilities that it beats each, such as 0.5,0.7 and below it 0.3,0.5, and names in a first row "
            "or column must not be numbers. A table of duels has columns such as winner and loser (see --columns)."
        )
    return body


def _numbers(cells: Sequence[Sequence[str]], grid: Grid) -> Floats:
    found = _records(cells)
    found = games_listed(cells) if found is None else found
    if found is not None:
        return found
    found = np.empty((len(cells), len(cells)))
    for number, row in enumerate(cells):
        for column, cell in enumerate(row):
            value = np.nan if cell.lower() in NO_NUMBER else _value(cell)
            if value is None:
                where = f"{grid.place(number, column)}the cell in row {number + 1}, column {column + 1}"
                mirrored = " (or wins and losses, 7-3 with 3-7 opposite)" if RECORD.fullmatch(cell) else ""
                mirrored = " (or games, 1½0 with 0½1 opposite)" if GAMES.fullmatch(cell) else mirrored
                raise WinnerstaysError(f"{where} is {cell!r}, but it must be a number{mirrored}.")
            found[number, column] = value
    return found


def _open_point(cells: Sequence[Sequence[str]], grid: Grid) -> str:
    """Return what to ask of the first number such as 1.234; nothing if there is none."""
    found = ((k, column) for k, row in enumerate(cells) for column, cell in enumerate(row) if OPEN.fullmatch(cell))
    place = next(found, None)
    return "" if place is None else f"{grid.place(*place)}a count {open_point(cells[place[0]][place[1]])}."


def _records(cells: Sequence[Sequence[str]]) -> Floats | None:
    """Return the wins of cells such as 3-7 (wins and losses) or 3/10 (wins and duels), where opposite cells agree."""
    wins, duels = np.zeros((2, len(cells), len(cells)))
    for number, row in enumerate(cells):
        for column, cell in enumerate(row):
            match = RECORD.fullmatch(cell)
            if number == column or cell.lower() in NO_NUMBER:
                continue
            if match is None:
                return None
            wins[number, column] = float(match[1])
            duels[number, column] = float(match[3]) + (0 if match[2] == "/" else wins[number, column])
    both = (duels > 0) & (duels.T > 0)
    wins = np.where((duels == 0) & (duels.T > 0), duels.T - wins.T, wins)
    if not duels.any() or (both & (wins + wins.T != duels)).any():
        return None
    return wins


def _value(cell: str) -> float | None:
    """Return the number in a cell; a percentage as a fraction of 1."""
    if cell.endswith("½"):
        whole = number_or_none(cell[:-1] or "0")
        return None if whole is None else whole + 0.5
    if cell.endswith("%"):
        number = number_or_none(cell[:-1].strip())
        return None if number is None else number / 100
    return number_or_none(cell)


def rows_are(corner: str) -> str | None:
    """Return whether a corner calls the rows winners or losers; None if it says nothing of it.

    >>> rows_are("loser\\\\winner"), rows_are("Winner"), rows_are("beaten by"), rows_are("P(column > row)")
    ('losers', 'winners', 'losers', 'losers')
    """
    text = corner.lower()
    if re.search(r"\brows?\b", text) and re.search(r"\bcol(?:umn)?s?\b", text):
        return title_rows_are(text)
    return _first_side(text)


def _first_side(text: str) -> str | None:
    won, lost = re.search(WIN, text), re.search(LOSS, text)
    if won and lost:
        return "winners" if won.start() < lost.start() else "losers"
    return "winners" if won else "losers" if lost else None


def title_rows_are(title: str) -> str | None:
    """Return whether a title calls the rows winners or losers, by the words row and column.

    >>> title_rows_are("Wins of column over row"), title_rows_are("row loses to column"), title_rows_are("Cup 2024")
    ('losers', 'losers', None)
    >>> title_rows_are("How often the row beats the column"), title_rows_are("(column = winner)")
    ('winners', 'losers')
    """
    text = title.lower()
    row, column, said = re.search(r"\brows?\b", text), re.search(r"\bcol(?:umn)?s?\b", text), _first_side(text)
    if not (row and column and said):
        alone = COLUMN_SIDE.search(text) if column else None
        return None if alone is None or row else "losers" if _first_side(alone[1]) == "winners" else "winners"
    return said if row.start() < column.start() else "losers" if said == "winners" else "winners"
