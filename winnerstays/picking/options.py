"""The options of a pick, checked before any call is paid for."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from winnerstays.errors import WinnerstaysError
from winnerstays.picking.items import as_text
from winnerstays.picking.judging import BACKOFF_SECONDS
from winnerstays.randomness import check_seed

Goal = Literal["condorcet", "copeland", "borda", "top-k", "rank"]
Swap = Literal["random", "both", "auto"]
Claim = Literal["these", "new"]
Cycles = Literal["excluded", "detected", "safe"]
CALLS_FOR_EACH_RIVAL = 500
"""Of the default budget: enough to certify a best item that wins 58 of 100 against each other one."""


@dataclass
class Options:
    """What `pick` takes besides items and judge."""

    level: float = 0.95
    examples: Any = None
    """A tuple after the check; None if there are none."""
    goal: Goal = "condorcet"
    top: int | None = None
    """With goal="top-k": how many."""
    precision: float | None = None
    """With goal="rank": how far an interval may reach to each side, in log odds."""
    swap: Swap = "random"
    claim: Claim = "these"
    cycles: Cycles = "detected"
    indifference: float = 0.0
    budget: float | str | None = None
    """Calls; as a text such as "$2", money."""
    concurrency: int = 1
    store: str | None = None
    retries: int = 3
    backoff: float = BACKOFF_SECONDS
    seed: int | None = None
    progress: bool | None = None
    judge_id: str | tuple[str, ...] | None = None
    """Of several judges: their names. Each comparison is put to one of them, drawn at random."""
    same_judge: bool = False

    def __post_init__(self) -> None:
        if not (_is_number(self.level) and 0.5 < self.level < 1):
            raise WinnerstaysError(f"level is {self.level!r}, but it must be above 1/2 and below 1, such as 0.95.")
        for name, words in (("goal", Goal), ("swap", Swap), ("claim", Claim), ("cycles", Cycles)):
            if getattr(self, name) not in get_args(words):
                known = " or ".join(map(repr, get_args(words)))
                raise WinnerstaysError(f"{name} is {getattr(self, name)!r}, but it must be {known}.")
        if not (_is_number(self.indifference) and 0 <= self.indifference < 0.5):
            raise WinnerstaysError(f"indifference is {self.indifference!r}, but it must be at least 0 and below 1/2.")
        if not (_is_number(self.backoff) and self.backoff >= 0):
            raise WinnerstaysError(f"backoff is {self.backoff!r}, but it must be seconds, at least 0.")
        for option, value, goal in (("top", self.top, "top-k"), ("precision", self.precision, "rank")):
            if (value is not None) != (self.goal == goal):
                raise WinnerstaysError(
                    f"{option} is {value!r} and goal is {self.goal!r}; {goal!r} needs it, others do not."
                )
        if self.top is not None:
            _check_whole("top", self.top, 1)
        if self.precision is not None and not (_is_number(self.precision) and self.precision > 0):
            raise WinnerstaysError(f"precision is {self.precision!r}, but it must be log odds above 0, such as 0.3.")
        _check_whole("concurrency", self.concurrency, 1)
        _check_whole("retries", self.retries, 0)
        self.money: float | None = None
        if isinstance(self.budget, str):
            self.money, self.budget = _money(self.budget), math.inf
        if self.budget not in (None, math.inf):
            _check_whole("budget", self.budget, 1 if self.swap == "random" else 2)
        if self.seed is not None:
            self.seed = check_seed(self.seed)
        if self.store is not None:
            self.store = str(self.store)
        ids = self.judge_id if isinstance(self.judge_id, tuple) else (self.judge_id,)
        if self.judge_id is not None and not (ids and all(isinstance(one, str) and one.strip() for one in ids)):
            raise WinnerstaysError(f"judge_id is {self.judge_id!r}, but it must be a text such as 'rubric 3'.")
        if self.swap == "auto" and self.goal == "borda":
            raise WinnerstaysError(
                "swap is 'auto' and goal is 'borda', whose rounds are of one kind; say 'random' or 'both'."
            )
        self.examples = _check_examples(self.examples)
        if self.claim == "new" and self.examples is None:
            raise WinnerstaysError("claim='new' speaks of new examples, but there are no examples; give some.")


def _money(text: str) -> float:
    """Return the money in a text such as "$2.50"."""
    try:
        amount = float(text.removeprefix("$"))
    except ValueError:
        amount = 0.0
    if not text.startswith("$") or not 0 < amount < math.inf:
        raise WinnerstaysError(f"budget is {text!r}, but it must be a number of calls, or money such as '$2'.")
    return amount


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_whole(name: str, value: object, minimum: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
        raise WinnerstaysError(f"{name} is {value!r}, but it must be a whole number of at least {minimum}.")


def _check_examples(examples: Any) -> tuple[Any, ...] | None:
    if examples is None:
        return None
    if isinstance(examples, str | Mapping) or not isinstance(examples, Iterable):
        raise WinnerstaysError(f"The examples are {examples!r}, but they must be a list.")
    listed = tuple(examples)
    if not listed:
        raise WinnerstaysError("The examples are empty; give at least one, or leave them out.")
    texts = [as_text(example) for example in listed]
    for text, often in Counter(texts).items():
        if text is not None and often > 1:
            raise WinnerstaysError(f"The example {text[:60]!r} is listed twice, but each counts once; leave one out.")
    return listed
