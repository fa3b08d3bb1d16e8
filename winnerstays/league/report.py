"""The league as a page: who wins where, the verdict on one algorithm, the tails, and pictures."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from winnerstays.files import write_whole
from winnerstays.league.cells import Cell
from winnerstays.league.play import Plan
from winnerstays.league.problems import role
from winnerstays.league.standing import AVERAGE, BINARY, mean_ranks, ranking, verdicts

SHOWN = 3
"""Algorithms that are named where the table says who is first."""


def number(value: float) -> str:
    """Three digits or so.

    >>> number(1234.5), number(1.234), number(math.nan)
    ('1,234', '1.23', '–')
    """
    if math.isnan(value):
        return "–"
    return "∞" if math.isinf(value) else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def power(t: int) -> str:
    return f"10^{len(str(t)) - 1}" if str(t).strip("0") == "1" else f"{t:,}"


def table(header: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    rows = ["| " + " | ".join(map(str, line)) + " |" for line in lines]
    return "\n".join([f"| {' | '.join(header)} |", "|---" * len(header) + "|", *rows])


def markdown(
    problems: Mapping[str, Sequence[Cell]], plan: Plan, about: str, command: str, pictures: Mapping[str, str]
) -> str:
    """The whole page; `pictures` are file names by title."""
    late = plan.times[-3:]
    parts = [
        "# The league",
        f"This page is made by `{command}` and not edited by hand. Every registered algorithm with its default parameters "
        f"plays on every problem: at least {plan.few} runs where the time allows it, and up to {plan.runs:,} of whoever may "
        f"be within a factor of 1.5 of the best in any regret at any time; arms are relabelled at random in every run; seed "
        f"{plan.seed}. Numbers are means ± standard errors of cumulative regret. A problem is *new* if no variant of WS-T "
        "was run on it before its rule was fixed; *looked at* if some was; *attack* if it was made or found to hurt WS-T.",
        *(f"![{title}]({name})" for title, name in pictures.items()),
        f"## {about} beside the others, {AVERAGE}",
        _about(problems, about, late),
        "## Who is first",
        *(_first(problems, regret, t) for regret in plan.regrets for t in late),
        "## Tails",
        f"{AVERAGE} regret at the last time that was reached: percentiles and the worst of all runs.",
        _tails(problems, plan, about),
        "## Mean ranks",
        *(_ranks(problems, regret, late[-1]) for regret in (AVERAGE, BINARY)),
        "## What was left out",
        _left_out(problems),
    ]
    return "\n\n".join(parts) + "\n"


def _about(problems: Mapping[str, Sequence[Cell]], about: str, times: Sequence[int]) -> str:
    found = verdicts(problems, about, times)
    lines = [
        (f"`{one.problem}`", role(one.problem), power(one.t),
         f"{number(one.own.mean)} ± {number(one.own.sem)} ({one.own.runs:,})",
         f"`{one.other.algorithm}` {number(one.other.stat.mean)} ± {number(one.other.stat.sem)}",
         number(one.own.mean / one.other.stat.mean), "yes" if one.first else "**no**", number(one.binary),
         number(one.p99), number(one.worst))
        for one in found
    ]  # fmt: skip
    new = [one for one in found if role(one.problem) == "new"]
    said = (
        f"First, or within one standard error of first, in {sum(one.first for one in found)} of {len(found)} lines; of those "
        f"on new problems in {sum(one.first for one in new)} of {len(new)}. Binary: its binary strong regret over the smaller "
        "of those of D-TS and WS-S; p99 and worst: over those of D-TS."
    )
    header = ("problem", "", "T", f"{about} (runs)", "best other", "ratio", "first", "binary", "p99", "worst")
    return f"{said}\n\n{table(header, lines)}"


def _first(problems: Mapping[str, Sequence[Cell]], regret: str, t: int) -> str:
    lines = []
    for name, cells in problems.items():
        places = ranking(cells, regret, t)[:SHOWN]
        shown = [f"`{one.algorithm}` {number(one.stat.mean)} ± {number(one.stat.sem)} ({one.ratio:.2f})" for one in places]
        lines.append((f"`{name}`", *shown, *[""] * (SHOWN - len(shown))))
    return f"### {regret}, {power(t)}\n\n{table(('problem', 'first', 'second', 'third'), lines)}"


def _tails(problems: Mapping[str, Sequence[Cell]], plan: Plan, about: str) -> str:
    lines = []
    for name, cells in problems.items():
        for cell in cells:
            reached = [t for t in plan.times if cell.at(AVERAGE, t)]
            one = cell.at(AVERAGE, reached[-1]) if reached else None
            if one is not None and cell.algorithm in (about, "dts", "ws-s", "rmed1"):
                tail = (number(one.mean), number(one.p90), number(one.p99), number(one.worst), f"{one.runs:,}")
                lines.append((f"`{name}`", f"`{cell.algorithm}`", power(reached[-1]), *tail))
    return table(("problem", "algorithm", "T", "mean", "p90", "p99", "worst", "runs"), lines)


def _ranks(problems: Mapping[str, Sequence[Cell]], regret: str, t: int) -> str:
    found = mean_ranks(problems, regret, t)
    lines = [
        (f"`{label}`", f"{rank:.1f}", number(ratio), count) for label, (rank, ratio, count) in found.items()
    ]
    header = ("algorithm", "mean rank", "ratio to the best (geometric mean)", "problems")
    return f"### {regret}, {power(t)}\n\n{table(header, lines)}"


def _left_out(problems: Mapping[str, Sequence[Cell]]) -> str:
    notes: dict[str, list[str]] = {}
    for cells in problems.values():
        for cell in cells:
            if cell.note:
                notes.setdefault(f"`{cell.algorithm}`: {cell.note}", []).append(f"`{cell.problem}`")
    return "\n".join(f"- {note}: {', '.join(where)}." for note, where in sorted(notes.items())) or "Nothing."


def write_page(path: Path, text: str, force: bool) -> None:
    write_whole(path, lambda draft: draft.write_text(text, encoding="utf-8"), force=force)
