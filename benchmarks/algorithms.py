"""Measure how fast every algorithm is, and its regret beside what others measured.

`python -m benchmarks algorithms` measures speeds. With `--write` it writes results/algorithms/ and the table of
docs/algorithms.md; with `--keep-speeds --write`, it measures no speeds and keeps those that the results hold.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from benchmarks._results import replace_part, table, write_results
from benchmarks._timing import one_run, row
from tests.reference import measured_elsewhere
from tests.reference.naive_dts import NAIVE as NAIVE_DTS
from tests.reference.naive_rmed import NAIVE as NAIVE_RMED
from tests.reference.naive_ucb import naive_ccb, naive_rcs, naive_rucb
from winnerstays import Algorithm, Problem, algorithm, problem, registered
from winnerstays.problems import total_order

HORIZON = 1_000_000
EARLY = 100_000
SHORTEST, LONGEST_SECONDS = 1000, 1.0
"""A run that would take longer is made ten times shorter, and so on, but not shorter than this."""


class Peer(NamedTuple):
    """Nanoseconds a duel on 16 and 50 arms, one thread, on another day on a 2-core machine."""

    what: str
    sushi: str
    fifty: str = ""
    duelpy: str = ""


PEERS = {
    "ws-w": Peer("Java", "41-45", "54", "57,393 / 108,974"),
    "ws-s": Peer("Java", "31", "31", "(another algorithm)"),
    "rucb": Peer("C++", "1,946", "7,667", "230,471 / 833,055"),
    "rmed1": Peer("C++", "2,143", "10,606", "93,597 / 236,237"),
    "ccb": Peer("C++", "9,255", "56,744", "4,350,000 / 1,431,752"),
    "dts": Peer("C++", "38,922", "250,436", "353,968 / 1,150,682"),
    "btm": Peer("C++", "348", "851", "108,057 / 137,163"),
    "if2": Peer("C++", "133", "69", "10,996 / 9,100"),
    "sparring": Peer("C++", "274"),
    "multisbm": Peer("C++", "158"),
}
TARGETS = {
    "sushi": {
        "rucb": "<= 60", "rmed1": "<= 60", "ccb": "<= 300", "dts": "<= 1000",
        "btm": "< 348", "if2": "< 133", "sparring": "< 274", "multisbm": "< 158", "ws-t": "<= 60",
    },
    "fifty": {"rucb": "<= 150", "rmed1": "<= 150"},
}  # fmt: skip
TIMES_FASTER = 20


class Literal(NamedTuple):
    """Rules computed anew at every duel; a duel of theirs is timed over `duels` duels that follow `start` others."""

    rules: Algorithm
    start: int
    duels: int


LITERAL = {
    "rucb": Literal(naive_rucb, 10, 100),
    "rmed1": Literal(NAIVE_RMED["rmed1"], 20_000, 20_000),
    "rmed2": Literal(NAIVE_RMED["rmed2"], 20_000, 20_000),
    "ccb": Literal(naive_ccb, 10, 100),
    "rcs": Literal(naive_rcs, 10, 50),
    "dts": Literal(NAIVE_DTS["dts"], 10, 50),
}
"""RMED first plays every pair once, for which literal rules only look for a pair that has not met: their cheapest."""


def places() -> dict[str, Problem]:
    return {"sushi": problem("sushi"), "fifty": problem("fifty"), "500 arms": total_order(500, 0.8)}


class Speed(NamedTuple):
    nanoseconds: float
    horizon: int

    def __str__(self) -> str:
        value = short(self.nanoseconds)
        return value if self.horizon == HORIZON else f"{value} ({self.horizon:,} duels)"


def short(value: float) -> str:
    return f"{value:,.2g}" if value < 10 else f"{value:,.0f}"


def seconds_of(work: Callable[[], object]) -> float:
    """The thread's own time: other programs on the machine do not count, but for the caches they share with it."""
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def speed(where: Problem, name: str) -> Speed | None:
    """Of one run, the best of 2 to 10; None if the problem lacks what the algorithm needs."""
    if "features" in algorithm(name).needs and where.features is None:
        return None
    horizon = SHORTEST
    one_run(where, name, horizon)()
    seconds = seconds_of(one_run(where, name, horizon))
    while horizon < HORIZON and 10 * seconds <= LONGEST_SECONDS:
        horizon *= 10
        seconds = seconds_of(one_run(where, name, horizon))
    more = max(1, min(9, int(LONGEST_SECONDS / seconds)))
    return Speed(
        min(seconds, *(seconds_of(one_run(where, name, horizon)) for _ in range(more))) * 1e9 / horizon, horizon
    )


def speeds() -> dict[str, dict[str, Speed | None]]:
    return {name: {where: speed(at, name) for where, at in places().items()} for name in registered()}


class Ratio(NamedTuple):
    """Nanoseconds a duel of literal rules, and of ours in the first EARLY duels."""

    literal: float
    ours: float

    @property
    def times(self) -> float:
        return self.literal / self.ours


def ratios() -> dict[str, Ratio]:
    """Literal rules against ours on 500 arms."""
    where, found = places()["500 arms"], {}
    for name, (rules, start, duels) in LITERAL.items():
        one_run(where, rules, 1)()
        before, after = (seconds_of(one_run(where, rules, end)) for end in (start, start + duels))
        one_run(where, name, 1)()
        ours = seconds_of(one_run(where, name, EARLY)) / EARLY
        found[name] = Ratio((after - before) * 1e9 / duels, ours * 1e9)
    return found


def rows() -> list[dict[str, Any]]:
    """For `make bench`."""
    found = []
    for name, at in speeds().items():
        where, *others = (where for where, value in at.items() if value is not None)
        peer = [f"fastest peer on sushi ({PEERS[name].what}) {PEERS[name].sushi}"] if name in PEERS else []
        target, note = TARGETS["sushi"].get(name, ""), "; ".join([*(f"{other} {at[other]}" for other in others), *peer])
        found.append(row(f"{name}, {where}", at[where].nanoseconds, "ns a duel", target, note))
    for name, ratio in ratios().items():
        note = f"literal rules {ratio.literal:,.0f}, ours {ratio.ours:,.0f} ns a duel at first"
        found.append(row(f"{name}, 500 arms, against literal rules", ratio.times, "x", f">= {TIMES_FASTER}", note))
    return found


def catalogue() -> str:
    """Return the registry as a table."""

    def when(one: Algorithm) -> str:
        needs = [f"needs the {need}" for need in sorted(one.needs)]
        return "; ".join([f"{one.facts.regret} regret", one.facts.assumes, *needs])

    found = registered().items()
    lines = [(f"`{name}`", f"{one.title} ({one.facts.paper})", one.facts.guarantee, when(one)) for name, one in found]
    return table(("name", "paper", "guarantee", "when"), lines)


PARTS: dict[str, Callable[[], str]] = {"catalogue": catalogue}
"""By name, what makes each part of docs/algorithms.md."""


def write_speeds() -> None:
    """Write nanoseconds a duel: of one run, one thread, the thread's own time, the best of 2 to 10."""
    lines = [
        (name, where, *(("", "") if one is None else one)) for name, at in speeds().items() for where, one in at.items()
    ]
    write_results("algorithms/speed", ("algorithm", "problem", "nanoseconds", "duels"), lines)
    compared = [
        (name, one.literal, LITERAL[name].start + 1, LITERAL[name].start + LITERAL[name].duels, one.ours, one.times)
        for name, one in ratios().items()
    ]
    write_results("algorithms/literal", ("algorithm", "literal_ns", "from", "to", "ours_ns", "ratio"), compared)


def write_regrets(folder: str | None) -> None:
    """Write our regrets beside those of others, and beside our own oracles; simulated runs are kept in the folder."""
    lines: list[tuple[object, ...]] = []
    groups = (("others", measured_elsewhere.BY_OTHERS), ("ours", measured_elsewhere.BY_OURSELVES))
    for whose, values in groups:
        for given in values:
            ours = measured_elsewhere.compare(given, folder)
            lines.append(
                (whose, given.problem, given.label, given.regret, given.horizon, ours.mean, ours.sem, ours.runs,
                 given.value, ours.error, given.source, f"{ours.away:+.1f}", "agrees" if ours.agrees else "disagrees",
                 given.note)
            )  # fmt: skip
    columns = (
        "compared_with", "problem", "algorithm", "regret", "t", "mean", "sem", "runs", "published", "error", "source",
        "distance", "verdict", "note",
    )  # fmt: skip
    write_results("algorithms/regret", columns, lines)


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser("python -m benchmarks algorithms", description=__doc__)
    parser.add_argument("--write", action="store_true", required=True, help="write results/algorithms/ and the page")
    parser.add_argument("--cache", metavar="FOLDER", help="keep simulated runs here, and take those that are there")
    parser.add_argument("--keep-speeds", action="store_true", help="measure no speeds: keep those in the results")
    given = parser.parse_args(words)
    if not given.keep_speeds:
        write_speeds()
    write_regrets(given.cache)
    for name, make in PARTS.items():
        replace_part("algorithms.md", name, make())
