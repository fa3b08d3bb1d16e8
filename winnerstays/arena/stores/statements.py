"""The statements on arenas, the log, keys and secrets, each a function with a name.

Learners have theirs in `learner_statements.py`, totals in `totals.py`, and removing rows in `removal.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from winnerstays.arena.stores.base import NoArenaError, Reader, Row, Statement, Transaction
from winnerstays.arena.stores.rows import (
    LOG_ROW,
    NO_LEARNER,
    REWARDED,
    SEALED,
    SERVED,
    SNAPSHOT,
    UNKNOWN,
    ArenaRow,
    DuelOf,
    KeyRow,
    LogEntry,
    LogRow,
    RefusalKind,
    snapshot_id,
)

OF_LEARNER = (
    "learner_id = ? AND duel_id IN"
    " (SELECT duel_id FROM log WHERE learner_id = ? AND kind = 'served' UNION ALL SELECT ?)"
)
"""The rows of a user's learner, which are found through the duels served to it; `of_learner` are the values."""


def arena_names(reader: Reader) -> list[str]:
    return [row[0] for row in reader.rows("SELECT name FROM arenas ORDER BY name")]


def arena_list(reader: Reader) -> list[tuple[int, str, bytes | None]]:
    """Return (id, name, head) of all arenas, by name."""
    return [(row[0], row[1], row[2]) for row in reader.rows("SELECT id, name, head FROM arenas ORDER BY name")]


def stored_settings(reader: Reader) -> list[tuple[str, str]]:
    """Return the names of the arenas, in alphabetical order, each with its settings (JSON)."""
    return [(row[0], row[1]) for row in reader.rows("SELECT name, settings FROM arenas ORDER BY name")]


def find_arena(reader: Reader, name: str) -> tuple[int, str, str, bytes | None] | None:
    rows = reader.rows("SELECT id, name, settings, head FROM arenas WHERE name = ?", name)
    return (rows[0][0], rows[0][1], rows[0][2], rows[0][3]) if rows else None


def get_arena(reader: Reader, id_: int) -> tuple[int, str, str, bytes | None]:
    rows = reader.rows("SELECT name, settings, head FROM arenas WHERE id = ?", id_)
    if not rows:
        raise NoArenaError(f"The database is damaged: there is no arena with the id {id_}.")
    return id_, rows[0][0], rows[0][1], rows[0][2]


ARENA_HEADS = Statement(lambda sql: f"SELECT id, head FROM arenas WHERE {sql.is_among('id')}")
_LOCK_ARENA = Statement(lambda sql: f"SELECT id, settings FROM arenas WHERE name = ?{sql.for_update}")
_LOCK_HEAD = Statement(lambda sql: f"SELECT created_at, head FROM arenas WHERE id = ?{sql.for_update}")


def arena_heads(reader: Reader, ids: list[int]) -> list[tuple[int, bytes | None]]:
    return [(row[0], row[1]) for row in reader.rows(ARENA_HEADS, ids)]


def lock_arena(transaction: Transaction, name: str) -> tuple[int, str] | None:
    """Lock the arena with this name; return its id and settings (JSON)."""
    rows = transaction.rows(_LOCK_ARENA, name)
    return (rows[0][0], rows[0][1]) if rows else None


def change_arena(transaction: Transaction, id_: int, name: str, settings: str) -> None:
    """Give a locked arena another name or settings (JSON)."""
    transaction.change("UPDATE arenas SET name = ?, settings = ? WHERE id = ?", name, settings, id_)


def add_arena(transaction: Transaction, name: str, settings: str, now: float) -> int | None:
    """Add an arena and return its id; None if there is one of this name."""
    insert = "INSERT INTO arenas (name, created_at, settings) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING id"
    rows = transaction.rows(insert, name, now, settings)
    return int(rows[0][0]) if rows else None


def lock_head(transaction: Transaction, arena_id: int) -> tuple[float, bytes | None]:
    """Lock an arena; return when it was created, and its head."""
    ((created_at, head),) = transaction.rows(_LOCK_HEAD, arena_id)
    return created_at, head


def save_head(transaction: Transaction, arena_id: int, head: bytes) -> None:
    transaction.update("arenas", "head, id", [(head, arena_id)])


def append_log(transaction: Transaction, rows: Sequence[Row]) -> None:
    """Append rows to the log, in this order, each as `chain.seal` returns it."""
    stored = [row if row[1] is not None else (row[0], NO_LEARNER, *row[2:]) for row in rows]
    transaction.insert("log", SEALED, stored)


_COUNT_REFUSALS = (
    "INSERT INTO refusals (arena_id, kind, count, logged) VALUES (?, ?, ?, ?) ON CONFLICT (arena_id, kind) DO UPDATE"
    " SET count = refusals.count + excluded.count, logged = refusals.logged + excluded.logged"
)
_LOGGED_REFUSALS = Statement(
    lambda sql: f"SELECT arena_id, kind, logged {sql.look_up('refusals', {'arena_id': 'BIGINT', 'kind': 'TEXT'})}", True
)
DUELS = {"duel_id": "TEXT", "learner_id": "BIGINT"}
"""What duels are looked up by."""
_REFUSALS_OF_DUELS = Statement(
    lambda sql: f"SELECT duel_id, COUNT(*) {sql.look_up('log', DUELS)} AND phase IS NULL GROUP BY duel_id",
    one_by_equality=True,
)


def logged_refusals(reader: Reader, kinds: list[RefusalKind]) -> dict[RefusalKind, int]:
    """Return how many refused answers of these kinds are, or were, in the log."""
    return {(row[0], row[1]): row[2] for row in reader.rows(_LOGGED_REFUSALS, kinds)}


def count_refusals(transaction: Transaction, counts: Mapping[RefusalKind, tuple[int, int]]) -> None:
    """Count refused answers, given as {kind: (how many, how many of them in the log)}."""
    for (arena_id, kind), (count, logged) in sorted(counts.items()):
        transaction.change(_COUNT_REFUSALS, arena_id, kind, count, logged)


def refusals_of_duels(transaction: Transaction, duels: list[DuelOf]) -> dict[str, int]:
    """Return how many refused answers to each of these duels are in the log."""
    return dict(transaction.rows(_REFUSALS_OF_DUELS, duels))


def refusals(reader: Reader, arena_id: int | None) -> dict[str, int]:
    """Return how many answers of an arena were refused, by kind, whether they are in the log or not."""
    return dict(reader.rows("SELECT kind, count FROM refusals WHERE arena_id = ?", arena_id or 0))


_RATE = "SELECT minute, count FROM answer_rates WHERE arena_id = ? AND username = ?"
_SET_RATE = (
    "INSERT INTO answer_rates (arena_id, username, minute, count) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (arena_id, username) DO UPDATE SET minute = excluded.minute, count = excluded.count"
)


def answers_in_minute(transaction: Transaction, arena_id: int, username: str, minute: int) -> int:
    """Return how many answers of a user were accepted in this minute since 1970."""
    return sum(count for last, count in transaction.rows(_RATE, arena_id, username) if last == minute)


def set_answers_in_minute(transaction: Transaction, arena_id: int, username: str, minute: int, count: int) -> None:
    """Save how many answers of a user were accepted in this minute."""
    transaction.change(_SET_RATE, arena_id, username, minute, count)


_WINS = Statement(
    lambda sql: (
        "SELECT log.learner_id, log.winner, CASE WHEN log.winner = log.first THEN log.second ELSE log.first END,"
        " SUM(CASE WHEN log.phase = 3 THEN -1 ELSE 1 END) FROM log AS served CROSS JOIN log"
        f" WHERE {sql.is_among('served.learner_id')} AND served.kind = 'served' AND log.duel_id = served.duel_id"
        " AND log.learner_id = served.learner_id AND log.phase IN (1, 3) AND log.outcome = 'winner'"
        " AND log.first <> log.second GROUP BY 1, 2, 3"
    )
)


def wins_of_learners(reader: Reader, learner_ids: list[int]) -> list[Row]:
    """Return (learner's id, winner, loser, times) of the answers that were neither taken back nor pruned."""
    return reader.rows(_WINS, learner_ids)


_EVENTS = (
    "SELECT log.seq, log.at, log.arena_id, COALESCE(log.username, learners.username), log.kind, log.duel_id, log.first,"
    " log.second, log.flipped, log.outcome, log.winner, log.reason, log.expires_at, COALESCE(log.arm, served.arm),"
    f" log.user_group, CASE WHEN log.kind = '{REWARDED}' THEN log.data END, served.data"
    " FROM log LEFT JOIN learners ON learners.id = log.learner_id LEFT JOIN log AS served"
    f" ON served.duel_id = log.duel_id AND served.learner_id = log.learner_id AND served.phase = {SERVED}"
    " WHERE log.seq > ? AND log.seq <= ?"
)


_OF_USER = (
    " AND (log.username = ? OR log.duel_id IN (SELECT duel_id FROM log WHERE kind = 'served'"
    " AND learner_id IN (SELECT learner_id FROM usernames WHERE arena_id = ? AND username = ?)))"
)


def events(
    reader: Reader, after: int, last: int, limit: int, arena_id: int | None, username: str | None = None
) -> list[Row]:
    """Return at most `limit` rows of the log with a sequence number above `after`, up to `last`."""
    where, values = "", cast(list[object], [after, last])
    if arena_id is not None:
        where, values = " AND log.arena_id = ?", [after, last, arena_id]
        if username is not None:
            where, values = where + _OF_USER, [*values, username, arena_id, username]
    return list(reader.stream(f"{_EVENTS}{where} ORDER BY log.seq LIMIT {limit}", *values))


def newest_events(reader: Reader, last: int, limit: int, arena_id: int, username: str | None = None) -> list[Row]:
    """Return the newest rows of an arena, or of one user of it, up to the number `last`, the oldest of them first."""
    where, values = ("", []) if username is None else (_OF_USER, [username, arena_id, username])
    select = f"{_EVENTS} AND log.arena_id = ?{where} ORDER BY log.seq DESC LIMIT {limit}"
    return list(reader.stream(select, 0, last, arena_id, *values))[::-1]


def last_seq(reader: Reader) -> int:
    return int(reader.rows("SELECT COALESCE(MAX(seq), 0) FROM log")[0][0])


_IN_NO_CHAIN = f"learner_id = {NO_LEARNER} AND (arena_id IS NULL OR kind = '{UNKNOWN}')"
_IN_ARENA_CHAIN = f"learner_id = {NO_LEARNER} AND arena_id IS NOT NULL AND kind <> '{UNKNOWN}'"


def learner_rows(reader: Reader) -> Iterator[LogRow]:
    """Yield every row in the chain of a learner, learner by learner, in the order of the log."""
    select = f"SELECT {LOG_ROW} FROM log WHERE learner_id <> {NO_LEARNER} ORDER BY learner_id, seq"
    return map(LogRow.of, reader.stream(select))


def rows_of_learner(transaction: Transaction, learner_id: int) -> list[LogRow]:
    """Return the rows of one user's learner, in the order of the log; if some were pruned, a snapshot comes first."""
    select = f"SELECT {LOG_ROW} FROM log WHERE {OF_LEARNER} ORDER BY seq"
    return list(map(LogRow.of, transaction.rows(select, *of_learner(learner_id))))


def last_served(transaction: Transaction, learner_id: int) -> str | None:
    """Return the id of the duel that was served last to a learner, unless its row was pruned."""
    select = "SELECT duel_id FROM log WHERE learner_id = ? AND kind = 'served' ORDER BY seq DESC LIMIT 1"
    return next((str(row[0]) for row in transaction.rows(select, learner_id)), None)


def rewards_of_learner(transaction: Transaction, learner_id: int) -> list[str]:
    """Return the data (JSON) of the rewards of a user's learner that were not pruned."""
    select = f"SELECT data FROM log WHERE {OF_LEARNER} AND kind = '{REWARDED}'"
    return [row[0] for row in transaction.rows(select, *of_learner(learner_id))]


def of_learner(learner_id: int) -> tuple[int, int, str]:
    return learner_id, learner_id, snapshot_id(learner_id)


def arena_rows(reader: Reader) -> Iterator[LogRow]:
    """Yield every row in the chain of an arena, arena by arena, in the order of the log."""
    return map(LogRow.of, reader.stream(f"SELECT {LOG_ROW} FROM log WHERE {_IN_ARENA_CHAIN} ORDER BY arena_id, seq"))


def rows_in_no_chain(reader: Reader) -> Iterator[LogRow]:
    """Yield every other row."""
    return map(LogRow.of, reader.stream(f"SELECT {LOG_ROW} FROM log WHERE {_IN_NO_CHAIN} ORDER BY seq"))


_SNAPSHOTS_OF_LEARNERS = Statement(
    lambda sql: (
        f"SELECT {LOG_ROW} FROM log WHERE {sql.is_among('duel_id')} AND {sql.is_among('learner_id')}"
        f" AND kind = '{SNAPSHOT}'"
    )
)


def snapshots_of_learners(reader: Reader, learner_ids: list[int]) -> list[LogEntry]:
    """Return the rows that stand for the pruned rows of learners, where there are any."""
    rows = reader.rows(_SNAPSHOTS_OF_LEARNERS, list(map(snapshot_id, learner_ids)), learner_ids)
    return [LogRow.of(row).entry for row in rows]


def arenas(reader: Reader) -> Iterator[ArenaRow]:
    return map(ArenaRow._make, reader.stream(f"SELECT {', '.join(ArenaRow._fields)} FROM arenas ORDER BY id"))


_KEY = ", ".join(KeyRow._fields)


def add_key(transaction: Transaction, key: KeyRow) -> None:
    transaction.insert("api_keys", _KEY, [tuple(key)])


def keys(reader: Reader) -> list[KeyRow]:
    """Return every key ever made, by age."""
    return list(map(KeyRow._make, reader.stream(f"SELECT {_KEY} FROM api_keys ORDER BY created_at")))


def revoke_key(transaction: Transaction, id_: str, now: float) -> bool:
    """Revoke a key; False if no key in use has this id."""
    return bool(transaction.change("UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", now, id_))


_SECRET = "SELECT value FROM secrets WHERE name = ?"


def find_secret(reader: Reader, name: str) -> bytes | None:
    return next((bytes(value) for (value,) in reader.stream(_SECRET, name)), None)


def make_secret(transaction: Transaction, name: str, new: bytes, now: float) -> bytes:
    """Return the secret of this name; where there is none yet, it is the new one."""
    transaction.insert("secrets", "name, value, created_at", [(name, new, now)], unless_there=True)
    return bytes(transaction.rows(_SECRET, name)[0][0])


def touch(transaction: Transaction, now: float) -> None:
    """Write something that means nothing, to see whether writing is possible."""
    transaction.change(
        "INSERT INTO secrets (name, value, created_at) VALUES ('written', ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET created_at = excluded.created_at",
        b"", now,
    )  # fmt: skip


_ENDED = "ended session "


def end_session(transaction: Transaction, id_: str, expires_at: float, now: float) -> None:
    """Remember that a session was ended, until it expires; forget those that have expired."""
    transaction.change("DELETE FROM secrets WHERE name LIKE ? AND created_at < ?", f"{_ENDED}%", now)
    row = (_ENDED + id_, b"", expires_at)
    transaction.insert("secrets", "name, value, created_at", [row], unless_there=True)


def ended_sessions(reader: Reader) -> frozenset[str]:
    rows = reader.stream("SELECT name FROM secrets WHERE name LIKE ?", f"{_ENDED}%")
    return frozenset(name.removeprefix(_ENDED) for (name,) in rows)


def replace_secret(transaction: Transaction, name: str, new: bytes, now: float) -> None:
    transaction.change("DELETE FROM secrets WHERE name = ?", name)
    transaction.insert("secrets", "name, value, created_at", [(name, new, now)])
