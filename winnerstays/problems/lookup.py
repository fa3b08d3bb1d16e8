"""A problem by its name, its options or its file."""

import inspect
import json
from collections.abc import Callable
from pathlib import Path

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.problems.builtin import FIXED, GENERATED
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers import duels, matrix, preflib, ratings
from winnerstays.problems.readers.table import file_errors, header_of
from winnerstays.specs import parse_spec


def problem(source: "str | Path | Problem") -> Problem:
    """A built-in problem by name, a generated one as `name:key=value,...`, or a user's file by path.

    >>> problem("mslr").n_arms, problem("total-order:n_arms=7,p=0.9").p
    (5, 0.9)
    """
    if isinstance(source, Problem):
        return source
    if not isinstance(source, str | Path):
        raise WinnerstaysError(
            f"A problem is a Problem, a name or a path, not a {type(source).__name__}; see Problem(matrix)."
        )
    name, _, rest = str(source).partition(":")
    if name in FIXED and not rest:
        return FIXED[name]()
    if name in GENERATED:
        return _generate(*parse_spec(str(source)))
    path = Path(source)
    if path.suffix or (source != "" and path.exists()):  # Path("") is the folder we are in
        return load(path)
    raise unknown("problem", source, [*FIXED, *GENERATED])


def _generate(name: str, options: dict[str, str]) -> Problem:
    make = GENERATED[name]
    known = {key: value for key, value in inspect.signature(make).parameters.items() if key != "name"}
    chosen: dict[str, object] = {}
    for key, text in options.items():
        if key not in known:
            raise unknown(f"option of {name}", key, known)
        try:
            chosen[key] = type(known[key].default)(text)
        except ValueError:
            raise WinnerstaysError(
                f"{name}: {key} is {text!r}, but it must be like its default, {known[key].default!r}."
            ) from None
    return make(**chosen)


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
    with file_errors(path):
        header = header_of(path)
    if duels.reader_of(header):
        return duels.read_duels(path)
    if ratings.columns_of(header):
        return ratings.rating_problem(path)
    return matrix.read_csv(path)


def _json(path: Path) -> Problem:
    with file_errors(path):
        data = json.loads(path.read_bytes())
        if isinstance(data, list) and data and all(isinstance(record, dict) for record in data):
            return duels.from_records(data)
        if isinstance(data, dict) and "comparisons" in data:
            return Problem.from_comparisons(data["comparisons"])
        return matrix.from_json(data)


READERS: dict[str, Callable[[Path], Problem]] = {
    ".csv": _csv,
    ".npy": matrix.read_npy,
    ".npz": matrix.read_npz,
    ".json": _json,
    **dict.fromkeys(preflib.SUFFIXES, preflib.read_preflib),
    **dict.fromkeys(ratings.SUFFIXES, ratings.rating_problem),
}
