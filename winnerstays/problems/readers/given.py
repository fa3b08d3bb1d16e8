"""What the user says of a file: which column is what, and what stands in a winner's column.

A column is given by its name, in quotes if that holds a comma, or by its number in a table without a header. A role
that is given nothing (`count=`) is not used.
"""

import re
from collections.abc import Mapping, Sequence

from winnerstays.errors import WinnerstaysError, unknown

DUEL_ROLES = (
    "winner", "loser", "tie", "left", "right", "left_id", "right_id", "left_won", "right_won", "left_score",
    "right_score", "left_pens", "right_pens", "left_wins", "right_wins", "total", "left_result", "right_result",
    "score", "margin", "status", "count",
)  # fmt: skip
RATING_ROLES = ("user", "item", "rating")
ROLES = (*DUEL_ROLES, *RATING_ROLES)

COLUMN = 'winner="Won, in the end"'
"""How a column is given for a role."""
Given = str | Mapping[str, str | int] | None


def parse_columns(given: Given, header: Sequence[str]) -> dict[str, int | None]:
    """Return the place of each column that was given for a role; None where a role is given nothing."""
    found: dict[str, int | None] = {}
    lower = [name.strip().lower() for name in header]
    for role, text in entries(given, "columns", COLUMN):
        if role not in ROLES:
            raise unknown("role of a column", role, ROLES)
        if not text:
            found[role] = None
        elif text in header or text.lower() in lower:
            found[role] = list(header).index(text) if text in header else lower.index(text.lower())
        else:
            raise unknown("column", text, header)
    return found


def entries(given: Given, option: str, example: str) -> list[tuple[str, str]]:
    """Return what an option says of each key, from a mapping or from text such as `left=home,right="away, far"`."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [(str(key).strip(), str(value).strip()) for key, value in given.items()]
    found = []
    for part in re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', given):
        key, equals, value = part.rpartition("=") if option == "codes" else part.partition("=")
        if not equals:
            raise WinnerstaysError(
                f"{option} has {part.strip()!r}, which has no `=`; write it as {example}, in quotes where a comma "
                "belongs to a name."
            )
        found.append((key.strip(), value.strip().strip('"')))
    return found


def by_number(given: Given) -> bool:
    """Tell whether all columns are given by their numbers, so that the table has no header."""
    places = [place for _, place in entries(given, "columns", COLUMN) if place]
    return bool(places) and all(place.isdigit() for place in places)
