"""`winnerstays algorithms` and `winnerstays problems`: list and describe them."""

import re
import sys
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated

import typer

from winnerstays.cli.app import ProblemsGroup, app, make_group, out
from winnerstays.cli.file_options import ForOne, ForPeople, Reading, find_problems, reads_files
from winnerstays.cli.plugins import Plugins, load_plugins
from winnerstays.cli.tables.fitting import print_table
from winnerstays.errors import WinnerstaysError

if TYPE_CHECKING:
    from winnerstays.algorithms import Algorithm
    from winnerstays.problems import Problem

WIDEST_MATRIX = 16

problems_app = make_group(
    "problems", "List the built-in problems, look at one, or make one of rankers.", app, ProblemsGroup
)


@app.command()
def algorithms(
    name: Annotated[str | None, typer.Argument(help="Show this one in detail.")] = None,
    bibtex: Annotated[bool, typer.Option("--bibtex", help="Print the BibTeX entry of its paper.")] = False,
    plugin: Plugins = None,
) -> None:
    """List the algorithms, or describe one."""
    from rich.padding import Padding
    from rich.text import Text

    from winnerstays.algorithms import registry

    load_plugins(plugin)
    if bibtex:
        out.print("\n".join(_bibtex(name)), soft_wrap=True, highlight=False, markup=False)
        return None
    if name is not None:
        return _describe_algorithm(name)
    for algorithm in registry.registered().values():
        out.print(Text.assemble((algorithm.name, "bold"), f": {algorithm.title} ({algorithm.facts.paper})"))
        out.print(Padding(Text(_facts(algorithm)), (0, 0, 0, 4)))
    return None


def _facts(algorithm: "Algorithm") -> str:
    facts = algorithm.facts
    assumes = ", ".join([facts.assumes, *(f"the {need} known" for need in sorted(algorithm.needs))])
    return f"for {facts.regret} regret; assumes {assumes}; guarantee: {facts.guarantee}; cost per duel: {facts.cost}"


def _bibtex(name: str | None) -> list[str]:
    """Return the entries of the paper of one algorithm, or of all."""
    from winnerstays.algorithms import algorithm as find_algorithm

    entries = re.split(r"\n(?=@)", (files("winnerstays") / "assets" / "papers.bib").read_text(encoding="utf-8").strip())
    if name is None:
        return entries
    algorithm = find_algorithm(name)
    cited = [entry for entry in entries if algorithm.name in re.findall(r"[\w+-]+", entry.rpartition("keywords")[2])]
    if not cited:
        raise WinnerstaysError(
            f"{algorithm.name} has no BibTeX entry; its source is {algorithm.facts.paper or 'not stated'}."
        )
    return cited


def _describe_algorithm(name: str) -> None:
    from rich.text import Text

    from winnerstays.algorithms import algorithm as find_algorithm
    from winnerstays.compiling import plain

    algorithm = find_algorithm(name)
    out.print(Text.assemble((algorithm.name, "bold"), f": {algorithm.title} ({algorithm.facts.paper})"))
    out.print((sys.modules[plain(algorithm.init).__module__].__doc__ or "").strip())
    out.print(f"\n{_facts(algorithm)}")
    for key, parameter in algorithm.parameters.items():
        default = "must be given" if parameter.default is None else f"default {parameter.default}"
        out.print(f"  {key} ({default}; {parameter.describe()}): {parameter.meaning}")


@problems_app.command("show")
@reads_files(ForOne, ForPeople)
def problems(
    name: Annotated[str | None, typer.Argument(help="A problem, a file or a folder to look at.")] = None,
    *,
    reading: Reading,
) -> None:
    """List the built-in problems, or look at one; `winnerstays problems rankers` makes one of search rankers."""
    if name is not None:
        chosen = find_problems(name, reading)
        if len(chosen) > 1:
            out.print(f"{len(chosen)} people, a problem each; the first:")
        return describe_problem(chosen[0])
    from rich.box import SIMPLE
    from rich.table import Table

    from winnerstays.problems import FIXED, GENERATED

    table = Table(title="problems", title_justify="left", box=SIMPLE)
    table.add_column("name")
    table.add_column("what it is", overflow="fold")
    for key, make in {**FIXED, **GENERATED}.items():
        table.add_row(key, (make.__doc__ or "").strip().split("\n")[0])
    print_table(table)
    out.print(
        "Generated ones take options, as total-order:n_arms=100,p=0.6. A file works too: a matrix, rankings, "
        "duels or ratings (docs/data.md)."
    )
    return None


def describe_problem(problem: "Problem") -> None:
    from winnerstays.problems.description import evidence_sentence, winner_sentences

    out.print(f"{problem.name}: {problem.n_arms} arms" + (f" ({problem.note})" if problem.note else ""))
    for sentence in winner_sentences(problem):
        out.print(sentence)
    if problem.best_arm is not None:
        odds, odds1 = map(_odds, (problem.p, problem.p1))
        out.print(f"p = {problem.p:.4g} (smallest winning probability), p1 = {problem.p1:.4g} (the winner's)")
        out.print(f"WS-S's theory wants beta below p/(1-p) = {odds}; p1/(1-p1) = {odds1} is enough (docs/paper.md)")
    if problem.pair_counts is not None:
        out.print(evidence_sentence(problem.pair_counts))
    if problem.n_arms <= WIDEST_MATRIX:
        width = max(map(len, problem.items))
        for item, row in zip(problem.items, problem.preferences, strict=True):
            cells = " ".join(f"{value:.3f}".removeprefix("0") for value in row)
            out.print(f"{item:>{width}}  {cells}", soft_wrap=True)


def _odds(p: float) -> str:
    """Return p / (1 - p) as text, even if p was rounded to 1/2 or to 1."""
    from winnerstays.theory.bounds import largest_beta

    return "any value" if p == 1 else "1" if p == 0.5 else f"{largest_beta(p):.4g}"
