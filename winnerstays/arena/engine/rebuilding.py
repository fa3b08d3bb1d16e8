"""A learner rebuilt from its rows of the log, perhaps from a snapshot that stands for rows that were pruned."""

import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.engine.duels import DuelData
from winnerstays.arena.engine.holdout import FIXED, LEARNER, PROBE, chooser, chosen_in_probe, is_probe
from winnerstays.arena.engine.learner import LearnerState, LearningResult, LearningRules
from winnerstays.arena.history import chain
from winnerstays.arena.stores.rows import (
    ANSWERED,
    LATE,
    REWARDED,
    SERVED,
    SNAPSHOT,
    UNDONE,
    LogEntry,
    LogRow,
    shown_in,
    snapshot_id,
)
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
    group: str | None
    """Of the user."""
    rewards: dict[str, float]
    """The values of the rewards in these rows, by their keys."""

    @classmethod
    def of(cls, content: str | None) -> "PrunedLearner":
        """Return the pruned learner that a row holds in `data`."""
        data = json.loads(content or "{}")
        totals = Counter({Key(*key): count for *key, count in data["totals"]})
        return cls(
            data["first"], b64decode(data["state"]), data["open_duel_id"], data["rows"], totals, data.get("group"),
            data.get("rewards", {}),
        )  # fmt: skip

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
        self, arena: ArenaRuntime, learner_id: int, pruned: PrunedLearner | None, rows: Sequence[LogRow] = ()
    ) -> None:
        """`rows` are those that come, if answers to some of their duels may have been taken back."""
        self._arena, self._learner_id = arena, learner_id
        self._undone = {row.entry.duel_id for row in rows if row.entry.phase == UNDONE}
        self._past: list[LogRow] = []
        """The rows so far, where answers were taken back."""
        self._before: dict[str, _Checkpoint] = {}
        """Of the duels whose answers were taken back, before they were served."""
        self.state: LearnerState
        self._open: list[str] = []
        self.group = pruned.group if pruned else None
        """Of the user, when last asked."""
        if pruned is None:
            self.state = arena.rules.fresh(learner_id)
        else:
            self.state = arena.rules.load(learner_id, pruned.state)
            self._open = (pruned.open_duel_id or "").split()
        self._start = _Checkpoint(0, arena.rules.dump(self.state) if self._undone else b"")

    @property
    def open_duel_id(self) -> str | None:
        """The ids of the duels that a user holds open, the oldest first, as the learner's row has them."""
        return " ".join(self._open) or None

    def add(self, row: LogRow) -> str | None:
        """Take the next row; return what it contradicts, as a sentence."""
        contradiction = None
        if row.entry.phase == SERVED:
            contradiction = self._serve(row)
        elif row.entry.phase == ANSWERED:
            contradiction = self._learn(row)
        elif row.entry.phase == UNDONE:
            contradiction = self._take_back(row)
        elif row.entry.phase == LATE:
            self._close(row.entry)
        elif row.entry.kind == REWARDED:
            contradiction = self._add_reward(row)
        if self._undone:
            self._past.append(row)
        return contradiction

    def _serve(self, row: LogRow) -> str | None:
        rules, entry, before = self._arena.rules, row.entry, self.state
        if entry.duel_id in self._undone:
            self._before[str(entry.duel_id)] = _Checkpoint(len(self._past), rules.dump(before))
        data = DuelData.of(entry.data)
        self.state = rules.prepare(before, data)
        served = (entry.first, entry.second, bool(entry.flipped), entry.step, data.shown)
        pair = int(entry.first or 0), int(entry.second or 0)
        first, second, flipped, shown = _serve_again(rules, self.state, entry, data)
        expected = (first, second, flipped, rules.step(self.state, data.eligible, entry.arm), shown)
        if expected != served:
            return f"row {row.seq} served {served}, but the log before it gives {expected}"
        self.state = rules.show(self.state, *pair, entry.arm)
        if not self._arena.shared:
            held = (
                [id_ for place, id_ in enumerate(self._open) if place not in data.closed] if rules.counts_open else []
            )
            self._open = [*held, str(entry.duel_id)]
            self.group = entry.user_group
        return self._check_sums(row, before, data, None)

    def _learn(self, row: LogRow) -> str | None:
        entry, before = row.entry, self.state
        result = _learn(self._arena, before, entry)
        self.state = result.state
        self._close(entry)
        if result.learned != (entry.kind == "learned"):
            return f"row {row.seq} is {entry.kind}, but the log before it gives learned={result.learned}"
        return self._check_sums(row, before, DuelData.of(entry.data), entry.outcome)

    def _add_reward(self, row: LogRow) -> str | None:
        before = self.state
        if before.person is None:
            return None
        data = json.loads(row.entry.data or "{}")
        self.state = before._replace(person=before.person.add_reward(data["value"]))
        return self._check_sums(row, before, DuelData.of(row.entry.data), None)

    def _take_back(self, row: LogRow) -> str | None:
        entry, before = row.entry, self.state
        rewound = self._rewind(str(entry.duel_id))
        if rewound is None:
            return f"row {row.seq} takes an answer back to a duel that was not answered before"
        self.state = self._arena.rules.take_back(rewound.state, before, str(entry.outcome), _chosen(entry))
        self._open = [id_ for id_ in self._open if id_ not in rewound.gone]
        if before.person is None:
            return None
        return self._check_sums(row, before, DuelData.of(entry.data), None)

    def _check_sums(self, row: LogRow, before: LearnerState, data: DuelData, outcome: str | None) -> str | None:
        adds = self._arena.rules.added(before, self.state, row.entry.arm, outcome, _chosen(row.entry))
        if adds == data.adds:
            return None
        return f"row {row.seq} adds {data.adds} to its arm, but the log before it gives {adds}"

    def _rewind(self, duel_id: str) -> "Rewound | None":
        """Return the learner as if a duel had not been served: from the state before that, if nothing hinders it."""
        before = self._before.get(duel_id)
        if before is None:
            return None
        if not self._arena.rules.counts_open:
            return Rewound(self._arena.rules.load(self._learner_id, before.state), set(self._open))
        since = self._past[before.place :]
        served = {row.entry.duel_id for row in since if row.entry.phase == SERVED}
        if any(row.entry.phase == UNDONE and row.entry.duel_id not in served for row in since):
            before, since = self._start, self._past
        return rewind(self._arena, self._arena.rules.load(self._learner_id, before.state), since, duel_id)

    def _close(self, entry: LogEntry) -> None:
        self._open = [id_ for id_ in self._open if id_ != entry.duel_id]


class _Checkpoint(NamedTuple):
    """A state before a row."""

    place: int
    """How many rows were before it."""
    state: bytes


class Rewound(NamedTuple):
    """A learner after an answer was taken back."""

    state: LearnerState
    gone: set[str]
    """Duels that can no longer be answered: the one of that answer, and those served after it."""


def take_back(
    arena: ArenaRuntime, learner_id: int, pruned: PrunedLearner | None, rows: Sequence[LogRow], duel_id: str
) -> Rewound | None:
    """Return a learner as if a duel had not been served; None if it was not answered in these rows."""
    rules = arena.rules
    if rules.counts_open:
        start = rules.load(learner_id, pruned.state) if pruned else rules.fresh(learner_id)
        return rewind(arena, start, rows, duel_id)
    places = {row.entry.duel_id: place for place, row in enumerate(rows) if row.entry.phase == SERVED}
    if duel_id not in places:
        return None
    before = rows[: places[duel_id]]
    rebuilt = RebuiltLearner(arena, learner_id, pruned, before)
    for row in before:
        rebuilt.add(row)
    return Rewound(rebuilt.state, set(map(str, places)))


def rewind(arena: ArenaRuntime, state: LearnerState, rows: Sequence[LogRow], duel_id: str) -> Rewound | None:
    """Return what these rows make of a state, as if a duel had not been served; None if it was not answered in them.

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
    gone |= _gone(duel_id, served, answered)
    rules = arena.rules
    for row in rows:
        entry = row.entry
        kept = str(entry.duel_id) not in gone
        if entry.phase == SERVED:
            data = DuelData.of(entry.data)
            state = rules.prepare(state, data)
            if kept:
                _serve_again(rules, state, entry, data)  # draws what it drew; the items are those of the row
                state = rules.show(state, int(entry.first or 0), int(entry.second or 0), entry.arm)
        elif entry.phase == ANSWERED and kept:
            state = _learn(arena, state, entry).state
    return Rewound(state, gone)


def _serve_again(
    rules: LearningRules, state: LearnerState, entry: LogEntry, data: DuelData
) -> tuple[int, int, bool, tuple[int, ...]]:
    """Return what a learner serves: first, second, whether they are flipped, and the items of a feed.

    Where a list has chosen them, or a model that was deleted, they are those of the row, and only the order is drawn.
    """
    pair, arm, fixed = (int(entry.first or 0), int(entry.second or 0)), entry.arm, None
    if not rules.has_model(state) and chooser(arm) in (None, LEARNER):
        arm = FIXED + PROBE * is_probe(arm)
    if chooser(arm) == FIXED:
        fixed = pair
    if not data.shown:
        return (*rules.serve(state, data.eligible, arm, fixed), ())
    others = [item for item in data.shown if item not in pair]
    first, second, *shown = rules.serve_feed(state, len(data.shown), data.eligible, arm, fixed and (*pair, *others))
    return first, second, shown.index(first) > shown.index(second), tuple(shown)


def _chosen(entry: LogEntry) -> bool | None:
    """Return of a decided probe whether the recommended item won."""
    return chosen_in_probe(entry.arm, int(entry.first or 0), str(entry.outcome), entry.winner)


def _learn(arena: ArenaRuntime, state: LearnerState, entry: LogEntry) -> LearningResult:
    """Learn the answer that a row holds."""
    pair = int(entry.first or 0), int(entry.second or 0)
    return arena.rules.learn(
        state, *pair, int(entry.step or 0), str(entry.outcome), entry.winner, entry.arm, shown_in(entry.data)
    )


def _gone(duel_id: str, served: dict[str, int], answered: dict[str, int]) -> set[str]:
    """Return a duel, and those that were served after it was answered."""
    return {duel_id} | {id_ for id_, place in served.items() if place > answered.get(duel_id, place)}
