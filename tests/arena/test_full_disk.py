"""A full disk or database: a sentence, and no acknowledged answer is lost. Counts are printed (pytest -rP)."""

from tests.arena.crash_load import Ledger, create, load_until_full, read_all, start
from winnerstays.arena import Arena, StoreError


def test_full_database(tmp_path):
    """When no page can be added, telling fails with a sentence; with room again it goes on, nothing lost."""
    address = str(tmp_path / "arena.db")
    create(address)
    ledger = Ledger()
    with Arena.open(address, "each") as arena:
        pages = arena.arenas.database.store.run(lambda transaction: transaction.rows("PRAGMA page_count"))[0][0]
        limit = arena.arenas.database.store._connection
        limit.execute(f"PRAGMA max_page_count = {pages + 4}")
        failures = 0
        while failures < 5:
            try:
                duel = arena.ask("ada")
                receipt = arena.tell(duel, winner=duel.left)
            except StoreError as error:
                failures += "full" in str(error)
            else:
                ledger.add(f"answer {duel.id} {duel.left} {receipt.status}\n".encode())
        limit.execute("PRAGMA max_page_count = 1000000")
        duel = arena.ask("ada")
        assert arena.tell(duel, winner=duel.left).accepted
    print(f"database full 5 times: {ledger.check(address)}")


def test_full_disk(forks, tmp_path):
    """The operating system refuses to let a file grow: a sentence, and all that was acknowledged is there."""
    for number, limit in enumerate((150_000, 250_000, 400_000)):
        address = str(tmp_path / f"{number}.db")
        create(address)
        ledger = Ledger()
        process, reading = start(forks, load_until_full, address, limit)
        report = read_all(reading)
        process.join()
        assert report.count(b"StoreError") == 1
        ledger.add(b"\n".join(line for line in report.splitlines() if not line.startswith(b"StoreError")))
        print(f"disk full at {limit} bytes: {ledger.check(address)}")
