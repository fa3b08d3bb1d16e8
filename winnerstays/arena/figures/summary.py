"""What the people of an arena like, over all its learners."""

from collections import Counter

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.figures.counts import count_learners
from winnerstays.arena.figures.standing import confidence, rivals, wins_of_learners, wins_of_shared
from winnerstays.arena.records import Summary
from winnerstays.arena.stores import learner_statements, statements
from winnerstays.arena.stores.base import Reader

MAX_SUMMARISED, MAX_STANDINGS = 1000, 100
"""A summary looks at the states of this many learners, the newest, and at the confidence of this many."""
MAX_BYTES = 64_000_000
"""Of the states that a summary looks at, in memory."""
NEWEST = 20
"""The newest users that are named."""


def summary(reader: Reader, arena: ArenaRuntime, level: float) -> Summary:
    """Return what people like: their favourites, their rounds, how many are sure."""
    rules = arena.rules
    limit = max(NEWEST, min(MAX_SUMMARISED, MAX_BYTES // max(1, arena.state_bytes)))
    newest = learner_statements.newest_states(reader, arena.id, limit)
    favourites: Counter[str] = Counter()
    rounds: Counter[int] = Counter()
    best: dict[int, int] = {}
    names = []
    for username, learner_id, data in newest:
        state = rules.load(learner_id, data)
        state = rules.prepare(state, rules.changes(state))  # it knows which items are there
        favourite = rules.best(state)
        if state.step:
            favourites[arena.item_ids[favourite]] += 1
            rounds[rules.round(state) or 0] += 1
        if data and len(best) < MAX_STANDINGS:
            best[learner_id] = favourite
            names.append(username)
    return Summary(
        learners=count_learners(reader, arena), summarised=len(newest), favourites=dict(favourites),
        rounds=dict(sorted(rounds.items())) if rules.algorithm.round is not None else {},
        looked_at=len(best), sure=_count_sure(reader, arena, best, level), level=level,
        newest=tuple(user for user in names if user)[:NEWEST], refused=statements.refusals(reader, arena.id),
    )  # fmt: skip


def _count_sure(reader: Reader, arena: ArenaRuntime, best: dict[int, int], level: float) -> int:
    """Return of how many learners, given with their favourites, the confidence has reached a level."""
    if arena.shared:
        wins = {learner_id: wins_of_shared(reader, arena, item) for learner_id, item in best.items()}
    else:
        wins = {**wins_of_learners(reader, best)}
    records = (rivals(arena.item_ids, item, wins[learner_id], arena.there) for learner_id, item in best.items())
    return sum(confidence(record) >= level for record in records)
