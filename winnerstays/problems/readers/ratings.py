"""Tables of ratings, such as MovieLens: who rated what how high.

Read are CSV files with a header (`userId,movieId,rating[,timestamp]` or names like these) and MovieLens' older files
without one, `user::movie::rating::time` (`.dat`) and the same with tabs (`.data`). A table of titles beside the file
(`movies.csv`, `movies.dat`) names the items. The file is streamed twice and only ratings of the `items` most rated
items are kept, 24 bytes each.

The rules:

- the most rated items are the arms; of items rated equally often, the one that comes first in the file;
- whoever rates an item twice is counted with the later rating in the file;
- `rating_problem`, everyone together: P(i beats j) is the share of the people who rated both and rate i higher, equal
  ratings half to both; pairs nobody rated both of count as 1/2 (with `prior` 1, as everywhere);
- `rating_problems`, one problem per person, on the items this person rated: a rating is a utility seen with noise,
  P = Phi((u_i - u_j) / (noise sqrt 2)). Few people use enough grades to have one favourite, so u_i is the person's
  rating drawn a little, by `shrink`, towards the mean of everybody's: that decides between equal ratings.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.item_names import distinct_names
from winnerstays.problems.problem import Problem
from winnerstays.problems.rating_table import RatingTable, RatingTableBuilder
from winnerstays.problems.readers.table import check_items, column, file_errors, header_of, rows_of

SUFFIXES = (".dat", ".data")
USER = ("userid", "user_id", "user", "reviewerid")
ITEM = ("movieid", "movie_id", "itemid", "item_id", "item", "business_id", "productid", "product_id", "asin", "movie")
RATING = ("rating", "stars", "score", "overall")
USERS_AT_ONCE = 2_000


def columns_of(header: Sequence[str]) -> tuple[int, int, int] | None:
    """Where user, item and rating stand in a table with this header (in lower case); None if it is none."""
    user, item, rating = (column(header, *names) for names in (USER, ITEM, RATING))
    return None if user is None or item is None or rating is None else (user, item, rating)


def rating_problem(path: str | Path, *, items: int = 100, prior: float = 1.0) -> Problem:
    """The choices of a random person among those who know both items."""
    names, ratings = _read(Path(path), items)
    n_arms, users = len(names), len(ratings.users)
    wins = np.zeros((n_arms, n_arms))
    for low in range(0, users, USERS_AT_ONCE):
        some = ratings.table(low, min(low + USERS_AT_ONCE, users), n_arms)
        for arm in range(n_arms):
            here = some[~np.isnan(some[:, arm])]
            own = here[:, arm : arm + 1]
            wins[arm] += (own > here).sum(axis=0) + (own == here).sum(axis=0) / 2
    np.fill_diagonal(wins, 0)
    note = f"{ratings.grade.size} ratings by {users} people; equal ratings are half a win for both"
    return Problem.from_counts(wins, prior=prior, items=names, name=Path(path).stem, note=note)


def rating_problems(
    path: str | Path,
    *,
    items: int = 100,
    min_ratings: int = 20,
    people: int = 1000,
    noise: float = 1.0,
    shrink: float = 0.2,
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
    names, ratings = _read(path, items)
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


def _read(path: Path, items: int) -> tuple[list[str], RatingTable]:
    """The names of the most rated items, and their ratings."""
    with file_errors(path):
        check_items(items)
        known = Counter(item for _, _, item, _ in _rows(path))
        if len(known) < 2:
            raise WinnerstaysError(f"there are ratings of {len(known)} items; at least 2 are needed.")
        arms = {item: arm for arm, (item, _) in enumerate(known.most_common(items))}
        builder = RatingTableBuilder()
        for line, user, item, text in _rows(path):
            if item in arms:
                builder.add(user, arms[item], _grade(line, text))
        titles = _titles(path.parent)
    return distinct_names({item: titles.get(item, item) for item in arms}), builder.sorted()


def _rows(path: Path) -> Iterator[tuple[int, str, str, str]]:
    """(line, user, item, rating) of every row."""
    if path.suffix.lower() == ".csv":
        header = header_of(path)
        places = columns_of(header)
        if places is None:
            raise WinnerstaysError(
                f"the columns are {', '.join(header)}; a table of ratings has userId, movieId (or item) and rating."
            )
        user, item, rating = places
        rows = rows_of(path)
        next(rows)
    else:
        user, item, rating = 0, 1, 2
        rows = _old_rows(path)
    last = max(user, item, rating)
    for line, row in rows:
        if len(row) <= last:
            raise WinnerstaysError(f"line {line} has {len(row)} cells, too few for user, item and rating.")
        yield line, row[user], row[item], row[rating]


def _old_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    with path.open(encoding="latin-1") as file:
        for line, text in enumerate(file, start=1):
            if text.strip():
                yield line, text.strip().split("::" if "::" in text else "\t")


def _grade(line: int, text: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        grade = np.nan
    if not np.isfinite(grade):
        raise WinnerstaysError(f"line {line} has the rating {text[:40]!r}, but it must be a number.")
    return grade


def _titles(folder: Path) -> dict[str, str]:
    for name, rows in (("movies.csv", rows_of), ("movies.dat", _old_rows)):
        if (folder / name).is_file():
            return {row[0]: row[1] for _, row in rows(folder / name) if len(row) > 1}
    return {}
