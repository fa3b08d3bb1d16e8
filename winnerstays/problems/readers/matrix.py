"""Matrices: of preferences, of percentages, of wins; as text, NumPy's files, JSON.

What a matrix holds is seen from its numbers: opposite cells that sum to 1 are preferences, to 100 percentages; whole
numbers that do neither are counts of wins. `matrix=` says so where it is not beyond doubt. The diagonal may be empty or
anything, and one of two opposite cells may be missing: it follows from the other.
"""

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems.chances import TOLERANCE, as_numbers
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.dialect import Row
from winnerstays.problems.readers.opening import NUMPY, ZIP, Source
from winnerstays.problems.readers.table import Table, number_or_none

FIELDS = ("preferences", "utilities", "items", "features")
KINDS = ("preferences", "percent", "counts")
NOTHING = {"", "-", "\N{EN DASH}", "\N{EM DASH}", "nan", "na", "n/a", "none", "null", "."}
NO_NUMBER = NOTHING | {"x", "*", "\\"}
"""What stands in a cell of a matrix that holds no number, as on the diagonal of a crosstable."""
TOTALS = {"total", "totals", "sum", "all", "gesamt", "summe", "somme", "totale"}


class NotSquareError(WinnerstaysError):
    """A table of numbers that is no square matrix."""


def from_table(table: Table, **options: Any) -> Problem:
    """A square matrix, with or without a header row and a first column of item names."""
    rows: Sequence[Row] = [(table.line, table.header), *table.rows()]
    cells = [cell for _, row in rows[1:] for cell in row[1:] if cell.lower() not in NO_NUMBER]
    words = sum(_value(cell) is None for cell in cells)
    named = any(_value(cell) is None and cell.lower() not in NOTHING for cell in table.header)
    if words > len(cells) / 2 and named:
        raise unknown_columns(table)
    rows, totals = _without_totals(rows)
    try:
        items, numbers, note = _cut(rows)
    except NotSquareError:
        if named:
            raise unknown_columns(table) from None
        raise
    return from_numbers(numbers, items=items, notes=[note, totals, table.note], **options)


def unknown_columns(table: Table) -> WinnerstaysError:
    """The error for a table that is neither a matrix nor, by its header, a table of duels, rankings or ratings."""
    named = ", ".join(map(repr, table.header[:8])) + (", ..." if len(table.header) > 8 else "")
    return WinnerstaysError(
        f"the first row is {named}, of which no column is known as a winner and a loser, or as two items and who of "
        "them won; say which is which: --columns winner=NAME,loser=NAME (columns= in Python), or winner=1,loser=2 "
        "where the first row is a duel, too. Rankings are read as a>b>c or from columns 1st, 2nd, 3rd; a matrix has as "
        "many rows as columns."
    )


def _without_totals(rows: Sequence[Row]) -> tuple[Sequence[Row], str]:
    """Return the rows of a matrix without a last row and a last column of totals, and whether there were any."""
    kept = rows
    if len(rows) > 2 and rows[-1][1][0].lower() in TOTALS and _adds_up([row[1:] for _, row in rows[1:]]):
        kept = rows[:-1]
    width = len(rows[0][1])
    if rows[0][1][-1].lower() in TOTALS and _adds_up(list(zip(*(row[1:width] for _, row in kept[1:]), strict=False))):
        kept = [(line, row[: width - 1]) for line, row in kept]
    return kept, "" if kept is rows else "totals left out"


def _adds_up(lines: Sequence[Sequence[str]]) -> bool:
    """Tell whether the last of some lines of numbers is the sum of the others."""
    *parts, last = [[0.0 if cell.lower() in NO_NUMBER else _value(cell) for cell in line] for line in lines]
    columns = zip(last, *parts, strict=False)
    return all(None not in column and column[0] == sum(filter(None, column[1:])) for column in columns)


def _cut(rows: Sequence[Row]) -> tuple[list[str] | None, Floats, str]:
    """Return the names, the numbers (NaN for an empty cell), and what was done to fit the names together."""
    header, below = rows[0][1], rows[1:]
    across: list[str] | None = None
    if not header[0] and header[1:] == [row[0] for _, row in below]:  # numbers for names, as pandas writes them
        across, body = header[1:], [(line, row[1:], 1) for line, row in below]
        return across, _numbers(body), ""
    body = [(line, row, 0) for line, row in rows]
    if not any(_value(cell) is not None for cell in header[-1:] + header[1:]):
        across, body = header, body[1:]
    down: list[str] | None = None
    if body and all(row and row[0].lower() not in NOTHING and _value(row[0]) is None for _, row, _ in body):
        down, body = [row[0] for _, row, _ in body], [(line, row[1:], 1) for line, row, _ in body]
    numbers = _numbers(body)
    if across is None or down is None:
        return down or across, numbers, ""
    if across[0] and len(across) == len(down) + 1 and not {*across} & {*down}:
        raise NotSquareError("no item is named both in the first row and in the first column.")
    across = across[1:] if len(across) == len(down) + 1 else across
    if across == down:
        return down, numbers, ""
    if sorted(across) == sorted(down) and len(set(down)) == len(down):
        return down, numbers[:, [across.index(name) for name in down]], "columns put into the order of the rows"
    wrong = next(
        (pair for pair in zip(down, across, strict=False) if pair[0] != pair[1]), (str(len(down)), str(len(across)))
    )
    raise WinnerstaysError(
        f"the names of rows and columns contradict each other: {wrong[0]!r} stands where the header has {wrong[1]!r}; "
        "both must name the same items."
    )


def _numbers(rows: Sequence[tuple[int, list[str], int]]) -> Floats:
    width = len(rows[0][1]) if rows else 0
    if len(rows) == width - 1 and not any(cell for k, (_, row, _) in enumerate(rows) for cell in row[:k]):
        rows = [*rows, (rows[-1][0] + 1, [""] * width, rows[-1][2])]  # of an upper half the last row is blank
    for number, (line, row, _) in enumerate(rows, start=1):
        if len(row) != width:
            raise WinnerstaysError(
                f"matrix row {number} has {len(row)} cells, the first has {width} (line {line}); all rows must be "
                "equally long."
            )
    if not rows or len(rows) != width:
        raise NotSquareError(
            f"{len(rows)} rows of {width} numbers are no square matrix; a file of preferences has a row for each item "
            "with the probabilities that it beats each, such as 0.5,0.7 and below it 0.3,0.5, and names in a first row "
            "or column must not be numbers. A table of duels has columns such as winner and loser (see --columns)."
        )
    found = np.empty((width, width))
    for number, (line, row, shift) in enumerate(rows):
        for column, cell in enumerate(row):
            value = np.nan if cell.lower() in NO_NUMBER else _value(cell)
            if value is None:
                raise WinnerstaysError(
                    f"the cell in row {number + 1}, column {column + 1} is {cell!r} (line {line}, cell "
                    f"{column + 1 + shift}), but it must be a number."
                )
            found[number, column] = value
    return found


def _value(cell: str) -> float | None:
    """Return the number in a cell; a percentage as a fraction of 1."""
    if cell.endswith("½"):
        whole = number_or_none(cell[:-1] or "0")
        return None if whole is None else whole + 0.5
    if cell.endswith("%"):
        number = number_or_none(cell[:-1].strip())
        return None if number is None else number / 100
    return number_or_none(cell)


def from_numbers(
    numbers: Any,
    *,
    items: Sequence[str] | None = None,
    matrix: str | None = None,
    notes: Sequence[str] = (),
    prior: float = 1.0,
    fit: str | None = None,
    **other: Any,
) -> Problem:
    """Return the problem of a square table of numbers, whatever they are; its note says what was assumed."""
    if matrix not in (None, *KINDS):
        raise unknown("kind of matrix", matrix, KINDS)
    values = as_numbers("preferences", numbers)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or len(values) < 2:
        return Problem(values, items=items, **other)  # which says what is wrong
    if (values < 0).any():
        row, column = (int(place) for place in np.argwhere(values < 0)[0])
        raise WinnerstaysError(
            f"the number in row {row + 1}, column {column + 1} is {values[row, column]:g}, but it must be a "
            "probability or a count of wins, at least 0."
        )
    values, filled = _filled(values, 100.0 if matrix == "percent" else 1.0 if matrix == "preferences" else None)
    kind = matrix or _kind(values)
    said = [*notes, *filled]
    if kind == "counts":
        wins = np.where(np.isnan(values), 0, values)
        np.fill_diagonal(wins, 0)
        said.append(f"wins were counted: {wins.sum():.15g} duels")
        note = "; ".join(filter(None, said))
        return Problem.from_counts(wins, items=items, prior=prior, fit=fit, note=note, **other)
    if fit is not None:
        raise WinnerstaysError(f"fit is {fit!r}, but a model is fitted to counted duels, and these are preferences.")
    whole = 100.0 if kind == "percent" else 1.0
    own = np.diag(values)
    if kind == "percent":
        said.append("percentages")
    if np.isnan(own).all() or ((own == own[0]).all() and own[0] in (0.0, 1.0, 100.0)):
        values = values.copy()
        np.fill_diagonal(values, whole / 2)
        if not np.isnan(own).all():
            said.append(f"the diagonal of {own[0]:g} is not used")
    elif np.isnan(own).any():
        values = np.where(np.eye(len(values), dtype=bool) & np.isnan(values), whole / 2, values)
    return Problem(values / whole, items=items, note="; ".join(filter(None, said)), **other)


def _filled(values: Floats, whole: float | None) -> tuple[Floats, list[str]]:
    """Fill cells whose opposite cell is known, where it is known what both sum to."""
    missing = np.isnan(values) & ~np.eye(len(values), dtype=bool)
    if not missing.any():
        return values, []
    known = values[~np.isnan(values)]
    if whole is None:
        whole = 1.0 if known.size and known.max() <= 1 else 100.0 if (known > 0).all() and known.max() <= 100 else None
        fractions = bool((known != np.rint(known)).any())
        if whole is None or not fractions:
            return values, []
    if (missing & missing.T).any():
        row, column = (int(place) for place in np.argwhere(missing & missing.T)[0])
        raise WinnerstaysError(
            f"the cells of rows {row + 1} and {column + 1} against each other are both empty; one of them must be a "
            "number."
        )
    return np.where(missing, whole - values.T, values), [f"{int(missing.sum())} empty cells follow from their opposite"]


def _kind(values: Floats) -> str:
    """Tell preferences, percentages and counts apart; a sentence where it is open."""
    others = ~np.eye(len(values), dtype=bool)
    cells, sums = values[others], (values + values.T)[others]
    own = np.diag(values)
    whole = bool((cells == np.rint(2 * cells) / 2).all()) and bool((cells >= 0).all())
    if (abs(sums - 1) <= TOLERANCE).all():
        if whole and (cells == 1).any() and not (own == 0.5).all():
            alone = "0 and 1" if (cells == np.rint(cells)).all() else "0, 1/2 and 1"
            raise WinnerstaysError(
                f"the matrix holds {alone} alone, which may be certain preferences or one duel for each pair; say "
                "which with matrix (--matrix preferences or --matrix counts)."
            )
        return "preferences"
    if (abs(sums - 100) <= 100 * TOLERANCE).all() and not whole:
        return "percent"
    if (abs(sums - 100) <= 100 * TOLERANCE).all() and (np.isnan(own).all() or (own == 50).all()):
        return "percent"
    if whole and cells.max(initial=0) > 1 and (np.isnan(own) | (own == 0)).all():
        return "counts"
    if (np.isnan(cells) | (cells == np.rint(cells))).all() and np.isnan(cells).any():
        return "counts"
    return "preferences"


def from_npy(source: Source, **options: Any) -> Problem:
    with source.unpacked() as file:
        _begins(file, NUMPY, "numpy.save")
        return from_numbers(np.load(file, allow_pickle=False), **options)


def from_npz(source: Source, **options: Any) -> Problem:
    """An archive with the fields of a problem, or with one array of any name."""
    with source.path.open("rb") as file:
        _begins(file, ZIP, "numpy.savez")
        with np.load(file, allow_pickle=False) as archive:
            return from_fields({name: archive[name] for name in archive.files}, **options)


def _begins(file: BinaryIO, mark: bytes, writer: str) -> None:
    """NumPy takes anything else for a pickle, and advises how to run what is in it."""
    if file.read(len(mark)) != mark:
        raise WinnerstaysError(f"the file is not what its name says; {writer} writes such files.")
    file.seek(0)


def from_fields(fields: Mapping[str, Any], **options: Any) -> Problem:
    """The problem of named arrays; one array alone is the matrix, and `counts` are wins."""
    if len(fields) == 1 and not fields.keys() & {"counts", "wins"} and not isinstance(next(iter(fields.values())), str):
        fields = {"preferences": next(iter(fields.values()))}
    for counted in fields.keys() & {"counts", "wins"}:
        if "preferences" not in fields:
            fields = {("preferences" if name == counted else name): value for name, value in fields.items()}
            options = {**options, "matrix": "counts"}
    if "preferences" not in fields:
        raise WinnerstaysError(f"there is no field 'preferences' (found: {', '.join(map(str, fields)) or 'nothing'}).")
    for name in fields:
        if name not in FIELDS:
            raise unknown("field", name, FIELDS)
    more = {name: fields[name] for name in FIELDS[1:] if fields.get(name) is not None}
    return from_numbers(fields["preferences"], **more, **options)
