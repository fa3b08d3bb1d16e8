"""Which column of a table is what: by the exact names below, or as `columns` says.

The names `winner` and `loser`; `left` (or `model_a`), `right` (or `model_b`) and `winner`; `user` (or `userId`),
`item` (or `movieId`) and `rating`. Scores and a flag of ties are read where `columns` names them. A column `count`
weighs the duels of its row, and of two ratings of one item by one person the one with the later `timestamp` counts.
"""

import csv
import io
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from winnerstays.errors import WinnerstaysError, unknown

Mapped = str | Mapping[str, str] | None
"""What `columns` or `codes` say, as a mapping or as text: `left=home,right=away,winner=won`."""
NAMES = {
    "winner": ("winner",), "loser": ("loser",), "left": ("left", "model_a"), "right": ("right", "model_b"),
    "user": ("user", "userId"), "item": ("item", "movieId"), "rating": ("rating",), "count": ("count",),
    "timestamp": ("timestamp",), "tie": (), "left_score": (), "right_score": (),
}  # fmt: skip
"""The roles, and the names by which columns have them without being mapped."""
DUELS, RATINGS = "duels", "ratings"
MOST_SHOWN = 40
"""Columns that a sentence names."""


class Shape(NamedTuple):
    """A documented kind of table."""

    kind: str
    needed: tuple[str, ...]
    optional: tuple[str, ...]


SHAPES = (
    Shape(DUELS, ("winner", "loser"), ("tie", "count")),
    Shape(DUELS, ("left", "right", "winner"), ("tie", "count")),
    Shape(DUELS, ("left", "right", "left_score", "right_score"), ("tie", "count")),
    Shape(RATINGS, ("user", "item", "rating"), ("timestamp",)),
)


class Layout(NamedTuple):
    """What a table holds, and the place of the column that has each role."""

    kind: str
    places: dict[str, int]
    note: str


def parse(given: Mapped, option: str) -> dict[str, str]:
    """Return the pairs that an option holds.

    >>> parse('left=home,"right=away, far"', "columns"), parse("1=left,0=tie", "codes")
    ({'left': 'home', 'right': 'away, far'}, {'1': 'left', '0': 'tie'})
    """
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(key): str(value) for key, value in given.items()}
    pairs: dict[str, str] = {}
    try:
        parts = next(csv.reader([given]), [])
    except csv.Error:
        way = "a mapping, or text such as left=home,right=away"
        raise WinnerstaysError(f"{option} is {given!r}, but it must be {way}.") from None
    for part in parts:
        key, equals, value = part.rpartition("=") if option == "codes" else part.partition("=")
        if not equals:
            raise WinnerstaysError(f"{option} holds {part!r}, which has no `=`; write it as left=home,right=away.")
        key = key if option == "codes" else key.strip()
        if key in pairs:
            raise WinnerstaysError(f"{option} gives {key!r} twice; give it once.")
        pairs[key] = value
    return pairs


def as_option(option: str, pairs: Mapping[str, str]) -> str:
    """Return what can be typed on the command line to say this.

    >>> print(as_option("columns", {"winner": "won", "loser": "lost, alas"}))
    --columns 'winner=won,"loser=lost, alas"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([f"{key}={value}" for key, value in pairs.items()])
    return f"--{option} {shlex.quote(line.getvalue())}"


def layout_of(header: Sequence[str], given: Mapped, kind: str | None = None) -> Layout:
    """Return what the columns of a table are; an error that shows `columns` that would do if that is not clear."""
    mapped = parse(given, "columns")
    for role, name in mapped.items():
        if role not in NAMES:
            raise unknown("role of a column", role, NAMES)
        if name not in header:
            raise unknown("column", name, header)
    twice = next((name for name in mapped.values() if [*mapped.values()].count(name) > 1), None)
    if twice is not None:
        roles = " and ".join(role for role, name in mapped.items() if name == twice)
        raise WinnerstaysError(f"columns gives {roles} the same column {twice!r}; each needs one of its own.")
    chosen = dict(mapped)
    for role, names in NAMES.items():
        free = [name for name in names if name in header and name not in chosen.values()]
        if role not in chosen and len(free) == 1:
            chosen[role] = free[0]
    shapes = [shape for shape in SHAPES if kind in (None, shape.kind)]
    fitting_shapes = [
        shape for shape in shapes
        if chosen.keys() >= {*shape.needed} and {*shape.needed, *shape.optional} >= mapped.keys()
    ]  # fmt: skip
    if len(fitting_shapes) != 1:
        fitting = [{role: chosen[role] for role in shape.needed} for shape in fitting_shapes]
        raise WinnerstaysError(_unclear(header, mapped, shapes, fitting))
    shape = fitting_shapes[0]
    used = {role: chosen[role] for role in (*shape.needed, *shape.optional) if role in chosen}
    several = next((name for name in used.values() if list(header).count(name) > 1), None)
    if several is not None:
        raise WinnerstaysError(f"{list(header).count(several)} columns are called {several!r}; rename them.")
    unused = [name for name in header if name not in used.values()]
    roles_said = ", ".join(f"{role} {name}" if role != name else name for role, name in used.items())
    aside = f"; not used: {', '.join(unused[:5])}{' ...' if len(unused) > 5 else ''}" if unused else ""
    places = {role: list(header).index(name) for role, name in used.items()}
    return Layout(shape.kind, places, f"columns: {roles_said}{aside}")


def _unclear(
    header: Sequence[str], mapped: Mapping[str, str], shapes: Sequence[Shape], fitting: Sequence[Mapping[str, str]]
) -> str:
    """Say that a table may be several things, or none, and what to type."""
    shown = ", ".join(map(repr, header[:MOST_SHOWN])) + " ..." * (len(header) > MOST_SHOWN)
    if fitting:
        ways = " or ".join(as_option("columns", way) for way in fitting)
        return f"the columns are {shown}, which can be read in several ways; say {ways} (columns= in Python)."
    single = [name for name, times in Counter(header).items() if times == 1]
    fewest = len(shapes[0].needed)
    if len(single) < fewest:
        return (
            f"the columns are {shown}, but a table needs {fewest} with names of their own; if the cells are not parted "
            "by commas, semicolons or tabs, say delimiter= in Python."
        )
    wanted = as_option("columns", _proposed(single, mapped, shapes))
    kinds = "; or ".join(", ".join(shape.needed) for shape in shapes)
    already = f"; columns gives {', '.join(map('='.join, mapped.items()))}" if mapped else ""
    return (
        f"the columns are {shown}, but a table must have {kinds}{already}; say which is which, for example {wanted} "
        "(columns= in Python)."
    )


def _proposed(header: Sequence[str], mapped: Mapping[str, str], shapes: Sequence[Shape]) -> dict[str, str]:
    """Return columns for an example, with the names that are nearly right in their places."""
    lower = {name.strip().casefold() for name in header} | mapped.keys()
    near = [
        shape for shape in shapes if len(lower.intersection(shape.needed)) >= 2 and len(header) >= len(shape.needed)
    ]
    sided = [shape for shape in shapes if len(shape.needed) == len(header) and not mapped]
    needed = (near or sided or shapes)[0].needed
    known = {role: mapped[role] for role in needed if mapped.get(role) in header}
    for role in needed:
        same = [name for name in header if name not in known.values() and name.strip().casefold() == role]
        if role not in known and same:
            known[role] = same[0]
    free = [name for name in header if name not in known.values()]
    return {role: known[role] if role in known else free.pop(0) for role in needed}
