"""The statements on the table of running totals (history/totals.py): what a row of the log counts for."""

from collections.abc import Iterator
from typing import NamedTuple

from winnerstays.arena.stores.base import Reader, Row, Statement, Transaction
from winnerstays.arena.stores.rows import ROBOT_PREFIX, SNAPSHOT


class Key(NamedTuple):
    """What is counted.

    `kind`: rows of the kind `label`. `hour`: the same, in the hour `first` since 1970. `side`: answers that chose the
    left (`first` = 0) or the right (1) item. `group`: the same, of users of the group `label`. `win`: answers that
    chose item `first` over item `second`; `won` and `lost`: the sums of these over all pairs of item `first`, which was
    chosen or was not. The label of what robots did begins with `KIND_OF_ROBOTS`. `arm`: the sum number
    `first` of an arm, the label (holdout.py).
    """

    measure: str
    label: str = ""
    first: int = 0
    second: int = 0


KIND_OF_ROBOTS = "robot "
_WHOSE = (
    f"COALESCE((SELECT '{KIND_OF_ROBOTS}' FROM learners WHERE learners.id = log.learner_id"
    f" AND learners.username LIKE '{ROBOT_PREFIX}%'), '')"
)
"""A subquery with a value is looked up for each row; of `EXISTS` PostgreSQL may read all learners first."""
_WON = "phase IN (1, 3) AND outcome = 'winner' AND first <> second"
_SIDE = "CASE WHEN (winner = first) = (flipped = 0) THEN 0 ELSE 1 END"
_LOSER = "CASE WHEN winner = first THEN second ELSE first END"
_NET = "SUM(CASE WHEN phase = 3 THEN -1 ELSE 1 END)"
"""Answers that were taken back do not count."""
MEASURES = {
    "kind": (f"{_WHOSE} || kind", "0", "0", "arena_id IS NOT NULL", "COUNT(*)"),
    "hour": (f"{_WHOSE} || kind", "CAST(at AS BIGINT) / 3600", "0", "arena_id IS NOT NULL", "COUNT(*)"),
    "side": (_WHOSE, _SIDE, "0", _WON, _NET),
    "group": (f"{_WHOSE} || user_group", _SIDE, "0", f"{_WON} AND user_group IS NOT NULL", _NET),
    "win": (_WHOSE, "winner", _LOSER, _WON, _NET),
    "won": (_WHOSE, "winner", "0", _WON, _NET),
    "lost": (_WHOSE, _LOSER, "0", _WON, _NET),
}
"""Label, first and second of a row, which rows count, and how."""
PAIRS_ONLY = ("won", "lost")
"""Measures that a snapshot does not hold, because its pairs say it."""
_COUNTS = {
    measure: f"SELECT arena_id, '{measure}', {label}, {first}, {second}, {{sign}}{how} FROM log"
    f" WHERE {{rows}} AND kind <> '{SNAPSHOT}' AND {counts} GROUP BY 1, 2, 3, 4, 5"
    for measure, (label, first, second, counts, how) in MEASURES.items()
}
_KEY = ", ".join(Key._fields)
_INSERT = f"INSERT INTO totals (arena_id, {_KEY}, count) "
_ADD = f" ON CONFLICT (arena_id, {_KEY}) DO UPDATE SET count = totals.count + excluded.count"
_ADD_ONE = f"{_INSERT}VALUES (?, ?, ?, ?, ?, ?){_ADD}"
MARK = "SELECT marks.seq FROM marks WHERE marks.name = 'totals'"
"""With the name of its table: inside of another statement a column alone could be one of that."""
_LOCK_MARK = Statement(lambda sql: f"{MARK}{sql.for_update}")
UP_TO_MARK = f"seq <= ({MARK})"
_OF_ARENA = f"SELECT {_KEY}, count FROM totals WHERE arena_id = ? AND measure = ?"


def mark(reader: Reader) -> int:
    """Return the sequence number up to which rows are in the totals."""
    return int(reader.rows(MARK)[0][0])


def lock_mark(transaction: Transaction) -> int:
    """Return the same, and let nobody else move it until the end."""
    return int(transaction.rows(_LOCK_MARK)[0][0])


def move_mark(transaction: Transaction, end: int) -> None:
    transaction.change("UPDATE marks SET seq = ? WHERE name = 'totals'", end)


def mark_is_sound(reader: Reader) -> bool:
    """Whether the mark is not after the newest row: rows that come later would never be counted."""
    ((mark, newest),) = reader.rows(f"SELECT ({MARK}), COALESCE(MAX(seq), 0) FROM log")
    return bool(mark <= newest)


def next_rows(transaction: Transaction, after: int, last: int, limit: int) -> tuple[int, int]:
    """Return where the next rows of the log end, and how many they are."""
    rows = f"SELECT seq FROM log WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT {limit}"
    ((end, count),) = transaction.rows(f"SELECT MAX(seq), COUNT(*) FROM ({rows}) AS batch", after, last)
    return end or 0, int(count)


def counted(reader: Reader, measure: str, rows: str, *values: object) -> list[Row]:
    """Return (arena's id, *key, count) of the rows that a condition selects."""
    return reader.rows(_COUNTS[measure].format(sign="", rows=rows), *values)


def add_counts(transaction: Transaction, rows: str, *values: object, sign: str = "") -> None:
    """Add what rows count for to the totals; with "-" as the sign, subtract it."""
    for counts in _COUNTS.values():
        transaction.change(_INSERT + counts.format(sign=sign, rows=rows) + _ADD, *values)


def add(transaction: Transaction, arena_id: int, key: Key, count: int) -> None:
    transaction.change(_ADD_ONE, arena_id, *key, count)


def arm_rows(reader: Reader, rows: str, *values: object) -> Iterator[Row]:
    """Yield (arena's id, arm, data) of the rows that may add something to the sums of an arm."""
    return reader.stream(f"SELECT arena_id, arm, data FROM log WHERE arm IS NOT NULL AND {rows}", *values)


def snapshots(reader: Reader, rows: str = "TRUE", *values: object) -> Iterator[Row]:
    """Yield (arena's id, data) of the rows that stand for pruned ones."""
    return reader.stream(f"SELECT arena_id, data FROM log WHERE kind = '{SNAPSHOT}' AND {rows}", *values)


def stored_of(reader: Reader, arena_id: int, measure: str, item: int | None = None) -> list[Row]:
    """Return (*key, count) of what the table holds of an arena by a measure; of one item, if it is given."""
    if item is None:
        return reader.rows(_OF_ARENA, arena_id, measure)
    if measure != "win":
        return reader.rows(f"{_OF_ARENA} AND first = ?", arena_id, measure, item)
    labels = f"label IN ('', '{KIND_OF_ROBOTS}')"  # all there are: with them the index finds the item
    return [
        row
        for side in ("first", "second")
        for row in reader.rows(f"{_OF_ARENA} AND {labels} AND {side} = ?", arena_id, measure, item)
    ]


def all_stored(reader: Reader) -> Iterator[Row]:
    """Yield (arena's id, *key, count) of the whole table."""
    return reader.stream(f"SELECT arena_id, {_KEY}, count FROM totals WHERE count <> 0")
