"""Erased means gone: searched for in the raw bytes of every file, reasons and late answers included."""

import psycopg
import pytest

from winnerstays.arena import Answer, Arenas

ITEMS = ["ramen", "tacos", "pho"]
NAME, WORDS = "adalovelace", "analytical-engines-bore-me"


def play_and_erase(arenas, before_erasing=lambda: None):
    """Write the name and the words wherever they can be written, erase the user, and let late answers come."""
    lunch = arenas.create("lunch", ITEMS, answers_per_minute=1000)
    everyone = arenas.create("all", ITEMS, audience="everyone")
    for number in range(30):
        for arena in (lunch, everyone):
            for user in (NAME, "bob", f"user{number}"):
                arena.tell(arena.ask(user), outcome="skip", reason=f"{WORDS} ({user})" if user == NAME else "dull")
    other = lunch.ask("bob")
    open_duels = [lunch.ask(NAME), everyone.ask(NAME), everyone.ask(NAME)]
    arenas.execute([Answer(other.id, other.left, user=NAME), Answer("nonsense", "pho", user=NAME)])
    before_erasing()
    left = [arena.erase(NAME).left for arena in (lunch, everyone)]
    statuses = [
        result.status
        for result in arenas.execute([
            *(Answer(duel.id, duel.left, reason=WORDS, user=NAME) for duel in open_duels),
            Answer(open_duels[1].id, open_duels[1].right, reason=WORDS, user=NAME),
            Answer(open_duels[2].id, "sushi", reason=WORDS, user=NAME),
        ])
    ]  # fmt: skip
    assert statuses[0] == "unknown" and {*statuses[1:3]} <= {"learned", "noted"}
    assert statuses[3:] == ["conflict", "invalid"]
    log = str(list(arenas.events()))
    assert NAME not in log and WORDS not in log and "dull" in log
    found = arenas.replay()
    assert found.equal, found.differences
    return left


def copies(folder, *patterns):
    """How often the name or the words are in the files of a folder, by file."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            count = sum(data.count(pattern.encode()) for pattern in patterns)
            if count:
                found[str(path.relative_to(folder))] = count
    return found


def test_no_copy_is_left_of_a_deleted_arena(tmp_path):
    with Arenas.open(str(tmp_path / "arena.db")) as arenas:
        for name in ("secret-menu", "lunch"):
            arena = arenas.create(name, [f"{name}-{item}" for item in ITEMS], answers_per_minute=9)
            for user in range(5):
                arena.tell(arena.ask(f"{NAME}{user} of {name}"), outcome="skip", reason=f"{WORDS} at {name}")
        assert copies(tmp_path, "secret-menu")
        assert arenas.delete("secret-menu").left == ()
        assert copies(tmp_path, "secret-menu") == {} and copies(tmp_path, f"{WORDS} at lunch")
        assert arenas.replay().equal


def test_no_copy_is_left_in_a_sqlite_file(tmp_path):
    with Arenas.open(str(tmp_path / "arena.db")) as arenas:
        assert play_and_erase(arenas) == [(), ()]
        assert copies(tmp_path, NAME, WORDS) == {}
        assert "arena.db" in {key.partition("-")[0] for key in copies(tmp_path, "bob")}
    assert copies(tmp_path, NAME, WORDS) == {} and copies(tmp_path, "bob")


def test_a_reader_delays_forgetting_and_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("winnerstays.arena.stores.sqlite.FORGET_SECONDS", 0.05)
    with Arenas.open(str(tmp_path / "arena.db")) as arenas:
        lunch = arenas.create("lunch", ITEMS)
        lunch.ask(NAME)
        with arenas.database.store.snapshot() as view:
            assert next(view.stream("SELECT COUNT(*) FROM log")) == (2,)
            (left,) = lunch.erase(NAME).left
            assert "arena.db-wal" in left and "vacuum" in left
        assert arenas.database.store.vacuum() == []
        assert copies(tmp_path, NAME) == {}


def test_no_copy_is_left_in_postgresql_after_a_vacuum(postgres):
    """Its write-ahead log, and the files of tables that no longer exist but are not removed yet, aside."""
    address = postgres.database()
    with Arenas.open(address) as arenas, psycopg.connect(address, autocommit=True) as server:
        left = play_and_erase(arenas, lambda: server.execute("ANALYZE"))
        assert server.execute(f"SELECT 1 FROM pg_stats WHERE most_common_vals::text LIKE '%{NAME}%'").fetchall()
        assert "vacuum" in left[0][0]
        server.execute("CHECKPOINT")
        (oid,) = server.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
        folder = postgres.server.pgdata / "base" / str(oid)
        assert copies(folder, NAME, WORDS)
        assert "write-ahead log" in arenas.database.store.vacuum()[0]
        server.execute("CHECKPOINT")
        assert copies(folder, NAME, WORDS) == {} and copies(folder, "bob")
        assert arenas.replay().equal


@pytest.mark.parametrize("erase_first", [True, False])
def test_reasons_of_others_stay(erase_first):
    with Arenas.open("memory:") as arenas:
        everyone = arenas.create("all", ITEMS, audience="everyone")
        for user in ("ada", "bob"):
            everyone.tell(everyone.ask(user), outcome="skip", reason=f"words of {user}")
        everyone.erase("ada" if erase_first else "bob")
        reasons = [str(event.reason) for event in everyone.events() if event.kind == "noted"]
        assert ["words of ada" in reasons[0], "words of bob" in reasons[1]] == [not erase_first, erase_first]
