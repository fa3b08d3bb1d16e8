"""`winnerstays exact` and `winnerstays bounds`: what can be known without simulating."""

import json
import math
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from winnerstays.algorithms.ws_s import BETA, ws_s
from winnerstays.cli.app import app, out
from winnerstays.errors import WinnerstaysError
from winnerstays.files import check_writable, write_whole
from winnerstays.problems import problem as find_problem
from winnerstays.problems.problem import Problem
from winnerstays.theory import bounds as theory
from winnerstays.theory.expected import expected_regret
from winnerstays.theory.rounds import Expectation
from winnerstays.theory.theorems import Bound, theorems

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

Json = Annotated[str | None, typer.Option("--json", help="Write JSON to this file, or to stdout with '-'.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file of --json.")]


@app.command()
def exact(
    problem: Annotated[str, typer.Argument(help="A built-in problem, NAME:key=value,... or a file.")],
    algorithm: Annotated[str, typer.Option(help="ws-w or ws-s.")] = "ws-w",
    beta: Annotated[float, typer.Option(help="Growth of WS-S's exploitation phases.")] = BETA,
    rule: Annotated[str, typer.Option(help="First challenger of a round: literal (last loser) or random.")] = "literal",
    rounds: Annotated[int | None, typer.Option(help="How many rounds; infinitely many if not given.")] = None,
    tolerance: Annotated[float, typer.Option(help="What an infinite total may lack at most.")] = 1e-6,
    estimate: Annotated[bool, typer.Option("--estimate", help="Draw iteration winners: any number of arms.")] = False,
    precision: Annotated[float, typer.Option(help="--estimate: standard error of weak regret, as a fraction.")] = 0.01,
    runs: Annotated[int, typer.Option(help="--estimate: most runs.")] = 100_000,
    seed: Annotated[int, typer.Option(help="--estimate: names the runs.", min=0)] = 0,
    ties: Annotated[bool, typer.Option("--ties", help="Compute even if two arms are tied.")] = False,
    json_to: Json = None,
    force: Force = False,
) -> None:
    """Expected regret of WS-W or WS-S, computed: by round, in total, and beside the paper's theory."""
    if json_to not in (None, "-"):
        check_writable(Path(str(json_to)), force=force)
    chosen = find_problem(problem)
    result = expected_regret(
        chosen, algorithm, beta=beta, rule=rule, rounds=rounds, tolerance=tolerance, ties=ties,
        method="estimate" if estimate else "auto", precision=precision, runs=runs, seed=seed,
    )  # fmt: skip
    proved = [] if chosen.tie else _proved(result)
    if json_to is not None:
        _write(result.to_dict() | {"bounds": [_as_dict(bound) for bound in proved]}, json_to, force)
    if json_to != "-":
        _show(result, proved)


@app.command()
def bounds(
    problem: Annotated[str | None, typer.Argument(help="Take arms, p and p1 from this problem.")] = None,
    arms: Annotated[int | None, typer.Option(help="Number of arms N.")] = None,
    p: Annotated[float | None, typer.Option(help="Smallest winning probability above 1/2.")] = None,
    p1: Annotated[
        float | None, typer.Option(help="Smallest winning probability of the best arm; p by default.")
    ] = None,
    horizon: Annotated[float | None, typer.Option(help="Duels T, for strong regret (Theorems 3 and 4).")] = None,
    beta: Annotated[float, typer.Option(help="Growth of WS-S's exploitation phases.")] = BETA,
    utility_range: Annotated[float | None, typer.Option(help="R = u_1 - u_N, for bounds on utility regret.")] = None,
    json_to: Json = None,
    force: Force = False,
) -> None:
    """The paper's theorems and lemmas as numbers: as printed, as corrected, and improved."""
    totally_ordered = True
    ws_s.parameters["beta"].check("ws-s", "beta", beta)
    if problem is not None:
        if not arms is p is p1 is None:
            raise WinnerstaysError(f"The arms, p and p1 are those of {problem}; leave out --arms, --p and --p1.")
        chosen = find_problem(problem)
        if chosen.tie is not None:
            raise WinnerstaysError(
                f"{chosen.name}: two arms are tied (p = 1/2), but the bounds need p above 1/2 for every pair."
            )
        arms, p, p1, totally_ordered = chosen.n_arms, chosen.p, chosen.p1, chosen.totally_ordered
    if arms is None or p is None:
        raise WinnerstaysError("Give a problem, or both --arms and --p, such as --arms 50 --p 0.8.")
    p1 = p if p1 is None else p1
    rows = theorems(
        arms, p, p1=p1, totally_ordered=totally_ordered, horizon=horizon, beta=beta, utility_range=utility_range
    )
    lemmas = _lemmas(arms, p, p1, totally_ordered)
    if json_to is not None:
        limits = {name: theory.largest_beta(value) if value < 1 else None for name, value in (("p", p), ("p1", p1))}
        data = {"n_arms": arms, "p": p, "p1": p1, "horizon": horizon, "beta": beta, "largest_beta": limits}
        _write(data | {"theorems": [_as_dict(row) for row in rows], "lemmas": dict(lemmas)}, json_to, force)
    if json_to != "-":
        table = _table(f"N = {arms}, p = {p:g}, p1 = {p1:g}", "bound", "on regret", "value", "errata, remarks")
        for row in rows:
            table.add_row(row.name, row.regret, _number(row.value), row.note)
        for name, value in lemmas:
            table.add_row(name, "", _number(value), "")
        out.print(table)
        for name, value in (("p", p), ("p1", p1)):
            limit = theory.largest_beta(value)
            verdict = "within" if 1 < beta < limit else "outside"
            _say(f"beta = {beta:g} is {verdict} the theory: {name}/(1-{name}) = {limit:.4g}")


def _lemmas(arms: int, p: float, p1: float, totally_ordered: bool) -> list[tuple[str, float]]:
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


def _proved(result: Expectation) -> list[Bound]:
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


def _as_dict(bound: Bound) -> dict[str, Any]:
    return dict(vars(bound))


def _show(result: Expectation, proved: list[Bound]) -> None:
    problem, total = result.problem, result.total
    beta = "" if result.beta is None else f", beta {result.beta:g}"
    title = f"{problem.name}: {problem.n_arms} arms, {result.algorithm}{beta}, {result.rule} first challenger"
    if result.rounds:
        table = _table(title, "round", *(HEADINGS.get(name, name.replace("_", " ")) for name in COLUMNS))
        last = len(result.rounds)
        for one in result.rounds:
            if one.round <= SHOWN or one.round == last or one.round.bit_count() == 1:
                table.add_row(str(one.round), *(_number(getattr(one, name)) for name in COLUMNS))
        table.add_section()
        label = "all" if result.infinite else f"1-{last}"
        table.add_row(label, *(_number(getattr(total, name)) for name in COLUMNS))
    else:
        table = _table(
            f"{title}, {result.runs} runs", "", *(HEADINGS.get(name, name.replace("_", " ")) for name in COLUMNS)
        )
        table.add_row("all", *(_number(getattr(total, name)) for name in COLUMNS))
    if result.error is not None:
        table.add_row("+-", *(_number(getattr(result.error, name)) for name in COLUMNS))
    out.print(table)
    if result.infinite:
        _say(f"Proved: these totals lack at most {_number(result.remainder)}. Duels and strong regret grow for ever.")
    elif result.remainder < math.inf:
        _say(f"Proved: over all later rounds, weak regret grows by at most {_number(result.remainder)}.")
    else:
        limit = theory.largest_beta(problem.p1)
        _say(f"Over all later rounds nothing is proved: beta is not below p1/(1-p1) = {limit:.4g}.")
    against = _table("", "regret", "exact" if result.error is None else "estimate", "bound", "ratio")
    for bound in proved:
        kind, _, measure = bound.regret.partition(" ")
        value = getattr(total, f"{kind}_{measure or 'binary'}")
        if value is not None and bound.value:
            against.add_row(f"{kind}: {bound.name}", _number(value), _number(bound.value), f"{value / bound.value:.2g}")
    if against.row_count:
        out.print()
        out.print(against)


def _say(sentence: str) -> None:
    out.print(sentence, soft_wrap=True)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for k, column in enumerate(columns):
        words = k == 0 or column in ("on regret", "errata, remarks")
        table.add_column(column, justify="left" if words else "right", no_wrap=k == 0)
    return table


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1e}" if value and not 1e-4 <= abs(value) < 1e7 else f"{value:.4f}"


def _write(data: dict[str, Any], path: str, force: bool) -> None:
    text = json.dumps(data, indent=1) + "\n"
    if path == "-":
        sys.stdout.write(text)
    else:
        write_whole(path, lambda draft: draft.write_text(text, encoding="utf-8"), force=force)
