"""What a pick found, as plain values."""

from dataclasses import dataclass, field
from typing import Any, Literal

from winnerstays.intervals import Bias
from winnerstays.picking.judges import JudgeReport, reports_of

Stop = Literal[
    "certified", "precise", "indifferent", "cycle", "equal", "exhausted", "budget", "interrupted", "stopped", "failed",
    "uninformative",
]  # fmt: skip
THESE, NEW, ANSWERS = "on these examples", "on new examples like these", "in new comparisons"


@dataclass(frozen=True)
class Certificate:
    """How sure it is that an item is the best, and of which comparisons that speaks."""

    about: str
    confidence: float
    certified: bool


@dataclass(frozen=True)
class Record:
    """The best item's record against one other: `evidence` is e (docs/pick.md); `beaten_by` may be a third item."""

    name: str
    won: float
    lost: float
    evidence: float
    beaten_by: str | None


@dataclass(frozen=True, eq=False)
class Findings:
    """The facts of a finished pick."""

    best: Any
    """The item itself; `name` is what it is called."""
    name: str
    goal: str
    top: tuple[str, ...]
    """The names of what was sought, the best first: one item, the `top` of them, or all as a ranking."""
    certified: bool
    """Whether `top` is what was sought with confidence `level`: by default, `best` beats every other item."""
    confidence: float
    """A lower bound on the probability that it is; valid at any time."""
    claims: tuple[Certificate, ...]
    """What is sure of `best`: the first is what the pick was to certify. With examples there is another one."""
    likely: float | None
    """The chance that `best` is the best, by a model of judges who choose by utilities; a guess, no guarantee. None
    for very many items."""
    remaining: tuple[Any, ...]
    """The items that no other one beats beyond doubt: the best is among them. Empty if none beats all others."""
    remaining_names: tuple[str, ...]
    stop: Stop
    """Why it ended."""
    calls: int
    """Requests to the judge, those of earlier runs with the same store included; retries are counted apart."""
    retries: int
    """Requests made again in this run, because they failed."""
    earlier_calls: int
    """Those of earlier runs."""
    level: float
    rivals: tuple[Record, ...]
    """The best item's record against each other, the least certain first."""
    cycle: tuple[str, ...]
    """If there is no best item: items each of which is beaten beyond doubt by the next, the last by the first."""
    bias: Bias
    """How often the judge chose the left item."""
    flips: int
    """Comparisons asked both ways in which the judge chose the same side twice."""
    ties: int
    skips: int
    errors: int
    """Calls that failed in every attempt. They are no answers: they are asked again later."""
    judge: str | None
    """What names the judge, or the judges: `judge_id`, a command, or a model and a hash of its instructions."""
    seed: int
    tokens: int
    cost: float
    """What the judge said that its calls cost."""
    duels: int
    """Comparisons: answers, or pairs of answers with swap="both"."""
    calls_left: int | None
    """About how many more a certificate would need; None if the record says nothing about it."""
    seconds: float
    paired: int
    """Comparisons asked both ways."""
    indifference: float
    error: str | None
    names: tuple[str, ...] = field(repr=False)
    examples: tuple[dict[str, Any], ...] = field(repr=False)
    """Each answer: its example, its items, who won, why, by which judge, and what it cost."""
    history: tuple[tuple[int, int, float], ...] = field(repr=False)
    """(left, right, outcome) of each comparison; 1: left won, -1: right won, 0: neither, or between if only just."""
    evidence: tuple[tuple[float, float], ...] = field(repr=False)
    """After each comparison, log10 of e for its left and its right item."""
    doubt: float = field(repr=False)
    """e from which one item beats another beyond doubt."""
    beaten_at: dict[str, int] = field(repr=False)
    """After how many comparisons an item was dropped."""

    @property
    def judges(self) -> tuple[JudgeReport, ...]:
        """How far each judge can be trusted."""
        return reports_of(self.examples)

    @property
    def flip_share(self) -> float:
        """The share of flips among the comparisons asked both ways."""
        return self.flips / self.paired if self.paired else 0.0
