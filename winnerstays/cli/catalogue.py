"""`winnerstays algorithms` and `winnerstays problems`: what there is."""

import sys
from typing import Annotated

import numpy as np
import typer
from rich.box import SIMPLE
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from winnerstays.algorithms import algorithm as find_algorithm
from winnerstays.algorithms import registered
from winnerstays.cli.app import app, out
from winnerstays.problems import FIXED, GENERATED, Problem
from winnerstays.problems import problem as find_problem
from winnerstays.theory.bounds import largest_beta

WIDEST_MATRIX = 16


@app.command()
def algorithms(name: Annotated[str | None, typer.Argument(help="Show this one in detail.")] = None) -> None:
    """List the algorithms, or describe one."""
    if name is not None:
        return _describe_algorithm(name)
    for one in registered().values():
        assumes = ", ".join([one.assumes, *(f"the {need} known" for need in sorted(one.needs))])
        out.print(Text.assemble((one.name, "bold"), f": {one.title} ({one.paper})"))
        facts = f"for {one.regret} regret; assumes {assumes}; guarantee: {one.guarantee}; cost a duel: {one.cost}"
        out.print(Padding(Text(facts), (0, 0, 0, 4)))
    return None


def _describe_algorithm(name: str) -> None:
    one = find_algorithm(name)
    out.print(Text.assemble((one.name, "bold"), f": {one.title} ({one.paper})"))
    out.print((sys.modules[one.init.__module__].__doc__ or "").strip())
    out.print(
        f"\nmade for {one.regret} regret; assumes: {one.assumes}; guarantee: {one.guarantee}; cost a duel: {one.cost}"
    )
    for need in sorted(one.needs):
        out.print(f"needs the {need}")
    for key, parameter in one.parameters.items():
        default = "must be given" if parameter.default is None else f"default {parameter.default}"
        out.print(f"  {key} ({default}; {parameter.describe()}): {parameter.meaning}")


@app.command()
def problems(name: Annotated[str | None, typer.Argument(help="A problem or a file to look at.")] = None) -> None:
    """List the built-in problems, or look at one."""
    if name is not None:
        return _describe_problem(find_problem(name))
    table = Table(title="problems", title_justify="left", box=SIMPLE)
    table.add_column("name")
    table.add_column("what it is", overflow="fold")
    for key, make in {**FIXED, **GENERATED}.items():
        table.add_row(key, (make.__doc__ or "").strip().split("\n")[0])
    out.print(table)
    out.print(
        "Generated ones take options, as total-order:n_arms=100,p=0.6. A file works too: a matrix, rankings, "
        "duels or ratings (docs/data.md)."
    )
    return None


def _describe_problem(one: Problem) -> None:
    out.print(f"{one.name}: {one.n_arms} arms" + (f" ({one.note})" if one.note else ""))
    if one.best_arm is None:
        out.print("no Condorcet winner: no arm beats every other arm")
    else:
        odds, odds1 = map(_odds, (one.p, one.p1))
        ordered = "yes" if one.totally_ordered else "no"
        out.print(f"Condorcet winner: {one.items[one.best_arm]}; totally ordered: {ordered}")
        out.print(f"p = {one.p:.4g} (smallest winning probability), p1 = {one.p1:.4g} (the winner's)")
        out.print(f"WS-S's theory wants beta below p/(1-p) = {odds}; p1/(1-p1) = {odds1} is enough (docs/errata.md)")
    if one.counts is not None:
        low, high = one.uncertainty()
        open_ = int(np.count_nonzero((low <= 0.5) & (high >= 0.5)) - one.n_arms) // 2
        unseen = int(np.count_nonzero(one.counts + one.counts.T == 0) - one.n_arms) // 2
        out.print(
            f"estimated from {int(one.counts.sum())} comparisons; of {one.n_arms * (one.n_arms - 1) // 2} pairs "
            f"{open_} are undecided (95 % intervals), {unseen} never compared"
        )
    if one.n_arms <= WIDEST_MATRIX:
        width = max(map(len, one.items))
        for item, row in zip(one.items, one.preferences, strict=True):
            cells = " ".join(f"{value:.3f}".removeprefix("0") for value in row)
            out.print(f"{item:>{width}}  {cells}", soft_wrap=True)


def _odds(p: float) -> str:
    """p / (1 - p) as text, also where rounding has left nothing of an advantage, or of a chance."""
    return "any value" if p == 1 else "1" if p == 0.5 else f"{largest_beta(p):.4g}"
