"""Load for crash tests: a process that asks and tells, and reports what was acknowledged through a pipe."""

import os
import random
import threading
from collections import Counter
from typing import NamedTuple

from winnerstays.arena import Arenas, StoreError

ITEMS = ["ramen", "tacos", "pho", "curry"]
ARENAS = {"each": "user", "all": "everyone"}


def create(address):
    with Arenas.open(address) as arenas:
        for name, audience in ARENAS.items():
            arenas.create(name, ITEMS, audience=audience, patience=2, seed=1)


def load(address, report, seed, threads=3, users=4):
    """Ask and tell until killed; one line for each acknowledged answer: duel, winner, status."""
    arenas = Arenas.open(address)
    os.write(report, b"ready\n")

    def client(number):
        rng = random.Random(seed * 100 + number)
        arena = arenas.get(rng.choice(list(ARENAS)))
        while True:
            duel = arena.ask(f"user{rng.randrange(users)}")
            winner = rng.choice((duel.left, duel.right))
            for _ in range(rng.choice((1, 1, 2))):
                receipt = arena.tell(duel.id, winner=winner)
                os.write(report, f"{duel.id} {winner} {receipt.status}\n".encode())

    for number in range(threads):
        threading.Thread(target=client, args=(number,), daemon=True).start()
    threading.Event().wait()


def load_until_full(address, report, limit):
    """Answer duels until files may not grow any more; report what was acknowledged and how it ended."""
    import resource
    import signal

    arenas = Arenas.open(address)
    arena = arenas.get("each")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    while True:
        try:
            duel = arena.ask("ada")
            receipt = arena.tell(duel.id, winner=duel.left)
        except StoreError as error:
            os.write(report, f"StoreError {str(error).replace(' ', '_')} full\n".encode())
            os._exit(0)
        os.write(report, f"{duel.id} {duel.left} {receipt.status}\n".encode())


def make(address, report):
    create(address)
    os.write(report, b"made\n")


def run(target, arguments, pipe):
    """Run the target in a started process."""
    address, *rest = arguments
    target(address, pipe.fileno(), *rest)


def start(forks, target, *arguments):
    """Start a process; return it and the end of the pipe where its report arrives."""
    reading, writing = forks.Pipe(duplex=False)
    process = forks.Process(target=run, args=(target, arguments, writing), daemon=True)
    process.start()
    writing.close()
    return process, reading


def read_all(reading):
    """Return a report up to its end."""
    text = b""
    while part := os.read(reading.fileno(), 65536):
        text += part
    reading.close()
    return text


def warm_up():
    """Do everything once, so that processes forked from here need not compile anything."""
    with Arenas.open("memory:") as arenas:
        for name, audience in ARENAS.items():
            arena = arenas.create(name, ITEMS, audience=audience)
            duel = arena.ask("ada")
            arena.tell(duel, winner=duel.left)
        arenas.replay()


class Ledger:
    """What was acknowledged, to be compared with what the database holds."""

    def __init__(self):
        self.answers = Counter()
        self.winners = {}
        self.statuses = Counter()

    def add(self, text):
        """Read the complete lines of a report; a line cut off by a kill was acknowledged, too, but is not read."""
        for line in text.decode().splitlines():
            duel, winner, status = line.split(" ")
            self.statuses[status] += 1
            if status in ("learned", "noted"):
                self.answers[duel] += 1
                self.winners[duel] = winner
            elif status == "duplicate":
                assert self.winners.setdefault(duel, winner) == winner

    def compare(self, address):
        """Compare what was acknowledged with what the database holds."""
        with Arenas.open(address) as arenas:
            accepted = [event for event in arenas.events() if event.kind in ("learned", "noted")]
            replay = arenas.replay()
        winners = {event.duel: event.winner for event in accepted}
        lost = sum(winners.get(duel) != winner for duel, winner in self.winners.items())
        doubled = sum(count - 1 for count in self.answers.values()) + len(accepted) - len(winners)
        learned = sum(event.kind == "learned" for event in accepted)
        return Comparison(len(self.winners), len(accepted), learned, lost, doubled, replay.equal, replay.differences)

    def check(self, address):
        """Check that every acknowledged answer is in the log once, no duel has two, and replay is equal."""
        found = self.compare(address)
        assert not found.lost, f"{found.lost} acknowledged answers are not in the log"
        assert not found.doubled, f"{found.doubled} answers were accepted twice"
        assert found.equal, found.differences
        return {"acknowledged": found.acknowledged, "in the log": found.logged, "learned": found.learned}


class Comparison(NamedTuple):
    """What was acknowledged, against what the database holds."""

    acknowledged: int
    logged: int
    learned: int
    lost: int
    doubled: int
    equal: bool
    differences: tuple[str, ...]
