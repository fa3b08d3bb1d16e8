"""Matrices: of preferences, of percentages, of wins; as text, NumPy's files, JSON.

What a matrix holds is seen from its numbers: opposite cells that sum to 1 are preferences, to 100 percentages; whole
numbers that do neither are counts of wins. `matrix=` says so where it is not beyond doubt. The row beats the column
unless the file, or `rows=`, says otherwise. The diagonal may be empty or anything, and one of two opposite cells may be
missing: it follows from the other.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems.chances import TOLERANCE, as_numbers
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.grid import grid_of, rows_are, title_rows_are
from winnerstays.problems.readers.opening import NUMPY, ZIP, Source
from winnerstays.problems.readers.table import Table
from winnerstays.problems.readers.vocabulary import words_of

FIELDS = ("preferences", "utilities", "items", "features")
VOTERS = {"from", "voter", "voters", "judge", "judges", "jury", "juror", "rater"}
"""Words of a corner that say who gave something, not who won."""
COUNTED = ("counts", "wins", "win_matrix")
NAMES = ("names", "labels", "candidates", "players", "teams", "alternatives", "models", "columns", "index")
"""What the field of the items' names is called, other than `items`."""
KINDS = ("preferences", "percent", "counts")
SIDES = ("winners", "losers")
DECIMALS = (2, 3, 4, 5)
"""Opposite cells that were rounded to so many decimals may sum to a little more or less than 1."""


def from_table(
    table: Table, *, title: str = "", matrix: str | None = None, rows: str | None = None, **options: Any
) -> Problem:
    """A square matrix, with or without names in a row and a column; `title` is what stands above it."""
    grid = grid_of(table, forced=bool(matrix or rows))
    found = ((grid.corner.strip(), rows_are(grid.corner)), (title.strip(), title_rows_are(title)))
    sides = {text: side for text, side in found if side}
    if rows is None and len({*sides.values()}) > 1:
        raise WinnerstaysError(
            f"{' and '.join(map(repr, sides))} contradict each other on whether the row beats the column; say it: "
            "--rows winners or --rows losers (rows= in Python)."
        )
    if {*words_of(grid.corner)} & VOTERS and not (matrix or rows):
        raise WinnerstaysError(
            f"by {grid.corner!r} one side of the table may be voters and the other items; say --cells ratings-of-rows "
            "if the columns are the voters, --cells ratings if the rows are, and --matrix counts if each cell says how "
            "often its row beat its column."
        )
    by, side = next(iter(sides.items()), ("", None))
    kind = matrix or ("counts" if grid.scored else None)
    return from_numbers(
        grid.numbers, items=grid.items, matrix=kind, rows=rows or side, by="" if rows else by, place=grid.place,
        open_point=grid.open_point,
        notes=[*grid.notes, table.note], **options,
    )  # fmt: skip


def from_numbers(
    numbers: Any,
    *,
    items: Sequence[str] | None = None,
    matrix: str | None = None,
    rows: str | None = None,
    by: str = "",
    place: Callable[[int, int], str] = lambda row, column: "",
    notes: Sequence[str] = (),
    open_point: str = "",
    prior: float = 1.0,
    fit: str | None = None,
    **other: Any,
) -> Problem:
    """Return the problem of a square table of numbers, whatever they are; its note says what was assumed.

    `rows` are the "winners" or the "losers", and `by` is what says so; `place` says where in the file a number stands;
    `open_point` what to ask about a number such as 1.234 if wins were counted.
    """
    if matrix not in (None, *KINDS):
        raise unknown("kind of matrix", matrix, KINDS)
    if rows not in (None, *SIDES):
        raise unknown("side of a matrix", rows, SIDES)
    values = as_numbers("preferences", numbers)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or len(values) < 2:
        return Problem(values, items=items, **other)  # which says what is wrong
    _refuse(values, values < 0, "but it must be a probability or a count of wins, at least 0", place)
    values, filled = _filled(values, 100.0 if matrix == "percent" else 1.0 if matrix == "preferences" else None)
    kind = matrix or _kind(values)
    if open_point and (kind == "counts" or (kind == "preferences" and matrix is None)):
        raise WinnerstaysError(open_point)
    beats = "the column beats the row" if rows == "losers" else "the row beats the column"
    said = [*notes, *filled, beats + (f", as {by!r} says" if by else "")]
    if kind == "counts":
        wins = np.where(np.isnan(values), 0, values)
        np.fill_diagonal(wins, 0)
        if not wins.any():
            raise WinnerstaysError(f"there are {len(wins)} items, but no two of them were compared: all counts are 0.")
        said.append(f"wins were counted: {wins.sum():.15g} duels")
        note = "; ".join(filter(None, said))
        turned = wins.T if rows == "losers" else wins
        return Problem.from_counts(turned, items=items, prior=prior, fit=fit, note=note, **other)
    if fit is not None:
        raise WinnerstaysError(f"fit is {fit!r}, but a model is fitted to counted duels, and these are preferences.")
    whole = 100.0 if kind == "percent" else 1.0
    if kind == "percent":
        whole_numbers = bool((values[~np.isnan(values)] % 1 == 0).all())
        said.append(
            "percentages" + (" (if wins were counted: --matrix counts)" if whole_numbers and not matrix else "")
        )
    else:
        said.append("preferences")
    own = np.diag(values)
    if np.isnan(own).all() or ((own == own[0]).all() and own[0] in (0.0, 1.0, 100.0)):
        values = values.copy()
        np.fill_diagonal(values, whole / 2)
        if not np.isnan(own).all():
            said.append(f"the diagonal of {own[0]:g} is not used")
    elif np.isnan(own).any():
        values = np.where(np.eye(len(values), dtype=bool) & np.isnan(values), whole / 2, values)
    values, rounded = _complementary(values / whole, matrix, place)
    note = "; ".join(filter(None, [*said, rounded]))
    return Problem(values.T if rows == "losers" else values, items=items, note=note, **other)


def _refuse(values: Floats, bad: npt.NDArray[np.bool_], why: str, place: Callable[[int, int], str]) -> None:
    """Refuse the first bad number with a sentence that says where it stands."""
    if bad.any():
        row, column = (int(index) for index in np.argwhere(bad)[0])
        opposite = values[column, row]
        raise WinnerstaysError(
            f"{place(row, column)}the number in row {row + 1}, column {column + 1} is {values[row, column]:g}, "
            f"{why.format(opposite, values[row, column] + opposite)}."
        )


def _complementary(values: Floats, matrix: str | None, place: Callable[[int, int], str]) -> tuple[Floats, str]:
    """Return the chances with opposite cells that sum to 1, which rounded ones need not do; refuse all others."""
    holds = ("; a matrix holds chances (opposite cells are 1 together), percentages (100) or how often each won, in "
             "which case say --matrix counts")  # fmt: skip
    hint = "" if matrix else holds
    _refuse(values, ~np.isfinite(values), "but it must be a finite number", place)
    _refuse(values, values > 1, f"but a probability must lie between 0 and 1{hint}", place)
    own = np.eye(len(values), dtype=bool)
    _refuse(values, own & (abs(values - 0.5) > TOLERANCE), f"but an item against itself must be 0.5{hint}", place)
    sums = values + values.T
    _refuse(
        values, abs(sums - 1) > _tolerance(values),
        f"and the opposite cell is {{0:g}}; together they must be 1, not {{1:g}}{hint}", place,
    )  # fmt: skip
    if (abs(sums - 1) <= TOLERANCE).all():
        return values, ""
    off = int((abs(sums - 1) > TOLERANCE).sum()) // 2
    return values / sums, f"{off} pairs that sum to a little more or less than 1, being rounded, are scaled to 1"


def _tolerance(values: Floats, whole: float = 1.0) -> float:
    """Return how far two opposite chances may be from 1 together, by the decimals they were rounded to."""
    for decimals in DECIMALS:
        if (abs(values / whole - np.round(values / whole, decimals)) < 1e-9).all():
            return float(1.01 * 10.0**-decimals)
    return TOLERANCE


def _filled(values: Floats, whole: float | None) -> tuple[Floats, list[str]]:
    """Fill cells whose opposite cell is known, where it is known what both sum to."""
    missing = np.isnan(values) & ~np.eye(len(values), dtype=bool)
    known = values[~np.isnan(values)]
    fractions = bool((known != np.rint(known)).any())
    said = "empty cells follow from their opposite"
    if not missing.any():
        upper = np.triu_indices(len(values), 1)
        half = fractions and (values.T[upper] == 0).all() and (values[upper] > 0).all() and (values[upper] < 1).all()
        if not half or len(values) < 3:
            return values, []
        missing = np.tril(np.ones(values.shape, dtype=bool), -1)  # zeros below the diagonal stand for nothing
        whole, said = 1.0, "zeros below the diagonal are taken for empty and follow from their opposite"
    elif whole is None:
        whole = 1.0 if known.size and known.max() <= 1 else 100.0 if (known > 0).all() and known.max() <= 100 else None
        if whole is None or not fractions:
            return values, []
    if (missing & missing.T).any():
        row, column = (int(place) for place in np.argwhere(missing & missing.T)[0])
        raise WinnerstaysError(
            f"the cells of rows {row + 1} and {column + 1} against each other are both empty; one of them must be a "
            f"number ({whole / 2:g} if nothing is known of these two)."
        )
    return np.where(missing, whole - values.T, values), [f"{int(missing.sum())} {said}"]


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
    if (abs(sums - 100) <= (TOLERANCE if whole else 100 * _tolerance(cells, 100.0))).all():
        return "percent"
    if whole and cells.max(initial=0) > 1 and (np.isnan(own) | (own == 0)).all():
        _check_symmetry(values)
        return "counts"
    if (np.isnan(cells) | (cells == np.rint(cells))).all() and np.isnan(cells).any():
        _check_symmetry(values)
        return "counts"
    return "preferences"


def _check_symmetry(values: Floats) -> None:
    """Ask about counts that are the same for both sides of every pair, as games played or distances are."""
    if len(values) > 2 and np.array_equal(values, values.T, equal_nan=True):
        raise WinnerstaysError(
            "opposite cells of the matrix are all equal, as if it held how often each two met, or distances; if it "
            "holds how often the row beat the column, say --matrix counts (matrix= in Python)."
        )


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
    """The problem of named arrays: the items' names, and the one array that is left, or that has a known name."""
    fields = dict(fields)
    called = [name for name in NAMES if name in fields]
    if "items" not in fields and len(called) == 1:
        fields["items"] = fields.pop(called[0])
    rest = [
        name for name, value in fields.items() if name not in FIELDS[1:] and not isinstance(value, str | int | float)
    ]
    known = [name for name in rest if name in ("preferences", "matrix", "probabilities", *COUNTED)]
    chosen = "preferences" if "preferences" in rest else known[0] if len(known) == 1 else rest[0] if rest else ""
    if not rest or (len(rest) > 1 and not known):
        raise WinnerstaysError(f"there is no field 'preferences' (found: {', '.join(map(str, fields)) or 'nothing'}).")
    for name in rest:
        if name != chosen:
            raise unknown("field", name, FIELDS)
    if chosen in COUNTED:
        options = {"matrix": "counts", **options}
    more = {name: fields[name] for name in FIELDS[1:] if fields.get(name) is not None}
    return from_numbers(fields[chosen], **more, **options)
