"""How sure the favourite of a learner is, and what all learners of an arena like.

The confidence needs no p: it is a sequential test on the recorded wins, valid at any time.

e is the evidence that the favourite is the better of two items (winnerstays/evidence.py). A wrong item is called best
only if its e against the best item is large, and there are N-1 wrong items: so "the favourite beats all others" has
confidence 1 - (N-1)/min(e), at every moment, whatever the algorithm did and however often it is looked at.
"""

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping

from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.engine.learner import LearnerState
from winnerstays.arena.engine.rebuilding import PrunedLearner
from winnerstays.arena.figures.counts import count_learners
from winnerstays.arena.figures.likely import likely
from winnerstays.arena.history import totals
from winnerstays.arena.records import Rival, Standing, Summary
from winnerstays.arena.stores import learner_statements, statements
from winnerstays.arena.stores.base import Reader
from winnerstays.errors import WinnerstaysError
from winnerstays.evidence import log_evidence


def standing(
    reader: Reader,
    arena: ArenaRuntime,
    learner_id: int,
    state: LearnerState,
    user: str | None,
    p: float | None,
    level: float,
) -> Standing:
    """Return the favourite of a learner, and how sure it is."""
    round_, favourite = arena.rules.round(state), arena.rules.best(state)
    wins = (
        wins_of_shared(reader, arena, favourite) if arena.shared else wins_of_learners(reader, [learner_id])[learner_id]
    )
    opponents, model = rivals(arena.item_ids, favourite, wins, arena.there), likely(reader, arena, user)
    chances = {place.item: place.best for place in model.places}
    return Standing(
        arena=arena.name,
        user=user,
        favourite=arena.item_ids[favourite],
        learned=state.step,
        round=round_,
        likely=chances.get(arena.item_ids[favourite], 0.0) if model.known else None,
        certified=confidence(opponents),
        rivals=opponents,
        duels_needed=duels_needed(opponents, level),
        level=level,
        certificate=None if p is None or state.known else certificate(round_, p),
        answers=model.answers,
        people=model.people,
        places=model.places,
    )


Wins = Mapping[tuple[int, int], int]
"""How often an item was chosen over another: {(winner, loser): times}"""


def wins_of_shared(reader: Reader, arena: ArenaRuntime, item: int) -> Wins:
    """Return the wins and losses of an item over all people of an arena."""
    return {(key.first, key.second): count for key, count in totals.read(reader, arena.id, "win", item).items()}


def wins_of_learners(reader: Reader, learner_ids: Iterable[int]) -> dict[int, Counter[tuple[int, int]]]:
    """Return the wins in the duels of each of these learners of users, of those pruned, too."""
    wins: dict[int, Counter[tuple[int, int]]] = {id_: Counter() for id_ in learner_ids}
    for id_, winner, loser, count in statements.wins_of_learners(reader, list(wins)):
        wins[id_][winner, loser] += count
    for entry in statements.snapshots_of_learners(reader, list(wins)):
        for key, count in PrunedLearner.of(entry.data).totals.items():
            if key.measure == "win":
                wins[int(entry.learner_id or 0)][key.first, key.second] += count
    return wins


def rivals(
    ids: list[str], favourite: int, wins: Mapping[tuple[int, int], int], there: Container[int] | None = None
) -> tuple[Rival, ...]:
    """Return the favourite's record against every other item (of those that are `there`), the least certain first."""
    others = []
    for arm, item in enumerate(ids):
        if arm != favourite and (there is None or arm in there):
            won, lost = wins.get((favourite, arm), 0), wins.get((arm, favourite), 0)
            others.append(Rival(item, won, lost, math.exp(min(log_evidence(won, lost), 700.0))))
    return tuple(sorted(others, key=lambda rival: rival.evidence))


def confidence(rivals: tuple[Rival, ...]) -> float:
    """Return a lower bound on the probability that the favourite beats every other item."""
    return max(0.0, 1.0 - len(rivals) / rivals[0].evidence) if rivals[0].evidence > 0 else 0.0


def duels_needed(rivals: tuple[Rival, ...], level: float) -> int | None:
    """Return about how many more duels the confidence needs to reach `level`; None if the record does not say.

    Against an item it beats with chance p, the favourite's log e grows by KL(p, 1/2) per duel. p is estimated from all
    its duels, and the least certain rival decides, because an algorithm in rounds meets all rivals equally often.
    """
    if confidence(rivals) >= level:
        return 0
    won, lost = sum(rival.won for rival in rivals), sum(rival.lost for rival in rivals)
    chance = (won + 1) / (won + lost + 2)
    if chance <= 0.5:
        return None
    growth = math.log(2) + chance * math.log(chance) + (1 - chance) * math.log1p(-chance)
    missing = math.log(len(rivals) / (1 - level)) - math.log(max(rivals[0].evidence, 1e-300))
    return math.ceil(missing / growth) * len(rivals)


def certificate(round_: int | None, p: float) -> float | None:
    """Return the paper's bound (lemma on L) on the chance that the incumbent of round l+1 is not the best: ((1-p)/p)^l.

    For the best item to be out of its seat then, its score must have reached -l.
    """
    if not (isinstance(p, int | float) and 0.5 < p < 1):
        raise WinnerstaysError(f"p is {p!r}, but it must be above 1/2 and below 1.")
    return None if round_ is None else math.pow((1 - p) / p, round_ - 1)


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
    coins = not (rules.counts_open or arena.shared)  # they move a learner on, and say nothing about its person
    chose = wins_of_learners(reader, [row[1] for row in newest] if coins else [])
    favourites: Counter[str] = Counter()
    rounds: Counter[int] = Counter()
    best: dict[int, int] = {}
    names = []
    for username, learner_id, data in newest:
        state = rules.load(learner_id, data)
        state = rules.prepare(state, rules.changes(state))  # it knows which items are there
        favourite = rules.best(state)
        if state.step and (chose[learner_id] if coins else True):
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
