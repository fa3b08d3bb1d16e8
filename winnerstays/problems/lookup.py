"""Any file as a Problem: a matrix here, data of other kinds through the module that knows them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers import duels, preflib, ratings
from winnerstays.problems.readers.table import header_of, reading, rows_of

FIELDS = ("preferences", "utilities", "items", "features")


def load(path: str | Path) -> Problem:
    """Read a problem from a file.

    - `.csv`: a square matrix, with or without a header row and a first column of item names; or a table of duels or
      ratings, known by its header (`winnerstays.problems.readers.duels`, `winnerstays.problems.readers.ratings`).
    - `.npy`: the matrix. `.npz`: arrays `preferences` and optionally `utilities`, `items`, `features`.
    - `.json`: the matrix as a list of lists; an object with the same names, or with
      `comparisons`: [[winner, loser], ...]; or a list of objects that are duels.
    - `.soc`, `.soi`, `.toc`, `.toi`: rankings from PrefLib (`winnerstays.problems.readers.preflib`).
    - `.dat`, `.data`: ratings in MovieLens' older formats.
    """
    path = Path(path)
    if path.is_dir():
        raise WinnerstaysError(f"{path} is a folder; give the name of a file.")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        *most, last = READERS
        ending = f"not from {path.suffix!r}" if path.suffix else "and this name has no such ending"
        raise WinnerstaysError(f"{path}: a problem is read from a {', '.join(most)} or {last} file, {ending}.")
    problem = reader(path)
    problem.name = path.stem
    return problem


def _csv(path: Path) -> Problem:
    with reading(path):
        header = header_of(path)
    if duels.reader_of(header):
        return duels.read_duels(path)
    if ratings.columns_of(header):
        return ratings.rating_problem(path)
    with reading(path):
        return _matrix([row for _, row in rows_of(path)])


def _matrix(rows: list[list[str]]) -> Problem:
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


def _npy(path: Path) -> Problem:
    with reading(path), path.open("rb") as file:
        _begins(file, b"\x93NUMPY", "numpy.save")
        return Problem(np.load(file, allow_pickle=False))


def _npz(path: Path) -> Problem:
    with reading(path), path.open("rb") as file:
        _begins(file, b"PK", "numpy.savez")
        with np.load(file, allow_pickle=False) as archive:
            return _from_fields({name: archive[name] for name in archive.files})


def _begins(file: BinaryIO, mark: bytes, writer: str) -> None:
    """NumPy takes anything else for a pickle, and advises how to run what is in it."""
    if file.read(len(mark)) != mark:
        raise WinnerstaysError(f"the file is not what its name says; {writer} writes such files.")
    file.seek(0)


def _json(path: Path) -> Problem:
    with reading(path):
        data = json.loads(path.read_bytes())
        if isinstance(data, list) and data and all(isinstance(record, dict) for record in data):
            return duels.from_records(data)
        if isinstance(data, list):
            return Problem(data)
        if isinstance(data, dict) and "comparisons" in data:
            return Problem.from_comparisons(data["comparisons"])
        return _from_fields(data if isinstance(data, dict) else {})


def _from_fields(fields: dict[str, Any]) -> Problem:
    if "preferences" not in fields:
        raise WinnerstaysError(f"there is no field 'preferences' (found: {', '.join(map(str, fields)) or 'nothing'}).")
    for name in fields:
        if name not in FIELDS:
            raise unknown("field", name, FIELDS)
    return Problem(fields["preferences"], **{name: fields[name] for name in FIELDS[1:] if fields.get(name) is not None})


READERS: dict[str, Callable[[Path], Problem]] = {
    ".csv": _csv,
    ".npy": _npy,
    ".npz": _npz,
    ".json": _json,
    **dict.fromkeys(preflib.SUFFIXES, preflib.read_preflib),
    **dict.fromkeys(ratings.SUFFIXES, ratings.rating_problem),
}
