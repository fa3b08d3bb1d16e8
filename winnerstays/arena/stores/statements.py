"""Every statement on the tables, as an operation with a name; the same on every store."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from winnerstays.arena.stores.base import Row, Snapshot, Transaction

SERVED, ANSWERED = 0, 1
"""The phases of a duel, each logged once; a refused answer has none."""


class LogEntry(NamedTuple):
    """A row of the log before it has a sequence number; the fields are its columns (schema.py says what they mean)."""

    arena_id: int | None
    learner_id: int | None
    at: float
    kind: str
    duel_id: str | None = None
    phase: int | None = None
    first: int | None = None
    second: int | None = None
    flipped: int | None = None
    step: int | None = None
    expires_at: float | None = None
    outcome: str | None = None
    winner: int | None = None
    username: str | None = None
    reason: str | None = None


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


class LearnerRow(NamedTuple):
    """A stored learner."""

    id: int
    arena_id: int
    username: str
    open_duel_id: str | None
    state: bytes


_ENTRY = ", ".join(LogEntry._fields)
_LEARNER = ", ".join(LearnerRow._fields)
_DUELS_OF_LEARNER = "SELECT duel_id FROM log WHERE learner_id = ? AND kind = 'served'"
"""The duels served to a learner: through them the other rows of a learner are found."""


def arena_names(transaction: Transaction, limit: int | None = None) -> list[str]:
    """Return the names of the arenas, in alphabetical order."""
    rows = transaction.rows("SELECT name FROM arenas ORDER BY name" + (f" LIMIT {limit}" if limit else ""))
    return [row[0] for row in rows]


def find_arena(transaction: Transaction, name: str) -> tuple[int, str] | None:
    """Return the id and the settings (JSON) of the arena with this name."""
    rows = transaction.rows("SELECT id, settings FROM arenas WHERE name = ?", name)
    return (rows[0][0], rows[0][1]) if rows else None


def get_arena(transaction: Transaction, id_: int) -> tuple[int, str]:
    """Return the id and the settings (JSON) of the arena with this id."""
    ((_, settings),) = transaction.rows("SELECT id, settings FROM arenas WHERE id = ?", id_)
    return id_, settings


def add_arena(transaction: Transaction, name: str, settings: str, now: float) -> bool:
    """Add an arena and log it; False if one of this name exists."""
    insert = "INSERT INTO arenas (name, created_at, settings) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING id"
    rows = transaction.rows(insert, name, now, settings)
    if rows:
        append_log(transaction, [LogEntry(rows[0][0], None, now, "created")])
    return bool(rows)


def count_arenas(transaction: Transaction) -> int:
    """Return the number of arenas."""
    return int(transaction.rows("SELECT COUNT(*) FROM arenas")[0][0])


def append_log(transaction: Transaction, entries: Sequence[LogEntry]) -> None:
    """Append entries to the log, in this order."""
    transaction.insert("log", _ENTRY, list(map(tuple, entries)))  # SQLite takes plain tuples faster


_COUNT_REFUSALS = (
    "INSERT INTO refusals (arena_id, kind, count, logged) VALUES (?, ?, ?, 0)"
    " ON CONFLICT (arena_id, kind) DO UPDATE SET count = refusals.count + excluded.count RETURNING logged"
)
_REFUSALS_OF_DUELS = "SELECT duel_id, COUNT(*) FROM log WHERE duel_id IN ? AND phase IS NULL GROUP BY duel_id"


def count_refusals(transaction: Transaction, arena_id: int | None, kind: str, new: int) -> int:
    """Count new refused answers of this kind; return how many were put into the log before."""
    return int(transaction.rows(_COUNT_REFUSALS, arena_id or 0, kind, new)[0][0])


def count_logged_refusals(transaction: Transaction, arena_id: int | None, kind: str, new: int) -> None:
    """Count those new refused answers that go into the log."""
    change = "UPDATE refusals SET logged = logged + ? WHERE arena_id = ? AND kind = ?"
    transaction.change(change, new, arena_id or 0, kind)


def refusals_of_duels(transaction: Transaction, duel_ids: list[str]) -> dict[str, int]:
    """Return how many refused answers to each of these duels are in the log."""
    return dict(transaction.rows(_REFUSALS_OF_DUELS, duel_ids))


def refusals(transaction: Transaction, arena_id: int | None) -> dict[str, int]:
    """Return how many answers of an arena were refused, by kind, whether they are in the log or not."""
    return dict(transaction.rows("SELECT kind, count FROM refusals WHERE arena_id = ?", arena_id or 0))


_SERVED_DUELS = (
    "SELECT duel_id, arena_id, learner_id, first, second, flipped, step, expires_at, username FROM log"
    " WHERE duel_id IN ? AND phase = 0"
)
_LEARNER_IDS = "SELECT username, id FROM learners WHERE arena_id = ? AND username IN ?"


def find_duels_and_learners(
    transaction: Transaction, duel_ids: list[str], usernames: Mapping[int, list[str]]
) -> tuple[list[ServedDuel], list[dict[str, int]]]:
    """Return the served duels with these ids, and for each arena {username: learner's id}, in one round trip."""
    questions = [(_LEARNER_IDS, arena_id, names) for arena_id, names in usernames.items()]
    rows, *found = transaction.together((_SERVED_DUELS, duel_ids), *questions)
    return list(map(ServedDuel._make, rows)), list(map(dict, found))


def add_learners(transaction: Transaction, arena_id: int, usernames: list[str]) -> dict[str, int]:
    """Add learners that have seen nothing, where there are none yet; return {username: learner's id}."""
    new = [(arena_id, username, b"") for username in usernames]
    transaction.insert("learners", "arena_id, username, state", new, unless_there=True)
    return dict(transaction.rows(_LEARNER_IDS, arena_id, usernames))


_LOCK_LEARNERS = f"SELECT {_LEARNER} FROM learners WHERE id IN ? ORDER BY id FOR UPDATE"
_ANSWERS = "SELECT duel_id, outcome, winner FROM log WHERE duel_id IN ? AND phase = 1"


def lock_learners(transaction: Transaction, learner_ids: list[int], duel_ids: list[str]) -> tuple[list[Row], list[Row]]:
    """Lock these learners; return them (fields of LearnerRow) and the accepted answers (duel's id, outcome, winner)."""
    learners, answers = transaction.together((_LOCK_LEARNERS, learner_ids), (_ANSWERS, duel_ids))
    return learners, answers


def save_learners(transaction: Transaction, learners: Sequence[tuple[str | None, bytes, int]]) -> None:
    """Save learners, each given as (open duel's id, state, id)."""
    transaction.update("learners", "open_duel_id, state, id", learners)


_FIND_LEARNER = "SELECT id, state FROM learners WHERE arena_id = ? AND username = ?"


def find_learner(transaction: Transaction, arena_id: int, username: str) -> tuple[int, bytes] | None:
    """Return the id and the state of the learner of this user ('' for everyone)."""
    rows = transaction.rows(_FIND_LEARNER, arena_id, username)
    return (rows[0][0], rows[0][1]) if rows else None


def erase_user(transaction: Transaction, arena_id: int, username: str, now: float) -> tuple[int, int, int]:
    """Remove a user's learner and rows, and the name from all other rows; log it.

    Returns how many rows and learners were removed, and from how many more rows the name.
    """
    learners = transaction.rows(f"{_FIND_LEARNER} FOR UPDATE", arena_id, username)
    removed = 0
    for learner_id, _ in learners:
        removed += transaction.change(f"DELETE FROM log WHERE duel_id IN ({_DUELS_OF_LEARNER})", learner_id)
        transaction.change("DELETE FROM learners WHERE id = ?", learner_id)
    renamed = transaction.change(
        "UPDATE log SET username = NULL WHERE (arena_id = ? OR arena_id IS NULL) AND username = ?", arena_id, username
    )
    if learners or renamed:
        reason = f"{removed} rows removed, a name removed from {renamed} more"
        learner_id = learners[0][0] if learners else None
        append_log(transaction, [LogEntry(arena_id, learner_id, now, "erased", reason=reason)])
    return removed, len(learners), renamed


_WINS = (
    "SELECT first, second, winner, COUNT(*), MAX(seq) FROM log"
    " WHERE {whose} AND phase = 1 AND outcome = 'winner' GROUP BY first, second, winner"
)


def count_wins(snapshot: Snapshot, learner_id: int) -> Iterator[Row]:
    """Yield (first, second, winner, times, last sequence number) of all answers that name a winner."""
    return snapshot.stream(_WINS.format(whose=f"duel_id IN ({_DUELS_OF_LEARNER})"), learner_id)


def count_later_wins(snapshot: Snapshot, learner_id: int, after: int) -> Iterator[Row]:
    """Yield the same, of the answers logged after the sequence number `after`."""
    return snapshot.stream(_WINS.format(whose="learner_id = ? AND seq > ?"), learner_id, after)


_SIDES = (
    "SELECT CASE WHEN (winner = first) = (flipped = 0) THEN 1 ELSE 0 END AS chose_left, COUNT(*) FROM log"
    " WHERE arena_id = ? AND phase = 1 AND outcome = 'winner' AND first <> second GROUP BY chose_left"
)


def count_sides(snapshot: Snapshot, arena_id: int) -> tuple[int, int]:
    """Return how often the left and the right item were chosen."""
    sides: dict[int, int] = dict(snapshot.stream(_SIDES, arena_id))
    return sides.get(1, 0), sides.get(0, 0)


_EVENTS = (
    "SELECT log.seq, log.at, log.arena_id, COALESCE(log.username, learners.username), log.kind, log.duel_id, log.first,"
    " log.second, log.flipped, log.outcome, log.winner, log.reason, log.expires_at"
    " FROM log LEFT JOIN learners ON learners.id = log.learner_id WHERE log.seq > ? AND log.seq <= ?"
)


def events(snapshot: Snapshot, after: int, last: int, limit: int, arena_id: int | None) -> list[Row]:
    """Return at most `limit` rows of the log with a sequence number above `after`, up to `last`."""
    where, values = ("", [after, last]) if arena_id is None else (" AND log.arena_id = ?", [after, last, arena_id])
    return list(snapshot.stream(f"{_EVENTS}{where} ORDER BY log.seq LIMIT {limit}", *values))


def last_seq(transaction: Transaction) -> int:
    """Return the highest sequence number in the log."""
    return int(transaction.rows("SELECT COALESCE(MAX(seq), 0) FROM log")[0][0])


def learners(snapshot: Snapshot) -> Iterator[LearnerRow]:
    """Yield all learners, by id."""
    return map(LearnerRow._make, snapshot.stream(f"SELECT {_LEARNER} FROM learners ORDER BY id"))


_ACCEPTED = (
    "SELECT learner_id, seq, kind, duel_id, phase, first, second, flipped, step, outcome, winner FROM log"
    " WHERE learner_id IS NOT NULL AND phase IS NOT NULL ORDER BY learner_id, seq"
)


class ReplayRow(NamedTuple):
    """A row of the log that shaped a learner: a served duel or an accepted answer."""

    learner_id: int
    seq: int
    kind: str
    duel_id: str
    phase: int
    first: int
    second: int
    flipped: int
    step: int
    outcome: str | None
    winner: int | None


def replay_rows(snapshot: Snapshot) -> Iterator[ReplayRow]:
    """Yield every served duel and accepted answer, learner by learner, in the order of the log."""
    return map(ReplayRow._make, snapshot.stream(_ACCEPTED))


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


def keys(transaction: Transaction) -> list[KeyRow]:
    """Return every key ever made, by age."""
    return list(map(KeyRow._make, transaction.rows(f"SELECT {_KEY} FROM api_keys ORDER BY created_at")))


def revoke_key(transaction: Transaction, id_: str, now: float) -> bool:
    """Revoke a key; False if no key in use has this id."""
    return bool(transaction.change("UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", now, id_))


def secret(transaction: Transaction, name: str, new: bytes, now: float) -> bytes:
    """Return the secret of this name; where there is none yet, it is the new one."""
    select = "SELECT value FROM secrets WHERE name = ?"
    rows = transaction.rows(select, name)
    if not rows:
        transaction.insert("secrets", "name, value, created_at", [(name, new, now)], unless_there=True)
        rows = transaction.rows(select, name)
    return bytes(rows[0][0])


def replace_secret(transaction: Transaction, name: str, new: bytes, now: float) -> None:
    """Replace the secret of this name."""
    transaction.change("DELETE FROM secrets WHERE name = ?", name)
    transaction.insert("secrets", "name, value, created_at", [(name, new, now)])
