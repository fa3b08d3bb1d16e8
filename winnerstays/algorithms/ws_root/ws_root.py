"""Root Winner Stays: one learner for real traffic (weak regret).

Algorithm 1 of Chen & Frazier shows the two arms with the most duels won minus lost. Here a lead over one opponent
counts by its square root and a deficit in full, so that no victim makes an arm look strong; an arm pays the root of
what was shown of it and not answered, so that many duels may be open at once. Any outcome of any pair is learned,
whenever it comes; arms join and leave; a change of tastes is noticed. None of it needs a parameter.

score(i, S) = sum over j in S of h(D_ij) - sqrt(u_i) + prior_i N / (N + t), where D_ij are the duels i won - lost
against j, h(D) = sqrt(D) for a lead and D for a deficit, u_i the duels of i that are open or were passed over since its
last answer, t the outcomes. All is in whole numbers, in units of 1/1024: sums do not depend on the order of arrival.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from winnerstays._types import Ints
from winnerstays.algorithms._shared.margins import empty_table, margin, refill, sorted_pairs, with_room
from winnerstays.algorithms.base import Algorithm, Facts, Serving
from winnerstays.algorithms.parameters import Number
from winnerstays.algorithms.registry import register
from winnerstays.algorithms.ws_root.scores import (
    add_margins,
    add_up,
    answered,
    bits,
    change_margin,
    charge,
    cut_leads,
    lead_anew,
    led_by,
    standing,
    top_two,
    worth,
)
from winnerstays.algorithms.ws_root.state import ACTIVE, PASSES, PRIOR, ROWS, SCORE, SHOWN, WAITING, State
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng

CHANGE = Number(3.0, "how clear a change of tastes must be before leads are cut; 0: it is not looked for", minimum=0.0)


def init(n_arms: int, rng: Rng, *, change: float) -> State:
    arms = np.zeros((ROWS, n_arms), np.int64)
    arms[ACTIVE] = 1
    return State(
        arms=arms,
        table=empty_table(0),
        met=0,
        leader=0,
        behind=0,
        since=0,
        step=0,
        change=change,
        highest_prior=0,
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    return top_two(state, state.arms[ACTIVE], state.arms[SCORE], rng)


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    answered(state, first, second)
    winner, loser = (first, second) if first_won else (second, first)
    met = state.met + change_margin(state, winner, loser, margin(state.table, winner, loser) + 1)
    behind, since, step = state.behind, state.since, state.step + 1
    if state.leader in (winner, loser):
        behind += 1 if loser == state.leader else -1
        since += 1
        if behind <= 0:
            behind, since = 0, 0
        elif 0.0 < state.change * since * bits(state.arms.shape[1] + step) < behind * behind:
            cut_leads(state, state.leader)
            behind, since = 0, 0
    state = state._replace(met=met, behind=behind, since=since, step=step)
    if loser == state.leader:
        return lead_anew(state)
    ahead = state.arms[ACTIVE, winner] and standing(state, winner) > standing(state, state.leader)
    return led_by(state, winner) if ahead else state


@kernel
def best(state: State) -> int:
    """Return the arm with the highest score, open duels not counted."""
    return state.leader


@kernel
def show(state: State, first: int, second: int) -> State:
    for arm in (first, second):
        state.arms[WAITING, arm] += 1
        state.arms[SHOWN, arm] += 1
        charge(state, arm)
    return state


@kernel
def pass_(state: State, first: int, second: int) -> State:
    for arm in (first, second):
        state.arms[WAITING, arm] -= 1
        state.arms[PASSES, arm] += 1
        charge(state, arm)
    return state


@kernel
def tie(state: State, first: int, second: int) -> State:
    """Half a win to each leaves D as it is; but both were answered."""
    answered(state, first, second)
    return state


def join(state: State, arms: Sequence[int], rng: Rng) -> State:
    """A newcomer starts level with everyone, at 0; an arm that comes back has its margins again."""
    missing = max(arms) + 1 - state.arms.shape[1]
    if missing > 0:
        state = state._replace(arms=np.hstack([state.arms, np.zeros((ROWS, missing), np.int64)]))
    state.arms[ACTIVE, list(arms)] = 1
    return add_up(state)


def leave(state: State, arms: Sequence[int], rng: Rng) -> State:
    """Whoever leaves is no opponent any more; its margins are kept."""
    state.arms[ACTIVE, list(arms)] = 0
    return add_up(state)


def present(state: State) -> Sequence[int]:
    return np.flatnonzero(state.arms[ACTIVE]).tolist()


def rank(state: State, arms: Sequence[int]) -> Sequence[int]:
    """By their scores, open duels not counted; ties: the leader, then as given."""
    return sorted(arms, key=lambda arm: (-standing(state, arm), arm != state.leader))


def believe(state: State, prior: Sequence[tuple[int, int]]) -> State:
    for arm, points in prior:
        state.arms[PRIOR, arm] = points
    return lead_anew(state._replace(highest_prior=max(0, int(state.arms[PRIOR].max()))))


def seen(state: State) -> Sequence[int]:
    return np.flatnonzero(state.arms[SHOWN]).tolist()


@kernel
def among(state: State, eligible: Ints, scratch: Ints, rng: Rng) -> tuple[int, int]:
    """Scores are sums over eligible opponents: by pairs of eligible arms, or by pairs that met, whichever are fewer."""
    count = 0
    for arm in range(eligible.size):
        scratch[arm] = 0
        count += eligible[arm]
    if count * count < state.table.shape[1]:
        for one in range(eligible.size):
            if eligible[one]:
                for other in range(one):
                    if eligible[other]:
                        lead = margin(state.table, one, other)
                        scratch[one] += worth(lead)
                        scratch[other] += worth(-lead)
    else:
        add_margins(state, eligible, scratch)
    return top_two(state, eligible, scratch, rng)


def reserve(state: State, updates: int) -> State:
    n_arms = state.arms.shape[1]
    wanted = min(n_arms * (n_arms - 1) // 2, state.met + updates)
    table = with_room(state.table, state.met, wanted)
    return state if table is state.table else state._replace(table=table)


def stored(state: State) -> tuple[Any, ...]:
    """Return all but the scores and the parameters: who left, by rows, the pairs in order, and the leader."""
    gone = 1 - state.arms[ACTIVE]
    return (
        gone,
        *state.arms[PRIOR:ACTIVE],
        *sorted_pairs(state.table),
        state.leader,
        state.behind,
        state.since,
        state.step,
    )


def restored(stored: tuple[Any, ...], fresh: State) -> State:
    gone, *rows, keys, margins, leader, behind, since, step = stored
    table = empty_table(keys.size)
    met = refill(table, keys, margins)
    arms = np.vstack([np.zeros((2, gone.size), np.int64), *rows, 1 - gone])
    state = fresh._replace(
        arms=arms, table=table, met=met, leader=leader, behind=behind, since=since, step=step,
        highest_prior=max(0, int(arms[PRIOR].max())),
    )  # fmt: skip
    add_margins(state, arms[ACTIVE], arms[SCORE])
    for arm in np.flatnonzero(arms[WAITING] + arms[PASSES]).tolist():
        charge(state, arm)
    return state


ws_root = register(
    Algorithm(
        name="ws-root",
        title="Root Winner Stays",
        init=init,
        choose=choose,
        update=update,
        best=best,
        reserve=reserve,
        parameters={"change": CHANGE},
        serving=Serving(
            any_pair=True,
            show=show,
            pass_=pass_,
            tie=tie,
            join=join,
            leave=leave,
            present=present,
            rank=rank,
            believe=believe,
            seen=seen,
            among=among,
            stored=stored,
            restored=restored,
        ),
        facts=Facts(
            regret="weak",
            guarantee="weak regret bounded for ever without the test for changes (docs/traffic.md)",
            cost="O(N)",
            paper="docs/traffic.md",
        ),
    )
)
