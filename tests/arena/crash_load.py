"""Load for crash tests: clients that do everything an arena offers, and report what was acknowledged through a pipe.

They ask, answer (also by a session of clicks), take answers back, give rewards, erase users and change items.
"""

import http.client
import json
import os
import random
import threading
import time
from collections import Counter
from itertools import count
from typing import NamedTuple

from tests.waiting import PATIENCE_SECONDS
from winnerstays.arena import Answer, Arenas, StoreError
from winnerstays.arena.engine import models
from winnerstays.arena.items import ItemChanges
from winnerstays.arena.operations import CHANGE_ITEMS
from winnerstays.arena.records import ALL
from winnerstays.arena.stores import model_statements, statements
from winnerstays.errors import WinnerstaysError
from winnerstays.interleaving import interleave

ITEMS = ["ramen", "tacos", "pho", "curry"]
ARENAS = {
    "each": {"audience": "user", "algorithm": "ws-w"},
    "all": {"audience": "everyone", "algorithm": "ws-root"},
    "starters": {"audience": "user", "algorithm": "ws-root"},
    "tasting": {"audience": "user", "algorithm": "tastes"},
}
models.PAUSE_SECONDS, models.MIN_ANSWERS, models.GIVEN_UP_SECONDS = 0.005, 3, 0.5
"""Processes live for a blink: each makes versions of a model soon, and takes over those of processes that are gone."""
CHANGES, CHANGES_OVER_HTTP = 0.1, 0.3
"""The share of turns in which a client changes an item instead of asking."""
LIFE = (("new", False), ("known", False), ("known", True), ("renamed", True), ("renamed", False))
"""Title and whether it is retired, after each change of an item; each item is changed by one client only."""


PAGE = interleave("team_draft", ["a", "b", "c"], ["b", "d", "a"], 3, seed=1)
SESSION = {"page": PAGE.to_json(), "clicks": [1], "rule": "clicks"}
FIRST_WINS = PAGE.credit([1]) == "first"
"""The side whose result was clicked."""


def change_of(item, step):
    """Return the change that leads an item to a step of its life."""
    title = {item: {"title": LIFE[step][0]}}
    return ({"add": [{"id": item, "title": LIFE[0][0]}]}, {"edit": title}, {"retire": [item]}, {"edit": title},
            {"restore": [item]})[step]  # fmt: skip


def create(address):
    with Arenas.open(address) as arenas:
        for name, settings in ARENAS.items():
            arenas.create(name, ITEMS, patience=2, seed=1, **settings)


class LibraryClient:
    """Uses an arena in this process; goes on when the database was away."""

    def __init__(self, arenas, arena):
        self._arenas = arenas
        self._arena = arenas.get(arena)
        self._name = arena
        self.failures = 0

    def ask(self, user):
        duel = self._again(lambda: self._arena.ask(user))
        return duel.id, duel.left, duel.right

    def tell(self, duel, winner):
        return self._again(lambda: self._arena.tell(duel, winner=winner).status)

    def session(self, duel):
        return self._again(lambda: self._arenas.tell(Answer(duel, session=SESSION)).status)

    def undo(self, duel):
        return self._again(lambda: self._arena.undo(duel).status)

    def reward(self, user, key):
        self._again(lambda: self._arena.reward(user, key=key))

    def erase(self, user):
        self._again(lambda: self._arena.erase(user), changing=True)

    def change(self, change):
        changes = ItemChanges.of(**change)
        self._again(lambda: self._arenas.backend.call(CHANGE_ITEMS, self._name, **changes.arguments()), changing=True)

    def _again(self, call, changing=False):
        """Call until it is known what became of it. A change that is refused when it is made again was made before."""
        before = self.failures
        while True:
            try:
                return call()
            except StoreError:
                self.failures += 1
            except WinnerstaysError:
                if changing and self.failures > before:
                    return None
                raise


class HttpClient:
    """Uses an arena of a service on this machine; goes on when the service was away."""

    def __init__(self, port, arena):
        self._port = port
        self._arena = arena
        self._connection = None
        self.failures = 0

    def ask(self, user):
        duel = self._call("POST", f"/v1/arenas/{self._arena}/duels", {"user": user})
        return duel["id"], duel["left"], duel["right"]

    def tell(self, duel, winner):
        return self._call("PUT", f"/v1/duels/{duel}/outcome", {"winner": winner}).get("status", "refused")

    def session(self, duel):
        return self._call("PUT", f"/v1/duels/{duel}/outcome", {"session": SESSION}).get("status", "refused")

    def undo(self, duel):
        return self._call("PUT", f"/v1/duels/{duel}/outcome", {"outcome": "undo"}).get("status", "refused")

    def reward(self, user, key):
        self._call("POST", f"/v1/arenas/{self._arena}/rewards", {"user": user, "key": key})

    def erase(self, user):
        self._call("DELETE", f"/v1/arenas/{self._arena}/users/{user}", None)

    def change(self, change):
        self._call("PATCH", f"/v1/arenas/{self._arena}/items", change)

    def _call(self, method, path, body):
        before = self.failures
        while True:
            try:
                connection = self._connection or http.client.HTTPConnection(
                    "127.0.0.1", self._port, timeout=PATIENCE_SECONDS
                )
                content = None if body is None else json.dumps(body)
                connection.request(method, path, content, {"Content-Type": "application/json"})
                response = connection.getresponse()
                found = json.loads(response.read())
            except (OSError, http.client.HTTPException, ValueError):
                self._connection = None
                self._wait()
                continue
            self._connection = connection
            if response.status < 300 or (response.status == 409 and method == "PUT"):
                return found
            if (method, response.status) in (("PATCH", 422), ("DELETE", 404)) and self.failures > before:
                return found  # it was done before, but nobody said so
            if response.status < 500:
                raise AssertionError(f"{method} {path} {body}: {found}")
            self._wait()

    def _wait(self):
        self.failures += 1
        time.sleep(0.005)


def play(client, arena, report, seed, changes=CHANGES, users=4):
    """Do what people and operators do until killed; a line for each thing that was acknowledged."""
    rng = random.Random(seed)
    lives = ((f"{seed}-{number}", step) for number in count() for step in range(len(LIFE)))
    shared = ARENAS[arena]["audience"] == "everyone"

    def say(*words):
        os.write(report, (" ".join(map(str, words)) + "\n").encode())

    for number in count():
        if rng.random() < changes:
            item, step = next(lives)
            before = client.failures
            client.change(change_of(item, step))
            say("item", arena, item, step, int(client.failures > before))
        elif rng.random() < 0.05:
            user = f"gone-{seed}-{number}"
            duel, left, _ = client.ask(user)
            client.tell(duel, left)
            if not shared:
                client.erase(user)
                say("erased", arena, user)
        else:
            user = f"user{rng.randrange(users)}"
            duel, left, right = client.ask(user)
            if rng.random() < 0.1:
                say("answer", duel, left if FIRST_WINS else right, client.session(duel))
            else:
                winner = rng.choice((left, right))
                for _ in range(rng.choice((1, 1, 2))):
                    say("answer", duel, winner, client.tell(duel, winner))
            if not shared and rng.random() < 0.1:
                say("undo", duel, client.undo(duel))
            if not shared and rng.random() < 0.1:
                client.reward(user, f"{seed}-{number}")
                say("reward", arena, f"{seed}-{number}")


def run_clients(make_client, report, seed, changes=CHANGES):
    """Let three clients play, each in a thread of its own, each in an arena of its own choice."""
    threads = []
    for number in range(3):
        arena = random.Random(seed * 100 + number).choice(list(ARENAS))
        arguments = (make_client(arena), arena, report, seed * 100 + number, changes)
        threads.append(threading.Thread(target=play, args=arguments, daemon=True))
        threads[-1].start()
    for thread in threads:
        thread.join()


def load(address, report, seed):
    """Use a database until killed."""
    arenas = Arenas.open(address)
    os.write(report, b"ready\n")
    run_clients(lambda arena: LibraryClient(arenas, arena), report, seed)


def load_service(port, report, seed):
    """Use a service until killed."""
    os.write(report, b"ready\n")
    run_clients(lambda arena: HttpClient(port, arena), report, seed, CHANGES_OVER_HTTP)


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
        os.write(report, f"answer {duel.id} {duel.left} {receipt.status}\n".encode())


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
        for name, settings in ARENAS.items():
            client = LibraryClient(arenas, arenas.create(name, ITEMS, **settings).name)
            for step in range(len(LIFE)):
                client.change(change_of("extra", step))
                duel, left, _ = client.ask("ada")
                client.tell(duel, left)
            if settings["audience"] == "user":
                client.undo(duel)
                client.reward("ada", "1")
                client.session(client.ask("bob")[0])
                client.erase("bob")
            arenas.database.models.update(arenas.database.permitted(name, ALL))
            client.ask("kim")
        arenas.replay()


def versions(arenas):
    """Count the versions of models that were made."""

    def read(reader):
        return sum(1 for row in statements.arenas(reader) for _ in model_statements.all_of(reader, row.id))

    return arenas.database.store.read(read)


class Ledger:
    """What was acknowledged, to be compared with what the database holds."""

    def __init__(self):
        self.answers = Counter()
        self.winners = {}
        self.statuses = Counter()
        self.items = {}
        """The last acknowledged step in the life of each item, by (arena, id)."""
        self.undone = set()
        self.rewards = set()
        """(arena, key)"""
        self.erased = set()
        """(arena, user)"""
        self.changes = 0
        self.repeated = 0
        """Changes that had to be made again, because of a kill."""

    def add(self, text):
        """Read the complete lines of a report; a line cut off by a kill was acknowledged, too, but is not read."""
        for line in text.decode().splitlines():
            what, *words = line.split(" ")
            if what == "item":
                arena, item, step, repeated = words
                self.items[arena, item] = int(step)
                self.changes += 1
                self.repeated += int(repeated)
            elif what == "erased":
                self.erased.add(tuple(words))
            elif what == "reward":
                self.rewards.add(tuple(words))
            elif what == "undo":
                duel, status = words
                if status == "undone":
                    self.undone.add(duel)
            else:
                self._add_answer(*words)

    def _add_answer(self, duel, winner, status):
        self.statuses[status] += 1
        if status in ("learned", "noted"):
            self.answers[duel] += 1
            self.winners[duel] = winner
        elif status == "duplicate":
            assert self.winners.setdefault(duel, winner) == winner

    def compare(self, address):
        """Compare what was acknowledged with what the database holds."""
        with Arenas.open(address) as arenas:
            events = list(arenas.events())
            shown = {(arena.name, item.id): (item.title, item.retired) for arena in arenas for item in arena.items}
            replay, made = arenas.replay(), versions(arenas)
        accepted = [event for event in events if event.kind in ("learned", "noted")]
        winners = {event.duel: event.winner for event in accepted}
        undone = Counter(event.duel for event in events if event.kind == "undone")
        rewards = Counter((event.arena, event.key) for event in events if event.kind == "rewarded")
        lost = sum(winners.get(duel) != winner for duel, winner in self.winners.items())
        # a client was killed before at most one more change was acknowledged
        lost += sum(shown.get(item) not in LIFE[step : step + 2] for item, step in self.items.items())
        lost += len(self.undone - set(undone)) + len(self.rewards - set(rewards))
        lost += len(self.erased & {(event.arena, event.user) for event in events})
        unsaid = sum(shown.get(item) == (*LIFE, None)[step + 1] for item, step in self.items.items())
        doubled = sum(count - 1 for count in (*self.answers.values(), *undone.values(), *rewards.values()))
        doubled += len(accepted) - len(winners)
        learned = sum(event.kind == "learned" for event in accepted)
        return Comparison(
            len(self.winners), self.changes, len(self.undone), len(self.rewards), len(self.erased), made,
            self.repeated + unsaid, len(accepted), learned, lost, doubled, replay.equal, replay.differences,
        )  # fmt: skip

    def nothing_found(self):
        """Return the comparison with a database that cannot be read: everything is lost."""
        said = len(self.undone), len(self.rewards), len(self.erased)
        lost = len(self.winners) + len(self.items) + sum(said)
        return Comparison(len(self.winners), self.changes, *said, 0, 0, 0, 0, lost, 0, False, ())

    def check(self, address):
        """Check that everything acknowledged is in the log once, no duel has two answers, and replay is equal."""
        found = self.compare(address)
        assert not found.lost, f"{found.lost} acknowledged answers or changes are not in the database"
        assert not found.doubled, f"{found.doubled} answers were accepted twice"
        assert found.equal, found.differences
        return {
            "acknowledged": found.acknowledged, "in the log": found.logged, "learned": found.learned,
            "items changed": found.changes, "undone": found.undone, "rewards": found.rewards, "erased": found.erased,
            "versions": found.versions,
        }  # fmt: skip


class Comparison(NamedTuple):
    """What was acknowledged, against what the database holds."""

    acknowledged: int
    changes: int
    undone: int
    rewards: int
    erased: int
    versions: int
    """Of models of tastes."""
    cut: int
    """Changes that a kill met: made again, or made without an acknowledgement."""
    logged: int
    learned: int
    lost: int
    doubled: int
    equal: bool
    differences: tuple[str, ...]
