"""What a pick would have cost on recorded judgements, beside the ways people take today.

A replay answers a call with one of the recorded judgements of that pair, drawn at random, ties included. The right
answer is the item that won more often than it lost against every other one in the records.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from winnerstays._types import Floats
from winnerstays.errors import WinnerstaysError
from winnerstays.files import write_whole
from winnerstays.picking.picker import Picker
from winnerstays.picking.procedure import CERTIFIED, CYCLE
from winnerstays.picking.recorded import recorded_problem
from winnerstays.picking.simulation import Judge, Picked, knock_out, simulate_pick
from winnerstays.picking.votes import Votes, votes_of
from winnerstays.picking.words import listed
from winnerstays.problems import Problem

ENOUGH = 20
"""Judgements of a pair below which its chances are hardly known."""
MAX_CALLS = 50_000
"""Of one replay; then the best guess counts."""
WAYS = {
    "pick": "pick",
    "all pairs, same stop": "all pairs",
    "random pairs, same stop": "random pairs",
    "knock-out, one call a match": "knock-out",
}


@dataclass(frozen=True)
class Way:
    """What one way of choosing pairs would have cost, over all replays."""

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
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        if path is not None:
            write_whole(path, lambda draft: draft.write_text(text + "\n", encoding="utf-8"), force=force)
        return text

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
    runs: int = 200,
    seed: int = 0,
    question: str | None = None,
    **reading: Any,
) -> Backtest:
    """Replay recorded judgements with `pick` and with the ways people take today; see docs/data.md for files.

    With `question`, a column, they are replayed once more as examples, each of which a pair meets once. `reading` says
    how the file is read, as for `winnerstays.problems.load`.
    """
    if runs < 1:
        raise WinnerstaysError(f"The number of runs is {runs}, but it must be at least 1.")
    problem = recorded_problem(Path(source), **reading)
    wins, ties, total, kept, notes = _records(problem, str(source))
    share = np.divide(wins, total, out=np.full_like(wins, 0.5), where=total > 0)
    judge = Judge(share, np.divide(ties, total, out=np.zeros_like(wins), where=total > 0))
    beats = (wins > wins.T).sum(axis=1)
    best = int(beats.argmax()) if beats.max() == len(kept) - 1 else None
    ways = []
    for name, strategy in WAYS.items():
        found = [_replay(judge, strategy, level, indifference, concurrency, seed, run) for run in range(runs)]
        ways.append(_summary(name, found, best))
    if question is not None:
        votes = votes_of(source, by=question, columns=reading.get("columns"), codes=reading.get("codes"))
        ways.insert(1, _by_questions(votes, level, indifference, concurrency, runs, seed))
    items = tuple(problem.items[item] for item in kept)
    counted = int(total.sum() / 2) if problem.counts is not None else 0
    return Backtest(
        str(source), items, None if best is None else items[best], counted, tuple(notes), level, runs, tuple(ways),
        problem.note,
    )  # fmt: skip


def _by_questions(votes: Votes, level: float, indifference: float, concurrency: int, runs: int, seed: int) -> Way:
    """Return what `pick` costs with questions as examples. Right is who wins most votes against each other item."""
    said: dict[tuple[str, str, int], float] = {}
    n_items = len(votes.items)
    lead = np.zeros((n_items, n_items))
    assert votes.group is not None
    for left, right, share, group in zip(votes.left, votes.right, votes.share, votes.group, strict=True):
        said[votes.items[left], votes.items[right], int(group)] = float(share)
        said.setdefault((votes.items[right], votes.items[left], int(group)), 1 - float(share))
        lead[left, right] += 2 * share - 1
        lead[right, left] -= 2 * share - 1
    beats = (lead > 0).sum(axis=1)
    best = votes.items[int(beats.argmax())] if beats.max() == n_items - 1 else None
    pickers = []
    for run in range(runs):
        picker = Picker(
            votes.items, examples=range(int(votes.group.max()) + 1), level=level, indifference=indifference,
            concurrency=concurrency, seed=seed + run, budget=MAX_CALLS,
        )  # fmt: skip
        while picker.stop is None:
            for asked in picker.ask(concurrency):
                share = said.get((asked.left, asked.right, int(asked.example or 0)))
                if share is None:
                    picker.fail(asked, "there is no such judgement in the records")
                else:
                    picker.tell(asked, share)
        pickers.append(picker)
    calls = np.array([picker.calls - picker.errors for picker in pickers])
    names = [picker.items.names[picker.favourite] for picker in pickers]
    right = [
        picker.stop == "cycle" if best is None else name == best for picker, name in zip(pickers, names, strict=True)
    ]
    sure = [picker.stop == "certified" for picker in pickers]
    cost = float(calls.mean()), float(np.median(calls)), int(calls.max())
    return Way("pick, each question once", *cost, float(np.mean(right)), float(np.mean(sure)))


def _replay(
    judge: Judge, strategy: str, level: float, indifference: float, concurrency: int, seed: int, run: int
) -> Picked:
    if strategy == "knock-out":
        return knock_out(judge, seed=seed, run=run)
    return simulate_pick(
        judge, strategy, level=level, indifference=indifference, concurrency=concurrency, budget=MAX_CALLS, seed=seed,
        run=run,
    )  # fmt: skip


def _summary(name: str, found: list[Picked], best: int | None) -> Way:
    calls = np.array([run.calls for run in found])
    right = [run.verdict == CYCLE if best is None else run.favourite == best for run in found]
    sure = [run.verdict == CERTIFIED for run in found]
    return Way(
        name, float(calls.mean()), float(np.median(calls)), int(calls.max()), float(np.mean(right)),
        float(np.mean(sure)),
    )  # fmt: skip


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
