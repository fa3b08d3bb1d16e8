"""The simulated site, small: every policy plays by its rules."""

import pytest

from benchmarks._shop import POLICIES, Site, World, play

SMALL = Site("small", 1.5, 0.5, 0.5, visitors=80, items=20, change=4, open=5, clicks=(2, 6), bots=0.1, features=True)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_shows_eligible_items_only(policy):
    world = World(SMALL, 1)
    made = POLICIES[policy](world)
    asked = made.ask

    def ask(visitor, eligible):
        pair = asked(visitor, eligible)
        assert pair[0] != pair[1]
        assert set(pair) <= set(eligible.tolist())
        return pair

    made.ask = ask
    favourite, five, _ = play(world, made)
    assert 0 <= favourite <= five <= 100


def test_a_site_plays_the_same_twice():
    shares = [play(world := World(SMALL, 2), POLICIES["tastes"](world)) for _ in range(2)]
    assert shares[0] == shares[1]


def test_the_model_of_tastes_is_better_than_chance():
    world = World(SMALL, 3)
    found = {name: play(world, POLICIES[name](world))[0] for name in ("random", "tastes")}
    assert found["tastes"] > 2 * found["random"]
