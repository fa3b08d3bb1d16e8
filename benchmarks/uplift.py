"""Is the measured gain true? Sites are simulated where it is known: without any taste, and with tastes that are known.

A site is a whole arena in memory. Its visitors come with 3 to 8 clicks, a few at a time; some skip, a tenth of the
clicks are slips, a quarter of the visitors can have half of the items only, and 5 % never answer. In the worlds without
taste they flip coins. The truth is the mean, over people, of the chance that the item that was recommended to them is
chosen over a random other one that they may have. Rewards come at random, with 1 in 4 visitors, in both groups alike.
"""

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from benchmarks._results import read_results, replace_part, table, write_results
from winnerstays.arena import Answer, Arena, Ask, Duel, Uplift

LEVEL = 0.95
SLIPS, SILENT, LOCAL, REWARDED = 0.1, 0.05, 0.25, 0.25
SPREADS = {"common": (2.0, 0.0, 0.7), "half": (1.5, 0.0, 1.5), "cuisine": (1.0, 1.6, 0.7), "own": (0.0, 0.0, 2.1)}
"""Standard deviations: of the quality of items, of tastes with four factors, of what is one's own."""


class World(NamedTuple):
    """A kind of site."""

    name: str
    taste: str | None
    """A key of SPREADS; None: visitors flip coins."""
    left: float = 0.5
    """With this chance, whoever flips a coin chooses the left item."""
    skips: float = 0.1
    settings: tuple[tuple[str, object], ...] = ()
    top: int = 0
    """So many items, the best for all, are the list of the control group; 0: it gets random pairs."""


WORLDS = [
    World("no taste", None),
    World("no taste, ws-w", None, settings=(("algorithm", "ws-w"),)),
    World("no taste, 70 % choose left, half skip", None, left=0.7, skips=0.5),
    World("no taste, one learner for everyone", None, settings=(("audience", "everyone"),)),
    World("common taste", "common"),
    World("half in common", "half"),
    World("cuisines", "cuisine"),
    World("own tastes", "own"),
    World("common taste, control: a list of the best", "common", top=6),
    World("half in common, one learner for everyone", "half", settings=(("audience", "everyone"),)),
]


class Site:
    """One simulated site."""

    def __init__(self, world: World, seed: int, visitors: int, items: int) -> None:
        self.world, self.rng = world, np.random.default_rng([seed, 31])
        self.names = [f"item {number}" for number in range(items)]
        self.place = {name: place for place, name in enumerate(self.names)}
        quality, factors, own = SPREADS[world.taste] if world.taste else (0.0, 0.0, 0.0)
        common = quality * self.rng.standard_normal(items)
        loads = factors / 2 * self.rng.standard_normal((4, items))
        self.utility = common + self.rng.standard_normal((visitors, 4)) @ loads
        self.utility += own * self.rng.standard_normal((visitors, items))
        self.clicks = self.rng.integers(3, 9, visitors)
        self.silent = self.rng.random(visitors) < SILENT
        zone, everywhere = self.names[::2], world.name.endswith("ws-w")  # which chooses among all items only
        self.among = [None if everywhere or draw >= LOCAL else tuple(zone) for draw in self.rng.random(visitors)]
        control = [self.names[place] for place in np.argsort(-common)[: world.top]]
        self.arena = Arena.open(
            "memory:", items=self.names, holdout=0.25, probes=0.2, seed=seed, control=control, **dict(world.settings)
        )

    def chance(self, visitor: int, first: int, second: int | np.ndarray) -> "float | np.ndarray":
        """Return the chance that a visitor chooses the first item over the second, or over each of several."""
        if self.world.taste is None:
            return 0.5 + 0 * (self.utility[visitor, first] - self.utility[visitor, second])
        fair = 1 / (1 + np.exp(self.utility[visitor, second] - self.utility[visitor, first]))
        return SLIPS / 2 + (1 - SLIPS) * fair

    def play(self, looks: int) -> Iterator[tuple[Uplift, float | None]]:
        """Yield the comparison and the truth, this often in the course of all visits."""
        waves = np.array_split(np.arange(len(self.clicks)), looks)
        for wave in waves:
            for some in np.array_split(wave, max(1, len(wave) // 20)):
                self._visits(some.tolist())
            yield self.arena.uplift(level=LEVEL), self.truth()

    def _visits(self, visitors: list[int]) -> None:
        """Let visitors come who are there at the same time."""
        for turn in range(max(self.clicks[visitors])):
            there = [one for one in visitors if turn < self.clicks[one]]
            asks = [Ask("default", f"v{one}", among=self.among[one], fresh=True) for one in there]
            duels = self.arena.arenas.execute(asks)
            answers = [self._answer(one, duel) for one, duel in zip(there, duels, strict=True) if not self.silent[one]]
            self.arena.tell_many(answers)
        if self.arena.settings.audience == "user":
            for visitor in visitors:
                if self.rng.random() < REWARDED:
                    self.arena.reward(f"v{visitor}", float(self.rng.exponential(20)), key="order")

    def _answer(self, visitor: int, duel: object) -> Answer:
        assert isinstance(duel, Duel), duel
        if self.rng.random() < self.world.skips:
            return Answer(duel.id, outcome="skip")
        left = self.world.left
        if self.world.taste is not None:
            left = float(self.chance(visitor, self.place[duel.left], self.place[duel.right]))
        return Answer(duel.id, duel.left if self.rng.random() < left else duel.right)

    def truth(self) -> float | None:
        """Return the true gain of those who decided a probe so far; None if a group has none."""
        shared = self.arena.settings.audience == "everyone"
        groups: dict[bool, dict[str, list[float]]] = {True: {}, False: {}}
        for event in self.arena.events():
            if event.probe is None or event.winner is None:
                continue
            visitor, best = int(str(event.user)[1:]), self.place[event.probe]
            there = [self.place[name] for name in self.among[visitor] or self.names]
            others = np.array([item for item in there if item != best])
            value = float(np.mean(self.chance(visitor, best, others)))
            who = str(event.duel) if shared else str(event.user)
            groups[event.arm == "learner"].setdefault(who, []).append(value)
        learner, control = (
            np.mean([np.mean(values) for values in groups[which].values()]) if groups[which] else None
            for which in (True, False)
        )
        if not self.world.top:
            control = 0.5
        return None if learner is None or control is None else float(learner - control)


def site(world: World, seed: int, visitors: int, items: int, looks: int) -> list[tuple[float, ...]]:
    """Return for each look: gain, low, high and truth, and whether the intervals of answers and rewards cover 0."""
    found = []
    one = Site(world, seed, visitors, items)
    for uplift, truth in one.play(looks):
        measures = {comparison.measure: comparison for comparison in uplift.comparisons}
        chosen = measures.get("chosen")
        others = [measures[name] for name in ("answered", "reward") if name in measures]
        covered = [float(each.low <= 0 <= each.high) for each in others] + [1.0] * (2 - len(others))
        if chosen is None or truth is None:
            found.append((0.0, -1.0, 1.0, 0.0, *covered))
        else:
            found.append((chosen.difference, chosen.low, chosen.high, truth, *covered))
    one.arena.close()
    return found


def study(world: World, sites: int, visitors: int = 60, items: int = 12, looks: int = 4, jobs: int = 1) -> list[object]:
    """Return a row of the table of results: the sites of a world, and how often their intervals hold what is true."""
    seeds = range(sites)
    arguments = ([world] * sites, seeds, [visitors] * sites, [items] * sites, [looks] * sites)
    if jobs == 1:
        played = list(map(site, *arguments))
    else:
        with ProcessPoolExecutor(jobs) as pool:
            played = list(pool.map(site, *arguments, chunksize=10))
    looked = np.array(played)
    gain, low, high, truth, answered, reward = np.moveaxis(looked, 2, 0)
    holds = (low <= truth) & (truth <= high)
    return [
        world.name, sites, visitors, float(gain[:, -1].mean()), float(truth[:, -1].mean()),
        float((high - low)[:, -1].mean() / 2), float(holds[:, -1].mean()), float(holds.all(axis=1).mean()),
        float(answered.all(axis=1).mean()), float(reward.all(axis=1).mean()),
    ]  # fmt: skip


COLUMNS = ("world", "sites", "visitors", "gain", "truth", "half width", "covers", "always", "answered", "reward")


def main(words: Sequence[str]) -> None:
    """Play every world and write the table of results."""
    parser = argparse.ArgumentParser("python -m benchmarks uplift", description=__doc__)
    parser.add_argument("--sites", type=int, default=1000, help="of the first world; of the others a fifth")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="write results/uplift.csv and the table of docs/arena.md")
    given = parser.parse_args(words)
    rows = []
    for place, world in enumerate(WORLDS):
        rows.append(study(world, given.sites if place == 0 else max(1, given.sites // 5), jobs=given.jobs))
        print(*(f"{cell:.3f}" if isinstance(cell, float) else cell for cell in rows[-1]), sep=" | ", flush=True)
    if given.write:
        write_results("uplift", COLUMNS, rows)
        replace_part("arena.md", "uplift", page())


def page() -> str:
    """Return the table of docs/arena.md."""
    rows = read_results("uplift")
    points = [[f"{100 * float(row[name]):+.1f}" for name in ("gain", "truth")] for row in rows]
    shares = [[f"{100 * float(row[name]):.1f} %" for name in ("covers", "always")] for row in rows]
    cells = [
        [row["world"], row["sites"], *point, *share] for row, point, share in zip(rows, points, shares, strict=True)
    ]
    return table(("visitors", "sites", "measured", "true", "interval right", "right at all four looks"), cells)
