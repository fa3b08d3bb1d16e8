"""Tables that have two sides, but no column that is known to say who won: what may be meant is proposed."""

import shlex
from collections.abc import Iterator, Mapping, Sequence, Set

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.column_pairs import Pair, pairs_like, pairs_of
from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.item_pairs import item_pair
from winnerstays.problems.readers.side_words import TIES, plain
from winnerstays.problems.readers.table import Table, number_or_none
from winnerstays.problems.readers.vocabulary import (
    CHANCES,
    FAMILIES,
    MEASURES,
    NOT_THE_RESULT,
    RANKS,
    SIDES,
    USERS,
    WHEN,
    counts_rows,
    words_of,
)

ABOUT_THE_ANSWER = {
    "participant", "subject", "annotator", "respondent", "worker", "judge", "ballot", "rt", "age", "duration",
    "seconds", "trial", "trials", "block", "index", "correct", "corr", "confidence", "precinct", "seed",
}  # fmt: skip
"""Words of numbers that say who answered, or how, but not what."""
LONGEST_CODE = 20
PROPOSED = 3


def undecided_sides(table: Table) -> WinnerstaysError | None:
    """The error for a table with two sides of which it is not known who won; None if there are no such sides."""
    contents = Contents(table)
    sides = _sides(table.header, contents)
    if sides is None or any(_is_no_name(table.header[place], contents.values(place)) for place in sides.places):
        return None
    left, right = table.header[sides.first], table.header[sides.second]
    proposals = list(_proposals(table.header, sides, contents))[:PROPOSED]
    ways = "; ".join(f"--columns {option(roles)} {where}" for roles, where in proposals)
    ways = ways or _by_codes(table.header, sides, contents)
    said = ways or f"--columns {option({'left': left, 'right': right, 'winner': 'COLUMN'})}"
    return WinnerstaysError(
        f"{left} and {right} name two sides, but no column is known to say who won; say so with columns: {said} "
        "(columns= in Python)."
    )


def _by_codes(header: Sequence[str], sides: Pair, contents: Contents) -> str:
    """Propose a column of two words that may stand for the sides."""
    for place, name in enumerate(header):
        values = sorted(contents.values(place))
        words = len(values) == 2 and all(len(value) <= LONGEST_CODE for value in values)
        if words and place not in sides.places | contents.numbers and _may_say_who_won(name):
            roles = {"left": header[sides.first], "right": header[sides.second], "winner": name}
            codes = shlex.quote(f"{values[0]}=left,{values[1]}=right")
            return f"--columns {option(roles)} --codes {codes} if {name} says who won, and means that"
    return ""


def _is_no_name(name: str, values: Set[str]) -> bool:
    """Tell what is no name of a column: a number, or a cell of the first row, where that is one like others."""
    return number_or_none(name) is not None or name in values


def option(roles: Mapping[str, str]) -> str:
    """Return columns as the command line takes them.

    >>> option({"left": "Tore Heim", "right": "x"}), option({"winner": "Won, at last"})
    ("'left=Tore Heim,right=x'", '\\'winner="Won, at last"\\'')
    """
    said = ",".join(f'{role}="{name}"' if "," in name else f"{role}={name}" for role, name in roles.items())
    return shlex.quote(said)


def _sides(header: Sequence[str], contents: Contents) -> Pair | None:
    """Return the two columns that name the sides; None if there are none, or several."""
    pairs = [pair for pair in pairs_of(header, FAMILIES) if not pair.places & contents.numbers]
    pairs = [pair for pair in pairs if not all(map(contents.holds_yes_or_no, pair.places))]
    try:
        named = item_pair(header, pairs, ("left", "right"), contents)
    except WinnerstaysError:
        return None
    if named is not None:
        return named if all(contents.values(place) for place in named.places) else None
    alike = list(contents.meetings())
    if len(alike) != 1:
        return None
    first, second = alike[0]
    names = contents.values(first) | contents.values(second)
    others = [place for place in range(len(header)) if place not in (first, second, *contents.numbers)]
    again = [place for place in others if len(contents.values(place)) > 1 and contents.values(place) <= names]
    if not all(contents.names_one_of(place, first, second) for place in again):
        return None  # the same answers to several questions
    return Pair((), first, second, ("", ""), ())


def _proposals(header: Sequence[str], sides: Pair, contents: Contents) -> Iterator[tuple[dict[str, str], str]]:
    """Yield columns that may say who won, and what they would mean."""
    both = {"left": header[sides.first], "right": header[sides.second]}
    yield from ((both | roles, where) for roles, where in _flags(header, sides, contents))
    for pair in _scores(header, sides, contents):
        ranked = bool(RANKS.intersection(pair.stem))
        first, second = (pair.second, pair.first) if ranked else (pair.first, pair.second)
        roles = {"left_score": header[first], "right_score": header[second]}
        yield both | roles, f"if the {'lower' if ranked else 'higher'} number wins"
    paired = {place for pair in pairs_of(header, FAMILIES) if pair.family == sides.family for place in pair.places}
    for place, name in enumerate(header):
        if place in sides.places or place in paired or not _may_say_who_won(name):
            continue
        if contents.names_one_of(place, sides.first, sides.second) or _says_side(place, contents):
            yield both | {"winner": name}, "if it names who won"
        elif contents.holds_scores(place):
            yield both | {"score": name}, f"if the first number is that of {both['left']}"
        elif place in contents.numbers and any(value.startswith("-") for value in contents.values(place)):
            yield both | {"margin": name}, f"if {both['left']} won where it is positive"
    yield from ((both | roles, where) for roles, where in _rates(header, both["left"], contents))
    always = {"winner": both["left"], "loser": both["right"]}
    lone = _lone_numbers(header, contents)
    if len(header) == 2:
        yield always, f"if {both['left']} always won"
    elif len(lone) == 1 and len(header) == 3 and _counts(contents.values(lone[0])):
        count = header[lone[0]]
        yield always | {"count": count}, f"if {count} is how often {both['left']} beat {both['right']}"


def _rates(header: Sequence[str], left: str, contents: Contents) -> Iterator[tuple[dict[str, str], str]]:
    """Yield the share of duels that the first side may have won, and their number."""
    numbers = sorted(contents.numbers)
    rates = [k for k in numbers if contents.holds_shares(k) and CHANCES.intersection(words_of(header[k]))]
    counts = [k for k in numbers if counts_rows(header[k])]
    if len(rates) == len(counts) == 1:
        rate, count = header[rates[0]], header[counts[0]]
        yield {"left_wins": rate, "total": count}, f"if {left} won this share of {count} duels"


def _says_side(place: int, contents: Contents) -> bool:
    """Tell a column whose cells are words for sides: left and right, A and B, 1 and 2."""
    values = {plain(value) for value in contents.values(place)} - TIES
    return any(values == {one, other} for one, other in SIDES)


def _flags(header: Sequence[str], sides: Pair, contents: Contents) -> Iterator[tuple[dict[str, str], str]]:
    """Yield the columns of yes and no that may say who won."""
    for pair in pairs_of(header, FAMILIES):
        if not pair.places & sides.places and all(map(contents.holds_yes_or_no, pair.places)):
            yield {"left_won": header[pair.first], "right_won": header[pair.second]}, "if they say who won"
    able = [k for k, name in enumerate(header) if k not in sides.places and _may_say_who_won(name)]
    lone = [k for k in able if contents.holds_yes_or_no(k)]
    paired = {place for pair in pairs_of(header, FAMILIES) for place in pair.places}
    for place in lone:
        if place not in paired and len(contents.values(place)) == 2 and "is" not in words_of(header[place]):
            yield {"left_won": header[place]}, f"if it says that {header[sides.first]} won"


def _scores(header: Sequence[str], sides: Pair, contents: Contents) -> list[Pair]:
    """Return the pairs of columns of numbers that may be scores."""
    pairs = [pair for pair in pairs_of(header, FAMILIES) if pair.family == sides.family]
    pairs = pairs or pairs_like(header, sides.first, sides.second)
    numbers = [pair for pair in pairs if pair.places <= contents.numbers and "id" not in pair.stem]
    numbers = [pair for pair in numbers if not CHANCES.intersection(pair.stem)]
    plain_ones = [pair for pair in numbers if not MEASURES.intersection(pair.stem)]
    if plain_ones or numbers:
        return plain_ones or numbers
    lone = _lone_numbers(header, contents)
    known = len(lone) == 2 and all(_counts(contents.values(place)) for place in lone)
    return [Pair((), lone[0], lone[1], ("", ""), ())] if known else []


def _may_say_who_won(name: str) -> bool:
    return bool(name) and not (NOT_THE_RESULT | WHEN | USERS | ABOUT_THE_ANSWER | {"id"}).intersection(words_of(name))


def _lone_numbers(header: Sequence[str], contents: Contents) -> list[int]:
    """Return the columns of numbers that say neither when something was nor which it is."""
    return [k for k in sorted(contents.numbers) if _may_say_who_won(header[k])]


def _counts(values: Set[str]) -> bool:
    return all(value.isdecimal() for value in values)
