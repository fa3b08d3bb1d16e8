"""`winnerstays rank`: a leaderboard from votes."""

from pathlib import Path
from typing import Annotated

import typer

from winnerstays.cli.app import app, out
from winnerstays.cli.counts import count_option, share_option
from winnerstays.files import PICTURE, check_outputs


@app.command()
def rank(
    votes: Annotated[Path, typer.Argument(help="A table of duels, a pick's store, or an arena's exported log.")],
    level: Annotated[float, share_option("The confidence of the intervals.")] = 0.95,
    ties: Annotated[
        str, typer.Option(help="half|davidson: a tie is half a vote for both, or has its own chance.")
    ] = "half",
    prior: Annotated[float, typer.Option(help="Pulls scores to 0; needed where an item won or lost all.")] = 0.0,
    bootstrap: Annotated[int, count_option("Intervals from so many samples of the votes.")] = 0,
    by: Annotated[
        str | None, typer.Option(help="The column of the person or example; samples are of whole ones.")
    ] = None,
    columns: Annotated[str | None, typer.Option(help="Which column is what: left=home,right=away,winner=won.")] = None,
    codes: Annotated[str | None, typer.Option(help="What the winner column holds: 1=left,2=right,0=tie.")] = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out rows that cannot be read.")] = False,
    json: Annotated[str | None, typer.Option(help="Write the board to a file, or to - for standard output.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a picture (.png, .svg or .pdf).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")] = False,
) -> None:
    """Rank items from votes, with intervals and shared ranks.

    winnerstays rank votes.csv --bootstrap 200 --by user
    """
    check_outputs((json, (".json", "a board is written")), (plot, PICTURE), force=force)
    from winnerstays.picking import rank as run_rank

    board = run_rank(
        votes, level=level, ties=ties, prior=prior, bootstrap=bootstrap, by=by,  # type: ignore[arg-type]
        columns=columns, codes=codes, skip_bad=skip_bad,
    )  # fmt: skip
    if json == "-":
        print(board.to_json())
    else:
        for line in str(board).split("\n"):
            out.print(line, markup=False, soft_wrap="   " in line)  # rows of the table stay whole
        if json is not None:
            board.to_json(json, force=force)
    if plot is not None:
        board.plot(plot, force=force)
