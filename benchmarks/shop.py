"""How often a site shows each visitor's own favourite: the model of tastes beside what an engineer would write.

`python -m benchmarks shop` plays every site of `_shop.py` and writes results/shop.csv; `--populations=N` and names of
sites play less. With `--arena` the model and ws-root choose through an arena, and nothing is written. About two minutes
for each population on two idle cores.
"""

import math
import sys
import time
from functools import partial

import numpy as np

from benchmarks._results import table, write_results
from benchmarks._shop import IN_ARENA, POLICIES, SITES, Site, World, play
from winnerstays import Learner
from winnerstays._types import Floats
from winnerstays.tastes import LOST, WON, Crowd, fit

POPULATIONS, PEOPLE, STAY = 6, 20, (300, 3000)
WITH_ROOT = ("half", "own", "long visits")
COLUMNS = ("site", "tuned on", "policy", "favourite %", "s.e.", "best five %", "over Hier", "s.e. of it", "populations")


def play_site(site: Site, populations: int, in_arena: bool) -> list[list[object]]:
    """Return a row for each policy on the same populations."""
    policies = {"Hier": POLICIES["Hier"], **IN_ARENA} if in_arena else POLICIES
    names = [name for name in policies if name != "ws-root per visitor" or site.name in WITH_ROOT]
    shares: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for seed in range(100, 100 + populations):
        world = World(site, seed)
        for name in names:
            shares[name].append(play(world, policies[name](world))[:2])
    hier = np.array(shares["Hier"])[:, 0]
    lines: list[list[object]] = []
    for name, found in shares.items():
        favourite, five = np.array(found).T
        lead = favourite - hier
        tuned = "yes" if site.tuned else "no"
        numbers = (favourite.mean(), error(favourite), five.mean(), lead.mean(), error(lead))
        lines.append([site.name, tuned, name, *map(float, numbers), populations])
    return lines


def stay(kind: str) -> list[list[object]]:
    """Return the weak regret of one person who stays, among 50 items, with the model alone and with ws-root."""
    names = [f"item {i}" for i in range(50)]
    regrets: dict[str, list[list[int]]] = {"tastes": [], "ws-root": []}
    for seed in range(PEOPLE):
        r = np.random.default_rng([seed, 31])
        utility = r.normal(0, 2, len(names))
        best = names[int(utility.argmax())]
        crowd, learner = Crowd(names), Learner("ws-root", items=names, seed=seed)
        visitor = crowd.visitor(seed=seed)
        for policy, found in regrets.items():
            regret, marks, log = 0, [], []
            for t in range(1, STAY[-1] + 1):
                asked = learner.ask()
                duel = (asked.first, asked.second) if policy == "ws-root" else crowd.choose(visitor)
                regret += best not in duel
                a, b = (int(item[5:]) for item in duel)
                chance = (
                    1 / (1 + math.exp(utility[b] - utility[a]))
                    if kind == "logistic"
                    else 0.2 + 0.6 * (utility[a] > utility[b])
                )
                won = bool(r.random() < chance)
                if policy == "ws-root":
                    learner.tell(asked, duel[0] if won else duel[1])
                else:
                    visitor = crowd.tell(visitor, *duel, WON if won else LOST)
                    log.append((0, a, b, int(won)))
                    if len(log) in (100, 300, 1000):
                        crowd = fit(crowd, *np.array(log).T)
                if t in STAY:
                    marks.append(regret)
            found.append(marks)
    lines: list[list[object]] = []
    for name, found in regrets.items():
        mean, errors = np.mean(found, axis=0), error(np.array(found, float))
        said = ", ".join(f"{x:.0f} ± {e:.0f} after {t}" for x, e, t in zip(mean, errors, STAY, strict=True))
        lines.append([f"one person stays, {kind}", "no", name, f"weak regret {said}", "", "", "", "", PEOPLE])
    return lines


def error(values: Floats) -> Floats:
    """Return the standard error of a mean; unknown for one value."""
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))


def main(words: list[str]) -> None:
    populations = POPULATIONS
    for word in [word for word in words if word.startswith("--populations=")]:
        populations = int(word.partition("=")[2])
    in_arena = "--arena" in words
    chosen = [word for word in words if not word.startswith("--")] or in_arena * [site.name for site in SITES]
    lines: list[list[object]] = []
    works = [(site.name, partial(play_site, site, populations, in_arena)) for site in SITES]
    works += [(f"stays {kind}", partial(stay, kind)) for kind in ("logistic", "constant")]
    for name, work in works:
        if not chosen or name in chosen:
            begun, new = time.monotonic(), work()
            lines += new
            print(table(COLUMNS, [[f"{x:.1f}" if isinstance(x, float) else x for x in line] for line in new]))
            print(f"({time.monotonic() - begun:.0f} s)", flush=True)
            if not chosen:
                write_results("shop", COLUMNS, lines)


if __name__ == "__main__":
    main(sys.argv[1:])
