"""Store a small database of the current version for the upgrade tests: python -m tests.record_arena

Run once for each new version of the tables, before its release; stored files are never changed afterwards.
"""

import sqlite3
import tempfile
from pathlib import Path

from winnerstays.arena import Arenas
from winnerstays.arena.stores.migrations import HEAD


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "arena.db")
        with Arenas.open(path, clock=lambda: 1_700_000_000.0) as arenas:
            rules = {"seed": 1, "expires_after": 9e9}
            lunch = arenas.create("lunch", ["ramen", "tacos", "pho"], **rules)
            everyone = arenas.create("everyone", ["ramen", "tacos", "pho"], audience="everyone", **rules)
            for arena, user in ((lunch, "ada"), (lunch, "bob"), (everyone, None)):
                for number in range(20):
                    duel = arena.ask(user)
                    if number % 7 == 6:
                        arena.tell(duel, outcome="skip")
                    else:
                        arena.tell(duel, winner="tacos" if "tacos" in duel else duel.left)
            lunch.ask("ada")
        connection = sqlite3.connect(path)
        target = Path(__file__).parent / "data" / f"arena-{HEAD}.sql"
        target.write_text("\n".join(connection.iterdump()) + "\n")
        connection.close()


if __name__ == "__main__":
    main()
