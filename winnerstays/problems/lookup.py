"""A problem by its name, its options or its file."""

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.numbers import share, whole_number
from winnerstays.problems.builtin import FIXED, GENERATED
from winnerstays.problems.frames import is_frame, is_matrix
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers import matrix, preflib, table
from winnerstays.problems.readers.columns import RATINGS, layout_of
from winnerstays.problems.readers.duels import LOG, duels_problem, is_log
from winnerstays.problems.readers.limits import LOCAL, Limits
from winnerstays.problems.readers.ratings import check_people, problems_by_person, rating_problem, read_ratings
from winnerstays.problems.readers.source import NUMPY, PARQUET, STDIN, ZIP, Source, file_errors
from winnerstays.problems.readers.table import Table
from winnerstays.specs import parse_spec

ProblemLike = Problem | Path | npt.ArrayLike
"""Whatever `problem` takes; names are texts, which arrays may be made of, too."""
OPTIONS = {
    "duels": ("columns", "codes", "items", "min_duels", "skip_bad", "prior", "fit"),
    "ratings": ("columns", "items", "skip_bad", "prior", "fit"),
    "rankings": ("unranked", "items", "min_duels", "skip_bad", "prior", "fit"),
    "matrix": ("matrix", "prior", "fit"),
}
"""What can be said about each kind of file, besides its encoding and delimiter."""
TEXT_SUFFIXES, LINES_SUFFIXES = (".csv", ".tsv", ".txt"), (".jsonl", ".ndjson")
READERS: dict[type, Callable[[str], object]] = {int: whole_number, float: share, str: str}
"""How an option of a generated problem is read, by the type of its default."""


def problem(source: ProblemLike, **options: Any) -> Problem:
    """A built-in problem by name, a generated one as `name:key=value,...`, a file by path, a matrix or a data frame.

    >>> problem("mslr").n_arms, problem("total-order:n_arms=7,p=0.9").p, problem([[0.5, 0.7], [0.3, 0.5]]).p
    (5, 0.9, 0.7)

    Options are those of `load`. A data frame is a table of duels or of ratings if its columns, or `columns`, say so,
    and else a matrix.
    """
    if not isinstance(source, str | Path):
        return _in_memory(source, options)
    name, _, rest = str(source).partition(":")
    made = (name in FIXED and not rest) or name in GENERATED
    given = [key for key, value in options.items() if value not in (None, False)]
    if made and given:
        raise WinnerstaysError(f"{given[0]} says how a file is read, but {name} is a built-in problem.")
    if made:
        return FIXED[name]() if name in FIXED else _generate(*parse_spec(str(source)))
    if "://" in str(source):
        raise WinnerstaysError(f"{source} is an address; download it, and give the name of the file.")
    path = Path(source)
    if path.suffix or str(source) == STDIN or (source != "" and path.exists()):  # Path("") is the folder we are in
        return load(path, **options)
    raise unknown("problem", source, [*FIXED, *GENERATED])


def _in_memory(source: Any, options: Mapping[str, Any]) -> Problem:
    if is_frame(source):
        data = table.frame(source)
        try:
            layout_of(data.header, options.get("columns"))
        except WinnerstaysError:
            if options or source.to_numpy().dtype.kind not in "iufb":
                raise
            return Problem(source)
        return _table_problem(data, _asked(options), LOCAL)
    if isinstance(source, list) and source and isinstance(source[0], Mapping):
        return _table_problem(table.records_table(source), _asked(options), LOCAL)
    for key in options:
        raise WinnerstaysError(f"{key} says how a file or a data frame is read, but this is a {type(source).__name__}.")
    if isinstance(source, Problem):
        return source
    if not is_matrix(source):
        raise WinnerstaysError(
            f"A problem is a Problem, a name, a path, a matrix (an array or a list of rows) or a data frame, not a "
            f"{type(source).__name__}; pairs of a winner and a loser are for Problem.from_comparisons."
        )
    return Problem(source)


def _generate(name: str, options: dict[str, str]) -> Problem:
    make = GENERATED[name]
    known = {key: value for key, value in inspect.signature(make).parameters.items() if key != "name"}
    chosen: dict[str, object] = {}
    for key, text in options.items():
        if key not in known:
            raise unknown(f"option of {name}", key, known)
        try:
            chosen[key] = READERS[type(known[key].default)](text)
        except WinnerstaysError as error:
            raise WinnerstaysError(f"{name}: {key}: {error}") from None
    return make(**chosen)


def load(
    path: str | Path,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    limits: Limits = LOCAL,
    **options: Any,
) -> Problem:
    """Read a problem from a file: a matrix, a table of duels or of ratings, or rankings; docs/data.md shows each.

    Options, each for the kinds of files that have it:

    - `columns`: which column is what, as `{"left": "home", "right": "away", "winner": "won"}`, or the same as text;
    - `codes`: what stands in the winner's column, as `1=left,2=right,0=tie,-=none`;
    - `skip_bad`: leave out rows that cannot be read, and count them in the note;
    - `items`, `min_duels`: only so many items, those that met (or were rated) most; those with so many duels;
    - `unranked`: what rankings say of items that are left out, "unknown" or "below";
    - `matrix`: what a matrix holds, "probabilities" or "counts";
    - `prior`, `fit`: how chances are estimated, as of `Problem.from_counts`;
    - `encoding`, `delimiter`: how a text file is written, where it is not UTF-8, or its header does not show it;
    - `limits`: what reading may cost at most.
    """
    path = Path(path)
    _check_file(path)
    asked = _asked(options)
    with file_errors(path, limits):
        source = Source(path, encoding, limits)
        problem = _read(source, delimiter, asked)
    problem.name = source.stem
    return problem


def rating_problems(
    path: str | Path,
    *,
    columns: str | Mapping[str, str] | None = None,
    items: int = 100,
    min_ratings: int = 20,
    people: int = 1000,
    noise: float = 1.0,
    shrink: float = 0.2,
    skip_bad: bool = False,
    encoding: str | None = None,
    delimiter: str | None = None,
    limits: Limits = LOCAL,
) -> list[Problem]:
    """Return a problem for each person in a table of ratings, those who rated most first.

    `noise` is that of a choice, in grades; `shrink` says how far grades are drawn towards everybody's mean.
    """
    path = Path(path)
    _check_file(path)
    check_people(min_ratings, people, noise, shrink)
    with file_errors(path, limits):
        source = Source(path, encoding, limits)
        data = _content(source, delimiter)
        if not isinstance(data, Table):
            raise WinnerstaysError("the file is no table of ratings.")
        layout = layout_of(data.header, columns, RATINGS)
        names, ratings, _ = read_ratings(data, layout.places, items, skip_bad, limits)
        return problems_by_person(
            names, ratings, source.stem, min_ratings=min_ratings, people=people, noise=noise, shrink=shrink
        )


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise WinnerstaysError(f"{path} is a folder; give the name of a file.")
    if not path.exists() and any(mark in path.name for mark in "*?"):
        raise WinnerstaysError(f"{path} is a pattern; give the name of one file.")


def _asked(options: Mapping[str, Any]) -> dict[str, Any]:
    known = {"encoding", "delimiter", "limits"} | {option for some in OPTIONS.values() for option in some}
    for key in options:
        if key not in known:
            raise unknown("option of a file", key, known)
    return {key: value for key, value in options.items() if value is not None and value is not False}


def _read(source: Source, delimiter: str | None, asked: Mapping[str, Any]) -> Problem:
    if source.head.startswith(ZIP) or source.suffix == ".npz":
        return matrix.from_npz(source, **_allowed("matrix", asked))
    if source.head.startswith(NUMPY) or source.suffix == ".npy":
        return matrix.from_npy(source, **_allowed("matrix", asked))
    if source.suffix in (*preflib.SUFFIXES, *preflib.OTHER_SUFFIXES):
        return preflib.rankings_problem(source, **_allowed("rankings", asked))
    data = _content(source, delimiter)
    if isinstance(data, dict):
        return matrix.from_fields(data, **_allowed("matrix", asked))
    if not isinstance(data, Table):
        return matrix.from_numbers(data, **_allowed("matrix", asked))
    if data.delimiter and ("matrix" in asked or ("columns" not in asked and matrix.is_matrix_header(data.header))):
        return matrix.from_text(source, data.delimiter, **_allowed("matrix", asked))
    return _table_problem(data, asked, source.limits)


def _content(source: Source, delimiter: str | None) -> Any:
    """Return the table of a file, or the value of a JSON file that is none."""
    if source.head.startswith(PARQUET):
        return table.parquet(source)
    start = source.head.lstrip()[:1] if source.suffix not in TEXT_SUFFIXES else b""
    if source.suffix in LINES_SUFFIXES or (start == b"{" and source.suffix != ".json"):
        return table.json_lines(source)
    if source.suffix != ".json" and start != b"[":
        return table.delimited(source, delimiter)
    value = table.loads(source.whole().decode(source.encoding), "the file")
    if not isinstance(value, list | dict):
        raise WinnerstaysError(f"the file holds {str(value)[:40]!r}, but it must hold a matrix, or a list of objects.")
    return table.records_table(value) if isinstance(value, list) and value and isinstance(value[0], dict) else value


def _table_problem(data: Table, asked: Mapping[str, Any], limits: Limits) -> Problem:
    """Return the problem of a table of duels or of ratings, or of the log of an arena."""
    if is_log(data.header) and "columns" not in asked:
        places = {name: data.header.index(name) for name in LOG}
        note = "an arena's log: accepted answers"
        return duels_problem(data, places, note, limits=limits, **_allowed("duels", asked))
    layout = layout_of(data.header, asked.get("columns"))
    options = _allowed(layout.kind, asked)
    options.pop("columns", None)
    make = rating_problem if layout.kind == RATINGS else duels_problem
    return make(data, layout.places, layout.note, limits=limits, **options)


def _allowed(kind: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options; an error if this kind of file has no such option."""
    for key in asked:
        if key not in OPTIONS[kind]:
            raise WinnerstaysError(f"{key} does not apply to a file of {kind}, which takes {', '.join(OPTIONS[kind])}.")
    return dict(asked)
