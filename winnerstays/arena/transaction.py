"""Where duels are handed out and answers taken in: any number of asks and tells in one transaction.

The order is the same on every store: read which learners are concerned, lock them, read what else may have changed,
decide in memory, append to the log, save the learners.
"""

import json
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from winnerstays.arena.group_commit import Combiner
from winnerstays.arena.learning import Fold, Mind
from winnerstays.arena.settings import (
    OUTCOMES,
    Answer,
    Duel,
    Receipt,
    Settings,
    Status,
    UnknownArenaError,
    check_text,
    storable_scrap,
)  # fmt: skip
from winnerstays.arena.stores.base import Row, Store, Transaction
from winnerstays.errors import WinnerstaysError, unknown

K = TypeVar("K")
V = TypeVar("V")
KEPT = 10_000
"""So many minds, names and duels are remembered."""

_SERVED = (
    "SELECT duel, arena, learner, first, second, flipped, step, expires_at, username FROM log"
    " WHERE duel IN ? AND once = 0"
)
_TOLD = "SELECT duel, outcome, winner FROM log WHERE duel IN ? AND once = 1"
_FIND = "SELECT username, id FROM learners WHERE arena = ? AND username IN ?"
_LOCK = "SELECT id, arena, username, open, state FROM learners WHERE id IN ? ORDER BY id FOR UPDATE"
_ARENA = "SELECT id, settings FROM arenas WHERE name = ?"
_ARENA_BY_ID = "SELECT id, settings FROM arenas WHERE id = ?"


class Entry(NamedTuple):
    """A row of the log before it has a number; the fields are its columns (schema.py says what they mean)."""

    arena: int | None
    learner: int | None
    at: float
    kind: str
    duel: str | None = None
    once: int | None = None
    first: int | None = None
    second: int | None = None
    flipped: int | None = None
    step: int | None = None
    expires_at: float | None = None
    outcome: str | None = None
    winner: int | None = None
    username: str | None = None
    reason: str | None = None

    @classmethod
    def write(cls, transaction: Transaction, entries: Sequence["Entry"]) -> None:
        transaction.insert("log", _COLUMNS, list(map(tuple, entries)))  # SQLite takes plain tuples faster


_COLUMNS = ", ".join(Entry._fields)


@dataclass(frozen=True, slots=True)
class Ask:
    """Hand out a duel."""

    arena: str
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Tell:
    """Take in an answer; if `arena` is given, only to a duel of that arena."""

    answer: Answer
    arena: str | None = None


class Known:
    """An arena with everything that follows from its settings."""

    def __init__(self, number: int, settings: Settings) -> None:
        self.number = number
        self.settings = settings
        self.fold = Fold(settings)
        self.ids = [item.id for item in settings.items]
        self.arms = {item: arm for arm, item in enumerate(self.ids)}
        self.shared = settings.audience == "everyone"


class Served(NamedTuple):
    """A served duel, as the log has it."""

    duel: str
    arena: int
    learner: int
    first: int
    second: int
    flipped: int
    step: int
    expires_at: float
    username: str | None


class _Learner:
    """A learner's row while it is locked."""

    __slots__ = ("changed", "id", "known", "mind", "open", "username")

    def __init__(self, number: int, known: Known, username: str, open_duel: str | None, mind: Mind) -> None:
        self.id = number
        self.known = known
        self.username = username
        self.open = open_duel
        self.mind = mind
        self.changed = False


class Recent(OrderedDict[K, V]):
    """What was kept last, and no more than KEPT of it."""

    def keep(self, key: K, value: V) -> None:
        self[key] = value
        if len(self) > KEPT:
            self.popitem(last=False)


class Desk:
    """Performs asks and tells on a store; those of concurrent threads share a transaction."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self.store = store
        self.clock = clock
        self._by_name: dict[str, Known] = {}
        self._by_number: dict[int, Known] = {}
        self.minds: Recent[int, tuple[bytes, Mind]] = Recent()
        """Minds as they were last saved, with their bytes: one is used only if the store holds the same bytes."""
        self.numbers: Recent[tuple[int, str], int] = Recent()
        """The learners of (arena, user), as they were when last seen: whether one is still theirs is looked up."""
        self.duels: Recent[str, Served] = Recent()
        """Served duels; but none that names a user, because the name may be erased by another process."""
        self._combiner: Combiner[Ask | Tell, Duel | Receipt | WinnerstaysError] = Combiner(self._process, store.writers)

    def perform(self, works: Sequence[Ask | Tell]) -> list[Duel | Receipt | WinnerstaysError]:
        """The results, in the same order, once all of them are durable. What one does wrong is its result."""
        return self._combiner.run(works) if works else []

    def perform_now(self, works: list[Ask | Tell]) -> list[Duel | Receipt | WinnerstaysError]:
        """The same for a thread that has no time to wait: raises BusyError if the store must be waited for."""
        return self._process(works, now=True)

    def _process(self, works: list[Ask | Tell], now: bool = False) -> list[Duel | Receipt | WinnerstaysError]:
        def do(transaction: Transaction) -> tuple[_Batch, list[Duel | Receipt | WinnerstaysError]]:
            batch = _Batch(self, transaction)
            return batch, batch.do(works)

        batch, results = self.store.run_now(do) if now else self.store.run(do)
        for key, number in batch.asking.items():
            self.numbers.keep(key, number)
        for served in batch.served.values():
            if served.username is None:
                self.duels.keep(served.duel, served)
        return results

    def known(self, transaction: Transaction, name: str) -> Known:
        """The arena of that name."""
        known = self._by_name.get(name)
        if known is None:
            rows = transaction.rows(_ARENA, name) if storable_scrap(name) == name else []
            if not rows:
                names = [row[0] for row in transaction.rows("SELECT name FROM arenas ORDER BY name LIMIT 50")]
                raise UnknownArenaError(str(unknown("arena", name, names)))
            known = self._remember(rows[0])
        return known

    def known_by_number(self, transaction: Transaction, number: int) -> Known:
        return self._by_number.get(number) or self._remember(transaction.rows(_ARENA_BY_ID, number)[0])

    def _remember(self, row: Row) -> Known:
        known = Known(row[0], Settings.of(json.loads(row[1])))
        self._by_name[known.settings.name] = self._by_number[known.number] = known
        return known

    def mind(self, known: Known, learner: int, state: bytes) -> Mind:
        """The mind with these bytes, for its only user: a mind that learns changes in place."""
        kept = self.minds.pop(learner, None)
        if kept is not None and kept[0] == state:
            return kept[1]
        return known.fold.load(learner, state)


class _Batch:
    """One transaction's asks and tells."""

    def __init__(self, desk: Desk, transaction: Transaction) -> None:
        self.desk = desk
        self.transaction = transaction
        self.now = desk.clock()
        self.served: dict[str, Served] = {}
        self.told: dict[str, tuple[str, int | None]] = {}
        self.learners: dict[int, _Learner] = {}
        self.asking: dict[tuple[int, str], int] = {}
        self.log: list[Entry] = []

    def do(self, works: list[Ask | Tell]) -> list[Duel | Receipt | WinnerstaysError]:
        told = {work.answer.duel for work in works if isinstance(work, Tell) and _looks_like_id(work.answer.duel)}
        asks: list[tuple[Known, str] | WinnerstaysError | None] = [
            self._asker(work) if isinstance(work, Ask) else None for work in works
        ]
        self._lock(told, [ask for ask in asks if isinstance(ask, tuple)])
        results: list[Duel | Receipt | WinnerstaysError] = []
        for work, ask in zip(works, asks, strict=True):
            if isinstance(work, Tell):
                results.append(self._tell(work))
            elif isinstance(ask, tuple):
                results.append(self._ask(work, *ask))
            elif ask is not None:
                results.append(ask)
        self._save()
        return results

    def _asker(self, ask: Ask) -> tuple[Known, str] | WinnerstaysError:
        """The arena and the name of the learner that a question concerns."""
        try:
            known = self.desk.known(self.transaction, ask.arena)
            if ask.user is not None:
                check_text("A user's name", ask.user)
        except WinnerstaysError as error:
            return error
        if known.shared:
            return known, ""
        if ask.user is None:
            return WinnerstaysError(f"The arena {ask.arena!r} has a learner for each user: say which user asks.")
        return known, ask.user

    def _lock(self, told: Iterable[str], asks: list[tuple[Known, str]]) -> None:
        self._find(told, sorted({(known.number, username) for known, username in asks}))
        while True:
            concerned = {served.learner for served in self.served.values()}.union(self.asking.values())
            learners, answers = self.transaction.together((_LOCK, sorted(concerned)), (_TOLD, list(self.served)))
            owners = {row[0]: (row[1], row[2]) for row in learners}
            erased = [name for name, number in self.asking.items() if owners.get(number) != name]
            if not erased:
                break
            for name in erased:
                self.desk.numbers.pop(name, None)
            self._find((), erased)
        for number, arena, username, open_duel, state in learners:
            known = self.desk.known_by_number(self.transaction, arena)
            mind = self.desk.mind(known, number, state)
            self.learners[number] = _Learner(number, known, username, open_duel, mind)
        for duel, outcome, winner in answers:
            self.told[duel] = (outcome, winner)
        held = {self.learners[number].open for number in self.asking.values()}
        self._find([duel for duel in held if duel is not None and duel not in self.served], ())

    def _find(self, duels: Iterable[str], names: Iterable[tuple[int, str]]) -> None:
        """To whom these duels were served, and the learners of these (arena, user): what is not remembered is read."""
        unread: list[str] = []
        for duel in duels:
            served = self.desk.duels.get(duel)
            if served is None:
                unread.append(duel)
            else:
                self.served[duel] = served
        unknown: dict[int, list[str]] = {}
        for arena, username in names:
            number = self.desk.numbers.get((arena, username))
            if number is None:
                unknown.setdefault(arena, []).append(username)
            else:
                self.asking[arena, username] = number
        if not unread and not unknown:
            return
        questions = [(_FIND, arena, usernames) for arena, usernames in unknown.items()]
        rows, *found = self.transaction.together((_SERVED, unread), *questions)
        self.served.update((row[0], Served._make(row)) for row in rows)
        for (arena, usernames), numbers in zip(unknown.items(), found, strict=True):
            self._add(arena, usernames, dict(numbers))

    def _add(self, arena: int, usernames: list[str], numbers: dict[str, int]) -> None:
        """Number those users that have no number yet."""
        absent = [username for username in usernames if username not in numbers]
        if absent:
            new = [(arena, username, b"") for username in absent]
            self.transaction.insert("learners", "arena, username, state", new, unless_there=True)
            numbers |= dict(self.transaction.rows(_FIND, arena, absent))
        for username, number in numbers.items():
            self.asking[arena, username] = number

    def _ask(self, ask: Ask, known: Known, username: str) -> Duel:
        learner = self.learners[self.asking[known.number, username]]
        if learner.open is not None and self.now < self.served[learner.open].expires_at:
            return self._duel(known, self.served[learner.open], ask.user)
        first, second, flipped = known.fold.serve(learner.mind)
        asked_by = ask.user if known.shared else None
        served = Served(
            new_id(self.now), known.number, learner.id, first, second, int(flipped), learner.mind.step,
            self.now + known.settings.expires_after, asked_by,
        )  # fmt: skip
        self.served[served.duel] = served
        if not known.shared:
            learner.open = served.duel
        learner.changed = True
        self._append(served, "served", once=0, username=asked_by)
        return self._duel(known, served, ask.user)

    def _duel(self, known: Known, served: Served, user: str | None) -> Duel:
        left, right = known.ids[served.first], known.ids[served.second]
        if served.flipped:
            left, right = right, left
        return Duel(served.duel, left, right, served.expires_at, known.settings.name, user)

    def _tell(self, tell: Tell) -> Receipt | WinnerstaysError:
        answer = tell.answer
        served = self.served.get(answer.duel) if isinstance(answer.duel, str) else None
        learner = self.learners.get(served.learner) if served else None
        if served is None or learner is None or tell.arena not in (None, learner.known.settings.name):
            return self._refuse(tell, "unknown", f"There is no duel {storable_scrap(answer.duel)!r}.")
        known = learner.known
        if answer.user is not None:
            try:
                check_text("A user's name", answer.user)
            except WinnerstaysError as error:
                return self._refuse(tell, "invalid", str(error), served)
        owner = served.username if known.shared else learner.username
        if answer.user is not None and owner is not None and answer.user != owner:
            return self._refuse(tell, "wrong-user", "The duel was served to another user.", served)
        winner = _arm(known, answer.winner)
        wrong = _mistake(answer, winner, served, known)
        if wrong:
            return self._refuse(tell, "invalid", wrong, served)
        before = self.told.get(answer.duel)
        if before == (answer.outcome, winner):
            return Receipt(answer.duel, "duplicate", None, False, known.settings.name)
        if before is not None:
            said = before[0] if before[1] is None else f"{known.ids[before[1]]!r}"
            return self._refuse(tell, "conflict", f"Another answer was accepted before: {said}.", served)
        if self.now >= served.expires_at or not (known.shared or learner.open == served.duel):
            return self._refuse(tell, "late", "The duel had expired.", served)
        lesson = known.fold.learn(learner.mind, served.first, served.second, served.step, answer.outcome, winner)
        learner.mind = lesson.mind
        learner.changed = True
        learner.open = None
        self.told[answer.duel] = (answer.outcome, winner)
        status: Status = "learned" if lesson.learned else "noted"
        reason = lesson.reason
        if answer.reason is not None:
            said = storable_scrap(answer.reason)
            reason = f"{reason} ({said})" if reason else said
        self._append(
            served, status, once=1, outcome=answer.outcome, winner=winner,
            username=(answer.user or served.username) if known.shared else None, reason=reason,
        )  # fmt: skip
        return Receipt(answer.duel, status, reason, lesson.moved_on, known.settings.name)

    def _refuse(
        self, tell: Tell, status: Status, reason: str, served: Served | None = None
    ) -> Receipt | WinnerstaysError:
        """Keep in the log what is refused, and why. An arena that does not exist is an error of its own."""
        answer = tell.answer
        error = None
        username = storable_scrap(answer.user) if answer.user is not None else None
        outcome, arena = storable_scrap(answer.outcome), tell.arena
        if served is not None:
            known = self.learners[served.learner].known
            arena = known.settings.name
            winner = _arm(known, answer.winner)
            owner = None if known.shared else self.learners[served.learner].username
            self._append(
                served, status, outcome=outcome, winner=winner, username=None if username == owner else username,
                reason=reason,
            )  # fmt: skip
        else:
            number = None
            if tell.arena is not None:
                try:
                    number = self.desk.known(self.transaction, tell.arena).number
                except WinnerstaysError as no_arena:
                    error, reason = no_arena, str(no_arena)
            duel = storable_scrap(answer.duel)
            self.log.append(
                Entry(number, None, self.now, status, duel, outcome=outcome, username=username, reason=reason)
            )
        return error or Receipt(storable_scrap(answer.duel), status, reason, False, arena or "")

    def _append(
        self,
        served: Served,
        kind: str,
        *,
        once: int | None = None,
        outcome: str | None = None,
        winner: int | None = None,
        username: str | None = None,
        reason: str | None = None,
    ) -> None:
        self.log.append(Entry(
            served.arena, served.learner, self.now, kind, served.duel, once, served.first, served.second,
            served.flipped, served.step, served.expires_at, outcome, winner, username, reason,
        ))  # fmt: skip

    def _save(self) -> None:
        if self.log:
            Entry.write(self.transaction, self.log)
        saved = []
        for learner in self.learners.values():
            if learner.changed:
                state = learner.known.fold.dump(learner.mind)
                saved.append((learner.open, state, learner.id))
                self.desk.minds.keep(learner.id, (state, learner.mind))
        if saved:
            self.transaction.update("learners", "open, state, id", saved)


def new_id(now: float) -> str:
    """A duel's name: 128 random bits, which nobody guesses, behind the time in milliseconds.

    The time keeps together in the index what is served together: a transaction changes few pages of it.
    """
    return f"{int(now * 1000):011x}{secrets.token_urlsafe(16)}"


def _looks_like_id(duel: Any) -> bool:
    return isinstance(duel, str) and len(duel) <= 64 and duel.isascii() and duel.isprintable()


def _arm(known: Known, item: Any) -> int | None:
    """The item's number, -1 for what is no item, None for nothing."""
    return known.arms.get(item, -1) if isinstance(item, str) else None if item is None else -1


def _mistake(answer: Answer, winner: int | None, served: Served, known: Known) -> str | None:
    """What is wrong with an answer in itself, as a sentence."""
    if answer.outcome not in OUTCOMES:
        return (
            f"The outcome {storable_scrap(answer.outcome)!r} does not exist; it must be one of {', '.join(OUTCOMES)}."
        )
    if answer.outcome == "winner":
        if winner not in (served.first, served.second):
            one, other = known.ids[served.first], known.ids[served.second]
            return f"The winner {storable_scrap(answer.winner)!r} is not in the duel; it must be {one!r} or {other!r}."
    elif answer.winner is not None:
        return f"The outcome {answer.outcome!r} has no winner, but {storable_scrap(answer.winner)!r} was given."
    return None
