"""Every registered algorithm keeps the contract; nobody signs up. What breaks it is caught."""

from dataclasses import replace

import pytest

from winnerstays import WinnerstaysError
from winnerstays.algorithms import Serving, algorithm, random_pairs, register, registered
from winnerstays.compiling import COMPILED, kernel
from winnerstays.randomness import stream
from winnerstays.testing import CHECKS, check_contract
from winnerstays.testing import algorithms as testing

ELSEWHERE = testing.check_same_in_other_process_and_mode
STATISTICAL = (
    testing.check_finds_obvious_winner,
    testing.check_relabelling_relabels_duels,
    testing.check_arms_come_and_go,
)
"""Whoever plays the same duels compiled and plain, as ELSEWHERE checks, is as good plain as compiled."""
ALONE = [check for check in CHECKS if check is not ELSEWHERE and (COMPILED or check not in STATISTICAL)]


@pytest.mark.parametrize("name", registered())
@pytest.mark.parametrize("check", ALONE, ids=lambda check: check.__name__)
def test_contract(name, check):
    check(registered()[name])


if COMPILED:  # plain Python would only be compared the other way round

    def test_plain_python_in_another_process_plays_the_same_duels():
        ELSEWHERE(*registered().values())


@kernel
def arm_zero(state):
    return 0


@kernel
def meddling(state):
    state.score[0] += 1
    return state.favourite


@kernel
def late_stranger(state):
    return 99 if state.round > 3 else state.first


@kernel
def late_pair(state, rng):
    return state.first, 10**9 if state.round > 3 else state.second


@kernel
def first_two_of_many(state, rng):
    if state.score.size > 17:
        return 0, 1
    return random_pairs.choose(state, rng)


@pytest.mark.parametrize(
    ("check", "name", "fault", "sentence"),
    [
        ("finds_obvious_winner", "random", {"best": arm_zero}, "was the favourite in .* runs only"),
        ("best_changes_nothing", "random", {"best": meddling}, "best changes the State"),
        ("best_changes_nothing", "ws-w", {"best": late_stranger}, "best .* returned 99, but the arms are 0 to 5"),
        ("any_pair_means_any", "ws-w", {"serving": Serving(any_pair=True)}, "won all its duels, but the favourite is"),
        ("any_pair_means_any", "ws-s", {"serving": Serving(any_pair=True)}, "won all its duels, but the favourite is"),
        ("relabelling_relabels_duels", "random", {"choose": first_two_of_many}, "with 20 arms depends"),
        ("finds_obvious_winner", "ws-w", {"choose": late_pair}, "choose .* returned .*, but the arms are 0 to 3"),
        (
            "reloaded_state_has_same_future",
            "ws-w",
            {"choose": late_pair},
            "choose .* returned .*, but the arms are 0 to 5",
        ),
        ("arms_in_range", "ws-w", {"choose": late_pair}, "choose .* returned .*, but the arms are 0 to 1"),
    ],
)
def test_a_broken_algorithm_is_caught(check, name, fault, sentence):
    """Before compiled code is given an arm that does not exist, which would write outside its arrays."""
    with pytest.raises(AssertionError, match=sentence):
        getattr(testing, f"check_{check}")(replace(algorithm(name), **fault))


@pytest.mark.parametrize("name", ["", "a:b", "a b", "a=1", 5, None])
def test_a_name_that_could_not_be_asked_for_is_not_registered(name):
    with pytest.raises(WinnerstaysError, match=f"The name {name!r} cannot be registered"):
        register(replace(algorithm("ws-w"), name=name))


@pytest.mark.parametrize(
    ("name", "params", "sentence"),
    [
        ("racing", {"n_max": "1e30"}, "n_max is 1e30, but it must be a whole number from 1 to 2147483648"),
        ("merge-rucb", {"batch_size": 99999999999999999999}, "batch_size is 99999999999999999999"),
        ("merge-rucb", {"batch_size": 1}, "a whole number from 2"),
        ("racing", {"n_max": "nan"}, "n_max is nan"),
        ("racing", {"n_max": 1.5}, "n_max is 1.5"),
        ("merge-rucb", {"epsilon": "1e-320"}, "epsilon is 1e-320, but its size must be 1e-100 to 1e"),
        ("rmed2fh", {"alpha": 1e30}, "alpha is 1e"),
        ("ws-s", {"beta": 1e20}, "beta is 1e"),
    ],
)
def test_parameters_too_large_or_too_small_to_compute_with(name, params, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        algorithm(name, **params)


def test_more_arms_than_memory_holds():
    with pytest.raises(WinnerstaysError, match="rucb: there is not enough memory for 10000000 arms"):
        algorithm("rucb").start(10**7, stream(1))


@pytest.mark.parametrize("missing", ["init", "choose", "update", "best"])
def test_an_algorithm_without_one_of_the_four_functions_is_not_registered(missing):
    with pytest.raises(WinnerstaysError, match=f"lame: {missing} is None, but it must be a function"):
        register(replace(algorithm("ws-w"), name="lame", **{missing: None}))
    assert "lame" not in registered()


@kernel
def divided_by_zero(state):
    return 1 // (state.score.size - 2)


def test_what_leaves_nothing_to_check_is_one_finding():
    """An arm that does not exist, or an exception, would be said again by every check, with other advice."""
    for fault, sentence in (
        ({"best": late_stranger}, "best .* returned 99, but the arms are 0 to 1"),
        ({"best": divided_by_zero}, "ZeroDivision"),
    ):
        said = []
        with pytest.raises(AssertionError, match=sentence):
            check_contract(replace(algorithm("random" if "Zero" in sentence else "ws-w"), **fault), said.append)
        assert sum(line.startswith("BROKEN") for line in said) == 1 and said[-2].endswith("The rest was not checked.")
        assert said[-1].endswith("BREAKS the contract: it cannot be played")


@kernel
def overflowing(state, rng):
    power = state.score.size
    for _ in range(62):
        power *= 2
    return (0, 1) if power < 2**60 else random_pairs.choose(state, rng)


def test_what_does_not_apply_is_not_said_to_be_well():
    said = []
    check_contract(replace(algorithm("random"), serving=Serving()), said.append)
    aside = [line.partition(":")[0].strip("- ") for line in said if line.startswith("-")]
    assert {"any pair means any", "arms come and go", "choosing among"} <= set(aside)
    assert "-       choosing among: does not apply, as it has no among" in said
    assert said[-1] == f"random keeps the contract: {len(testing.CHECKS)} checks, of which {len(aside)} do not apply"


def test_an_algorithm_of_a_script_is_compared_in_this_process():
    """Another process could not import it: that is said, and is no fault of the algorithm."""
    said = []
    check_contract(replace(algorithm("random"), name="unregistered"), said.append)
    (line,) = [line for line in said if "same in other process and mode" in line]
    assert line.startswith("ok") and "(in this process only, as another one cannot import" in line
    if COMPILED:
        with pytest.raises(AssertionError, match="other played other duels as plain Python"):
            testing.check_same_in_other_process_and_mode(replace(algorithm("random"), name="other", choose=overflowing))
