"""The log played again, from the first row to the last, and compared byte for byte with what is stored."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby

from winnerstays.arena.settings import Replay
from winnerstays.arena.stores.base import Row, Store
from winnerstays.arena.transaction import Known

MOST_DIFFERENCES = 20
_LEARNERS = "SELECT id, arena, username, open, state FROM learners ORDER BY id"
_ROWS = (
    "SELECT learner, seq, kind, duel, once, first, second, flipped, step, outcome, winner FROM log"
    " WHERE learner IS NOT NULL AND once IS NOT NULL ORDER BY learner, seq"
)


def replay(store: Store, known: Callable[[int], Known]) -> Replay:
    """Fold every learner's rows again; `known` finds an arena by its number."""
    arena_of = cache(known)
    learners = served = accepted = 0
    differences: list[str] = []
    with store.snapshot() as snapshot:
        groups = groupby(snapshot.stream(_ROWS), key=lambda row: row[0])
        number, rows = next(groups, (None, iter(())))
        for learner, arena, username, open_duel, state in snapshot.stream(_LEARNERS):
            while number is not None and number < learner:
                differences.append(f"the rows of learner {number} belong to no learner")
                number, rows = next(groups, (None, iter(())))
            own = list(rows) if number == learner else []
            if number == learner:
                number, rows = next(groups, (None, iter(())))
            learners += 1
            served += sum(row[4] == 0 for row in own)
            accepted += sum(row[4] == 1 for row in own)
            who = f"learner {learner} ({username or 'everyone'!r} in arena {arena_of(arena).settings.name!r})"
            differences += [f"{who}: {what}" for what in _compare(arena_of(arena), learner, own, open_duel, state)]
        if number is not None:
            differences.append(f"the rows of learner {number} and later belong to no learner")
    return Replay(learners, served, accepted, tuple(differences[:MOST_DIFFERENCES]))


def _compare(known: Known, learner: int, rows: list[Row], open_duel: str | None, state: bytes) -> Iterator[str]:
    fold = known.fold
    mind = fold.fresh(learner)
    open_now = None
    for _, seq, kind, duel, once, first, second, flipped, step, outcome, winner in rows:
        if once == 0:
            expected = *fold.serve(mind), mind.step
            if expected != (first, second, bool(flipped), step):
                yield f"row {seq} served {(first, second, bool(flipped), step)}, but the log before it gives {expected}"
                return
            open_now = None if known.shared else duel
        else:
            lesson = fold.learn(mind, first, second, step, outcome, winner)
            mind, open_now = lesson.mind, None
            if lesson.learned != (kind == "learned"):
                yield f"row {seq} is {kind}, but the log before it gives learned={lesson.learned}"
                return
    if open_now != open_duel:
        yield f"its open duel is {open_duel!r}, but the log gives {open_now!r}"
    if fold.dump(mind) != bytes(state):
        yield "its stored state is not the fold of its rows"
