"""`better`: is a candidate better than a baseline? A gate for CI, with the certificate of a pick of two."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from winnerstays.errors import WinnerstaysError
from winnerstays.files import write_whole
from winnerstays.picking.api import pick
from winnerstays.picking.result import PickResult
from winnerstays.picking.words import count, percent

BETTER, WORSE, SAME, UNDECIDED = range(4)
"""Exit codes of `winnerstays better`."""
NAMES = ("better", "worse", "no difference", "undecided")
CANDIDATE, BASELINE = "candidate", "baseline"


@dataclass(frozen=True)
class Gate:
    """What was decided, and the pick that decided it."""

    outcome: int
    """BETTER, WORSE, SAME (no difference within the indifference) or UNDECIDED (the budget is spent, or the like)."""
    result: PickResult
    cheaper: str | None
    """Of two that are the same: which costs less, if the costs are known."""

    def __bool__(self) -> bool:
        return self.outcome == BETTER

    def __str__(self) -> str:
        result = self.result
        after = f"after {count(result.calls, 'call')} of the judge"
        if self.outcome == UNDECIDED:
            return f"It is not decided whether the candidate is better than the baseline {after} ({result.stop})."
        sure = percent(max(result.level, result.confidence))
        if self.outcome == SAME:
            cheaper = "" if self.cheaper is None else f" The {self.cheaper} is cheaper."
            exact = f"neither wins by more than {result.indifference:g}, with confidence {sure}"
            reason = "they win equally often on all examples" if result.stop == "equal" else exact
            return f"The candidate and the baseline are the same {after}: {reason}.{cheaper}"
        about = "" if len(result.claims) == 1 else f" {result.claims[0].about}"
        return f"The candidate is {NAMES[self.outcome]} than the baseline{about}: confidence {sure} {after}."

    def to_junit(self, path: str | Path, *, force: bool = False) -> None:
        """Write a test report with one case, which fails unless the candidate is better or the same."""
        failed = self.outcome in (WORSE, UNDECIDED)
        suite = ElementTree.Element("testsuite", name="winnerstays better", tests="1", failures=str(int(failed)))
        case = ElementTree.SubElement(
            suite, "testcase", name="candidate is not worse", time=f"{self.result.seconds:.3f}"
        )
        if failed:
            ElementTree.SubElement(case, "failure", message=str(self))
        ElementTree.SubElement(case, "system-out").text = str(self.result)
        text = ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)
        write_whole(path, text, force=force)

    def to_markdown(self, path: str | Path, *, force: bool = False) -> None:
        """Write a summary for the page of a pull request."""
        rival = self.result.rivals[0]
        text = (
            f"**{NAMES[self.outcome].capitalize()}.** {self}\n\n| | won | lost |\n|---|---|---|\n"
            f"| {self.result.name} | {rival.won:g} | {rival.lost:g} |\n"
        )
        write_whole(path, text, force=force)


def better(
    candidate: Any,
    baseline: Any,
    judge: Callable[..., Any],
    *,
    indifference: float = 0.05,
    costs: tuple[float, float] | None = None,
    **options: Any,
) -> Gate:
    """Tell whether a candidate is better than a baseline, by a judge; the options are those of `pick`.

    They are the same if neither wins with a chance above 1/2 + `indifference`; then `costs`, of the candidate and of
    the baseline, tell which is cheaper.

    >>> str(better("Be brief.", "Explain.", lambda left, right: min(left, right), seed=1))
    'The candidate is better than the baseline: confidence 96.8 % after 7 calls of the judge.'
    """
    if costs is not None and len(costs) != 2:
        raise WinnerstaysError(f"costs is {costs!r}, but it must be two numbers: of the candidate and of the baseline.")
    result = pick({CANDIDATE: candidate, BASELINE: baseline}, judge, indifference=indifference, **options)
    if result.stop == "certified":
        return Gate(BETTER if result.name == CANDIDATE else WORSE, result, None)
    if result.stop not in ("indifferent", "equal"):
        return Gate(UNDECIDED, result, None)
    cheaper = None if costs is None or costs[0] == costs[1] else CANDIDATE if costs[0] < costs[1] else BASELINE
    return Gate(SAME, result, cheaper)
