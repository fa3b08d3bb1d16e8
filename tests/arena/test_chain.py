"""The hash chain of the log: what it proves, what it costs nothing to add later, and what corruption it notices."""

import random
import shutil
import sqlite3
import struct
from collections import Counter
from hashlib import blake2b

import pytest

from tests.arena.contract import Clock
from winnerstays import WinnerstaysError
from winnerstays.arena import Answer, Arena, Arenas
from winnerstays.arena.history import chain
from winnerstays.arena.stores.rows import LogEntry

ITEMS = ["ramen", "tacos", "pho"]


def play(arenas, rounds=12):
    """A small database with every kind of row."""
    lunch = arenas.create("lunch", ITEMS, seed=1)
    everyone = arenas.create("all", ITEMS, audience="everyone", seed=2)
    for number in range(rounds):
        for arena, user in ((lunch, "ada"), (lunch, "bob"), (everyone, "ada"), (everyone, None)):
            duel = arena.ask(user)
            arena.tell(duel, winner=duel.left) if number % 4 else arena.tell(duel, outcome="skip", reason="both dull")
    arenas.execute([Answer("nonsense", "ramen"), Answer(duel.id, duel.right, user="eve")])
    lunch.ask("ada")
    return lunch, everyone


def test_hash_by_hand():
    """The hashes of a release are those of every later one: two rows, computed from the description."""
    created = LogEntry(1, None, 0.5, "created")
    written = b"arena_id at kind\0" + struct.pack("<qd", 1, 0.5) + b"created"
    assert chain.content(created) == written
    assert chain.hash_row(created, b"before") == blake2b(b"before" + written, digest_size=32).digest()
    named = LogEntry(1, 2, 0.5, "learned", "duel", 1, username="ada", reason="dull")
    digest = chain.personal_digest(named, b"salt")
    public = b"arena_id at learner_id phase duel_id kind\0" + struct.pack("<qdqq", 1, 0.5, 2, 1) + b"duel\0learned"
    assert chain.hash_row(named, b"", b"salt") == blake2b(digest + public, digest_size=32).digest()
    assert chain.hash_row(named._replace(username=None, reason=None), b"", None, digest) == chain.hash_row(
        named, b"", b"salt"
    )


def test_known_heads():
    """A fixed history has these heads for ever: a database of this version is proved by every later one."""
    with Arenas.open("memory:", clock=Clock()) as arenas:
        arenas.create("lunch", ITEMS, seed=1)
        ((head, settings),) = arenas.database.store.run(lambda one: one.rows("SELECT head, settings FROM arenas"))
        data = '{"settings": "' + chain.settings_hash("lunch", settings) + '"}'
        row = LogEntry(1, None, Clock().now, "created", data=data)
        assert head == chain.hash_row(row, chain.first_of_arena(1, Clock().now))
        heads = arenas.heads()
    assert heads.arenas["lunch"] == blake2b(b"head of an arena\0" + head, digest_size=32).hexdigest()
    assert len(heads.database) == 64 and heads.database != heads.arenas["lunch"]


def test_head_changes_with_every_row_and_is_expected(address):
    with Arenas.open(address) as arenas:
        _, everyone = play(arenas)
        seen = [arenas.heads()]
        duel = everyone.ask("ada")
        for step in (lambda: everyone.tell(duel, winner=duel.left), lambda: everyone.tell(duel, winner=duel.right)):
            step()
            seen.append(arenas.heads())
        assert len({heads.database for heads in seen}) == 3
        assert len({heads.arenas["lunch"] for heads in seen}) == 1
        now, before = seen[-1], seen[0]
        for expected in (now.database, now.arenas["all"], now.arenas["lunch"].upper()):
            assert arenas.replay(expected).equal
        found = arenas.replay(before.database)
        assert not found.equal and before.database in found.differences[0]
        assert any("no head" in one for one in arenas.replay().unchecked)
        assert not any("no head" in one for one in arenas.replay(now.database).unchecked)


def test_erasing_is_possible_and_seen(address):
    with Arenas.open(address) as arenas:
        _, everyone = play(arenas)
        before = arenas.heads()
        everyone.erase("ada")
        found = arenas.replay()
        assert found.equal, found.differences
        assert any("erased" in one for one in found.unchecked)
        assert not arenas.replay(before.database).equal and arenas.replay(before.arenas["lunch"]).equal
        arenas["lunch"].erase("ada")
        assert arenas.replay().equal and not arenas.replay(before.arenas["lunch"]).equal


CHANGES = {
    "a row that is gone": "DELETE FROM log WHERE seq = (SELECT MAX(seq) FROM log WHERE kind = 'learned')",
    "the newest row of a learner": "DELETE FROM log WHERE kind = 'served' AND NOT EXISTS"
    " (SELECT 1 FROM log AS later WHERE later.duel_id = log.duel_id AND later.phase = 1)",
    "a refused answer that is gone": "DELETE FROM log WHERE kind = 'conflict'",
    "another time": "UPDATE log SET at = at + 1 WHERE kind = 'wrong-user' OR kind = 'conflict'",
    "another reason": "UPDATE log SET reason = 'other' WHERE kind = 'unknown'",
    "another name in a row": "UPDATE log SET username = 'eva' WHERE username = 'eve'",
    "another name of a learner": "UPDATE learners SET username = 'eva' WHERE username = 'bob'",
    "another title": "UPDATE arenas SET settings = replace(settings, 'tacos', 'pizza') WHERE name = 'all'",
    "another name of an arena": "UPDATE arenas SET name = 'dinner' WHERE name = 'lunch'",
    "a forged row": "INSERT INTO log (arena_id, at, kind) SELECT id, 1.5, 'created' FROM arenas",
    "a forged kind": "UPDATE log SET kind = 'unknown' WHERE kind = 'created'",
    "a name that leads nowhere": "UPDATE usernames SET username = 'eva' WHERE username = 'bob'",
    "a name too many": "INSERT INTO usernames (arena_id, username) VALUES (1, 'eva')",
    "another state": "UPDATE learners SET state = learners.state || learners.state",
    "wrong totals": "INSERT INTO totals (arena_id, measure, label, first, second, count)"
    " VALUES (1, 'side', '', 0, 0, 1)",
    "a mark after the newest row": "UPDATE marks SET seq = 9999",
    "no arena": "DELETE FROM arenas",
}


@pytest.mark.parametrize("change", CHANGES)
def test_changes_behind_its_back_are_noticed(change, durable):
    with Arenas.open(durable) as arenas:
        play(arenas, 4)
        assert arenas.replay().equal
        assert arenas.database.store.run(lambda transaction: transaction.change(CHANGES[change])) > 0
    with Arenas.open(durable) as arenas:
        assert not arenas.replay().equal


def test_an_empty_database_is_not_equal(address):
    with Arenas.open(address) as arenas:
        found = arenas.replay()
        assert not found.equal and "no arena" in found.differences[0]


def tables(path):
    """Everything that a replay speaks about, as SQLite reads it."""
    names = {
        "arenas": "id",
        "usernames": "learner_id",
        "learners": "id",
        "log": "seq",
        "totals": "arena_id",
        "marks": "name",
    }
    connection = sqlite3.connect(path)
    try:
        return [connection.execute(f"SELECT * FROM {name} ORDER BY {key}").fetchall() for name, key in names.items()]
    finally:
        connection.close()


def damage(data, rng):
    """Flip bits, overwrite or exchange parts of a file, where it is not empty."""
    kind = rng.randrange(4)
    place, length = rng.choice([place for place, byte in enumerate(data) if byte]), rng.choice((1, 1, 4, 64, 512))
    if kind == 0:
        data[place] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[place : place + length] = rng.randbytes(len(data[place : place + length]))
    elif kind == 2:
        data[place : place + length] = bytes(len(data[place : place + length]))
    else:
        other = rng.randrange(len(data) - length)
        data[place : place + length] = data[other : other + len(data[place : place + length])]


def corrupt(path, target, times, seed):
    """Damage copies of a database; return how often replay said what, given whether the rows were as before."""
    whole, rows = path.read_bytes(), tables(path)
    found = Counter()
    for number in range(times):
        rng = random.Random(seed * 1_000_000 + number)
        data = bytearray(whole)
        damage(data, rng)
        for leftover in target.parent.glob(f"{target.name}-*"):
            leftover.unlink()
        target.write_bytes(data)
        try:
            with Arenas.open(str(target)) as arenas:
                equal = arenas.replay().equal
        except WinnerstaysError:
            equal = False
        if not equal:
            found["noticed"] += 1
            continue
        same = tables(target) == rows
        assert same, f"corruption {number} of seed {seed} is called equal, but rows differ"
        found["equal, and so are the rows"] += 1
    return found


def small_database(path):
    with Arenas.open(str(path)) as arenas:
        play(arenas, 4)
        arenas.database.totals_keeper.catch_up()
        assert arenas.replay().equal
    return path


def test_random_corruption_is_noticed(tmp_path):
    """Run this module to do it ten thousand times: python -m tests.arena.test_chain"""
    found = corrupt(small_database(tmp_path / "whole.db"), tmp_path / "damaged.db", 250, 1)
    assert found["noticed"] > 100
    print(dict(found))


def test_truncated_write_ahead_log_is_noticed_by_its_head(tmp_path):
    path, copy = tmp_path / "arena.db", tmp_path / "copy.db"
    with Arena.open(str(path), items=ITEMS) as arena:
        for _ in range(20):
            duel = arena.ask("ada")
            arena.tell(duel, winner=duel.left)
        head = arena.arenas.heads().database
        shutil.copy(path, copy)
        log = (tmp_path / "arena.db-wal").read_bytes()
        (tmp_path / "copy.db-wal").write_bytes(log[: len(log) * 2 // 3])
    with Arenas.open(str(copy)) as arenas:
        assert arenas.replay().equal  # a shorter history is a history, too
        assert not arenas.replay(head).equal
    with Arenas.open(str(path)) as arenas:
        assert arenas.replay(head).equal


if __name__ == "__main__":
    import sys
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        times = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
        print(dict(corrupt(small_database(Path(folder) / "whole.db"), Path(folder) / "damaged.db", times, 2)))
