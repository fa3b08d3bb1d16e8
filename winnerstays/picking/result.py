"""The result of a pick: the best item, how sure that is, and the ways to show it."""

import json
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnerstays.errors import extra
from winnerstays.files import PICTURE, ROWS, as_json, check_ending, write_whole
from winnerstays.intervals import bias
from winnerstays.picking import procedure
from winnerstays.picking.findings import ANSWERS, NEW, THESE, Certificate, Findings, Record
from winnerstays.picking.goals import PRIOR
from winnerstays.picking.items import as_text
from winnerstays.picking.judges import Agreement, agreement_with
from winnerstays.picking.judging import LEFT, RIGHT, TIE
from winnerstays.picking.ranking import Ranking, rank
from winnerstays.picking.report import draw, page
from winnerstays.picking.words import describe
from winnerstays.tastes import LOST, TIED, WON, Person

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars
    from matplotlib.figure import Figure

MAX_EVIDENCE = 1e300
MOST_MODELLED = 50
"""Items up to which the model's chance is computed."""


@dataclass(frozen=True, eq=False)
class PickResult(Findings):
    """What `pick` found. `print` gives a paragraph to read; `to_html` a page to hand around."""

    def __str__(self) -> str:
        return describe(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without the history."""
        return {
            "best": self.name, "goal": self.goal, "top": list(self.top), "certified": self.certified,
            "confidence": self.confidence, "level": self.level,
            "claims": [vars(claim) for claim in self.claims], "likely": self.likely, "stop": self.stop,
            "remaining": list(self.remaining_names), "cycle": list(self.cycle), "calls": self.calls,
            "earlier_calls": self.earlier_calls, "judge": self.judge, "seed": self.seed,
            "retries": self.retries, "tokens": self.tokens,
            "cost": self.cost, "calls_left": self.calls_left,
            "comparisons": self.duels, "ties": self.ties, "skips": self.skips,
            "errors": self.errors, "flips": self.flips, "flip_share": self.flip_share if self.paired else None,
            "left": {"chosen": self.bias.left, "of": self.bias.left + self.bias.right, "share": self.bias.share,
                     "low": self.bias.low, "high": self.bias.high},
            "rivals": [vars(rival) for rival in self.rivals], "seconds": self.seconds, "error": self.error,
        }  # fmt: skip

    def board(self, **options: Any) -> Ranking:
        """Return a leaderboard of all answers; the options are those of `rank`."""
        words = {1: LEFT, -1: RIGHT, 0: TIE}
        votes = [
            (self.names[left], self.names[right], words[(lead > 0) - (lead < 0)]) for left, right, lead in self.history
        ]
        return rank(votes, **{"prior": PRIOR, **options})

    def agreement(self, labels: Iterable[Sequence[Any]]) -> dict[str, Agreement]:
        """Return how often each judge agrees with people's labels: (winner, loser), or (winner, loser, example)."""
        return agreement_with(labels, self.examples)

    def to_json(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """Return the same as text, also written to `path` if one is given."""
        return as_json(self.to_dict(), path, force=force)

    def to_frame(self) -> "polars.DataFrame":
        """Return a table with a row for each item: its record against the best one and when it was beaten."""
        with extra("A table", "tables"):
            import polars
        own = {"item": self.name, "won": None, "lost": None, "evidence": None, "beaten_by": None, "beaten_at": None}
        rows = [
            {"item": rival.name, "won": rival.won, "lost": rival.lost, "evidence": rival.evidence,
             "beaten_by": rival.beaten_by, "beaten_at": self.beaten_at.get(rival.name)}
            for rival in self.rivals
        ]  # fmt: skip
        schema = {
            "item": polars.String, "won": polars.Float64, "lost": polars.Float64, "evidence": polars.Float64,
            "beaten_by": polars.String, "beaten_at": polars.Int64,
        }  # fmt: skip
        return polars.DataFrame([own, *rows], schema=schema)

    def to_examples(self, path: str | Path, *, force: bool = False) -> None:
        """Write each answer to a .jsonl or .parquet file, with the texts of the chosen and the rejected item."""
        path = check_ending(path, *ROWS)
        if path.suffix.lower() == ".jsonl":
            text = "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in self.examples)
            write_whole(path, text, force=force)
            return
        with extra("A Parquet file", "tables"):
            import polars
        texts = ("example", "chosen", "rejected")
        rows = [{**row, **{name: as_text(row[name]) for name in texts}} for row in self.examples]
        frame = polars.DataFrame(rows, infer_schema_length=None)
        write_whole(path, lambda draft: frame.write_parquet(draft), force=force)

    def to_pairs(self, path: str | Path, *, force: bool = False) -> None:
        """Write a .jsonl file for training by preferences: a prompt, its chosen and its rejected answer a line."""
        path = check_ending(path, (".jsonl",), "pairs are written")
        rows = [{"prompt": row["example"], "chosen": row["chosen"], "rejected": row["rejected"]}
                for row in self.examples if row["winner"] is not None]  # fmt: skip
        text = "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
        write_whole(path, lambda draft: draft.write_text(text, encoding="utf-8"), force=force)

    def plot(self, path: str | Path | None = None, *, force: bool = False) -> "Figure":
        """Draw the evidence of the best item against each rival over the comparisons; also written to `path`."""
        figure = draw(self)
        if path is not None:
            write_whole(check_ending(path, *PICTURE), lambda draft: figure.savefig(draft, dpi=160), force=force)
        return figure

    def to_html(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """Return one page with everything, also written to `path` if one is given."""
        text = page(self)
        if path is not None:
            write_whole(path, text, force=force)
        return text


def result_of(picker: Any) -> PickResult:
    """Return the result of a picker as it is now."""
    state, names, values = picker.state, picker.items.names, picker.items.values
    best = picker.goal.best[0]
    reached = picker.goal.evidence(best)
    others = sorted((item for item in range(len(names)) if item != best), key=lambda item: reached[item])
    rivals = tuple(
        Record(
            names[item], float(state.wins[best, item]), float(state.wins[item, best]),
            math.exp(min(float(reached[item]), math.log(MAX_EVIDENCE))),
            None if state.beaten_by[item] < 0 else names[state.beaten_by[item]],
        )
        for item in others
    )  # fmt: skip
    claims = _claims(picker, best)
    return PickResult(
        best=values[best],
        name=names[best],
        goal=picker.options.goal,
        top=tuple(names[item] for item in picker.goal.best),
        certified=picker.stop == "certified",
        confidence=claims[0].confidence,
        claims=claims,
        likely=_likely(picker, names[best]),
        remaining=tuple(values[item] for item in picker.remaining),
        remaining_names=tuple(names[item] for item in picker.remaining),
        stop=picker.stop or "interrupted",
        calls=picker.calls,
        retries=picker.retries,
        earlier_calls=picker.earlier_calls,
        level=picker.options.level,
        rivals=rivals,
        cycle=tuple(names[item] for item in procedure.cycle(state)),
        bias=bias(picker.left, picker.right),
        flips=picker.flips,
        ties=picker.ties,
        skips=picker.skips,
        errors=picker.errors,
        judge=", ".join(ids) if isinstance(ids := picker.options.judge_id, tuple) else ids,
        seed=picker.log.seed,
        tokens=picker.tokens,
        cost=picker.cost,
        duels=len(picker.history),
        calls_left=procedure.calls_left(state) if picker.options.goal == "condorcet" else None,
        seconds=time.monotonic() - picker.begin,
        paired=picker.paired,
        indifference=picker.options.indifference,
        error=None if picker.error is None else f"{type(picker.error).__name__}: {picker.error}",
        names=names,
        examples=tuple(_examples(picker)),
        history=tuple(picker.history),
        evidence=tuple(picker.evidence),
        doubt=math.exp(state.direct),
        beaten_at={names[item]: at for item, at in picker.beaten_at.items()},
    )


def _examples(picker: Any) -> "Iterator[dict[str, Any]]":
    """Yield the answers in the log, with texts and examples in place of names and numbers."""
    values, examples = dict(zip(picker.items.names, picker.items.values, strict=True)), picker.options.examples
    for row in picker.log.rows:
        if row.share is None:
            continue
        sides = (row.left, row.right) if row.outcome == LEFT else (row.right, row.left)
        decided = row.outcome in (LEFT, RIGHT)
        yield {
            "duel": row.duel, "example": None if examples is None else examples[row.example], "left": row.left,
            "right": row.right, "winner": sides[0] if decided else None, "share": row.share,
            "reason": row.reason, "judge": row.judge,
            "tokens": row.tokens, "cost": row.cost, "chosen": values[sides[0]] if decided else None,
            "rejected": values[sides[1]] if decided else None,
        }  # fmt: skip


def _likely(picker: Any, best: str) -> float | None:
    """Return the chance that an item is the best, by the model of tastes in winnerstays/tastes."""
    if len(picker.items.names) > MOST_MODELLED:
        return None
    model = Person(picker.items.names)
    for left, right, lead in picker.history:
        outcome = WON if lead > 0 else LOST if lead < 0 else TIED
        model.tell(picker.items.names[left], picker.items.names[right], outcome)
    return next(place.best for place in model.standing().items if place.item == best)


def _claims(picker: Any, best: int) -> tuple[Certificate, ...]:
    """Return what is sure of the best item, the claim at which the pick stops first."""
    about = [ANSWERS] if picker.options.examples is None else [THESE, NEW]
    if picker.options.claim == "new":
        about.reverse()
    sure = [picker.goal.confidence(picker.state)]
    if picker.options.goal != "condorcet":
        about = about[:1]
    elif len(about) > 1:
        sure.append(procedure.confidence(picker.other, best))
    return tuple(
        Certificate(claim, value, value >= picker.options.level) for claim, value in zip(about, sure, strict=True)
    )
