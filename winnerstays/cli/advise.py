"""`winnerstays advise`: which settings an arena should have, and what to expect of them."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from winnerstays.cli.app import app, out
from winnerstays.cli.counts import count_option
from winnerstays.cli.tables.fitting import print_table
from winnerstays.errors import WinnerstaysError

if TYPE_CHECKING:
    from winnerstays.advice import Advice, Outcome


@app.command()
def advise(
    items: Annotated[int | None, count_option("How many items there are.")] = None,
    visitors: Annotated[int | None, count_option("How many people come.")] = None,
    answers_each: Annotated[int | None, count_option("How often each of them answers.")] = None,
    open_: Annotated[int, typer.Option("--open", help="Duels open at once, in an arena for everyone.")] = 10,
    correlated: Annotated[bool, typer.Option("--correlated", help="People's tastes have much in common.")] = False,
    seed: Annotated[int, count_option("Names the experiment.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Simulate how many items and people you have, and say which settings to take."""
    from winnerstays.advice import advise as play

    if items is None or visitors is None or answers_each is None:
        raise WinnerstaysError(
            "How many? Give all of --items, --visitors and --answers-each, for example 200, 10000 and 17."
        )
    advice = play(items, visitors, answers_each, open_duels=open_, correlated=correlated, seed=seed)
    if json:
        out.print_json(data=advice.as_dict())
        return
    out.print(str(advice))
    settings = ", ".join(f"{name}={value!r}" for name, value in advice.settings.items())
    out.print(f'\nArena.open("my.db", items=[...], {settings})', soft_wrap=True)
    table = Table("arena for", "favourite shown", "seen by", "half within", "named", "regret", "unlearned", box=SIMPLE)
    for outcome in advice.outcomes:
        table.add_row(*_cells(outcome))
    print_table(table)
    out.print(_explanation(advice))


def _cells(outcome: "Outcome") -> list[str]:
    within = "-" if outcome.answers_until_seen is None else str(outcome.answers_until_seen)
    shares = [f"{share:.0%}" for share in (outcome.seen, outcome.found, outcome.taught_nothing)]
    shown = f"{outcome.on_screen:.1%} ± {outcome.error:.1%}"
    return [outcome.way, shown, shares[0], within, shares[1], f"{outcome.regret:.1f}", shares[2]]


def _explanation(advice: "Advice") -> str:
    holdout = "give_up is a rule of thumb. "
    if advice.settings["holdout"]:
        holdout += "With that holdout differences of 10 points and more can be told (winnerstays arena report)."
    else:
        holdout += "There are too few visitors for a control group."
    return (
        "favourite shown: share of duels, with standard error. seen by: visitors who saw it at all. named: the arena "
        "knows it at the end. regret: a visitor's duels without it. unlearned: answers that taught nothing. "
        f"Played: {advice.visitors} visitors of each way with a learner for each user. {holdout}"
    )
