"""Monte Carlo for any number of arms: draw who wins each iteration, and add its expected length instead of duels.

Given the pair and the iteration's number, length and winner of an iteration have known expectations (a gambler's ruin),
so replacing the duels by them leaves the mean as it is and takes most of the variance away (Rao-Blackwell).
A round costs N-1 draws however long it is.
"""

import math
from dataclasses import replace

import numpy as np
from joblib import Parallel, cpu_count, delayed

from winnerstays._types import Ints
from winnerstays.compiling import entry
from winnerstays.errors import WinnerstaysError
from winnerstays.problems import ProblemLike
from winnerstays.problems import problem as find_problem
from winnerstays.problems.chances import Chances, chance
from winnerstays.problems.problem import Floats, Problem
from winnerstays.randomness import Rng, below, check_seed, shuffle, stream, uniform
from winnerstays.simulation.regret import ArmLosses, arm_losses
from winnerstays.theory.rounds import MAX_ROUNDS, Expectation, Round, without_infinite
from winnerstays.theory.ruin import expected_length, win_probability
from winnerstays.theory.tail import Tail, tail_of
from winnerstays.wording import counted

BATCH = 64
FIRST_RUNS = 512
DUELS, WEAK, WEAK_UTILITY, STRONG, STRONG_UTILITY, WRONG, WORSE, LOSS, FIELDS = range(9)
"""What a run records in each round, in the order of the fields of Round."""


def estimate(
    problem: ProblemLike,
    *,
    beta: float | None = None,
    rule: str = "literal",
    rounds: int | None = None,
    tolerance: float = 1e-6,
    precision: float = 0.01,
    runs: int = 100_000,
    seed: int = 0,
) -> Expectation:
    """Estimate expected regret, with error bars.

    Runs are added until the standard error of the weak binary total is at most `precision` times the total, but at
    most `runs` of them.

    Over infinitely many rounds a run ends as soon as what it can still add is below the tolerance: when the best arm is
    incumbent so high above ruin that it falls too rarely, or when no round is left that could matter.
    """
    if not 0 < precision < 1 or runs < 2:
        raise WinnerstaysError(
            f"precision is {precision} and runs is {runs}; use a fraction such as 0.01 and at least 2 runs."
        )
    check_seed(seed)
    problem = find_problem(problem)
    tail = tail_of(problem)
    if rounds is None:
        if beta is not None:
            raise WinnerstaysError("An estimate for ws-s needs a number of rounds; use --rounds (rounds=...).")
        depth = _rounds_needed(tail, tolerance / 2)
        safe = _safe_heights(tail, depth, tolerance / 2)
    else:
        depth, safe = rounds, np.full(rounds + 1, math.inf)
    by_round, totals = np.zeros((depth, FIELDS)), np.zeros((0, FIELDS))
    wanted = min(FIRST_RUNS, runs)
    while True:
        chunks = [range(first, min(first + BATCH, wanted)) for first in range(len(totals), wanted, BATCH)]
        parts = Parallel(n_jobs=cpu_count(), backend="threading")(
            delayed(_batch)(problem, rule, beta, safe, depth, seed, chunk) for chunk in chunks
        )
        by_round += sum(part[0] for part in parts)
        totals = np.concatenate([totals, *(part[1] for part in parts)])
        reached = totals[:, WEAK].std(ddof=1) / math.sqrt(wanted) <= precision * totals[:, WEAK].mean()
        if wanted >= runs or reached:
            break
        wanted = min(runs, 2 * wanted)
    total = _as_round(depth, totals.mean(axis=0))
    error = _as_round(depth, totals.std(axis=0, ddof=1) / math.sqrt(wanted))
    by_number = [_as_round(l, values) for l, values in enumerate(by_round / wanted, start=1)]
    if rounds is None:
        by_number, left = [], tolerance
        total, error = (without_infinite(replace(sums, round=0)) for sums in (total, error))
    else:
        left = tail.remainder(depth, tail.ratio**depth, beta)
    name = "ws-w" if beta is None else "ws-s"
    warning = "" if reached else f"The precision {precision:g} was not reached in {counted(wanted, 'run')}."
    return Expectation(
        problem, name, rule, beta, "estimate", by_number, total, left, rounds is None, error, wanted, warning
    )


def _as_round(l: int, values: Floats) -> Round:
    return Round(l, *map(float, values))


def _rounds_needed(tail: Tail, tolerance: float) -> int:
    """Return after how many rounds the proved tail is below the tolerance: P(Z(l) != b) <= r**l."""
    rounds = 1
    while tail.remainder(rounds, tail.ratio**rounds) > tolerance:
        rounds += 1 + rounds // 8
        if rounds > MAX_ROUNDS:
            raise WinnerstaysError(
                f"The best arm wins only {tail.p1:.6g} of its closest duels: a total to within {tolerance:g} needs "
                f"more than {MAX_ROUNDS} rounds; ask for a number of rounds."
            )
    return rounds


def _safe_heights(tail: Tail, depth: int, tolerance: float) -> Floats:
    """Return, for each round, the height above ruin at which a run may end with the best arm as incumbent.

    From height E it falls in this round with probability at most r**E, in a later round l' with at most
    r**(N(l'-1)+1). A fall costs at most the rest of its round and what a wrong winner of that round can cost.
    """
    rounds = np.arange(depth + 2)
    cost = np.array([tail.remainder(l - 1, 1.0) + tail.remainder(l, 1.0) for l in range(1, depth + 2)])
    r = tail.ratio
    safe = np.full(depth + 1, math.inf)
    with np.errstate(under="ignore"):
        falls = r ** (tail.n_arms * (rounds[1:] - 1) + 1.0) * cost
        later = np.append(np.cumsum(falls[::-1])[::-1], 0.0)
    for l in range(1, depth + 1):
        budget = tolerance - later[l]
        if budget > 0 and r > 0:
            safe[l] = max(1.0, math.log(cost[l - 1] / budget) / -math.log(r))
        elif budget > 0:
            safe[l] = 1.0
    return safe


def _batch(
    problem: Problem, rule: str, beta: float | None, safe: Floats, depth: int, seed: int, runs: range
) -> tuple[Floats, Floats]:
    """Play some runs; return their sum by round, and the total of each run."""
    at_stake, phases = arm_losses(problem), np.zeros(depth)
    if beta is not None:
        phases = np.floor(beta ** np.arange(1.0, depth + 1))
    by_round, totals = np.zeros((depth, FIELDS)), np.zeros((len(runs), FIELDS))
    for total, run in zip(totals, runs, strict=True):
        record, rng = np.zeros((depth, FIELDS)), stream(seed, run)
        play(problem.chances, at_stake, np.arange(problem.n_arms), rule == "random", safe, record, rng)
        record[:, DUELS] += phases
        record[:, [WEAK, STRONG]] += (phases * record[:, WRONG])[:, None]
        record[:, [WEAK_UTILITY, STRONG_UTILITY]] += (phases * record[:, LOSS])[:, None]
        by_round += record
        total += record.sum(axis=0)
    return by_round, totals


@entry
def play(
    chances: Chances, at_stake: ArmLosses, arms: Ints, random_first: bool, safe: Floats, record: Floats, rng: Rng
) -> None:
    """Play one run. arms[0] is the incumbent, then come arms beaten in this round, then the unplayed ones."""
    n_arms, best_arm, loss = arms.size, at_stake.best_arm, at_stake.loss
    shuffle(arms, rng)
    for l in range(1, record.shape[0] + 1):
        now, done = record[l - 1], False
        for k in range(1, n_arms):
            height = n_arms * (l - 1) + k
            done = arms[0] == best_arm and height >= safe[l]
            if done:
                break
            if k > 1 or (l > 1 and random_first):
                pick = k + below(rng, n_arms - k)
                arms[k], arms[pick] = arms[pick], arms[k]
            incumbent, challenger = arms[0], arms[k]
            x = chance(chances, incumbent, challenger)
            duels = expected_length(x, height)
            now[DUELS] += duels
            now[STRONG] += duels
            now[STRONG_UTILITY] += duels * (loss[incumbent] + loss[challenger]) / 2.0
            if incumbent != best_arm and challenger != best_arm:
                now[WEAK] += duels
                now[WEAK_UTILITY] += duels * min(loss[incumbent], loss[challenger])
            if x < 0.5 and height > 1:
                now[WORSE] += 1.0
            if uniform(rng) >= win_probability(x, height):
                arms[0], arms[k] = challenger, incumbent
        now[WRONG] = 1.0 if arms[0] != best_arm else 0.0
        now[LOSS] = loss[arms[0]]
        if done:
            return
        arms[1], arms[n_arms - 1] = arms[n_arms - 1], arms[1]  # the last loser is challenged first (erratum A1)
