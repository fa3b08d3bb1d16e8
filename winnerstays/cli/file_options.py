"""The options for reading files, the same for every command that takes a problem."""

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, get_type_hints

import typer
from typer.core import TyperCommand

from winnerstays.cli.counts import count_option
from winnerstays.errors import WinnerstaysError

if TYPE_CHECKING:
    from winnerstays.problems import Problem

Reading = dict[str, Any]
"""The options that were used, by their names in `winnerstays.problems.load`."""


class ForRecords(TypedDict):
    """Options for files of duels, ratings, rankings and matrices."""

    columns: Annotated[str | None, typer.Option(help="Which column is what: left=a,right=b,winner=won.")]
    codes: Annotated[str | None, typer.Option(help="What the winner column holds: 1=left,2=right,0=tie.")]
    min_duels: Annotated[int | None, count_option("Keep items with at least this many duels.")]
    skip_bad: Annotated[bool | None, typer.Option("--skip-bad", help="Leave out rows that cannot be read.")]
    unranked: Annotated[str | None, typer.Option(help="Items that a voter left out are unknown or below.")]
    matrix: Annotated[str | None, typer.Option(help="The matrix holds probabilities or counts.")]
    encoding: Annotated[str | None, typer.Option(help="The encoding of text that is not UTF-8: cp1252.")]


class ForOne(ForRecords):
    """Options for the file of a single problem."""

    items: Annotated[int | None, count_option("Keep this many items, those with most duels.")]
    fit: Annotated[str | None, typer.Option(help="Fit bradley-terry or bradley-terry-unmet.")]


class ForPeople(TypedDict):
    """Options for a file with a problem for each person."""

    people: Annotated[int | None, count_option("Make a problem for each of this many people.")]


class ProblemCommand(TyperCommand):
    """A command that takes a problem: `winnerstays problems --help` alone lists the options for reading files."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for parameter in self.params:
            if parameter.name in {*ForOne.__annotations__, *ForPeople.__annotations__}:
                parameter.hidden = True  # type: ignore[attr-defined]
        self.epilog = "Options for files of your own, such as --columns: see winnerstays problems --help."


def reads_files(*kinds: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these kinds; it gets those that were used as `reading`."""
    options = {name: hint for kind in kinds for name, hint in get_type_hints(kind, include_extras=True).items()}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        hints = {name: parameter.annotation for name, parameter in own.parameters.items() if name != "reading"}
        kept = [parameter for name, parameter in own.parameters.items() if name != "reading"]
        kind = inspect.Parameter.KEYWORD_ONLY
        added = [inspect.Parameter(name, kind, default=None, annotation=hint) for name, hint in options.items()]
        signature = inspect.Signature([*kept, *added])

        @functools.wraps(command)
        def run(*args: Any, **kwargs: Any) -> None:
            arguments = signature.bind(*args, **kwargs).arguments
            reading = {name: arguments.pop(name) for name in options if name in arguments}
            return command(**arguments, reading={name: value for name, value in reading.items() if value is not None})

        run.__signature__ = signature  # type: ignore[attr-defined]
        run.__annotations__ = {**hints, **options, "return": None}
        return run

    return decorate


def say_how_read(source: str, problems: "Sequence[Problem]") -> None:
    """Print to stderr what was read from a file, and what was assumed."""
    if Path(source).is_file() and problems[0].note:
        first = "" if len(problems) == 1 else f"{len(problems)} people; the first: "
        print(f"{source}: {first}{problems[0].note}", file=sys.stderr)


def find_problem(source: str, reading: Reading) -> "Problem":
    """Return the one problem of a name or a file."""
    problems = find_problems(source, reading)
    if len(problems) > 1:
        raise WinnerstaysError(f"{source} holds {len(problems)} problems, one per person, but this command takes one.")
    say_how_read(source, problems)
    return problems[0]


def find_problems(source: str, reading: Reading) -> "list[Problem]":
    """Return the problems of a name, a file, a store or a folder."""
    from winnerstays.picking.recorded import recorded_problem
    from winnerstays.problems import problems_of_people

    if "people" in reading or Path(source).is_dir():
        return problems_of_people(Path(source), **reading)
    return [recorded_problem(source, **reading)]
