"""Exact values and bounds as tables on the screen, and as JSON."""

import math
from typing import Any

from rich.table import Table

from winnerstays.cli.app import out
from winnerstays.cli.tables.fitting import print_table
from winnerstays.files import as_json
from winnerstays.problems.problem import Problem
from winnerstays.theory import bounds as theory
from winnerstays.theory.bounds_table import Bound, theorems
from winnerstays.theory.rounds import Expectation
from winnerstays.wording import counted

SHOWN = 8
"""Rounds shown at the start of a table; after them only every power of two and the last."""
COLUMNS = (
    "duels",
    "weak_binary",
    "weak_utility",
    "strong_binary",
    "strong_utility",
    "wrong_winner",
    "worse_incumbents",
)
HEADINGS = {"worse_incumbents": "worse inc."}


def lemmas(arms: int, p: float, p1: float, totally_ordered: bool) -> list[tuple[str, float]]:
    count = [
        ("Lemma 2, printed: worse incumbents", theory.worse_incumbents_printed(arms, p)),
        ("Lemma 2, corrected (S5)", theory.worse_incumbents_corrected(arms, p)),
    ]
    return [
        ("Lemma 1: duels, better incumbent", theory.iteration_length(arms, 1, 1, p, worse_incumbent=False)),
        ("Lemma 1: duels, worse, first of round 2", theory.iteration_length(arms, 2, 1, p, worse_incumbent=True)),
        *(count if totally_ordered else []),
        ("Lemma 3, printed (false, S1): P(L >= 2)", theory.last_worse_round_printed(2, p)),
        ("Lemma 3, corrected: P(L >= 2)", theory.last_worse_round_corrected(2, p1)),
        ("P(first round won by a wrong arm), at most", theory.wrong_winner_sharp(arms, 1, p1)),
        ("g(N-1, N-1), closed form", theory.g_closed(arms - 1, p)),
        ("g(N-1, N-1), its bound", theory.g_bound(arms - 1, p)),
    ]


def proved(result: Expectation) -> list[Bound]:
    """List the bounds on what was computed: weak regret of WS-W in all, strong regret of WS-S in these rounds."""
    problem: Problem = result.problem
    loss = float(problem.utilities[problem.winner] - problem.utilities.min())
    if result.beta is None:
        return theorems(
            problem.n_arms, problem.p, p1=problem.p1, totally_ordered=problem.totally_ordered, utility_range=loss
        )
    if result.infinite or result.beta >= theory.largest_beta(problem.p1):
        return []
    value = theory.strong_in_rounds(
        problem.n_arms, problem.p, len(result.rounds), result.beta, p1=problem.p1,
        totally_ordered=problem.totally_ordered,
    )  # fmt: skip
    name = "Theorems 3, 4 in rounds, p1"
    return [
        Bound(name, "strong", value, True, "S3, S4, S5, S7"),
        Bound(f"{name}, utility", "strong utility", theory.in_utility(value, loss), True, "section 4.4"),
    ]


def as_dict(bound: Bound) -> dict[str, Any]:
    return dict(vars(bound))


def show(result: Expectation, proved: list[Bound]) -> None:
    problem, total = result.problem, result.total
    beta = "" if result.beta is None else f", beta {result.beta:g}"
    title = f"{problem.name}: {problem.n_arms} arms, {result.algorithm}{beta}, {result.rule} first challenger"
    if result.rounds:
        table = make_table(title, "round", *(HEADINGS.get(name, name.replace("_", " ")) for name in COLUMNS))
        last = len(result.rounds)
        for round_ in result.rounds:
            if round_.round <= SHOWN or round_.round == last or round_.round.bit_count() == 1:
                table.add_row(str(round_.round), *(number(getattr(round_, name)) for name in COLUMNS))
        table.add_section()
        label = "all" if result.infinite else f"1-{last}"
        table.add_row(label, *(number(getattr(total, name)) for name in COLUMNS))
    else:
        table = make_table(
            f"{title}, {counted(result.runs or 0, 'run')}",
            "",
            *(HEADINGS.get(name, name.replace("_", " ")) for name in COLUMNS),
        )
        table.add_row("all", *(number(getattr(total, name)) for name in COLUMNS))
    if result.error is not None:
        table.add_row("+-", *(number(getattr(result.error, name)) for name in COLUMNS))
    print_table(table)
    if result.infinite:
        say(f"Proved: these totals lack at most {number(result.remainder)}. Duels and strong regret grow for ever.")
    elif result.remainder < math.inf:
        say(f"Proved: over all later rounds, weak regret grows by at most {number(result.remainder)}.")
    else:
        limit = theory.largest_beta(problem.p1)
        say(f"Over all later rounds nothing is proved: beta is not below p1/(1-p1) = {limit:.4g}.")
    against = make_table("", "regret", "exact" if result.error is None else "estimate", "bound", "ratio")
    for bound in proved:
        kind, _, measure = bound.regret.partition(" ")
        value = getattr(total, f"{kind}_{measure or 'binary'}")
        if value is not None and bound.value:
            against.add_row(f"{kind}: {bound.name}", number(value), number(bound.value), f"{value / bound.value:.2g}")
    if against.row_count:
        out.print()
        print_table(against)


def say(sentence: str) -> None:
    out.print(sentence, soft_wrap=True)


def make_table(title: str, *columns: str) -> Table:
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for k, column in enumerate(columns):
        words = k == 0 or column in ("on regret", "errata, remarks")
        table.add_column(column, justify="left" if words else "right")
    return table


def number(value: float | None) -> str:
    """Return a number in at most eight characters, nine from a million on, so that 80 columns cut none.

    >>> number(0.58021), number(1270.6057), number(262173.84), number(9509259.25), number(1.4e27)
    ('0.5802', '1,270.61', '262,174', '9,509,259', '1.4e+27')
    """
    if value is None:
        return "-"
    size = abs(value)
    if value and not 1e-4 <= size < 1e7:
        return f"{value:.1e}"
    return f"{value:,.{4 if size < 1e3 else 2 if size < 1e4 else 1 if size < 1e5 else 0}f}"


def write_json(data: dict[str, Any], path: str, force: bool) -> None:
    text = as_json(data, None if path == "-" else path, force=force)
    if path == "-":
        print(text)
