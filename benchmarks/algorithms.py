"""All algorithms: what they are, how fast they are, and their regret beside what others measured.

`python -m benchmarks.algorithms --write docs/algorithms.md` makes that document; `make bench` shows the speeds. With
`--keep-speeds` the speeds that the document holds stay, so that all but them can be made anew on a busy machine.
"""

import argparse
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._timing import machine, one_run, row
from tests.reference import measured_elsewhere
from tests.reference.literal_rivals import LITERAL as LITERAL_RIVALS
from tests.reference.naive_dts import NAIVE as NAIVE_DTS
from tests.reference.naive_rmed import NAIVE as NAIVE_RMED
from tests.reference.naive_ucb import naive_ccb, naive_rcs, naive_rucb
from winnerstays import Algorithm, Problem, algorithm, problem, registered
from winnerstays.files import write_whole
from winnerstays.paper.published import STRONG_AVERAGE
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
        return value if self.horizon == HORIZON else f"{value} ({power(self.horizon)})"


def short(value: float) -> str:
    return f"{value:,.2g}" if value < 10 else f"{value:,.0f}"


def power(number: int) -> str:
    return f"10^{len(str(number)) - 1}" if str(number).strip("0") == "1" else f"{number:,}"


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


def table(header: str, lines: Iterable[Iterable[object]]) -> str:
    columns = header.split("|")
    body = ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines]
    return "\n".join([f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *body])


def catalogue() -> str:
    """The registry as a table."""

    def assumed(one: Algorithm) -> str:
        return "; ".join([one.facts.assumes, *(f"needs the {need}" for need in sorted(one.needs))])

    def parameters(one: Algorithm) -> str:
        return "<br>".join(
            f"`{name}` = {'(must be given)' if parameter.default is None else parameter.default}: {parameter.meaning}"
            for name, parameter in one.parameters.items()
        )

    return table(
        "name|what it is|made for|assumes|guarantee|time a duel|parameters and defaults",
        (
            (f"`{name}`", f"{one.title} ({one.facts.paper})", f"{one.facts.regret} regret", assumed(one),
             one.facts.guarantee, one.facts.cost, parameters(one))
            for name, one in registered().items()
        ),
    )  # fmt: skip


def speed_table(found: dict[str, dict[str, Speed | None]]) -> str:
    def targets(name: str) -> str:
        said = [f"{TARGETS[where][name]} ({where})" for where in TARGETS if name in TARGETS[where]]
        return ", ".join(said)

    def peers(name: str) -> tuple[str, str]:
        if name not in PEERS:
            return "", ""
        peer = PEERS[name]
        return f"{' / '.join(filter(None, (peer.sushi, peer.fifty)))} ({peer.what})", peer.duelpy

    return table(
        "algorithm|sushi, 16 arms|fifty, 50 arms|500 arms|target|fastest peer, 16 / 50 arms|duelpy, 16 / 50 arms",
        (
            (f"`{name}`", *("no features" if value is None else value for value in at.values()), targets(name),
             *peers(name))
            for name, at in found.items()
        ),
    )  # fmt: skip


def ratio_table(found: dict[str, Ratio]) -> str:
    return table(
        "algorithm|literal rules|timed in duels|ours|times faster|target",
        (
            (f"`{name}`", f"{one.literal:,.0f}", f"{at.start + 1:,} to {at.start + at.duels:,}", f"{one.ours:,.0f}",
             f"{one.times:,.0f}", f">= {TIMES_FASTER}")
            for (name, one), at in zip(found.items(), LITERAL.values(), strict=True)
        ),
    )  # fmt: skip


def regret_table(folder: str | None, rows: Iterable[measured_elsewhere.Published]) -> str:
    notes: list[str] = []

    def line(given: measured_elsewhere.Published) -> tuple[object, ...]:
        ours = measured_elsewhere.compare(given, folder)
        figure = STRONG_AVERAGE.get(given.problem, {}).get(given.name, {}).get(given.horizon, "")
        if given.note and given.note not in notes:
            notes.append(given.note)
        mark = f"[{notes.index(given.note) + 1}]" if given.note else ""
        theirs = f"{given.value:,g}" if ours.error == 0 else f"{given.value:,g} ± {short(ours.error)}"
        if given.error is None and ours.error > 0:
            theirs += " *"
        return (
            given.problem, f"`{given.label}`", given.regret, power(given.horizon),
            f"{ours.mean:,.5g} ± {short(ours.sem)} ({ours.runs:,})", theirs, given.source, f"{ours.away:+.1f}",
            "agrees" if ours.agrees else "disagrees", figure if given.regret == "strong-average" else "", mark,
        )  # fmt: skip

    header = "problem|algorithm|regret|T|ours (runs)|published|source|distance|verdict|Chen & Frazier's figure|note"
    found = table(header, [line(given) for given in rows])
    return "\n".join([found, "", *(f"{number}. {note}." for number, note in enumerate(notes, 1))]).rstrip()


def untold(folder: str | None) -> str:
    """What is to be said of the values that came without runs or errors."""
    given, apart = len(measured_elsewhere.WEAK_FAMILY), len(measured_elsewhere.DISAGREEING)
    runs, low, high = measured_elsewhere.implied_runs(folder)
    return f"""Of the {given} values of untold precision {apart} disagree; how they were made is not known. Chance would
be enough: means of about {runs:.0f} runs each (95 %: {low:.0f} to {high:.0f}) would lie as far from ours. That number
is computed from the distances, so it explains them and confirms nothing."""


COMMAND = "python -m benchmarks.algorithms --write docs/algorithms.md"
REGRETS = "## Regret beside what others measured"
OWN_REGRETS = "## Regret beside our own oracles"


def speed_section() -> str:
    return f"""## Speed
Machine: {machine()}. Nanoseconds a duel of one run, one thread, the thread's own time, the best of 2 to 10. The run
has {power(HORIZON)} duels, or as many as stand in parentheses. 500 arms: a total order in which the better arm wins
with 0.8. Peers were measured on another day on a 2-core machine; duelpy 1.0.0 needs NumPy 1.23, and several of its
algorithms are not those they are named after.

{speed_table(speeds())}

The rules of these algorithms, computed anew at every duel as the papers print them, cost O(N^2) a duel or more. They
are kept in the tests (`tests/reference/naive_*.py`), where the fast forms play the same duels or have the same law.
Nanoseconds a duel on the 500 arms, ours over the first {power(EARLY)} duels of a run:

{ratio_table(ratios())}

What a duel costs literal rules hardly depends on when it is, except that `rmed1` and `rmed2` first play every pair
once, and only look for a pair that has not met; that is the cheapest part for them.

"""


def speed_section_of(text: str) -> str:
    """Return the speeds that a document holds."""
    return text[text.index("## Speed\n") : text.index(REGRETS)]


def regret_section(folder: str | None) -> str:
    """Return the regrets beside those that others measured; simulated runs are kept in the folder."""
    return f"""{REGRETS}
Arms are relabelled at random in every run, seeds are fixed (`tests/reference/measured_elsewhere.py` is the list,
`tests/algorithms/test_measured_elsewhere.py` the tests that use it). `strong-average` is (g_i + g_j) / 2, half of the
paper's utility strong regret. Means are given with their standard errors; an error marked * is that of as many runs of
ours as they had. The distance is ours less theirs in combined standard errors; to agree is to be within
{measured_elsewhere.MARGIN}, and the tests want it of all values whose precision is known. Values read off the figures
of Chen & Frazier (2017) have an error of a few percent.

{regret_table(folder, measured_elsewhere.BY_OTHERS)}

{untold(folder)}

{OWN_REGRETS}
Exact recursions (`tests/reference/exact_btw.py`, `winnerstays exact`) and literal versions in NumPy
(`tests/reference/naive_btw.py`): other ways to the same numbers, but not other people's.

{regret_table(folder, measured_elsewhere.BY_OURSELVES)}

{literal_section()}
"""


def literal_section() -> str:
    """Say which algorithms have only a second implementation of our own."""
    names = ", ".join(f"`{name}`" for name in LITERAL_RIVALS)
    return f"""Nobody's numbers are at hand for {names}: each has a second, literal implementation that
shares nothing with the first (`tests/reference/literal_rivals.py`), and their means agree within 4 combined standard
errors (`tests/algorithms/test_literal_rivals.py`). Two readings of the same rules by the same project can share a
misreading: what was left open by a paper stands in the algorithm's file."""


def document(speed: str, regrets: str) -> str:
    """Return the whole page around these two sections."""
    return f"""# The algorithms

This page is made by `{COMMAND}` and not edited by hand.
Each family of algorithms is one file or folder in `winnerstays/algorithms/`; `winnerstays algorithms NAME` prints what
its file says about it, with what is uncertain.

## What there is
N arms, T duels, gap: how far the nearest race is from 1/2. What needs the horizon gets it from the simulator; in
`Learner` it must be given. What needs features wants a vector for every arm.

{catalogue()}

{speed}{regrets}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, required=True, metavar="FILE")
    parser.add_argument("--cache", metavar="FOLDER", help="keep simulated runs here, and take those that are there")
    parser.add_argument("--keep-speeds", action="store_true", help="measure no speeds: keep those that FILE holds")
    given = parser.parse_args()
    speed = speed_section_of(given.write.read_text(encoding="utf-8")) if given.keep_speeds else speed_section()
    text = document(speed, regret_section(given.cache))
    write_whole(given.write, lambda draft: draft.write_text(text, encoding="utf-8"), force=True)


if __name__ == "__main__":
    main()
