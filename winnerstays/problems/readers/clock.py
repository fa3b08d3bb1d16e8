"""When a row of a table was written: the column of times, if there is one."""

from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from winnerstays.problems.readers.table import Table, number_or_none
from winnerstays.problems.readers.vocabulary import words_of

TIMES = {"timestamp", "time", "date", "datetime", "when", "at", "created", "updated", "rated"}
OTHER_WORDS = {"at", "on", "unix", "review", "rating", "tstamp"}
SAMPLE = 300
MICRO = 1_000_000
LARGEST = 9e12
"""Larger numbers are nanoseconds, and not of the same column as smaller ones."""
EARLIEST = 1_000_000 * MICRO
"""Numbers in a fourth column without a name are times if they are later than this."""


class Clock(NamedTuple):
    """The column of times; without one all rows are of the same time."""

    column: int | None
    what: str

    def of(self, row: Sequence[str]) -> int:
        """Return the time of a row; one that cannot be read is the earliest."""
        time = None if self.column is None or self.column >= len(row) else time_of(row[self.column])
        return -(2**62) if time is None and self.column is not None else time or 0


def time_of(cell: str) -> int | None:
    """Return a time as a number that grows with it: digits, or a date of ISO 8601.

    >>> time_of("978300760"), time_of("2024-02-30"), time_of("2024-02-28") < time_of("2024-02-28T10:00:00Z")
    (978300760000000, None, True)
    """
    number = number_or_none(cell)
    if number is not None:
        if abs(number) < LARGEST:
            return int(number * MICRO)
        return int(number) if abs(number) < 2**62 else None
    try:
        date = datetime.fromisoformat(cell)
    except ValueError:
        return None
    start = datetime(1970, 1, 1, tzinfo=date.tzinfo)
    return int((date - start).total_seconds() * MICRO)


def clock(table: Table, taken: set[int]) -> Clock:
    """Return the column of times: by its name, or the fourth of MovieLens' files, which have none."""
    words = [{*words_of(name)} for name in table.header]
    found = [k for k, some in enumerate(words) if some & TIMES and some <= TIMES | OTHER_WORDS and k not in taken]
    cells = [row for _, row in islice(table.rows(), SAMPLE)]
    fourth = taken == {0, 1, 2} and len(table.header) == 4 and table.header[3].isdecimal()
    if fourth and all((time_of(row[-1]) or 0) > EARLIEST for row in cells):
        found = [3]
    if len(found) == 1 and all(len(row) > found[0] and time_of(row[found[0]]) is not None for row in cells):
        return Clock(found[0], f"by {table.header[found[0]]}" if not table.header[found[0]].isdecimal() else "by time")
    unread = f", since {table.header[found[0]]} holds no times such as 2024-12-31" if len(found) == 1 else ""
    return Clock(None, f"in the file{unread}")
