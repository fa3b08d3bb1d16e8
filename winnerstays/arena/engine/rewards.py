"""Rewards: what a person did that the site counts, such as an order; a row of the log in the chain of their learner."""

import json
import math

from winnerstays.arena.engine.cache import Cache
from winnerstays.arena.engine.holdout import ARMS, FIXED, LEARNER, RANDOM
from winnerstays.arena.engine.rebuilding import PrunedLearner
from winnerstays.arena.errors import UnknownUserError
from winnerstays.arena.history import chain
from winnerstays.arena.records import Rewarded
from winnerstays.arena.stores import learner_statements, statements
from winnerstays.arena.stores.base import Transaction
from winnerstays.arena.stores.rows import REWARDED, LogEntry, snapshot_id
from winnerstays.arena.text import check_text
from winnerstays.errors import WinnerstaysError

MAX_VALUE = 100_000
"""The largest value of one reward: sums of squares must fit into 64 bits."""


def reward(
    transaction: Transaction, cache: Cache, name: str, user: str, value: float, key: str | None, now: float
) -> Rewarded:
    """Log a reward of a user, once for each key."""
    check_text("A user's name", user)
    if key is not None:
        check_text("The key of a reward", key)
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not (number and 0 <= value <= MAX_VALUE):
        raise WinnerstaysError(f"The value of a reward is {value!r}, but must be a number from 0 to {MAX_VALUE:,}.")
    arena = cache.current(transaction, name)
    if arena.shared:
        raise WinnerstaysError(
            f"The arena {name!r} has one learner for everyone and remembers no users; rewards need a learner for each."
        )
    learner = next(iter(learner_statements.lock_users(transaction, arena.id, [user])), None)
    if learner is None or not learner.state:
        raise UnknownUserError(f"The arena {name!r} has not served a duel to {user!r} yet, so it takes no reward.")
    state = arena.rules.load(learner.id, learner.state)
    person, arm = state.person, None
    if person is not None:
        arm = LEARNER if not person.control else FIXED if arena.control else RANDOM
    shown = None if arm is None else ARMS[arm]
    before = None if key is None else _values_by_key(transaction, learner.id).get(key)
    if before is not None:
        if before != value:
            raise WinnerstaysError(f"The reward {key!r} of {user!r} has the value {before:g} already, not {value:g}.")
        return Rewarded(name, user, float(value), key, shown, True)
    data: dict[str, object] = {"value": float(value), "key": key}
    if person is not None:
        rewarded = person.add_reward(value)
        state = state._replace(person=rewarded)
        data["adds"] = rewarded.added_since(person)
    duel_id = statements.last_served(transaction, learner.id) or snapshot_id(learner.id)
    entry = LogEntry(
        arena.id, learner.id, now, REWARDED, duel_id, data=json.dumps(data), user_group=learner.user_group, arm=arm
    )
    row = chain.seal(entry, chain.head_of(learner))
    statements.append_log(transaction, [row])
    saved = (learner.open_duel_id, arena.rules.dump(state), row[-1], learner.user_group, learner.id)
    learner_statements.save_learners(transaction, [saved])
    return Rewarded(name, user, float(value), key, shown, False)


def _values_by_key(transaction: Transaction, learner_id: int) -> dict[str, float]:
    """Return the values of a learner's rewards that have a key; those that were pruned, too."""
    values = dict[str, float]()
    for entry in statements.snapshots_of_learners(transaction, [learner_id]):
        values |= PrunedLearner.of(entry.data).rewards
    for data in map(json.loads, statements.rewards_of_learner(transaction, learner_id)):
        if data["key"] is not None:
            values[data["key"]] = data["value"]
    return values
