"""A learner rebuilt from its rows of the log, perhaps from a snapshot that stands for rows that were pruned."""

import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.engine.duel_data import DuelData
from winnerstays.arena.engine.holdout import FIXED
from winnerstays.arena.engine.learner import LearnerState
from winnerstays.arena.history import chain
from winnerstays.arena.stores.rows import ANSWERED, LATE, SERVED, SNAPSHOT, UNDONE, LogEntry, LogRow, snapshot_id
from winnerstays.arena.stores.totals import Key


class PrunedLearner(NamedTuple):
    """A learner where its pruned rows end."""

    first: str
    """The hash before the first row of the learner: it belongs to this learner and no other."""
    state: bytes
    open_duel_id: str | None
    rows: int
    """How many rows it stands for."""
    totals: Counter[Key]
    """Of these rows."""
    group: str | None = None
    """Of the user."""

    @classmethod
    def of(cls, entry: LogEntry) -> "PrunedLearner":
        """Return the snapshot that a row holds."""
        data = json.loads(entry.data or "{}")
        totals = Counter({Key(*key): count for *key, count in data["totals"]})
        return cls(
            data["first"], b64decode(data["state"]), data["open_duel_id"], data["rows"], totals, data.get("group")
        )

    def row_in_place_of(self, last: LogRow) -> tuple[object, ...]:
        """Return the row that stands for all rows up to the last one: its sequence number, its columns, its seal.

        It has the hash of that last row: what follows is chained to it as before. Its digest proves its own content.
        """
        data = self._asdict() | {
            "state": b64encode(self.state).decode(),
            "totals": [[*key, count] for key, count in sorted(self.totals.items())],
        }
        arena_id, learner_id = last.entry.arena_id, last.entry.learner_id
        entry = LogEntry(
            arena_id, learner_id, last.entry.at, SNAPSHOT, snapshot_id(learner_id or 0),
            reason=f"{self.rows} rows were pruned", data=json.dumps(data),
        )  # fmt: skip
        hash_ = bytes(last.seal.hash or b"")
        return (last.seq, *entry, None, chain.hash_row(entry, hash_), hash_)


class RebuiltLearner:
    """A learner as its rows give it."""

    def __init__(
        self, arena: ArenaRuntime, learner_id: int, snapshot: PrunedLearner | None, rows: Sequence[LogRow] = ()
    ) -> None:
        """`rows` are those that come, if answers to some of their duels may have been taken back."""
        self._arena, self._learner_id = arena, learner_id
        self._undone = {row.entry.duel_id for row in rows if row.entry.phase == UNDONE}
        self._snapshot = snapshot
        self._past: list[LogRow] = []
        """The rows so far, where answers were taken back."""
        self._before: dict[str, bytes] = {}
        """The states before duels were served whose answers were taken back."""
        self.state: LearnerState
        self._open: list[str] = []
        self.group = snapshot.group if snapshot else None
        """Of the user, when last asked."""
        if snapshot is None:
            self.state = arena.rules.fresh(learner_id)
        else:
            self.state = arena.rules.load(learner_id, snapshot.state)
            self._open = (snapshot.open_duel_id or "").split()

    @property
    def open_duel_id(self) -> str | None:
        """The ids of the duels that a user holds open, the oldest first, as the learner's row has them."""
        return " ".join(self._open) or None

    def add(self, row: LogRow) -> str | None:
        """Take the next row; return what it contradicts, as a sentence."""
        rules, entry = self._arena.rules, row.entry
        if entry.phase == SERVED:
            if entry.duel_id in self._undone:
                self._before[str(entry.duel_id)] = rules.dump(self.state)
            found = (entry.first, entry.second, bool(entry.flipped), entry.step)
            preparation = DuelData.of(entry.data)
            self.state = rules.prepare(self.state, preparation)
            first, second = int(entry.first or 0), int(entry.second or 0)
            serve = rules.serve_by(entry.arm, (first, second) if entry.arm == FIXED else None)
            pair = found[:3] if self._arena.caller_chooses else serve(self.state, preparation.eligible)
            expected = (*pair, self.state.step)
            if expected != found:
                return f"row {row.seq} served {found}, but the log before it gives {expected}"
            self.state, adds = rules.shown(self.state, first, second, entry.arm)
            if adds != preparation.adds:
                return f"row {row.seq} adds {preparation.adds} to its arm, but the log before it gives {adds}"
            if not self._arena.shared:
                held = self._open[preparation.closed :] if rules.counts_open else []
                self._open = [*held, str(entry.duel_id)]
                self.group = entry.user_group
        elif entry.phase == ANSWERED:
            assert entry.first is not None and entry.second is not None and entry.step is not None
            said = DuelData.of(entry.data)
            result, adds = rules.learn_in(
                entry.arm, self.state, entry.first, entry.second, entry.step, str(entry.outcome), entry.winner
            )
            self.state = result.state
            self._close(entry)
            if adds != said.adds:
                return f"row {row.seq} adds {said.adds} to its arm, but the log before it gives {adds}"
            if result.learned != (entry.kind == "learned"):
                return f"row {row.seq} is {entry.kind}, but the log before it gives learned={result.learned}"
        elif entry.phase == UNDONE:
            rewound, said = self._rewound(str(entry.duel_id)), DuelData.of(entry.data)
            if rewound is None:
                return f"row {row.seq} takes an answer back to a duel that was not answered before"
            self.state, adds = rules.take_back(
                rewound.state, self.state.visit, entry.arm, str(entry.outcome), entry.winner
            )
            self._open = [id_ for id_ in self._open if id_ not in rewound.gone]
            if adds != said.adds:
                return f"row {row.seq} adds {said.adds} to its arm, but the log before it gives {adds}"
        elif entry.phase == LATE:
            self._close(entry)
        if self._undone:
            self._past.append(row)
        return None

    def _rewound(self, duel_id: str) -> "Rewound | None":
        if self._arena.rules.counts_open:
            return rewind(self._arena, self._learner_id, self._snapshot, self._past, duel_id)
        if duel_id not in self._before:
            return None
        return Rewound(self._arena.rules.load(self._learner_id, self._before[duel_id]), set(self._open))

    def _close(self, entry: LogEntry) -> None:
        self._open = [id_ for id_ in self._open if id_ != entry.duel_id]


class Rewound(NamedTuple):
    """A learner after an answer was taken back."""

    state: LearnerState
    gone: set[str]
    """Duels that can no longer be answered: the one of that answer, and those served after it."""


def rewind(
    arena: ArenaRuntime, learner_id: int, snapshot: PrunedLearner | None, rows: Sequence[LogRow], duel_id: str
) -> Rewound | None:
    """Return a learner as if a duel had not been served; None if it was not answered in these rows.

    Duels that were served after the answer are gone with it. Where several duels are open at once, the answers to
    others, and those that are still open, stay.
    """
    gone: set[str] = set()
    answered: dict[str, int] = {}
    served: dict[str, int] = {}
    for place, row in enumerate(rows):
        if row.entry.phase == SERVED:
            served[str(row.entry.duel_id)] = place
        elif row.entry.phase == ANSWERED:
            answered[str(row.entry.duel_id)] = place
        elif row.entry.phase == UNDONE:
            gone |= _gone(str(row.entry.duel_id), served, answered)
    if duel_id not in answered or duel_id not in served:
        return None
    rules, before = arena.rules, rows[: served[duel_id]]
    rebuilt = RebuiltLearner(arena, learner_id, snapshot, before)
    if not rules.counts_open:
        for row in before:
            rebuilt.add(row)
        return Rewound(rebuilt.state, set(served))
    gone |= _gone(duel_id, served, answered)
    state = rebuilt.state
    for row in rows:
        entry = row.entry
        kept = str(entry.duel_id) not in gone
        if entry.phase == SERVED:
            preparation = DuelData.of(entry.data)
            state = rules.prepare(state, preparation)
            if kept:
                pair = int(entry.first or 0), int(entry.second or 0)
                serve = rules.serve_by(entry.arm, pair if entry.arm == FIXED else None)
                serve(state, preparation.eligible)  # draws what it drew; the pair is that of the row
                state = rules.show(state, *pair)
        elif entry.phase == ANSWERED and kept:
            pair = int(entry.first or 0), int(entry.second or 0)
            state = rules.learn(state, *pair, int(entry.step or 0), str(entry.outcome), entry.winner).state
    return Rewound(state, gone)


def _gone(duel_id: str, served: dict[str, int], answered: dict[str, int]) -> set[str]:
    """Return a duel, and those that were served after it was answered."""
    return {duel_id} | {id_ for id_, place in served.items() if place > answered.get(duel_id, place)}
