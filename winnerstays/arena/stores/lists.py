"""Lists of rows in a statement: what SQLite and PostgreSQL write differently, as patterns, and the list of one.

`FROM log WHERE (duel_id, learner_id) IN (ROWS(TEXT, BIGINT) ?)` looks up each row of a list of tuples, `ROWS(BIGINT) ?`
selects the values of a list.
"""

import re
from functools import cache
from typing import Any

LOOK_UP = re.compile(r"FROM (\w+) WHERE \(([\w, ]+)\) IN \(ROWS\(([A-Z, ]+)\) \?\)")
"""Table, columns, types."""
ROWS = re.compile(r"ROWS\(([A-Z, ]+)\) \?")
_EQUAL = re.compile(r"(\w+|\([\w, ]+\)) IN \(ROWS\([A-Z, ]+\) \?\)")


def wanted(columns: str) -> tuple[list[str], str]:
    """Return names for the columns of a list, and the condition that a row of the table is one of the list.

    >>> wanted("arena_id, username")
    (['wanted_arena_id', 'wanted_username'], 'arena_id = wanted_arena_id AND username = wanted_username')
    """
    names = {column: f"wanted_{column}" for column in columns.split(", ")}
    return list(names.values()), " AND ".join(f"{column} = {name}" for column, name in names.items())


def simplify(statement: str, values: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Return a statement and its values; if these end with a list of one, without the list.

    So PostgreSQL opens one partition only.

    >>> simplify("SELECT head FROM learners WHERE id IN (ROWS(BIGINT) ?)", ([7],))
    ('SELECT head FROM learners WHERE id = ?', (7,))
    """
    if not values or not isinstance(values[-1], list) or len(values[-1]) != 1:
        return statement, values
    one = _for_one(statement)
    (row,) = values[-1]
    return (statement, values) if one is None else (one, (*values[:-1], *(row if isinstance(row, tuple) else (row,))))


@cache
def _for_one(statement: str) -> str | None:
    """Return a statement for a list of one, if it has one list of rows."""
    one = _EQUAL.sub(
        lambda found: " AND ".join(f"{column} = ?" for column in found[1].strip("()").split(", ")), statement
    )
    return one if one != statement and statement.count("ROWS(") == 1 else None
