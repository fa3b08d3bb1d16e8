"""A problem by its name, its options or its file."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.numbers import share, whole_number
from winnerstays.problems.builtin import FIXED, GENERATED
from winnerstays.problems.frames import is_matrix
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers import grid, matrix, pgn, ratings
from winnerstays.problems.readers.blt import blt_rankings
from winnerstays.problems.readers.columns import duel_columns
from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.duels import duels_of, is_log
from winnerstays.problems.readers.game_rows import games_in_one_row
from winnerstays.problems.readers.given import ROLES, by_number, parse_columns
from winnerstays.problems.readers.json_values import is_json, read_values
from winnerstays.problems.readers.likely_ratings import rated_way
from winnerstays.problems.readers.opening import NUMPY, PARQUET, STDIN, ZIP, Source, file_errors
from winnerstays.problems.readers.order_tables import table_orders
from winnerstays.problems.readers.orders import is_order, text_orders
from winnerstays.problems.readers.pair_questions import questions_about_pairs
from winnerstays.problems.readers.places import place_columns
from winnerstays.problems.readers.preflib import SUFFIXES as RANKINGS
from winnerstays.problems.readers.preflib import preflib_rankings
from winnerstays.problems.readers.rating_roles import rating_roles
from winnerstays.problems.readers.refused import refuse
from winnerstays.problems.readers.result_tables import results_by_teams
from winnerstays.problems.readers.several_sides import best_and_worst, numbered_orders
from winnerstays.problems.readers.shapes import is_shaped, shape_of
from winnerstays.problems.readers.survey import is_survey, orders_for_sure, survey_orders
from winnerstays.problems.readers.table import Table, is_json_lines, read_table
from winnerstays.problems.readers.undecided import option, undecided_sides
from winnerstays.problems.readers.unknown_tables import totals_of, unknown_columns
from winnerstays.problems.readers.versus import with_sides_apart
from winnerstays.problems.readers.voting import Rankings, rankings_problem
from winnerstays.specs import parse_spec

ProblemLike = Problem | Path | npt.ArrayLike
"""Whatever `problem` takes; names are texts, which arrays may be made of, too."""
OPTIONS = {
    "duels": ("columns", "codes", "items", "min_duels", "skip_bad", "prior", "fit"),
    "ratings": ("columns", "items", "titles", "skip_bad", "prior", "fit"),
    "rankings": ("unranked", "items", "min_duels", "skip_bad", "prior", "fit"),
    "surveys": ("cells", "unranked", "items", "min_duels", "skip_bad", "prior", "fit"),
    "matrix": ("matrix", "rows", "prior", "fit"),
}
"""What can be said about each kind of file, besides its encoding."""
PLACES = 3
"""From so many columns of places on, a table holds rankings whatever else its columns could be."""
READERS: dict[type, Callable[[str], object]] = {int: whole_number, float: share, str: str}
"""How an option of a generated problem is read, by the type of its default."""


def problem(source: ProblemLike, **options: Any) -> Problem:
    """A built-in problem by name, a generated one as `name:key=value,...`, a file by path, or a matrix as of `Problem`.

    >>> problem("mslr").n_arms, problem("total-order:n_arms=7,p=0.9").p, problem([[0.5, 0.7], [0.3, 0.5]]).p
    (5, 0.9, 0.7)

    Options are those of `load`.
    """
    if not isinstance(source, str | Path):
        for key in options:
            raise WinnerstaysError(f"{key} says how a file is read, but this is a {type(source).__name__}.")
        if isinstance(source, Problem):
            return source
        if not is_matrix(source):
            raise WinnerstaysError(
                f"A problem is a Problem, a name, a path or a matrix (an array, a list of rows or a data frame), not a "
                f"{type(source).__name__}."
            )
        return Problem(source)
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


def load(path: str | Path, **options: Any) -> Problem:
    """Read a problem from a file: a matrix, a table of duels or of ratings, or rankings.

    What the file holds is seen from its content; docs/data.md lists what is read. Options, each for the kinds of
    files that have it (see `read_duels`, `rating_problem`, `read_preflib`):

    - `columns`: which column is what; `codes`: what stands in a winner's column, as `1=left,2=right,0=tie`;
    - `skip_bad`: leave out rows that cannot be read;
    - `items`, `min_duels`: this many items, those that met most; those with at least so many duels;
    - `cells`: whether a table with a column for each item holds "ranks" (1 is the best) or "ratings"; with a row for
      each item, "ranks-of-rows" or "ratings-of-rows";
    - `unranked`: what rankings say of items that are left out, "unknown" or "below";
    - `matrix`: what a matrix holds, "preferences", "percent" or "counts"; `rows`: whether its rows are the "winners"
      or the "losers"; `titles`: a table of the items' names;
    - `encoding`: how letters are written, such as "cp1251", where a file is not UTF-8;
    - `prior`, `fit`: how chances are estimated, as of `Problem.from_counts`.
    """
    path = Path(path)
    if path.is_dir():
        raise WinnerstaysError(f"{path} is a folder; give the name of a file.")
    if not path.exists() and any(mark in path.name for mark in "*?"):
        raise WinnerstaysError(f"{path} is a pattern; give the name of one file.")
    asked = {key: value for key, value in options.items() if value is not None and value is not False}
    known = {"encoding"} | {option for some in OPTIONS.values() for option in some}
    for key in asked:
        if key not in known:
            raise unknown("option of a file", key, known)
    with file_errors(path):
        source = Source(path, asked.pop("encoding", None))
        problem = _read(source, asked)
    problem.name = source.stem
    return problem


def _read(source: Source, asked: Mapping[str, Any]) -> Problem:
    head = source.head
    if head.startswith(ZIP) or source.suffix == ".npz":
        return matrix.from_npz(source, **_allowed("matrix", asked))
    if head.startswith(NUMPY) or source.suffix == ".npy":
        return matrix.from_npy(source, **_allowed("matrix", asked))
    if head.startswith(PARQUET):
        return _table(source, read_table(source), asked)
    if source.suffix == ".blt":
        return rankings_problem(blt_rankings(source), **_allowed("rankings", asked))
    refuse(source)
    if source.suffix in RANKINGS or "# NUMBER ALTERNATIVES" in source.beginning:
        return rankings_problem(preflib_rankings(source), **_allowed("rankings", asked))
    if pgn.is_pgn(source):
        return duels_of(pgn.table(source), **_allowed("duels", asked))
    if _holds_json(source):
        return _shaped(source, shape_of(read_values(source), rows_known="rows" in asked), asked)
    orders = text_orders(source)
    return _shaped(source, read_table(source) if orders is None else orders, asked)


def _holds_json(source: Source) -> bool:
    """Tell JSON as a whole from one object per line, and from text."""
    if is_json_lines(source):
        return is_shaped(source)
    if is_order(source.beginning.lstrip().partition("\n")[0].strip()):  # {a, b} > c
        return False
    return source.beginning.lstrip()[:1] in ("[", "{") or (source.suffix == ".json" and is_json(source.beginning))


def _shaped(source: Source, found: Table | Rankings | dict[str, Any], asked: Mapping[str, Any]) -> Problem:
    if isinstance(found, Rankings):
        return rankings_problem(found, **_allowed("rankings", asked))
    if isinstance(found, Table):
        return _table(source, found, asked)
    return matrix.from_fields(found, **_allowed("matrix", asked))


def _allowed(kind: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options; an error if this kind of file has no such option."""
    for key in asked:
        if key not in OPTIONS[kind]:
            raise WinnerstaysError(f"{key} does not apply to a file of {kind}, which takes {', '.join(OPTIONS[kind])}.")
    return dict(asked)


def _table(source: Source, table: Table, asked: Mapping[str, Any]) -> Problem:
    if "cells" in asked:
        options = _allowed("surveys", asked)
        return rankings_problem(survey_orders(table, options.pop("cells")), **options)
    columns = asked.get("columns")
    if columns is None:
        return _matrix(source, table, asked) if asked.keys() & {"matrix", "rows"} else _as_it_is(source, table, asked)
    table = table.holding(columns)
    numbered = table.without_header() if by_number(columns) else table
    parse_columns(columns, numbered.header)
    if not _is_duels(numbered, columns) and _is_rated(source, numbered, columns):
        return ratings.rating_problem(source, **_allowed("ratings", asked))
    return duels_of(table, **_allowed("duels", asked))  # which says what is missing


def _as_it_is(source: Source, table: Table, asked: Mapping[str, Any]) -> Problem:
    """Read a table of which nothing was said: what is surest is tried first."""
    results = results_by_teams(table)
    if results is None and grid.is_matrix(table):
        return _matrix(source, table, asked)
    places = place_columns(table)
    if len(places) >= PLACES:
        _check_no_duels(table, places)
    found = results or (table_orders(table) if len(places) >= PLACES else None)
    found = found or questions_about_pairs(table) or best_and_worst(table) or numbered_orders(table)
    if found is None and (is_log(table.header) or _is_duels(table)):
        found = table
    if found is None and _is_rated(source, table):
        return ratings.rating_problem(source, **_allowed("ratings", asked))
    found = found or _sides_apart(table) or table_orders(table) or orders_for_sure(table) or games_in_one_row(table)
    if isinstance(found, Rankings):
        return rankings_problem(found, **_allowed("rankings", asked))
    if found is not None:
        return duels_of(found, **_allowed("duels", asked))
    undecided = undecided_sides(table)
    if undecided is not None:
        raise WinnerstaysError(f"{undecided}{rated_way(table)}")
    if is_survey(table) or totals_of(table) or rated_way(table):
        raise unknown_columns(table)
    if table.named and not grid.is_square(table):
        return duels_of(table, **_allowed("duels", asked))  # which says what is missing
    return _matrix(source, table, asked)


def _sides_apart(table: Table) -> Table | None:
    apart = with_sides_apart(table)
    return apart if apart is not None and _is_duels(apart) else None


def _is_rated(source: Source, table: Table, columns: Any = None) -> bool:
    return rating_roles(table, columns) is not None or ratings.headerless(source, table)


def _is_duels(table: Table, columns: Any = None) -> bool:
    return duel_columns(table.header, columns, Contents(table)) is not None


def _check_no_duels(table: Table, places: Sequence[int]) -> None:
    """Ask what is meant where a table has columns of places, and beside them duels."""
    try:
        roles = duel_columns(table.header, None, Contents(table)) or {}
    except WinnerstaysError:  # which asks what is what among them
        return
    if roles and not {*roles.values()} & {*places}:
        given = option({role: table.header[place] for role, place in roles.items() if role in ROLES})
        listed = ", ".join(table.header[place] for place in places)
        raise WinnerstaysError(
            f"the file holds duels, and beside them a ranking ({listed}); say --columns {given} (columns= in Python) "
            "for the duels, or leave their columns out of the file for the ranking."
        )


def _matrix(source: Source, table: Table, asked: Mapping[str, Any]) -> Problem:
    for_matrix = {key: value for key, value in asked.items() if key in OPTIONS["matrix"]}
    above = "" if table.unit != "line" else " ".join(source.beginning.splitlines()[: table.line - 1])
    problem = matrix.from_table(table, title=above, **for_matrix)  # first, as it says so if this is no matrix at all
    _allowed("matrix", asked)
    return problem
