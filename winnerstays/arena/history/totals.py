"""Running totals of the log: how often what happened in an arena, without counting it again.

The table holds the totals of the rows up to a mark; whoever reads adds the rows after it, of which there are few,
because `advance` moves the mark on. Nothing is written to the table when a duel is served or answered: the totals of an
arena would be rows that all transactions change, and none could be committed beside another.
"""

import json
import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress

from winnerstays.arena.engine.holdout import chooser
from winnerstays.arena.stores import totals as table
from winnerstays.arena.stores.base import Reader, Row, Store, StoreError, Transaction
from winnerstays.arena.stores.totals import KIND_OF_ROBOTS, PAIRS_ONLY, Key
from winnerstays.arena.stores.totals import mark_is_sound as mark_is_sound

ROWS_AT_ONCE = 2000
"""The most rows that one `advance` adds: it keeps nobody waiting for long."""
ROWS_BETWEEN = 2000
"""A process moves the mark on whenever it has appended this many rows."""
Totals = Counter[tuple[int, Key]]
"""{(arena's id, key): count}"""


def advance(transaction: Transaction, last: int) -> bool:
    """Add rows after the mark to the totals, up to the sequence number `last`, and move the mark; False if that is all.

    No row may appear later with a sequence number up to `last` (`Store.settled`).
    """
    mark = table.lock_mark(transaction)
    end, rows = table.next_rows(transaction, mark, last, ROWS_AT_ONCE)
    if rows:
        table.add_counts(transaction, "seq > ? AND seq <= ?", mark, end)
        _add(transaction, _of_arms(table.arm_rows(transaction, "seq > ? AND seq <= ?", mark, end)))
        table.move_mark(transaction, end)
    return rows == ROWS_AT_ONCE


def subtract(transaction: Transaction, rows: str, *values: object) -> None:
    """Subtract rows that are about to be removed, given as a condition with its values."""
    mark = table.lock_mark(transaction)
    counted = f"seq <= ? AND {rows}"
    table.add_counts(transaction, counted, mark, *values, sign="-")
    _add(transaction, _of_arms(table.arm_rows(transaction, counted, mark, *values)), -1)
    for arena_id, data in table.snapshots(transaction, rows, *values):
        _add(transaction, Counter({(arena_id, key): count for key, count in _of_snapshot(data).items()}), -1)


def read(reader: Reader, arena_id: int, measure: str, item: int | None = None) -> Counter[Key]:
    """Return the totals of an arena by one measure; only those with this item, if one is given."""
    totals: Counter[Key] = Counter()
    mark = table.mark(reader)
    after = "seq > ? AND arena_id = ?"  # with a number the planner knows how few rows these are
    rows = table.stored_of(reader, arena_id, measure, item)
    if measure in table.MEASURES:
        rows += [row[1:] for row in table.counted(reader, measure, after, mark, arena_id)]
    else:
        later = _of_arms(table.arm_rows(reader, after, mark, arena_id))
        rows += [(*key, count) for (_, key), count in later.items() if key.measure == measure]
    for *key, count in rows:
        totals[Key(*key)] += count
    return totals


def of_people(found: Counter[Key]) -> Counter[Key]:
    """Return the totals without what robots did."""
    return Counter({key: count for key, count in found.items() if not key.label.startswith(KIND_OF_ROBOTS)})


def of_robots(found: Counter[Key]) -> Counter[Key]:
    """Return the totals of what robots did, with the labels of people."""
    robots = {key: count for key, count in found.items() if key.label.startswith(KIND_OF_ROBOTS)}
    return Counter({key._replace(label=key.label.removeprefix(KIND_OF_ROBOTS)): count for key, count in robots.items()})


def stored(reader: Reader) -> Totals:
    """Return what the table holds."""
    return Counter({(arena_id, Key(*key)): count for arena_id, *key, count in table.all_stored(reader)})


def counted(reader: Reader) -> Totals:
    """Return what the table should hold: the rows up to the mark, counted again."""
    totals: Totals = Counter()
    for measure in table.MEASURES:
        for arena_id, *key, count in table.counted(reader, measure, table.UP_TO_MARK):
            totals[arena_id, Key(*key)] += count
    totals.update(_of_arms(table.arm_rows(reader, table.UP_TO_MARK)))
    for arena_id, data in table.snapshots(reader):
        totals.update({(arena_id, key): count for key, count in _of_snapshot(data).items()})
    return totals


def of_rows(transaction: Transaction, rows: str, *values: object) -> Counter[Key]:
    """Return the totals of the rows that a condition selects, as a snapshot holds them."""
    totals: Counter[Key] = Counter()
    for measure in table.MEASURES:
        if measure not in PAIRS_ONLY:
            for _, *key, count in table.counted(transaction, measure, rows, *values):
                totals[Key(*key)] += count
    for (_, whole), count in _of_arms(table.arm_rows(transaction, rows, *values)).items():
        totals[whole] += count
    return totals


def _of_arms(rows: Iterable[Row]) -> Totals:
    """Return what rows add to the sums of arms."""
    totals: Totals = Counter()
    for arena_id, arm, data in rows:
        for place, added in enumerate(json.loads(data or "{}").get("adds", ())):
            if added:
                totals[arena_id, Key("arm", str(chooser(arm)), place)] += added
    return totals


def _of_snapshot(data: str) -> Counter[Key]:
    """Return the totals that a snapshot stands for."""
    totals = Counter({Key(*key): count for *key, count in json.loads(data)["totals"]})
    for (measure, label, first, second), count in list(totals.items()):
        if measure == "win":
            totals[Key("won", label, first)] += count
            totals[Key("lost", label, second)] += count
    return totals


def _add(transaction: Transaction, found: Totals, sign: int = 1) -> None:
    for (arena_id, key), count in sorted(found.items()):
        table.add(transaction, arena_id, key, sign * count)


class TotalsKeeper:
    """Moves the mark of the totals on, in a thread, whenever this process has appended enough rows."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._appended = 0
        self._thread: threading.Thread | None = None
        self._closed = False

    def appended(self, rows: int) -> None:
        """Note that this many rows were appended to the log."""
        self._appended += rows
        if self._appended >= ROWS_BETWEEN and (self._thread is None or not self._thread.is_alive()):
            self._appended = 0
            self._thread = threading.Thread(target=self._catch_up, name="totals", daemon=True)
            self._thread.start()

    def _catch_up(self) -> None:
        with suppress(StoreError):  # readers count what is not in the totals yet; the next thread tries again
            self.catch_up()

    def catch_up(self) -> None:
        """Add all rows to the totals that no transaction can come before any more."""
        last = self._store.settled()
        while self._store.run(lambda transaction: advance(transaction, last)) and not self._closed:
            pass

    def close(self) -> None:
        """Let the thread end, and wait for it; what it leaves is done the next time."""
        self._closed = True
        if self._thread is not None:
            self._thread.join()
