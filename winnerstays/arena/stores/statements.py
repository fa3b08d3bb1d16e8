"""The statements on arenas, learners and the log, each a function with a name; the same SQL on every store.

Totals have theirs in `totals.py`; what only PostgreSQL says is in `postgresql_statements.py`.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from winnerstays.arena import chain
from winnerstays.arena.chain import LogEntry, Seal
from winnerstays.arena.errors import StoreError
from winnerstays.arena.records import ROBOT_PREFIX
from winnerstays.arena.stores.base import Row, Snapshot, Transaction

SERVED, ANSWERED, LATE, UNDONE = 0, 1, 2, 3
"""The phases of a duel, each logged once; other refused answers have none. A duel that was late once stays so."""
NO_LEARNER = 0
"""Stands in the table for the learner of a row that has none: a row without one would be in no partition."""
Owner = tuple[int, str]
"""Whose learner: (arena's id, username)."""
DuelOf = tuple[str, int]
"""A duel and its learner: (id, learner's id)."""


class ServedDuel(NamedTuple):
    """A served duel, as the log has it."""

    id: str
    arena_id: int
    learner_id: int
    first: int
    second: int
    flipped: int
    step: int
    expires_at: float
    username: str | None
    erased: bool
    """Whether the name of the user was erased."""
    arm: int | None = None
    """Who chose the pair (holdout.py); None where nothing is compared."""
    user_group: str | None = None


class LearnerRow(NamedTuple):
    """A stored learner."""

    id: int
    arena_id: int
    username: str
    open_duel_id: str | None
    state: bytes
    head: bytes | None
    user_group: str | None

    @property
    def chain_head(self) -> bytes:
        """The hash of the learner's latest row, or what stands before its first."""
        return self.head or chain.first_of_learner(self.id, self.arena_id, self.username)


_SEALED = ", ".join(LogEntry._fields + Seal._fields)
_LEARNER = ", ".join(LearnerRow._fields)
OF_LEARNER = (
    "learner_id = ? AND duel_id IN"
    " (SELECT duel_id FROM log WHERE learner_id = ? AND kind = 'served' UNION ALL SELECT ?)"
)
"""The rows of a user's learner, which are found through the duels served to it; `of_learner` are the values."""


def arena_names(transaction: Transaction, limit: int | None = None) -> list[str]:
    """Return the names of the arenas, in alphabetical order."""
    rows = transaction.rows("SELECT name FROM arenas ORDER BY name" + (f" LIMIT {limit}" if limit else ""))
    return [row[0] for row in rows]


def stored_settings(transaction: Transaction) -> list[tuple[str, str]]:
    """Return the names of the arenas, in alphabetical order, each with its settings (JSON)."""
    return [(row[0], row[1]) for row in transaction.rows("SELECT name, settings FROM arenas ORDER BY name")]


def find_arena(transaction: Transaction, name: str) -> tuple[int, str, str, bytes | None] | None:
    """Return the id, the name, the settings (JSON) and the head of the arena with this name."""
    rows = transaction.rows("SELECT id, name, settings, head FROM arenas WHERE name = ?", name)
    return (rows[0][0], rows[0][1], rows[0][2], rows[0][3]) if rows else None


def get_arena(transaction: Transaction, id_: int) -> tuple[int, str, str, bytes | None]:
    """Return the id, the name, the settings (JSON) and the head of the arena with this id."""
    rows = transaction.rows("SELECT name, settings, head FROM arenas WHERE id = ?", id_)
    if not rows:
        raise StoreError(f"The database is damaged: there is no arena with the id {id_}.")
    return id_, rows[0][0], rows[0][1], rows[0][2]


_ARENA_HEADS = "SELECT id, head FROM arenas WHERE id IN ?"


def arena_heads(transaction: Transaction, ids: list[int]) -> list[tuple[int, bytes | None]]:
    """Return (id, head) of these arenas."""
    return [(row[0], row[1]) for row in transaction.rows(_ARENA_HEADS, ids)]


def lock_arena(transaction: Transaction, name: str) -> tuple[int, str] | None:
    """Lock the arena with this name; return its id and settings (JSON)."""
    rows = transaction.rows("SELECT id, settings FROM arenas WHERE name = ? FOR UPDATE", name)
    return (rows[0][0], rows[0][1]) if rows else None


def change_arena(
    transaction: Transaction, id_: int, name: str, settings: str, kind: str, now: float, **more: Any
) -> None:
    """Give a locked arena another name or settings (JSON), and log it."""
    transaction.change("UPDATE arenas SET name = ?, settings = ? WHERE id = ?", name, settings, id_)
    append_arena_log(transaction, [LogEntry(id_, None, now, kind, data=settings_data(name, settings, **more))])


def add_arena(transaction: Transaction, name: str, settings: str, now: float) -> bool:
    """Add an arena and log it; False if one of this name exists."""
    insert = "INSERT INTO arenas (name, created_at, settings) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING id"
    rows = transaction.rows(insert, name, now, settings)
    if rows:
        append_arena_log(transaction, [LogEntry(rows[0][0], None, now, "created", data=settings_data(name, settings))])
    return bool(rows)


def settings_data(name: str, settings: str, **more: Any) -> str:
    """Return the `data` of a row after which an arena has this name and these settings (JSON): it proves them."""
    return json.dumps({"settings": chain.settings_hash(name, settings), **more})


def append_log(transaction: Transaction, rows: Sequence[Row]) -> None:
    """Append rows to the log, in this order, each as `chain.seal` returns it."""
    stored = [row if row[1] is not None else (row[0], NO_LEARNER, *row[2:]) for row in rows]
    transaction.insert("log", _SEALED, stored)


def append_arena_log(transaction: Transaction, entries: Sequence[LogEntry]) -> None:
    """Append entries of one arena, without a learner, to the log and to the chain of the arena, whose row is locked.

    Whoever locks learners, too, locks them first.
    """
    arena_id = entries[0].arena_id
    lock = "SELECT created_at, head FROM arenas WHERE id = ? FOR UPDATE"
    ((created_at, head),) = transaction.rows(lock, arena_id)
    head = head or chain.first_of_arena(int(arena_id or 0), created_at)
    rows = []
    for entry in entries:
        rows.append(chain.seal(entry, head))
        head = rows[-1][-1]
    append_log(transaction, rows)
    transaction.update("arenas", "head, id", [(head, arena_id)])


_COUNT_REFUSALS = (
    "INSERT INTO refusals (arena_id, kind, count, logged) VALUES (?, ?, ?, 0)"
    " ON CONFLICT (arena_id, kind) DO UPDATE SET count = refusals.count + excluded.count RETURNING logged"
)
_REFUSALS_OF_DUELS = (
    "SELECT duel_id, COUNT(*) FROM log WHERE (duel_id, learner_id) IN (ROWS(TEXT, BIGINT) ?) AND phase IS NULL"
    " GROUP BY duel_id"
)


def count_refusals(transaction: Transaction, arena_id: int | None, kind: str, new: int) -> int:
    """Count new refused answers of this kind; return how many were put into the log before."""
    return int(transaction.rows(_COUNT_REFUSALS, arena_id or 0, kind, new)[0][0])


def count_logged_refusals(transaction: Transaction, arena_id: int | None, kind: str, new: int) -> None:
    """Count those new refused answers that go into the log."""
    change = "UPDATE refusals SET logged = logged + ? WHERE arena_id = ? AND kind = ?"
    transaction.change(change, new, arena_id or 0, kind)


def refusals_of_duels(transaction: Transaction, duels: list[DuelOf]) -> dict[str, int]:
    """Return how many refused answers to each of these duels are in the log."""
    return dict(transaction.rows(_REFUSALS_OF_DUELS, duels))


def refusals(transaction: Transaction, arena_id: int | None) -> dict[str, int]:
    """Return how many answers of an arena were refused, by kind, whether they are in the log or not."""
    return dict(transaction.rows("SELECT kind, count FROM refusals WHERE arena_id = ?", arena_id or 0))


ARM = "CASE WHEN data LIKE '{\"arm\":%' THEN CAST(SUBSTR(data, 8, 1) AS INTEGER) END"
"""The arm that a row holds, if it holds one: `data` begins with it."""
_SELECT_SERVED = (
    "SELECT duel_id, arena_id, learner_id, first, second, flipped, step, expires_at, username,"
    f" digest IS NOT NULL, {ARM}, user_group FROM log WHERE "
)
_IS_DUEL = "(duel_id, learner_id) IN (ROWS(TEXT, BIGINT) ?)"
_SERVED_DUELS = f"{_SELECT_SERVED}{_IS_DUEL} AND phase = 0"
_SERVED_DUELS_OF_ANY = f"{_SELECT_SERVED}duel_id IN ? AND phase = 0"


def find_duels(transaction: Transaction, duels: list[DuelOf], of_any_learner: list[str]) -> list[ServedDuel]:
    """Return these served duels, in one round trip; those whose learner is not known are looked for everywhere."""
    found = transaction.together((_SERVED_DUELS, duels), (_SERVED_DUELS_OF_ANY, of_any_learner))
    return [ServedDuel._make(row) for rows in found for row in rows]


_IS_OWNER = "(arena_id, username) IN (ROWS(BIGINT, TEXT) ?)"


def add_learners(transaction: Transaction, owners: list[Owner]) -> dict[Owner, int]:
    """Add learners that have seen nothing, where there are none yet; return their ids."""
    transaction.insert("usernames", "arena_id, username", owners, unless_there=True)
    ids = {
        (arena_id, username): id_
        for arena_id, username, id_ in transaction.rows(
            f"SELECT arena_id, username, learner_id FROM usernames WHERE {_IS_OWNER}", owners
        )
    }
    new = [(id_, *owner, b"") for owner, id_ in ids.items()]
    transaction.insert("learners", "id, arena_id, username, state", new, unless_there=True)
    return ids


_LOCK_LEARNERS = f"SELECT {_LEARNER} FROM learners WHERE id IN ({{ids}}) ORDER BY id FOR UPDATE"
_LOCK_BY_ID = _LOCK_LEARNERS.format(ids="ROWS(BIGINT) ?")
_OWN = f"SELECT learner_id FROM usernames WHERE {_IS_OWNER}"
_LOCK_BY_OWNER = _LOCK_LEARNERS.format(ids=_OWN)
_LOCK_BY_BOTH = _LOCK_LEARNERS.format(ids=f"ROWS(BIGINT) ? UNION ALL {_OWN}")
"""In one statement: whoever locks several learners locks them in the order of their ids."""
_CLOSED = f"SELECT duel_id, phase, outcome, winner FROM log WHERE {_IS_DUEL} AND phase >= 1"
_STILL_NAMED = f"SELECT duel_id FROM log WHERE {_IS_DUEL} AND phase = 0 AND username IS NOT NULL"


class Locked(NamedTuple):
    """What was read when learners were locked."""

    learners: list[LearnerRow]
    closed: list[Row]
    """Those of the duels that are closed: id, phase, outcome, winner."""
    still_named: set[str]
    """Duels that still name their user: another transaction may have erased it before the lock was granted."""
    heads: list[tuple[int, bytes | None]]
    """Of the arenas: (id, head)."""


def lock_learners(
    transaction: Transaction,
    ids: list[int],
    owners: list[Owner],
    arena_ids: list[int],
    duels: list[DuelOf],
    named: list[DuelOf],
) -> Locked:
    """Lock the learners with these ids and those of these owners, where there are any; read what else may have changed.

    All of it is one round trip.
    """
    lock: tuple[Any, ...] = (_LOCK_BY_BOTH, ids, owners) if ids else (_LOCK_BY_OWNER, owners)
    learners, closed, still, heads = transaction.together(
        lock if owners else (_LOCK_BY_ID, ids),
        (_CLOSED, duels),
        (_STILL_NAMED, named),
        (_ARENA_HEADS, arena_ids),
    )
    return Locked(list(map(LearnerRow._make, learners)), closed, {row[0] for row in still}, [(*row,) for row in heads])


def lock_by_id(transaction: Transaction, ids: list[int]) -> list[LearnerRow]:
    """Lock the learners with these ids, where there are any, and return them."""
    return list(map(LearnerRow._make, transaction.rows(_LOCK_BY_ID, ids)))


_SERVED_AFTER = (
    "SELECT seq, duel_id, first, second, expires_at, " + ARM + " FROM log"
    " WHERE learner_id = ? AND kind = 'served' AND seq > ? ORDER BY seq LIMIT "
)


def expired(
    transaction: Transaction, learner_id: int, after: int, now: float, limit: int
) -> tuple[list[tuple[int, int]], int]:
    """Return the pairs of duels that expired without an answer, and the last row that was looked at.

    Of the duels served to a learner after the row `after`, in their order, up to the first that has not expired; those
    of a control group, which the learner has not chosen, left out.
    """
    over = []
    for row in transaction.rows(f"{_SERVED_AFTER}{limit}", learner_id, after):
        if row[4] > now:
            break
        over.append(row)
    if not over:
        return [], 0
    answered = "SELECT duel_id FROM log WHERE learner_id = ? AND duel_id IN ? AND phase = 1"
    done = {row[0] for row in transaction.rows(answered, learner_id, [row[1] for row in over])}
    return [(row[2], row[3]) for row in over if row[1] not in done and not row[5]], over[-1][0]


def save_learners(
    transaction: Transaction, learners: Sequence[tuple[str | None, bytes, bytes, str | None, int]]
) -> None:
    """Save learners, each given as (open duel's id, state, head, group of the user, id)."""
    transaction.update("learners", "open_duel_id, state, head, user_group, id", learners)


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


_FIND_LEARNER = (
    "SELECT id, state FROM learners WHERE id = (SELECT learner_id FROM usernames WHERE arena_id = ? AND username = ?)"
)


def find_learner(transaction: Transaction, arena_id: int, username: str) -> tuple[int, bytes] | None:
    """Return the id and the state of the learner of this user ('' for everyone)."""
    rows = transaction.rows(_FIND_LEARNER, arena_id, username)
    return (rows[0][0], rows[0][1]) if rows else None


_PEOPLE = f"arena_id = ? AND username NOT LIKE '{ROBOT_PREFIX}%'"


def newest_learners(transaction: Transaction, arena_id: int, limit: int) -> tuple[int, list[Row]]:
    """Return how many learners of people an arena has, and (username, id, state) of the newest ones."""
    ((count,),) = transaction.rows(f"SELECT COUNT(*) FROM usernames WHERE {_PEOPLE}", arena_id)
    return int(count), newest_states(transaction, arena_id, limit)


def newest_states(transaction: Transaction, arena_id: int, limit: int, group: str | None = None) -> list[Row]:
    """Return (username, id, state) of the newest learners of people; of those of a group, if one is given."""
    if group is None:
        newest = f"SELECT learner_id FROM usernames WHERE {_PEOPLE} ORDER BY learner_id DESC LIMIT {limit}"
        return transaction.rows(
            f"SELECT username, id, state FROM learners WHERE id IN ({newest}) ORDER BY id DESC", arena_id
        )
    return transaction.rows(
        f"SELECT username, id, state FROM learners WHERE {_PEOPLE} AND user_group = ? ORDER BY id DESC LIMIT {limit}",
        arena_id, group,
    )  # fmt: skip


def lock_users(transaction: Transaction, arena_id: int, usernames: list[str]) -> list[LearnerRow]:
    """Lock the learners of these users ('' for everyone), where there are any, and return them."""
    owners = [(arena_id, username) for username in usernames]
    return list(map(LearnerRow._make, transaction.rows(_LOCK_BY_OWNER, owners)))


_WINS = (
    "SELECT winner, CASE WHEN winner = first THEN second ELSE first END AS loser,"
    " SUM(CASE WHEN phase = 3 THEN -1 ELSE 1 END) FROM log"
    f" WHERE {OF_LEARNER} AND phase IN (1, 3) AND outcome = 'winner' AND first <> second"
    " GROUP BY winner, loser"
)


def count_wins(snapshot: Snapshot, learner_id: int) -> Iterator[Row]:
    """Yield (winner, loser, times) of the answers to a learner's duels that were neither taken back nor pruned."""
    return snapshot.stream(_WINS, *of_learner(learner_id))


_EVENTS = (
    "SELECT log.seq, log.at, log.arena_id, COALESCE(log.username, learners.username), log.kind, log.duel_id, log.first,"
    f" log.second, log.flipped, log.outcome, log.winner, log.reason, log.expires_at, {ARM}, log.user_group"
    " FROM log LEFT JOIN learners ON learners.id = log.learner_id WHERE log.seq > ? AND log.seq <= ?"
)


_OF_USER = (
    " AND (log.username = ? OR log.duel_id IN (SELECT duel_id FROM log WHERE kind = 'served'"
    " AND learner_id IN (SELECT learner_id FROM usernames WHERE arena_id = ? AND username = ?)))"
)


def events(
    snapshot: Snapshot, after: int, last: int, limit: int, arena_id: int | None, username: str | None = None
) -> list[Row]:
    """Return at most `limit` rows of the log with a sequence number above `after`, up to `last`."""
    where, values = "", cast(list[object], [after, last])
    if arena_id is not None:
        where, values = " AND log.arena_id = ?", [after, last, arena_id]
        if username is not None:
            where, values = where + _OF_USER, [*values, username, arena_id, username]
    return list(snapshot.stream(f"{_EVENTS}{where} ORDER BY log.seq LIMIT {limit}", *values))


def newest_events(snapshot: Snapshot, last: int, limit: int, arena_id: int) -> list[Row]:
    """Return the newest rows of an arena up to the sequence number `last`, the oldest of them first."""
    select = f"{_EVENTS} AND log.arena_id = ? ORDER BY log.seq DESC LIMIT {limit}"
    return list(snapshot.stream(select, 0, last, arena_id))[::-1]


def last_seq(transaction: Transaction) -> int:
    """Return the highest sequence number in the log."""
    return int(transaction.rows("SELECT COALESCE(MAX(seq), 0) FROM log")[0][0])


def learners(snapshot: Snapshot) -> Iterator[LearnerRow]:
    """Yield all learners, by id."""
    return map(LearnerRow._make, snapshot.stream(f"SELECT {_LEARNER} FROM learners ORDER BY id"))


_WITHOUT_NAME = (
    "SELECT learners.id FROM learners LEFT JOIN usernames ON usernames.arena_id = learners.arena_id"
    " AND usernames.username = learners.username AND usernames.learner_id = learners.id"
    " WHERE usernames.learner_id IS NULL"
)
_COUNTS = "SELECT (SELECT COUNT(*) FROM usernames), (SELECT COUNT(*) FROM learners)"


def names_are_those_of_learners(snapshot: Snapshot) -> bool:
    """Whether every learner is found by its name, and nothing else is."""
    ((names, own),) = snapshot.stream(_COUNTS)
    return bool(names == own) and next(snapshot.stream(_WITHOUT_NAME), None) is None


class LogRow(NamedTuple):
    """A row of the log."""

    seq: int
    entry: LogEntry
    seal: Seal

    @classmethod
    def of(cls, row: Row) -> "LogRow":
        """Return a row that was selected with the columns of `LOG_ROW`."""
        entry = LogEntry._make(row[1 : -len(Seal._fields)])
        if entry.learner_id == NO_LEARNER:
            entry = entry._replace(learner_id=None)
        return cls(row[0], entry, Seal._make(row[-len(Seal._fields) :]))

    def hash_after(self, before: bytes) -> bytes:
        """Return the hash that the row must have after the row with the hash `before`."""
        return chain.hash_row(self.entry, before, self.seal.salt, self.seal.digest)


LOG_ROW = f"seq, {_SEALED}"
_IN_NO_CHAIN = f"learner_id = {NO_LEARNER} AND (arena_id IS NULL OR kind = '{chain.UNKNOWN}')"
_IN_ARENA_CHAIN = f"learner_id = {NO_LEARNER} AND arena_id IS NOT NULL AND kind <> '{chain.UNKNOWN}'"


def learner_rows(snapshot: Snapshot) -> Iterator[LogRow]:
    """Yield every row in the chain of a learner, learner by learner, in the order of the log."""
    select = f"SELECT {LOG_ROW} FROM log WHERE learner_id <> {NO_LEARNER} ORDER BY learner_id, seq"
    return map(LogRow.of, snapshot.stream(select))


def rows_of_learner(transaction: Transaction, learner_id: int) -> list[LogRow]:
    """Return the rows of one user's learner, in the order of the log; if some were pruned, a snapshot comes first."""
    select = f"SELECT {LOG_ROW} FROM log WHERE {OF_LEARNER} ORDER BY seq"
    return list(map(LogRow.of, transaction.rows(select, *of_learner(learner_id))))


def of_learner(learner_id: int) -> tuple[int, int, str]:
    """Return the values of the condition `OF_LEARNER`."""
    return learner_id, learner_id, snapshot_id(learner_id)


def arena_rows(snapshot: Snapshot) -> Iterator[LogRow]:
    """Yield every row in the chain of an arena, arena by arena, in the order of the log."""
    return map(LogRow.of, snapshot.stream(f"SELECT {LOG_ROW} FROM log WHERE {_IN_ARENA_CHAIN} ORDER BY arena_id, seq"))


def rows_in_no_chain(snapshot: Snapshot) -> Iterator[LogRow]:
    """Yield every other row."""
    return map(LogRow.of, snapshot.stream(f"SELECT {LOG_ROW} FROM log WHERE {_IN_NO_CHAIN} ORDER BY seq"))


def snapshot_id(learner_id: int) -> str:
    """Return what stands for the duel's id in the row that stands for the pruned rows of a learner."""
    return f"snapshot of learner {learner_id}"


def find_snapshot(snapshot: Snapshot, learner_id: int) -> LogEntry | None:
    """Return the row that stands for the pruned rows of a learner, if there is one."""
    select = f"SELECT {LOG_ROW} FROM log WHERE duel_id = ? AND learner_id = ?"
    return next((LogRow.of(row).entry for row in snapshot.stream(select, snapshot_id(learner_id), learner_id)), None)


class ArenaRow(NamedTuple):
    """A stored arena."""

    id: int
    name: str
    created_at: float
    settings: str
    head: bytes | None


def arenas(snapshot: Snapshot) -> Iterator[ArenaRow]:
    """Yield all arenas, by id."""
    return map(ArenaRow._make, snapshot.stream(f"SELECT {', '.join(ArenaRow._fields)} FROM arenas ORDER BY id"))


class KeyRow(NamedTuple):
    """A stored API key; of its secret only the hash is stored."""

    hash: str
    id: str
    name: str
    scopes: str
    rate: float | None
    created_at: float
    revoked_at: float | None
    arenas: str | None


_KEY = ", ".join(KeyRow._fields)


def add_key(transaction: Transaction, key: KeyRow) -> None:
    """Add an API key."""
    transaction.insert("api_keys", _KEY, [tuple(key)])


def keys(snapshot: Snapshot) -> list[KeyRow]:
    """Return every key ever made, by age."""
    return list(map(KeyRow._make, snapshot.stream(f"SELECT {_KEY} FROM api_keys ORDER BY created_at")))


def revoke_key(transaction: Transaction, id_: str, now: float) -> bool:
    """Revoke a key; False if no key in use has this id."""
    return bool(transaction.change("UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", now, id_))


_SECRET = "SELECT value FROM secrets WHERE name = ?"


def find_secret(snapshot: Snapshot, name: str) -> bytes | None:
    """Return the secret of this name."""
    return next((bytes(value) for (value,) in snapshot.stream(_SECRET, name)), None)


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


def replace_secret(transaction: Transaction, name: str, new: bytes, now: float) -> None:
    """Replace the secret of this name."""
    transaction.change("DELETE FROM secrets WHERE name = ?", name)
    transaction.insert("secrets", "name, value, created_at", [(name, new, now)])
