"""The family of Beat the Winner, literally, in NumPy and with its generator: all runs at once, duel by duel.

`python -m tests.reference.naive_btw` makes the means in published.py for which there is no exact recursion.
"""

import numpy as np

from winnerstays import problem


def queue(preferences, runs, horizon, rng, reset=False):
    """Weak regret of each run of Beat the Winner, with or without resets. Arm 0 is best."""
    order = rng.permuted(np.tile(np.arange(len(preferences)), (runs, 1)), axis=1)
    r, wins, losses, regret = np.ones(runs, int), np.zeros(runs, int), np.zeros(runs, int), np.zeros(runs, int)
    for _ in range(horizon):
        one, two = order[:, 0], order[:, 1]
        regret += (one != 0) & (two != 0)
        one_won = rng.random(runs) < preferences[one, two]
        wins += one_won
        losses += ~one_won
        over = np.flatnonzero(np.maximum(wins, losses) == r)
        fell = over[losses[over] == r[over]]
        order[fell, :2] = order[fell, 1::-1]
        order[over, 1:] = np.roll(order[over, 1:], -1, axis=1)
        r[over] += 1
        if reset:
            r[fell] = 1
        wins[over] = losses[over] = 0
    return regret


def standings(preferences, runs, horizon, rng):
    """Weak regret of each run of Modified Beat the Winner. Arm 0 is best."""
    order = rng.permuted(np.tile(np.arange(len(preferences)), (runs, 1)), axis=1)
    host, opponent, r = order[:, 0].copy(), order[:, 1].copy(), np.ones_like(order)
    wins, losses, regret = np.zeros(runs, int), np.zeros(runs, int), np.zeros(runs, int)
    for _ in range(horizon):
        regret += (host != 0) & (opponent != 0)
        host_won = rng.random(runs) < preferences[host, opponent]
        wins += host_won
        losses += ~host_won
        target = r[np.arange(runs), host]
        over = np.flatnonzero(np.maximum(wins, losses) == target)
        stays = wins[over] == target[over]
        winner = np.where(stays, host[over], opponent[over])
        loser = np.where(stays, opponent[over], host[over])
        r[over, winner] += 1
        r[over, loser] = np.maximum(1, r[over, loser] - 1)
        chances = r[over]
        chances[np.arange(over.size), winner] = 0
        sums = np.cumsum(chances, axis=1)
        drawn = rng.random(over.size) * sums[:, -1]
        host[over], opponent[over] = winner, (sums <= drawn[:, None]).sum(axis=1)
        wins[over] = losses[over] = 0
    return regret


def weak_regret(where, name, horizon, runs, seed):
    """Of each run of btw, btwr or mbtw."""
    preferences, rng = problem(where).preferences, np.random.default_rng(seed)
    if name == "mbtw":
        return standings(preferences, runs, horizon, rng)
    return queue(preferences, runs, horizon, rng, reset=name == "btwr")


def main():
    from tests.reference.measured_elsewhere import LITERAL_NUMPY, SINGLE

    for given in SINGLE:
        if given.source == LITERAL_NUMPY:
            regret = weak_regret(given.problem, given.name, given.horizon, given.their_runs, seed=2020)
            error = regret.std(ddof=1) / np.sqrt(regret.size)
            print(f"{given.problem} {given.name}: {regret.mean():.1f} +- {error:.1f}", flush=True)


if __name__ == "__main__":
    main()
