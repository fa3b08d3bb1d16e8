"""Tables of ratings, such as MovieLens: who rated what how high.

Read are tables whose header names a user, an item and a rating (`userId,movieId,rating[,timestamp]` or names like
these), and MovieLens' older files without one, `user::movie::rating::time` (`.dat`) and the same with tabs (`.data`). A
table of titles beside the file (`movies.csv`, `movies.dat`, `u.item`) names the items. The file is streamed twice and
only ratings of the `items` most rated items are kept, 24 bytes each.

The rules:

- the most rated items are the arms; of items rated equally often, the one that comes first in the file;
- whoever rates an item twice is counted with the later rating, by a column of times if there is one, else in the file;
- `rating_problem`, everyone together: P(i beats j) is the share of the people who rated both and rate i higher, equal
  ratings half to both; pairs nobody rated both of count as 1/2 (with `prior` 1, as everywhere);
- `rating_problems`, one problem per person, on the items this person rated: a rating is a utility seen with noise,
  P = Phi((u_i - u_j) / (noise sqrt 2)). Few people use enough grades to have one favourite, so u_i is the person's
  rating drawn a little, by `shrink`, towards the mean of everybody's: that decides between equal ratings.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.likeness import distinct_names
from winnerstays.problems.problem import Problem
from winnerstays.problems.rating_table import RatingTable, RatingTableBuilder
from winnerstays.problems.readers.clock import clock
from winnerstays.problems.readers.duels import skipped, way_out
from winnerstays.problems.readers.given import Given, by_number
from winnerstays.problems.readers.opening import Source, file_errors
from winnerstays.problems.readers.rating_roles import Titles, rating_roles
from winnerstays.problems.readers.selection import check_items
from winnerstays.problems.readers.table import Table, number_or_none, read_table
from winnerstays.problems.readers.vocabulary import RANKS, RATINGS, words_of
from winnerstays.wording import counted

SUFFIXES = (".dat", ".data")
TITLES = ("movies.csv", "movies.dat", "u.item", "titles.csv", "items.csv")
GRADES = RATINGS | {"star", "points", "pts", "punkte"}
"""Words of numbers of which the higher is the better."""
FEWEST_PLACES = 3
USERS_AT_ONCE = 2_000
BAD_SHOWN = 5


def rating_problem(
    path: str | Path | Source,
    *,
    columns: Given = None,
    items: int = 100,
    titles: str | Path | None = None,
    skip_bad: bool = False,
    prior: float = 1.0,
    fit: str | None = None,
    encoding: str | None = None,
) -> Problem:
    """The choices of a random person among those who know both items.

    `titles` is a table of ids and titles; without one, `movies.csv`, `movies.dat` or `u.item` beside the file is used.
    """
    source = path if isinstance(path, Source) else Source(path, encoding)
    names, ratings, note = _read(source, columns, items, titles, skip_bad)
    n_arms, users = len(names), len(ratings.users)
    wins = np.zeros((n_arms, n_arms))
    for low in range(0, users, USERS_AT_ONCE):
        some = ratings.table(low, min(low + USERS_AT_ONCE, users), n_arms)
        for arm in range(n_arms):
            here = some[~np.isnan(some[:, arm])]
            own = here[:, arm : arm + 1]
            wins[arm] += (own > here).sum(axis=0) + (own == here).sum(axis=0) / 2
    np.fill_diagonal(wins, 0)
    if not wins.any():
        raise WinnerstaysError(
            f"{source.path}: there are {n_arms} items, but no two of them were compared: nobody rated two; more "
            "items (--items, items= in Python) may help where there are any."
        )
    said = f"{counted(ratings.grade.size, 'rating')} by {users} people; equal ratings are half a win for both"
    note = "; ".join(filter(None, [said, note]))
    return Problem.from_counts(wins, prior=prior, fit=fit, items=names, name=source.stem, note=note)


def rating_problems(
    path: str | Path,
    *,
    columns: Given = None,
    items: int = 100,
    min_ratings: int = 20,
    people: int = 1000,
    noise: float = 1.0,
    shrink: float = 0.2,
    titles: str | Path | None = None,
    skip_bad: bool = False,
    encoding: str | None = None,
) -> dict[str, Problem]:
    """A problem for everyone who rated at least `min_ratings` of the items, by the person's name in the file.

    Those who rated most come first; at most this many `people` are taken.
    """
    path = Path(path)
    if people < 1:
        raise WinnerstaysError(f"people is {people}, but it must be at least 1.")
    if min_ratings < 2:
        raise WinnerstaysError(f"min_ratings is {min_ratings}, but two ratings are the least that compare anything.")
    if not noise > 0:
        raise WinnerstaysError(f"noise is {noise}, but it must be above 0.")
    if not 0 <= shrink < 1:
        raise WinnerstaysError(f"shrink is {shrink}, but it must be at least 0 and below 1.")
    names, ratings, _ = _read(Source(path, encoding), columns, items, titles, skip_bad)
    means = np.bincount(ratings.arm, ratings.grade) / np.bincount(ratings.arm)
    problems = {}
    rated = np.diff(ratings.start)
    for number in np.argsort(-rated, kind="stable")[: min(people, int((rated >= min_ratings).sum()))]:
        user, (arms, grades) = ratings.users[number], ratings.of(number)
        utilities = (1 - shrink) * grades + shrink * means[arms]
        wins = (grades[:, None] > grades) + (grades[:, None] == grades) / 2
        np.fill_diagonal(wins, 0)
        problems[user] = Problem.from_utilities(
            utilities, noise, counts=wins, items=[names[arm] for arm in arms], name=f"{path.stem}-{user}",
            note=f"{arms.size} ratings, each compared once with each other; noise {noise:g}",
        )  # fmt: skip
    if not problems:
        raise WinnerstaysError(
            f"{path}: nobody rated {min_ratings} of the {len(names)} most rated items (most: {rated.max()}); "
            "lower min_ratings or raise items."
        )
    return problems


def _read(
    source: Source, columns: Given, items: int, titles: str | Path | None, skip_bad: bool
) -> tuple[list[str], RatingTable, str]:
    """The names of the most rated items, their ratings, and what was left out."""
    with file_errors(source.path):
        check_items(items)
        table, places = _layout(source, columns)
        bad: dict[int, str] = {}
        known, beside = Counter[str](), Titles(table.header, places["item"])
        for row, _, item, _ in _rows(table, places, bad if skip_bad else None):
            known[item] += 1
            beside.add(item, row)
        if bad and not known:
            raise WinnerstaysError(f"no row can be read: {skipped(len(bad), list(bad.values())[:BAD_SHOWN])}.")
        if len(known) < 2:
            raise WinnerstaysError(f"there are ratings of {len(known)} items; at least 2 are needed.")
        arms = {item: arm for arm, (item, _) in enumerate(known.most_common(items))}
        when = clock(table, {*places.values()})
        builder = RatingTableBuilder()
        grades: Counter[float] = Counter()
        called = table.header[places["rating"]]
        ranked = bool(RANKS.intersection(words_of(called)[-1:]))
        for row, user, item, grade in _rows(table, places, {} if skip_bad else None):
            if item in arms:
                grades[grade] += 1
                builder.add(user, arms[item], -grade if ranked else grade, when.of(row))
        ratings = builder.sorted()
        placed = not ranked and not GRADES.intersection(words_of(called)) and _are_places(ratings)
        if placed:
            ratings = replace(ratings, grade=-ratings.grade)
    column, named = beside.result()
    if titles is not None or column is None:
        column, named = None, _titles(source.path.parent, titles)
    left_out = skipped(len(bad), list(bad.values())[:BAD_SHOWN]) if bad else ""
    replaced = grades.total() - ratings.grade.size
    said = (
        f"{counted(replaced, 'rating')} replaced by a later one of the same person and item ({when.what})"
        if replaced
        else ""
    )
    odd = _which_wins(called, ranked, placed) or odd_grades(grades)
    used = _used(table.header, places, column)
    note = "; ".join(filter(None, [said, used, odd, left_out, table.note]))
    return distinct_names({item: named.get(item, item) for item in arms}), ratings, note


def _are_places(ratings: RatingTable) -> bool:
    """Tell whether the numbers of everybody are 1, 2, 3 and so on, each once."""
    each = [ratings.grade[low:high] for low, high in pairwise(ratings.start)]
    most = max((some.size for some in each), default=0)
    return most >= FEWEST_PLACES and all((np.sort(some) == np.arange(1, some.size + 1)).all() for some in each)


def _which_wins(called: str, ranked: bool, placed: bool) -> str:
    """Say whether the higher or the lower number wins, where the column's name leaves that open."""
    if ranked:
        return f"in {called} 1 is the best place, so that the lower number wins"
    if placed:
        return f"in {called} everybody has 1, 2 and so on once, so that 1 is taken for the best place"
    return "" if GRADES.intersection(words_of(called)) else f"the higher {called} wins"


def _used(header: Sequence[str], places: Mapping[str, int], named: int | None) -> str:
    """Say which columns were used, where they are not called user, item and rating."""
    unusual = [f"{role} {header[place]}" for role, place in places.items() if header[place].lower() != role]
    called = f"; items are called by {header[named]}" if named is not None else ""
    numbered = all(header[place].isdecimal() for place in places.values())
    return (f"columns: {', '.join(unusual)}" if unusual and not numbered else "") + called


def odd_grades(grades: Mapping[float, int]) -> str:
    """Say which grade may stand for no rating at all: 0, -1 or 99, apart from all others.

    >>> odd_grades({0.0: 7, 5.0: 2, 8.0: 1}), odd_grades({1.0: 2, 2.0: 1})
    ('7 ratings are 0, and count as such; leave their rows out if 0 means that nothing was rated', '')
    """
    low, high = min(grades), max(grades)
    second = min((grade for grade in grades if grade > low), default=low)
    below = max((grade for grade in grades if grade < high), default=high)
    odd = [low] if low in (0, -1) and second >= low + 1 else []
    odd += [high] if high in (99, 999, -99) and below <= 10 else []
    return "; ".join(
        f"{grades[grade]} ratings are {grade:g}, and count as such; leave their rows out if {grade:g} means that "
        "nothing was rated"
        for grade in odd
    )


def _layout(source: Source, columns: Given) -> tuple[Table, Mapping[str, int]]:
    table = read_table(source).holding(columns)
    if by_number(columns):
        table = table.without_header()
    places = rating_roles(table, columns)
    if places is not None:
        return table, places
    if headerless(source, table):
        return (table if number_or_none(table.header[2]) is None else table.without_header()), dict(
            zip(("user", "item", "rating"), range(3), strict=True)
        )
    raise WinnerstaysError(
        f"the columns are {', '.join(table.header)}; a table of ratings has userId, movieId (or item) and rating; "
        "columns (--columns user=...,item=...,rating=...) says which is which."
    )


def headerless(source: Source, table: Table) -> bool:
    """Tell a table of ratings without a header: by MovieLens' endings."""
    return source.suffix in SUFFIXES and not table.named and len(table.header) >= 3


def _rows(
    table: Table, places: Mapping[str, int], bad: dict[int, str] | None
) -> Iterator[tuple[list[str], str, str, float]]:
    """(row, user, item, rating) of every row; those that are bad are put aside, where there is a place for them."""
    user, item, rating = places["user"], places["item"], places["rating"]
    last, rows, good = max(user, item, rating), table.rows(), False

    def grade_of(row: list[str]) -> float | None:
        grade = number_or_none(row[rating]) if len(row) > last else None
        return grade if grade is not None and np.isfinite(grade) else None

    for line, row in rows:
        grade = grade_of(row)
        if grade is not None:
            good = True
            yield row, row[user], row[item], grade
            continue
        if len(row) <= last:
            sentence = f"{table.unit} {line} has {len(row)} cells, too few for user, item and rating"
        else:
            where = f"(column {rating + 1}, {table.header[rating]})"
            sentence = f"{table.unit} {line} has the rating {row[rating][:40]!r} {where}, but it must be a number"
        if bad is None:
            others = good or any(grade_of(other) is not None for _, other in rows)
            raise WinnerstaysError(f"{sentence}; {way_out(others)}.")
        bad[line] = sentence if len(bad) < BAD_SHOWN else ""


def _titles(folder: Path, given: str | Path | None) -> dict[str, str]:
    names = [Path(given)] if given is not None else [folder / name for name in TITLES if (folder / name).is_file()]
    for path in names[:1]:
        with file_errors(path):
            table = read_table(Source(path)).without_header()
            return {row[0]: row[1] for _, row in table.rows() if len(row) > 1}
    return {}
