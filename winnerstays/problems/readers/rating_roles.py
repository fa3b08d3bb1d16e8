"""Which columns of a table of ratings name the user, the item and the rating, by their names and their cells.

An item is known by its id (`asin`, `product_id`) before its title, since a title beside an id may be a review's
headline; where every id has one title and hardly two ids share one, items are called by it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.given import DUEL_ROLES, RATING_ROLES, Given, parse_columns
from winnerstays.problems.readers.rows import text_at
from winnerstays.problems.readers.table import Table
from winnerstays.problems.readers.vocabulary import ITEMS, RATINGS, SCORES, USERS, words_of

IDS = {"id", "asin", "asins", "isbn"} | {word for word in ITEMS | USERS if len(word) > 3 and word.endswith("id")}
NAMES = {"title", "name"}
THINGS = ITEMS - NAMES
REVIEWS = {"review", "reviews"}
BESIDE_RATING = REVIEWS | {"star", "book", "user", "my", "your"}
POINTS = {"points", "punkte", "puntos", "punti", "punten", "pontos", "pts"}
"""Words of a rating where whoever gives them is called a judge; elsewhere players earn them."""
JUDGES = {"taster", "judge", "juror", "jury", "critic", "verkoster", "rater", "reviewer"}
FEW_SHARED = 0.9
"""This share of the titles of ids must be different, if the titles are their names."""

Words = list[set[str]]


def rating_roles(table: Table, given: Given = None) -> dict[str, int] | None:
    """Return the places of user, item and rating; None if this is no table of ratings."""
    header = table.header
    roles = {role: place for role, place in parse_columns(given, header).items() if place is not None}
    if roles.keys() & {*DUEL_ROLES}:
        return None
    words, contents = [{*words_of(name)} for name in header], Contents(table)
    finders: dict[str, Callable[[Words, Contents, Mapping[str, int]], list[int]]] = {
        "user": _users, "item": _items, "rating": _ratings,
    }  # fmt: skip
    able: dict[str, list[int]] = {}
    for role, find in finders.items():
        if role not in roles:
            able[role] = [k for k in find(words, contents, roles) if k not in roles.values()]
            if not able[role]:
                return None
            roles[role] = able[role][0]
    if given is None and words[roles["item"]] & {"game"} and words[roles["rating"]] & SCORES:
        return None  # what somebody scored in a game is no rating of the game
    for role, places in able.items():
        _check_one(header, role, places, contents)
    return {role: roles[role] for role in RATING_ROLES}


def _check_one(header: Sequence[str], role: str, places: Sequence[int], contents: Contents) -> None:
    """Ask which column is meant where several may be, unless they say the same."""
    first = places[0]
    alike = [
        k
        for k in places
        if contents.are_equal(first, k) or (role != "rating" and contents.pairs_one_to_one((first, k)))
    ]
    open_ones = [k for k in places if k not in (first, *alike)]
    if open_ones:
        names = [header[places[0]], *(header[k] for k in open_ones)]
        raise WinnerstaysError(
            f"in this table of ratings the {role} may be in {' or '.join(names)}; say which (--columns "
            f"{role}={names[0]}; columns= in Python)."
        )


def _plainest(places: Iterable[int], words: Words) -> list[int]:
    """Return, of several columns, those with an id if any has one, and of these the ones with the fewest words."""
    able = list(places)
    able = [k for k in able if words[k] & IDS] or able
    fewest = min((len(words[k]) for k in able), default=0)
    return [k for k in able if len(words[k]) == fewest]


def _users(words: Words, contents: Contents, roles: Mapping[str, int]) -> list[int]:
    able = [k for k, some in enumerate(words) if some & USERS and some <= USERS | REVIEWS | {"id", "name", "profile"}]
    return _plainest(able, words)[:1]


def _items(words: Words, contents: Contents, roles: Mapping[str, int]) -> list[int]:
    things = [k for k, some in enumerate(words) if some & THINGS and some <= THINGS | {"id", "parent", "book"}]
    if things:
        return _plainest(things, words)
    titles = title_columns(words)
    owned = [k for k in titles if words[k] & THINGS] or [k for k in titles if "title" in words[k]]
    return owned[:1] or [k for k in titles if _differs(contents, roles.get("user"), k)][:1]


def title_columns(words: Words) -> list[int]:
    """Return the columns that may hold what items are called, those that say of what they are first."""
    able = [k for k, some in enumerate(words) if some & NAMES and some <= THINGS | NAMES]
    return sorted(able, key=lambda k: not words[k] & THINGS)


def _differs(contents: Contents, user: int | None, place: int) -> bool:
    """Tell whether one user has several names beside, so that these are not the user's own."""
    pairs = {(text_at(row, user), text_at(row, place)) for row in contents.rows}
    return user is not None and len(pairs) > len({one for one, _ in pairs})


def _ratings(words: Words, contents: Contents, roles: Mapping[str, int]) -> list[int]:
    judged = "user" in roles and words[roles["user"]] & JUDGES
    likely = RATINGS | POINTS if judged else RATINGS
    able = [k for k, some in enumerate(words) if some & likely and some <= likely | BESIDE_RATING]
    able = [k for k in able if k in contents.numbers] or able
    fewest = min((len(words[k]) for k in able), default=0)
    return [k for k in able if len(words[k]) == fewest]


class Titles:
    """What items are called in a column beside their ids, as far as each id has one title in all rows."""

    def __init__(self, header: Sequence[str], item: int) -> None:
        words = [{*words_of(name)} for name in header]
        known = bool(words[item] & THINGS) and not words[item] & NAMES
        self.found: dict[int, dict[str, str]] = {k: {} for k in title_columns(words)} if known else {}
        self.sure = {k for k in self.found if words[k] & THINGS}  # a headline is not called `product_title`
        self.again: dict[int, set[str]] = {k: set() for k in self.found}

    def add(self, item: str, row: Sequence[str]) -> None:
        """Take note of what an item is called in a row."""
        for place, names in list(self.found.items()):
            text = text_at(row, place)
            if item in names:
                self.again[place].add(item)
            if not text or names.setdefault(item, text) != text:
                del self.found[place]

    def result(self) -> tuple[int | None, dict[str, str]]:
        """Return the column that names the items, and their names; None if no column does."""
        for place, names in self.found.items():
            known = place in self.sure or len(self.again[place]) > 1
            if known and len({*names.values()}) >= FEW_SHARED * len(names):
                return place, names
        return None, {}
