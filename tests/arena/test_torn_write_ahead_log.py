"""A write-ahead log of SQLite that was torn or damaged at its end. Counts are printed (pytest -rP)."""

import random

from tests.arena.crash_load import create
from winnerstays.arena import Arena


def test_torn_write_ahead_log(tmp_path):
    """Whatever the end of the WAL looks like, what opens is the valid beginning of the log, and it goes on."""
    path = tmp_path / "arena.db"
    create(str(path))
    with Arena.open(str(path), "each") as arena:
        for _ in range(30):
            duel = arena.ask("ada")
            arena.tell(duel, winner=duel.left)
        whole = [event.seq for event in arena.events()]
        wal = (tmp_path / "arena.db-wal").read_bytes()
        main = path.read_bytes()
    rng = random.Random(2)
    lengths = []
    for number in range(40):
        copy = tmp_path / f"copy{number}.db"
        copy.write_bytes(main)
        torn = bytearray(wal[: rng.randrange(len(wal))])
        if number % 2 and len(torn) > 100:
            for _ in range(20):
                torn[rng.randrange(len(torn) * 3 // 4, len(torn))] ^= 0xFF
        (tmp_path / f"copy{number}.db-wal").write_bytes(torn)
        with Arena.open(str(copy), "each") as arena:
            seqs = [event.seq for event in arena.events()]
            assert seqs == whole[: len(seqs)]
            assert arena.arenas.replay().equal
            duel = arena.ask("ada")
            assert arena.tell(duel, winner=duel.right).status == "learned"
            assert arena.arenas.replay().equal
        lengths.append(len(seqs))
    assert len(set(lengths)) > 10
    print(f"40 torn write-ahead logs: all opened and equal on replay, with {min(lengths)} to {max(lengths)} rows")
