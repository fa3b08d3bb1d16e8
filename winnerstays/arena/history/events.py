"""Rows of the log as events, with names instead of ids; and events as a table: CSV, JSON lines or Parquet."""

import csv
import json
import re
import sys
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.engine.duels import DuelData
from winnerstays.arena.engine.holdout import ARMS, PROBE, chance, is_probe
from winnerstays.arena.errors import UnusableArenaError
from winnerstays.arena.records import Event
from winnerstays.arena.stores.base import NoArenaError, Row
from winnerstays.errors import WinnerstaysError, check_extra, unknown
from winnerstays.files import write_whole


class _Numbered:
    """Names for items that nobody knows any more, because the settings of their arena are damaged."""

    def __getitem__(self, place: int) -> str:
        return f"item {place}"


class Names(NamedTuple):
    """The names that rows of an arena need."""

    arena: str
    item_ids: Any
    """The ids of the items, by place."""


NOBODY = Names("", _Numbered())
"""For rows of no arena."""


def names_of(find: Callable[[int], ArenaRuntime], find_name: Callable[[int], str], arena_id: int | None) -> Names:
    """Return the names of an arena; where its settings are damaged, items have numbers; a deleted one has no names."""
    if arena_id is None:
        return NOBODY
    try:
        arena = find(arena_id)
        return Names(arena.name, arena.item_ids)
    except UnusableArenaError:
        return Names(find_name(arena_id), NOBODY.item_ids)
    except NoArenaError:
        return NOBODY


def event_of(row: Row, names: Names) -> Event:
    """Return a row of `statements.events` as an event."""
    (
        seq, at, _, user, kind, duel_id, first, second, flipped, outcome, winner, reason, expires_at, arm, group,
        rewarded, served,
    ) = row  # fmt: skip
    left, right = (None, None) if first is None else (names.item_ids[first], names.item_ids[second])
    if flipped:
        left, right = right, left
    chosen = names.item_ids[winner] if winner is not None and winner >= 0 else None
    who = None if arm is None else ARMS[arm % PROBE]
    reward = json.loads(rewarded or "{}")
    data = DuelData.of(served)
    return Event(
        seq, at, names.arena, user or None, kind, duel_id, left, right, outcome, chosen, reason, expires_at, who, group,
        names.item_ids[first] if is_probe(arm) else None, reward.get("value"), reward.get("key"),
        data.model[0] if data.model else None, chance(arm, data.drawn, len(data.shown) or 2),
        tuple(names.item_ids[item] for item in data.shown) or None,
    )  # fmt: skip


COLUMNS = list(Event.__dataclass_fields__)
ROWS_AT_ONCE = 20_000
"""Of a Parquet file: no more are held in memory."""
_FORMULA = re.compile(r"(^|[;\t\r\n])(?=[ \"']*[=+\-@\uff1d\uff0b\uff0d\uff20])")
"""Before what is a formula to a spreadsheet, also in full width, also where cells end at semicolons.

A formula may send what is in other cells elsewhere.
"""


def _cell(value: object) -> object:
    r"""Return a value for a spreadsheet: what it would take for a formula gets an apostrophe in front.

    >>> _cell("=1+1"), _cell("x;=1+1"), _cell("\t=1"), _cell("\uff1d1"), _cell("tacos - hot"), _cell(-1.5)
    ("'=1+1", "x;'=1+1", "\t'=1", "'\uff1d1", 'tacos - hot', -1.5)
    """
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value
    return _FORMULA.sub(r"\1'", text) if isinstance(text, str) else text


def write_csv(events: Iterable[Event], file: IO[str]) -> int:
    """Write a header and one row per event, with empty cells for None; return the number of events.

    No text is a formula to a spreadsheet: it gets an apostrophe in front. The other formats hold texts as they are.
    """
    table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    table.writeheader()
    count = 0
    for count, event in enumerate(events, 1):  # noqa: B007
        table.writerow({column: _cell(value) for column, value in event.as_dict().items()})
    return count


def write_ndjson(events: Iterable[Event], file: IO[str]) -> int:
    """Write one JSON object per event; return the number of events."""
    count = 0
    for count, event in enumerate(events, 1):  # noqa: B007
        file.write(json.dumps(event.as_dict(), ensure_ascii=False) + "\n")
    return count


def write_parquet(events: Iterable[Event], path: Path) -> int:
    """Write a Parquet table; return the number of events."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    types = dict.fromkeys(COLUMNS, pa.string()) | {
        "seq": pa.int64(),
        "at": pa.float64(),
        "expires_at": pa.float64(),
        "value": pa.float64(),
        "model": pa.int64(),
        "chance": pa.float64(),
        "shown": pa.list_(pa.string()),
    }
    schema, count, rest = pa.schema(types.items()), 0, iter(events)
    with ParquetWriter(path, schema) as writer:
        while rows := [event.as_dict() for event in islice(rest, ROWS_AT_ONCE)]:
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


TEXT_WRITERS: dict[str, Callable[[Iterable[Event], IO[str]], int]] = {"csv": write_csv, "ndjson": write_ndjson}
FORMATS = [*TEXT_WRITERS, "parquet"]


def export(events: Iterable[Event], format_: str, path: Path | None, *, force: bool = False) -> int:
    """Write the events to standard output, or to a file that is whole or not there; return their number."""
    if format_ not in FORMATS:
        raise unknown("format", format_, FORMATS)
    if format_ == "parquet":
        check_extra("Writing Parquet", "pyarrow", "tables")
    if format_ == "parquet" and path is None:
        raise WinnerstaysError("Parquet cannot be written to the screen: give a file (--output).")
    counts: list[int] = []

    def write(draft: Path) -> None:
        if format_ == "parquet":
            counts.append(write_parquet(events, draft))
        else:
            with draft.open("w", encoding="utf-8", newline="") as file:
                counts.append(TEXT_WRITERS[format_](events, file))

    if path is None:
        return TEXT_WRITERS[format_](events, sys.stdout)
    write_whole(path, write, force=force)
    return counts[0]
