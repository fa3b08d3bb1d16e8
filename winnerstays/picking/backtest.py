"""What a pick would have cost on recorded judgements.

A replay answers a call with one of the recorded judgements of that pair, drawn at random, ties included. The right
answer is the item that won more often than it lost against every other one in the records.
"""

import random
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError
from winnerstays.files import as_json
from winnerstays.picking.judging import Question
from winnerstays.picking.picker import Picker
from winnerstays.picking.recorded import recorded_problem
from winnerstays.picking.votes import Votes, votes_of
from winnerstays.picking.words import listed
from winnerstays.problems import Problem

ENOUGH = 20
"""Judgements of a pair below which its chances are hardly known."""
MAX_CALLS = 50_000
"""Of one replay; then the best guess counts."""
Share = Callable[[Question], float | None]
"""The left one's share of the point by a recorded judgement; None if there is none."""


@dataclass(frozen=True)
class Way:
    """What a way of asking would have cost, over all replays."""

    name: str
    calls: float
    """Mean."""
    median: float
    most: int
    right: float
    """The share of right answers; without a best item, of replays that said so."""
    certified: float


@dataclass(frozen=True)
class Backtest:
    """The table for the decision."""

    source: str
    items: tuple[str, ...]
    best: str | None
    """The right answer; None if no item beats all others in the records."""
    judgements: int
    notes: tuple[str, ...]
    """What is not as it should be with the records."""
    level: float
    runs: int
    ways: tuple[Way, ...]
    read: str = ""
    """What was read from the file, and what was assumed."""

    def to_json(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """Return all of it as text, also written to `path` if one is given."""
        return as_json(asdict(self), path, force=force)

    def __str__(self) -> str:
        right = "no item beats all others" if self.best is None else f"the best is {self.best}"
        lines = [f"{self.source}: {len(self.items)} items, {self.judgements} judgements; {right} in these records."]
        lines += [f"Read: {self.read}"] if self.read else []
        lines += [f"Note: {note}" for note in self.notes]
        lines += ["", f"{'':30}{'calls':>9}{'median':>9}{'most':>9}{'right':>8}{'certified':>11}"]
        lines += [
            f"{way.name:30}{way.calls:>9.0f}{way.median:>9.0f}{way.most:>9}{way.right:>8.0%}{way.certified:>11.0%}"
            for way in self.ways
        ]
        return "\n".join([*lines, "", f"{self.runs} replays each, level {self.level:g}."])


def backtest(
    source: str | Path,
    *,
    level: float = 0.95,
    indifference: float = 0.0,
    concurrency: int = 1,
    runs: int = 50,
    seed: int = 0,
    question: str | None = None,
    **reading: Any,
) -> Backtest:
    """Replay recorded judgements with `pick`; see docs/data.md for files.

    With `question`, a column, they are replayed once more as examples, each of which a pair meets once. `reading` says
    how the file is read, as for `winnerstays.problems.load`.
    """
    if runs < 1:
        raise WinnerstaysError(f"The number of runs is {runs}, but it must be at least 1.")
    problem = recorded_problem(Path(source), **reading)
    wins, ties, total, kept, notes = _records(problem, str(source))
    names = tuple(problem.items[item] for item in kept)
    share = np.divide(wins, total, out=np.full_like(wins, 0.5), where=total > 0)
    tied = np.divide(ties, total, out=np.zeros_like(wins), where=total > 0)
    options: dict[str, Any] = {
        "level": level,
        "indifference": indifference,
        "concurrency": concurrency,
        "budget": MAX_CALLS,
    }

    def drawn(run: int) -> Share:
        rng = random.Random(f"{seed} {run}")
        place = {name: number for number, name in enumerate(names)}

        def one(asked: Question) -> float:
            pair, u = (place[asked.left], place[asked.right]), rng.random()
            return 1.0 if u < share[pair] else 0.5 if u < share[pair] + tied[pair] else 0.0

        return one

    ways = [_replayed("pick", names, wins, drawn, runs, seed, options)]
    if question is not None:
        votes = votes_of(source, by=question, columns=reading.get("columns"), codes=reading.get("codes"))
        said, lead, n_questions = _by_question(votes)
        options["examples"] = range(n_questions)

        def looked_up(run: int) -> Share:
            return lambda asked: said.get((asked.left, asked.right, int(asked.example or 0)))

        ways.append(_replayed("pick, each question once", votes.items, lead, looked_up, runs, seed, options))
    counted = int(total.sum() / 2) if problem.counts is not None else 0
    best = _best(names, wins)
    return Backtest(str(source), names, best, counted, tuple(notes), level, runs, tuple(ways), problem.note)


def _best(names: tuple[str, ...], wins: Floats) -> str | None:
    """Return the item that has won more often than it has lost against each other one."""
    beats = (wins > wins.T).sum(axis=1)
    return names[int(beats.argmax())] if beats.max() == len(names) - 1 else None


def _replayed(
    name: str,
    items: tuple[str, ...],
    wins: Floats,
    judge_of: Callable[[int], Share],
    runs: int,
    seed: int,
    options: dict[str, Any],
) -> Way:
    best = _best(items, wins)
    calls, right, sure = [], [], []
    for run in range(runs):
        picker, judge = Picker(items, seed=seed + run, **options), judge_of(run)
        while picker.stop is None:
            for asked in picker.ask(picker.options.concurrency):
                share = judge(asked)
                if share is None:
                    picker.fail(asked, "there is no such judgement in the records")
                else:
                    picker.tell(asked, share)
        calls.append(picker.calls - picker.errors)
        guess = picker.items.names[picker.favourite]
        right.append(picker.stop == "cycle" if best is None else guess == best)
        sure.append(picker.stop == "certified")
    cost = float(np.mean(calls)), float(np.median(calls)), max(calls)
    return Way(name, *cost, float(np.mean(right)), float(np.mean(sure)))


def _by_question(votes: Votes) -> tuple[dict[tuple[str, str, int], float], Floats, int]:
    """Return what was said by left, right and question, the votes won by pair, and how many questions there are."""
    assert votes.group is not None
    said: dict[tuple[str, str, int], float] = {}
    won = np.zeros((len(votes.items), len(votes.items)))
    for left, right, share, group in zip(votes.left, votes.right, votes.share, votes.group, strict=True):
        said[votes.items[left], votes.items[right], int(group)] = float(share)
        said.setdefault((votes.items[right], votes.items[left], int(group)), 1 - float(share))
        won[left, right] += share
        won[right, left] += 1 - share
    return said, won, int(votes.group.max()) + 1


def _records(problem: Problem, source: str) -> tuple[Floats, Floats, Floats, list[int], list[str]]:
    """Return wins, ties and totals of each pair, the items with judgements of all their pairs, and what to note."""
    if problem.counts is None:
        kept = list(range(problem.n_arms))
        ones = np.ones((problem.n_arms, problem.n_arms)) - np.eye(problem.n_arms)
        return problem.preferences * ones, 0 * ones, ones, kept, ["these are chances, not judgements"]
    ties: Any = np.zeros_like(problem.counts) if problem.ties is None else problem.ties
    total = problem.counts + problem.counts.T
    kept, notes = list(range(problem.n_arms)), []
    out = []
    while len(kept) > 1:
        missing = (total[np.ix_(kept, kept)] == 0).sum(axis=1) - 1
        if not missing.any():
            break
        fewest = np.lexsort((total[np.ix_(kept, kept)].sum(axis=1), -missing))[0]
        out.append(kept.pop(int(fewest)))
    if len(kept) < 2:
        raise WinnerstaysError(f"{source}: no two items have judgements of each other; there is nothing to replay.")
    if out:
        names = listed(tuple(problem.items[item] for item in out))
        notes.append(f"left out, because they were not compared with all others: {names}")
    grid = np.ix_(kept, kept)
    few = [
        (problem.items[kept[one]], problem.items[kept[other]], int(total[grid][one, other]))
        for one in range(len(kept)) for other in range(one) if total[grid][one, other] < ENOUGH
    ]  # fmt: skip
    if few:
        least = min(few, key=lambda pair: pair[2])
        notes.append(
            f"{len(few)} of {len(kept) * (len(kept) - 1) // 2} pairs have fewer than {ENOUGH} judgements "
            f"({least[0]} and {least[1]} have {least[2]}): the table takes their shares for the truth"
        )
    return (problem.counts - ties / 2)[grid], ties[grid], total[grid], kept, notes
