"""`winnerstays check`: does an algorithm of one's own keep the contract?"""

from pathlib import Path
from typing import Annotated

import typer

from winnerstays.cli.app import app, out
from winnerstays.cli.plugins import load_plugin


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A Python file that registers algorithms.")],
    name: Annotated[str | None, typer.Argument(help="Only this one of them.")] = None,
) -> None:
    """Run the contract suite on algorithms of your own. Exit code 1 if one breaks it."""
    from winnerstays.algorithms import algorithm
    from winnerstays.testing.report import check_contract

    new = load_plugin(file)
    chosen = new if name is None else [algorithm(name)]
    broken = False
    for one in chosen:
        try:
            check_contract(one, lambda text: out.print(text, soft_wrap=True))
        except AssertionError:
            broken = True
    if broken:
        raise typer.Exit(1)
