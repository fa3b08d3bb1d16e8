"""Exact rounds of any problem with few arms, by recursion over (incumbent, set of arms not yet played).

Within a round, a challenger is drawn uniformly from the unplayed set; the iteration is a gambler's ruin that depends on
the pair and the iteration's number alone. Probability flows from each set to smaller ones, so one sweep over the sets,
written as bitmasks, from large to small is a round. Between rounds only the winner matters, and with the literal rule
(erratum A1) also who lost last, since that arm is challenged first.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from winnerstays.compiling import entry, summing
from winnerstays.errors import WinnerstaysError
from winnerstays.problems.problem import Floats, Problem
from winnerstays.simulation.regret import arm_losses
from winnerstays.theory import ranks
from winnerstays.theory.rounds import Round
from winnerstays.theory.ruin import expected_length, loss_probability, win_probability
from winnerstays.theory.tail import tail_of

MAX_ARMS = 20
"""Arms up to which the recursion is offered; N arms take 8 N 2**N bytes, and twice as long for each arm more."""


class Sweep(NamedTuple):
    """One round of WS-W: arrays [k, j, i] for iteration k with challenger j and incumbent i, and [j, i]."""

    round: int  # l
    start: Floats  # [j, i]: P(i is incumbent and j challenger in iteration 1)
    stay: Floats
    fall: Floats
    duration: Floats
    pairs: Floats  # P(i is incumbent and j challenger in iteration k)
    outcome: Floats  # [j, i]: P(i wins the round, j loses its last iteration)

    def from_starts(self, start: Floats) -> Floats:
        """Return `pairs` as they would be with other weights of the starts."""
        n_arms = start.shape[0]
        pairs = np.zeros_like(self.pairs)
        sweep(np.ascontiguousarray(start), self.stay, self.fall, np.zeros((1 << n_arms, n_arms)), pairs)
        return pairs


def sweeps(problem: Problem, rule: str) -> Iterator[Sweep]:
    """Yield what can happen in each round of WS-W, without end; the arrays are overwritten by the next round."""
    n_arms = problem.n_arms
    if n_arms > MAX_ARMS:
        raise WinnerstaysError(
            f"{problem.name} has {n_arms} arms, but the exact recursion goes up to {MAX_ARMS}{_memory(n_arms)}. Use "
            "--estimate (method='estimate'), which draws iteration winners and gives error bars"
            + (", or --rule random (rule='random')." if ranks.fits(problem) and rule != "random" else ".")
        )
    preferences = np.ascontiguousarray(problem.preferences)
    mass = np.zeros((1 << n_arms, n_arms))
    stay, fall, duration, pairs = np.zeros((4, n_arms, n_arms, n_arms))
    start = np.full((n_arms, n_arms), 1.0 / (n_arms * (n_arms - 1)))
    np.fill_diagonal(start, 0.0)
    l = 0
    while True:
        l += 1
        pairs[:] = 0.0
        ruins(preferences, l, stay, fall, duration)
        sweep(start, stay, fall, mass, pairs)
        last = pairs[n_arms - 1]
        outcome = last * stay[n_arms - 1] + (last * fall[n_arms - 1]).T
        yield Sweep(l, start, stay, fall, duration, pairs, outcome)
        if rule == "literal":
            start = outcome
        else:
            start = np.tile(outcome.sum(axis=0) / (n_arms - 1), (n_arms, 1))
            np.fill_diagonal(start, 0.0)


def rounds(problem: Problem, rule: str) -> Iterator[Round]:
    """Yield the rounds of WS-W, without end."""
    all_sweeps = sweeps(problem, rule)
    best_arm, losses, loss = problem.winner, _losses(problem), arm_losses(problem).loss
    second = tail_of(problem).runner_up
    worse = problem.preferences.T < 0.5  # [challenger, incumbent], as everywhere here
    for step in all_sweeps:
        duels = (step.pairs * step.duration).sum(axis=0)
        winners = step.outcome.sum(axis=0)
        yield Round(
            round=step.round,
            duels=float(duels.sum()),
            weak_binary=float((duels * losses[0]).sum()),
            weak_utility=float((duels * losses[1]).sum()),
            strong_binary=float(duels.sum()),
            strong_utility=float((duels * losses[2]).sum()),
            wrong_winner=float(np.delete(winners, best_arm).sum()),
            worse_incumbents=float((step.pairs[2 if step.round == 1 else 1 :] * worse).sum()),
            winner_loss=float(winners @ loss),
            neither=None if second is None else float(np.delete(winners, [best_arm, second.arm]).sum()),
        )


def steps(n_arms: int) -> float:
    """Return the number of additions in a round."""
    return n_arms**2 * 2.0 ** (n_arms - 1)


def _losses(problem: Problem) -> Floats:
    """Return weak binary, weak utility and strong utility regret of a duel, for each pair of different arms."""
    loss = arm_losses(problem).loss
    weak = np.minimum.outer(loss, loss)
    strangers = np.ones_like(weak)
    strangers[problem.winner, :] = strangers[:, problem.winner] = 0.0
    return np.array([strangers, weak, np.add.outer(loss, loss) / 2.0])


def _memory(n_arms: int) -> str:
    """Say how much would be needed, where that is less than the memory of any machine."""
    size = 8 * n_arms * 2**n_arms
    return f": for {n_arms} it would need {size / 1e9:.3g} GB of memory" if size < 1e15 else ""


@entry
def ruins(preferences: Floats, l: int, stay: Floats, fall: Floats, duration: Floats) -> None:
    """Fill stay, fall and duration[k, j, i] for incumbent i, challenger j and iteration k of round l.

    A fall has a probability of its own, accurate even where it is 1e-300; 1 - stay would be 0 there.
    """
    n_arms = preferences.shape[0]
    for k in range(1, n_arms):
        height = n_arms * (l - 1) + k
        for j in range(n_arms):
            for i in range(n_arms):
                stay[k, j, i] = win_probability(preferences[i, j], height)
                fall[k, j, i] = loss_probability(preferences[i, j], height)
                duration[k, j, i] = expected_length(preferences[i, j], height)


@summing
def sweep(start: Floats, stay: Floats, fall: Floats, mass: Floats, pairs: Floats) -> None:
    """Sum over one round: pairs[k, j, i] becomes P(i is incumbent and j challenger in iteration k).

    start[j, i] is that probability for k = 1.

    mass[unplayed, i] is P(i is incumbent while that set is unplayed); it must be zero and is left so.
    """
    n_arms = start.shape[0]
    everyone = (1 << n_arms) - 1
    for j in range(n_arms):
        for i in range(n_arms):
            if i != j:
                pairs[1, j, i] = start[j, i]
                left = everyone ^ (1 << i) ^ (1 << j)
                mass[left, i] += start[j, i] * stay[1, j, i]
                mass[left, j] += start[j, i] * fall[1, j, i]
    for unplayed in range(everyone, 0, -1):
        n_unplayed = 0
        for j in range(n_arms):
            n_unplayed += unplayed >> j & 1
        k, share = n_arms - n_unplayed, 1.0 / n_unplayed
        for j in range(n_arms):
            if unplayed >> j & 1:
                left = unplayed ^ (1 << j)
                falls = 0.0
                for i in range(n_arms):
                    meets = mass[unplayed, i] * share
                    pairs[k, j, i] += meets
                    mass[left, i] += meets * stay[k, j, i]
                    falls += meets * fall[k, j, i]
                mass[left, j] += falls
        for i in range(n_arms):
            mass[unplayed, i] = 0.0
    for i in range(n_arms):
        mass[0, i] = 0.0
