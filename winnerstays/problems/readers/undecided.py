"""Tables that have two sides, but no column that is known to say who won: what may be meant is proposed."""

from collections.abc import Iterator, Mapping, Sequence, Set

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.column_pairs import Pair, pairs_like, pairs_of
from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.item_pairs import item_pair
from winnerstays.problems.readers.table import Table, number_or_none
from winnerstays.problems.readers.vocabulary import FAMILIES, MEASURES, NOT_THE_RESULT, words_of

WHEN = {"date", "time", "timestamp", "datetime", "day", "year", "season", "week", "round", "id"}
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
    said = ways or f"--columns {option({'left': left, 'right': right, 'winner': 'COLUMN'})}"
    return WinnerstaysError(
        f"{left} and {right} name two sides, but no column is known to say who won; say so with columns: {said} "
        "(columns= in Python)."
    )


def _is_no_name(name: str, values: Set[str]) -> bool:
    """Tell what is no name of a column: a number, or a cell of the first row, where that is one like others."""
    return number_or_none(name) is not None or name in values


def option(roles: Mapping[str, str]) -> str:
    """Return columns as the command line takes them.

    >>> option({"left": "Tore Heim", "right": "x"}), option({"winner": "Won, at last"})
    ("'left=Tore Heim,right=x'", '\\'winner="Won, at last"\\'')
    """
    said = ",".join(f'{role}="{name}"' if "," in name else f"{role}={name}" for role, name in roles.items())
    return said if said.isascii() and all(sign.isalnum() or sign in "=,._-/" for sign in said) else f"'{said}'"


def _sides(header: Sequence[str], contents: Contents) -> Pair | None:
    """Return the two columns that name the sides; None if there are none, or several."""
    pairs = [pair for pair in pairs_of(header, FAMILIES) if not pair.places & contents.numbers]
    try:
        named = item_pair(header, pairs, ("left", "right"), contents)
    except WinnerstaysError:
        return None
    if named is not None:
        return named if all(contents.values(place) for place in named.places) else None
    alike = list(contents.meetings())
    return Pair((), *alike[0], ("", ""), ()) if len(alike) == 1 else None


def _proposals(header: Sequence[str], sides: Pair, contents: Contents) -> Iterator[tuple[dict[str, str], str]]:
    """Yield columns that may say who won, and what they would mean."""
    both = {"left": header[sides.first], "right": header[sides.second]}
    for pair in _scores(header, sides, contents):
        roles = {"left_score": header[pair.first], "right_score": header[pair.second]}
        yield both | roles, "if the higher number wins"
    for place, name in enumerate(header):
        if place in sides.places or NOT_THE_RESULT.intersection(words_of(name)) or not name:
            continue
        if contents.names_one_of(place, sides.first, sides.second):
            yield both | {"winner": name}, "if it names who won"
        elif contents.holds_scores(place):
            yield both | {"score": name}, f"if the first number is that of {both['left']}"
        elif place in contents.numbers and any(value.startswith("-") for value in contents.values(place)):
            yield both | {"margin": name}, f"if {both['left']} won where it is positive"
    always = {"winner": both["left"], "loser": both["right"]}
    lone = _lone_numbers(header, contents)
    if len(header) == 2:
        yield always, f"if {both['left']} always won"
    elif len(lone) == 1 and _counts(contents.values(lone[0])):
        count = header[lone[0]]
        yield always | {"count": count}, f"if {count} is how often {both['left']} beat {both['right']}"


def _scores(header: Sequence[str], sides: Pair, contents: Contents) -> list[Pair]:
    """Return the pairs of columns of numbers that may be scores."""
    pairs = [pair for pair in pairs_of(header, FAMILIES) if pair.family == sides.family]
    pairs = pairs or pairs_like(header, sides.first, sides.second)
    numbers = [pair for pair in pairs if pair.places <= contents.numbers and "id" not in pair.stem]
    plain = [pair for pair in numbers if not MEASURES.intersection(pair.stem)]
    if plain or numbers:
        return plain or numbers
    lone = _lone_numbers(header, contents)
    return [Pair((), lone[0], lone[1], ("", ""), ())] if len(lone) == 2 else []


def _lone_numbers(header: Sequence[str], contents: Contents) -> list[int]:
    """Return the columns of numbers that say neither when something was nor which it is."""
    return [k for k in sorted(contents.numbers) if header[k] and not WHEN.intersection(words_of(header[k]))]


def _counts(values: Set[str]) -> bool:
    return all(value.isdecimal() for value in values)
