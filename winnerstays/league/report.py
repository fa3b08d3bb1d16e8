"""The league as a page: who wins where, the verdict on one algorithm, the tails, and pictures."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from winnerstays.files import write_whole
from winnerstays.league.ablation import Row, smallest_slope
from winnerstays.league.cells import Cell
from winnerstays.league.play import Plan
from winnerstays.league.problems import league_problems, role
from winnerstays.league.standing import AVERAGE, BINARY, Verdict, mean_ranks, ranking, targets, verdicts

SHOWN = 3
"""Algorithms that are named where the table says who is first."""


_INTRODUCTION = """This page is made by `{command}` and not edited by hand. The algorithms have their default
parameters unless it is said; at least {few} runs of each where the time allows it, and up to {runs} of whoever may be
within a factor of 1.5 of the best in any regret at any time. Arms are relabelled at random in every run; seed {seed}.
Numbers are means ± standard errors of cumulative regret. A problem is *new* if no variant of WS-T was run on it before
its rule was fixed, *looked at* if some was, *attack* if it was made or found to hurt WS-T."""
_SAID = """First, or within one standard error of first, in {first} of {all} lines; of those on new problems in
{new_first} of {new}. Ahead of it on the others: {ahead}; on new problems: {new_ahead}.
Binary: its binary strong regret over the smaller of those of D-TS and WS-S; p99 and worst: over
those of D-TS; the worst of more runs is worse, and *Tails* says how many there were."""
_GROWTH = """Average strong regret gained between the last two times that were reached, divided by the difference of
ln T, beside the smallest growth that an algorithm can have in the long run if its regret is to grow slower than any
power of T on all problems with a Condorcet winner. Who grows slower has not seen enough, or stakes on large gaps."""
_ABLATION = """This page is made by `{command}` and not edited by hand. WS-T with one ingredient changed at a time;
average strong regret, {runs} runs, seed {seed}, means ± standard errors. Locked: the share of runs in which the best
arm is in fewer than one of ten duels between T/2 and T, so that a wrong incumbent reigns. The last rows change the
factor of t, which moves WS-T along its trade-off between the mean and the tail."""


def number(value: float) -> str:
    """Three digits or so.

    >>> number(1234.5), number(1.234), number(math.nan)
    ('1,234', '1.23', '-')
    """
    if math.isnan(value):
        return "-"
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
        _INTRODUCTION.format(command=command, few=plan.few, runs=f"{plan.runs:,}", seed=plan.seed),
        *(f"![{title}]({name})" for title, name in pictures.items()),
        f"## Targets of {about}",
        target_table(verdicts(problems, about, late)),
        f"## {about} beside the others, {AVERAGE}",
        _about(problems, about, late),
        "## Who is first",
        *(_first(problems, regret, t) for regret in plan.regrets for t in late),
        "## Tails",
        f"{AVERAGE} regret at the last time that was reached: percentiles and the worst of all runs.",
        _tails(problems, plan, about),
        "## Growth with ln T",
        _GROWTH,
        _slopes(problems, plan, about),
        "## Mean ranks",
        *(_ranks(problems, regret, late[-1]) for regret in (AVERAGE, BINARY)),
        "## What was left out",
        _left_out(problems),
    ]
    return "\n\n".join(parts) + "\n"


def target_table(found: Sequence[Verdict]) -> str:
    """What should be reached, on how many lines it is, by what problems were used for, and the worst line."""
    roles = ("new", "looked at", "attack")
    judged = [targets([one for one in found if role(one.problem) == name]) for name in roles]
    lines = []
    for place, one in enumerate(targets(found)):
        met = (f"{there[place].met} of {there[place].lines}" for there in judged)
        lines.append((one.name, one.limit, *met, number(one.ratio), _where(one.worst) if one.worst else ""))
    return table(("target", "at most", *roles, "worst", "there; best other"), lines)


def _where(one: Verdict) -> str:
    return f"`{one.problem}`, {power(one.t)}; `{one.other.algorithm}` ({one.other.stat.runs:,} runs)"


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
    said = _SAID.format(
        first=sum(one.first for one in found), all=len(found), new_first=sum(one.first for one in new), new=len(new),
        ahead=_ahead(found), new_ahead=_ahead(new),
    )  # fmt: skip
    header = ("problem", "", "T", f"{about} (runs)", "best other", "ratio", "first", "binary", "p99", "worst")
    return f"{said}\n\n{table(header, lines)}"


def _ahead(found: Sequence[Verdict]) -> str:
    """Who is first where it is not, and on how many lines."""
    counted = Counter(one.other.algorithm for one in found if not one.first)
    return ", ".join(f"`{label}` {lines}" for label, lines in counted.most_common()) or "nobody"


def _first(problems: Mapping[str, Sequence[Cell]], regret: str, t: int) -> str:
    lines = []
    for name, cells in problems.items():
        places = ranking(cells, regret, t)[:SHOWN]
        shown = [
            f"`{one.algorithm}` {number(one.stat.mean)} ± {number(one.stat.sem)} ({one.ratio:.2f})" for one in places
        ]
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


def _slopes(problems: Mapping[str, Sequence[Cell]], plan: Plan, about: str) -> str:
    labels = [about, *(label for label in ("dts", "ws-s", "rmed1", "self-sparring") if label != about)]
    lines = []
    for name, cells in problems.items():
        by_label = {cell.algorithm: cell for cell in cells}
        found = [_slope(by_label[label], plan) if label in by_label else math.nan for label in labels]
        lines.append((f"`{name}`", number(smallest_slope(league_problems([name])[name])), *map(number, found)))
    return table(("problem", "smallest", *(f"`{label}`" for label in labels)), lines)


def _slope(cell: Cell, plan: Plan) -> float:
    reached = [(t, one) for t in plan.times if (one := cell.at(AVERAGE, t))]
    if len(reached) < 2:
        return math.nan
    (early, before), (late, after) = reached[-2:]
    return (after.mean - before.mean) / math.log(late / early)


def _ranks(problems: Mapping[str, Sequence[Cell]], regret: str, t: int) -> str:
    found = mean_ranks(problems, regret, t)
    lines = [(f"`{label}`", f"{rank:.1f}", number(ratio), count) for label, (rank, ratio, count) in found.items()]
    header = ("algorithm", "mean rank", "ratio to the best (geometric mean)", "problems")
    return f"### {regret}, {power(t)}\n\n{table(header, lines)}"


def _left_out(problems: Mapping[str, Sequence[Cell]]) -> str:
    notes: dict[str, list[str]] = {}
    for cells in problems.values():
        for cell in cells:
            if cell.note:
                notes.setdefault(f"`{cell.algorithm}`: {cell.note}", []).append(f"`{cell.problem}`")
    return "\n".join(f"- {note}: {', '.join(where)}." for note, where in sorted(notes.items())) or "Nothing."


def ablation_page(rows: Mapping[str, Sequence[Row]], runs: int, seed: int, command: str) -> str:
    """The ablation of WS-T as a page."""
    parts = [
        "# What each ingredient of WS-T is good for",
        _ABLATION.format(command=command, runs=f"{runs:,}", seed=seed),
    ]
    for name, found in rows.items():
        times = list(found[0].stats)
        header = ("variant", *map(power, times), "p90", "p99", "worst", *(f"locked at {power(t)}" for t in times))
        lines = [
            (row.name, *(f"{number(one.mean)} ± {number(one.sem)}" for one in row.stats.values()),
             *(number(getattr(row.stats[times[-1]], tail)) for tail in ("p90", "p99", "worst")),
             *(f"{row.locked[t]:.2%}" for t in times))
            for row in found
        ]  # fmt: skip
        parts += [f"## `{name}`", table(header, lines)]
    return "\n\n".join(parts) + "\n"


def write_page(path: Path, text: str, force: bool) -> None:
    write_whole(path, lambda draft: draft.write_text(text, encoding="utf-8"), force=force)
