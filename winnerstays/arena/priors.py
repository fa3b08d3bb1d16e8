"""The crowd and the groups of an arena, as new users start from them."""

from winnerstays.arena.cache import ArenaRuntime
from winnerstays.arena.crowd import MAX_LEARNERS, MIN_LEARNERS, NEW_LEARNERS, Crowd, Taste, crowd
from winnerstays.arena.stores import learner_statements
from winnerstays.arena.stores.base import Row, Transaction

Points = tuple[tuple[int, int], ...]


def find_prior(transaction: Transaction, arena: ArenaRuntime, group: str | None) -> Points:
    """Return the points with which the learner of a new user starts: (item, points).

    They are kept for the next new users of the group; what a learner started with is in the row of its first duel.
    """
    if arena.shared or not arena.settings.crowd or arena.rules.algorithm.serving.believe is None:
        return ()
    found, births = arena.crowds.get(group, (None, 0))
    if found is None or births >= NEW_LEARNERS + found.learners // 20:
        of_group = [] if group is None else learner_statements.newest_states(transaction, arena.id, MAX_LEARNERS, group)
        if group is not None and len(of_group) < MIN_LEARNERS:  # names of groups may be anything: few are kept
            return find_prior(transaction, arena, None)
        found, births = _look(transaction, arena, of_group), -1
    arena.crowds.put(group, (found, births + 1))
    return found.points


def _look(transaction: Transaction, arena: ArenaRuntime, of_group: list[Row]) -> Crowd:
    """Look at the newest learners of an arena, and at those of a group."""
    newest = learner_statements.newest_states(transaction, arena.id, MAX_LEARNERS)
    return crowd(_tastes(arena, newest), arena.there, _tastes(arena, of_group))


def _tastes(arena: ArenaRuntime, newest: list[Row]) -> list[Taste]:
    states = (arena.rules.load(learner_id, data) for _, learner_id, data in newest if data)
    return [taste for taste in map(arena.rules.taste, states) if taste is not None]
