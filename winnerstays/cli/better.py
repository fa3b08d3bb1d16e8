"""`winnerstays better`: a gate for CI."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from winnerstays.cli.app import app, out, printable
from winnerstays.cli.counts import count_option, share_option
from winnerstays.cli.pick import KEY, OPENAI, Asked, budget_of, check_judge, two_numbers, usual_swap
from winnerstays.errors import WinnerstaysError
from winnerstays.files import check_outputs

UNDECIDED = 3


@app.command(context_settings={"obj": UNDECIDED})
def better(
    candidate: Annotated[Path, typer.Argument(help="A file with the candidate, such as a prompt or an answer.")],
    than: Annotated[Path, typer.Option(help="A file with the baseline.")],
    judge: Annotated[str | None, typer.Option(help="A command that answers JSON lines, as for pick.")] = None,
    criterion: Annotated[str | None, typer.Option(help="A language model judges by this criterion.")] = None,
    model: Annotated[str | None, typer.Option(help="The name of the model.")] = None,
    base_url: Annotated[str, typer.Option(help="The model's endpoint: http://localhost:8000/v1.")] = OPENAI,
    key: Annotated[str, typer.Option(help="The environment variable with the key, or `none`.")] = KEY,
    prices: Annotated[str | None, typer.Option(help="Prices of a million tokens in and out: 0.15,0.60.")] = None,
    timeout: Annotated[float | None, typer.Option(help="Seconds until a call has failed.")] = None,
    examples: Annotated[Path | None, typer.Option(help="A file with examples: .jsonl, .json, or one a line.")] = None,
    level: Annotated[float, share_option("The confidence to stop at.")] = 0.95,
    indifference: Annotated[float, share_option("Count as equal if neither wins by more than this.")] = 0.05,
    cost: Annotated[str | None, typer.Option(help="Costs of the candidate and the baseline: 0.2,1.5.")] = None,
    swap: Annotated[
        str | None, typer.Option(help="random|both|auto: draw sides, ask both orders, or do so if need be.")
    ] = None,
    claim: Annotated[str, typer.Option(help="these|new: the examples that the result speaks of.")] = "these",
    budget: Annotated[str | None, typer.Option(metavar="INTEGER|$", help="The most calls, or money: $2.")] = None,
    concurrency: Annotated[int, typer.Option(help="Calls at once.")] = 1,
    store: Annotated[str | None, typer.Option(help="A file that keeps every answer; the same command goes on.")] = None,
    seed: Annotated[int | None, count_option("The same seed draws the same; random if left out.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write a JUnit report (.xml).")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write a summary (.md).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")] = False,
) -> None:
    """Tell whether a candidate is better than a baseline, for CI.

    The exit code is 0 if it is better, 1 if it is worse, 2 if neither wins by more than --indifference, and 3 if that
    is not decided: the budget is spent, the judge fails, or the call is wrong.

    winnerstays better new.txt --than old.txt --judge 'python judge.py' --examples cases.jsonl
    """
    try:
        check_outputs((junit, None), (markdown, None), force=force)
        check_judge(judge, criterion, model)
        if judge is None and criterion is None:
            raise WinnerstaysError("Say who judges: --judge with a command, or --criterion and --model.")
        options = {
            "level": level, "indifference": indifference,
            "swap": swap or usual_swap(criterion), "claim": claim, "budget": budget_of(budget),
            "concurrency": concurrency, "store": store, "seed": seed, "costs": two_numbers("--cost", cost),
        }  # fmt: skip
        asked = Asked(judge, criterion, model, base_url, key, prices, timeout)
        outcome = _decide(candidate, than, asked, examples, options, junit, markdown, force)
    except WinnerstaysError as error:
        print(f"winnerstays: {printable(str(error))}", file=sys.stderr)
        outcome = UNDECIDED
    raise typer.Exit(outcome)


def _decide(
    candidate: Path, than: Path, asked: Asked, examples: Path | None, options: dict[str, Any], junit: Path | None,
    markdown: Path | None, force: bool,
) -> int:  # fmt: skip
    from winnerstays.listings import read_text
    from winnerstays.picking import better as run_better
    from winnerstays.picking.sources import read_examples

    texts = read_text(candidate), read_text(than)
    for path, text in zip((candidate, than), texts, strict=True):
        if not text.strip():
            raise WinnerstaysError(f"{path} is empty; there is nothing to judge.")
    if texts[0] == texts[1]:
        raise WinnerstaysError(f"{candidate} and {than} hold the same text; there is nothing to compare.")
    if examples is not None:
        options["examples"] = read_examples(examples)
    judge = asked.open()
    try:
        gate = run_better(*texts, judge, **options)
    finally:
        judge.close()
    out.print(str(gate), markup=False)
    if junit is not None:
        gate.to_junit(junit, force=force)
    if markdown is not None:
        gate.to_markdown(markdown, force=force)
    return gate.outcome
