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
- A third arm k that leads j meets it in place of z, until k is a duel ahead or leads no more, if a unit of evidence
  costs half the regret there: (g_j + g_k) n_jk / (sqrt(e_jk) - 1/2)^2 < g_j / 2 kl(1/2 + g_j, 1/2), where g_i is what z
  won of its duels with i beyond a half, and sqrt(1 / 2n) more. If no such arm is known, one may be tried (opponent.py).
"""

import math

import numpy as np

from winnerstays.algorithms._shared.counts import no_wins, record, time_before
from winnerstays.algorithms._shared.passes import random_numbering
from winnerstays.algorithms.base import Algorithm, Facts
from winnerstays.algorithms.registry import register
from winnerstays.algorithms.ws_t.evidence import count, evidence, make_case
from winnerstays.algorithms.ws_t.opponent import find_opponent
from winnerstays.algorithms.ws_t.state import INGREDIENTS, TIE, UNIT, Rules, State
from winnerstays.compiling import kernel
from winnerstays.randomness import Rng


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
    third: str,
    doubt: float,
    cheap: float,
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
            weight=weight,
            root=root,
            shrink=shrink,
            case_shrink=case_shrink,
            succession=succession,
            counting=("case", "all", "incumbent").index(duels),
            by_lead=lead == "meeting",
            all_pairs=pairs == "all",
            least=challenger == "least",
            third=third != "never" and pairs == "all",
            trials=third == "tried",
            doubt=doubt,
            cheap=cheap,
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
    make_case(state, j)
    state = state._replace(met=state.met + 1, ahead=state.ahead + (1 if won else -1))
    lead = state.wins[k, j] - state.wins[j, k]
    if k != z:
        make_case(state, k)
        return state if state.ahead < 1 and lead > 0 else decide(state)
    if lead < 0 and succeeds(state, j):
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
        version=2,
        facts=Facts(
            guarantee="strong regret O(log T) (docs/ws-t.md)",
            cost="O(1), and O(N) a meeting",
            paper="docs/ws-t.md",
        ),
    )
)
