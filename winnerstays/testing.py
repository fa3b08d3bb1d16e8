"""The contract every algorithm keeps, as checks that anyone can run on their own.

    import pytest
    from winnerstays.testing import CHECKS

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_contract(check):
        check(my_algorithm)

Each check takes an Algorithm and raises AssertionError with a sentence if the contract is broken. Seeds are fixed.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from winnerstays.algorithms.contract import Algorithm, algorithm
from winnerstays.codec import pack, unpack
from winnerstays.compiling import COMPILED
from winnerstays.problems import Problem, linear_utilities, total_order
from winnerstays.problems.problem import chance
from winnerstays.randomness import below, stream, uniform
from winnerstays.simulation.run import Experiment, run_batch

TRACE_DUELS = 300
HORIZON = 3000


class Step(NamedTuple):
    """One duel of a trace: the state before it, the pair, and who won."""

    state: Any
    first: int
    second: int
    first_won: bool


def play(algorithm: Algorithm, problem: Problem, duels: int, seed: int = 0, horizon: int = HORIZON) -> Iterator[Step]:
    """Play step by step, as ask and tell do; arms are not relabelled."""
    rng, luck = stream(seed, 0), stream(seed, 1)
    state = algorithm.start(problem.n_arms, rng, horizon=horizon, features=problem.features)
    step = None
    for _ in range(duels):
        if step is not None:  # only now, so that the last state given out stays as it was
            state = algorithm.update(state, step.first, step.second, step.first_won, rng)
        first, second = algorithm.choose(state, rng)
        step = Step(state, int(first), int(second), bool(uniform(luck) < chance(problem.chances, first, second)))
        yield step


def trace(algorithm: Algorithm, problem: Problem, duels: int = TRACE_DUELS, seed: int = 0) -> list[list[int]]:
    """The duels of a run as [first, second, first_won]."""
    return [[step.first, step.second, int(step.first_won)] for step in play(algorithm, problem, duels, seed)]


def _some_problem() -> Problem:
    return linear_utilities(6, 3, noise=0.7, seed=5)


def check_arms_in_range(algorithm: Algorithm) -> None:
    """Every duel is between arms that exist, with 2 arms, 3 and 17."""
    for n_arms in (2, 3, 17):
        for first, second, _ in trace(algorithm, total_order(n_arms, 0.7)):
            assert 0 <= first < n_arms and 0 <= second < n_arms, f"({first}, {second}) of {n_arms} arms"


def check_same_seed_same_duels(algorithm: Algorithm) -> None:
    """A seed names a run; another seed names another."""
    runs = [trace(algorithm, _some_problem(), seed=seed) for seed in (1, 1, 2)]
    assert runs[0] == runs[1], "the same seed gave different duels"
    assert runs[0] != runs[2], "different seeds gave the same duels"


def check_choose_changes_nothing(algorithm: Algorithm) -> None:
    """Asking twice with the same randomness gives the same pair, and the state stays as it was."""
    for step in play(algorithm, _some_problem(), 60, seed=3):
        before = pack(step.state)
        pairs = [algorithm.choose(step.state, stream(9)) for _ in range(2)]
        assert pairs[0] == pairs[1], f"two answers to the same question: {pairs}"
        assert pack(step.state) == before, "choose changed the state"


def check_reloaded_state_has_same_future(algorithm: Algorithm) -> None:
    """A state that was packed and unpacked goes on as the original does."""
    problem = _some_problem()
    fresh = algorithm.start(problem.n_arms, stream(8), horizon=HORIZON, features=problem.features)
    for duels in (0, 1, 40, 200):
        *_, last = play(algorithm, problem, duels + 1, seed=4)
        copies = [unpack(pack(last.state), fresh) for _ in range(2)]
        assert pack(copies[0]) == pack(last.state), "unpacking and packing again gave other bytes"
        assert _future(algorithm, problem, last.state) == _future(algorithm, problem, copies[1]), f"after {duels} duels"


def _future(algorithm: Algorithm, problem: Problem, state: Any) -> list[tuple[int, int]]:
    rng, luck, pairs = stream(6, 0), stream(6, 1), []
    for _ in range(60):
        first, second = algorithm.choose(state, rng)
        pairs.append((int(first), int(second)))
        state = algorithm.update(
            state, first, second, bool(uniform(luck) < chance(problem.chances, first, second)), rng
        )
    return pairs


def check_finds_obvious_winner(algorithm: Algorithm) -> None:
    """Of 4 arms, one that wins 95 of 100 duels is the favourite after 3000 duels in at least 18 of 20 runs."""
    runs, found = (20, 0) if COMPILED and algorithm.compiled else (5, 0)
    for seed in range(runs):
        *_, last = play(algorithm, total_order(4, 0.95), HORIZON, seed)
        found += algorithm.best(last.state) == 0
    assert found >= 0.9 * runs, f"the best arm was the favourite in {found} of {runs} runs only"


def check_relabelling_relabels_duels(algorithm: Algorithm) -> None:
    """Numbering the arms the other way round leaves the regret as it is, within 4 standard errors (no other margin)."""
    problem = total_order(5, 0.8)
    mirror = Problem(problem.preferences[::-1, ::-1], features=np.asarray(problem.features)[::-1])
    runs, horizon = (400, 300) if COMPILED and algorithm.compiled else (30, 100)
    times = np.array([20, horizon])
    ends = [
        run_batch(algorithm, Experiment(one, horizon, times, 11, relabel=False), range(runs))
        for one in (problem, mirror)
    ]
    error = np.sqrt(sum(end.var(axis=0, ddof=1) / runs for end in ends))
    away = abs(ends[0].mean(axis=0) - ends[1].mean(axis=0))
    assert (away <= 4 * error + 1e-9).all(), f"regret depends on the numbers of the arms: {away} against errors {error}"


def check_bounded_state(algorithm: Algorithm) -> None:
    """The state does not grow with the number of duels (its whole numbers may, by a few bytes)."""
    sizes = [_arrays(step.state) for step in play(algorithm, _some_problem(), 400, seed=2)]
    assert sizes[0] == sizes[-1], f"arrays grew from {sizes[0]} to {sizes[-1]} elements"


def _arrays(state: Any) -> int:
    if isinstance(state, tuple):
        return sum(map(_arrays, state))
    return int(state.size) if isinstance(state, np.ndarray) else 0


def check_leap_is_updates(algorithm: Algorithm) -> None:
    """Where the coming duels are certain, leaping over them equals playing them, whatever their outcomes."""
    fresh = algorithm.start(3, stream(8), horizon=HORIZON, features=np.eye(3))
    for step in play(algorithm, total_order(3, 0.9, dimension=3), HORIZON // 10, seed=7):
        sure = min(int(algorithm.certain(step.state)), 20)
        if sure > 0:
            one, other = (unpack(pack(step.state), fresh) for _ in range(2))
            rng = stream(1)
            for k in range(sure):
                first, second = algorithm.choose(one, rng)
                assert (first, second) == (step.first, step.second), "the pair was said to be certain, but changed"
                one = algorithm.update(one, first, second, k % 2 == 0, rng)
            assert pack(one) == pack(algorithm.leap(other, sure)), "leap and updates differ"


def check_any_pair_means_any(algorithm: Algorithm) -> None:
    """An algorithm that says it learns from any pair does: from random ones it finds an arm that always wins."""
    if algorithm.any_pair:
        rng, luck = stream(12, 0), stream(12, 1)
        state = algorithm.start(4, rng, horizon=HORIZON, features=np.eye(4))
        for _ in range(TRACE_DUELS):
            first = below(luck, 4)
            second = (first + 1 + below(luck, 3)) % 4
            state = algorithm.update(state, first, second, first == 2 or (second != 2 and uniform(luck) < 0.5), rng)
        assert algorithm.best(state) == 2, f"arm 2 won all its duels, but the favourite is {algorithm.best(state)}"


def check_same_in_other_process_and_mode(algorithm: Algorithm) -> None:
    """Compiled here and plain in another process, or the other way round: the same duels, one by one."""
    elsewhere = _trace_elsewhere(algorithm, compiled=not COMPILED)
    assert trace(algorithm, _some_problem()) == elsewhere, "another process, compiled or not, played other duels"


def _trace_elsewhere(one: Algorithm, compiled: bool) -> Any:
    source = one.init.__module__
    if source == "__main__":
        raise AssertionError("another process cannot import an algorithm defined in a script; put it into a module")
    code = f"import {source}, winnerstays.testing as testing; testing.print_trace({one.name!r}, {dict(one.params)!r})"
    environment = {**os.environ, "WINNERSTAYS_COMPILE": str(int(compiled)), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def print_trace(name: str, params: dict[str, Any]) -> None:
    """The trace of a registered algorithm as JSON, for comparison between processes."""
    print(json.dumps(trace(algorithm(name, **params), _some_problem())))


CHECKS: list[Callable[[Algorithm], None]] = [check for name, check in globals().items() if name.startswith("check_")]
