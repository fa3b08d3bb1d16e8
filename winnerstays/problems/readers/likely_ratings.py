"""Tables that may hold ratings, but whose columns are not known for sure: what may be meant is proposed."""

from collections.abc import Iterator
from itertools import product

from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.order_tables import GROUPS
from winnerstays.problems.readers.rating_roles import IDS, POINTS, REVIEWS
from winnerstays.problems.readers.rows import text_at
from winnerstays.problems.readers.table import Table, number_or_none
from winnerstays.problems.readers.undecided import option
from winnerstays.problems.readers.vocabulary import ITEM_WORDS, ITEMS, RANKS, RATINGS, SCORES, USERS, WHEN, words_of

RATERS = USERS | GROUPS | {"question", "topic", "task", "student", "from"}
RATED = (ITEMS | ITEM_WORDS | {"essay", "entry", "to", "driver", "rider", "horse", "runner"}) - {"x", "p", "id"}
GRADES = RATINGS | SCORES | POINTS | RANKS
MOST_GRADES = 101
"""No scale has more grades."""


def rated_way(table: Table) -> str:
    """Return how to say that a table holds ratings, as the end of a sentence; nothing if no columns look like it."""
    found = next(_by_name(table), None) or _by_place(table) or _by_shape(table)
    if found is None:
        return ""
    user, item, rating = found
    turned = f" (or user={item},item={user})" if user.isdecimal() else ""
    given = option({"user": user, "item": item, "rating": rating})
    better = "lower" if RANKS.intersection(words_of(rating)[-1:]) else "higher"
    return f" Where each row is a rating, say --columns {given}{turned}: the {better} wins among all of one user."


def _by_name(table: Table) -> Iterator[tuple[str, str, str]]:
    """Yield the columns whose names look like those of a user, an item and a rating, and whose cells allow it."""
    contents = Contents(table)
    words = [{*words_of(name)} for name in table.header]
    grades = [k for k in sorted(contents.numbers) if words[k] & GRADES and not words[k] & IDS]
    users = [k for k, some in enumerate(words) if some & RATERS and some <= RATERS | REVIEWS | ITEM_WORDS]
    items = [k for k, some in enumerate(words) if some & RATED and not some & (GRADES | REVIEWS)]
    for rating, user, item in product(grades, users, items):
        if len({user, item, rating}) == 3 and _crossed(contents, user, item):
            yield table.header[user], table.header[item], table.header[rating]


def _by_shape(table: Table) -> tuple[str, str, str] | None:
    """Return two columns of which each of one comes with several of the other, and the one number beside them."""
    contents = Contents(table)
    able = [k for k, name in enumerate(table.header) if name and not (WHEN | {"id"}).intersection(words_of(name))]
    if len(able) != len(table.header) or len(able) != 3:
        return None
    for rating in (2, 1):
        user, item = (k for k in able if k != rating)
        if rating in contents.numbers and item not in contents.numbers and _crossed(contents, user, item):
            names = contents.values(user) & contents.values(item)
            return None if names else (table.header[user], table.header[item], table.header[rating])
    return None


def _crossed(contents: Contents, user: int, item: int) -> bool:
    """Tell whether some user has several items, and some item several users."""
    pairs = {(text_at(row, user), text_at(row, item)) for row in contents.rows}
    users, items = {one for one, _ in pairs}, {other for _, other in pairs}
    return len(users) > 1 and len(items) > 1 and len(pairs) > max(len(users), len(items))


def _by_place(table: Table) -> tuple[str, str, str] | None:
    """Return the first three columns, by their numbers, of a table without a header that may be ratings."""
    numbers = [number_or_none(cell) is not None for cell in table.header]
    if table.named or len(numbers) not in (3, 4) or not all(numbers[2:]):
        return None
    contents = Contents(table.without_header())
    if contents.values(0) & contents.values(1) or len(contents.values(2)) > MOST_GRADES or 2 not in contents.numbers:
        return None
    return ("1", "2", "3") if _crossed(contents, 0, 1) else None
