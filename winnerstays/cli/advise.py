"""`winnerstays advise`: which settings an arena should have, and what to expect of them."""

from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from winnerstays.cli.app import app, open_arenas, out
from winnerstays.cli.arena.group import find_arena
from winnerstays.cli.counts import count_option, share_option
from winnerstays.cli.tables.fitting import print_table
from winnerstays.errors import WinnerstaysError
from winnerstays.numbers import whole_number


@app.command()
def advise(
    database: Annotated[
        str | None, typer.Argument(help="Replay the log of an arena in this database, instead of a simulation.")
    ] = None,
    name: Annotated[str | None, typer.Option("--arena", help="Which arena of the database.")] = None,
    items: Annotated[int | None, count_option("How many items there are.")] = None,
    visitors: Annotated[int | None, count_option("How many people come.")] = None,
    answers_each: Annotated[str | None, typer.Option(help="How often each of them answers: 17, or 3-17.")] = None,
    tastes: Annotated[str, typer.Option(help="What people like: common, half (in common), cuisine or own.")] = "half",
    open_: Annotated[int, typer.Option("--open", help="Visitors who are there at once.")] = 20,
    change: Annotated[int, count_option("Items that are replaced when half of the visitors have come.")] = 0,
    zones: Annotated[float, share_option("Share of visitors who may have only a fifth of the items.")] = 0.0,
    slips: Annotated[float, share_option("Share of answers at random.")] = 0.1,
    bounces: Annotated[float, share_option("Share of visitors who answer nothing.")] = 0.05,
    seed: Annotated[int, count_option("Names the experiment.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Name the best settings for your arena, from its log or from a simulation of a site of its size.

    A simulation takes a minute or two. A log must have 200 answers to random pairs of a control group.
    """
    from winnerstays.advice import advise as play
    from winnerstays.advice import advise_from_log

    if database is not None:
        with open_arenas(database) as arenas:
            advice = advise_from_log(find_arena(arenas, name))
    elif items is None or visitors is None or answers_each is None:
        raise WinnerstaysError(
            "How many? Give all of --items, --visitors and --answers-each, for example 200, 10000 and 3-17; "
            "or a database."
        )
    else:
        advice = play(
            items, visitors, _answers(answers_each), tastes=tastes, open=open_, change=change, zones=zones, slips=slips,
            bounces=bounces, seed=seed,
        )  # fmt: skip
    if json:
        out.print_json(data=advice.as_dict())
        return
    out.print(str(advice), soft_wrap=True)
    settings = ", ".join(f"{name}={value!r}" for name, value in advice.settings.items())
    out.print(f'\nArena.open("my.db", items=[...], {settings})', soft_wrap=True)
    table = Table("arena for", "share", "seen by", "behind the best", box=SIMPLE)
    for outcome in advice.outcomes:
        seen = "-" if outcome.seen is None else f"{outcome.seen:.0f} %"
        behind = f"{outcome.behind:.1f} ± {outcome.behind_error:.1f}"
        table.add_row(
            outcome.way, f"{outcome.share:.1f} ± {outcome.error:.1f} %", seen, "-" if outcome == advice.best else behind
        )
    print_table(table)
    out.print(f"share: {advice.measure}, with standard errors. Not known: {'; '.join(advice.unknown)}.", soft_wrap=True)


def _answers(text: str) -> tuple[int, int]:
    """Return the least and the most answers: of 3-17 these, of 17 twice that."""
    least, dash, most = text.partition("-")
    try:
        return whole_number(least), whole_number(most if dash else least)
    except WinnerstaysError:
        raise WinnerstaysError(
            f"answers-each is {text!r}, but must be a whole number, or a range such as 3-17."
        ) from None
