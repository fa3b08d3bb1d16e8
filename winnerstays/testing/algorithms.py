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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from winnerstays.algorithms import checks
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.registry import algorithm, registered
from winnerstays.codec import pack
from winnerstays.compiling import COMPILED, plain
from winnerstays.errors import WinnerstaysError
from winnerstays.problems import Problem, linear_utilities, total_order
from winnerstays.problems.chances import chance
from winnerstays.randomness import Rng, below, stream, uniform
from winnerstays.regret_names import REGRETS
from winnerstays.simulation.experiment import Experiment, run_batch

TRACE_DUELS = 300
HORIZON = 3000


class NotApplicable(str):
    """Returned by a check that does not apply: the reason."""


class UnplayableError(AssertionError):
    """The algorithm chose an arm that does not exist, so nothing else can be checked."""


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
            state = algorithm.reserve(state, 1)
            state = algorithm.update(state, step.first, step.second, step.first_won, rng)
        first, second = _pair(algorithm, state, rng, problem.n_arms)
        step = Step(state, first, second, bool(uniform(luck) < chance(problem.chances, first, second)))
        yield step


def _pair(algorithm: Algorithm, state: Any, rng: Rng, n_arms: int) -> tuple[int, int]:
    """Return what `choose` chooses, after a check: compiled code does not check the bounds of arrays."""
    first, second = algorithm.choose(state, rng)
    if not (0 <= first < n_arms and 0 <= second < n_arms):
        raise UnplayableError(checks.wrong_pair(algorithm, (first, second), n_arms))
    return int(first), int(second)


def _favourite(algorithm: Algorithm, state: Any, n_arms: int) -> int:
    try:
        return checks.check_favourite(algorithm, algorithm.best(state), n_arms)
    except WinnerstaysError as error:
        raise UnplayableError(error) from None


def trace(algorithm: Algorithm, problem: Problem, duels: int = TRACE_DUELS, seed: int = 0) -> list[list[int]]:
    """Return the duels of a run as [first, second, first_won]."""
    return [[step.first, step.second, int(step.first_won)] for step in play(algorithm, problem, duels, seed)]


def _some_problem() -> Problem:
    return linear_utilities(6, 3, noise=0.7, seed=5)


def _renumbered(problem: Problem, order: npt.ArrayLike) -> Problem:
    """Return the problem with its arms in another order."""
    arms = np.asarray(order)
    return Problem(problem.preferences[np.ix_(arms, arms)], features=np.asarray(problem.features)[arms])


def check_arms_in_range(algorithm: Algorithm) -> None:
    """Every duel is between arms that exist, and so is the favourite, with 2 arms, 3, 17 and 40."""
    for n_arms, duels in ((2, TRACE_DUELS), (3, TRACE_DUELS), (17, TRACE_DUELS), (40, 60)):
        for step in play(algorithm, total_order(n_arms, 0.7), duels):
            _favourite(algorithm, step.state, n_arms)


def check_same_seed_same_duels(algorithm: Algorithm) -> None:
    """The same seed gives the same run; another seed gives another run."""
    runs = [trace(algorithm, _some_problem(), seed=seed) for seed in (1, 1, 2)]
    assert runs[0] == runs[1], "the same seed gave different duels"
    assert runs[0] != runs[2], "different seeds gave the same duels"


def check_choose_changes_nothing(algorithm: Algorithm) -> None:
    """Asking twice with the same randomness gives the same pair, and the state stays as it was."""
    for step in play(algorithm, _some_problem(), 60, seed=3):
        before = pack(step.state)
        pairs = [algorithm.choose(step.state, stream(9)) for _ in range(2)]
        assert pairs[0] == pairs[1], f"two answers to the same question: {pairs}"
        assert pack(step.state) == before, "choose changes the State; only update may"


def check_best_changes_nothing(algorithm: Algorithm) -> None:
    """The favourite is an arm, at any time of a long run, and asking for it leaves the state as it was."""
    duels = HORIZON if COMPILED and algorithm.compiled else HORIZON // 10
    for t, step in enumerate(play(algorithm, _some_problem(), duels, seed=3, horizon=duels)):
        before = pack(step.state) if t < 60 or t == duels - 1 else b""
        favourite = _favourite(algorithm, step.state, 6)
        if before:
            assert algorithm.best(step.state) == favourite, f"two answers to the same question after {t} duels"
            assert pack(step.state) == before, "best changes the State; only update may"


def check_reloaded_state_has_same_future(algorithm: Algorithm) -> None:
    """A state that was stored and loaded continues exactly as the original does."""
    problem = _some_problem()
    fresh = algorithm.start(problem.n_arms, stream(8), horizon=HORIZON, features=problem.features)
    for duels in (0, 1, 40, 200):
        *_, last = play(algorithm, problem, duels + 1, seed=4)
        copies = [_copy(algorithm, last.state, fresh) for _ in range(2)]
        assert algorithm.dump(copies[0]) == algorithm.dump(last.state), "loading and dumping again gave other bytes"
        assert _future(algorithm, problem, last.state) == _future(algorithm, problem, copies[1]), f"after {duels} duels"


def _future(algorithm: Algorithm, problem: Problem, state: Any) -> list[tuple[int, int]]:
    rng, luck, pairs = stream(6, 0), stream(6, 1), []
    for _ in range(60):
        first, second = _pair(algorithm, state, rng, problem.n_arms)
        pairs.append((first, second))
        first_won = bool(uniform(luck) < chance(problem.chances, first, second))
        state = algorithm.update(algorithm.reserve(state, 1), first, second, first_won, rng)
    return pairs


def _copy(algorithm: Algorithm, state: Any, fresh: Any) -> Any:
    """Return a state that was dumped and loaded."""
    return algorithm.load(algorithm.dump(state), fresh)[0]


def check_finds_obvious_winner(algorithm: Algorithm) -> None:
    """Of 4 arms, one that wins 95 of 100 duels is the favourite after 3000 duels in at least 11 of 12 runs.

    Each arm is that one in a quarter of the runs.
    """
    runs, successes = (12, 0) if COMPILED and algorithm.compiled else (4, 0)
    for seed in range(runs):
        winner = (seed + 1) % 4
        problem = _renumbered(total_order(4, 0.95), np.roll(np.arange(4), winner))
        *_, last = play(algorithm, problem, HORIZON, seed)
        successes += algorithm.best(last.state) == winner
    assert successes >= 0.9 * runs, f"the best arm was the favourite in {successes} of {runs} runs only"


def check_relabelling_relabels_duels(algorithm: Algorithm) -> None:
    """Numbering the arms the other way round leaves the regret as it is, within 4 standard errors (no other margin).

    With 5 arms, and, in fewer runs, with 20.
    """
    quick = COMPILED and algorithm.compiled
    for n_arms, runs, horizon in ((5, 400, 300), (20, 100, 100)) if quick else ((5, 30, 100), (20, 8, 40)):
        problem = total_order(n_arms, 0.8)
        mirror = _renumbered(problem, np.arange(n_arms)[::-1])
        times = np.array([20, horizon])
        ends = [
            run_batch(algorithm, Experiment(one, horizon, times, 11, relabel=False), range(runs))
            for one in (problem, mirror)
        ]
        error = np.sqrt(sum(end.var(axis=0, ddof=1) / runs for end in ends))
        one, other = (end.mean(axis=0) for end in ends)
        beyond = abs(one - other) - 4 * error
        at = np.unravel_index(beyond.argmax(), beyond.shape)
        assert beyond[at] <= 1e-9, (
            f"the regret with {n_arms} arms depends on their numbers: {REGRETS[at[1]]} after {times[at[0]]} duels is "
            f"{one[at]:.3g} numbered one way, {other[at]:.3g} the other way (standard error {error[at]:.2g})"
        )


def check_bounded_state(algorithm: Algorithm) -> None:
    """The state grows only as `reserve` says, and not at all once there is room for all pairs."""
    problem, rng, luck = _some_problem(), stream(2, 0), stream(2, 1)
    state = algorithm.start(problem.n_arms, rng, horizon=HORIZON, features=problem.features)
    state = algorithm.reserve(state, HORIZON)
    before = _arrays(state)
    for _ in range(400):
        first, second = _pair(algorithm, state, rng, problem.n_arms)
        state = algorithm.update(algorithm.reserve(state, 1), first, second, uniform(luck) < 0.5, rng)
    assert _arrays(state) == before, f"arrays grew from {before} to {_arrays(state)} elements"


def _arrays(state: Any) -> int:
    if isinstance(state, tuple):
        return sum(map(_arrays, state))
    return int(state.size) if isinstance(state, np.ndarray) else 0


def check_leap_is_updates(algorithm: Algorithm) -> str | None:
    """Where the coming duels are certain, leaping over them equals playing them, whatever their outcomes."""
    leaps = 0
    fresh = algorithm.start(3, stream(8), horizon=HORIZON, features=np.eye(3))
    for step in play(algorithm, total_order(3, 0.9, dimension=3), HORIZON // 10, seed=7):
        sure = min(int(algorithm.certain(step.state)), 20)
        if sure > 0:
            leaps += 1
            one, other = (_copy(algorithm, step.state, fresh) for _ in range(2))
            rng = stream(1)
            for k in range(sure):
                first, second = algorithm.choose(one, rng)
                assert (first, second) == (step.first, step.second), "the pair was said to be certain, but changed"
                one = algorithm.update(algorithm.reserve(one, 1), first, second, k % 2 == 0, rng)
            assert pack(one) == pack(algorithm.leap(other, sure)), "leap and updates differ"
    return None if leaps else NotApplicable("no duel was certain")


def check_any_pair_means_any(algorithm: Algorithm) -> str | None:
    """An algorithm that claims to learn from any pair does so: from random pairs, never the one that it would show now,
    it finds an arm that always wins, whichever of the 4 that is.
    """
    if not algorithm.serving.any_pair:
        return NotApplicable("any_pair is False")
    for winner in range(4):
        for seed in range(3):
            rng, luck, chooser = (stream(12, winner, seed, part) for part in range(3))
            state = algorithm.start(4, rng, horizon=HORIZON, features=np.eye(4))
            for _ in range(TRACE_DUELS // 2):
                shown = set(_pair(algorithm, state, chooser, 4))
                first = below(luck, 4)
                second = (first + 1 + below(luck, 3)) % 4
                first_won = first == winner or (second != winner and uniform(luck) < 0.5)
                if {first, second} != shown:
                    state = algorithm.update(algorithm.reserve(state, 1), first, second, first_won, rng)
            favourite = algorithm.best(state)
            assert favourite == winner, f"arm {winner} won all its duels, but the favourite is {favourite}"
    return None


def check_passing_over_is_no_answer(algorithm: Algorithm) -> None:
    """An algorithm for weak regret finds an arm that always wins even if a third of its duels are skipped and a third
    are ties. Five duels are open at a time if the algorithm learns from any pair.
    """
    rng, luck = stream(13, 0), stream(13, 1)
    state = algorithm.reserve(algorithm.start(4, rng, horizon=HORIZON, features=np.eye(4)), HORIZON)
    waiting: list[tuple[int, int]] = []
    for t in range(TRACE_DUELS):
        pair = _pair(algorithm, state, rng, 4)
        state = algorithm.serving.show(state, *pair)
        waiting.append(pair)
        if len(waiting) < (5 if algorithm.serving.any_pair else 1):
            continue
        first, second = waiting.pop(0)
        if t % 3 == 0:
            state = algorithm.serving.pass_(state, first, second)
        elif t % 3 == 1 and algorithm.serving.tie is not None:
            state = algorithm.serving.tie(state, first, second)
        else:
            first_won = first == 2 or (second != 2 and uniform(luck) < 0.5)
            state = algorithm.update(state, first, second, first_won, rng)
    if algorithm.facts.regret == "weak":
        assert algorithm.best(state) == 2, f"arm 2 won all its duels, but the favourite is {algorithm.best(state)}"


def check_arms_come_and_go(algorithm: Algorithm) -> str | None:
    """If arms may join and leave, arms that left are not shown, a new best arm is found in 9 of 10 runs, and the state
    can be stored in between.
    """
    if algorithm.serving.join is None or algorithm.serving.leave is None:
        assert algorithm.serving.join is algorithm.serving.leave, "join and leave belong together"
        return NotApplicable("it has no join and leave")
    runs, successes = (20, 0) if COMPILED and algorithm.compiled else (5, 0)
    for seed in range(runs):
        rng, luck = stream(14, seed, 0), stream(14, seed, 1)
        state = algorithm.start(4, rng, horizon=HORIZON)
        present = {0, 1, 2, 3}
        state = _live(algorithm, state, present, 200, rng, luck)
        gone = [int(algorithm.best(state))] if seed % 2 else [0, 3]
        present.difference_update(gone)
        state = _live(algorithm, algorithm.serving.leave(state, gone, rng), present, 100, rng, luck)
        state = algorithm.serving.join(state, [4, 5], rng)
        present |= {4, 5}
        copy = _copy(algorithm, state, algorithm.start(len(present), stream(8), horizon=HORIZON))
        assert algorithm.dump(copy) == algorithm.dump(state), "loading and dumping again gave other bytes"
        state = _live(algorithm, copy, present, HORIZON // (1 if COMPILED else 3), rng, luck)
        successes += algorithm.best(state) == 5
    assert successes >= 0.9 * runs, f"the best arm, a newcomer, was the favourite in {successes} of {runs} runs only"
    return None


def _live(algorithm: Algorithm, state: Any, present: set[int], duels: int, rng: Rng, luck: Rng) -> Any:
    """Play duels between arms that are there; the one with the higher number wins 9 of 10."""
    for _ in range(duels):
        first, second = map(int, algorithm.choose(state, rng))
        assert {first, second} <= present, f"choose gave ({first}, {second}), but the arms are {sorted(present)}"
        first_won = bool(uniform(luck) < 0.9) == (first > second)
        state = algorithm.update(algorithm.reserve(state, 1), first, second, first_won, rng)
    favourite = int(algorithm.best(state))
    assert favourite in present, f"the favourite is {favourite}, but the arms are {sorted(present)}"
    return state


def check_choosing_among(algorithm: Algorithm) -> str | None:
    """An algorithm that can choose among eligible arms shows two different ones. It chooses as usual if all are
    eligible, and it finds the best of 5 arms although only some are eligible at a time.
    """
    if algorithm.serving.among is None:
        return NotApplicable("it has no among")
    rng, luck, scratch = stream(15, 0), stream(15, 1), np.zeros(5, np.int64)
    state = algorithm.start(5, rng, horizon=HORIZON, features=np.eye(5))
    for t in range(TRACE_DUELS):
        before, everyone = algorithm.dump(state), np.ones(5, np.int64)
        pairs = algorithm.choose(state, stream(9)), algorithm.serving.among(state, everyone, scratch, stream(9))
        assert pairs[0] == pairs[1], f"choose gave {pairs[0]}, but among all {pairs[1]}"
        eligible = np.zeros(5, np.int64)
        while eligible.sum() < 2 + t % 3:
            eligible[below(luck, 5)] = 1
        first, second = map(int, algorithm.serving.among(state, eligible, scratch, rng))
        assert first != second and eligible[first] and eligible[second], (
            f"among gave ({first}, {second}) of the arms {np.flatnonzero(eligible).tolist()}"
        )
        assert algorithm.dump(state) == before, "among changed the state"
        first_won = bool(uniform(luck) < 0.9) == (first > second)
        state = algorithm.update(algorithm.reserve(state, 1), first, second, first_won, rng)
    assert algorithm.best(state) == 4, f"arm 4 is the best, but the favourite is {algorithm.best(state)}"
    return None


def check_same_in_other_process_and_mode(algorithm: Algorithm, *more: Algorithm) -> str | None:
    """Compiled here and plain in another process, or the other way round: the same duels, one by one.

    Several algorithms share the other process, because it is slow to start. It cannot import an algorithm from a script
    or a notebook; that one is compared with plain Python in this process. Returns what was left out.
    """
    algorithms = (algorithm, *more)
    strange = [algorithm_ for algorithm_ in algorithms if not _is_importable(algorithm_)]
    if strange:
        for algorithm_ in strange:
            assert trace(algorithm_, _some_problem()) == trace(_in_plain(algorithm_), _some_problem()), (
                f"{algorithm_.name} played other duels as plain Python"
            )
        return "in this process only, as another one cannot import what is not registered by a module"
    for algorithm_, elsewhere in zip(algorithms, _traces_elsewhere(algorithms, compiled=not COMPILED), strict=True):
        here = trace(algorithm_, _some_problem())
        assert here == elsewhere, f"another process, compiled or not, played other duels with {algorithm_.name}"
    return None


def play_in_plain(algorithm: Algorithm) -> None:
    """Play a long run whose steps are plain Python, where an exception has a place."""
    plainly = _in_plain(algorithm)
    for step in play(plainly, _some_problem(), HORIZON):
        plainly.best(step.state)


def _in_plain(algorithm: Algorithm) -> Algorithm:
    """Return an algorithm whose steps, but not the kernels that they call, are plain Python."""
    steps: dict[str, Any] = {name: plain(getattr(algorithm, name)) for name in checks.STEPS}
    return replace(algorithm, **steps, compiled=False)


def _is_importable(own: Algorithm) -> bool:
    known = registered().get(own.name)
    return plain(own.init).__module__ != "__main__" and known is not None and known.init is own.init


def _traces_elsewhere(algorithms: Sequence[Algorithm], compiled: bool) -> list[Any]:
    sources = sorted({plain(algorithm.init).__module__ for algorithm in algorithms})
    asked = [(algorithm.name, dict(algorithm.params)) for algorithm in algorithms]
    code = (
        f"import {', '.join(sources)}; from winnerstays.testing.algorithms import print_traces; print_traces({asked})"
    )
    environment = {**os.environ, "WINNERSTAYS_COMPILE": str(int(compiled)), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"in another process it failed: {done.stderr.strip().splitlines()[-1]}"
    traces: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return traces


def print_traces(asked: list[tuple[str, dict[str, Any]]]) -> None:
    """The traces of registered algorithms as JSON, for comparison between processes."""
    print(json.dumps([trace(algorithm(name, **params), _some_problem()) for name, params in asked]))


CHECKS: list[Callable[[Algorithm], str | None]] = [
    check for name, check in globals().items() if name.startswith("check_")
]
