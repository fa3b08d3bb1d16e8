"""Problems from files, data frames and rows: what a file holds is seen from its name, its first bytes or its header."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.problem import Problem
from winnerstays.problems.rating_problems import rating_problem
from winnerstays.problems.readers import matrix, preflib, table
from winnerstays.problems.readers.columns import RATINGS, layout_of
from winnerstays.problems.readers.duels import LOG, duels_problem, is_log
from winnerstays.problems.readers.limits import LOCAL, Limits
from winnerstays.problems.readers.source import NUMPY, PARQUET, ZIP, Source, file_errors
from winnerstays.problems.readers.table import Table

OPTIONS = {
    "duels": ("columns", "codes", "items", "min_duels", "skip_bad", "prior", "fit"),
    "ratings": ("columns", "items", "skip_bad", "prior", "fit"),
    "rankings": ("unranked", "items", "min_duels", "skip_bad", "prior", "fit"),
    "matrix": ("matrix", "prior", "fit"),
}
"""What can be said about each kind of file, besides how it is written."""
TEXT_SUFFIXES, LINES_SUFFIXES = (".csv", ".tsv", ".txt"), (".jsonl", ".ndjson")


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
    asked = asked_of(options)
    with opened(Path(path), encoding, limits) as source:
        problem = _read(source, delimiter, asked)
    problem.name = source.stem
    return problem


@contextmanager
def opened(path: Path, encoding: str | None, limits: Limits) -> Iterator[Source]:
    """Yield a file that can be read; errors inside name it."""
    if path.is_dir():
        raise WinnerstaysError(f"{path} is a folder; give the name of a file.")
    with file_errors(path, limits):
        yield Source(path, encoding, limits)


def asked_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given."""
    return {key: value for key, value in options.items() if value is not None and value is not False}


def _read(source: Source, delimiter: str | None, asked: Mapping[str, Any]) -> Problem:
    if source.head.startswith(ZIP) or source.suffix == ".npz":
        return matrix.from_npz(source, **_allowed("matrix", asked))
    if source.head.startswith(NUMPY) or source.suffix == ".npy":
        return matrix.from_npy(source, **_allowed("matrix", asked))
    if source.suffix in (*preflib.SUFFIXES, *preflib.OTHER_SUFFIXES):
        return preflib.rankings_problem(source, **_allowed("rankings", asked))
    data = content_of(source, delimiter)
    if isinstance(data, dict):
        return matrix.from_fields(data, **_allowed("matrix", asked))
    if not isinstance(data, Table):
        return matrix.from_numbers(data, **_allowed("matrix", asked))
    if data.delimiter and ("matrix" in asked or ("columns" not in asked and matrix.is_matrix_header(data.header))):
        return matrix.from_text(source, data.delimiter, **_allowed("matrix", asked))
    return table_problem(data, asked, source.limits)


def content_of(source: Source, delimiter: str | None) -> Any:
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
    is_table = isinstance(value, list) and value and isinstance(value[0], dict)
    return table.records_table(lambda: enumerate(value, start=1)) if is_table else value


def table_problem(data: Table, asked: Mapping[str, Any], limits: Limits = LOCAL) -> Problem:
    """Return the problem of a table of duels or of ratings, or of the log of an arena."""
    if is_log(data.header) and "columns" not in asked:
        places = {name: data.header.index(name) for name in LOG}
        note = "an arena's log: accepted answers"
        return duels_problem(data, places, note, limits=limits, **_allowed("duels", asked))
    layout = layout_of(data.header, asked.get("columns"))
    options = {key: value for key, value in _allowed(layout.kind, asked).items() if key != "columns"}
    make = rating_problem if layout.kind == RATINGS else duels_problem
    return make(data, layout.places, layout.note, limits=limits, **options)


def _allowed(kind: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options; an error if this kind of file has no such option."""
    for key in asked:
        if key not in OPTIONS[kind]:
            raise WinnerstaysError(f"{key} does not apply to a file of {kind}, which takes {', '.join(OPTIONS[kind])}.")
    return dict(asked)
