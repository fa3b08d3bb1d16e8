"""How learners learn: stale pairs, coins, rounds, and how few bytes a state takes."""

from dataclasses import replace

from winnerstays import Arena
from winnerstays.arena import Item, Settings
from winnerstays.arena.engine.learner import LearningRules

ITEMS = ["ramen", "tacos", "pho"]


def items(count):
    return tuple(Item(id=f"item{k}") for k in range(count))


def test_learner_of_100_items_takes_at_most_300_bytes():
    rules = LearningRules(Settings(name="big", items=items(100), algorithm="ws-w", seed=2**63 - 1))
    state, largest = rules.fresh(2**40), 0
    for _ in range(3000):
        first, second, _ = rules.serve(state)
        state = rules.learn(state, first, second, state.step, "winner", min(first, second)).state
        largest = max(largest, len(rules.dump(state)))
    print(f"a learner of 100 items takes up to {largest} bytes")
    assert largest <= 300


def test_stale_pair_is_learned_only_where_the_algorithm_can():
    settings = Settings(name="stale", items=items(4), algorithm="ws-w", audience="everyone", seed=0)
    rules = LearningRules(settings)
    state = rules.fresh(1)
    first, second, _ = rules.serve(state)
    state = rules.learn(state, first, second, 0, "winner", first).state
    stale = rules.learn(state, first, second, 0, "winner", first)
    assert not stale.learned and "another pair" in stale.reason
    able = LearningRules(settings)
    able.algorithm = replace(able.algorithm, serving=replace(able.algorithm.serving, any_pair=True))
    assert able.learn(state, first, second, 0, "winner", first).learned


def test_a_pair_that_came_back_is_learned_the_right_way_round():
    """The unseated incumbent may return as challenger; its wins then count for the challenger."""
    rules = LearningRules(Settings(name="turn", items=items(2), algorithm="ws-w", audience="everyone", seed=0))
    state = rules.fresh(1)
    first, second, _ = rules.serve(state)
    state = rules.learn(state, first, second, 0, "winner", second).state
    assert rules.best(state) == second
    state = rules.learn(state, first, second, 0, "winner", second).state
    assert rules.best(state) == second and rules.round(state) == 3


def test_only_winner_stays_has_rounds():
    """Whatever else a State may call its round, the paper's certificate is not about it."""
    for algorithm, has in (("ws-w", True), ("ws-s", True), ("rucb", False), ("btw", False)):
        with Arena.open("memory:", items=ITEMS, algorithm=algorithm) as arena:
            arena.tell(arena.ask("ada"), outcome="skip")
            standing = arena.standing("ada", p=0.8)
            assert (standing.round is not None) == (standing.certificate is not None) == has


def test_two_items_leave_nowhere_to_move():
    rules = LearningRules(Settings(name="two", items=items(2), algorithm="ws-w", patience=1, seed=0))
    state = rules.fresh(1)
    result = rules.learn(state, *rules.serve(state)[:2], 0, "skip", None)
    assert "no other pair" in result.reason and not result.moved_on and result.state.step == 0


def test_an_arena_in_use_stays_as_it_is_when_its_items_change():
    """Transactions of other threads go on with what they have read: never with half of a change."""
    with Arena.open("memory:", items=["a", "b", "c"]) as arena:
        arena.ask("ada")
        cache = arena.arenas.database._cache
        before = cache.by_name["default"]
        rules = before.rules
        arena.add(["d"])
        assert "d" in arena.ask("ada", among=["a", "d"], fresh=True)
        assert before.item_ids == ["a", "b", "c"] and before.rules is rules
        assert cache.by_name["default"].item_ids == ["a", "b", "c", "d"]
