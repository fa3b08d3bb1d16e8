"""MergeRUCB (Zoghi, Whiteson & de Rijke, WSDM 2015): RUCB for many arms.

The arms are dealt into batches of about M, visited in turn. In a batch, arms that a batch mate beats with confidence
are dropped, then a random arm meets the mate that could be strongest against it. Each time the number of arms has
halved, small batches are merged with large ones. The last arm meets itself for ever.
Strong regret O(N log T) with high probability, if at most a third of the arms are uninformative (they tie with all but
the best arms); most of the N^2 pairs never meet.

Bounds use ln(t + C) with C = ((4 alpha - 1) N^2 / ((2 alpha - 1) epsilon))^(1 / (2 alpha - 1)), so that all of them
hold at once with probability 1 - epsilon.

A batch with one arm is passed over, and merging is repeated once if a batch is still at most M/2 large. So does the
sampler of the first author; Li's MergeDTS code lets such an arm meet itself, and sets t back when batches are merged.
Both codes merge at N / 2^S + 1 survivors, where the rule here has N / 2^S, and start with a win each way.
Our own: arms are dropped one after the other, so that three that beat each other in a circle do not all go; and batches
are merged, too, when each has one arm left, so that it never stands still.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms._shared import confidence
from winnerstays.algorithms._shared.confidence import Strongest
from winnerstays.algorithms._shared.counts import no_tally, record_tally
from winnerstays.algorithms.base import FOREVER, Algorithm, Facts
from winnerstays.algorithms.parameters import Number, Whole
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng, below, shuffle

END = -1
"""What follows the last arm of a batch."""


class State(NamedTuple):
    """A batch is a chain of arms: its head, and for each arm the one that follows."""

    tally: Ints  # w_ij and w_ji
    follower: Ints
    head: Ints
    size: Ints  # |B_m|
    batches: int  # b_S
    survivors: int
    stage: int  # S
    current: int  # m
    batch_size: int  # M
    t: int
    alpha: float
    log_shift: float  # ln C


def init(n_arms: int, rng: Rng, *, alpha: float, batch_size: int, epsilon: float) -> State:
    arms = np.arange(n_arms)
    shuffle(arms, rng)
    batches = [arms[k : k + batch_size] for k in range(0, n_arms, batch_size)]
    follower = np.full(n_arms, END)
    for batch in batches:
        follower[batch[:-1]] = batch[1:]
    head, size = np.array([batch[0] for batch in batches]), np.array([len(batch) for batch in batches])
    ratio = (4.0 * alpha - 1.0) * n_arms * n_arms / ((2.0 * alpha - 1.0) * epsilon)
    log_shift = math.log(ratio) / (2.0 * alpha - 1.0)
    return State(
        tally=no_tally(n_arms),
        follower=follower,
        head=head,
        size=size,
        batches=len(batches),
        survivors=n_arms,
        stage=1,
        current=0,
        batch_size=batch_size,
        t=1,
        alpha=alpha,
        log_shift=log_shift,
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    arm = state.head[state.current]
    size = state.size[state.current]
    if size == 1:
        return arm, arm
    for _ in range(below(rng, size)):
        arm = state.follower[arm]
    return arm, rival(state, arm, rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    record_tally(state.tally, first, second, first_won)
    return next_batch(state._replace(t=state.t + 1))


@kernel
def best(state: State) -> int:
    """Return the arm with the most duels won - lost, of those that are left."""
    chosen, highest = state.head[0], -FOREVER
    for batch in range(state.batches):
        arm = state.head[batch]
        while arm != END:
            score = 0
            for j in range(state.follower.size):
                score += state.tally[arm, j, 0] - state.tally[arm, j, 1]
            if score > highest:
                chosen, highest = arm, score
            arm = state.follower[arm]
    return chosen  # type: ignore[no-any-return]


@kernel
def certain(state: State) -> int:
    return FOREVER if state.survivors == 1 else 0


@kernel
def leap(state: State, duels: int) -> State:
    return state._replace(t=state.t + duels)


@kernel
def budget_now(state: State) -> float:
    """Return alpha ln(t + C), also where C is too large for a number."""
    return state.alpha * (state.log_shift + math.log1p(state.t * math.exp(-state.log_shift)))


@kernel
def rival(state: State, arm: int, rng: Rng) -> int:
    """Return argmax of U[d, c] over the other arms of the batch, ties broken fairly."""
    tally, budget = state.tally, budget_now(state)
    root, strongest = math.sqrt(budget), Strongest(arm, 0.0, 0)
    j = state.head[state.current]
    while j != END:
        if j != arm:
            strongest = confidence.stronger(strongest, tally, arm, j, budget, root, confidence.UNVISITED)
        j = state.follower[j]
    chosen, left = strongest.arm, confidence.tie_to_take(strongest, rng)
    while left > 0:
        chosen = state.follower[chosen]
        if chosen != arm and confidence.same_record(tally, arm, chosen, strongest.arm):
            left -= 1
    return chosen


@kernel
def next_batch(state: State) -> State:
    """Go to the next batch in which two arms are left after dropping; merge batches when it is time."""
    while state.survivors > 1:
        if state.batches > 1:
            halved = math.ldexp(state.survivors, state.stage) <= state.follower.size
            if halved or state.survivors == state.batches:
                state = merge(state)
                if smallest(state) * 2 <= state.batch_size:
                    state = merge(state)
                state = state._replace(stage=state.stage + 1)
        current = state.current + 1 if state.current + 1 < state.batches else 0
        dropped = drop_beaten(state, current)
        state = state._replace(current=current, survivors=state.survivors - dropped)
        if state.size[current] > 1:
            break
    return state


@kernel
def drop_beaten(state: State, batch: int) -> int:
    """Drop one arm after the other that a batch mate beats with confidence; return how many."""
    budget, follower = budget_now(state), state.follower
    previous, arm, dropped = END, state.head[batch], 0
    while arm != END:
        j = state.head[batch]
        while j != END and not confidence.beats(state.tally[arm, j, 1], state.tally[arm, j, 0], budget):
            j = follower[j]
        if j == END:
            previous = arm
        else:
            dropped += 1
            if previous == END:
                state.head[batch] = follower[arm]
            else:
                follower[previous] = follower[arm]
        arm = follower[arm]
    state.size[batch] -= dropped
    return dropped


@kernel
def smallest(state: State) -> int:
    """Return the size of the smallest batch."""
    size = state.size[0]
    for batch in range(1, state.batches):
        size = min(size, state.size[batch])
    return size  # type: ignore[no-any-return]


@kernel
def merge(state: State) -> State:
    """Join the smallest batch with the largest, and so on inwards, where that gives no more than 3M/2 arms."""
    head, size, last = state.head, state.size, state.batches - 1
    for batch in range(1, last + 1):  # sorted by size
        k = batch
        while k > 0 and size[k - 1] > size[k]:
            head[k - 1], head[k] = head[k], head[k - 1]
            size[k - 1], size[k] = size[k], size[k - 1]
            k -= 1
    small, large = 0, last
    while small < large:
        if 2 * (size[small] + size[large]) <= 3 * state.batch_size:
            tail = head[small]
            while state.follower[tail] != END:
                tail = state.follower[tail]
            state.follower[tail] = head[large]
            head[large] = head[small]
            size[large] += size[small]
            small += 1
        large -= 1
    for batch in range(small, last + 1):
        head[batch - small], size[batch - small] = head[batch], size[batch]
    return state._replace(batches=last + 1 - small, current=0)


merge_rucb = register(
    Algorithm(
        name="merge-rucb",
        title="MergeRUCB",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        leap=leap,
        parameters={
            "alpha": Number(1.01, "width of the confidence bounds; the theory wants it above 1/2", above=0.5),
            "batch_size": Whole(4, "arms in a batch at the start", minimum=2),
            "epsilon": Number(0.01, "probability with which the bounds may fail", above=0.0, below=1.0),
        },
        facts=Facts(
            regret="strong",
            assumes="Condorcet winner, at most a third of the arms uninformative",
            guarantee="O(N log T) with high probability",
            cost="O(M^2), O(1) once one arm is left",
            paper="Zoghi, Whiteson & de Rijke, WSDM 2015",
        ),
    )
)
