"""Beat the Winner and its relatives: traces by hand, exact values, and slow literal versions they must agree with."""

from itertools import pairwise, permutations, product

import numpy as np
import pytest

from tests.reference.exact_btw import btw_weak_regret, btwr_weak_regret, queue_positions, queues
from winnerstays import simulate
from winnerstays.algorithms import algorithm
from winnerstays.algorithms.btw import btw, btwr, mbtw
from winnerstays.algorithms.btw.race import new_race
from winnerstays.compiling import COMPILED
from winnerstays.problems import cyclic, sushi, total_order
from winnerstays.randomness import stream
from winnerstays.testing import play


def test_trace_of_three_arms_by_hand():
    """Better arms always win (0 over 1 over 2); the queue is 2, 1, 0."""
    state, rng = btw.State(race=new_race(2, 1), waiting=np.array([0]), head=0), stream(0)
    pairs = []
    for _ in range(1 + 2 + 3 + 4 + 5):
        first, second = btw.choose(state, rng)
        pairs.append((first, second))
        state = btw.update(state, first, second, first < second, rng)
    assert pairs == [(2, 1)] + [(1, 0)] * 2 + [(0, 2)] * 3 + [(0, 1)] * 4 + [(0, 2)] * 5


def test_reset_trace_by_hand():
    """As above, but rounds start again at 1 duel when the incumbent loses: twice here."""
    state, rng = btw.State(race=new_race(2, 1), waiting=np.array([0]), head=0), stream(0)
    pairs = []
    for _ in range(1 + 1 + 1 + 2 + 3):
        first, second = btw.choose(state, rng)
        pairs.append((first, second))
        state = btwr.update(state, first, second, first < second, rng)
    assert pairs == [(2, 1), (1, 0), (0, 2)] + [(0, 1)] * 2 + [(0, 2)] * 3


@pytest.mark.parametrize("name", ["btw", "btwr", "mbtw"])
def test_two_arms_always_meet(name):
    assert all({step.first, step.second} == {0, 1} for step in play(algorithm(name), total_order(2, 0.6), 100))


@pytest.mark.parametrize("name", ["btw", "btwr", "mbtw"])
def test_round_with_target_r_lasts_r_to_2r_minus_1_duels(name):
    races = [step.state.race for step in play(algorithm(name), sushi(), 3000)]
    starts = [k for k, race in enumerate(races) if race.incumbent_wins == race.challenger_wins == 0]
    rounds = [(races[start].target, end - start) for start, end in pairwise(starts)]
    assert len(rounds) > 30
    assert all(target <= duels <= 2 * target - 1 for target, duels in rounds)
    if name == "btw":
        assert [target for target, _ in rounds] == list(range(1, len(rounds) + 1))


def queue_with_lists(queue, reset):
    """Beat the Winner as its paper tells it: pairs are yielded, and whether the first won is sent in."""
    queue, r = list(queue), 1
    while True:
        wins = {queue[0]: 0, queue[1]: 0}
        while max(wins.values()) < r:
            first_won = yield queue[0], queue[1]
            wins[queue[0] if first_won else queue[1]] += 1
        incumbent, challenger = queue[:2]
        winner, loser = (incumbent, challenger) if wins[incumbent] == r else (challenger, incumbent)
        queue = [winner, *queue[2:], loser]
        r = 1 if reset and loser == incumbent else r + 1


@pytest.mark.parametrize("name", ["btw", "btwr"])
def test_same_duels_as_literal_version(name):
    for seed in range(3):
        steps = list(play(algorithm(name), sushi(), 2000, seed))
        start = algorithm(name).start(16, stream(seed, 0))  # not steps[0].state, whose queue has changed in place
        queue = [start.race.incumbent, start.race.challenger, *start.waiting.tolist()]
        literal = queue_with_lists(queue, reset=name == "btwr")
        pair = next(literal)
        for step in steps:
            assert (step.first, step.second) == pair
            pair = literal.send(step.first_won)


def standings_with_dictionaries(n_arms, rng):
    """Modified Beat the Winner, literally."""
    r = dict.fromkeys(range(n_arms), 1)
    host, opponent = (int(arm) for arm in rng.choice(n_arms, 2, replace=False))
    while True:
        wins, target = {host: 0, opponent: 0}, r[host]
        while max(wins.values()) < target:
            first_won = yield host, opponent
            wins[host if first_won else opponent] += 1
        winner, loser = (host, opponent) if wins[host] == target else (opponent, host)
        r[winner] += 1
        r[loser] = max(1, r[loser] - 1)
        host, others = winner, [arm for arm in r if arm != winner]
        chances = np.array([r[arm] for arm in others])
        opponent = int(rng.choice(others, p=chances / chances.sum()))


def test_mbtw_has_regret_of_literal_version():
    """Within 4 standard errors, after 100 and 400 duels."""
    problem, rng, runs, times = total_order(5, 0.7), np.random.default_rng(1), 300, [100, 400]
    literal = np.zeros((runs, 2))
    for run in range(runs):
        duels = standings_with_dictionaries(5, rng)
        pair, shown = next(duels), []
        for _ in range(400):
            shown.append(0 not in pair)
            pair = duels.send(bool(rng.random() < problem.preferences[pair]))
        literal[run] = np.cumsum(shown)[[99, 399]]
    ours = simulate(problem, "mbtw", horizon=400, runs=4000 if COMPILED else 300, seed=3, times=times)
    curve = ours.curve("mbtw", "weak-binary")
    error = np.hypot(curve.sem, literal.std(axis=0, ddof=1) / np.sqrt(runs))
    assert (abs(curve.mean - literal.mean(axis=0)) <= 4 * error).all()


def test_mbtw_standings_add_up():
    for step in play(algorithm("mbtw"), cyclic(), 500):
        state = step.state
        assert state.total == state.standing.sum()
        assert state.standing.min() >= 1
        assert state.race.target == state.standing[state.race.incumbent]


def test_mbtw_challenger_is_drawn_by_standing():
    """30,000 draws among standings 1, 2, 5 (and the winner's 9, which does not count); 4 standard errors."""
    rng, standing, draws = stream(5), np.array([1, 9, 2, 5]), 30_000
    drawn = np.bincount([mbtw.draw_other(standing, 17, 1, rng) for _ in range(draws)], minlength=4) / draws
    expected = np.array([1, 0, 2, 5]) / 8
    assert (abs(drawn - expected) <= 4 * np.sqrt(expected * (1 - expected) / draws)).all()


def enumerated_weak_regret(preferences, reset, horizon):
    """Expected weak regret after 1, 2, ... duels when arm 0 is best, by playing all outcomes from all queues."""
    found, arms = np.zeros(horizon), range(len(preferences))
    orders = list(permutations(arms))
    for queue, outcomes in product(orders, product([True, False], repeat=horizon)):
        duels, chance, missed = queue_with_lists(queue, reset), 1 / len(orders), []
        pair = next(duels)
        for first_won in outcomes:
            missed.append(0 not in pair)
            chance *= preferences[pair] if first_won else 1 - preferences[pair]
            pair = duels.send(first_won)
        found += chance * np.cumsum(missed)
    return found


@pytest.mark.parametrize(("exact", "reset"), [(btw_weak_regret, False), (btwr_weak_regret, True)])
def test_recursion_is_the_sum_over_all_outcomes(exact, reset):
    preferences = cyclic().preferences
    assert exact(queues(preferences), 7) == pytest.approx(enumerated_weak_regret(preferences, reset, 7), abs=1e-7)


def test_position_of_the_best_arm_is_enough_in_a_total_order():
    whole = btw_weak_regret(queues(total_order(5, 0.7).preferences), 300)
    assert btw_weak_regret(queue_positions(5, 0.7), 300) == pytest.approx(whole, abs=1e-6)


@pytest.mark.parametrize(("name", "exact"), [("btw", btw_weak_regret), ("btwr", btwr_weak_regret)])
def test_regret_is_exact_value(name, exact):
    """Of 4 arms with p = 0.8, after 60 and 600 duels: within 4 standard errors."""
    problem, times = total_order(4, 0.8), np.array([60, 600])
    runs = 20_000 if COMPILED else 200
    curve = simulate(problem, name, horizon=600, runs=runs, seed=2, times=times).curve(name, "weak-binary")
    assert (abs(curve.mean - exact(queues(problem.preferences), 600)[times - 1]) <= 4 * curve.sem).all()
