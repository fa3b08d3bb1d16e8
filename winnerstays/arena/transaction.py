"""One transaction of requests: any number of asks and answers, of any arenas.

The order is the same on every store: read which learners are concerned, lock them, read what else may have changed,
decide in memory, append to the log and to the chain of each learner, save the learners.
"""

import secrets
from collections import Counter
from collections.abc import Iterable
from typing import Any

from winnerstays.arena import chain
from winnerstays.arena.cache import ArenaRuntime, Cache
from winnerstays.arena.chain import LogEntry
from winnerstays.arena.crowd import MAX_LEARNERS, NEW_LEARNERS, Crowd, crowd
from winnerstays.arena.eligible import find_eligible
from winnerstays.arena.errors import BusyError, UnknownArenaError
from winnerstays.arena.fold import state_before
from winnerstays.arena.learning import LearnerState
from winnerstays.arena.preparation import Preparation
from winnerstays.arena.records import OUTCOMES, UNDO, Answer, Ask, Duel, Receipt, Request, Result, Status
from winnerstays.arena.stores import statements
from winnerstays.arena.stores.base import Transaction
from winnerstays.arena.stores.statements import ANSWERED, LATE, SERVED, UNDONE, LearnerRow, ServedDuel
from winnerstays.arena.text import check_text, loggable
from winnerstays.errors import WinnerstaysError

MAX_REFUSED_OF_DUEL, MAX_REFUSED_OF_KIND = 100, 2000
"""The log keeps this many refused answers to a duel, and of a kind in an arena; further ones are only counted."""
_REFUSED = (None, LATE)
"""The phases of refused answers. The one that closes a duel as late is always kept."""
MAX_ID_CHARACTERS = 64
MAX_EXPIRED = 8
"""A transaction looks at this many duels of everyone, and twice as many as it serves, for those that expired."""


class _LockedLearner:
    """A learner's row while it is locked."""

    __slots__ = ("arena", "changed", "data", "head", "id", "looked", "open", "state", "username")

    def __init__(self, row: LearnerRow, arena: ArenaRuntime, state: LearnerState | None) -> None:
        self.id = row.id
        self.arena = arena
        self.username = row.username
        self.open = (row.open_duel_id or "").split()
        """The duels of a user that can be answered, the oldest first."""
        self.looked = False
        """Whether this transaction looked for duels of everyone that expired."""
        self.data = row.state
        self.head = row.chain_head
        self.state: Any = state  # None in an arena that cannot be used, and so never asked for
        self.changed = False


class TransactionBatch:
    """The requests of one transaction. `learner_ids` and `served` are worth remembering once it is committed.

    `log` holds the rows that it appends.
    """

    def __init__(self, cache: Cache, transaction: Transaction, now: float, *, hasty: bool = False) -> None:
        """`hasty` if others wait meanwhile: what takes long is a BusyError."""
        self._hasty = hasty
        self._cache = cache
        self._transaction = transaction
        self._now = now
        self.served: dict[str, ServedDuel] = {}
        self.learner_ids: dict[tuple[int, str], int] = {}
        """Of the learners that are asked, by (arena's id, username)."""
        self._answered: dict[str, tuple[str, int | None]] = {}
        """The accepted answers, by the duel's id."""
        self._late: set[str] = set()
        """Duels to which an answer was refused as late."""
        self._undone: set[str] = set()
        """Duels whose answer was taken back."""
        self._learners: dict[int, _LockedLearner] = {}
        self.log: list[LogEntry] = []
        self._asks = 0

    def execute(self, requests: list[Request]) -> list[Result]:
        """Return a result for each request, in the same order; what is wrong with a request is its result."""
        duel_ids = {each.duel for each in requests if isinstance(each, Answer) and _looks_like_id(each.duel)}
        asked: list[tuple[ArenaRuntime, str] | WinnerstaysError | None] = [
            self._find_asked(each) if isinstance(each, Ask) else None for each in requests
        ]
        self._asks = len(asked)
        self._lock(duel_ids, [each for each in asked if isinstance(each, tuple)])
        results: list[Result] = []
        for request, target in zip(requests, asked, strict=True):
            if isinstance(request, Answer):
                results.append(self._answer(request))
            elif isinstance(target, tuple):
                results.append(self._ask(request, *target))
            elif target is not None:
                results.append(target)
        self._save()
        return results

    def _find_asked(self, ask: Ask) -> tuple[ArenaRuntime, str] | WinnerstaysError:
        """Return the arena and the username of the learner that is asked."""
        try:
            arena = self._cache.arena(self._transaction, ask.arena)
            if ask.user is not None:
                check_text("A user's name", ask.user)
            _check_pair(arena, ask.pair)
        except WinnerstaysError as error:
            return error
        if arena.fault is not None:
            return arena.fault
        if arena.shared:
            return arena, ""
        if ask.user is None:
            return WinnerstaysError(f"The arena {ask.arena!r} has a learner for each user: say which user asks.")
        return arena, ask.user

    def _lock(self, duel_ids: Iterable[str], asked: list[tuple[ArenaRuntime, str]]) -> None:
        self._find(duel_ids, sorted({(arena.id, username) for arena, username in asked}))
        while True:
            concerned = {served.learner_id for served in self.served.values()}.union(self.learner_ids.values())
            named = [served.id for served in self.served.values() if served.username is not None]
            locked = statements.lock_learners(self._transaction, sorted(concerned), list(self.served), named)
            learners = locked.learners
            owners = {row.id: (row.arena_id, row.username) for row in learners}
            erased = [owner for owner, learner_id in self.learner_ids.items() if owners.get(learner_id) != owner]
            if not erased:
                break
            for owner in erased:
                self._cache.learner_ids.pop(owner, None)
            self._find((), erased)
        self._cache.refresh(self._transaction, locked.heads)
        for row in learners:
            arena = self._arena(row.arena_id)
            state = None if arena.fault else self._cache.take_state(arena, row.id, row.state)
            self._learners[row.id] = _LockedLearner(row, arena, state)
        for duel_id, phase, outcome, winner in locked.closed:
            if phase == ANSWERED:
                self._answered[duel_id] = (outcome, winner)
            elif phase == LATE:
                self._late.add(duel_id)
            elif phase == UNDONE:
                self._undone.add(duel_id)
        for duel_id in named:
            if duel_id not in locked.still_named:
                self.served[duel_id] = self.served[duel_id]._replace(username=None, erased=True)
        opened = {duel_id for learner_id in self.learner_ids.values() for duel_id in self._learners[learner_id].open}
        self._find([duel_id for duel_id in opened if duel_id not in self.served], ())

    def _arena(self, arena_id: int) -> ArenaRuntime:
        known = self._cache.by_id.get(arena_id)
        if self._hasty and (known is None or known.large):
            raise BusyError("The arena is large, or was not read yet.")
        return known or self._cache.arena_by_id(self._transaction, arena_id)

    def _find(self, duel_ids: Iterable[str], owners: Iterable[tuple[int, str]]) -> None:
        """Find these served duels and the learners of these (arena's id, username); read what is not remembered."""
        unread: list[str] = []
        for duel_id in duel_ids:
            served = self._cache.duels.get(duel_id)
            if served is None:
                unread.append(duel_id)
            else:
                self.served[duel_id] = served
        unknown: dict[int, list[str]] = {}
        for arena_id, username in owners:
            learner_id = self._cache.learner_ids.get((arena_id, username))
            if learner_id is None:
                unknown.setdefault(arena_id, []).append(username)
            else:
                self.learner_ids[arena_id, username] = learner_id
        if not unread and not unknown:
            return
        duels, found = statements.find_duels_and_learners(self._transaction, unread, unknown)
        self.served.update((served.id, served) for served in duels)
        for (arena_id, usernames), learner_ids in zip(unknown.items(), found, strict=True):
            absent = [username for username in usernames if username not in learner_ids]
            if absent:
                learner_ids |= statements.add_learners(self._transaction, arena_id, absent)
            for username, learner_id in learner_ids.items():
                self.learner_ids[arena_id, username] = learner_id

    def _ask(self, ask: Ask, arena: ArenaRuntime, username: str) -> Duel | WinnerstaysError:
        if arena.name != ask.arena:
            return UnknownArenaError.of(ask.arena)
        if arena.settings.closed:
            return WinnerstaysError(f"The arena {ask.arena!r} is closed: it serves no more duels.")
        learner = self._learners[self.learner_ids[arena.id, username]]
        try:
            eligible = find_eligible(arena, ask)
            held = self._held(ask, learner, eligible)
        except WinnerstaysError as error:
            return error
        if held is not None:
            return _duel(arena, held, ask.user)
        rules, held_before = arena.rules, len(learner.open)
        passed = tuple(self._close(learner))
        preparation = rules.changes(learner.state)._replace(
            prior=self._prior(arena, learner),
            passed=passed,
            closed=held_before - len(learner.open),
            eligible=eligible,
        )
        if arena.shared:
            preparation = self._look_for_expired(learner, preparation)
        state = rules.prepare(learner.state, preparation)
        if ask.pair is None:
            preparation = self._unlike_open_pairs(learner, state, preparation)
            first, second, flipped = rules.serve(state, preparation.eligible)
        else:
            first, second, flipped = arena.arms[ask.pair[0]], arena.arms[ask.pair[1]], False
        served = ServedDuel(
            new_id(self._now), arena.id, learner.id, first, second, int(flipped), state.step,
            self._now + arena.expires_after, ask.user if arena.shared else None, False,
        )  # fmt: skip
        self.served[served.id] = served
        learner.state = rules.show(state, first, second)
        if not arena.shared:
            learner.open = [*learner.open, served.id] if rules.counts_open else [served.id]
        learner.changed = True
        self._append(served, "served", phase=SERVED, username=served.username, data=preparation.to_json())
        return _duel(arena, served, ask.user)

    def _held(self, ask: Ask, learner: _LockedLearner, eligible: tuple[int, ...] | None) -> ServedDuel | None:
        """Return the duel that a user holds open already, if that is what is asked for."""
        arena = learner.arena
        live = [self.served[id_] for id_ in learner.open if self._is_live(id_)]
        if ask.place is not None:
            if arena.shared or not arena.rules.counts_open:
                raise WinnerstaysError(
                    f"The arena {arena.name!r} keeps one duel open for a user; several need an arena for each user "
                    "with an algorithm that counts open duels, such as 'ws-root'."
                )
            if not 0 <= ask.place < arena.max_open:
                raise WinnerstaysError(
                    f"A user of {arena.name!r} may hold {arena.max_open} duels open, not {ask.place + 1}."
                )
            return live[ask.place] if ask.place < len(live) else None
        if not live or ask.fresh:
            return None
        newest = live[-1]
        given_up = arena.give_up is not None and self._now >= newest.expires_at - arena.expires_after + arena.give_up
        fits = eligible is None or {newest.first, newest.second} <= set(eligible)
        return newest if fits and not given_up else None

    def _close(self, learner: _LockedLearner) -> list[tuple[int, int]]:
        """Close the duels of a user that expired, and the oldest of too many; return the pairs, the oldest first.

        Where the algorithm does not count open duels a user holds one, and it is given up for the new one.
        """
        arena, pairs = learner.arena, []
        limit = arena.max_open if arena.rules.counts_open else 1
        while learner.open:
            live, oldest = self._is_live(learner.open[0]), self.served.get(learner.open[0])
            if live and len(learner.open) < limit:
                break
            learner.open = learner.open[1:]
            if oldest is not None and (arena.rules.counts_open or live):
                pairs.append((oldest.first, oldest.second))
        return pairs

    def _is_live(self, duel_id: str) -> bool:
        """Whether a duel that a user holds open has not expired; the row of one that has may be pruned."""
        return duel_id in self.served and self._now < self.served[duel_id].expires_at

    def _look_for_expired(self, learner: _LockedLearner, preparation: Preparation) -> Preparation:
        """Add the pairs of everyone's duels that expired without an answer."""
        if learner.looked or not learner.arena.rules.counts_open:
            return preparation
        learner.looked = True
        limit = MAX_EXPIRED + 2 * self._asks
        pairs, up_to = statements.expired(self._transaction, learner.id, learner.state.up_to, self._now, limit)
        return preparation._replace(passed=tuple(pairs), up_to=up_to)

    def _unlike_open_pairs(self, learner: _LockedLearner, state: LearnerState, found: Preparation) -> Preparation:
        """Exclude items until the next pair is none that the user holds open, as far as two are left."""
        arena = learner.arena
        open_duels = [self.served[id_] for id_ in learner.open if id_ in self.served]
        held = {frozenset((duel.first, duel.second)) for duel in open_duels}
        while held and arena.rules.algorithm.among is not None:
            first, second, _ = arena.rules.serve(state._replace(rng=state.rng.copy()), found.eligible)
            others = tuple(sorted(set(found.eligible or arena.there) - {second}))
            if frozenset((first, second)) not in held or len(others) < 2:
                break
            found = found._replace(eligible=others)
        return found

    def _prior(self, arena: ArenaRuntime, learner: _LockedLearner) -> tuple[tuple[int, int], ...]:
        """Return the points with which a new user starts; none for a learner that has served before."""
        if learner.data or learner.state.step or learner.open or not self._asks_the_crowd(arena):
            return ()
        arena.births += 1
        if arena.crowd is None or arena.births > NEW_LEARNERS + arena.crowd.learners // 20:
            arena.crowd, arena.births = self._crowd(arena), 0
        return arena.crowd.points

    def _asks_the_crowd(self, arena: ArenaRuntime) -> bool:
        return not arena.shared and arena.settings.crowd and arena.rules.algorithm.believe is not None

    def _crowd(self, arena: ArenaRuntime) -> Crowd:
        """Look at the newest learners of an arena."""
        newest = statements.newest_states(self._transaction, arena.id, MAX_LEARNERS)
        states = (arena.rules.load(learner_id, data) for _, learner_id, data in newest if data)
        tastes = [taste for taste in map(arena.rules.taste, states) if taste is not None]
        return crowd(tastes, arena.there)

    def _answer(self, answer: Answer) -> Receipt | WinnerstaysError:
        served = self.served.get(answer.duel) if isinstance(answer.duel, str) else None
        learner = self._learners.get(served.learner_id) if served else None
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
        winner = _arm(arena, answer.winner)
        mistake = _mistake(answer, winner, served, arena)
        if mistake:
            return self._refuse(answer, "invalid", mistake, served, learner)
        before = self._answered.get(answer.duel)
        if answer.duel in self._undone:
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
        if self._now >= served.expires_at or not is_open or served.id in self._late:
            return self._refuse_late(answer, served, learner)
        return self._accept(answer, winner, served, learner)

    def _accept(self, answer: Answer, winner: int | None, served: ServedDuel, learner: _LockedLearner) -> Receipt:
        arena = learner.arena
        result = arena.rules.learn(learner.state, served.first, served.second, served.step, answer.outcome, winner)
        learner.state = result.state
        learner.changed = True
        learner.open = [id_ for id_ in learner.open if id_ != served.id]
        self._answered[answer.duel] = (answer.outcome, winner)
        status: Status = "learned" if result.learned else "noted"
        reason = result.reason
        if answer.reason is not None and not served.erased:
            given = loggable(answer.reason)
            reason = f"{reason} ({given})" if reason else given
        self._append(
            served, status, phase=ANSWERED, outcome=answer.outcome, winner=winner,
            username=(answer.user or served.username) if arena.shared and not served.erased else None, reason=reason,
        )  # fmt: skip
        return Receipt(answer.duel, status, reason, result.moved_on, arena.name)

    def _undo(self, answer: Answer, served: ServedDuel, learner: _LockedLearner) -> Receipt:
        """Take back the latest answer of a user: the learner is as it was before that duel was served."""
        arena = learner.arena
        if served.id in self._undone:
            return Receipt(answer.duel, "duplicate", None, False, arena.name)
        if arena.shared:
            return self._refuse(answer, "invalid", "An answer that everybody learned from stays.", served, learner)
        rows = statements.rows_of_learner(self._transaction, learner.id)
        closing = [row.entry for row in rows if row.entry.phase in (ANSWERED, UNDONE)]
        latest = closing[-1] if closing else None
        state = None
        if latest is not None and (latest.duel_id, latest.phase) == (served.id, ANSWERED):
            state = state_before(arena, learner.id, rows, served.id)
        if latest is None or state is None or any(entry.learner_id == learner.id for entry in self.log):
            reason = "Only the latest answer can be taken back, once it was accepted, and only one."
            return self._refuse(answer, "conflict", reason, served, learner)
        learner.state, learner.open, learner.changed = state, [], True
        self._undone.add(served.id)
        self._append(served, "undone", phase=UNDONE, outcome=latest.outcome, winner=latest.winner)
        return Receipt(answer.duel, "undone", None, False, arena.name)

    def _refuse_late(self, answer: Answer, served: ServedDuel, learner: _LockedLearner) -> Receipt:
        """Refuse an answer as late, and close the duel: it stays late, whatever the clock says afterwards."""
        phase = None if served.id in self._late else LATE
        self._late.add(served.id)
        learner.open = [id_ for id_ in learner.open if id_ != served.id]
        return self._refuse(answer, "late", "The duel had expired.", served, learner, phase)

    def _refuse(
        self,
        answer: Answer,
        status: Status,
        reason: str,
        served: ServedDuel,
        learner: _LockedLearner,
        phase: int | None = None,
    ) -> Receipt:
        """Log a refused answer to a served duel, with the reason."""
        arena = learner.arena
        username = loggable(answer.user) if answer.user is not None and not served.erased else None
        if not arena.shared and username == learner.username:
            username = None
        self._append(
            served, status, phase=phase, outcome=answer.outcome if answer.outcome in OUTCOMES else None,
            winner=_arm(arena, answer.winner), username=username, reason=reason,
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
                arena_id = self._cache.arena(self._transaction, answer.arena).id
            except WinnerstaysError as error:
                result, reason = error, error.plain if isinstance(error, UnknownArenaError) else str(error)
        outcome = answer.outcome if answer.outcome in OUTCOMES else None
        # without the name: the duel may be one of a user who was erased
        self.log.append(LogEntry(arena_id, None, self._now, chain.UNKNOWN, duel_id, outcome=outcome, reason=reason))
        return result

    def _append(
        self,
        served: ServedDuel,
        kind: str,
        *,
        phase: int | None = None,
        outcome: str | None = None,
        winner: int | None = None,
        username: str | None = None,
        reason: str | None = None,
        data: str | None = None,
    ) -> None:
        self.log.append(LogEntry(
            served.arena_id, served.learner_id, self._now, kind, served.id, phase, served.first, served.second,
            served.flipped, served.step, served.expires_at, outcome, winner, username, reason, data,
        ))  # fmt: skip

    def _drop_refusals(self) -> None:
        """Count all refused answers, and drop those beyond the bounds from what goes into the log."""
        refused = [entry for entry in self.log if entry.phase in _REFUSED]
        if not refused:
            return
        new = Counter((entry.arena_id, entry.kind) for entry in refused)
        before = {
            (arena_id, kind): statements.count_refusals(self._transaction, arena_id, kind, new[arena_id, kind])
            for arena_id, kind in sorted(new, key=lambda each: (each[0] or 0, each[1]))
        }
        logged = Counter(before)
        duels = statements.refusals_of_duels(self._transaction, sorted({str(entry.duel_id) for entry in refused}))
        kept = []
        for entry in self.log:
            if entry.phase in _REFUSED:
                kind, duel_id = (entry.arena_id, entry.kind), str(entry.duel_id)
                full = logged[kind] >= MAX_REFUSED_OF_KIND or duels.get(duel_id, 0) >= MAX_REFUSED_OF_DUEL
                if full and entry.phase is None:
                    continue
                logged[kind] += 1
                duels[duel_id] = duels.get(duel_id, 0) + 1
            kept.append(entry)
        self.log = kept
        for (arena_id, name), times in (logged - Counter(before)).items():
            statements.count_logged_refusals(self._transaction, arena_id, name, times)

    def _save(self) -> None:
        """Append the rows, each to the chain of its learner, and save the learners whose chains have grown."""
        self._drop_refusals()
        if not self.log:
            return
        rows = []
        grown: dict[int, _LockedLearner] = {}
        for entry in self.log:
            if entry.learner_id is None:
                rows.append(chain.seal(entry, chain.NO_ROW))
                continue
            learner = grown[entry.learner_id] = self._learners[entry.learner_id]
            rows.append(chain.seal(entry, learner.head))
            learner.head = rows[-1][-1]
        statements.append_log(self._transaction, rows)
        saved = []
        for learner in grown.values():
            if learner.changed:
                learner.data = learner.arena.rules.dump(learner.state)
            saved.append((" ".join(learner.open) or None, learner.data, learner.head, learner.id))
            self._cache.states.put(learner.id, (learner.data, learner.state))
        if saved:
            statements.save_learners(self._transaction, saved)


def new_id(now: float) -> str:
    """Return the id of a new duel: 128 random bits, which nobody guesses, behind the time in milliseconds.

    The time keeps together in the index what is served together: a transaction changes few pages of it.
    """
    return f"{int(now * 1000):011x}{secrets.token_urlsafe(16)}"


def _duel(arena: ArenaRuntime, served: ServedDuel, user: str | None) -> Duel:
    left, right = arena.item_ids[served.first], arena.item_ids[served.second]
    if served.flipped:
        left, right = right, left
    left_item, right_item = arena.shown[arena.arms[left]], arena.shown[arena.arms[right]]
    return Duel(served.id, left, right, served.expires_at, arena.name, user, left_item, right_item)


def _check_pair(arena: ArenaRuntime, pair: Any) -> None:
    """Raise an error if a pair is given where the learner chooses, or none or a wrong one where the caller does."""
    if not arena.caller_chooses:
        if pair is not None:
            raise WinnerstaysError(f"The arena {arena.name!r} chooses the pairs itself; leave out pair={pair!r}.")
        return
    items = pair if isinstance(pair, tuple | list) else ()
    known = [item for item in items if isinstance(item, str) and item in arena.arms]
    if len(items) != 2 or len(set(known)) != 2:
        raise WinnerstaysError(
            f"In the arena {arena.name!r} whoever asks chooses the pair, two different items as (left, right), "
            f"not {pair!r}."
        )


def _looks_like_id(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_ID_CHARACTERS and value.isascii() and value.isprintable()


def _arm(arena: ArenaRuntime, item: Any) -> int | None:
    """Return the place of an item in the settings, -1 for what is no item, None for nothing."""
    return arena.arms.get(item, -1) if isinstance(item, str) else None if item is None else -1


def _mistake(answer: Answer, winner: int | None, served: ServedDuel, arena: ArenaRuntime) -> str | None:
    """Return what is wrong with an answer in itself, as a sentence."""
    if answer.outcome not in OUTCOMES:
        return f"The outcome {loggable(answer.outcome)!r} does not exist; it must be one of {', '.join(OUTCOMES)}."
    if answer.outcome == "winner":
        if winner not in (served.first, served.second):
            one, other = arena.item_ids[served.first], arena.item_ids[served.second]
            return f"The winner {loggable(answer.winner)!r} is not in the duel; it must be {one!r} or {other!r}."
    elif answer.winner is not None:
        return f"The outcome {answer.outcome!r} has no winner, but {loggable(answer.winner)!r} was given."
    return None
