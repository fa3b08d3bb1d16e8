"""The arena as its users see it: ask which two to show, tell which was chosen, look at what was learned."""

import json
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib import import_module
from typing import Any

from winnerstays.algorithms.base import Value
from winnerstays.arena import evidence as statistics
from winnerstays.arena.learning import Fold
from winnerstays.arena.replay import replay
from winnerstays.arena.settings import (
    Answer,
    Bias,
    DifferentArenaError,
    Duel,
    Erased,
    Event,
    Item,
    Receipt,
    Replay,
    Settings,
    Standing,
    UnknownDuelError,
    UnknownUserError,
    WrongUserError,
    check_text,
)  # fmt: skip
from winnerstays.arena.stores.base import Row, Store, Transaction, open_store
from winnerstays.arena.transaction import Ask, Desk, Entry, Known, Tell
from winnerstays.errors import WinnerstaysError, missing_extra

_LEARNER = "SELECT id, state FROM learners WHERE arena = ? AND username = ?"
_OF_A_LEARNER = "SELECT duel FROM log WHERE learner = ? AND kind = 'served'"
"""The duels served to a learner: through them the other rows of a learner are found."""
_WINS = (
    "SELECT first, second, winner, COUNT(*), MAX(seq) FROM log"
    " WHERE {whose} AND once = 1 AND outcome = 'winner' GROUP BY first, second, winner"
)
_ALL_WINS = _WINS.format(whose=f"duel IN ({_OF_A_LEARNER})")
_LATER_WINS = _WINS.format(whose="learner = ? AND seq > ?")
_SIDES = (
    "SELECT CASE WHEN (winner = first) = (flipped = 0) THEN 1 ELSE 0 END AS chose_left, COUNT(*) FROM log"
    " WHERE arena = ? AND once = 1 AND outcome = 'winner' AND first <> second GROUP BY chose_left"
)
_EVENTS = (
    "SELECT log.seq, log.at, log.arena, COALESCE(log.username, learners.username), log.kind, log.duel, log.first,"
    " log.second, log.flipped, log.outcome, log.winner, log.reason, log.expires_at"
    " FROM log LEFT JOIN learners ON learners.id = log.learner WHERE log.seq > ? AND log.seq <= ?"
)
EVENTS_AT_ONCE = 1000
"""So many are read at a time: nobody who reads slowly keeps the database from tidying up."""


class Arenas:
    """All arenas of one database.

    >>> with Arenas.open("memory:") as arenas:
    ...     lunch = arenas.create("lunch", ["ramen", "tacos", "pho"])
    ...     arenas.names()
    ['lunch']
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self.store = store
        self.desk = Desk(store, clock)
        self._wins: dict[int, tuple[int, Counter[tuple[int, int]]]] = {}

    @classmethod
    def open(cls, address: str, *, clock: Callable[[], float] = time.time, key: str | None = None) -> "Arenas":
        """All arenas at an address: a file (made if missing), `memory:`, `postgresql://...`, or a running service.

        A service is `http://...`; `key` is for a service that wants one.
        """
        if not isinstance(address, str) or not address:
            raise WinnerstaysError(f"A database is the path of a file or postgresql://..., not {address!r}.")
        if address.startswith(("http://", "https://")):
            try:
                client = import_module("winnerstays.arena.remote")
            except ImportError:
                raise missing_extra("An arena over HTTP", "service") from None
            return client.RemoteArenas(address, key)  # type: ignore[no-any-return]
        return cls(open_store(address), clock)

    def __enter__(self) -> "Arenas":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.store.close()

    def ping(self) -> None:
        """Ask the database for something; raises StoreError if it cannot be used."""
        self.store.run(lambda transaction: transaction.rows("SELECT COUNT(*) FROM arenas"))

    def names(self) -> list[str]:
        """The names of all arenas."""
        return [row[0] for row in self.store.run(lambda t: t.rows("SELECT name FROM arenas ORDER BY name"))]

    def create(self, name: str, items: Iterable[str | Item | Mapping[str, Any]], **rules: Any) -> "Arena":
        """A new arena. Refused if there is one of that name with other items or rules."""
        if isinstance(items, str | Mapping):
            raise WinnerstaysError(f"items must be a list of items, not {items!r}.")
        if rules.get("seed") is None:
            rules.pop("seed", None)
        seed = {"seed": secrets.randbits(63)}
        settings = Settings.of({"name": name, "items": tuple(items), **seed, **rules})
        Fold(settings)
        text = json.dumps(settings.as_dict(), ensure_ascii=False, separators=(",", ":"))

        def add(transaction: Transaction) -> bool:
            now = self.desk.clock()
            insert = (
                "INSERT INTO arenas (name, created_at, settings) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING id"
            )
            rows = transaction.rows(insert, name, now, text)
            if rows:
                Entry.write(transaction, [Entry(rows[0][0], None, now, "created")])
            return bool(rows)

        made = self.store.run(add)
        arena = self.get(name)
        if not made:
            _check_same(arena.settings, settings, {"items", *rules})
        return arena

    def get(self, name: str) -> "Arena":
        """The arena of that name."""
        check_text("The name of an arena", name)
        return Arena(self, self.store.run(lambda transaction: self.desk.known(transaction, name)))

    def __getitem__(self, name: str) -> "Arena":
        return self.get(name)

    def __iter__(self) -> Iterator["Arena"]:
        return map(self.get, self.names())

    def perform(self, works: Sequence[Ask | Tell]) -> list[Duel | Receipt | WinnerstaysError]:
        """Asks and tells in any mixture, in one transaction; one result each, an error where an ask was wrong."""
        return self.desk.perform(works)

    def tell(self, answer: Answer) -> Receipt:
        """Answer a duel of whichever arena it is of."""
        return _receipt(self.perform([Tell(answer)])[0], answer)

    def replay(self) -> Replay:
        """Rebuild every learner from the log and compare it byte for byte with the stored one."""
        return replay(self.store, self._by_number)

    def _by_number(self, number: int) -> Known:
        return self.store.run(lambda transaction: self.desk.known_by_number(transaction, number))

    def events(self, arena: str | None = None, *, after: int = 0) -> Iterator[Event]:
        """The log, row by row, from the row after number `after`; of one arena or of all."""
        if not (isinstance(after, int) and 0 <= after < 2**63):
            raise WinnerstaysError(f"after is {after!r}, but it must be the number of an event, or 0.")
        number = None if arena is None else self.get(arena)._arena.number
        statement = _EVENTS + (" AND log.arena = ?" if number is not None else "")
        one = cache(self._by_number)
        last = self.store.settled()
        rows: list[Any] = [()] * EVENTS_AT_ONCE
        while len(rows) == EVENTS_AT_ONCE:
            values = [after, last] if number is None else [after, last, number]
            with self.store.snapshot() as snapshot:
                rows = list(snapshot.stream(f"{statement} ORDER BY log.seq LIMIT {EVENTS_AT_ONCE}", *values))
            for row in rows:
                yield _event(row, None if row[2] is None else one(row[2]))
            after = rows[-1][0] if rows else last

    def wins(self, learner: int, *, shared: bool) -> Counter[tuple[int, int]]:
        """How often each item was chosen over each other one: {(winner, loser): times}.

        What everybody taught a shared learner is counted on from where it was counted before.
        """
        last, counts = self._wins.get(learner, (0, Counter()))
        counts = counts.copy()
        asked = (_LATER_WINS, learner, last) if shared else (_ALL_WINS, learner)
        with self.store.snapshot() as snapshot:
            for first, second, winner, times, seq in snapshot.stream(*asked):
                if first != second:
                    counts[winner, second if winner == first else first] += times
                last = max(last, seq)
        if shared:
            self._wins[learner] = (last, counts)
        return counts


class Arena:
    """Shows people two items at a time and learns their favourite, losing nothing and learning nothing twice.

    >>> arena = Arena.open("memory:", items=["ramen", "tacos", "pho"], seed=1)
    >>> for _ in range(40):
    ...     duel = arena.ask(user="ada")
    ...     receipt = arena.tell(duel.id, winner="tacos" if "tacos" in duel else duel.left)
    >>> receipt.status, arena.best(user="ada")
    ('learned', 'tacos')
    """

    def __init__(self, arenas: Arenas, known: Known) -> None:
        self.arenas = arenas
        self._arena = known

    @classmethod
    def open(
        cls,
        address: str,
        name: str = "default",
        items: Iterable[str | Item | Mapping[str, Any]] | None = None,
        *,
        clock: Callable[[], float] = time.time,
        key: str | None = None,
        algorithm: str | None = None,
        params: Mapping[str, Value] | None = None,
        **rules: Any,
    ) -> "Arena":
        """The arena of that name in a database, made if `items` are given and it does not exist yet.

        `address` is the path of a SQLite file, `memory:`, `postgresql://...`, or `http://...` of a running service
        (with a `key` if it wants one). The other arguments are fields of `Settings`.
        """
        given = {"algorithm": algorithm, "params": params, **rules}
        given = {field: value for field, value in given.items() if value is not None}
        arenas = Arenas.open(address, clock=clock, key=key)
        try:
            if items is not None:
                return arenas.create(name, items, **given)
            arena = arenas.get(name)
            _check_same(arena.settings, given, set(given))
        except BaseException:
            arenas.close()
            raise
        return arena

    def __enter__(self) -> "Arena":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database, for all its arenas."""
        self.arenas.close()

    @property
    def settings(self) -> Settings:
        return self._arena.settings

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def items(self) -> tuple[Item, ...]:
        return self.settings.items

    def ask(self, user: str | None = None) -> Duel:
        """Two items to show. While a user's duel is open, asking again returns that one."""
        return _duel(self.arenas.perform([Ask(self.name, user)])[0])

    def ask_many(self, users: Iterable[str | None]) -> list[Duel]:
        """A duel for each user, in one transaction."""
        return [_duel(result) for result in self.arenas.perform([Ask(self.name, user) for user in users])]

    def tell(
        self,
        duel: str | Duel,
        winner: str | None = None,
        *,
        outcome: str | None = None,
        reason: str | None = None,
        user: str | None = None,
    ) -> Receipt:
        """Learn which item was chosen, or that it was a `tie`, a `skip` or `none` of the two (`outcome`).

        Telling the same again is harmless. If `user` is given, it must be the one to whom the duel was served.
        """
        answer = Answer(duel.id if isinstance(duel, Duel) else duel, winner, outcome or "winner", reason, user)
        return _receipt(self.arenas.perform([Tell(answer, self.name)])[0], answer)

    def tell_many(self, answers: Iterable[Answer | Mapping[str, Any] | Sequence[Any]]) -> list[Receipt]:
        """Learn many answers, (duel, winner) or Answer, in one transaction. Each gets its receipt; none is an error."""
        works = [Tell(Answer.of(answer), self.name) for answer in answers]
        return [receipt for receipt in self.arenas.perform(works) if isinstance(receipt, Receipt)]

    def best(self, user: str | None = None) -> str:
        """The favourite so far."""
        learner, state = self._learner(user)
        return self._arena.ids[self._arena.fold.best(self._arena.fold.load(learner, state))]

    def standing(self, user: str | None = None, *, p: float | None = None, level: float = 0.95) -> Standing:
        """The favourite and how sure it is. `p`, if known, is the least chance with which a better item is chosen."""
        if not (isinstance(level, int | float) and 0 < level < 1):
            raise WinnerstaysError(f"level is {level!r}, but it must be above 0 and below 1.")
        learner, state = self._learner(user)
        fold = self._arena.fold
        mind = fold.load(learner, state)
        favourite, round_ = fold.best(mind), fold.round(mind)
        wins = self.arenas.wins(learner, shared=self._arena.shared)
        rivals = statistics.rivals(self._arena.ids, favourite, wins)
        return Standing(
            arena=self.name,
            user=user,
            favourite=self._arena.ids[favourite],
            learned=mind.step,
            round=round_,
            confidence=statistics.confidence(rivals),
            rivals=rivals,
            duels_needed=statistics.duels_needed(rivals, level),
            level=level,
            certificate=None if p is None else statistics.certificate(round_, p),
        )

    def _learner(self, user: str | None) -> tuple[int, bytes]:
        if user is None and not self._arena.shared:
            raise WinnerstaysError(f"The arena {self.name!r} has a learner for each user: say which user.")
        username = "" if self._arena.shared else check_text("A user's name", user)
        rows = self.arenas.store.run(lambda transaction: transaction.rows(_LEARNER, self._arena.number, username))
        if not rows:
            who = "anybody" if self._arena.shared else f"{user!r}"
            raise UnknownUserError(f"The arena {self.name!r} has not served a duel to {who} yet.")
        return rows[0][0], rows[0][1]

    def bias(self) -> Bias:
        """How often people chose the left item. Sides are drawn fairly, so a share away from 1/2 is their habit."""
        with self.arenas.store.snapshot() as snapshot:
            sides: dict[int, int] = dict(snapshot.stream(_SIDES, self._arena.number))
        return statistics.bias(sides.get(1, 0), sides.get(0, 0))

    def events(self, *, after: int = 0) -> Iterator[Event]:
        """This arena's log, row by row."""
        return self.arenas.events(self.name, after=after)

    def erase(self, user: str) -> Erased:
        """Remove a user: their learner and rows, and their name wherever else it stands. The log says that it was done.

        What a user taught the shared learner of an arena for everyone stays learned, without their name.
        """
        check_text("A user's name", user)
        number = self._arena.number

        def remove(transaction: Transaction) -> Erased:
            rows = transaction.rows(f"{_LEARNER} FOR UPDATE", number, user)
            removed = 0
            for learner, _ in rows:
                removed += transaction.change(f"DELETE FROM log WHERE duel IN ({_OF_A_LEARNER})", learner)
                transaction.change("DELETE FROM learners WHERE id = ?", learner)
            renamed = transaction.change(
                "UPDATE log SET username = NULL WHERE (arena = ? OR arena IS NULL) AND username = ?", number, user
            )
            if not rows and not renamed:
                raise UnknownUserError(f"The arena {self.name!r} knows no user {user!r}.")
            said = f"{removed} rows removed, a name removed from {renamed} more"
            learner = rows[0][0] if rows else None
            Entry.write(transaction, [Entry(number, learner, self.arenas.desk.clock(), "erased", reason=said)])
            return Erased(user, removed, len(rows))

        return self.arenas.store.run(remove)


def _event(row: Row, known: Known | None) -> Event:
    """A row of `_EVENTS`, with names instead of numbers."""
    seq, at, _, who, kind, duel, first, second, flipped, outcome, winner, reason, expires = row
    ids = known.ids if known else []
    left, right = (None, None) if first is None else (ids[first], ids[second])
    if flipped:
        left, right = right, left
    chosen = ids[winner] if winner is not None and winner >= 0 else None
    name = known.settings.name if known else ""
    return Event(seq, at, name, who or None, kind, duel, left, right, outcome, chosen, reason, expires)


def _check_same(settings: Settings, wanted: Settings | Mapping[str, Any], fields: set[str]) -> None:
    for field in sorted(fields):
        new = getattr(wanted, field) if isinstance(wanted, Settings) else wanted[field]
        if getattr(settings, field) != new:
            raise DifferentArenaError(
                f"The arena {settings.name!r} exists with {field}={_shown(getattr(settings, field))}, "
                f"not {_shown(new)}; use another name, or leave {field} out."
            )


def _shown(value: Any) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], Item):
        return repr([_told(item) for item in value])
    return repr(value)


def _told(item: Item) -> str | dict[str, Any]:
    """An item as one would give it: its id alone, if that is all."""
    fields = {field: value for field, value in asdict(item).items() if value not in ("", ())}
    if fields["title"] == item.id:
        del fields["title"]
    return fields if len(fields) > 1 else item.id


def _duel(result: Duel | Receipt | WinnerstaysError) -> Duel:
    if isinstance(result, WinnerstaysError):
        raise result
    assert isinstance(result, Duel)
    return result


_ERRORS: dict[str, type[WinnerstaysError]] = {
    "unknown": UnknownDuelError, "wrong-user": WrongUserError, "invalid": WinnerstaysError,
}  # fmt: skip


def _receipt(result: Duel | Receipt | WinnerstaysError, answer: Answer) -> Receipt:
    if isinstance(result, WinnerstaysError):
        raise result
    assert isinstance(result, Receipt)
    if result.status in _ERRORS:
        raise _ERRORS[result.status](result.reason or f"The answer {answer!r} was refused.")
    return result
