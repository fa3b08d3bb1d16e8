"""A user's own matrix or comparisons, from CSV, NPY, NPZ or JSON."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.problem import Problem

FIELDS = ("preferences", "utilities", "items", "features")


def load(path: str | Path) -> Problem:
    """Read a problem from a file.

    - `.csv`: a square matrix, with or without a header row and a first column of item names; or a table of
      comparisons with a header that names the columns `winner` and `loser`.
    - `.npy`: the matrix. `.npz`: arrays `preferences` and optionally `utilities`, `items`, `features`.
    - `.json`: the matrix as a list of lists; or an object with the same names, or with
      `comparisons`: [[winner, loser], ...].
    """
    path = Path(path)
    readers: dict[str, Callable[[bytes], Problem]] = {".csv": _csv, ".npy": _npy, ".npz": _npz, ".json": _json}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise WinnerstaysError(
            f"{path}: a problem is read from a .csv, .npy, .npz or .json file, not from {path.suffix or 'this'!r}."
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WinnerstaysError(f"{path}: the file cannot be read ({error.strerror}).") from None
    try:
        problem = reader(content)
    except WinnerstaysError as error:
        raise WinnerstaysError(f"{path}: {error}") from None
    except (ValueError, EOFError, BadZipFile, KeyError, TypeError, csv.Error, RecursionError) as error:
        raise WinnerstaysError(
            f"{path}: the file is damaged or not what its name says ({error or type(error).__name__})."
        ) from None
    problem.name = path.stem
    return problem


def _csv(content: bytes) -> Problem:
    rows = [row for row in csv.reader(io.StringIO(content.decode("utf-8-sig"))) if any(cell.strip() for cell in row)]
    if not rows:
        raise WinnerstaysError("the file is empty.")
    header = [cell.strip() for cell in rows[0]]
    if {"winner", "loser"} <= set(map(str.lower, header)):
        columns = [list(map(str.lower, header)).index(name) for name in ("winner", "loser")]
        for line, row in enumerate(rows[1:], start=2):
            if len(row) <= max(columns) or not all(row[column].strip() for column in columns):
                raise WinnerstaysError(f"line {line} has no winner or no loser.")
        return Problem.from_comparisons((row[columns[0]].strip(), row[columns[1]].strip()) for row in rows[1:])
    items = None
    if not _is_number(header[-1]):
        items, rows = header, rows[1:]
    if rows and not _is_number(rows[0][0]):
        items, rows = [row[0].strip() for row in rows], [row[1:] for row in rows]
    width = len(rows[0]) if rows else 0
    for line, row in enumerate(rows, start=1):
        if len(row) != width:
            raise WinnerstaysError(
                f"matrix row {line} has {len(row)} cells, the first has {width}; all rows must be equally long."
            )
        for column, cell in enumerate(row, start=1):
            if not _is_number(cell):
                raise WinnerstaysError(
                    f"the cell in row {line}, column {column} is {cell.strip()!r}, but it must be a number."
                )
    return Problem(np.array(rows, dtype=float), items=items)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _npy(content: bytes) -> Problem:
    return Problem(np.load(io.BytesIO(content), allow_pickle=False))


def _npz(content: bytes) -> Problem:
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return _from_fields({name: archive[name] for name in archive.files})


def _json(content: bytes) -> Problem:
    data = json.loads(content)
    if isinstance(data, list):
        return Problem(data)
    if isinstance(data, dict) and "comparisons" in data:
        return Problem.from_comparisons(data["comparisons"])
    return _from_fields(data if isinstance(data, dict) else {})


def _from_fields(fields: dict[str, Any]) -> Problem:
    if "preferences" not in fields:
        raise WinnerstaysError(f"there is no field 'preferences' (found: {', '.join(map(str, fields)) or 'nothing'}).")
    return Problem(fields["preferences"], **{name: fields[name] for name in FIELDS[1:] if fields.get(name) is not None})
