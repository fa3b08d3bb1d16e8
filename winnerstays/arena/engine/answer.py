"""Answers to duels: accepted and learned, taken back, or refused with the reason; and rewards.

A reward is what a person did that the site counts, such as an order: a row of the log in the chain of their learner.
"""

import json
import math
from typing import Any, NamedTuple

from winnerstays.arena.engine.cache import ArenaRuntime, Cache
from winnerstays.arena.engine.duels import DuelData
from winnerstays.arena.engine.holdout import ARMS, FIXED, LEARNER, RANDOM, chosen_in_probe, draw
from winnerstays.arena.engine.rebuilding import PrunedLearner, take_back
from winnerstays.arena.engine.transaction import LockedLearner, LockedRows, TransactionLog
from winnerstays.arena.errors import UnknownUserError
from winnerstays.arena.history import chain
from winnerstays.arena.records import OUTCOMES, SESSION_PREFIX, UNDO, Answer, Receipt, Rewarded, Status
from winnerstays.arena.sessions import credited
from winnerstays.arena.stores import learner_statements, statements
from winnerstays.arena.stores.base import Transaction
from winnerstays.arena.stores.rows import (
    ANSWERED,
    LATE,
    REWARDED,
    SNAPSHOT,
    UNDONE,
    UNKNOWN,
    LogEntry,
    ServedDuel,
    snapshot_id,
)
from winnerstays.arena.text import check_storable, check_text, loggable
from winnerstays.errors import WinnerstaysError

MAX_ID_CHARACTERS = 64
MAX_REASON = 1000
"""Characters of the reason that a person gives."""
MAX_UNDOS = 100
"""The most answers that one user can take back: each makes the learner learn again what came before."""


class Case(NamedTuple):
    """An answer with the duel that it answers."""

    answer: Answer
    served: ServedDuel
    learner: LockedLearner
    arena: ArenaRuntime
    winner: int | None
    """The place of the winner in the settings, -1 for what is no item, None for nothing."""

    @property
    def owner(self) -> str | None:
        """The user to whom the duel was served, if it was served to one."""
        return self.served.username if self.arena.shared else self.learner.username


class Refusal(NamedTuple):
    """Why an answer is refused."""

    status: Status
    reason: str
    phase: int | None = None


class Answering:
    """Answers the duels of one transaction."""

    def __init__(self, rows: LockedRows, log: TransactionLog) -> None:
        self._rows = rows
        self._log = log

    def answer(self, answer: Answer) -> Receipt | WinnerstaysError:
        """Return the receipt of an answer, or what is wrong with the arena that it is for."""
        case = self._find(answer)
        if case is None:
            return self._refuse_unknown(answer)
        if case.arena.fault is not None:
            return case.arena.fault
        if answer.session is not None:
            try:
                case = _credited(case)
            except WinnerstaysError as error:
                return self._refuse(case, Refusal("invalid", str(error)))
        refusal = _wrong_user(case)
        if refusal is None and answer.outcome == UNDO:
            return self._undo(case)
        if refusal is None and self._is_repeated(case):
            return _receipt(case, "duplicate")
        refusal = (
            refusal
            or _mistake(case)
            or _bad_reason(case)
            or self._conflict(case)
            or self._late(case)
            or self._too_many(case)
        )
        return self._refuse(case, refusal) if refusal else self._accept(case)

    def _find(self, answer: Answer) -> Case | None:
        served = self._rows.served.get(answer.duel) if isinstance(answer.duel, str) else None
        learner = self._rows.learners.get(served.learner_id) if served else None
        if served is None or learner is None:
            return None
        arena = learner.arena
        if not answer.may_be_for(arena.id, arena.name, arena.settings.public):
            return None
        return Case(answer, served, learner, learner.arena, _place(answer.winner, served, learner.arena))

    def _is_repeated(self, case: Case) -> bool:
        """Whether the same answer was accepted before, and was not taken back."""
        before = self._rows.answered.get(case.served.id)
        return before == (case.answer.outcome, case.winner) and case.served.id not in self._rows.undone

    def _conflict(self, case: Case) -> Refusal | None:
        """Refuse an answer to a duel with another answer. Which one that is, only the duel's own user reads."""
        if case.served.id in self._rows.undone:
            return Refusal("conflict", "The answer was taken back; ask for a new duel.")
        before = self._rows.answered.get(case.served.id)
        if before is None:
            return None
        if case.owner is None or case.answer.user != case.owner:
            return Refusal("conflict", "Another answer was accepted before.")
        outcome, winner = before
        words = outcome if winner is None else repr(case.arena.item_ids[winner])
        return Refusal("conflict", f"Another answer was accepted before: {words}.")

    def _late(self, case: Case) -> Refusal | None:
        """Refuse a late answer, and close the duel: it stays late, whatever the clock says afterwards."""
        served, learner = case.served, case.learner
        is_open = case.arena.shared or served.id in learner.open
        if self._rows.now < served.expires_at and is_open and served.id not in self._rows.late:
            return None
        phase = None if served.id in self._rows.late else LATE
        self._rows.late.add(served.id)
        learner.close(served.id)
        return Refusal("late", "The duel had expired.", phase)

    def _too_many(self, case: Case) -> Refusal | None:
        """Refuse an answer of a user who gave too many in this minute; count it otherwise."""
        limit, user = case.arena.settings.answers_per_minute, case.owner or case.answer.user
        if limit is None or user is None:
            return None
        minute = int(self._rows.now // 60)
        given = statements.answers_in_minute(self._rows.transaction, case.arena.id, user, minute)
        if given >= limit:
            reason = f"More than {limit} answers of this user in a minute; send it again in the next one."
            return Refusal("busy", reason)
        statements.set_answers_in_minute(self._rows.transaction, case.arena.id, user, minute, given + 1)
        return None

    def _accept(self, case: Case) -> Receipt:
        answer, served, learner, arena = case.answer, case.served, case.learner, case.arena
        rules, before = arena.rules, learner.state
        result = rules.learn(
            before, served.first, served.second, served.step, answer.outcome, case.winner, served.arm, served.shown
        )
        learner.state, learner.changed = result.state, True
        learner.close(served.id)
        chosen = chosen_in_probe(served.arm, served.first, answer.outcome, case.winner)
        self._rows.answered[served.id] = (answer.outcome, case.winner)
        status: Status = "learned" if result.learned else "noted"
        reason = logged = result.reason
        if answer.reason is not None and not served.erased:
            given = answer.reason if isinstance(answer.reason, str) else loggable(answer.reason)
            logged = f"{reason} ({given})" if reason and answer.session is None else given
            reason = logged if answer.session is None else reason
        self._log.append(
            _compared(served, case.winner, arena.settings.seed), status, phase=ANSWERED, outcome=answer.outcome,
            winner=case.winner,
            username=(answer.user or served.username) if arena.shared and not served.erased else None, reason=logged,
            data=DuelData(
                adds=rules.added(before, result.state, served.arm, answer.outcome, chosen), shown=served.shown
            ),
            arm=served.arm,
        )  # fmt: skip
        return _receipt(case, status, reason, result.moved_on)

    def _undo(self, case: Case) -> Receipt:
        """Take back the latest answer of a user: the learner is as it was before that duel was served."""
        served, learner, arena = case.served, case.learner, case.arena
        if served.id in self._rows.undone:
            return _receipt(case, "duplicate")
        if arena.shared:
            return self._refuse(case, Refusal("invalid", "An answer that everybody learned from stays."))
        rows = statements.rows_of_learner(self._rows.transaction, learner.id)
        closing = [row.entry for row in rows if row.entry.phase in (ANSWERED, UNDONE)]
        if sum(entry.phase == UNDONE for entry in closing) >= MAX_UNDOS:
            return self._refuse(case, Refusal("conflict", f"A user can take back {MAX_UNDOS} answers, and no more."))
        latest = closing[-1] if closing else None
        rewound = None
        changed_now = any(entry.learner_id == learner.id for entry in self._log.entries)
        if latest is not None and (latest.duel_id, latest.phase) == (served.id, ANSWERED) and not changed_now:
            pruned = PrunedLearner.of(rows[0].entry.data) if rows[0].entry.kind == SNAPSHOT else None
            rewound = take_back(arena, learner.id, pruned, rows[pruned is not None :], served.id)
        if latest is None or rewound is None:
            reason = "Only the latest answer can be taken back, once it was accepted, and only one."
            return self._refuse(case, Refusal("conflict", reason))
        before = learner.state
        chosen = chosen_in_probe(served.arm, served.first, str(latest.outcome), latest.winner)
        learner.state = arena.rules.take_back(rewound.state, before, str(latest.outcome), chosen)
        learner.changed = True
        learner.open = [id_ for id_ in learner.open if id_ not in rewound.gone]
        self._rows.undone.add(served.id)
        adds = arena.rules.added(before, learner.state, latest.arm) if before.person else ()
        self._log.append(
            _compared(served, latest.winner, arena.settings.seed), "undone", phase=UNDONE, outcome=latest.outcome,
            winner=latest.winner, data=DuelData(adds=adds, shown=served.shown), arm=latest.arm,
        )  # fmt: skip
        return _receipt(case, "undone")

    def _refuse(self, case: Case, refusal: Refusal) -> Receipt:
        """Log a refused answer to a served duel, with the reason."""
        answer, username = case.answer, None
        if answer.user is not None and not case.served.erased:
            username = loggable(answer.user)
            if not case.arena.shared and username == case.learner.username:
                username = None
        self._log.append(
            case.served, refusal.status, phase=refusal.phase, outcome=_known_outcome(answer), winner=case.winner,
            username=username, reason=refusal.reason,
        )  # fmt: skip
        return _receipt(case, refusal.status, refusal.reason)

    def _refuse_unknown(self, answer: Answer) -> Receipt | WinnerstaysError:
        """Log an answer to a duel that does not exist. An arena that does not exist is an error of its own."""
        duel_id = loggable(answer.duel)[:MAX_ID_CHARACTERS]
        reason = f"There is no duel {duel_id!r}."
        result: Receipt | WinnerstaysError = Receipt(duel_id, "unknown", reason, False, answer.arena or "")
        arena_id = None
        if answer.arena is not None:
            try:
                arena_id = self._rows.cache.current(self._rows.transaction, answer.arena).id
            except WinnerstaysError as error:
                result, reason = error, str(error)
        # without the name: the duel may be one of a user who was erased
        entry = LogEntry(
            arena_id, None, self._rows.now, UNKNOWN, duel_id, outcome=_known_outcome(answer), reason=reason
        )
        self._log.entries.append(entry)
        return result


def looks_like_id(value: Any) -> bool:
    """Whether a value may be the id of a duel."""
    return isinstance(value, str) and len(value) <= MAX_ID_CHARACTERS and value.isascii() and value.isprintable()


def _place(item: object, served: ServedDuel, arena: ArenaRuntime) -> int | None:
    """Return the place of an item in the settings, -1 for what is no item, None for nothing.

    `left` and `right`, where no item is called so, are the items that were shown there.
    """
    if not isinstance(item, str):
        return None if item is None else -1
    if item in ("left", "right") and item not in arena.arms:
        return served.items[item == "right"]
    return arena.arms.get(item, -1)


def _receipt(case: Case, status: Status, reason: str | None = None, moved_on: bool = False) -> Receipt:
    return Receipt(case.answer.duel, status, reason, moved_on, case.arena.name)


def _known_outcome(answer: Answer) -> str | None:
    return answer.outcome if answer.outcome in OUTCOMES else None


def _wrong_user(case: Case) -> Refusal | None:
    """Refuse an answer of another user than the one to whom the duel was served."""
    user = case.answer.user
    if user is None:
        return None
    try:
        check_text("A user's name", user)
    except WinnerstaysError as error:
        return Refusal("invalid", str(error))
    if case.owner is not None and user != case.owner:
        return Refusal("wrong-user", "The duel was served to another user.")
    return None


def _compared(served: ServedDuel, winner: int | None, seed: int) -> ServedDuel:
    """Return a feed as the pair of the chosen item and another one, drawn by lot; a pair as it is.

    Figures of pairs are right with it: given the pair, the chances are those of a duel of the two.
    """
    if not served.shown or winner is None:
        return served
    others = [item for item in served.shown if item != winner]
    other = others[int(draw(seed, served.id, b"compared") * len(others))]
    flipped = served.shown.index(winner) > served.shown.index(other)
    return served._replace(first=winner, second=other, flipped=int(flipped))


def _credited(case: Case) -> Case:
    """Return a case whose session says by its clicks who won."""
    served, arena = case.served, case.arena
    left, right = served.items[:2]
    answer = credited(case.answer, arena.item_ids[left], arena.item_ids[right])
    return case._replace(answer=answer, winner=_place(answer.winner, served, arena))


def _bad_reason(case: Case) -> Refusal | None:
    """Refuse an answer whose reason the log cannot hold as it is."""
    reason = case.answer.reason
    if not isinstance(reason, str) or case.answer.session is not None:
        return None
    if reason.startswith(SESSION_PREFIX):
        return Refusal("invalid", f"A reason must not begin with {SESSION_PREFIX}; send the clicks as `session`.")
    if len(reason) > MAX_REASON:
        return Refusal("invalid", f"The reason has {len(reason):,} characters, but may have {MAX_REASON:,}.")
    try:
        check_storable("The reason", reason)
    except WinnerstaysError as error:
        return Refusal("invalid", str(error))
    return None


def _mistake(case: Case) -> Refusal | None:
    """Refuse an answer that is wrong in itself."""
    answer, served, ids = case.answer, case.served, case.arena.item_ids
    if answer.outcome not in OUTCOMES:
        given, choices = loggable(answer.outcome), ", ".join(OUTCOMES)
        return Refusal("invalid", f"The outcome {given!r} does not exist; it must be one of {choices}.")
    if answer.outcome != "winner":
        if answer.winner is None:
            return None
        given = loggable(answer.winner)
        return Refusal("invalid", f"The outcome {answer.outcome!r} has no winner, but {given!r} was given.")
    if case.winner in served.items:
        return None
    choices = " or ".join(repr(ids[item]) for item in served.shown or (served.first, served.second))
    if case.winner is None:
        reason = f"The winner is None; it must be {choices}, or the outcome tie, skip or none."
    else:
        reason = f"The winner {loggable(answer.winner)!r} is not in the duel; it must be {choices}."
    return Refusal("invalid", reason)


MAX_VALUE = 100_000
"""The largest value of one reward: sums of squares must fit into 64 bits."""


def reward(
    transaction: Transaction, cache: Cache, name: str, user: str, value: float, key: str | None, now: float
) -> Rewarded:
    """Log a reward of a user, once for each key."""
    check_text("A user's name", user)
    if key is not None:
        check_text("The key of a reward", key)
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not (number and 0 <= value <= MAX_VALUE):
        raise WinnerstaysError(f"The value of a reward is {value!r}, but must be a number from 0 to {MAX_VALUE:,}.")
    arena = cache.current(transaction, name)
    if arena.shared:
        raise WinnerstaysError(
            f"The arena {name!r} has one learner for everyone and remembers no users; rewards need a learner for each."
        )
    learner = next(iter(learner_statements.lock_users(transaction, arena.id, [user])), None)
    if learner is None or not learner.state:
        raise UnknownUserError(f"The arena {name!r} has not served a duel to {user!r} yet, so it takes no reward.")
    state = arena.rules.load(learner.id, learner.state)
    person, arm = state.person, None
    if person is not None:
        arm = LEARNER if not person.control else FIXED if arena.control else RANDOM
    shown = None if arm is None else ARMS[arm]
    before = None if key is None else _values_by_key(transaction, learner.id).get(key)
    if before is not None:
        if before != value:
            raise WinnerstaysError(f"The reward {key!r} of {user!r} has the value {before:g} already, not {value:g}.")
        return Rewarded(name, user, float(value), key, shown, True)
    data: dict[str, object] = {"value": float(value), "key": key}
    if person is not None:
        rewarded = person.add_reward(value)
        state = state._replace(person=rewarded)
        data["adds"] = rewarded.added_since(person)
    duel_id = statements.last_served(transaction, learner.id) or snapshot_id(learner.id)
    entry = LogEntry(
        arena.id, learner.id, now, REWARDED, duel_id, data=json.dumps(data), user_group=learner.user_group, arm=arm
    )
    row = chain.seal(entry, chain.head_of(learner))
    statements.append_log(transaction, [row])
    saved = (learner.open_duel_id, arena.rules.dump(state), row[-1], learner.user_group, learner.id)
    learner_statements.save_learners(transaction, [saved])
    return Rewarded(name, user, float(value), key, shown, False)


def _values_by_key(transaction: Transaction, learner_id: int) -> dict[str, float]:
    """Return the values of a learner's rewards that have a key; those that were pruned, too."""
    values = dict[str, float]()
    for entry in statements.snapshots_of_learners(transaction, [learner_id]):
        values |= PrunedLearner.of(entry.data).rewards
    for data in map(json.loads, statements.rewards_of_learner(transaction, learner_id)):
        if data["key"] is not None:
            values[data["key"]] = data["value"]
    return values
