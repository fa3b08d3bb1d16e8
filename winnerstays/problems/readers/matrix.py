"""Square matrices: chances that the row beats the column, or how often it did.

A text file holds numbers alone; or names in the first row and before each row, below an empty first cell. NumPy's and
JSON files hold one array, or the fields `preferences` or `counts`, and optionally `items`, `utilities` and `features`.
A matrix holds chances unless its field is called `counts`, or `matrix="counts"` says that it counts wins.
"""

import io
import math
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from tokenize import TokenError
from typing import Any

import numpy as np

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems.chances import as_numbers
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.source import NUMPY, Source
from winnerstays.problems.readers.table import csv_blocks, number

PROBABILITIES, COUNTS = "probabilities", "counts"
FIELDS = ("preferences", "counts", "items", "utilities", "features")


def is_matrix_header(header: Sequence[str]) -> bool:
    """Tell the first row of a matrix: an empty first cell and names, or numbers alone."""
    return len(header) > 1 and (header[0] == "" or not any(map(math.isnan, map(number, header))))


def from_text(source: Source, delimiter: str, **options: Any) -> Problem:
    """Return the problem of a matrix in a text file."""
    rows: list[list[str]] = []
    for block, _ in csv_blocks(source, delimiter, 1 << 10):
        rows += filter(None, block)
        source.limits.check("items", len(rows) - 1)
    names = None if is_matrix_header(rows[0]) and rows[0][0] else rows.pop(0)
    if names is not None and rows and len(rows[0]) == len(rows) + 1:
        before = [row.pop(0) for row in rows]
        if before != names[-len(rows) :]:
            raise WinnerstaysError(
                f"the rows of the matrix are {', '.join(before[:3])} ... and its columns {', '.join(names[:3])} ...; "
                "they must be the same items in the same order."
            )
        names = before
    for row, cells in enumerate(rows, start=1):
        if len(cells) != len(rows):
            raise WinnerstaysError(f"row {row} of the matrix has {len(cells)} numbers, but there are {len(rows)} rows.")
        wrong = next((cell for cell in cells if math.isnan(number(cell)) and cell.lower() != "nan"), None)
        if wrong is not None:
            place = cells.index(wrong) + 1
            raise WinnerstaysError(
                f"row {row}, column {place} of the matrix is {wrong[:40]!r}, but it must be a number."
            )
    return from_numbers([list(map(number, cells)) for cells in rows], items=names, **options)


def from_numbers(
    numbers: Any, *, matrix: str | None = None, prior: float = 1.0, fit: str | None = None, **fields: Any
) -> Problem:
    """Return the problem of a square array of chances, or of counts."""
    if matrix not in (None, PROBABILITIES, COUNTS):
        raise unknown("kind of matrix", matrix, (PROBABILITIES, COUNTS))
    if matrix == COUNTS:
        values = as_numbers("counts", numbers)
        if values.ndim == 2:
            np.fill_diagonal(values, 0)
        if not values.any():
            raise WinnerstaysError(f"there are {len(values)} items, but no two of them were compared.")
        return Problem.from_counts(values, prior=prior, fit=fit, **fields)
    if fit is not None:
        raise WinnerstaysError(f"fit is {fit!r}, but a model is fitted to counts, and this matrix holds probabilities.")
    try:
        return Problem(numbers, **fields)
    except WinnerstaysError as error:
        counts = " If the matrix counts wins, say --matrix counts (matrix= in Python)." if matrix is None else ""
        raise WinnerstaysError(f"{error}{counts}") from None


def from_fields(fields: Mapping[str, Any], matrix: str | None = None, **options: Any) -> Problem:
    """Return the problem of named arrays."""
    for name in fields:
        if name not in FIELDS:
            raise unknown("field", name, FIELDS)
    held = [name for name in FIELDS[:2] if name in fields]
    if len(held) != 1:
        names = ", ".join(fields) or "none"
        raise WinnerstaysError(f"the fields are {names}; one of them must be preferences (chances) or counts (wins).")
    more = {name: fields[name] for name in FIELDS[2:] if fields.get(name) is not None}
    if np.ndim(more.get("items", [])) != 1:
        raise WinnerstaysError(f"items is {str(more['items'])[:40]!r}, but it must be a list of names.")
    return from_numbers(fields[held[0]], matrix=COUNTS if held == ["counts"] else matrix, **more, **options)


def from_npy(source: Source, **options: Any) -> Problem:
    """Return the problem of a file that `numpy.save` writes."""
    return from_numbers(_array(source.whole(), "the file"), **options)


def from_npz(source: Source, **options: Any) -> Problem:
    """Return the problem of an archive that `numpy.savez` writes."""
    fields: dict[str, Any] = {}
    try:
        with source.seekable() as file, zipfile.ZipFile(file) as archive:
            source.limits.check("whole", sum(member.file_size for member in archive.infolist()))
            for member in archive.infolist():
                if not member.filename.endswith(".npy"):
                    raise WinnerstaysError("the file is an archive; unpack it, or save a workbook's sheet as CSV.")
                name = member.filename.removesuffix(".npy")
                fields[name] = _array(archive.read(member), name)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
        raise WinnerstaysError(f"the archive is damaged ({error}).") from None
    if len(fields) == 1 and not {*fields} & {*FIELDS}:
        return from_numbers(next(iter(fields.values())), **options)
    return from_fields(fields, **options)


def _array(data: bytes, what: str) -> Any:
    """Return an array of NumPy's, if as many bytes are there as its header says."""
    file = io.BytesIO(data)
    readers = {b"\1\0": np.lib.format.read_array_header_1_0, b"\2\0": np.lib.format.read_array_header_2_0}
    if file.read(len(NUMPY)) != NUMPY or (read_header := readers.get(file.read(2))) is None:
        raise WinnerstaysError(f"{what} is no array of NumPy's; numpy.save writes them.")
    try:
        shape, fortran, kind = read_header(file)
    except (ValueError, TypeError, EOFError, SyntaxError, RecursionError, TokenError) as error:
        raise WinnerstaysError(f"{what} is damaged ({str(error).partition(chr(10))[0]}).") from None
    if kind.kind not in "biufU":
        raise WinnerstaysError(f"{what} holds {kind}, but it must hold numbers, or texts for the items.")
    held = len(data) - file.tell()
    if not held or min(shape, default=0) < 0 or math.prod(shape) * kind.itemsize != held:
        raise WinnerstaysError(f"{what} is damaged or cut off: {held} bytes are no {kind} of the shape {shape}.")
    return np.frombuffer(data, kind, offset=file.tell()).reshape(shape, order="F" if fortran else "C")
