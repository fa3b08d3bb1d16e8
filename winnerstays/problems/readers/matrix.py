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
from itertools import islice
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems.chances import as_numbers
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.source import NUMPY, Source
from winnerstays.problems.readers.table import csv_blocks

PROBABILITIES, COUNTS = "probabilities", "counts"
KINDS = (PROBABILITIES, COUNTS)
FIELDS = ("preferences", "counts", "items", "utilities", "features")


def is_number(cell: str) -> bool:
    """Tell a number.

    >>> is_number("0.5"), is_number("nan"), is_number("x")
    (True, True, False)
    """
    try:
        float(cell)
    except ValueError:
        return False
    return True


def is_matrix_header(header: Sequence[str]) -> bool:
    """Tell the first row of a matrix: an empty first cell and names, or numbers alone."""
    return len(header) > 1 and (header[0] == "" or all(map(is_number, header)))


def from_text(source: Source, delimiter: str, **options: Any) -> Problem:
    """Return the problem of a matrix in a text file."""
    most = source.limits.items
    rows = [row for block, _ in csv_blocks(source, delimiter, 1 << 10) for row in islice(filter(None, block), most + 2)]
    source.limits.check("items", len(rows) - 1)
    names = None if all(map(is_number, rows[0])) else rows.pop(0)
    if names is not None and rows and all(len(row) == len(rows) + 1 for row in rows):
        names = names[len(names) - len(rows) :]
        before = [row.pop(0) for row in rows]
        if before != names:
            first = next((k for k, name in enumerate(names) if name != before[k]), 0)
            raise WinnerstaysError(
                f"row {first + 1} of the matrix is called {before[first]!r}, but its column {names[first]!r}; rows and "
                "columns must be the same items in the same order."
            )
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows):
            raise WinnerstaysError(
                f"row {number} of the matrix has {len(row)} numbers, but there are {len(rows)} rows; a matrix is square."
            )
        wrong = next((k for k, cell in enumerate(row) if not is_number(cell)), None)
        if wrong is not None:
            raise WinnerstaysError(f"row {number}, column {wrong + 1} of the matrix is {row[wrong][:40]!r}, not a number.")
    return from_numbers(np.array([[float(cell) for cell in row] for row in rows]), items=names, **options)


def from_numbers(
    numbers: Any, *, matrix: str | None = None, prior: float = 1.0, fit: str | None = None, **fields: Any
) -> Problem:
    """Return the problem of a square array of chances, or of counts."""
    if matrix not in (None, *KINDS):
        raise unknown("kind of matrix", matrix, KINDS)
    if matrix == COUNTS:
        values = as_numbers("counts", numbers)
        if values.ndim == 2:
            np.fill_diagonal(values, 0)
        problem = Problem.from_counts(values, prior=prior, fit=fit, **fields)
        if problem.pair_counts is None or not problem.pair_counts.duels:
            raise WinnerstaysError(f"there are {problem.n_arms} items, but no two of them were compared.")
        return problem
    if fit is not None:
        raise WinnerstaysError(f"fit is {fit!r}, but a model is fitted to counts, and this matrix holds probabilities.")
    try:
        return Problem(numbers, **fields)
    except WinnerstaysError as error:
        if matrix is not None:
            raise
        raise WinnerstaysError(
            f"{error} A matrix holds the probability that the row beats the column; if this one counts wins, say "
            "--matrix counts (matrix= in Python)."
        ) from None


def from_fields(fields: Mapping[str, Any], matrix: str | None = None, **options: Any) -> Problem:
    """Return the problem of named arrays."""
    for name in fields:
        if name not in FIELDS:
            raise unknown("field", name, FIELDS)
    held = [name for name in FIELDS[:2] if name in fields]
    if len(held) != 1:
        raise WinnerstaysError(
            f"the fields are {', '.join(fields) or 'none'}; one of them must be preferences (chances) or counts (wins)."
        )
    kind = COUNTS if held == ["counts"] else matrix
    more = {name: fields[name] for name in FIELDS[2:] if fields.get(name) is not None}
    if "items" in more and not (isinstance(more["items"], list) or getattr(more["items"], "ndim", 0) == 1):
        raise WinnerstaysError(f"items is {str(more['items'])[:40]!r}, but it must be a list of names.")
    return from_numbers(fields[held[0]], matrix=kind, **more, **options)


def from_npy(source: Source, **options: Any) -> Problem:
    """Return the problem of a file that `numpy.save` writes."""
    data = source.whole()
    return from_numbers(_array(io.BytesIO(data), len(data), "the file"), **options)


def from_npz(source: Source, **options: Any) -> Problem:
    """Return the problem of an archive that `numpy.savez` writes."""
    fields, left = {}, source.limits.whole
    try:
        with source.seekable() as file, zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                left -= member.file_size
                if left < 0:
                    raise WinnerstaysError(f"the archive unpacks to more than {source.limits.whole} bytes.")
                if not member.filename.endswith(".npy"):
                    raise WinnerstaysError("the file is an archive; unpack it, or save a workbook's sheet as CSV.")
                with archive.open(member) as packed:
                    data = packed.read(member.file_size)
                name = member.filename.removesuffix(".npy")
                fields[name] = _array(io.BytesIO(data), len(data), name)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
        raise WinnerstaysError(f"the archive is damaged ({error}).") from None
    if len(fields) == 1 and not {*fields} & {*FIELDS}:
        return from_numbers(next(iter(fields.values())), **options)
    return from_fields(fields, **options)


def _array(file: BinaryIO, size: int, what: str) -> Any:
    """Return an array of NumPy's, if as many bytes are there as its header says."""
    read_header = np.lib.format.read_array_header_1_0
    try:
        if file.read(len(NUMPY)) != NUMPY:
            raise ValueError("it does not begin as such files do")
        version = file.read(2)
        if version not in (b"\1\0", b"\2\0"):
            raise ValueError("its version is not known")
        read_header = read_header if version == b"\1\0" else np.lib.format.read_array_header_2_0
        shape, fortran, kind = read_header(file)
        if min(shape, default=0) < 0:
            raise ValueError(f"its shape is {shape}")
    except (ValueError, TypeError, EOFError, SyntaxError, RecursionError, TokenError) as error:
        raise WinnerstaysError(f"{what} is no array of NumPy's ({str(error).partition(chr(10))[0]}).") from None
    if kind.kind not in "biufU":
        raise WinnerstaysError(f"{what} holds {kind} and not numbers or texts.")
    count = math.prod(shape)
    if count * kind.itemsize != size - file.tell():
        raise WinnerstaysError(
            f"{what} is damaged or cut off: {size - file.tell()} bytes follow, but its shape {shape} needs "
            f"{count * kind.itemsize}."
        )
    values = np.frombuffer(file.read(), kind, count)
    return values.reshape(shape, order="F" if fortran else "C")
