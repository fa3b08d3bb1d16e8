"""How often a site shows each visitor's own favourite: the model of tastes beside what an engineer would write.

`python -m benchmarks shop` plays every site of `_shop.py` and writes results/shop.csv; `--populations=N` and names of
sites play less. `tastes` plays by the rules of an arena. About two minutes for each population on an idle core.
`--people=FILE` plays real people: PrefLib's orders (sushi), or a table of people, items and ratings (MovieLens).
"""

import math
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks._results import read_results, table, write_results
from benchmarks._shop import POLICIES, SITES, People, Site, World, grades_of, play
from winnerstays._types import Floats
from winnerstays.advice.policies import Catalogue, Learners

POPULATIONS, PEOPLE, STAY = 6, 20, (300, 3000)
WITH_ROOT = ("half", "own", "long visits")
HEADINGS = (
    "", "the two most popular", "`ws-root` alone", "Bradley-Terry, crowd and own", "`tastes`", "its lead over that",
)  # fmt: skip
FILES = {
    "00014-00000001.soc": "people: sushi A (PrefLib)", "00014-00000002.soi": "people: sushi B (PrefLib)",
    "ml-latest-small.csv": "people: films (MovieLens)",
}  # fmt: skip
ON_PAGE = (
    "half", "cuisine, features", "own", "long visits", "bots", "00014-00000001.soc", "ml-latest-small.csv",
)  # fmt: skip
"""The sites in docs/arena.md; results/shop.csv has all."""
COLUMNS = ("site", "tuned on", "policy", "favourite %", "s.e.", "best five %", "over Hier", "s.e. of it", "populations")


def play_site(site: Site, populations: int) -> list[list[object]]:
    """Return a row for each policy on the same populations."""
    names = [name for name in POLICIES if name != "ws-root per visitor" or site.name in WITH_ROOT]
    return play_worlds(site.name, "yes" if site.tuned else "no", names, partial(World, site), populations)


def play_people(path: Path, populations: int) -> list[list[object]]:
    """Return the same of the people of a file; a population has another order of them, and other slips."""
    return play_worlds(path.name, "no", list(POLICIES), partial(People, grades_of(path)), populations)


def play_worlds(
    title: str, tuned: str, names: list[str], world_of: Callable[[int], World], populations: int
) -> list[list[object]]:
    shares: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for seed in range(100, 100 + populations):
        world = world_of(seed)
        for name in names:
            shares[name].append(play(world, POLICIES[name](world))[:2])
    hier = np.array(shares["Hier"])[:, 0]
    lines: list[list[object]] = []
    for name, found in shares.items():
        favourite, five = np.array(found).T
        lead = favourite - hier
        numbers = (favourite.mean(), error(favourite), five.mean(), lead.mean(), error(lead))
        lines.append([title, tuned, name, *map(float, numbers), populations])
    return lines


def stay(kind: str) -> list[list[object]]:
    """Return the weak regret of one person who stays, among 50 items, with the model alone and with ws-root."""
    n, items = 50, np.arange(50)
    regrets: dict[str, list[list[int]]] = {"tastes": [], "ws-root": []}
    for seed in range(PEOPLE):
        utility = np.random.default_rng([seed, 31]).normal(0, 2, n)
        best = int(utility.argmax())
        for algorithm, found in regrets.items():
            r, learner = (
                np.random.default_rng([seed, 32]),
                Learners(Catalogue([f"item {i}" for i in range(n)], seed), algorithm=algorithm),
            )
            regret, marks = 0, []
            for t in range(1, STAY[-1] + 1):
                a, b = learner.ask(0, items)
                regret += best not in (a, b)
                chance = (
                    1 / (1 + math.exp(utility[b] - utility[a]))
                    if kind == "logistic"
                    else 0.2 + 0.6 * (utility[a] > utility[b])
                )
                learner.tell(0, a, b, bool(r.random() < chance))
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
    files = [Path(word.partition("=")[2]) for word in words if word.startswith("--people=")]
    chosen = [word for word in words if not word.startswith("--")]
    lines: list[list[object]] = []
    works = [(site.name, partial(play_site, site, populations)) for site in SITES]
    works += [(f"stays {kind}", partial(stay, kind)) for kind in ("logistic", "constant")]
    if files:
        works = [(path.name, partial(play_people, path, populations)) for path in files]
    for name, work in works:
        if not chosen or name in chosen:
            begun, new = time.monotonic(), work()
            lines += new
            print(table(COLUMNS, [[f"{x:.1f}" if isinstance(x, float) else x for x in line] for line in new]))
            print(f"({time.monotonic() - begun:.0f} s)", flush=True)
            if not chosen:
                write_results("people" if files else "shop", COLUMNS, lines)


def page() -> str:
    """Return the table of docs/arena.md."""
    sites: dict[str, dict[str, str]] = {}
    for row in (*read_results("shop"), *read_results("people")):
        if row["s.e."] and row["site"] in ON_PAGE:
            found = sites.setdefault(row["site"], {})
            found[row["policy"]] = f"{float(row['favourite %']):.1f}"
            if row["policy"] == "tastes":
                found["lead"] = f"{float(row['over Hier']):+.1f} ± {float(row['s.e. of it']):.1f}"
    columns = ("popular", "ws-root per visitor", "Hier", "tastes", "lead")
    return table(
        HEADINGS, [[FILES.get(site, site), *(found.get(name, "") for name in columns)] for site, found in sites.items()]
    )


if __name__ == "__main__":
    main(sys.argv[1:])
