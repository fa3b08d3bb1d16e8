"""`winnerstays check`: test whether your own algorithm keeps the contract."""

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
    broken = []
    for place, own in enumerate(chosen):
        out.print(f"{chr(10) if place else ''}{own.label}: {own.title}", soft_wrap=True)
        try:
            check_contract(own, lambda text: out.print(text, soft_wrap=True))
        except AssertionError:
            broken.append(own.label)
    if broken and len(chosen) > 1:
        out.print(
            f"\n{len(broken)} of {len(chosen)} algorithms break the contract: {', '.join(broken)}", soft_wrap=True
        )
    if broken:
        raise typer.Exit(1)
