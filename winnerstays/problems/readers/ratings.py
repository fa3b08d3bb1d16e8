"""Tables of ratings, such as MovieLens: who rated what how high.

- The most rated items are the arms; of items rated equally often, the one that comes first in the file.
- Of two ratings of one item by one person the later one counts: by the `timestamp`, or else in the file.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError
from winnerstays.problems.rating_table import RatingTable, RatingTableBuilder
from winnerstays.problems.readers.duels import Rows
from winnerstays.problems.readers.limits import Limits
from winnerstays.problems.readers.table import BadRows, Table
from winnerstays.problems.selection import check_items
from winnerstays.wording import counted

ITEMS = 100


def read_ratings(
    table: Table, places: Mapping[str, int], items: int, skip_bad: bool, limits: Limits
) -> tuple[list[str], RatingTable, str]:
    """Return the names of the most rated items, their ratings, and what was left out."""
    check_items(items)
    bad, known = BadRows(skip_bad), Counter[str]()
    for _, rated, _, _ in _ratings(table, places, bad):
        known.update(rated)
        limits.check("items", len(known))
    if len(known) < 2:
        why = f": {bad.note}" if bad.number else ""
        raise WinnerstaysError(f"there are ratings of {len(known)} items, but at least 2 are needed{why}.")
    arms = {item: arm for arm, (item, _) in enumerate(known.most_common(items))}
    builder, read = RatingTableBuilder(), 0
    for users, rated, grades, times in _ratings(table, places, BadRows(skip_bad)):
        for user, item, grade, when in zip(users, rated, grades.tolist(), times.tolist(), strict=True):
            if item in arms:
                builder.add(user, arms[item], grade, when)
                read += 1
    ratings = builder.sorted()
    replaced = read - ratings.grade.size
    later = f"{counted(replaced, 'rating')} replaced by a later one of the same person and item" if replaced else ""
    return list(arms), ratings, "; ".join(filter(None, [later, bad.note]))


def _ratings(
    table: Table, places: Mapping[str, int], bad: BadRows
) -> Iterator[tuple[list[str], list[str], Floats, Floats]]:
    """Yield users, items, grades and times, many at once."""
    for block in table.blocks([*places.values()], bad):
        rows = Rows(table.header, places, block, bad)
        for role, what in (("user", "a person"), ("item", "an item")):
            rows.refuse([not cell for cell in rows.cells[role]], role, f"but it must name {what}")
        grades = rows.numbers("rating")
        times = rows.numbers("timestamp") if "timestamp" in places else np.zeros(grades.size)
        yield rows.kept(rows.cells["user"]), rows.kept(rows.cells["item"]), grades[rows.fine], times[rows.fine]
