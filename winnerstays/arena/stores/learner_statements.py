"""The statements that find, lock, add and save learners, and find the duels that were served to them."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from winnerstays.arena.stores.base import Dialect, Reader, Row, Statement, Transaction
from winnerstays.arena.stores.rows import ROBOT_PREFIX, DuelOf, LearnerRow, Owner, ServedDuel, shown_in
from winnerstays.arena.stores.statements import ARENA_HEADS, DUELS

_LEARNER = ", ".join(LearnerRow._fields)
_SELECT_SERVED = (
    "SELECT duel_id, arena_id, learner_id, first, second, flipped, step, expires_at, username,"
    " digest IS NOT NULL, arm, user_group, data"
)
_SERVED_DUELS = Statement(lambda sql: f"{_SELECT_SERVED} {sql.look_up('log', DUELS)} AND phase = 0", True)
_SERVED_DUELS_OF_ANY = Statement(lambda sql: f"{_SELECT_SERVED} FROM log WHERE {sql.is_among('duel_id')} AND phase = 0")


def find_duels(transaction: Transaction, duels: list[DuelOf], of_any_learner: list[str]) -> list[ServedDuel]:
    """Return these served duels, in one round trip; those whose learner is not known are looked for everywhere."""
    found = transaction.together((_SERVED_DUELS, duels), (_SERVED_DUELS_OF_ANY, of_any_learner))
    return [ServedDuel._make((*row[:-1], shown_in(row[-1]))) for rows in found for row in rows]


_OWNERS = {"arena_id": "BIGINT", "username": "TEXT"}
_IDS_OF_OWNERS = Statement(
    lambda sql: f"SELECT arena_id, username, learner_id {sql.look_up('usernames', _OWNERS)}", True
)


def add_learners(transaction: Transaction, owners: list[Owner]) -> dict[Owner, int]:
    """Add learners that have seen nothing, where there are none yet; return their ids."""
    transaction.insert("usernames", "arena_id, username", owners, unless_there=True)
    ids = {(arena_id, username): id_ for arena_id, username, id_ in transaction.rows(_IDS_OF_OWNERS, owners)}
    new = [(id_, *owner, b"") for owner, id_ in ids.items()]
    transaction.insert("learners", "id, arena_id, username, state", new, unless_there=True)
    return ids


_LOCK_BY_ID = Statement(lambda sql: sql.lock(_LEARNER, "learners", sql.listed("BIGINT")), True)
_LOCK_BY_OWNER = Statement(lambda sql: sql.lock(_LEARNER, "learners", _owned(sql)))
_LOCK_BY_BOTH = Statement(lambda sql: sql.lock(_LEARNER, "learners", f"{sql.listed('BIGINT')} UNION ALL {_owned(sql)}"))
"""In one statement: whoever locks several learners locks them in the order of their ids."""
_CLOSED = Statement(
    lambda sql: f"SELECT duel_id, phase, outcome, winner {sql.look_up('log', DUELS)} AND phase >= 1", True
)
_STILL_NAMED = Statement(
    lambda sql: f"SELECT duel_id {sql.look_up('log', DUELS)} AND phase = 0 AND username IS NOT NULL", True
)


def _owned(sql: Dialect) -> str:
    """Return the select of the ids of learners by their owners."""
    return f"SELECT learner_id {sql.look_up('usernames', _OWNERS)}"


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
        (ARENA_HEADS, arena_ids),
    )
    return Locked(list(map(LearnerRow._make, learners)), closed, {row[0] for row in still}, [(*row,) for row in heads])


def lock_by_id(transaction: Transaction, ids: list[int]) -> list[LearnerRow]:
    return list(map(LearnerRow._make, transaction.rows(_LOCK_BY_ID, ids)))


_SERVED_AFTER = (
    "SELECT seq, duel_id, first, second, expires_at, arm FROM log"
    " WHERE learner_id = ? AND kind = 'served' AND seq > ? ORDER BY seq LIMIT "
)

_ANSWERED = Statement(
    lambda sql: f"SELECT duel_id FROM log WHERE learner_id = ? AND {sql.is_among('duel_id')} AND phase = 1"
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
    done = {row[0] for row in transaction.rows(_ANSWERED, learner_id, [row[1] for row in over])}
    return [(row[2], row[3]) for row in over if row[1] not in done and not row[5]], over[-1][0]


def save_learners(
    transaction: Transaction, learners: Sequence[tuple[str | None, bytes, bytes, str | None, int]]
) -> None:
    """Save learners, each given as (open duel's id, state, head, group of the user, id)."""
    transaction.update("learners", "open_duel_id, state, head, user_group, id", learners)


_FIND_LEARNER = (
    "SELECT id, state FROM learners WHERE id = (SELECT learner_id FROM usernames WHERE arena_id = ? AND username = ?)"
)


def find_learner(reader: Reader, arena_id: int, username: str) -> tuple[int, bytes] | None:
    rows = reader.rows(_FIND_LEARNER, arena_id, username)
    return (rows[0][0], rows[0][1]) if rows else None


_PEOPLE = f"arena_id = ? AND username NOT LIKE '{ROBOT_PREFIX}%'"


def count_learners(reader: Reader, arena_id: int, after: int) -> tuple[int, int | None]:
    """Return how many learners of people an arena has whose ids are above `after`, and the highest id of any."""
    ((count, last),) = reader.rows(
        f"SELECT COUNT(CASE WHEN username NOT LIKE '{ROBOT_PREFIX}%' THEN 1 END), MAX(learner_id) FROM usernames"
        " WHERE arena_id = ? AND learner_id > ?", arena_id, after,
    )  # fmt: skip
    return int(count), last


def newest_states(reader: Reader, arena_id: int, limit: int, group: str | None = None) -> list[Row]:
    """Return (username, id, state) of the newest learners of people; of those of a group, if one is given."""
    if group is None:
        newest = f"SELECT learner_id FROM usernames WHERE {_PEOPLE} ORDER BY learner_id DESC LIMIT {limit}"
        return reader.rows(
            f"SELECT username, id, state FROM learners WHERE id IN ({newest}) ORDER BY id DESC", arena_id
        )
    return reader.rows(
        f"SELECT username, id, state FROM learners WHERE {_PEOPLE} AND user_group = ? ORDER BY id DESC LIMIT {limit}",
        arena_id, group,
    )  # fmt: skip


def lock_users(transaction: Transaction, arena_id: int, usernames: list[str]) -> list[LearnerRow]:
    """Lock the learners of these users ('' for everyone), where there are any, and return them."""
    owners = [(arena_id, username) for username in usernames]
    return list(map(LearnerRow._make, transaction.rows(_LOCK_BY_OWNER, owners)))


def all_learners(reader: Reader) -> Iterator[LearnerRow]:
    return map(LearnerRow._make, reader.stream(f"SELECT {_LEARNER} FROM learners ORDER BY id"))


_WITHOUT_NAME = (
    "SELECT learners.id FROM learners LEFT JOIN usernames ON usernames.arena_id = learners.arena_id"
    " AND usernames.username = learners.username AND usernames.learner_id = learners.id"
    " WHERE usernames.learner_id IS NULL"
)
_COUNTS = "SELECT (SELECT COUNT(*) FROM usernames), (SELECT COUNT(*) FROM learners)"


def names_are_those_of_learners(reader: Reader) -> bool:
    """Whether every learner is found by its name, and nothing else is."""
    ((names, own),) = reader.stream(_COUNTS)
    return bool(names == own) and next(reader.stream(_WITHOUT_NAME), None) is None
