"""Answers to duels: accepted and learned, taken back, or refused with the reason."""

from typing import Any

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.engine.duel_data import DuelData
from winnerstays.arena.engine.rebuilding import PrunedLearner, rewind
from winnerstays.arena.engine.transaction import LockedLearner, LockedRows, TransactionLog
from winnerstays.arena.errors import UnknownArenaError
from winnerstays.arena.records import OUTCOMES, UNDO, Answer, Receipt, Status
from winnerstays.arena.stores import statements
from winnerstays.arena.stores.rows import ANSWERED, LATE, SNAPSHOT, UNDONE, UNKNOWN, LogEntry, ServedDuel
from winnerstays.arena.text import check_text, loggable
from winnerstays.errors import WinnerstaysError

MAX_ID_CHARACTERS = 64


class Answering:
    """Takes the answers of one transaction."""

    def __init__(self, rows: LockedRows, log: TransactionLog) -> None:
        self._rows = rows
        self._log = log

    def take(self, answer: Answer) -> Receipt | WinnerstaysError:
        """Return the receipt of an answer, or what is wrong with the arena that it is for."""
        served = self._rows.served.get(answer.duel) if isinstance(answer.duel, str) else None
        learner = self._rows.learners.get(served.learner_id) if served else None
        if served is None or learner is None or not answer.may_be_for(learner.arena.name):
            return self._refuse_unknown(answer)
        arena = learner.arena
        if arena.fault is not None:
            return arena.fault
        if answer.user is not None:
            try:
                check_text("A user's name", answer.user)
            except WinnerstaysError as error:
                return self._refuse(answer, "invalid", str(error), served, learner)
        owner = served.username if arena.shared else learner.username
        if answer.user is not None and owner is not None and answer.user != owner:
            return self._refuse(answer, "wrong-user", "The duel was served to another user.", served, learner)
        if answer.outcome == UNDO:
            return self._undo(answer, served, learner)
        winner = _arm(arena, served, answer.winner)
        mistake = _mistake(answer, winner, served, arena)
        if mistake:
            return self._refuse(answer, "invalid", mistake, served, learner)
        before = self._rows.answered.get(answer.duel)
        if answer.duel in self._rows.undone:
            return self._refuse(answer, "conflict", "The answer was taken back; ask for a new duel.", served, learner)
        if before == (answer.outcome, winner):
            return Receipt(answer.duel, "duplicate", None, False, arena.name)
        if before is not None:
            reason = "Another answer was accepted before."
            if owner is not None and answer.user == owner:  # it is nobody else's business
                outcome = before[0] if before[1] is None else f"{arena.item_ids[before[1]]!r}"
                reason = f"Another answer was accepted before: {outcome}."
            return self._refuse(answer, "conflict", reason, served, learner)
        is_open = arena.shared or served.id in learner.open
        if self._rows.now >= served.expires_at or not is_open or served.id in self._rows.late:
            return self._refuse_late(answer, served, learner)
        who = owner or answer.user
        if arena.settings.answers_per_minute is not None and who is not None and not self._count(arena, who):
            reason = (
                f"More than {arena.settings.answers_per_minute} answers of this user in a minute; send it again in the "
                "next one."
            )
            return self._refuse(answer, "busy", reason, served, learner)
        return self._accept(answer, winner, served, learner)

    def _count(self, arena: ArenaRuntime, user: str) -> bool:
        """Count an answer of a user to a duel of a learner that is locked; False if it is one too many."""
        minute = int(self._rows.now // 60)
        given = statements.answers_in_minute(self._rows.transaction, arena.id, user, minute)
        if given >= (arena.settings.answers_per_minute or 0):
            return False
        statements.set_answers_in_minute(self._rows.transaction, arena.id, user, minute, given + 1)
        return True

    def _accept(self, answer: Answer, winner: int | None, served: ServedDuel, learner: LockedLearner) -> Receipt:
        arena = learner.arena
        result, adds = arena.rules.learn_in(
            served.arm, learner.state, served.first, served.second, served.step, answer.outcome, winner
        )
        learner.state = result.state
        learner.changed = True
        learner.open = [id_ for id_ in learner.open if id_ != served.id]
        self._rows.answered[answer.duel] = (answer.outcome, winner)
        status: Status = "learned" if result.learned else "noted"
        reason = result.reason
        if answer.reason is not None and not served.erased:
            given = loggable(answer.reason)
            reason = f"{reason} ({given})" if reason else given
        self._log.append(
            served, status, phase=ANSWERED, outcome=answer.outcome, winner=winner,
            username=(answer.user or served.username) if arena.shared and not served.erased else None, reason=reason,
            data=DuelData(adds=adds), arm=served.arm,
        )  # fmt: skip
        return Receipt(answer.duel, status, reason, result.moved_on, arena.name)

    def _undo(self, answer: Answer, served: ServedDuel, learner: LockedLearner) -> Receipt:
        """Take back the latest answer of a user: the learner is as it was before that duel was served."""
        arena = learner.arena
        if served.id in self._rows.undone:
            return Receipt(answer.duel, "duplicate", None, False, arena.name)
        if arena.shared:
            return self._refuse(answer, "invalid", "An answer that everybody learned from stays.", served, learner)
        rows = statements.rows_of_learner(self._rows.transaction, learner.id)
        closing = [row.entry for row in rows if row.entry.phase in (ANSWERED, UNDONE)]
        latest = closing[-1] if closing else None
        rewound = None
        if latest is not None and (latest.duel_id, latest.phase) == (served.id, ANSWERED):
            snapshot = PrunedLearner.of(rows[0].entry) if rows[0].entry.kind == SNAPSHOT else None
            rewound = rewind(arena, learner.id, snapshot, rows[snapshot is not None :], served.id)
        if latest is None or rewound is None or any(entry.learner_id == learner.id for entry in self._log.entries):
            reason = "Only the latest answer can be taken back, once it was accepted, and only one."
            return self._refuse(answer, "conflict", reason, served, learner)
        state, adds = arena.rules.take_back(
            rewound.state, learner.state.visit, latest.arm, str(latest.outcome), latest.winner
        )
        learner.state, learner.changed = state, True
        learner.open = [id_ for id_ in learner.open if id_ not in rewound.gone]
        self._rows.undone.add(served.id)
        self._log.append(
            served, "undone", phase=UNDONE, outcome=latest.outcome, winner=latest.winner,
            data=DuelData(adds=adds), arm=latest.arm,
        )  # fmt: skip
        return Receipt(answer.duel, "undone", None, False, arena.name)

    def _refuse_late(self, answer: Answer, served: ServedDuel, learner: LockedLearner) -> Receipt:
        """Refuse an answer as late, and close the duel: it stays late, whatever the clock says afterwards."""
        phase = None if served.id in self._rows.late else LATE
        self._rows.late.add(served.id)
        learner.open = [id_ for id_ in learner.open if id_ != served.id]
        return self._refuse(answer, "late", "The duel had expired.", served, learner, phase)

    def _refuse(
        self,
        answer: Answer,
        status: Status,
        reason: str,
        served: ServedDuel,
        learner: LockedLearner,
        phase: int | None = None,
    ) -> Receipt:
        """Log a refused answer to a served duel, with the reason."""
        arena = learner.arena
        username = loggable(answer.user) if answer.user is not None and not served.erased else None
        if not arena.shared and username == learner.username:
            username = None
        self._log.append(
            served, status, phase=phase, outcome=answer.outcome if answer.outcome in OUTCOMES else None,
            winner=_arm(arena, served, answer.winner), username=username, reason=reason,
        )  # fmt: skip
        return Receipt(answer.duel, status, reason, False, arena.name)

    def _refuse_unknown(self, answer: Answer) -> Receipt | WinnerstaysError:
        """Log an answer to a duel that does not exist. An arena that does not exist is an error of its own."""
        duel_id = loggable(answer.duel)[:MAX_ID_CHARACTERS]
        result: Receipt | WinnerstaysError
        reason = f"There is no duel {duel_id!r}."
        result = Receipt(duel_id, "unknown", reason, False, answer.arena or "")
        arena_id = None
        if answer.arena is not None:
            try:
                arena_id = self._rows.cache.current(self._rows.transaction, answer.arena).id
            except WinnerstaysError as error:
                result, reason = error, error.plain if isinstance(error, UnknownArenaError) else str(error)
        outcome = answer.outcome if answer.outcome in OUTCOMES else None
        # without the name: the duel may be one of a user who was erased
        self._log.entries.append(
            LogEntry(arena_id, None, self._rows.now, UNKNOWN, duel_id, outcome=outcome, reason=reason)
        )
        return result


def looks_like_id(value: Any) -> bool:
    """Whether a value may be the id of a duel."""
    return isinstance(value, str) and len(value) <= MAX_ID_CHARACTERS and value.isascii() and value.isprintable()


def _arm(arena: ArenaRuntime, served: ServedDuel, item: Any) -> int | None:
    """Return the place of an item in the settings, -1 for what is no item, None for nothing.

    `left` and `right`, where no item is called so, are the items that were shown there.
    """
    if not isinstance(item, str):
        return None if item is None else -1
    if item in ("left", "right") and item not in arena.arms:
        return served.second if (item == "left") == bool(served.flipped) else served.first
    return arena.arms.get(item, -1)


def _mistake(answer: Answer, winner: int | None, served: ServedDuel, arena: ArenaRuntime) -> str | None:
    """Return what is wrong with an answer in itself, as a sentence."""
    if answer.outcome not in OUTCOMES:
        return f"The outcome {loggable(answer.outcome)!r} does not exist; it must be one of {', '.join(OUTCOMES)}."
    if answer.outcome == "winner":
        if winner not in (served.first, served.second):
            one, other = arena.item_ids[served.first], arena.item_ids[served.second]
            if winner is None:
                return f"The winner is None; it must be {one!r} or {other!r}, or the outcome tie, skip or none."
            return f"The winner {loggable(answer.winner)!r} is not in the duel; it must be {one!r} or {other!r}."
    elif answer.winner is not None:
        return f"The outcome {answer.outcome!r} has no winner, but {loggable(answer.winner)!r} was given."
    return None
