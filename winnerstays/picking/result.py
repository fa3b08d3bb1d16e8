"""The result of a pick: the best item, how sure that is, and the ways to show it."""

import json
import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from winnerstays.errors import missing_extra
from winnerstays.files import write_whole
from winnerstays.intervals import Bias, bias
from winnerstays.picking import procedure
from winnerstays.picking.session import Session

if TYPE_CHECKING:
    import polars
    from matplotlib.figure import Figure

Stop = Literal["certified", "indifferent", "cycle", "equal", "budget", "interrupted", "stopped", "failed"]
MAX_EVIDENCE = 1e300


@dataclass(frozen=True)
class Rival:
    """The best item's record against one other: `evidence` is e (docs/pick.md); `beaten_by` may be a third item."""

    name: str
    won: int
    lost: int
    evidence: float
    beaten_by: str | None


@dataclass(frozen=True, eq=False)
class PickResult:
    """What `pick` found. `print` gives a paragraph to read; `to_html` a page to hand around."""

    best: Any
    """The item itself; `name` is what it is called."""
    name: str
    certified: bool
    """Whether `best` beats every other item with confidence `level`."""
    confidence: float
    """A lower bound on the probability that it does; valid at any time."""
    remaining: tuple[Any, ...]
    """The items that no other one beats beyond doubt: the best is among them. Empty if none beats all others."""
    remaining_names: tuple[str, ...]
    stop: Stop
    """Why it ended."""
    calls: int
    """Answers of the judge, those of earlier runs with the same store included."""
    level: float
    rivals: tuple[Rival, ...]
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
    """Calls that failed in every attempt; they are among the skips."""
    duels: int
    """Comparisons: calls, or pairs of calls with swap="both", or remembered judgements."""
    calls_left: int | None
    """About how many more a certificate would need; None if the record says nothing about it."""
    seconds: float
    both: bool
    indifference: float
    error: str | None
    names: tuple[str, ...] = field(repr=False)
    history: tuple[tuple[int, int, int], ...] = field(repr=False)
    """(left, right, outcome) of each comparison; 1: left won, -1: right won, 0: neither."""
    beaten_at: dict[str, int] = field(repr=False)
    """After how many comparisons an item was beaten beyond doubt."""

    @property
    def flip_share(self) -> float:
        """The share of flips among the comparisons asked both ways."""
        return self.flips / self.duels if self.both and self.duels else 0.0

    def __str__(self) -> str:
        from winnerstays.picking.words import describe

        return describe(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without the history."""
        return {
            "best": self.name, "certified": self.certified, "confidence": self.confidence, "level": self.level,
            "stop": self.stop, "remaining": list(self.remaining_names), "cycle": list(self.cycle), "calls": self.calls,
            "calls_left": self.calls_left, "comparisons": self.duels, "ties": self.ties, "skips": self.skips,
            "errors": self.errors, "flips": self.flips, "flip_share": self.flip_share if self.both else None,
            "left": {"chosen": self.bias.left, "of": self.bias.left + self.bias.right, "share": self.bias.share,
                     "low": self.bias.low, "high": self.bias.high},
            "rivals": [vars(rival) for rival in self.rivals], "seconds": self.seconds, "error": self.error,
        }  # fmt: skip

    def to_json(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """Return the same as text, also written to `path` if one is given."""
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False)
        if path is not None:
            write_whole(path, lambda draft: draft.write_text(text + "\n", encoding="utf-8"), force=force)
        return text

    def to_frame(self) -> "polars.DataFrame":
        """Return a table with a row for each item: its record against the best one and when it was beaten."""
        try:
            import polars
        except ImportError:
            raise missing_extra("A table", "tables") from None
        own = {"item": self.name, "won": None, "lost": None, "evidence": None, "beaten_by": None, "beaten_at": None}
        rows = [
            {"item": rival.name, "won": rival.won, "lost": rival.lost, "evidence": rival.evidence,
             "beaten_by": rival.beaten_by, "beaten_at": self.beaten_at.get(rival.name)}
            for rival in self.rivals
        ]  # fmt: skip
        schema = {
            "item": polars.String, "won": polars.Int64, "lost": polars.Int64, "evidence": polars.Float64,
            "beaten_by": polars.String, "beaten_at": polars.Int64,
        }  # fmt: skip
        return polars.DataFrame([own, *rows], schema=schema)

    def plot(self, path: str | Path | None = None, *, force: bool = False) -> "Figure":
        """Draw the evidence of the best item against each rival over the comparisons; also written to `path`."""
        from winnerstays.picking.report import draw

        figure = draw(self)
        if path is not None:
            from winnerstays.simulation.result import check_picture

            check_picture(Path(path))
            write_whole(path, lambda draft: figure.savefig(draft, dpi=160), force=force)
        return figure

    def to_html(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """Return one page with everything, also written to `path` if one is given."""
        from winnerstays.picking.report import page

        text = page(self)
        if path is not None:
            write_whole(path, lambda draft: draft.write_text(text, encoding="utf-8"), force=force)
        return text


def result_of(session: Session) -> PickResult:
    """Return the result of a session as it is now."""
    state, names, values = session.state, session.items.names, session.items.values
    best = session.favourite
    others = sorted((item for item in range(len(names)) if item != best), key=lambda item: state.evidence[best, item])
    rivals = tuple(
        Rival(
            names[item], int(state.wins[best, item]), int(state.wins[item, best]),
            math.exp(min(float(state.evidence[best, item]), math.log(MAX_EVIDENCE))),
            None if state.beaten_by[item] < 0 else names[state.beaten_by[item]],
        )
        for item in others
    )  # fmt: skip
    return PickResult(
        best=values[best],
        name=names[best],
        certified=session.stop == "certified",
        confidence=procedure.confidence(state),
        remaining=tuple(values[item] for item in session.remaining),
        remaining_names=tuple(names[item] for item in session.remaining),
        stop=session.stop or "interrupted",  # type: ignore[arg-type]
        calls=session.calls,
        level=session.level,
        rivals=rivals,
        cycle=tuple(names[item] for item in procedure.cycle(state)),
        bias=bias(session.left, session.right),
        flips=session.flips,
        ties=session.ties,
        skips=session.skips,
        errors=session.errors,
        duels=session.learned,
        calls_left=procedure.calls_left(state),
        seconds=time.monotonic() - session.begin,
        both=session.both,
        indifference=session.indifference,
        error=None if session.error is None else f"{type(session.error).__name__}: {session.error}",
        names=names,
        history=tuple(session.history),
        beaten_at={names[item]: at for item, at in session.beaten_at.items()},
    )
