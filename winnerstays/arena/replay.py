"""Replay: every learner is rebuilt from the log and compared byte for byte with the stored one."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby

from winnerstays.arena.cache import ArenaRuntime
from winnerstays.arena.records import Replay
from winnerstays.arena.stores import statements
from winnerstays.arena.stores.base import Store
from winnerstays.arena.stores.statements import ANSWERED, SERVED, LearnerRow, ReplayRow

MAX_DIFFERENCES = 20


def replay(store: Store, arena_by_id: Callable[[int], ArenaRuntime]) -> Replay:
    """Rebuild every learner from its rows; `arena_by_id` finds an arena."""
    find_arena = cache(arena_by_id)
    learners = served = accepted = 0
    differences: list[str] = []
    with store.snapshot() as snapshot:
        groups = groupby(statements.replay_rows(snapshot), key=lambda row: row.learner_id)
        group_id, rows = next(groups, (None, iter(())))
        for learner in statements.learners(snapshot):
            while group_id is not None and group_id < learner.id:
                differences.append(f"the rows of learner {group_id} belong to no learner")
                group_id, rows = next(groups, (None, iter(())))
            own = list(rows) if group_id == learner.id else []
            if group_id == learner.id:
                group_id, rows = next(groups, (None, iter(())))
            learners += 1
            served += sum(row.phase == SERVED for row in own)
            accepted += sum(row.phase == ANSWERED for row in own)
            arena = find_arena(learner.arena_id)
            who = f"learner {learner.id} ({learner.username or 'everyone'!r} in arena {arena.name!r})"
            differences += [f"{who}: {difference}" for difference in _compare(arena, learner, own)]
        if group_id is not None:
            differences.append(f"the rows of learner {group_id} and later belong to no learner")
    return Replay(learners, served, accepted, tuple(differences[:MAX_DIFFERENCES]))


def _compare(arena: ArenaRuntime, learner: LearnerRow, rows: list[ReplayRow]) -> Iterator[str]:
    """Yield what differs between a stored learner and the one that its rows give."""
    rules = arena.rules
    state = rules.fresh(learner.id)
    open_duel_id = None
    for row in rows:
        if row.phase == SERVED:
            found = (row.first, row.second, bool(row.flipped), row.step)
            pair = found[:3] if arena.caller_chooses else rules.serve(state)
            expected = (*pair, state.step)
            if expected != found:
                yield f"row {row.seq} served {found}, but the log before it gives {expected}"
                return
            open_duel_id = None if arena.shared else row.duel_id
        else:
            result = rules.learn(state, row.first, row.second, row.step, str(row.outcome), row.winner)
            state, open_duel_id = result.state, None
            if result.learned != (row.kind == "learned"):
                yield f"row {row.seq} is {row.kind}, but the log before it gives learned={result.learned}"
                return
    if open_duel_id != learner.open_duel_id:
        yield f"its open duel is {learner.open_duel_id!r}, but the log gives {open_duel_id!r}"
    if rules.dump(state) != bytes(learner.state):
        yield "its stored state is not the fold of its rows"
