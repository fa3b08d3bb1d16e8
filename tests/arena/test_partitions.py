"""Tables laid out by learner: partitions, keys, and the ids of duels that say where to look."""

import re
import threading

import psycopg
import pytest

from tests.arena.contract import Clock
from tests.waiting import wait_until
from winnerstays.arena import Answer, Arenas
from winnerstays.arena.engine.cache import DUELS
from winnerstays.arena.engine.duels import KEY_SIZE, DuelIds
from winnerstays.arena.stores import learner_statements, statements
from winnerstays.arena.stores.base import POSTGRESQL, count_parameters, write
from winnerstays.arena.stores.schema import PARTITIONS

ITEMS = ["ramen", "tacos", "pho"]
LAYOUT = {"learners": "id", "log": "learner_id"}
"""The column by which a table is spread."""
KEYS = """
SELECT indexrelid::regclass::text,
       ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY(indkey))
FROM pg_index WHERE indrelid = %s::regclass AND indisunique
"""


@pytest.fixture
def address(postgres):
    """The address of a database in which some users have answered."""
    address = postgres.arenas()
    with Arenas.open(address) as arenas:
        arenas.create("all", ITEMS, audience="everyone").ask("ada")
        lunch = arenas.create("lunch", ITEMS)
        lunch.tell_many((duel.id, duel.left) for duel in lunch.ask_many(f"user{number}" for number in range(200)))
    return address


@pytest.mark.parametrize(("table", "column"), LAYOUT.items())
def test_tables_are_spread_by_learner(table, column, address):
    """Every partition is used, and every unique key holds the column, as a distributed PostgreSQL wants it."""
    with psycopg.connect(address) as connection:
        ((strategy, by),) = connection.execute(
            "SELECT partstrat::text, pg_get_partkeydef(partrelid) FROM pg_partitioned_table"
            " WHERE partrelid = %s::regclass", [table],
        ).fetchall()  # fmt: skip
        keys = dict(connection.execute(KEYS, [table]).fetchall())
        used = connection.execute(f"SELECT COUNT(DISTINCT tableoid) FROM {table}").fetchone()
    assert (strategy, by) == ("h", f"HASH ({column})") and used == (PARTITIONS,)
    assert keys and all(column in columns for columns in keys.values()), keys


def scanned(connection, statement, *values):
    """The tables that a statement reads, as it is prepared, by how often it does."""
    text, values = write(statement, values, POSTGRESQL)
    connection.execute(f"PREPARE looked AS {count_parameters(text)}")
    given = ", ".join(["%s"] * len(values))
    plan = "\n".join(row[0] for row in connection.execute(f"EXPLAIN (ANALYZE) EXECUTE looked({given})", values))
    connection.execute("DEALLOCATE looked")
    lines = [line for line in plan.splitlines() if " on " in line and "never executed" not in line]
    assert "Seq Scan" not in plan, plan
    return sorted({found for line in lines for found in re.findall(r" on (\w+_\d+)\b", line)})


def test_an_answer_is_looked_for_in_one_partition(address):
    with Arenas.open(address) as arenas:
        duel = arenas["lunch"].ask("user7")
    with Arenas.open(address) as arenas:
        store = arenas.database.store
        ids = store.run(lambda transaction: arenas.database._cache.duel_ids(transaction, 0.0))
        learner_id = ids.learner_of(duel.id)
        select = "SELECT learner_id, tableoid::regclass::text FROM log WHERE duel_id = ?"
        ((stored, partition),) = store.run(lambda transaction: transaction.rows(select, duel.id))
        assert stored == learner_id
        with store._connect() as connection:  # with the settings of every connection
            connection.cursor_factory = psycopg.ClientCursor
            one = [(duel.id, learner_id)]
            assert scanned(connection, learner_statements._SERVED_DUELS, one) == [partition]
            assert scanned(connection, learner_statements._CLOSED, one) == [partition]
            assert scanned(connection, learner_statements._LOCK_BY_ID, [learner_id]) == [
                partition.replace("log", "learners")
            ]
            assert len(scanned(connection, learner_statements._SERVED_DUELS_OF_ANY, [duel.id])) == PARTITIONS
        answer = Answer(duel.id, duel.left)
        assert [one.status for one in arenas.execute([answer, answer])] == ["learned", "duplicate"]


LOCKS = {
    "one id": (learner_statements._LOCK_BY_ID, [[7]]),
    "ids": (learner_statements._LOCK_BY_ID, [[3, 7, 9]]),
    "one owner": (learner_statements._LOCK_BY_OWNER, [[(1, "user007")]]),
    "owners": (learner_statements._LOCK_BY_OWNER, [[(1, "user002"), (1, "user007")]]),
    "both": (learner_statements._LOCK_BY_BOTH, [[7, 9], [(1, "user002"), (1, "user007")]]),
}


@pytest.mark.parametrize("how", LOCKS)
def test_a_learner_that_others_change_meanwhile_is_locked(how, postgres):
    """PostgreSQL reads it again when it gets the lock, and must not lose it."""
    statement, values = LOCKS[how]
    with Arenas.open(postgres.arenas()) as arenas:
        lunch, store = arenas.create("lunch", ITEMS), arenas.database.store
        lunch.ask_many(f"user{number:03}" for number in range(1, 301))
        written, found = threading.Event(), []

        def change(transaction):
            transaction.change("UPDATE learners SET state = state || state WHERE id = ?", 7)
            written.set()
            wait_until(lambda: transaction.rows("SELECT 1 FROM pg_locks WHERE NOT granted"))

        def lock(transaction):
            return {row[0]: row[4] for row in transaction.rows(statement, *values)}

        before = store.run(lock)
        writer = threading.Thread(target=lambda: store.run(change))
        reader = threading.Thread(target=lambda: found.append(store.run(lock)))
        writer.start()
        written.wait(120)
        reader.start()
        writer.join()
        reader.join()
        assert found[0].keys() == before.keys() and found[0][7] == 2 * before[7] and list(before) == sorted(before)


def old_id(arenas, duel):
    """Give an open duel of a user an id as version 0.1 made them, in the log and in the learner's row."""
    old = duel.id[:33]

    def change(transaction):
        assert transaction.change("UPDATE log SET duel_id = ? WHERE duel_id = ?", old, duel.id) == 1
        assert transaction.change("UPDATE learners SET open_duel_id = ? WHERE open_duel_id = ?", old, duel.id) == 1

    arenas.database.store.run(change)
    return old


@pytest.mark.parametrize("kind", ["old id", "another secret"])
def test_what_an_id_does_not_say_is_found_anyway(kind, durable):
    """Each answer is learned once; its learner is the one to whom the duel was served."""
    with Arenas.open(durable, clock=Clock()) as arenas:
        lunch = arenas.create("lunch", ITEMS)
        duel = lunch.ask("ada")
        if kind == "old id":
            id_ = old_id(arenas, duel)
        else:
            id_, new = duel.id, bytes(KEY_SIZE)
            arenas.database.store.run(lambda one: statements.replace_secret(one, DUELS, new, 0.0))
    with Arenas.open(durable, clock=Clock()) as arenas:
        lunch = arenas["lunch"]
        assert lunch.ask("ada").id == id_
        arenas.database._cache.duels.clear()
        assert lunch.tell(id_, winner=duel.left).status == "learned"
        arenas.database._cache.duels.clear()
        assert lunch.tell(id_, winner=duel.left).status == "duplicate"
        assert lunch.standing("ada").learned == 1
        assert arenas.replay().equal == (kind == "another secret")  # an id is part of what is hashed


def test_an_id_shows_nothing_without_the_secret():
    """Ids of one learner have nothing in common but the time, and no other secret reads them."""
    ids, other = DuelIds(b"x" * KEY_SIZE), DuelIds(b"y" * KEY_SIZE)
    found = [ids.new(1_700_000_000.0, 7) for _ in range(200)]
    assert len({len(one) for one in found}) == 1 and {ids.learner_of(one) for one in found} == {7}
    assert 7 not in {other.learner_of(one) for one in found}
    for place in range(11, len(found[0])):
        assert len({one[place] for one in found}) > 20, place


@pytest.mark.parametrize("wrong", ["", "x", "nonsense" * 5, "é" * 43, "\0" * 43, "18bcfe56800" + "=" * 32])
def test_ids_that_are_none_say_nothing(wrong):
    assert DuelIds(bytes(KEY_SIZE)).learner_of(wrong) is None


def test_an_id_with_another_hint_is_unknown(durable):
    """Whoever changes the hint of a duel of theirs reaches nobody else's."""
    with Arenas.open(durable) as arenas:
        lunch = arenas.create("lunch", ITEMS)
        mine, others = lunch.ask("eve"), lunch.ask("ada")
        forged = mine.id[:-11] + others.id[-11:]
        arenas.database._cache.duels.clear()
        (refused,) = arenas.execute([Answer(forged, mine.left)])
        assert refused.status == "unknown"
        assert lunch.ask("ada") == others and arenas.replay().equal


def test_names_are_gone_with_their_users(durable):
    with Arenas.open(durable) as arenas:
        lunch = arenas.create("lunch", ITEMS)
        lunch.ask_many(["ada", "bob"])
        lunch.erase("ada")
        names = arenas.database.store.run(lambda one: one.rows("SELECT username, learner_id FROM usernames"))
        assert names == [("bob", 2)]
        lunch.ask("ada")
        names = arenas.database.store.run(lambda one: one.rows("SELECT learner_id FROM usernames ORDER BY 1"))
        assert names == [(2,), (3,)] and arenas.replay().equal
