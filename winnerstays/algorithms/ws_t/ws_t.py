"""Winner Stays with a test, WS-T: Winner Stays for strong regret without beta (docs/ws-t.md).

1. The evidence against arm i is S_i, the sum of e_ik = n_ik kl(p_ik, 1/2) over the arms k that lead i in their n_ik
   duels. p_ik is the share that i won, with half a win and half a loss added.
2. Challenger j is due if S_j + ln n + ln(min(N, m / n)) / 2 < min S + ln(CAUTION t), where n is the number of duels of
   j and the incumbent z (at least 1), and m the number of duels between different arms.
3. z meets the arms that are due in turn. If none is due, z meets itself.
4. A meeting lasts until z is one duel ahead in it, and stays; or until j leads z over all their duels, and either
   S_z - S_j > ln(E + 1) or j is E duels ahead in this meeting, the E-th. Then j becomes the incumbent.
5. A third arm k that leads j meets it in place of z, until k is one duel ahead or leads no more, if a unit of evidence
   costs half the regret: (g_j + g_k) n_jk / (sqrt(e_jk) - 1/2)^2 < g_j / 2 kl(1/2 + g_j, 1/2), where g_i is what z won
   of its duels with i beyond a half, and sqrt(1 / 2n) more. If no such arm is known, one may be tried (opponent.py).

CAUTION is 3. The duels of z with itself need not be played one by one.
"""

import math

import numpy as np

from winnerstays.algorithms._shared.counts import no_wins, played, record, time_before
from winnerstays.algorithms._shared.passes import random_numbering
from winnerstays.algorithms.base import Algorithm, Facts
from winnerstays.algorithms.registry import register
from winnerstays.algorithms.ws_t.opponent import find_opponent
from winnerstays.algorithms.ws_t.state import INGREDIENTS, TIE, UNIT, Rules, State, count
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng


def init(n_arms: int, rng: Rng, *, caution: float) -> State:
    usual = {name: ingredient.default for name, ingredient in INGREDIENTS.items()}
    return init_variant(n_arms, rng, **{**usual, "caution": caution})  # type: ignore[arg-type]


def init_variant(
    n_arms: int,
    rng: Rng,
    *,
    caution: float,
    root: float,
    shrink: float,
    succession: float,
    lead: str,
    challenger: str,
    third: str,
) -> State:
    """Return the State of the rule with other ingredients before its first duel."""
    return State(
        numbering=random_numbering(n_arms, rng),
        wins=no_wins(n_arms),
        against=np.zeros(n_arms, np.int64),
        incumbent=0,
        challenger=1,
        opponent=0,
        ahead=0,
        meeting=1,
        met=0,
        served=0,
        tried=0,
        t=0,
        until=0,
        rules=Rules(
            log_caution=math.log(caution),
            root=root,
            shrink=shrink,
            succession=succession,
            by_lead=lead == "meeting",
            next_due=challenger == "next",
            third=third != "never",
            trials=third == "tried",
        ),
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    arm = state.numbering.arm
    return arm[state.opponent], arm[state.challenger]


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    state = state._replace(t=state.t + 1)
    z, k, j = state.incumbent, state.opponent, state.challenger
    if k == j:
        return state if state.t < state.until else decide(state)
    won = (first == state.numbering.arm[k]) == first_won
    count(state, k, j, -1)
    record(state.wins, k, j, won)
    count(state, k, j, 1)
    state = state._replace(met=state.met + 1, ahead=state.ahead + (1 if won else -1))
    lead = state.wins[k, j] - state.wins[j, k]
    if k != z:
        return state if state.ahead < 1 and lead > 0 else decide(state)
    if lead < 0 and succeeds(state):
        return decide(state._replace(incumbent=j))
    return state if state.ahead < 1 else decide(state)


@kernel
def best(state: State) -> int:
    return state.numbering.arm[state.incumbent]  # type: ignore[no-any-return]


@kernel
def certain(state: State) -> int:
    return max(state.until - state.t - 1, 0) if state.incumbent == state.challenger else 0


@kernel
def leap(state: State, duels: int) -> State:
    return state._replace(t=state.t + duels)


@kernel
def succeeds(state: State) -> bool:
    """Whether a challenger that leads z has proved itself."""
    if state.rules.by_lead and state.ahead <= -state.meeting:
        return True
    lead = (state.against[state.incumbent] - state.against[state.challenger]) * UNIT
    return lead > state.rules.succession * math.log(state.meeting + 1.0)  # type: ignore[no-any-return]


@kernel
def index(state: State, j: int) -> float:
    """Return what min S + ln(CAUTION t) must exceed for challenger j to be due."""
    n = max(played(state.wins, state.incumbent, j), 1)
    return state.against[j] * UNIT + math.log(n) + state.rules.root * math.log(min(state.against.size, state.met / n))  # type: ignore[no-any-return]


@kernel
def decide(state: State) -> State:
    """End a meeting or a time of self-duels: find the next challenger, or how long the incumbent meets itself."""
    z, n_arms, log_t = state.incumbent, state.against.size, math.log(state.t + 1.0)
    meeting = state.meeting + (0 if state.challenger == z and state.until > 0 else 1)
    least_against = state.against[0]
    for said in state.against:
        least_against = min(least_against, said)
    doubt = state.rules.log_caution + least_against * UNIT
    j, least, k = z, math.inf, state.challenger
    for _ in range(n_arms):
        k = k + 1 if k + 1 < n_arms else 0
        if k == z:
            continue
        value = index(state, k)
        if value < least - TIE:
            j, least = k, value
            if state.rules.next_due and least - doubt < log_t:
                break
    if least - doubt < log_t:
        return find_opponent(state._replace(challenger=j, opponent=z, ahead=0, meeting=meeting, until=0))
    until = max(time_before(least - doubt), state.t + 1)
    return state._replace(challenger=z, opponent=z, meeting=meeting, until=until)


ws_t = register(
    Algorithm(
        name="ws-t",
        title="Winner Stays with a test",
        init=init,
        choose=choose,
        update=update,
        best=best,
        certain=certain,
        leap=leap,
        parameters={"caution": INGREDIENTS["caution"]},
        version=3,
        facts=Facts(
            guarantee="strong regret O(log T) (docs/ws-t.md)",
            cost="O(1), and O(N) a meeting",
            paper="docs/ws-t.md",
        ),
    )
)
