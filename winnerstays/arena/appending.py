"""The rows that a transaction appends to the log, and the learners that it saves."""

from collections import Counter

from winnerstays.arena import chain
from winnerstays.arena.chain import LogEntry
from winnerstays.arena.locking import LockedLearner, LockedRows
from winnerstays.arena.stores import learner_statements, statements
from winnerstays.arena.stores.learner_statements import ServedDuel
from winnerstays.arena.stores.statements import LATE, NO_LEARNER

MAX_REFUSED_OF_DUEL, MAX_REFUSED_OF_KIND = 100, 2000
"""The log keeps this many refused answers to a duel, and of a kind in an arena; further ones are only counted."""
_REFUSED = (None, LATE)
"""The phases of refused answers. The one that closes a duel as late is always kept."""


class TransactionLog:
    """The new rows of one transaction, in order; `save` writes them, and the learners that they concern."""

    def __init__(self, rows: LockedRows) -> None:
        self._rows = rows
        self.entries: list[LogEntry] = []

    def append(
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
        """Add a row about a served duel."""
        self.entries.append(LogEntry(
            served.arena_id, served.learner_id, self._rows.now, kind, served.id, phase, served.first, served.second,
            served.flipped, served.step, served.expires_at, outcome, winner, username, reason, data,
            served.user_group,
        ))  # fmt: skip

    def save(self) -> None:
        """Append the rows, each to the chain of its learner, and save the learners whose chains have grown."""
        self._drop_refusals()
        if not self.entries:
            return
        rows = []
        grown: dict[int, LockedLearner] = {}
        for entry in self.entries:
            if entry.learner_id is None:
                rows.append(chain.seal(entry, chain.NO_ROW))
                continue
            learner = grown[entry.learner_id] = self._rows.learners[entry.learner_id]
            rows.append(chain.seal(entry, learner.head))
            learner.head = rows[-1][-1]
        statements.append_log(self._rows.transaction, rows)
        saved = []
        for learner in grown.values():
            if learner.changed:
                learner.data = learner.arena.rules.dump(learner.state)
            saved.append((" ".join(learner.open) or None, learner.data, learner.head, learner.group, learner.id))
            self._rows.cache.states.put(learner.id, (learner.data, learner.state))
        if saved:
            learner_statements.save_learners(self._rows.transaction, saved)

    def _drop_refusals(self) -> None:
        """Count all refused answers, and drop those beyond the bounds from what goes into the log."""
        refused = [entry for entry in self.entries if entry.phase in _REFUSED]
        if not refused:
            return
        new = Counter((entry.arena_id, entry.kind) for entry in refused)
        before = {
            (arena_id, kind): statements.count_refusals(self._rows.transaction, arena_id, kind, new[arena_id, kind])
            for arena_id, kind in sorted(new, key=lambda each: (each[0] or 0, each[1]))
        }
        logged = Counter(before)
        concerned = sorted({(str(entry.duel_id), entry.learner_id or NO_LEARNER) for entry in refused})
        duels = statements.refusals_of_duels(self._rows.transaction, concerned)
        kept = []
        for entry in self.entries:
            if entry.phase in _REFUSED:
                kind, duel_id = (entry.arena_id, entry.kind), str(entry.duel_id)
                full = logged[kind] >= MAX_REFUSED_OF_KIND or duels.get(duel_id, 0) >= MAX_REFUSED_OF_DUEL
                if full and entry.phase is None:
                    continue
                logged[kind] += 1
                duels[duel_id] = duels.get(duel_id, 0) + 1
            kept.append(entry)
        self.entries = kept
        for (arena_id, name), times in (logged - Counter(before)).items():
            statements.count_logged_refusals(self._rows.transaction, arena_id, name, times)
