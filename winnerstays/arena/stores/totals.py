"""Running totals of the log: how often what happened in an arena, without counting it again.

A total is the number of rows of the log with the same arena and the same Key. The table holds the totals of the rows up
to a mark; whoever reads adds the rows after it, of which there are few, because `advance` moves the mark on. Nothing is
written to the table when a duel is served or answered: the totals of an arena would be rows that all transactions
change, and none could be committed beside another.
"""

import json
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from winnerstays.arena.records import ROBOT_PREFIX
from winnerstays.arena.stores.base import Row, Snapshot, Transaction


class Key(NamedTuple):
    """What is counted.

    `kind`: rows of the kind `label`. `hour`: the same, in the hour `first` since 1970. `side`: answers that chose the
    left (`first` = 0) or the right (1) item. `group`: the same, of users of the group `label`. `win`: answers that
    chose item `first` over item `second`; `won` and `lost`: the sums of these over all pairs of item `first`, which was
    chosen or was not. The label of what robots did begins with `ROBOT`. `arm`: the sum number
    `first` of an arm, the label (holdout.py). `shown`: duels of an arm that had item `first` on the screen, where each
    duel counts for one.
    """

    measure: str
    label: str = ""
    first: int = 0
    second: int = 0


SNAPSHOT = "snapshot"
"""The kind of a row that stands for rows that were pruned; it holds their totals."""
ROWS_AT_ONCE = 2000
"""The most rows that one `advance` adds: it keeps nobody waiting for long."""
ROBOT = "robot "
_WHOSE = (
    f"COALESCE((SELECT '{ROBOT}' FROM learners WHERE learners.id = log.learner_id"
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
_SUMS_OF_PAIRS = ("won", "lost")
"""Measures that a snapshot does not hold, because its pairs say it."""
_COUNTS = {
    measure: f"SELECT arena_id, '{measure}', {label}, {first}, {second}, {{sign}}{how} FROM log"
    f" WHERE {{rows}} AND kind <> '{SNAPSHOT}' AND {counts} GROUP BY 1, 2, 3, 4, 5"
    for measure, (label, first, second, counts, how) in MEASURES.items()
}
STRANGERS = 2
"""So many sums a served duel adds to where nobody is remembered; elsewhere all of them."""
_ARM_ROWS = "SELECT arena_id, phase, first, second, data FROM log WHERE data LIKE '{\"arm\":%' AND "
"""Rows that hold what they add to the sums of an arm."""
_KEY = ", ".join(Key._fields)
_INSERT = f"INSERT INTO totals (arena_id, {_KEY}, count) "
_ADD = f" ON CONFLICT (arena_id, {_KEY}) DO UPDATE SET count = totals.count + excluded.count"
_ADD_ONE = f"{_INSERT}VALUES (?, ?, ?, ?, ?, ?){_ADD}"
MARK = "SELECT marks.seq FROM marks WHERE marks.name = 'totals'"
"""With the name of its table: inside of another statement a column alone could be one of that."""
_SNAPSHOTS = f"SELECT arena_id, data FROM log WHERE kind = '{SNAPSHOT}'"


def advance(transaction: Transaction, last: int) -> bool:
    """Add rows after the mark to the totals, up to the sequence number `last`, and move the mark; False if that is all.

    No row may appear later with a sequence number up to `last` (`Store.settled`).
    """
    mark = _lock_mark(transaction)
    next_rows = f"SELECT seq FROM log WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT {ROWS_AT_ONCE}"
    ((end, rows),) = transaction.rows(f"SELECT MAX(seq), COUNT(*) FROM ({next_rows}) AS batch", mark, last)
    if rows:
        for counts in _COUNTS.values():
            transaction.change(_INSERT + counts.format(sign="", rows="seq > ? AND seq <= ?") + _ADD, mark, end)
        _add(transaction, _of_arms(transaction.rows(f"{_ARM_ROWS}seq > ? AND seq <= ?", mark, end)))
        transaction.change("UPDATE marks SET seq = ? WHERE name = 'totals'", end)
    return bool(rows == ROWS_AT_ONCE)


def subtract(transaction: Transaction, rows: str, *values: object) -> None:
    """Subtract rows that are about to be removed, given as a condition with its values."""
    mark = _lock_mark(transaction)
    for counts in _COUNTS.values():
        statement = counts.format(sign="-", rows=f"seq <= ? AND {rows}")
        transaction.change(_INSERT + statement + _ADD, mark, *values)
    _add(transaction, _of_arms(transaction.rows(f"{_ARM_ROWS}seq <= ? AND {rows}", mark, *values)), -1)
    for arena_id, data in transaction.rows(f"{_SNAPSHOTS} AND {rows}", *values):
        for key, count in _of_snapshot(data).items():
            transaction.change(_ADD_ONE, arena_id, *key, -count)


def _of_arms(rows: Iterable[Row]) -> "Totals":
    """Return what rows add to the sums of arms."""
    found: Totals = Counter()
    for arena_id, phase, first, second, data in rows:
        held = json.loads(data)
        arm, adds = str(held["arm"]), held["adds"]
        for place, added in enumerate(adds):
            if added:
                found[arena_id, Key("arm", arm, place)] += added
        if phase == 0 and len(adds) == STRANGERS:
            for item in {first, second}:
                found[arena_id, Key("shown", arm, item)] += 1
    return found


def _of_snapshot(data: str) -> Counter[Key]:
    """Return the totals that a snapshot stands for."""
    found = Counter({Key(*key): count for *key, count in json.loads(data)["totals"]})
    for (measure, label, first, second), count in list(found.items()):
        if measure == "win":
            found[Key("won", label, first)] += count
            found[Key("lost", label, second)] += count
    return found


def _add(transaction: Transaction, found: "Totals", sign: int = 1) -> None:
    for (arena_id, key), count in sorted(found.items()):
        transaction.change(_ADD_ONE, arena_id, *key, sign * count)


def _lock_mark(transaction: Transaction) -> int:
    return int(transaction.rows(f"{MARK} FOR UPDATE")[0][0])


def read(snapshot: Snapshot, arena_id: int, measure: str, item: int | None = None) -> Counter[Key]:
    """Return the totals of an arena by one measure; only those with this item, if one is given."""
    select = f"SELECT {_KEY}, count FROM totals WHERE arena_id = ? AND measure = ?"
    ((mark,),) = snapshot.stream(MARK)
    after = "seq > ? AND arena_id = ?"  # with a number the planner knows how few rows these are
    found: Counter[Key] = Counter()
    if item is None:
        rows = list(snapshot.stream(select, arena_id, measure))
    elif measure == "win":
        select += f" AND label IN ('', '{ROBOT}')"  # all there are: with them the index finds the item
        rows = [
            row
            for side in ("first", "second")
            for row in snapshot.stream(f"{select} AND {side} = ?", arena_id, measure, item)
        ]
    else:
        rows = list(snapshot.stream(f"{select} AND first = ?", arena_id, measure, item))
    if measure in _COUNTS:
        rows += [row[1:] for row in snapshot.stream(_COUNTS[measure].format(sign="", rows=after), mark, arena_id)]
    else:
        later = _of_arms(snapshot.stream(f"{_ARM_ROWS}{after}", mark, arena_id))
        rows += [(*key, count) for (_, key), count in later.items() if key.measure == measure]
    for *key, count in rows:
        found[Key(*key)] += count
    return found


def of_people(found: Counter[Key]) -> Counter[Key]:
    """Return the totals without what robots did."""
    return Counter({key: count for key, count in found.items() if not key.label.startswith(ROBOT)})


def of_robots(found: Counter[Key]) -> Counter[Key]:
    """Return the totals of what robots did, with the labels of people."""
    robots = {key: count for key, count in found.items() if key.label.startswith(ROBOT)}
    return Counter({key._replace(label=key.label.removeprefix(ROBOT)): count for key, count in robots.items()})


Totals = Counter[tuple[int, Key]]
"""{(arena's id, key): count}"""


def stored(snapshot: Snapshot) -> Totals:
    """Return what the table holds."""
    rows = snapshot.stream(f"SELECT arena_id, {_KEY}, count FROM totals WHERE count <> 0")
    return Counter({(arena_id, Key(*key)): count for arena_id, *key, count in rows})


def mark_is_sound(snapshot: Snapshot) -> bool:
    """Whether the mark is not after the newest row: rows that come later would never be counted."""
    return all(mark <= newest for mark, newest in snapshot.stream(f"SELECT ({MARK}), COALESCE(MAX(seq), 0) FROM log"))


def counted(snapshot: Snapshot) -> Totals:
    """Return what the table should hold: the rows up to the mark, counted again."""
    found: Totals = Counter()
    for counts in _COUNTS.values():
        for arena_id, *key, count in snapshot.stream(counts.format(sign="", rows=f"seq <= ({MARK})")):
            found[arena_id, Key(*key)] += count
    found.update(_of_arms(snapshot.stream(f"{_ARM_ROWS}seq <= ({MARK})")))
    for arena_id, data in snapshot.stream(_SNAPSHOTS):
        found.update({(arena_id, key): count for key, count in _of_snapshot(data).items()})
    return found


def of_rows(transaction: Transaction, rows: str, *values: object) -> Counter[Key]:
    """Return the totals of the rows that a condition selects, as a snapshot holds them."""
    found: Counter[Key] = Counter()
    for counts in (counts for measure, counts in _COUNTS.items() if measure not in _SUMS_OF_PAIRS):
        for _, *key, count in transaction.rows(counts.format(sign="", rows=rows), *values):
            found[Key(*key)] += count
    for (_, whole), count in _of_arms(transaction.rows(_ARM_ROWS + rows, *values)).items():
        found[whole] += count
    return found
