"""`winnerstays research exact` and `winnerstays research bounds`: exact values and bounds, without simulation."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from winnerstays.cli.counts import count_option, share_option
from winnerstays.cli.file_options import ForOne, ProblemCommand, Reading, find_problem, reads_files
from winnerstays.cli.research.group import research_app
from winnerstays.errors import WinnerstaysError
from winnerstays.files import check_writable

Json = Annotated[str | None, typer.Option("--json", help="Write JSON to this file, or to stdout with '-'.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file of --json.")]


@research_app.command(cls=ProblemCommand)
@reads_files(ForOne)
def exact(
    problem: Annotated[str, typer.Argument(help="A built-in problem, NAME:key=value,... or a file.")],
    algorithm: Annotated[str, typer.Option(help="ws-w or ws-s.")] = "ws-w",
    beta: Annotated[float | None, typer.Option(help="Growth of WS-S's exploitation phases.")] = None,
    rule: Annotated[str, typer.Option(help="First challenger of a round: literal (last loser) or random.")] = "literal",
    rounds: Annotated[int | None, count_option("How many rounds; infinitely many if not given.")] = None,
    tolerance: Annotated[float, typer.Option(help="The most that an infinite total may lack.")] = 1e-6,
    estimate: Annotated[bool, typer.Option("--estimate", help="Estimate it, for any number of arms.")] = False,
    precision: Annotated[
        float | None, share_option("With --estimate: standard error / mean of weak regret; 0.01 by default.")
    ] = None,
    runs: Annotated[int | None, count_option("With --estimate: the most runs; 100000 by default.")] = None,
    seed: Annotated[int | None, count_option("With --estimate: the same seed gives the same runs.")] = None,
    ties: Annotated[bool, typer.Option("--ties", help="Compute even if two arms are tied.")] = False,
    json_to: Json = None,
    force: Force = False,
    *,
    reading: Reading,
) -> None:
    """Compute the expected regret of WS-W or WS-S: by round, in total, and beside the paper's bounds."""
    if json_to not in (None, "-"):
        check_writable(Path(str(json_to)), force=force)
    from winnerstays.algorithms.ws_s import BETA
    from winnerstays.cli.tables import exact as tables
    from winnerstays.theory.expected import expected_regret

    beta = BETA if beta is None else beta
    chosen = find_problem(problem, reading)
    result = expected_regret(
        chosen, algorithm, beta=beta, rule=rule, rounds=rounds, tolerance=tolerance, ties=ties,
        method="estimate" if estimate else "auto", precision=precision, runs=runs, seed=seed,
    )  # fmt: skip
    if result.warning:
        print(f"winnerstays: {result.warning}", file=sys.stderr)
    proved = [] if chosen.tie else tables.proved(result)
    if json_to is not None:
        tables.write_json(result.to_dict() | {"bounds": [tables.as_dict(bound) for bound in proved]}, json_to, force)
    if json_to != "-":
        tables.show(result, proved)


@research_app.command(cls=ProblemCommand)
@reads_files(ForOne)
def bounds(
    problem: Annotated[str | None, typer.Argument(help="Take arms, p and p1 from this problem.")] = None,
    arms: Annotated[int | None, count_option("Number of arms N.")] = None,
    p: Annotated[float | None, share_option("Smallest winning probability above 1/2.")] = None,
    p1: Annotated[float | None, share_option("Smallest winning probability of the best arm; p by default.")] = None,
    horizon: Annotated[int | None, count_option("Duels T, for strong regret (Theorems 3 and 4).")] = None,
    beta: Annotated[float | None, typer.Option(help="Growth of WS-S's exploitation phases.")] = None,
    utility_range: Annotated[float | None, typer.Option(help="R = u_1 - u_N, for bounds on utility regret.")] = None,
    json_to: Json = None,
    force: Force = False,
    *,
    reading: Reading,
) -> None:
    """Show the paper's bounds as numbers: as printed, corrected and improved."""
    from winnerstays.algorithms.ws_s import BETA, ws_s
    from winnerstays.cli.tables import exact as tables
    from winnerstays.cli.tables.fitting import print_table
    from winnerstays.theory import bounds as theory
    from winnerstays.theory.bounds_table import theorems

    totally_ordered = True
    beta = BETA if beta is None else beta
    ws_s.parameters["beta"].check("ws-s", "beta", beta)
    if problem is not None:
        if not arms is p is p1 is None:
            raise WinnerstaysError(f"The arms, p and p1 are those of {problem}; leave out --arms, --p and --p1.")
        chosen = find_problem(problem, reading)
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
    lemmas = tables.lemmas(arms, p, p1, totally_ordered)
    if json_to is not None:
        limits = {name: theory.largest_beta(value) if value < 1 else None for name, value in (("p", p), ("p1", p1))}
        data = {"n_arms": arms, "p": p, "p1": p1, "horizon": horizon, "beta": beta, "largest_beta": limits}
        tables.write_json(
            data | {"theorems": [tables.as_dict(row) for row in rows], "lemmas": dict(lemmas)}, json_to, force
        )
    if json_to != "-":
        table = tables.make_table(
            f"N = {arms}, p = {p:g}, p1 = {p1:g}", "bound", "on regret", "value", "errata, remarks"
        )
        for row in rows:
            table.add_row(row.name, row.regret, tables.number(row.value), row.note)
        for name, value in lemmas:
            table.add_row(name, "", tables.number(value), "")
        print_table(table)
        for name, value in (("p", p), ("p1", p1)):
            limit = theory.largest_beta(value)
            verdict = "within" if 1 < beta < limit else "outside"
            tables.say(f"beta = {beta:g} is {verdict} the theory: {name}/(1-{name}) = {limit:.4g}")
