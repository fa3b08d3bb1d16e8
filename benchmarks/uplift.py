"""Is the measured gain true? Sites are simulated where it is known: without any taste, and with tastes that are known.

A site follows the rules of an arena. Its visitors come with 3 to 8 clicks; a tenth of them skip, a tenth are slips, a
quarter of the visitors can have half of the items only, and 5 % never answer. In the worlds without
taste they flip coins. The truth is the mean, over people, of the chance that the item that was recommended to them is
chosen over a random other one that they may have. Rewards come at random, with 1 in 4 visitors, in both groups alike.
"""

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from benchmarks._results import read_results, replace_part, table, write_results
from winnerstays.advice import TASTES
from winnerstays.advice.policies import Catalogue, Learners
from winnerstays.arena.engine.holdout import (
    FIXED,
    Sums,
    choose_arm,
    chooser,
    chosen_in_probe,
    draw,
    fixed_items,
    is_probe,
)
from winnerstays.arena.figures.uplift import Uplift, compare

LEVEL = 0.95
SLIPS, SILENT, LOCAL, REWARDED = 0.1, 0.05, 0.25, 0.25
HOLDOUT, PROBES = 0.25, 0.2


class World(NamedTuple):
    """A kind of site."""

    name: str
    taste: str | None
    """A key of TASTES; None: visitors flip coins."""
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
    """One simulated site, by the rules of an arena, without clock and disk; one visitor comes after the other."""

    def __init__(self, world: World, seed: int, visitors: int, items: int) -> None:
        self.world, self.seed, self.rng = world, seed, np.random.default_rng([seed, 31])
        quality, factors, own = TASTES[world.taste] if world.taste else (0.0, 0.0, 0.0)
        common = quality * self.rng.standard_normal(items)
        loads = factors / 2 * self.rng.standard_normal((4, items))
        self.utility = common + self.rng.standard_normal((visitors, 4)) @ loads
        self.utility += own * self.rng.standard_normal((visitors, items))
        self.clicks = self.rng.integers(3, 9, visitors)
        self.silent = self.rng.random(visitors) < SILENT
        zoned = self.rng.random(visitors) < LOCAL * (not world.name.endswith("ws-w"))  # which shows all items only
        self.eligible = [range(0, items, 2) if zone else range(items) for zone in zoned]
        self.control = np.argsort(-common)[: world.top].tolist()
        self.learners = Learners(Catalogue([f"item {place}" for place in range(items)], seed), **dict(world.settings))
        self.sums = {True: np.zeros(len(Sums._fields), np.int64), False: np.zeros(len(Sums._fields), np.int64)}
        """Of the learner's people, and of the control group."""
        self.truths: dict[bool, list[float]] = {True: [], False: []}
        """Of each person, or of each duel in a site for everyone, who decided a probe."""

    def chance(self, visitor: int, first: int, second: Any) -> Any:
        """Return the chance that a visitor chooses the first item over the second, or over each of several."""
        difference = self.utility[visitor, second] - self.utility[visitor, first]
        return SLIPS / 2 + (1 - SLIPS) / (1 + np.exp(difference))

    def play(self, looks: int) -> Iterator[tuple[Uplift, float | None]]:
        """Yield the comparison and the truth, this often in the course of all visits."""
        for wave in np.array_split(np.arange(len(self.clicks)), looks):
            for visitor in wave.tolist():
                self._visit(visitor)
            learner, control = (Sums(*self.sums[which].tolist()) for which in (True, False))
            unit = "duel" if self.learners.shared else "person"
            means = {which: float(np.mean(found)) for which, found in self.truths.items() if found}
            if not self.world.top:
                means[False] = 0.5
            yield (
                compare("site", HOLDOUT, unit, learner, control, not self.world.top, LEVEL),
                means[True] - means[False] if len(means) == 2 else None,
            )

    def _visit(self, visitor: int) -> None:
        """Let a visitor ask and answer, as an arena serves and learns (engine/ask.py, engine/answer.py)."""
        rules, shared, name = self.learners.rules, self.learners.shared, f"v{visitor}"
        control = draw(self.seed, name) < HOLDOUT
        eligible = self.eligible[visitor]
        order = [item for item in self.control if item in eligible]
        truths = []
        for turn in range(self.clicks[visitor]):
            key, state = self.learners.state(visitor)
            who = (f"{name} {turn}", 0) if shared else (name, turn)
            arm = choose_arm(control, len(order) >= 2, self.seed, *who, PROBES)
            fixed = fixed_items(order, 0 if is_probe(arm) else turn) if chooser(arm) == FIXED else None
            first, second, flipped = rules.serve(state, eligible, arm, fixed)
            state = rules.show(before := state, first, second, arm)
            self._add(control, rules.added(before, state, arm))
            if not self.silent[visitor]:
                outcome, winner = self._answer(visitor, first, second, flipped)
                chosen = chosen_in_probe(arm, first, outcome, winner)
                state = rules.learn(before := state, first, second, state.step, outcome, winner, arm).state
                self._add(control, rules.added(before, state, arm, outcome, chosen))
                if chosen is not None:
                    others = [item for item in eligible if item != first]
                    fair = self.world.taste is None
                    truths.append(0.5 if fair else float(np.mean(self.chance(visitor, first, others))))
            self.learners.states[key] = state
        if shared:
            self.truths[not control] += truths
        elif truths:
            self.truths[not control].append(float(np.mean(truths)))
        person = self.learners.states[0 if shared else visitor].person
        if person is not None and self.rng.random() < REWARDED:
            self._add(control, person.add_reward(float(self.rng.exponential(20))).added_since(person))

    def _answer(self, visitor: int, first: int, second: int, flipped: bool) -> tuple[str, int | None]:
        if self.rng.random() < self.world.skips:
            return "skip", None
        if self.world.taste is None:
            left, right = (second, first) if flipped else (first, second)
            return "winner", left if self.rng.random() < self.world.left else right
        return "winner", first if self.rng.random() < self.chance(visitor, first, second) else second

    def _add(self, control: bool, adds: tuple[int, ...]) -> None:
        self.sums[not control][: len(adds)] += adds


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


ON_PAGE = (
    "no taste", "no taste, 70 % choose left, half skip", "common taste", "half in common", "cuisines",
    "common taste, control: a list of the best",
)  # fmt: skip


def page() -> str:
    """Return the table of docs/arena.md; results/uplift.csv has all sites."""
    rows = [row for row in read_results("uplift") if row["world"] in ON_PAGE]
    points = [[f"{100 * float(row[name]):+.1f}" for name in ("gain", "truth")] for row in rows]
    shares = [[f"{100 * float(row[name]):.1f} %" for name in ("covers", "always")] for row in rows]
    cells = [[row["world"], *point, *share] for row, point, share in zip(rows, points, shares, strict=True)]
    return table(("visitors", "measured", "true", "interval right", "right at all four looks"), cells)
