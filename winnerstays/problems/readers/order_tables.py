"""Tables of rankings by the names of the items, and optionally a column of counts.

- a column of rankings, `a > b > c`; one called like a ballot may also part them by commas;
- the columns `1st`, `2nd`, `3rd`, or `rank 1`, `First choice`, that name the items;
- a column for each item, `rank_Pizza` or `... [Pizza]`, with its place;
- a row for each voter and item: `voter`, `item`, `rank`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.columns import count_column
from winnerstays.problems.readers.orders import (
    arrow_in,
    disagree,
    groups_of,
    is_order,
    is_running,
    named_rankings,
    repeats,
)
from winnerstays.problems.readers.places import PLACE, is_no_candidate, place_columns, place_of
from winnerstays.problems.readers.table import Table, number_or_none
from winnerstays.problems.readers.vocabulary import RANKS, SIDES, USERS, WHEN, words_of
from winnerstays.problems.readers.voting import Groups, Order, Rankings
from winnerstays.wording import listed

BALLOTS = {
    "ranking", "rankings", "ranked", "rank", "ranks", "ballot", "ballots", "vote", "votes", "voting", "order", "orders",
    "ordering", "preference", "preferences", "prefs", "choices", "favourites", "favorites",
}  # fmt: skip
"""Words of a column of rankings."""
RANK_OF = re.compile(r".*\[(.+)\]\W*|rank(?:ing)?(?: of)?[\W_]+(\w.*)|(.*\w)[\W_]+rank(?:ing)?", re.IGNORECASE)
NUMBERED = re.compile(r"(\d+)[.):]\s*(.+)")
GROUPS = USERS | {
    "ballot", "race", "event", "heat", "judge", "respondent", "participant", "session", "query", "list", "game",
    "match", "round",
}  # fmt: skip
REMARKS = {"id", "comment", "comments", "note", "notes", "remark", "remarks"}
"""Words of columns that are no items."""
CALLED_ITEMS = {"item", "candidate", "option", "alternative"}
UNPLACED = {
    "", "-", "dnf", "dns", "dsq", "dq", "dnq", "ret", "wd", "nc", "na", "n/a", "nan", "none", "null", "unranked",
    "not ranked", "\\n",
}  # fmt: skip
"""What stands in place of the place of an item that has none."""
ROW_NUMBERS = {("n",), ("num",)}
SAMPLE = 300
"""Rows that are looked at."""


def table_orders(table: Table) -> Rankings | None:
    """Return the rankings of a table; None if it has none."""
    rows = [row for _, row in islice(table.rows(), SAMPLE) if any(row)]
    if not rows:
        return None
    readers = (_ballots, _places, _rank_columns, _long)
    return next(filter(None, (read(table, rows) for read in readers)), None)


def _cell(row: Sequence[str], place: int | None, nothing: str = "") -> str:
    return row[place] if place is not None and place < len(row) and row[place] else nothing


def ranked(table: Table, read: Callable[[list[str]], Groups | str], taken: set[int], note: str = "") -> Rankings:
    """Return what is read from each row, or what is wrong with it, with the column of counts if there is one."""
    count = count_column(table.header, taken).get("count")
    said = [note]
    if count is not None:
        values = [_cell(row, count) for _, row in islice(table.rows(), SAMPLE)]
        if words_of(table.header[count]) in ROW_NUMBERS and len(values) > 1 and is_running(values):
            said.append(f"{table.header[count]} numbers the rows")
            count = None
        else:
            said.append(f"each row counts {table.header[count]} times")

    def order(number: int, row: list[str]) -> Order:
        found = read(row)
        return Order(number, "", [], found) if isinstance(found, str) else Order(number, _cell(row, count, "1"), found)

    orders = (order(number, row) for number, row in table.rows())
    return named_rankings(orders, "a table", "; ".join(filter(None, [*said, table.note])), table.unit)


def _ballots(table: Table, rows: Sequence[list[str]]) -> Rankings | None:
    """Read a column of rankings: called like one, or with the same items in different orders."""
    found = []
    for k, name in enumerate(table.header):
        called = bool(BALLOTS.intersection(words_of(name)))
        cells = [_cell(row, k) for row in rows]
        if all(map(is_order, cells)) and (called or disagree(map(groups_of, cells))):
            found.append((k, ">"))
        elif called and all(cells) and sum("," in cell or ";" in cell for cell in cells) > len(cells) / 2:
            mark = max(",;", key=lambda one: sum(one in cell for cell in cells))
            if repeats([_listed(cell, mark) for cell in cells]):
                found.append((k, mark))
    if len(found) != 1:
        return None
    column, mark = found[0]
    parted = groups_of if mark == ">" else lambda cell: _listed(cell, mark)
    known = {name for row in rows for group in _without_blanks(parted(_cell(row, column))) for name in group}

    def read(row: list[str]) -> Groups | str:
        cell = _cell(row, column)
        if mark == ">" and cell and not is_order(cell) and cell not in known:
            return f"has {cell[:40]!r} in {table.header[column]}, but it must be a ranking such as a > b"
        return _without_blanks(parted(cell))

    arrow = next(filter(None, (arrow_in(_cell(row, column)) for row in rows)), "")
    return ranked(table, read, {column}, arrow if mark == ">" else f"{table.header[column]} names the best first")


def _listed(cell: str, mark: str) -> Groups:
    """Return the items of a list, by the numbers in front of them if all have one: `1. Pizza, 2. Sushi`."""
    parts = [part.strip() for part in cell.split(mark) if part.strip()]
    numbered = [NUMBERED.fullmatch(part) for part in parts]
    places = {int(match[1]): [match[2]] for match in numbered if match}
    return [places[place] for place in sorted(places)] if len(places) == len(parts) else [[part] for part in parts]


def _without_blanks(groups: Groups) -> Groups:
    kept = [[name.strip() for name in group if name.strip()] for group in groups]
    return [group for group in kept if group]


def _places(table: Table, rows: Sequence[list[str]]) -> Rankings | None:
    """Read a column for each place."""
    places = place_columns(table)
    named = any(number_or_none(_cell(row, k, "0")) is None for row in rows for k in places)
    ordinal = all(re.search(r"\d(?:st|nd|rd|th)|first|second|third|[a-z]th", table.header[k].lower()) for k in places)
    if len(places) < 2 or not (named or ordinal):  # the numbers below `rank 1` may be the places of item 1
        return None
    cells = Counter(_cell(row, k) for _, row in table.rows() for k in places)
    codes = {cell for cell in cells if is_no_candidate(cell)}

    def read(row: list[str]) -> Groups:
        named = [_cell(row, k) for k in places]
        return _without_blanks([_tied(cell, cells) for cell in named if cell not in codes])

    left_out = ", ".join(f"{cells[code]} {code!r}" for code in sorted(codes, key=lambda code: -cells[code]))
    plain = all(PLACE.fullmatch(table.header[k].strip()) for k in places)
    said = "" if plain else f"the places are {listed([table.header[k] for k in places], 3)}"
    return ranked(
        table, read, set(places), "; ".join(filter(None, [said, f"no candidate: {left_out}" if codes else ""]))
    )


def _tied(cell: str, cells: Counter[str]) -> list[str]:
    """Return the items of a cell: several with `=` between them, if that is not part of a name."""
    parts = [part.strip() for part in cell.split("=")]
    return parts if " = " in cell or all(part in cells for part in parts) else [cell]


def _rank_columns(table: Table, rows: Sequence[list[str]]) -> Rankings | None:
    """Read a column for each item that holds its place."""
    found = [(k, RANK_OF.fullmatch(name.strip())) for k, name in enumerate(table.header)]
    items = {k: next(filter(None, match.groups())).strip() for k, match in found if match}
    cells = [cell for row in rows for k in items if (cell := _cell(row, k))]
    ordinal = any(rank_of(cell) is not None and not cell.isdecimal() for cell in cells)
    sides = {frozenset(pair) for pair in SIDES}
    of_sides = frozenset(item.lower() for item in items.values()) in sides and "[" not in "".join(table.header)
    if len(items) < 2 or not cells or of_sides:
        return None
    if any(rank_of(cell) is None for cell in cells) or len({*items.values()}) < len(items):
        return None
    if not ordinal and any("[" in table.header[k] and "rank" not in table.header[k].lower() for k in items):
        return None  # grades, for all that is known
    if any(item.isdecimal() for item in items.values()):
        return None

    def read(row: list[str]) -> Groups:
        return in_order({item: place for k, item in items.items() if (place := rank_of(_cell(row, k))) is not None})

    return ranked(table, read, set(items), "1 is the best place")


def in_order(places: Mapping[str, float]) -> Groups:
    """Return items by their places, the lowest first."""
    return [[item for item in places if places[item] == place] for place in sorted({*places.values()})]


def rank_of(cell: str) -> int | None:
    """Return the place in a cell: 2, 2nd, second, 2nd choice.

    >>> rank_of("2"), rank_of("2nd choice"), rank_of("Second"), rank_of("good")
    (2, 2, 2, None)
    """
    if cell.isdecimal():
        return int(cell)
    match = PLACE.fullmatch(cell)
    return place_of(match) if match else None


def _long(table: Table, rows: Sequence[list[str]]) -> Rankings | None:
    """Read a row for each voter and item."""
    words = [words_of(name) for name in table.header]
    voters = [k for k, some in enumerate(words) if GROUPS.intersection(some) and {*some} <= GROUPS | {"id"}]
    ranks = [k for k, some in enumerate(words) if len(some) == 1 and some[0] in RANKS]
    rest = [k for k in range(len(words)) if k not in (*voters, *ranks)]
    item = _item_column(words, rest)
    if not len(voters) == len(ranks) == 1 or item is None:
        return None
    voter, rank = voters[0], ranks[0]
    placed = sum(rank_of(_cell(row, rank)) is not None for row in rows)
    if 2 * placed < len(rows) or (len(rest) > 1 and count_column(table.header, {voter, rank, item})):
        return None
    beside = [k for k in rest if k != item and not REMARKS.issuperset(words[k])]
    ballots: dict[str, tuple[int, dict[int, list[str]]]] = {}
    wrong, unplaced = [], Counter[str]()
    for number, row in table.rows():
        place, said = rank_of(_cell(row, rank)), _cell(row, rank)
        if place is None and said.lower() in UNPLACED and _cell(row, item):
            unplaced[said or "nothing"] += 1
            continue
        if place is None or not _cell(row, item):
            what = f"has the place {said!r}, but it must be a whole number" if place is None else "names no item"
            wrong.append(Order(number, "", [], what))
            continue
        _, ballot = ballots.setdefault(_cell(row, voter), (number, {}))
        tied = ballot.setdefault(place, [])
        if tied and beside:
            names = ", ".join(table.header[k] for k in beside)
            raise WinnerstaysError(
                f"{table.unit} {number} is the second that gives the place {place} for {_cell(row, voter)!r}; leave "
                f"out {names} if these are ties, and if there are several rankings by one {table.header[voter]}, "
                f"write what tells them apart into {table.header[voter]}, too."
            )
        tied.append(_cell(row, item))

    def orders() -> Iterator[Order]:
        for number, ballot in ballots.values():
            yield Order(number, "1", [ballot[place] for place in sorted(ballot)])
        yield from wrong

    notes = [f"{table.header[rank]} 1 is the best place"]
    if unplaced:
        listed = ", ".join(f"{times} {what}" for what, times in unplaced.items())
        notes.append(f"items without a {table.header[rank]} ({listed}) are left out by who ranked them so")
    return named_rankings(
        orders(), f"by {table.header[voter]}", "; ".join(filter(None, [*notes, table.note])), table.unit
    )


def _item_column(words: Sequence[tuple[str, ...]], rest: Sequence[int]) -> int | None:
    """Return the one column that may name the items; of several, the one that is called so."""
    able = [k for k in rest if not (REMARKS | WHEN).issuperset(words[k])]
    if len(rest) > 1 and len(able) > 1:
        able = [k for k in able if CALLED_ITEMS.intersection(words[k]) and {*words[k]} <= CALLED_ITEMS | {"name", "id"}]
    return able[0] if len(able) == 1 else rest[0] if len(rest) == 1 else None
