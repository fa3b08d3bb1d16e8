"""Algorithms that drop arms until one is left: step by step against the papers' own inequalities."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy.special import kl_div

from winnerstays import algorithm, simulate
from winnerstays.algorithms import btm, interleaved_filter, scb
from winnerstays.algorithms._shared import pair_sweeps
from winnerstays.problems import total_order
from winnerstays.randomness import stream
from winnerstays.testing import play

ELIMINATING = ("if1", "if2", "btm", "savage", "racing")


def clear_cut(n_arms):
    """Arms so different that every kind of decision is made within a few thousand duels."""
    return total_order(n_arms, 0.9)


@pytest.mark.parametrize("n_arms", [2, 5])
@pytest.mark.parametrize("name", ["if1", "if2"])
def test_filter_drops_all_at_the_first_n_above_16_log_terms_if_the_champion_always_wins(name, n_arms):
    horizon, rng = 100, stream(3)
    state = algorithm(name).start(n_arms, rng, horizon=horizon)
    duels = 0
    while state.size:
        first, second = interleaved_filter.choose(state, rng)
        assert first == state.champion != second
        state = interleaved_filter.update(state, first, second, True, rng)
        duels += 1
    sweeps = math.floor(16 * math.log(horizon * n_arms**2)) + 1
    assert duels == sweeps * (n_arms - 1)
    assert n_arms > 2 or duels == 96, "by hand: 16 ln(100 * 4) = 95.9 for 2 arms and a horizon of 100"


@pytest.mark.parametrize("name", ["if1", "if2"])
def test_filter_follows_the_literal_rule(name):
    problem, horizon, changes, prunings = clear_cut(6), 5000, 0, 0
    log_term = math.log(horizon * problem.n_arms**2)
    for seed in range(8):
        champion, active, wins, sweep, turns = None, set(), Counter(), 0, []
        for step in play(algorithm(name), problem, 4000, seed, horizon):
            state = step.state
            if champion is None:
                champion, active = state.champion, set(range(problem.n_arms)) - {state.champion}
            assert (state.champion, set(state.others[: state.size].tolist())) == (champion, active)
            if not active:
                assert step.first == step.second == champion
                continue
            assert step.first == champion and step.second in active and step.second not in turns
            turns.append(step.second)
            wins[step.second] += step.first_won
            if len(turns) == len(active):
                sweep += 1
                radius = math.sqrt(4 * log_term / sweep)
                share = {arm: wins[arm] / sweep for arm in active}
                active -= {arm for arm in active if share[arm] - radius > 0.5}
                better = next((arm for arm in turns if share[arm] + radius < 0.5), None)
                if better is not None:
                    changes += 1
                    if name == "if2":
                        behind = {arm for arm in active if share[arm] > 0.5}
                        prunings += len(behind)
                        active -= behind
                    champion, active, wins, sweep = better, active - {better}, Counter(), 0
                turns = []
    assert changes >= 5 and (prunings > 0) == (name == "if2")


def test_beat_the_mean_follows_the_literal_rule():
    problem, horizon, n_arms, drops = clear_cut(6), 5000, 6, 0
    scale = 1.2**2 * math.sqrt(math.log(2 * horizon * n_arms))
    for seed in range(6):
        active, met, won = list(range(n_arms)), np.zeros((n_arms, n_arms)), np.zeros((n_arms, n_arms))
        share, surely_worse = np.zeros(n_arms), False
        for step in play(algorithm("btm"), problem, 6000, seed, horizon):
            now = step.state.arms[: step.state.size].tolist()
            dropped = set(active) - set(now)
            assert len(dropped) == surely_worse and set(now) <= set(active)
            if dropped:
                assert share[dropped.pop()] == share[active].min()
                drops += 1
            active = now
            plays = met[:, active].sum(axis=1)
            assert (step.state.plays[active] == plays[active]).all(), "n_b is b's duels against survivors"
            if len(active) == 1:
                assert [step.first, step.second] == 2 * active
                break
            assert plays[step.first] == plays[active].min()
            assert step.first != step.second and step.second in active
            met[step.first, step.second] += 1
            won[step.first, step.second] += step.first_won
            plays = met[:, active].sum(axis=1)
            share = np.where(plays > 0, won[:, active].sum(axis=1) / np.maximum(plays, 1), 0.5)
            least = plays[active].min()
            radius = scale / math.sqrt(least) if least else 1.0
            surely_worse = share[active].min() + radius <= share[active].max() - radius
    assert drops >= 25


def test_beat_the_mean_knows_how_often_survivors_met_at_all_times():
    problem = clear_cut(12)
    sizes = set()
    for step in play(algorithm("btm"), problem, 12_000, 1, horizon=20_000):
        state = step.state
        active = state.arms[: state.size]
        sizes.add(state.size)
        assert (state.plays[active] == state.met[np.ix_(active, active)].sum(axis=1)).all()
        assert (state.wins[active] == state.won[np.ix_(active, active)].sum(axis=1)).all()
        if state.size > 1:
            least = state.plays[active].min()
            assert (state.plays[active[: state.low]] == least).all() and (
                state.plays[active] == least
            ).sum() == state.low
            share = [btm.share_of(state, arm) for arm in active]
            assert state.lowest <= min(share) <= max(share) <= state.highest
    assert len(sizes) >= 10


def test_radius_of_beat_the_mean_has_the_papers_factor_on_request():
    paper = algorithm("btm", factor=3, gamma=1.0).start(5, stream(1), horizon=1000)
    seed = algorithm("btm").start(5, stream(1), horizon=1000)
    assert paper.scale == pytest.approx(3 * math.sqrt(math.log(10_000)))
    assert seed.scale == pytest.approx(1.44 * math.sqrt(math.log(10_000)))


def test_savage_follows_the_literal_rule():
    problem, horizon, n_arms = clear_cut(5), 1000, 5
    log_term = math.log(2 * (n_arms * (n_arms - 1) / 2) * horizon * horizon)
    for seed in range(4):
        active, wins = set(range(n_arms)), np.zeros((n_arms, n_arms))
        for step in play(algorithm("savage"), problem, 3000, seed, horizon):
            assert set(np.flatnonzero(step.state.active)) == active
            if len(active) == 1:
                assert {step.first, step.second} == active
                continue
            met = wins + wins.T
            assert met[step.first, step.second] == min(met[i, j] for i in active for j in active if i != j)
            assert step.first != step.second and {step.first, step.second} <= active
            wins[(step.first, step.second) if step.first_won else (step.second, step.first)] += 1
            met = wins + wins.T
            for arm in sorted(active):
                for other in np.flatnonzero(met[arm]):
                    n = met[arm, other]
                    if wins[arm, other] / n + math.sqrt(log_term / (2 * n)) < 0.5:
                        active.discard(arm)
        assert active == {0}


def undecided(alive):
    """The pairs that are not of two discarded arms."""
    return {frozenset((i, j)) for i in range(alive.size) for j in range(i) if alive[i] or alive[j]}


@pytest.mark.parametrize("rule", ["copeland", "borda"])
def test_racing_follows_the_literal_rule(rule):
    problem, n_arms, n_max, delta = clear_cut(5), 5, 4000, 0.1
    log_term = math.log(2 * n_arms**2 * n_max / delta)
    for seed in range(3):
        wins, alive, winner = np.zeros((n_arms, n_arms)), np.ones(n_arms, bool), None
        decided, sweep = set(), []
        for step in play(algorithm("racing", rule=rule, delta=delta, n_max=n_max), problem, 12_000, seed):
            assert (step.state.active.astype(bool) == alive).all()
            if alive.sum() == 1:
                winner = int(np.flatnonzero(alive)[0])
                assert step.first == step.second == winner == step.state.winner
                break
            pair = frozenset((step.first, step.second))
            matters = undecided(alive) - decided
            assert pair in matters and pair not in sweep, "a pair meets once a sweep"
            sweep.append(pair)
            wins[(step.first, step.second) if step.first_won else (step.second, step.first)] += 1
            met = np.maximum(wins + wins.T, 1)
            low, high = (wins / met + sign * np.sqrt(log_term / (2 * met)) for sign in (-1, 1))
            np.fill_diagonal(low, 0.5)
            np.fill_diagonal(high, 0.5)
            if rule == "copeland":
                decided |= {frozenset((i, j)) for i in range(n_arms) for j in range(n_arms) if low[i, j] > 0.5}
                surely, maybe = (low > 0.5).sum(axis=1), n_arms - 1 - (high < 0.5).sum(axis=1)
                alive &= maybe >= surely.max()
            elif matters <= set(sweep):
                surely, maybe = low.sum(axis=1), high.sum(axis=1)
                alive &= ~(maybe < surely[alive].max())
            if undecided(alive) - decided <= set(sweep):
                sweep = []
        assert winner == 0


def test_racing_takes_the_leader_when_pairs_have_met_often_enough():
    limited = algorithm("racing", n_max=3)
    for step in play(limited, total_order(4, 0.95), 19, 2):
        assert (step.state.winner >= 0) == (step.state.pairs.sweeps >= 3)
    assert step.first == step.second == pair_sweeps.leader(step.state.margin, step.state.active)


def test_scb_decides_pairs_and_arms_by_its_inequalities():
    problem, n_arms, winners = clear_cut(4), 4, []
    known, last = {}, None
    for step in play(algorithm("scb"), problem, 8000, 3):
        state = step.state
        if last is not None and state.epoch > last.epoch:
            known = {}
        length = 2 ** (2**state.epoch)
        delta = math.log(length) / length
        assert state.log_term == pytest.approx(-math.log(delta))
        assert (state.verdict == -state.verdict.T).all()
        assert (state.unknown == (state.verdict == 0).sum(axis=1) - 1).all()
        with np.errstate(divide="ignore", invalid="ignore"):
            radius = np.sqrt(np.log(4 * state.met**2.0 * n_arms**2 / delta) / (2 * state.met))
            sure = (state.met > 0) & (abs(state.margin / (2 * state.met)) > radius)
        for i, j in zip(*np.nonzero(state.verdict), strict=True):
            known.setdefault((i, j), np.sign(state.margin[i, j]))
            assert state.verdict[i, j] == known[i, j], "an answer is remembered"
        assert ((state.verdict != 0) == sure).all()
        if state.winner >= 0:
            assert step.first == step.second == state.winner
            winners.append(state.winner)
        else:
            assert state.verdict[step.first, step.second] == 0 and step.first != step.second
            assert step.first == state.arms[state.turn]
        last = state
    assert last.epoch == 4 and winners and set(winners) == {0}


def test_scb_drops_the_arms_whose_upper_end_is_below_the_best_lower_end():
    rng, dropped = np.random.default_rng(4), 0
    start = algorithm("scb").start(5, stream(0))
    for _ in range(200):
        sweeps = int(rng.integers(1, 400))
        reward = rng.binomial(sweeps, rng.uniform(0, 1, 5))
        state = start._replace(arms=np.arange(5), reward=reward, sweeps=sweeps, pulls=5 * sweeps, size=5, log_term=3.0)
        allowed = (math.log(4 * state.pulls * 5) + 3.0 + 2 * math.log(max(1.0, math.log(state.pulls)))) / sweeps
        grid = np.linspace(0, 1, 4001)
        ends = []
        for mean in reward / sweeps:
            inside = grid[kl_div(mean, grid) + kl_div(1 - mean, 1 - grid) <= allowed]
            ends.append((inside.min(initial=mean), inside.max(initial=mean)))
        best_low = max(low for low, _ in ends)
        if any(abs(high - best_low) < 1e-3 for _, high in ends):
            continue
        stay = {arm for arm, (_, high) in enumerate(ends) if high >= best_low}
        after = scb.drop_out(state)
        assert set(after.arms[: after.size].tolist()) == stay
        dropped += 5 - len(stay)
    assert dropped > 50


def test_scb_epochs_last_2_to_the_2_to_the_r_duels():
    ends = []
    last = None
    for number, step in enumerate(play(algorithm("scb"), total_order(3, 0.8), 280, 5)):
        if last is not None and step.state.epoch > last:
            ends.append(number)
        last = step.state.epoch
    assert ends == [4, 4 + 16, 4 + 16 + 256]


@pytest.mark.parametrize("name", ELIMINATING)
def test_exploitation_costs_nothing_once_one_arm_is_left(name):
    """A trillion duels, of which all but the first thousands are certain."""
    horizon = 10**12
    curve = simulate(
        total_order(3, 0.99), name, horizon=horizon, runs=5, seed=2, times=[20_000, horizon], workers=1
    ).curve(name, "strong-binary")
    assert (curve.values[:, 0] == curve.values[:, 1]).all() and (curve.values > 0).all()


def test_least_sampled_pairs_come_in_random_order():
    """Every pair is equally likely to be the first of a sweep: each count of 2400 draws is within 4 standard errors."""
    first_pairs = Counter(pair_sweeps.next_pair(pair_sweeps.all_pairs(4, stream(seed))) for seed in range(2400))
    error = math.sqrt(2400 * (1 / 6) * (5 / 6))
    assert len(first_pairs) == 6 and all(abs(count - 400) <= 4 * error for count in first_pairs.values())


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("left", range(6))
def test_a_dropped_pair_is_gone_and_the_others_keep_their_part_of_the_sweep(left, place):
    arms = np.arange(10)
    before = pair_sweeps.Pairs(firsts=arms.copy(), seconds=-arms, size=5, left=left, sweeps=0)
    after = pair_sweeps.drop(before, place)
    assert set(after.firsts[: after.left].tolist()) == set(range(left)) - {place}
    assert set(after.firsts[: after.size].tolist()) == set(range(5)) - {place}
    assert (after.firsts[: after.size] == -after.seconds[: after.size]).all()
