"""Matrices of preferences: text, NumPy's files, JSON."""

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.table import file_errors, rows_of

FIELDS = ("preferences", "utilities", "items", "features")


def read_csv(path: Path) -> Problem:
    """A square matrix, with or without a header row and a first column of item names."""
    with file_errors(path):
        return _from_rows([row for _, row in rows_of(path)])


def _from_rows(rows: list[list[str]]) -> Problem:
    header = rows[0]
    items = None
    if not header[0] and header[1:] == [row[0] for row in rows[1:]]:  # numbers for names, as pandas writes them
        items, rows = header[1:], [row[1:] for row in rows[1:]]
    elif not any(map(_is_number, header[-1:] + header[1:])):
        items, rows = header, rows[1:]
    if rows and not _is_number(rows[0][0]):
        items, rows = [row[0] for row in rows], [row[1:] for row in rows]
    width = len(rows[0]) if rows else 0
    for line, row in enumerate(rows, start=1):
        if len(row) != width:
            raise WinnerstaysError(
                f"matrix row {line} has {len(row)} cells, the first has {width}; all rows must be equally long."
            )
        for column, cell in enumerate(row, start=1):
            if not _is_number(cell):
                raise WinnerstaysError(f"the cell in row {line}, column {column} is {cell!r}, but it must be a number.")
    if not rows or len(rows) != width:
        raise WinnerstaysError(
            f"{len(rows)} rows of {width} numbers are no square matrix; a file of preferences has a row for each item "
            "with the probabilities that it beats each, separated by commas, such as 0.5,0.7 and below it 0.3,0.5, and "
            "names in a first row or column must not be numbers."
        )
    return Problem(np.array(rows, dtype=float), items=items)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def read_npy(path: Path) -> Problem:
    with file_errors(path), path.open("rb") as file:
        _begins(file, b"\x93NUMPY", "numpy.save")
        return Problem(np.load(file, allow_pickle=False))


def read_npz(path: Path) -> Problem:
    with file_errors(path), path.open("rb") as file:
        _begins(file, b"PK", "numpy.savez")
        with np.load(file, allow_pickle=False) as archive:
            return _from_fields({name: archive[name] for name in archive.files})


def _begins(file: BinaryIO, mark: bytes, writer: str) -> None:
    """NumPy takes anything else for a pickle, and advises how to run what is in it."""
    if file.read(len(mark)) != mark:
        raise WinnerstaysError(f"the file is not what its name says; {writer} writes such files.")
    file.seek(0)


def from_json(data: Any) -> Problem:
    """A matrix that was read from JSON: a list of lists, or an object with the fields of a problem."""
    return Problem(data) if isinstance(data, list) else _from_fields(data if isinstance(data, dict) else {})


def _from_fields(fields: dict[str, Any]) -> Problem:
    if "preferences" not in fields:
        raise WinnerstaysError(f"there is no field 'preferences' (found: {', '.join(map(str, fields)) or 'nothing'}).")
    for name in fields:
        if name not in FIELDS:
            raise unknown("field", name, FIELDS)
    return Problem(fields["preferences"], **{name: fields[name] for name in FIELDS[1:] if fields.get(name) is not None})
