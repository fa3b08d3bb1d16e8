"""Winner Stays with a test, WS-T: Winner Stays for strong regret without beta (docs/ws-t.md).

The incumbent z meets the challenger against whom there is the least evidence, until z is one duel ahead (z stays) or
the challenger has proved itself (it is the new incumbent). While the evidence against every challenger is larger than
ln t asks for, z meets itself; those duels need not be played one by one.

Evidence against arm i, from all pairs as in RMED: S_i = sum of e_ik over the arms k that lead i, where e_ik is
n_ik kl(p_ik, 1/2) and one win and one loss are added to the share p_ik. In the case V_j against a challenger j its
record with z is taken with a quarter of a win and a loss instead. The case rests on w_j duels: those with z, but no
more than the mean of n_jk over the arms k that lead j, each weighing as much as its evidence.
- j is met while exp(V_j - S_z) w_j sqrt(min(N, m / w_j)) <= CAUTION t, m being the duels so far that were no
  self-duels; an arm that never played comes first. Nothing need be set: CAUTION is 3.
- j becomes the incumbent if it leads z, and S_z - S_j > ln(E + 1) or j is E duels ahead within this meeting, the E-th.
"""

import math
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.algorithms._shared.counts import kl_half, no_wins, played, record, time_before
from winnerstays.algorithms._shared.passes import Numbering, random_numbering
from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.parameters import Choice, Number, Parameter
from winnerstays.algorithms.registry import register
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng

UNIT = 2.0**-32
"""The unit in which S_i is kept, so that replacing the evidence of a pair leaves no rounding behind."""
TIE = 2.0**-20
"""Indices that differ by less are equal sums, rounded in different pieces."""
CASE, ALL, INCUMBENT = range(3)
"""What w_j counts: as above; all duels of j with arms that lead it; those with the incumbent."""
INGREDIENTS: dict[str, Parameter] = {
    "caution": Number(3.0, "factor of t: more of it costs a higher mean, and makes wrong incumbents rarer", above=0.0),
    "weight": Number(1.0, "power of w", minimum=0.0),
    "root": Number(0.5, "power of min(N, m / w)", minimum=0.0),
    "shrink": Number(1.0, "wins and losses added to a record in S", minimum=0.0),
    "case_shrink": Number(0.25, "those added to the record with the incumbent in V", minimum=0.0),
    "succession": Number(1.0, "factor of ln(E + 1)", minimum=0.0),
    "duels": Choice(("case", "all", "incumbent"), "what w counts"),
    "lead": Choice(("meeting", "never"), "whether E ahead within a meeting makes an incumbent"),
    "pairs": Choice(("all", "incumbent"), "the pairs that are evidence"),
    "challenger": Choice(("least", "next"), "of least evidence, or the next in a fixed order that is to be met"),
}
"""The ingredients of the rule with their values; others are for the ablation alone."""


class Rules(NamedTuple):
    log_caution: float
    weight: float
    root: float
    shrink: float
    case_shrink: float
    succession: float
    counting: int  # CASE, ALL or INCUMBENT
    by_lead: bool
    all_pairs: bool
    least: bool


class State(NamedTuple):
    numbering: Numbering
    wins: Ints  # W, like all that follows by inside numbers
    against: Ints  # S in units of 2**-32
    rested: Floats  # sum over k that lead i of n_ik e_ik, or of n_ik
    case: Floats  # V; -inf before the first duel
    log_weight: Floats  # ln w
    incumbent: int  # z
    challenger: int  # j; z in a self-duel
    ahead: int  # duels by which z is ahead in this meeting
    meeting: int  # E
    met: int  # m
    t: int
    until: int  # z meets itself up to this duel
    rules: Rules


def init(n_arms: int, rng: Rng, *, caution: float) -> State:
    usual = {name: one.default for name, one in INGREDIENTS.items()}
    return init_variant(n_arms, rng, **{**usual, "caution": caution})  # type: ignore[arg-type]


def init_variant(
    n_arms: int,
    rng: Rng,
    *,
    caution: float,
    weight: float,
    root: float,
    shrink: float,
    case_shrink: float,
    succession: float,
    duels: str,
    lead: str,
    pairs: str,
    challenger: str,
) -> State:
    """Return the State of the rule with other ingredients before its first duel."""
    return State(
        numbering=random_numbering(n_arms, rng),
        wins=no_wins(n_arms),
        against=np.zeros(n_arms, np.int64),
        rested=np.zeros(n_arms),
        case=np.full(n_arms, -math.inf),
        log_weight=np.zeros(n_arms),
        incumbent=0,
        challenger=1,
        ahead=0,
        meeting=1,
        met=0,
        t=0,
        until=0,
        rules=Rules(
            log_caution=math.log(caution),
            weight=weight,
            root=root,
            shrink=shrink,
            case_shrink=case_shrink,
            succession=succession,
            counting=("case", "all", "incumbent").index(duels),
            by_lead=lead == "meeting",
            all_pairs=pairs == "all",
            least=challenger == "least",
        ),
    )


@kernel
def choose(state: State, rng: Rng) -> tuple[int, int]:
    arm = state.numbering.arm
    return arm[state.incumbent], arm[state.challenger]


@kernel
def update(state: State, first: int, second: int, first_won: bool, rng: Rng) -> State:
    state = state._replace(t=state.t + 1)
    z, j = state.incumbent, state.challenger
    if z == j:
        return state if state.t < state.until else decide(state)
    z_won = (first == state.numbering.arm[z]) == first_won
    count(state, z, j, -1)
    record(state.wins, z, j, z_won)
    count(state, z, j, 1)
    make_case(state, j)
    state = state._replace(met=state.met + 1, ahead=state.ahead + (1 if z_won else -1))
    if state.wins[j, z] > state.wins[z, j] and succeeds(state, j):
        return decide(enthrone(state, j))
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
def evidence(wins: Ints, i: int, j: int, added: float) -> float:
    """Return n kl(p, 1/2), how far the record of two arms speaks against the one that is behind."""
    n = played(wins, i, j)
    return n * kl_half((wins[i, j] + added) / (n + 2.0 * added)) if n > 0 else 0.0


@kernel
def count(state: State, i: int, j: int, sign: int) -> None:
    """Add to S, and to the duels it rests on, what the pair says; or take it away."""
    lead = state.wins[i, j] - state.wins[j, i]
    if lead != 0:
        behind = j if lead > 0 else i
        n, said = played(state.wins, i, j), evidence(state.wins, i, j, state.rules.shrink)
        state.against[behind] += sign * int(said / UNIT + 0.5)
        state.rested[behind] += sign * (n if state.rules.counting == ALL else n * said)


@kernel
def make_case(state: State, j: int) -> None:
    """Write down V and ln w of a challenger."""
    z, rules = state.incumbent, state.rules
    n, case, with_z = played(state.wins, j, z), state.against[j] * UNIT, 0.0
    if state.wins[z, j] > state.wins[j, z]:
        with_z = evidence(state.wins, j, z, rules.case_shrink)
        case += with_z - evidence(state.wins, j, z, rules.shrink)
    rests_on = float(n)
    if rules.counting == ALL:
        rests_on = state.rested[j]
    elif rules.counting == CASE and state.against[j] > 0:
        rests_on = min(rests_on, state.rested[j] / (state.against[j] * UNIT))
    state.case[j] = case if rules.all_pairs else with_z
    state.log_weight[j] = math.log(max(rests_on, 1.0))


@kernel
def succeeds(state: State, j: int) -> bool:
    """Whether a challenger that leads z has proved itself."""
    rules, asked = state.rules, state.rules.succession * math.log(state.meeting + 1.0)
    if rules.by_lead and state.ahead <= -state.meeting:
        return True
    if not rules.all_pairs:
        return evidence(state.wins, state.incumbent, j, rules.shrink) > asked
    return (state.against[state.incumbent] - state.against[j]) * UNIT > asked  # type: ignore[no-any-return]


@kernel
def enthrone(state: State, j: int) -> State:
    """Make j the incumbent; every case is made anew."""
    old = state.incumbent
    state = state._replace(incumbent=j)
    for k in range(state.case.size):
        if k == old or state.case[k] > -math.inf:
            make_case(state, k)
    return state


@kernel
def decide(state: State) -> State:
    """End a meeting or a time of self-duels: find the next challenger, or how long the incumbent meets itself."""
    z, rules, log_n, log_m = state.incumbent, state.rules, math.log(state.case.size), math.log(state.met)
    meeting = state.meeting + (0 if state.challenger == z and state.until > 0 else 1)
    doubt = rules.log_caution + (state.against[z] * UNIT if rules.all_pairs else 0.0)
    j, least, now = z, math.inf, math.log(state.t + 1.0)
    k = state.challenger
    for _ in range(state.case.size):
        k = k + 1 if k + 1 < state.case.size else 0
        w = state.log_weight[k]
        index = state.case[k] + rules.weight * w + rules.root * min(log_n, log_m - w)
        if k != z and index < least - TIE:
            j, least = k, index
            if not rules.least and least - doubt < now:
                break
    if least - doubt < now:
        return state._replace(challenger=j, ahead=0, meeting=meeting, until=0)
    until = max(time_before(least - doubt), state.t + 1)
    return state._replace(challenger=z, meeting=meeting, until=until)


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
        guarantee="strong regret O(log T) (docs/ws-t.md)",
        cost="O(1), and O(N) a meeting",
        paper="docs/ws-t.md",
    )
)
